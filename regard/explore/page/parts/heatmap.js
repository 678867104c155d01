// A matrix as colours on a canvas; one cell can be pointed at, reached with the arrow keys, and pinned.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { colours, css, shade } from "./colour.js";
import { useId } from "./ids.js";
import { formatNumber } from "./numbers.js";
import { useTheme } from "./shell.js";

// The strongest of every `down` × `right` numbers, fewer at the ends; `at` says which one that is, counted from 1. The last
// result for an array is kept, for it is drawn again and again.
const pooled = new WeakMap();
export function pool(data, rows, columns, down, right = down) {
  if (down === 1 && right === 1) return { data, rows, columns, down, right, at: null };
  const last = pooled.get(data);
  if (last?.down === down && last.right === right) return last;
  const [high, wide] = [Math.ceil(rows / down), Math.ceil(columns / right)];
  const found = { data: new Float32Array(high * wide), rows: high, columns: wide, down, right, at: new Uint32Array(high * wide) };
  for (let r = 0, i = 0; r < rows; r++) {
    for (let c = 0, cell = Math.floor(r / down) * wide, left = right; c < columns; c++, i++) {
      const [size, best] = [data[i] < 0 ? -data[i] : data[i], found.data[cell] < 0 ? -found.data[cell] : found.data[cell]];
      if (size > best) {
        found.data[cell] = data[i];
        found.at[cell] = i + 1; // 0 stands for none
      }
      if (--left === 0) (cell++, (left = right));
    }
  }
  pooled.set(data, found);
  return found;
}

// Paint numbers (row by row) into a canvas of at most `most` pixels a side: where cells are smaller than a pixel, it shows
// the strongest of them, so that nothing is lost. For an export, `cells` says what was painted.
export function paint(canvas, data, rows, columns, scale, limit, most = 2048) {
  const seen = pool(data, rows, columns, Math.ceil(rows / most), Math.ceil(columns / most));
  [canvas.width, canvas.height] = [seen.columns, seen.rows];
  const table = new Uint32Array(colours(scale).buffer);
  const image = new ImageData(seen.columns, seen.rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; i++) pixels[i] = table[shade(seen.data[i], scale, limit)];
  canvas.getContext("2d").putImageData(image, 0, 0);
  canvas.cells = { rows: seen.rows, columns: seen.columns, colour: (r, c) => css(seen.data[r * seen.columns + c], scale, limit) };
}

// How names are written beside cells from so many pixels on: their size, the width of a letter, and the most letters.
const LABELS = [{ least: 13, size: 12, letter: 7.2, most: 13, space: 12 }, { least: 9, size: 10, letter: 6, most: 10, space: 10 },
  { least: 8, size: 9, letter: 5.4, most: 8, space: 9 }];

const cut = (name, { most }) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);
const widthOf = (names, label) => label.space + label.letter * Math.max(...names.map((name) => cut(name, label).length));

// The side of a map with so many cells that fits into a width, with names at its left where they can be read.
export function sideBeside(names, count, width) {
  const usual = Math.min(width - 70, 600);
  return !names || usual / count >= LABELS[0].least ? usual : Math.min(width - widthOf(names, LABELS[1]), 600);
}

