// Names around a map whose cells are too small for those of the heat map itself: smaller, and cut shorter.
import { html } from "../vendor/preact.js";

const [OWN, SMALLEST, LETTERS] = [13, 9, 10]; // pixels of a cell: where the heat map names it itself, and where nobody can read it

// Where small names fit into a width: { side, left, top, size, cell }; null where the heat map has names, or nobody can.
export function small(rowNames, columnNames, count, width, side) {
  if (!rowNames || !columnNames || side / count >= OWN) return null;
  const longest = (names) => Math.max(...names.map((name) => cut(name).length));
  const left = 10 + Math.ceil(6 * longest(rowNames));
  const own = Math.min(width - left, 600);
  const cell = own / count;
  if (cell < SMALLEST) return null;
  return { side: own, left, top: longest(columnNames) > 1 ? 8 + Math.ceil(6 * longest(columnNames)) : 16, size: Math.min(10, cell), cell };
}

export function Named({ fit, rowNames, columnNames, children }) {
  const { left, top, size, cell } = fit;
  const middle = (place) => (place + 0.5) * cell;
  const style = { fontSize: `${size}px` };
  return html`<div class="maps-named" style=${{ paddingLeft: `${left}px`, paddingTop: `${top}px` }}>
    <svg width=${left + cell * columnNames.length} height=${top + cell * rowNames.length} aria-hidden="true">
      ${rowNames.map((name, r) => html`<text style=${style} x=${left - 5} y=${top + middle(r)} dy="0.35em" text-anchor="end">${cut(name)}</text>`)}
      ${columnNames.map((name, c) => top > 16
        ? html`<text style=${style} transform=${`translate(${left + middle(c)},${top - 5}) rotate(-90)`} dy="0.35em">${cut(name)}</text>`
        : html`<text style=${style} x=${left + middle(c)} y=${top - 5} text-anchor="middle">${cut(name)}</text>`)}
    </svg>${children}
  </div>`;
}

const cut = (name) => (name.length > LETTERS ? `${name.slice(0, LETTERS - 1)}…` : name);
