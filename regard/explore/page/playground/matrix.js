// Small matrices with their numbers: to read, coloured by what they are worth, or to edit.
import { html } from "../vendor/preact.js";
import { css, ink, ownColour } from "../parts/colour.js";
import { NumberCell } from "../parts/controls.js";
import { formatColumn, formatExact, formatNumber } from "../parts/numbers.js";
import { Scrolls, useTheme } from "../parts/shell.js";

// values: rows of numbers, null where nothing is. scale null leaves them uncoloured; moved: the same shape, what to mark;
// chosen: a row that is looked at, onRow(r) chooses another; fixed: as many decimals for all; hidden: the same shape, what a mask hides.
export function Values({ label, values, scale, limit, rowNames, columnNames, moved, chosen, onRow, digits = 3, fixed = null, hidden = null }) {
  useTheme(); // colours change with it
  const most = limit ?? Math.max(1e-12, ...values.flat().map((value) => Math.abs(value ?? 0)));
  const text = (value) => (value === null ? "−∞" : fixed === null ? formatNumber(value, digits) : formatColumn(value, fixed));
  const isHidden = (value, r, c) => value === null || hidden?.[r][c];
  return html`<${Scrolls}><table class="matrix">
    <caption class="unseen">${label}</caption>
    ${columnNames && html`<thead><tr>${rowNames && html`<td></td>`}${columnNames.map((name) => html`<th scope="col"><span class="named" title=${name}>${name}</span></th>`)}</tr></thead>`}
    <tbody>${values.map(
      (row, r) => html`<tr class=${chosen === r ? "chosen" : ""}>
        ${rowNames && html`<th scope="row">${onRow
          ? html`<button class="quiet named" aria-pressed=${String(chosen === r)} title=${rowNames[r]} onClick=${() => onRow(r)}>${rowNames[r]}</button>`
          : html`<span class="named" title=${rowNames[r]}>${rowNames[r]}</span>`}</th>`}
        ${row.map(
          (value, c) => html`<td><span class=${`value${moved ? (moved[r][c] ? " moved" : " still") : ""}${isHidden(value, r, c) ? " hidden" : ""}`} title=${value === null ? "hidden" : isHidden(value, r, c) ? "0, hidden" : formatExact(value)}
            style=${scale && !isHidden(value, r, c) ? { background: css(value, scale, most), color: ink(value, scale, most) } : null}>${value !== null && isHidden(value, r, c) ? "–" : text(value)}</span></td>`,
        )}
      </tr>`,
    )}</tbody>
  </table><//>`;
}

// The same to edit: onChange gets the whole matrix with one number changed, onName(r, name) the new name of a row; marked: rows have their own
// colours.
export function Editable({ label, values, rowNames, chosen, marked, onChange, onName, onRemoveRow, step = 0.1 }) {
  const changed = (r, c, value) => onChange(values.map((row, i) => (i === r ? row.map((old, j) => (j === c ? value : old)) : row)));
  const remove = (event, r) => {
    const table = event.currentTarget.closest("table"); // the row goes, and the focus must not go with it
    onRemoveRow(r);
    requestAnimationFrame(() => (table.querySelectorAll("button")[Math.min(r, values.length - 2)] ?? table.querySelector("input"))?.focus());
  };
  return html`<${Scrolls}><table class="matrix">
    <caption class="unseen">${label}</caption>
    <tbody>${values.map(
      (row, r) => html`<tr class=${chosen === r ? "chosen" : ""}>
        ${rowNames && html`<th scope="row">${marked && html`<span class=${`own ${ownColour(r)}`} aria-hidden="true" />`}<input class="name" type="text" maxlength="40" spellcheck=${false} aria-label=${`name of token ${r + 1}`}
          value=${rowNames[r]} onChange=${(event) => onName(r, event.target.value)} /></th>`}
        ${row.map((value, c) => html`<td><${NumberCell} label=${`${label}, row ${r + 1}, column ${c + 1}`} value=${value} step=${step} onChange=${(next) => changed(r, c, next)} /></td>`)}
        ${onRemoveRow && html`<td data-unpictured><button class="quiet" aria-label=${`remove ${rowNames?.[r] ?? `row ${r + 1}`}`} title="remove" onClick=${(event) => remove(event, r)}>×</button></td>`}
      </tr>`,
    )}</tbody>
  </table><//>`;
}
