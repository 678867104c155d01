// Points of a plane that can be dragged, or moved by the arrow keys.
import { scaleLinear } from "../vendor/d3.js";
import { html, useRef, useState } from "../vendor/preact.js";
import { formatNumber } from "../parts/numbers.js";
import { useWidth } from "../parts/shell.js";

// points: [{ id, x, y, name, kind, from? }]; kind names a class, from: [x, y] where it came from. onMove(id, x, y).
export function Plane({ label, points, onMove, onChoose, chosen, xLabel, yLabel, step = 0.1, height = 330 }) {
  const [ref, width] = useWidth();
  const [held, setHeld] = useState(null); // the axes stay as they are while a point is dragged
  const svg = useRef(null);
  const reach = 1.18 * Math.max(1, ...points.flatMap(({ x, y, from }) => [x, y, ...(from ?? [])].map(Math.abs)));
  const bound = held?.bound ?? reach;
  const half = Math.max(60, Math.min(width, 560) / 2);
  const unit = (Math.min(2 * half, height) / 2 - 8) / bound; // pixels, the same both ways: angles are what they are
  const axis = (pixels, sign) => scaleLinear().domain([-pixels / unit, pixels / unit]).range([(1 - sign) * pixels, (1 + sign) * pixels]);
  const [x, y] = [axis(half, 1), axis(height / 2, -1)];
  const tidy = (value) => Number((Math.round(value / (step / 2)) * (step / 2)).toFixed(4));
  const move = (event) => {
    if (!held) return;
    const box = svg.current.getBoundingClientRect();
    onMove(held.id, tidy(x.invert(event.clientX - box.left)), tidy(y.invert(event.clientY - box.top)));
  };
  const key = (event, point) => {
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    if (by) {
      event.preventDefault();
      const fast = event.shiftKey ? 10 : 1;
      onMove(point.id, Number((point.x + fast * by[0]).toFixed(4)), Number((point.y + fast * by[1]).toFixed(4)));
    } else if (event.key === "Enter" || event.key === " ") (event.preventDefault(), onChoose?.(point.id));
  };
  return html`<div class="plane" ref=${ref}>
    <svg ref=${svg} width=${2 * half} height=${height} role="group" aria-label=${label} onPointerMove=${move}
      onPointerUp=${() => setHeld(null)} onPointerCancel=${() => setHeld(null)}>
      <g class="axes"><line x1="8" x2=${2 * half - 8} y1=${y(0)} y2=${y(0)} /><line x1=${x(0)} x2=${x(0)} y1="8" y2=${height - 8} />
        ${x.ticks(6).filter(Boolean).map((tick) => html`<text x=${x(tick)} y=${y(0) + 15} text-anchor="middle">${formatNumber(tick)}</text>`)}
        ${y.ticks(5).filter(Boolean).map((tick) => html`<text x=${x(0) - 6} y=${y(tick)} dy="0.35em" text-anchor="end">${formatNumber(tick)}</text>`)}
        <text x=${2 * half - 8} y=${y(0) - 7} text-anchor="end">${xLabel}</text><text x=${x(0) + 7} y="18">${yLabel}</text></g>
      ${points.map((point) => point.from && html`<g class="came"><circle cx=${x(point.from[0])} cy=${y(point.from[1])} r="5" /><line x1=${x(point.from[0])} y1=${y(point.from[1])} x2=${x(point.x)} y2=${y(point.y)} /></g>`)}
      ${points.map((point) => html`<g class=${`point ${point.kind}${chosen === point.id ? " chosen" : ""}`} tabindex="0" role="button"
        aria-label=${`${point.name} at ${formatNumber(point.x)}, ${formatNumber(point.y)}; arrow keys move it`} data-point=${point.id}
        transform=${`translate(${x(point.x)},${y(point.y)})`} onKeyDown=${(event) => key(event, point)}
        onPointerDown=${(event) => {
          event.preventDefault(); // no text is selected on the way, and nothing scrolls
          event.currentTarget.focus();
          svg.current.setPointerCapture(event.pointerId);
          setHeld({ id: point.id, bound });
          onChoose?.(point.id);
        }}>
        ${point.kind === "key" ? html`<rect x="-7" y="-7" width="14" height="14" rx="3" />` : html`<circle r="8" />`}
        <text x="12" y="-8">${point.name}</text>
      </g>`)}
    </svg>
  </div>`;
}
