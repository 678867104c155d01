// The input of the view: a model, what it reads, and which step of its training.
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { Select } from "../parts/controls.js";
import { useId } from "../parts/ids.js";
import { formatCount, formatSize } from "../parts/numbers.js";

const LARGEST = 8e6; // bytes of a picture

// The request for what was chosen; null while the models are not known. `pictures` are the opened ones, by name.
export function requestOf(models, { model, text, target, image, step, picture }, pictures) {
  const one = modelOf(models, model);
  if (!one) return null;
  const request = { model: one.name };
  if (step !== null && one.steps.includes(step)) return { ...request, step };
  if (one.takes === "image") return pictures.has(picture) ? { ...request, picture: pictures.get(picture) } : { ...request, image: imageOf(one, image) };
  if (one.takes === "nothing") return request;
  const read = text ?? one.examples[0] ?? "";
  return one.takes === "pair" ? { ...request, text: read, target } : { ...request, text: read };
}

const imageOf = (one, image) => Math.max(0, Math.min(one.images - 1, Math.round(image) || 0));

// The model of this name, or the first to show: one that the user named, then the first that ships.
export function modelOf(models, name) {
  if (!models?.length) return null;
  const first = models.find((one) => one.group === "Notebook" || one.group === "Model folders") ?? models.find((one) => one.group === "Shipped");
  return models.find((one) => one.name === name) ?? first ?? models[0];
}

// The initial second side of a comparison: for a text another text, since training recorded a text of its own; for a
// recorded step, and for examples of images and strings, an early step; otherwise another image.
export function another(one, { text, target, image, step, picture }) {
  const same = { model: one.name, text, target, image, step, picture };
  const example = one.examples.find((other) => other !== (text ?? one.examples[0]));
  const isOwn = !one.steps.includes(step) && (one.takes === "text" || one.takes === "pair" || text !== null);
  if (isOwn && example !== undefined) return { ...same, text: example, target: "" };
  const early = one.steps.find((other) => other !== step);
  if (early !== undefined) return { ...same, step: early };
  return { ...same, image: pictureless(one, image, picture), picture: "" };
}

const pictureless = (one, image, picture) => (picture ? image : (image + 1) % Math.max(1, one.images));

// What was read, as text to show and compare: the tokens, or which image; null where nothing is known.
export function inputOf({ request, maps }) {
  if (!request || !maps) return null;
  const tokens = maps.axes.read ?? maps.axes.tokens;
  if (tokens) return tokens.join(tokens.every((token) => [...token].length === 1) ? "" : " ").replaceAll("␣", " ");
  return maps.pictured ? (request.picture ?? `image no. ${request.image ?? 0}`) : null; // the first is what is recorded
}

// What the user has written, where another model may read it; an example gives way to one of its own.
const reads = { text: "text", pair: "text", letters: "letters" };
const ownText = (one, next, text) => (text !== null && !one.examples.includes(text) && reads[one.takes] && reads[one.takes] === reads[next.takes] ? text : null);

const shorten = (text) => (text.length > 240 ? `${text.slice(0, 239)}…` : text);

// side: { asked, maps, isNow } of what is chosen; open(name, data) takes a file; more: controls that stand beside.
export function Input({ models, value, set, pictures, open, side, title, place, more }) {
  const one = modelOf(models, value.model);
  const members = (group) => models.filter((other) => other.group === group).map((other) => [other.name, other.label]);
  const groups = [...new Set(models.map((other) => other.group))].map((group) => [group, members(group)]);
  const recorded = value.step !== null && one.steps.includes(value.step);
  const choose = (name) => set({ model: name, text: ownText(one, modelOf(models, name), value.text), target: "", step: null });
  const said = side.maps?.caption;
  const read = recorded && side.isNow ? inputOf(side) : null;
  return html`<div class="maps-input" role="group" aria-label=${title}>
    <div class="row">
      ${title !== "Model and input" && html`<b>${title}</b>`}
      <${Select} label="Model" value=${one.name} options=${groups} onChange=${choose} />
      ${one.steps.length > 0 && html`<${Select} label="Checkpoint" value=${recorded ? value.step : ""}
        onChange=${(step) => set({ step: step === "" ? null : Number(step) })}
        options=${[["", "final"], ...one.steps.map((step) => [step, `step ${formatCount(step)}, recorded`])]} />`}
      ${!recorded && one.takes !== "image" && one.examples.length > 1 && html`<${Select} label="Try" value="" onChange=${(text) => text && set({ text })}
        options=${[["", "an example"], ...one.examples.map((text) => [text, text.replace("\n", " ").slice(0, 40)])]} />`}
      ${more}
    </div>
    ${recorded || one.takes === "nothing" ? null : one.takes === "image" ? html`<${ImageInput} one=${one} value=${value} set=${set} pictures=${pictures}
      open=${open} place=${place} />`
      : html`<${LiveText} label=${one.takes === "letters" ? "A string of a, b, c and d" : one.takes === "pair" ? "Source" : "Text"}
        value=${value.text ?? one.examples[0] ?? ""} onChange=${(text) => set({ text })} />`}
    ${!recorded && one.takes === "pair" && html`<${LiveText} label="Target (empty: what the model writes)" value=${value.target} onChange=${(target) => set({ target })} />`}
    ${side.error && value.text !== null && one.examples.length > 0 && html`<p><button onClick=${() => set({ text: null })}>Read an example</button></p>`}
    <${Beyond} side=${side} />
    ${read && html`<p>Reads ${one.takes === "image" ? "the recorded image" : html`<span class="maps-read">${shorten(read)}</span>, as it was recorded`}.</p>`}
    ${said && !(read && said === "as recorded") && html`<p class="hint">${said}</p>`}
  </div>`;
}

