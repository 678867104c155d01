// What is looked at: a model, what it reads, and when in its training.
import { html, useId, useState } from "../vendor/preact.js";
import { Select, TextField } from "./controls.js";

const LARGEST = 8 * 2 ** 20; // bytes of a picture

// What the library is asked for, of what was chosen; null while nothing is known. `picture` is a file that was opened.
export function askedOf(subjects, { subject, text, target, image, step }, picture) {
  const one = subjectOf(subjects, subject);
  if (!one) return null;
  const asked = { subject: one.name };
  if (step !== null && one.steps.includes(step)) return { ...asked, step };
  if (one.takes === "image") return picture ? { ...asked, picture: picture.data } : { ...asked, image: Math.min(image, Math.max(0, one.images - 1)) };
  if (one.takes === "nothing") return asked;
  const read = text ?? one.examples[0] ?? "";
  return one.takes === "pair" ? { ...asked, text: read, target } : { ...asked, text: read };
}

// By its name, or where to begin: what somebody named, then the language model that ships.
export function subjectOf(subjects, name) {
  if (!subjects?.length) return null;
  const first = subjects.find((one) => one.group === "Notebook" || one.group === "Model folders") ?? subjects.find((one) => one.name === "language");
  return subjects.find((one) => one.name === name) ?? first ?? subjects[0];
}

// The second one, to begin with: the same at the first recorded step, or another text.
export function another(one, value) {
  const { subject, text, target, image, step } = value;
  if (one.steps.length) return { subject: one.name, text, target, image, step: one.steps.find((other) => other !== step) ?? null };
  if (one.takes === "image") return { subject: one.name, text, target, image: image + 1, step };
  return { subject: one.name, text: one.examples[1] ?? text, target, image, step };
}

export function Input({ subjects, value, set, picture, setPicture, said, title }) {
  const one = subjectOf(subjects, value.subject);
  const members = (group) => subjects.filter((other) => other.group === group).map((other) => [other.name, other.label]);
  const groups = [...new Set(subjects.map((other) => other.group))].map((group) => [group, members(group)]);
  const recorded = value.step !== null && one.steps.includes(value.step);
  const choose = (name) => set({ subject: name, text: null, target: "", step: null });
  return html`<div class="maps-input" role="group" aria-label=${title}>
    <div class="row">
      <${Select} label="Model" value=${one.name} options=${groups} onChange=${choose} />
      ${one.steps.length > 0 && html`<${Select} label="Training" value=${recorded ? value.step : ""}
        onChange=${(step) => set({ step: step === "" ? null : Number(step) })}
        options=${[["", "done"], ...one.steps.map((step) => [step, `step ${step.toLocaleString("en")}, recorded`])]} />`}
      ${!recorded && one.takes !== "image" && one.examples.length > 1 && html`<${Select} label="Try" value="" onChange=${(text) => text && set({ text })}
        options=${[["", "an example"], ...one.examples.map((text) => [text, text.replace("\n", " ").slice(0, 40)])]} />`}
    </div>
    ${recorded || one.takes === "nothing" ? null : one.takes === "image" ? html`<${ImageInput} one=${one} value=${value} set=${set} picture=${picture}
      setPicture=${setPicture} />`
      : html`<${TextField} label=${one.takes === "letters" ? "A string of a, b, c and d" : one.takes === "pair" ? "Source" : "Text"}
        value=${value.text ?? one.examples[0] ?? ""}
          lines=${one.takes === "letters" ? 0 : 2} max=${40000} onChange=${(text) => set({ text })} />`}
    ${!recorded && one.takes === "pair" && html`<${TextField} label="Target; empty: what the model writes" value=${value.target} lines=${2} max=${40000}
      onChange=${(target) => set({ target })} />`}
    ${said && html`<p class="hint">${said}</p>`}
  </div>`;
}

function ImageInput({ one, value, set, picture, setPicture }) {
  const id = useId();
  const [error, setError] = useState(null);
  const take = (file) => {
    if (!file) return;
    if (file.size > LARGEST) return setError(`a picture must have at most 8 MB: this has ${(file.size / 2 ** 20).toFixed(1)} MB`);
    setError(null);
    const reader = new FileReader();
    reader.onload = () => setPicture({ name: file.name, data: reader.result.slice(reader.result.indexOf(",") + 1) });
    reader.onerror = () => setError("this file cannot be read");
    reader.readAsDataURL(file);
  };
  const go = (number) => (setPicture(null), set({ image: Math.max(0, Math.min(one.images - 1, number || 0)) }));
  return html`<div class="row">
    <div class="control"><label for=${id}>Test image</label>
      <input id=${id} type="number" min="0" max=${one.images - 1} value=${value.image} onChange=${(event) => go(Math.round(Number(event.target.value)))} />
    </div>
    <span class="row maps-tight"><button onClick=${() => go(value.image - 1)} disabled=${value.image <= 0} aria-label="The image before">‹</button>
      <button onClick=${() => go(value.image + 1)} disabled=${value.image >= one.images - 1} aria-label="The next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${(event) => take(event.target.files[0])} />
      <span>${picture ? picture.name.slice(0, 28) : "Open a picture …"}</span></label>
    ${picture && html`<button class="quiet" onClick=${() => setPicture(null)}>Use the test image</button>`}
    ${error && html`<p class="error">${error}</p>`}
  </div>`;
}