// Props: data (flat), rows, columns, scale "weight" | "signed", limit, label; rowNames, columnNames; chosen [row, column]
// or null; onChoose(row, column), onPoint(row, column | null); says(row, column) for screen readers; side: the largest width in pixels;
// titles: [of the rows, of the columns]; tip(row, column): what is written at the pointer, whose row and column are lit; ruled: lines between cells.
export function Heatmap(props) {
  const { data, rows, columns, scale = "weight", limit = 1, label, rowNames, columnNames, chosen, onChoose, onPoint, says, side = 520, titles, tip, ruled } = props;
  const now = useTheme();
  const canvas = useRef(null);
  const id = useId();
  const [cursor, setCursor] = useState(null);
  const cell = Math.max(Math.min(side / Math.max(rows, columns), 56), 1e-3);
  const [width, height] = [cell * columns, cell * rows];
  const names = LABELS.find(({ least }) => cell >= least); // nobody could read smaller ones
  const upright = names && columnNames && widthOf(columnNames, names) - names.space > cell;
  const left = (names && rowNames ? widthOf(rowNames, names) : 0) + (titles ? 18 : 0);
  const top = (names && columnNames ? 6 + (upright ? widthOf(columnNames, names) : names.space) : 0) + (titles ? 18 : 0);
  const style = { fontSize: `${Math.min(names?.size, cell)}px` };
  useLayoutEffect(() => {
    paint(canvas.current, data, rows, columns, scale, limit);
  }, [data, rows, columns, scale, limit, now]);
  useEffect(() => setCursor(null), [rows, columns]);
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const [r, c] = [Math.floor(((event.clientY - box.top) / box.height) * rows), Math.floor(((event.clientX - box.left) / box.width) * columns)];
    return r >= 0 && c >= 0 && r < rows && c < columns ? [r, c] : null;
  };
  const move = (place) => (setCursor(place), onPoint?.(...(place ?? [null, null])));
  const say = says ?? ((r, c) => `${rowNames?.[r] ?? `row ${r}`} to ${columnNames?.[c] ?? `column ${c}`}: ${formatNumber(data[r * columns + c])}`);
  const onKeyDown = (event) => {
    const [r, c] = cursor ?? chosen ?? [0, 0];
    const big = event.shiftKey ? Math.max(1, Math.round(columns / 16)) : 1;
    const step = { ArrowUp: [-big, 0], ArrowDown: [big, 0], ArrowLeft: [0, -big], ArrowRight: [0, big], Home: [0, -c], End: [0, columns - 1 - c] }[event.key];
    if (step) {
      event.preventDefault();
      move(cursor ? [bounded(r + step[0], rows), bounded(c + step[1], columns)] : [r, c]);
    } else if ((event.key === "Enter" || event.key === " ") && cursor) {
      event.preventDefault();
      onChoose?.(r, c);
    }
  };
  const frame = (place, kind) =>
    place && html`<rect class=${kind} x=${left + place[1] * cell} y=${top + place[0] * cell} width=${Math.max(cell, 2)} height=${Math.max(cell, 2)} />`;
  return html`<div class="heatmap" style=${{ width: `${left + width}px`, height: `${top + height}px` }}
    tabindex="0" role="application" aria-roledescription="heat map" aria-label=${label} aria-describedby=${id}
    onKeyDown=${onKeyDown} onBlur=${() => move(null)} onPointerLeave=${() => move(null)}
    onPointerMove=${(event) => move(at(event))}
    onClick=${(event) => {
      const place = at(event);
      move(place); // a finger points by touching
      if (place) onChoose?.(...place);
    }}>
    <canvas ref=${canvas} style=${{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}></canvas>
    <svg width=${left + width} height=${top + height} aria-hidden="true">
      ${ruled && html`<path class="rules" d=${Array.from({ length: rows - 1 }, (_, r) => `M${left} ${top + (r + 1) * cell}h${width}`).join("")
        + Array.from({ length: columns - 1 }, (_, c) => `M${left + (c + 1) * cell} ${top}v${height}`).join("")} />`}
      ${titles && html`<text class="title" x=${left} y="12">${titles[1]}</text><text class="title" transform=${`translate(12,${top + height}) rotate(-90)`}>${titles[0]}</text>`}
      ${tip && cursor && html`<rect class="lit" x=${left} y=${top + cursor[0] * cell} width=${width} height=${cell} />
        <rect class="lit" x=${left + cursor[1] * cell} y=${top} width=${cell} height=${height} />`}
      ${names && rowNames?.map((name, r) => html`<text class=${`tick${tip && cursor?.[0] === r ? " now" : ""}`} style=${style} x=${left - 6} y=${top + (r + 0.5) * cell} dy="0.35em" text-anchor="end">${cut(name, names)}</text>`)}
      ${names && columnNames?.map((name, c) => upright
        ? html`<text class=${`tick${tip && cursor?.[1] === c ? " now" : ""}`} style=${style} transform=${`translate(${left + (c + 0.5) * cell},${top - 6}) rotate(-90)`} dy="0.35em">${cut(name, names)}</text>`
        : html`<text class=${`tick${tip && cursor?.[1] === c ? " now" : ""}`} style=${style} x=${left + (c + 0.5) * cell} y=${top - 6} text-anchor="middle">${cut(name, names)}</text>`)}
      ${frame(chosen, "pinned")}${frame(cursor, "cursor")}
    </svg>
    ${tip && cursor && html`<div class=${`tip${cursor[1] > columns / 2 ? " before" : ""}`} data-unpictured aria-hidden="true"
      style=${{ left: `${left + (cursor[1] + (cursor[1] > columns / 2 ? 0 : 1)) * cell}px`, top: `${top + (cursor[0] + 1) * cell}px` }}>${tip(...cursor)}</div>`}
    <span id=${id} class="unseen" aria-live="polite">${cursor ? say(...cursor) : chosen ? say(...chosen) : `${rows} by ${columns}; use the arrow keys to move, Enter to pin`}</span>
  </div>`;
}

const bounded = (value, count) => Math.max(0, Math.min(count - 1, value));

// The scale beside a map.
export function Legend({ scale = "weight", limit = 1, label = "weight" }) {
  const now = useTheme();
  const canvas = useRef(null);
  useLayoutEffect(() => {
    const low = scale === "signed" ? -limit : 0;
    const values = Float64Array.from({ length: 128 }, (_, i) => low + ((limit - low) * i) / 127);
    paint(canvas.current, values, 1, 128, scale, limit);
  }, [scale, limit, now]);
  return html`<div class="legend"><span>${scale === "signed" ? formatNumber(-limit, 2) : 0}</span><canvas ref=${canvas} aria-hidden="true"></canvas><span>${formatNumber(limit, 2)}</span><span class="of">${label}</span></div>`;
}
