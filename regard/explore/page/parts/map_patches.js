// A head over the picture: one patch looks, and the picture lights up where it looks.
import { html, useId, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { told } from "./numbers.js";
import { useTheme } from "./shell.js";

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
  return html`<div class="legend maps-veil"><span>${signed ? told(-most, 2) : 0}</span><canvas ref=${canvas} aria-hidden="true"></canvas>
    <span>${told(most, 2)}</span><span class="of">${signed ? "first minus second" : "weight"}</span></div>`;
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
    <span id=${id} class="unseen" aria-live="polite">${place(query)} looks most at ${place(best)}, ${told(row[best])}; arrow keys choose who looks</span>
  </div><${VeilLegend} most=${most} signed=${signed} />`;
}
