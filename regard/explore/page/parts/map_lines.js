// A head as lines between tokens: on the left those that look, on the right those that are looked at.
import { html, useId, useState } from "../vendor/preact.js";
import { told } from "./numbers.js";

const LINE = 18;
export const SHOWN = 48; // tokens on a side

// weights: (rows, columns) row by row, of queries from `first` on and keys from `start` on; pinned: a query or null.
export function TokenLines({ weights, rows, columns, rowNames, columnNames, first = 0, start = 0, width, pinned, limit, label, onPoint, onPin }) {
  const id = useId();
  const [hover, setHover] = useState(null);
  const query = hover ?? (pinned !== null && pinned >= first && pinned < first + rows ? pinned - first : null);
  const across = Math.max(220, Math.min(width, 640));
  const [left, right] = [across * 0.34, across * 0.66];
  const high = LINE * Math.max(rows, columns) + 8;
  const faint = Math.max(0.02, limit * 0.08);
  const lines = [];
  for (let r = 0; r < rows; r++) {
    if (query !== null && r !== query) continue;
    for (let c = 0; c < columns; c++) {
      const weight = weights[r * columns + c];
      if (Math.abs(weight) >= (query === null ? faint : 0.002)) lines.push([r, c, weight]);
    }
  }
  const y = (place) => 4 + LINE * (place + 0.5);
  const point = (place) => (setHover(place), onPoint(place === null ? null : place));
  const onKeyDown = (event) => {
    const move = { ArrowUp: -1, ArrowDown: 1, Home: -rows, End: rows }[event.key];
    if (move) {
      event.preventDefault();
      point(query === null ? 0 : Math.max(0, Math.min(rows - 1, query + move)));
    } else if ((event.key === "Enter" || event.key === " ") && query !== null) {
      event.preventDefault();
      onPin(query);
    } else if (event.key === "Escape") point(null);
  };
  const name = (names, place) => (names?.[place] ?? String(place + 1)).slice(0, 22);
  const strong = query === null ? null : Math.max(...Array.from({ length: columns }, (_, c) => weights[query * columns + c]));
  const strong3 = lines.slice().sort((a, b) => b[2] - a[2]).slice(0, 3).map(([, c, weight]) => `${name(columnNames, c)} ${told(weight)}`);
  const says = query === null
    ? `${rows} tokens on the left, ${columns} on the right; the up and down keys walk, Enter pins`
    : `${name(rowNames, query)} looks at ${strong3.join(", ")}`;
  const opacity = (weight) => Math.min(1, 0.08 + Math.sqrt(Math.abs(weight) / Math.max(limit, Math.abs(weight))) * (query === null ? 0.7 : 0.9));
  return html`<div class="maps-lines" tabindex="0" role="application" aria-roledescription="lines between tokens" aria-label=${label} aria-describedby=${id}
    onKeyDown=${onKeyDown} onBlur=${() => point(null)} onPointerLeave=${() => point(null)}>
    <svg width=${across} height=${high} aria-hidden="true">
      <g>${lines.map(([r, c, weight]) => html`<path d=${`M${left} ${y(r)}C${across / 2} ${y(r)} ${across / 2} ${y(c)} ${right} ${y(c)}`}
        class=${weight < 0 ? "less" : ""} stroke-width=${0.6 + 3.4 * Math.sqrt(Math.abs(weight))} stroke-opacity=${opacity(weight)} />`)}</g>
      ${Array.from({ length: rows }, (_, r) => html`<g class=${`token${r === query ? " now" : query === null ? "" : " off"}`}
        onPointerEnter=${() => point(r)} onClick=${() => onPin(r)}>
        <rect x="0" y=${y(r) - LINE / 2} width=${left} height=${LINE} /><text x=${left - 8} y=${y(r)} dy="0.35em"
          text-anchor="end">${name(rowNames, r)}</text></g>`)}
      ${Array.from({ length: columns }, (_, c) => {
        const weight = query === null ? null : weights[query * columns + c];
        return html`<g class=${`token key${weight !== null && Math.abs(weight) < 0.002 ? " off" : ""}${weight !== null && weight === strong ? " now" : ""}`}>
          <text x=${right + 8} y=${y(c)} dy="0.35em">${name(columnNames, c)}</text>
          ${weight !== null && Math.abs(weight) >= 0.002 && html`<text class="weight" x=${across - 4} y=${y(c)} dy="0.35em"
            text-anchor="end">${told(weight)}</text>`}</g>`;
      })}
    </svg>
    <span id=${id} class="unseen" aria-live="polite">${says}</span>
  </div>`;
}
