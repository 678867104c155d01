// Drawings of heads: thumbnails of all, lines between the tokens of one, and its weights over a picture.

// Lines between tokens: on the left those that look, on the right those that are looked at.
import { html, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { colours } from "../parts/colour.js";
import { useId } from "../parts/ids.js";
import { formatNumber, formatPercent } from "../parts/numbers.js";
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
  const strong3 = lines.slice().sort((a, b) => b[2] - a[2]).slice(0, 3).map(([, c, weight]) => `${name(columnNames, c)} ${formatNumber(weight, 4)}`);
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
            text-anchor="end">${formatNumber(weight, 4)}</text>`}</g>`;
      })}
    </svg>
    <span id=${id} class="unseen" aria-live="polite">${says}</span>
  </div>`;
}

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
    <span id=${id} class="unseen" aria-live="polite">${place(query)} looks most at ${place(best)}, ${formatNumber(row[best], 4)}; the arrow keys choose the patch that looks</span>
  </div><${VeilLegend} most=${most} signed=${signed} />`;
}

// All heads at a glance: a row for each layer, a column for each head; or in another order, one after the other.
const [LEFT, TOP, GAP, NAME] = [26, 22, 4, 17];
const NAMED = 50; // pixels of a head from which on its first tag is written below

// thumbs: by layer and head { bytes, rows, columns, limit }; minus: others of the same shapes, whose difference is shown;
// colour: "own", from 0 to what is bright in each head, or "one", from 0 to 1; onChoose(layer, head, whether by the pointer), or null where there is one head alone;
// tags: by layer and head; order: [[layer, head, share], …] or null; says(layer, head): what a head does, in words.
export function Overview({ thumbs, minus, colour, layer, head, onChoose, label, width, tags, order, says }) {
  const now = useTheme();
  const canvas = useRef(null);
  const id = useId();
  const [point, setPoint] = useState(null);
  const [left, top] = order ? [0, 2] : [LEFT, TOP];
  const most = Math.max(...thumbs.map((row) => row.length));
  const across = order ? Math.min(order.length, Math.max(1, Math.floor(width / 80))) : most;
  const side = Math.max(18, Math.min(84, Math.floor((width - left) / across) - GAP));
  const isNamed = side >= NAMED;
  const [step, down] = [side + GAP, side + GAP + (isNamed ? NAME : 0)];
  const cells = order
    ? order.map(([l, h, share], i) => ({ l, h, share, x: (i % across) * step, y: Math.floor(i / across) * down }))
    : thumbs.flatMap((row, l) => row.map((_, h) => ({ l, h, x: h * step, y: l * down })));
  const [wide, high] = [across * step, Math.max(...cells.map(({ y }) => y)) + down];
  useLayoutEffect(() => {
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    const target = canvas.current;
    target.width = Math.round(wide * ratio);
    target.height = Math.round(high * ratio);
    const context = target.getContext("2d");
    context.scale(ratio, ratio);
    // All thumbnails go into one image first: a canvas for each would take ten times as long.
    const [tall, long] = [0, 1].map((axis) => Math.max(...cells.map(({ l, h }) => (axis ? thumbs[l][h].columns : thumbs[l][h].rows))));
    const sheet = document.createElement("canvas");
    [sheet.width, sheet.height] = [across * long, Math.ceil(cells.length / across) * tall];
    const image = new ImageData(sheet.width, sheet.height);
    const pixels = new Uint32Array(image.data.buffer);
    const places = cells.map((_, i) => [(i % across) * long, Math.floor(i / across) * tall]);
    cells.forEach(({ l, h }, i) => {
      const { rows, columns } = thumbs[l][h];
      const [bytes, shades] = minus?.[l]?.[h] ? difference(thumbs[l][h], minus[l][h]) : painted(thumbs[l][h], colour);
      for (let r = 0, from = 0; r < rows; r++) {
        const to = (places[i][1] + r) * sheet.width + places[i][0];
        for (let c = 0; c < columns; c++) pixels[to + c] = shades[bytes[from++]];
      }
    });
    sheet.getContext("2d").putImageData(image, 0, 0);
    cells.forEach(({ l, h, x, y }, i) => {
      const { rows, columns } = thumbs[l][h];
      context.imageSmoothingEnabled = columns > side * ratio;
      context.drawImage(sheet, ...places[i], columns, rows, x, y, side, side);
    });
  }, [thumbs, minus, colour, side, now, JSON.stringify(order)]);
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const [r, c] = [Math.floor((event.clientY - box.top) / down), Math.floor((event.clientX - box.left) / step)];
    return cells.find(({ x, y }) => x === c * step && y === r * down) ?? null;
  };
  const here = cells.findIndex(({ l, h }) => l === layer && h === head);
  const onKeyDown = (event) => {
    const move = { ArrowUp: [0, -down], ArrowDown: [0, down], ArrowLeft: [-step, 0], ArrowRight: [step, 0], Home: [-wide, 0], End: [wide, 0] }[event.key];
    if (!move || !onChoose) return;
    event.preventDefault();
    const { x, y } = cells[Math.max(0, here)];
    const row = cells.filter((one) => one.y === Math.max(0, Math.min(high - down, y + move[1])));
    const next = row[Math.max(0, Math.min(row.length - 1, (x + move[0]) / step))] ?? row.at(Math.sign(move[0]) < 0 ? 0 : -1);
    onChoose(next.l, next.h);
  };
  const frame = ({ x, y }, kind) => html`<rect class=${kind} x=${left + x - 2} y=${top + y - 2} width=${side + 4} height=${side + 4} rx="4" />`;
  const told = point ?? { l: layer, h: head };
  const name = ({ l, h, share }) => (order ? `${l + 1}·${h + 1}: ${formatPercent(share)}` : (tags[l]?.[h]?.[0] ?? "").replace(" token", ""));
  return html`<div class="maps-overview" style=${{ width: `${left + wide}px`, height: `${top + high}px` }} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${label} aria-describedby=${id} data-heads=${`${thumbs.length}x${most}`} onKeyDown=${onKeyDown}
    onPointerMove=${(event) => setPoint(at(event))} onPointerLeave=${() => setPoint(null)}
    onClick=${(event) => at(event) && onChoose?.(at(event).l, at(event).h, true)} aria-disabled=${onChoose ? null : "true"}>
    <canvas ref=${canvas} style=${{ left: `${left}px`, top: `${top}px`, width: `${wide}px`, height: `${high}px` }}></canvas>
    <svg width=${left + wide} height=${top + high} aria-hidden="true">
      ${!order && thumbs.map((_, l) => html`<text class=${l === layer ? "now" : ""} x=${LEFT - 8} y=${TOP + l * down + side / 2} dy="0.35em"
        text-anchor="end">${l + 1}</text>`)}
      ${!order && Array.from({ length: most }, (_, h) => html`<text class=${h === head ? "now" : ""} x=${LEFT + h * step + side / 2} y=${TOP - 8}
        text-anchor="middle">${h + 1}</text>`)}
      <path class="cell" d=${cells.map(({ x, y }) => `M${left + x - 0.5} ${top + y - 0.5}h${side + 1}v${side + 1}h${-side - 1}z`).join("")} />
      ${isNamed && cells.map((one) => html`<text class="tag" x=${left + one.x + side / 2} y=${top + one.y + side + 14} text-anchor="middle">${name(one)}</text>`)}
      ${point && onChoose && frame(point, "pointed")}${here >= 0 && frame(cells[here], "chosen")}
    </svg>
    <span id=${id} class="unseen"
      aria-live="polite">layer ${layer + 1} of ${thumbs.length}, head ${head + 1} of ${thumbs[layer]?.length}${onChoose ? "; use the arrow keys to move" : ""}</span>
  </div>${order && isNamed && html`<p class="note">2·1 is layer 2, head 1.</p>`}<p class="note maps-told">${`Layer ${told.l + 1}, head ${told.h + 1}: ${says(told.l, told.h) || "no pattern stands out"}`}</p>`;
}

// The bytes of a thumbnail, and the colour of each: 255·√w is a place among the colours as it is, where they go up to 1.
function painted({ bytes, limit }, colour) {
  const table = new Uint32Array(colours("weight").buffer);
  const gain = colour === "own" && limit > 0 ? 1 / Math.sqrt(limit) : 1;
  return [bytes, Uint32Array.from({ length: 256 }, (_, u) => table[Math.min(255, Math.round(u * gain))])];
}

function difference(one, other) {
  const limit = Math.max(one.limit, other.limit, 1e-6);
  const change = (u, i) => (u / 255) ** 2 - (other.bytes[i] / 255) ** 2;
  const places = one.bytes.map((u, i) => Math.max(0, Math.min(255, Math.round(255 * (0.5 + change(u, i) / limit / 2)))));
  return [places, new Uint32Array(colours("signed").buffer)];
}