// A text whose maps follow while it is typed: after a short rest, or at once when the field is left.
const REST = 250; // milliseconds

function LiveText({ label, value, onChange }) {
  const id = useId();
  const [draft, setDraft] = useState(null);
  const due = useRef(0);
  useEffect(() => () => clearTimeout(due.current), []);
  const done = (text) => (clearTimeout(due.current), text !== null && text !== value && onChange(text));
  const onInput = ({ target }) => {
    setDraft(target.value);
    clearTimeout(due.current);
    due.current = setTimeout(() => done(target.value), REST);
  };
  const shown = draft ?? value;
  return html`<div class="control maps-text"><label for=${id}>${label}</label>
    <textarea id=${id} rows=${Math.min(4, shown.split("\n").length)} spellcheck=${false} maxlength="40000" value=${shown} placeholder="type something: the maps follow"
      onInput=${onInput} onBlur=${() => (done(draft), setDraft(null))}
      onKeyDown=${(event) => event.key === "Enter" && (event.ctrlKey || event.metaKey) && done(draft)}></textarea></div>`;
}

// A warning where the model reads more tokens than it was made for.
function Beyond({ side: { maps, isNow } }) {
  const longest = Math.max(0, ...Object.values(maps?.axes ?? {}).map((labels) => labels.length));
  if (!isNow || !maps?.context || longest <= maps.context) return null;
  return html`<p class="maps-warned" role="status">The model was made for up to ${formatCount(maps.context)} tokens, and reads
    ${" "}${formatCount(longest)}: what its heads do beyond was never trained.</p>`;
}

function ImageInput({ one, value, set, pictures, open, place }) {
  const id = useId();
  const [error, setError] = useState(null);
  const take = (file) => {
    if (!file) return;
    if (file.size > LARGEST) return setError(`a picture must have at most ${formatSize(LARGEST, "B")}: this has ${formatSize(file.size, "B")}`);
    setError(null);
    const reader = new FileReader();
    reader.onload = () => open(file.name.slice(0, 60), reader.result.slice(reader.result.indexOf(",") + 1));
    reader.onerror = () => setError("this file cannot be read");
    reader.readAsDataURL(file);
  };
  const image = imageOf(one, value.image);
  const picture = pictures.has(value.picture) ? value.picture : "";
  const go = (number) => set({ picture: "", image: imageOf(one, number) });
  return html`<div class="row">
    <div class="control"><label for=${id}>Test image no.</label>
      <input id=${id} type="number" min="0" max=${one.images - 1} value=${image} onChange=${(event) => go(Number(event.target.value))} />
    </div>
    <span class="row maps-tight"><button onClick=${() => go(image - 1)} disabled=${image <= 0} aria-label="Previous image">‹</button>
      <button onClick=${() => go(image + 1)} disabled=${image >= one.images - 1} aria-label="Next image">›</button></span>
    <label class="maps-file"><input type="file" accept="image/png,image/jpeg,image/webp,image/gif,image/bmp"
      onChange=${(event) => take(event.target.files[0])} />
      <span>${picture ? picture.slice(0, 28) : "Open a picture …"}</span></label>
    ${picture && html`<button class="quiet" onClick=${() => go(image)}>Use the test image</button>`}
    ${picture && place === "page" && html`<p class="hint maps-line">A link does not include your picture; a saved HTML file does.</p>`}
    ${value.picture && !picture && html`<p class="hint maps-line">${value.picture} is not available, because a link does not include pictures: open it again.
      Until then a test image is shown.</p>`}
    ${error && html`<p class="error">${error}</p>`}
  </div>`;
}

// The opened pictures: a view's state holds only their names. They live as long as the page, so that a view that is left
// and opened again still has them; a saved file and a notebook keep them in the state.
const MOST = 8; // the latest
const opened = new WeakMap(); // for each asker, by name, in base64

export const picturesOf = (ask, saved) => new Map([...Object.entries(saved ?? {}), ...(opened.get(ask) ?? [])]);

// Keep a picture and return its name; another file of the same name gets a number.
export function keep(ask, file, data) {
  const kept = opened.get(ask) ?? new Map();
  let name = file;
  for (let number = 2; kept.has(name) && kept.get(name) !== data; number++) name = `${file} (${number})`;
  kept.delete(name);
  opened.set(ask, new Map([...kept, [name, data]].slice(-MOST)));
  return name;
}

// The pictures of these names, as a saved state holds them.
export const held = (pictures, names) => Object.fromEntries(names.filter((name) => pictures.has(name)).map((name) => [name, pictures.get(name)]));
