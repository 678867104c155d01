// A matrix as colours, painted on a canvas; one cell can be pointed at, walked to with the arrow keys, and pinned.
import { html, useEffect, useId, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { colours, css, shade } from "./colour.js";
import { told } from "./numbers.js";
import { useTheme } from "./shell.js";

// Paint numbers (row by row) into a canvas of at most `most` pixels a side; where cells are smaller than a pixel, a
// pixel shows the largest of them, so that nothing is lost.
export function paint(canvas, data, rows, columns, scale, limit, most = 2048) {
  const down = Math.ceil(rows / most);
  const right = Math.ceil(columns / most);
  const [height, width] = [Math.ceil(rows / down), Math.ceil(columns / right)];
  canvas.width = width;
  canvas.height = height;
  const table = new Uint32Array(colours(scale).buffer);
  const image = new ImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  if (down === 1 && right === 1) {
    for (let i = 0; i < pixels.length; i++) pixels[i] = table[shade(data[i], scale, limit)];
  } else {
    for (let r = 0; r < height; r++) {
      for (let c = 0; c < width; c++) {
        let best = 0;
        for (let y = r * down; y < Math.min(rows, (r + 1) * down); y++) {
          for (let x = c * right; x < Math.min(columns, (c + 1) * right); x++) {
            const value = data[y * columns + x];
            if (Math.abs(value) > Math.abs(best)) best = value;
          }
        }
        pixels[r * width + c] = table[shade(best, scale, limit)];
      }
    }
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}

// Props: data (flat), rows, columns, scale "weight" | "signed", limit, label; rowNames, columnNames; chosen [row, column]
// or null; onChoose(row, column), onPoint(row, column | null); says(row, column) for readers; side: the widest in pixels.
export function Heatmap(props) {
  const { data, rows, columns, scale = "weight", limit = 1, label, rowNames, columnNames, chosen, onChoose, onPoint, says, side = 520 } = props;
  const now = useTheme();
  const canvas = useRef(null);
  const id = useId();
  const [cursor, setCursor] = useState(null);
  const cell = Math.max(Math.min(side / Math.max(rows, columns), 56), 1e-3);
  const [width, height] = [cell * columns, cell * rows];
  const named = cell >= 13 && (rowNames || columnNames);
  const left = named && rowNames ? Math.min(110, 14 + 7.2 * Math.max(...rowNames.map((name) => name.length))) : 0;
  const top = named && columnNames ? Math.min(110, 14 + 7.2 * Math.max(...columnNames.map((name) => name.length)) * (upright(columnNames, cell) ? 1 : 0)) + 6 : 0;
  useLayoutEffect(() => {
    paint(canvas.current, data, rows, columns, scale, limit);
    // For an export: small matrices become rectangles.
    canvas.current.cells = { rows, columns, colour: (r, c) => css(data[r * columns + c], scale, limit) };
  }, [data, rows, columns, scale, limit, now]);
  useEffect(() => setCursor(null), [rows, columns]);
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const [r, c] = [Math.floor(((event.clientY - box.top) / box.height) * rows), Math.floor(((event.clientX - box.left) / box.width) * columns)];
    return r >= 0 && c >= 0 && r < rows && c < columns ? [r, c] : null;
  };
  const move = (place) => (setCursor(place), onPoint?.(...(place ?? [null, null])));
  const say = says ?? ((r, c) => `${rowNames?.[r] ?? `row ${r}`} to ${columnNames?.[c] ?? `column ${c}`}: ${told(data[r * columns + c])}`);
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
    onClick=${(event) => at(event) && onChoose?.(...at(event))}>
    <canvas ref=${canvas} style=${{ left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` }}></canvas>
    <svg width=${left + width} height=${top + height} aria-hidden="true">
      ${named && rowNames?.map((name, r) => html`<text class="tick" x=${left - 6} y=${top + (r + 0.5) * cell} dy="0.35em" text-anchor="end">${cut(name)}</text>`)}
      ${named && columnNames?.map((name, c) => upright(columnNames, cell)
        ? html`<text class="tick" transform=${`translate(${left + (c + 0.5) * cell},${top - 6}) rotate(-90)`} dy="0.35em">${cut(name)}</text>`
        : html`<text class="tick" x=${left + (c + 0.5) * cell} y=${top - 6} text-anchor="middle">${cut(name)}</text>`)}
      ${frame(chosen, "pinned")}${frame(cursor, "cursor")}
    </svg>
    <span id=${id} class="unseen" aria-live="polite">${cursor ? say(...cursor) : chosen ? say(...chosen) : `${rows} by ${columns}; arrow keys walk through it, Enter pins`}</span>
  </div>`;
}

const upright = (names, cell) => Math.max(...names.map((name) => name.length)) * 7.2 > cell;
const bounded = (value, count) => Math.max(0, Math.min(count - 1, value));
const cut = (name) => (name.length > 13 ? `${name.slice(0, 12)}…` : name);

// The scale beside a map.
export function Legend({ scale = "weight", limit = 1, label = "weight" }) {
  const now = useTheme();
  const canvas = useRef(null);
  useLayoutEffect(() => {
    const low = scale === "signed" ? -limit : 0;
    const values = Float64Array.from({ length: 128 }, (_, i) => low + ((limit - low) * i) / 127);
    paint(canvas.current, values, 1, 128, scale, limit);
    canvas.current.cells = { rows: 1, columns: 128, colour: (_, c) => css(values[c], scale, limit) };
  }, [scale, limit, now]);
  return html`<div class="legend"><span>${scale === "signed" ? told(-limit, 2) : 0}</span><canvas ref=${canvas} aria-hidden="true"></canvas><span>${told(limit, 2)}</span><span class="of">${label}</span></div>`;
}
