// Controls: all are native, so that keyboards and screen readers support them.
import { html, useRef, useState } from "../vendor/preact.js";
import { useId } from "./ids.js";
import { formatNumber, rounded } from "./numbers.js";

// A button that keeps the focus while it has nothing to do; a disabled one would lose it.
export function Button({ off, onClick, children, ...more }) {
  return html`<button ...${more} aria-disabled=${off ? "true" : null} onClick=${off ? null : onClick}>${children}</button>`;
}

// A slider. `onChange` hears every move; `typed` stands in place of the number, where it can be typed.
export function Slider({ label, value, min, max, step, onChange, says = formatNumber, disabled, typed }) {
  const id = useId();
  return html`<div class="control">
    <label for=${id}>${label}</label>
    <input id=${id} type="range" min=${min} max=${max} step=${step} value=${value} disabled=${disabled}
      aria-valuetext=${says(value)} onInput=${(event) => onChange(Number(event.target.value))} />
    ${typed ?? html`<output for=${id}>${says(value)}</output>`}
  </div>`;
}

// One of a few, as a row of buttons: options are [value, label] pairs.
export function Choice({ label, value, options, onChange }) {
  const name = useId();
  return html`<fieldset class="choice"><legend>${label}</legend><div>
    ${options.map(
      ([one, text]) => html`<label><input type="radio" name=${name} value=${one} checked=${one === value}
        onChange=${() => onChange(one)} /><span>${text}</span></label>`,
    )}
  </div></fieldset>`;
}

// One of many: options are [value, label] pairs, or [group, [[value, label], …]].
export function Select({ label, value, options, onChange, hidden }) {
  const id = useId();
  const option = ([one, text]) =>
    Array.isArray(text)
      ? html`<optgroup label=${one}>${text.map(option)}</optgroup>`
      : html`<option value=${one} selected=${String(one) === String(value)}>${text}</option>`;
  return html`<div class="control">
    <label for=${id} class=${hidden ? "unseen" : ""}>${label}</label>
    <select id=${id} onChange=${(event) => onChange(event.target.value)}>${options.map(option)}</select>
  </div>`;
}

export function Toggle({ label, value, onChange }) {
  return html`<label class="toggle"><input type="checkbox" checked=${value}
    onChange=${(event) => onChange(event.target.checked)} /><span>${label}</span></label>`;
}

// A text that is applied on Enter or when the field is left, or at every key with `live`.
export function TextField({ label, value, onChange, live, lines, placeholder, spellcheck = false, max }) {
  const id = useId();
  const [draft, setDraft] = useState(null);
  const done = () => (draft !== null && draft !== value && onChange(draft), setDraft(null));
  const props = {
    id, placeholder, spellcheck, maxLength: max, value: draft ?? value, "data-live": live ? "" : null,
    onInput: (event) => (live ? onChange(event.target.value) : setDraft(event.target.value)),
    onBlur: done,
    onKeyDown: (event) => event.key === "Enter" && (!lines || event.ctrlKey || event.metaKey) && done(),
  };
  return html`<div class="control text"><label for=${id}>${label}</label>
    ${lines ? html`<textarea rows=${lines} ...${props}></textarea>` : html`<input type="text" ...${props} />`}</div>`;
}

// A number in a cell, which can be typed, changed by the arrow keys, or dragged sideways; `read` and `says` are how it is written.
export function NumberCell({ label, value, step = 0.1, least = -1e6, most = 1e6, onChange, disabled, read = readNumber, says = String }) {
  const [draft, setDraft] = useState(null);
  const drag = useRef(null);
  const field = useRef(null);
  const now = useRef(value); // keys may come faster than drawings
  now.current = value;
  const round = (number) => rounded(number, 6);
  const take = (text) => {
    setDraft(null);
    const number = read(String(text).trim().replace("−", "-"));
    if (String(text).trim() !== "" && number >= least && number <= most) return onChange(number); // as it was typed, to all digits
    // The browser shows the message beside the cell, and the previous number comes back.
    field.current.setCustomValidity(`a number from ${formatNumber(least)} to ${formatNumber(most)}`);
    field.current.reportValidity();
    setTimeout(() => field.current?.setCustomValidity(""), 2500);
  };
  return html`<input ref=${field} class="cell" type="text" inputmode="decimal" aria-label=${label} disabled=${disabled}
    value=${draft ?? says(value).replace("-", "−")} data-draft=${draft === null ? null : ""}
    onInput=${(event) => setDraft(event.target.value)}
    onBlur=${(event) => draft !== null && take(event.target.value)}
    onKeyDown=${(event) => {
      const turn = { ArrowUp: 1, ArrowDown: -1, PageUp: 10, PageDown: -10 }[event.key];
      if (event.key === "Enter") take(event.target.value);
      else if (event.key === "Escape") setDraft(null);
      else if (turn) (event.preventDefault(), onChange((now.current = round(now.current + turn * step))));
    }}
    onPointerDown=${(event) => (drag.current = { x: event.clientX, from: value, id: event.pointerId })}
    onPointerMove=${(event) => {
      const from = drag.current;
      if (!from || (Math.abs(event.clientX - from.x) < 4 && !from.moving)) return;
      from.moving = true;
      event.target.setPointerCapture(from.id);
      onChange(round(from.from + Math.round((event.clientX - from.x) / 4) * step));
    }}
    onPointerUp=${() => (drag.current = null)}
    onPointerCancel=${() => (drag.current = null)} />`;
}

const readNumber = (text) => Number(text.replace(",", "."));

// A whole number as people write it: 32768, 32,768 or 32k, of 1,024 each.
export const readWhole = (text) => Math.round(Number(text.replace(/[,\s_]/g, "").replace(/k$/i, "")) * (/k$/i.test(text) ? 1024 : 1));

// Arrow keys over a row of buttons or cells: gives the next index, or null.
export function stepped(event, index, count, columns = count) {
  const move = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, Home: -index, End: count - 1 - index }[event.key];
  if (move === undefined) return null;
  event.preventDefault();
  const next = index + move;
  return next < 0 || next >= count ? index : next;
}
