// Small matrices with their numbers: to read, coloured by what they are worth, or to edit.
import { html } from "../vendor/preact.js";
import { css, ink } from "../parts/colour.js";
import { NumberCell } from "../parts/controls.js";
import { formatNumber } from "../parts/numbers.js";
import { useTheme } from "../parts/shell.js";

// values: rows of numbers, null where nothing is. scale null leaves them uncoloured; moved: the same shape, what to mark;
// chosen: a row that is looked at, onRow(r) chooses another.
export function Values({ label, values, scale, limit, rowNames, columnNames, moved, chosen, onRow, digits = 3 }) {
  useTheme(); // colours change with it
  const most = limit ?? Math.max(1e-12, ...values.flat().map((value) => Math.abs(value ?? 0)));
  return html`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${label}</caption>
    ${columnNames && html`<thead><tr>${rowNames && html`<td></td>`}${columnNames.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>`}
    <tbody>${values.map(
      (row, r) => html`<tr class=${chosen === r ? "chosen" : ""}>
        ${rowNames && html`<th scope="row">${onRow ? html`<button class="quiet" aria-pressed=${chosen === r} onClick=${() => onRow(r)}>${rowNames[r]}</button>` : rowNames[r]}</th>`}
        ${row.map(
          (value, c) => html`<td><span class=${`value${moved ? (moved[r][c] ? " moved" : " still") : ""}`} title=${value === null ? "hidden" : String(value)}
            style=${scale && value !== null ? { background: css(value, scale, most), color: ink(value, scale, most) } : null}>${value === null ? "−∞" : formatNumber(value, digits)}</span></td>`,
        )}
      </tr>`,
    )}</tbody>
  </table></div>`;
}

// The same to edit: onChange gets the whole matrix with one number changed.
export function Editable({ label, values, rowNames, columnNames, onChange, onRemoveRow, step = 0.1 }) {
  const changed = (r, c, value) => onChange(values.map((row, i) => (i === r ? row.map((old, j) => (j === c ? value : old)) : row)));
  const remove = (event, r) => {
    const table = event.currentTarget.closest("table"); // the row goes, and the focus must not go with it
    onRemoveRow(r);
    requestAnimationFrame(() => (table.querySelectorAll("button")[Math.min(r, values.length - 2)] ?? table.querySelector("input"))?.focus());
  };
  return html`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${label}</caption>
    ${columnNames && html`<thead><tr>${rowNames && html`<td></td>`}${columnNames.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>`}
    <tbody>${values.map(
      (row, r) => html`<tr>
        ${rowNames && html`<th scope="row">${rowNames[r]}</th>`}
        ${row.map((value, c) => html`<td><${NumberCell} label=${`${label}, row ${r + 1}, column ${c + 1}`} value=${value} step=${step} onChange=${(next) => changed(r, c, next)} /></td>`)}
        ${onRemoveRow && html`<td><button class="quiet" aria-label=${`remove ${rowNames?.[r] ?? `row ${r + 1}`}`} title="remove" onClick=${(event) => remove(event, r)}>×</button></td>`}
      </tr>`,
    )}</tbody>
  </table></div>`;
}
