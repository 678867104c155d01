// Three ways to draw a head: lines between tokens, small labels around a matrix, and weights over a picture.

// Lines between tokens: on the left those that look, on the right those that are looked at.
import { html, useId, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { formatNumber } from "../parts/numbers.js";
import { useTheme } from "../parts/shell.js";

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
  const strong3 = lines.slice().sort((a, b) => b[2] - a[2]).slice(0, 3).map(([, c, weight]) => `${name(columnNames, c)} ${formatNumber(weight)}`);
  const says = query === null
    ? `${rows} tokens on the left, ${columns} on the right; use the up and down keys to move, Enter to pin`
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
            text-anchor="end">${formatNumber(weight)}</text>`}</g>`;
      })}
    </svg>
    <span id=${id} class="unseen" aria-live="polite">${says}</span>
  </div>`;
}

// Labels around a map whose cells are too small for those of the heat map: smaller, and cut shorter.

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

// Weights over the picture: one patch looks, and the picture lights up where it looks.

// How a weight lies over the picture; differences have the colours that they have in a matrix.
function veil(weight, most, signed) {
  const colour = signed && weight > 0 ? [58, 92, 224] : [240, 120, 30];
  return [...colour, Math.round(235 * Math.min(1, Math.sqrt(Math.abs(weight) / most)))];
}

function VeilLegend({ most, signed }) {
  const canvas = useRef(null);
  useLayoutEffect(() => {
    [canvas.current.width, canvas.current.height] = [128, 1];
    const image = new ImageData(128, 1);
    const low = signed ? -most : 0;
    for (let i = 0; i < 128; i++) image.data.set(veil(low + ((most - low) * i) / 127, most, signed), 4 * i);
    canvas.current.getContext("2d").putImageData(image, 0, 0);
  }, [most, signed]);
  return html`<div class="legend maps-veil"><span>${signed ? formatNumber(-most, 2) : 0}</span><canvas ref=${canvas} aria-hidden="true"></canvas>
    <span>${formatNumber(most, 2)}</span><span class="of">${signed ? "first minus second" : "weight"}</span></div>`;
}

// weights: the whole map, row by row; first: tokens before the patches; grid: [rows, columns] of patches; signed where
// differences are shown; query: the token that looks; limit: where colours end, null for the largest weight of a patch.
export function Patches({ image, weights, count, first, grid, query, limit, signed, side = 400, label, onQuery, onPoint }) {
  const now = useTheme();
  const [under, over] = [useRef(null), useRef(null)];
  const id = useId();
  const [point, setPoint] = useState(null);
  const [h, w] = grid;
  const cell = Math.min(side / h, side / w);
  const [wide, high] = [cell * w, cell * h];
  const row = weights.subarray(query * count, (query + 1) * count);
  const most = limit ?? Math.max(...row.subarray(first), 1e-9);
  useLayoutEffect(() => {
    [under.current.width, under.current.height] = [image.width, image.height];
    under.current.getContext("2d").putImageData(image, 0, 0);
  }, [image]);
  useLayoutEffect(() => {
    [over.current.width, over.current.height] = [w, h];
    const image = new ImageData(w, h);
    for (let i = 0; i < h * w; i++) image.data.set(veil(row[first + i], most, signed), 4 * i);
    over.current.getContext("2d").putImageData(image, 0, 0);
  }, [weights, query, grid, most, signed, now]);
  const at = (event) => {
    const box = over.current.getBoundingClientRect();
    const [r, c] = [Math.floor(((event.clientY - box.top) / box.height) * h), Math.floor(((event.clientX - box.left) / box.width) * w)];
    return r >= 0 && c >= 0 && r < h && c < w ? first + r * w + c : null;
  };
  const move = (place) => (setPoint(place), onPoint(place === null ? null : [query, place]));
  const onKeyDown = (event) => {
    const step = { ArrowUp: -w, ArrowDown: w, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const from = query < first ? first : query;
    const next = from + step;
    if (next >= first && next < count) (setPoint(null), onQuery(next));
  };
  const place = (token) => (token < first ? "the class token" : `row ${Math.floor((token - first) / w) + 1}, column ${((token - first) % w) + 1}`);
  const frame = (token, kind) => token >= first && html`<rect class=${kind} x=${((token - first) % w) * cell}
    y=${Math.floor((token - first) / w) * cell} width=${cell} height=${cell} />`;
  const best = row.indexOf(Math.max(...row));
  return html`<div class="maps-patches" tabindex="0" role="application" aria-roledescription="picture of patches" aria-label=${label} aria-describedby=${id}
    style=${{ width: `${wide}px`, height: `${high}px` }} onKeyDown=${onKeyDown} onPointerMove=${(event) => move(at(event))} onPointerLeave=${() => move(null)}
    onClick=${(event) => at(event) !== null && onQuery(at(event))}>
    <canvas ref=${under} class=${image.width < 64 ? "coarse" : ""}></canvas><canvas ref=${over} class="coarse"></canvas>
    <svg width=${wide} height=${high} aria-hidden="true">${point !== null && frame(point, "pointed")}${frame(query, "query")}</svg>
    <span id=${id} class="unseen" aria-live="polite">${place(query)} looks most at ${place(best)}, ${formatNumber(row[best])}; the arrow keys choose the patch that looks</span>
  </div><${VeilLegend} most=${most} signed=${signed} />`;
}
