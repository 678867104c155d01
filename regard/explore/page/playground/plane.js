// The plane: tokens, or queries and keys, as points that can be dragged or moved by the arrow keys.
import { html, useRef, useState } from "../vendor/preact.js";
import { scaleLinear } from "../vendor/d3.js";
import { ownColour } from "../parts/colour.js";
import { Select } from "../parts/controls.js";
import { formatNumber, rounded } from "../parts/numbers.js";
import { Panel, useWidth } from "../parts/shell.js";

// The tokens: dragging one moves its query, key and value.
export function TokenPlane({ state, change, problem, names, edit, isSaved }) {
  const axes = axesOf(problem.x[0].length, state.axes);
  const points = problem.x.map((row, i) => ({ id: `x${i}`, ...axes.at(row), name: names[i], kind: "token", of: i }));
  const onMove = (id, x, y) => edit({ x: problem.x.map((row, i) => (`x${i}` === id ? axes.put(row, x, y) : row)) });
  return html`<${Panel} title="Tokens in the plane" note="Drag a token: its query, key and value follow.">
    <${Axes} axes=${axes} change=${change} />
    <${Plane} label="the tokens" points=${points} onMove=${isSaved ? () => {} : onMove} xLabel=${`coordinate ${axes.a + 1}`}
      yLabel=${`coordinate ${axes.b + 1}`} height=${240} />
  <//>`;
}

// Queries and keys: dragging one adds noise to it alone.
export function NoisePlane({ state, change, found, shown, names, isSaved }) {
  const h = shown.head;
  const axes = axesOf(found.q[h][0].length, state.axes);
  const wanted = isSaved ? shown.noise : state.noise; // keys come faster than responses
  const noisy = (on, i, row) => (wanted?.on === on && wanted.index === i ? row.map((value, d) => value + (wanted.noise[d] ?? 0)) : row);
  const side = (on, rows) => rows.map((row, i) => {
    const now = noisy(on, i, row);
    return { id: `${on} ${i}`, ...axes.at(now), name: `${on} of ${names[i]}`, tag: `${on[0]} ${names[i]}`, kind: on, of: i, from: now === row ? null : [row[axes.a], row[axes.b]] };
  });
  const onMove = (id, x, y) => {
    const [on, i] = id.split(" ");
    const row = found[on === "key" ? "k" : "q"][h][i];
    const noise = axes.put(row, x, y).map((value, d) => rounded(value - row[d], 6));
    change({ noise: { on, index: Number(i), noise }, hard: false });
  };
  return html`<${Panel} title="Noise on a query or a key" note="Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked.">
    <${Axes} axes=${axes} change=${change} />
    <${Plane} label="queries and keys" points=${[...side("query", found.q[h]), ...side("key", found.k[h])]} onMove=${isSaved ? () => {} : onMove}
      xLabel=${`coordinate ${axes.a + 1}`} yLabel=${`coordinate ${axes.b + 1}`} height=${260} />
    ${shown.noise && !isSaved && html`<button onClick=${() => change({ noise: null })}>Remove the noise</button>`}
  <//>`;
}

// Which two coordinates are drawn: at(row) reads them, put(row, x, y) changes them.
function axesOf(width, chosen) {
  const pairs = [];
  for (let a = 0; a < width; a++) for (let b = a + 1; b < width; b++) pairs.push([`${a},${b}`, `${a + 1} and ${b + 1}`]);
  const [a, b] = (pairs.find(([pair]) => pair === chosen)?.[0] ?? pairs[0]?.[0] ?? "0,0").split(",").map(Number);
  const at = (row) => ({ x: row[a] ?? 0, y: row[b] ?? 0 });
  return { pairs, a, b, at, put: (row, x, y) => row.map((old, c) => (c === a ? x : c === b ? y : old)) };
}

const Axes = ({ axes: { pairs, a, b }, change }) =>
  pairs.length > 1 && html`<${Select} label="Coordinates" value=${`${a},${b}`} options=${pairs} onChange=${(axes) => change({ axes })} />`;

// points: [{ id, x, y, name, tag?, kind, of, from? }]; tag is a shorter name to draw, kind names a class, of is the number of the token, from: [x, y] where it came from. onMove(id, x, y).
function Plane({ label, points, onMove, onChoose, chosen, xLabel, yLabel, step = 0.1, height = 330 }) {
  const [ref, width] = useWidth();
  const [held, setHeld] = useState(null); // the axes stay as they are while a point is dragged
  const svg = useRef(null);
  const reach = 1.18 * Math.max(1, ...points.flatMap(({ x, y, from }) => [x, y, ...(from ?? [])].map(Math.abs)));
  const bound = held?.bound ?? reach;
  const half = Math.max(60, Math.min(width, 560) / 2);
  const unit = (Math.min(2 * half, height) / 2 - 8) / bound; // pixels, the same both ways: angles are what they are
  const axis = (pixels, sign) => scaleLinear().domain([-pixels / unit, pixels / unit]).range([(1 - sign) * pixels, (1 + sign) * pixels]);
  const [x, y] = [axis(half, 1), axis(height / 2, -1)];
  // Whether a name at the right of a point would lie over another point, or its name.
  const crowded = (point) => points.some((other) => other !== point && x(other.x) >= x(point.x) && x(other.x) - x(point.x) < 56 && Math.abs(y(other.y) - y(point.y)) < 15 && other.x !== point.x);
  const tidy = (value) => rounded(Math.round(value / (step / 2)) * (step / 2), 4);
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
      onMove(point.id, rounded(point.x + fast * by[0], 4), rounded(point.y + fast * by[1], 4));
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
      ${points.map((point) => html`<g class=${`point ${point.kind} ${ownColour(point.of)}${chosen === point.id ? " chosen" : ""}`} tabindex="0" role="button"
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
        <text x=${crowded(point) ? -12 : 12} y="-8" text-anchor=${crowded(point) ? "end" : "start"}>${point.tag ?? point.name}</text>
      </g>`)}
    </svg>
  </div>`;
}
