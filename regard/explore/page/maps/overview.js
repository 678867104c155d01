// All heads at a glance: a row for each layer, a column for each head.
import { html, useId, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { colours } from "../parts/colour.js";
import { useTheme } from "../parts/shell.js";

const [LEFT, TOP, GAP] = [26, 22, 4];

// thumbs: by layer and head { bytes, rows, columns, limit }; minus: others of the same shapes, whose difference is shown;
// colour: "own", from 0 to what is bright in each head, or "one", from 0 to 1; onChoose null where there is one head alone.
export function Overview({ thumbs, minus, colour, layer, head, onChoose, label, width }) {
  const now = useTheme();
  const canvas = useRef(null);
  const id = useId();
  const [point, setPoint] = useState(null);
  const heads = Math.max(...thumbs.map((row) => row.length));
  const side = Math.max(18, Math.min(84, Math.floor((width - LEFT) / heads) - GAP));
  const step = side + GAP;
  const [wide, high] = [LEFT + heads * step, TOP + thumbs.length * step];
  useLayoutEffect(() => {
    const ratio = Math.min(2, globalThis.devicePixelRatio || 1);
    const target = canvas.current;
    target.width = Math.round(heads * step * ratio);
    target.height = Math.round(thumbs.length * step * ratio);
    const context = target.getContext("2d");
    context.scale(ratio, ratio);
    thumbs.forEach((row, l) =>
      row.forEach((thumb, h) => {
        const other = minus?.[l]?.[h];
        const small = other ? difference(thumb, other) : painted(thumb, colour);
        context.imageSmoothingEnabled = thumb.columns > side * ratio;
        context.drawImage(small, h * step, l * step, side, side);
      }),
    );
  }, [thumbs, minus, colour, side, now]);
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    const [l, h] = [Math.floor((event.clientY - box.top) / step), Math.floor((event.clientX - box.left) / step)];
    return l >= 0 && h >= 0 && thumbs[l]?.[h] ? [l, h] : null;
  };
  const onKeyDown = (event) => {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -head], End: [0, heads] }[event.key];
    if (!move || !onChoose) return;
    event.preventDefault();
    const l = Math.max(0, Math.min(thumbs.length - 1, layer + move[0]));
    onChoose(l, Math.max(0, Math.min(thumbs[l].length - 1, head + move[1])));
  };
  const frame = ([l, h], kind) => html`<rect class=${kind} x=${LEFT + h * step - 2} y=${TOP + l * step - 2} width=${side + 4} height=${side + 4} rx="4" />`;
  return html`<div class="maps-overview" style=${{ width: `${wide}px`, height: `${high}px` }} tabindex="0" role="application"
    aria-roledescription="grid of heads" aria-label=${label} aria-describedby=${id} data-heads=${`${thumbs.length}x${heads}`} onKeyDown=${onKeyDown}
    onPointerMove=${(event) => setPoint(at(event))} onPointerLeave=${() => setPoint(null)}
    onClick=${(event) => at(event) && onChoose?.(...at(event))} aria-disabled=${onChoose ? null : "true"}>
    <canvas ref=${canvas} style=${{ left: `${LEFT}px`, top: `${TOP}px`, width: `${heads * step}px`, height: `${thumbs.length * step}px` }}></canvas>
    <svg width=${wide} height=${high} aria-hidden="true">
      ${thumbs.map((_, l) => html`<text class=${l === layer ? "now" : ""} x=${LEFT - 8} y=${TOP + l * step + side / 2} dy="0.35em"
        text-anchor="end">${l + 1}</text>`)}
      ${Array.from({ length: heads }, (_, h) => html`<text class=${h === head ? "now" : ""} x=${LEFT + h * step + side / 2} y=${TOP - 8}
        text-anchor="middle">${h + 1}</text>`)}
      ${thumbs.map((row, l) => row.map((_, h) => html`<rect class="cell" x=${LEFT + h * step - 0.5} y=${TOP + l * step - 0.5} width=${side + 1}
        height=${side + 1} rx="2" />`))}
      ${point && onChoose && frame(point, "pointed")}${frame([layer, head], "chosen")}
    </svg>
    <span id=${id} class="unseen"
      aria-live="polite">layer ${layer + 1} of ${thumbs.length}, head ${head + 1} of ${thumbs[layer]?.length}${onChoose ? "; use the arrow keys to move" : ""}</span>
  </div>`;
}

const scratch = () => globalThis.document.createElement("canvas");

// 255·√w is a place among the colours as it is, where they go up to 1.
function painted({ bytes, rows, columns, limit }, colour) {
  const table = new Uint32Array(colours("weight").buffer);
  const gain = colour === "own" && limit > 0 ? 1 / Math.sqrt(limit) : 1;
  const shades = Uint32Array.from({ length: 256 }, (_, u) => table[Math.min(255, Math.round(u * gain))]);
  return filled(rows, columns, (i) => shades[bytes[i]]);
}

function difference(one, other) {
  const table = new Uint32Array(colours("signed").buffer);
  const limit = Math.max(one.limit, other.limit, 1e-6);
  return filled(one.rows, one.columns, (i) => {
    const change = (one.bytes[i] / 255) ** 2 - (other.bytes[i] / 255) ** 2;
    return table[Math.max(0, Math.min(255, Math.round(255 * (0.5 + change / limit / 2))))];
  });
}

function filled(rows, columns, shade) {
  const small = scratch();
  [small.width, small.height] = [columns, rows];
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  for (let i = 0; i < pixels.length; i++) pixels[i] = shade(i);
  small.getContext("2d").putImageData(image, 0, 0);
  return small;
}
