// The pixel grid with the heads around the query pixel: ellipses that can be dragged, widened, and moved by keys.
import { html, useRef } from "../vendor/preact.js";
import { ownColour, ownCurve } from "../parts/colour.js";
import { useId } from "../parts/ids.js";
import { ellipseOf, placed, widthOf } from "./gaussians.js";
import { formatNumber } from "../parts/numbers.js";
import { useWidth } from "../parts/shell.js";

const ARROWS = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };

// heads: [{ centre, precision }]; trail: the centres of the chosen head at all steps, and `at` how far it has come;
// onPlace(head, centre), onNudge(head, by), onWiden(head, factor, from?), onChoose(head), onQuery([row, column]).
export function Picture({ heads, side, margin, query, chosen, image, trail, at, onPlace, onNudge, onWiden, onChoose, onQuery }) {
  const [ref, width] = useWidth();
  const svg = useRef(null);
  const drag = useRef(null);
  const help = useId();
  const scale = Math.min(width, 620) / (side + 2 * margin);
  const size = scale * (side + 2 * margin);
  const x = (column) => (column + margin + 0.5) * scale;
  const y = (row) => (row + margin + 0.5) * scale;
  const place = (event) => {
    const box = svg.current.getBoundingClientRect();
    return [(event.clientY - box.top) / scale - margin - 0.5, (event.clientX - box.left) / scale - margin - 0.5];
  };
  const toQuery = (event) => {
    const [row, column] = place(event).map(Math.round);
    if (Math.min(row, column) >= 0 && Math.max(row, column) < side) onQuery([row, column]);
  };
  const begin = (event, move) => {
    event.preventDefault();
    event.stopPropagation();
    event.currentTarget.focus?.({ preventScroll: true });
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = move;
  };
  const drags = { onPointerMove: (event) => drag.current?.(event), onPointerUp: () => (drag.current = null), onPointerCancel: () => (drag.current = null) };
  const grabbed = (head) => (event) => {
    onChoose(head);
    const [row, column] = place(event);
    const [dr, dc] = [heads[head].centre[0] + query[0] - row, heads[head].centre[1] + query[1] - column];
    begin(event, (next) => {
      const [r, c] = place(next);
      onPlace(head, [r + dr - query[0], c + dc - query[1]]);
    });
  };
  const stretched = (event) => {
    const from = heads[chosen].precision;
    const away = (one) => Math.max(Math.hypot(...place(one).map((value, axis) => value - heads[chosen].centre[axis] - query[axis])), 0.1);
    const first = away(event);
    begin(event, (next) => onWiden(chosen, (first / away(next)) ** 2, from));
  };
  const keyed = (head) => (event) => {
    const arrow = ARROWS[event.key];
    const wider = { "+": 1, "=": 1, "-": -1, "−": -1 }[event.key];
    if (arrow) onNudge(head, arrow.map((value) => value * (event.shiftKey ? 1 : 0.1)));
    else if (wider) onWiden(head, 1.1 ** (-2 * wider));
    else return;
    event.preventDefault();
  };
  const walked = (event) => {
    const arrow = ARROWS[event.key];
    if (!arrow) return;
    event.preventDefault();
    onQuery(query.map((value, axis) => Math.max(0, Math.min(side - 1, value + arrow[axis]))));
  };
  // A head that is further out waits at the edge.
  const spot = ([row, column]) => [x(column + query[1]), y(row + query[0])].map((value) => Math.max(13, Math.min(size - 13, value)));
  const [cx, cy] = heads[chosen] ? spot(heads[chosen].centre) : [];
  return html`<div class="heads-picture" ref=${ref}>
    ${width > 0 && html`<svg ref=${svg} width=${size} height=${size} viewBox=${`0 0 ${size} ${size}`}
      role="group" aria-label="Heads around the query pixel" aria-describedby=${help} ...${drags}>
      <g class="heads-pixels" onPointerDown=${(event) => (toQuery(event), (drag.current = toQuery))}>
        <rect class="heads-board" x=${x(-0.5)} y=${y(-0.5)} width=${side * scale} height=${side * scale} />
        ${image && Array.from(image, (value, i) => value > 0 && html`<rect class="heads-shade" width=${scale} height=${scale}
          x=${x((i % side) - 0.5)} y=${y(Math.floor(i / side) - 0.5)} fill-opacity=${(0.3 * value) / 255} />`)}
        ${Array.from({ length: side + 1 }, (_, i) => html`
          <line x1=${x(i - 0.5)} x2=${x(i - 0.5)} y1=${y(-0.5)} y2=${y(side - 0.5)} />
          <line y1=${y(i - 0.5)} y2=${y(i - 0.5)} x1=${x(-0.5)} x2=${x(side - 0.5)} />`)}
      </g>
      <g aria-hidden="true" class="heads-ellipses">
        ${heads.map((one, head) => html`<${Ellipses} head=${head} ...${one} query=${query} x=${x} y=${y} scale=${scale} chosen=${head === chosen} />`)}
      </g>
      ${trail && html`<g aria-hidden="true" class=${`heads-trail ${ownColour(chosen)}`}>
        <polyline class="rest" points=${trail.map(([r, c]) => `${x(c + query[1])},${y(r + query[0])}`).join(" ")} />
        <polyline points=${trail.slice(0, Math.floor(at) + 1).map(([r, c]) => `${x(c + query[1])},${y(r + query[0])}`).join(" ")} />
        <circle cx=${x(trail[0][1] + query[1])} cy=${y(trail[0][0] + query[0])} r="3" />
      </g>`}
      <g class="heads-query" tabindex="0" role="application" aria-roledescription="movable pixel" data-query=${query.join(",")}
        aria-label=${`The query pixel: row ${query[0]}, column ${query[1]}. Arrow keys move it.`}
        onKeyDown=${walked} onPointerDown=${(event) => begin(event, toQuery)}>
        <rect x=${x(query[1] - 0.5)} y=${y(query[0] - 0.5)} width=${scale} height=${scale} rx="3" />
        <circle cx=${x(query[1])} cy=${y(query[0])} r="3" />
      </g>
      ${heads.map((one, head) => html`<g class=${`heads-knob ${ownColour(head)}`} tabindex="0" role="application" aria-roledescription="movable head" data-head=${head}
        aria-label=${`Head ${head + 1}: ${placed(one.centre)}, width ${formatNumber(widthOf(one.precision), 2)}. Arrow keys move it, plus and minus change its width.`}
        onFocus=${() => onChoose(head)} onKeyDown=${keyed(head)} onPointerDown=${grabbed(head)}>
        <${Knob} head=${head} at=${spot(one.centre)} />
      </g>`)}
      ${heads[chosen] && html`<g class=${`heads-knob chosen ${ownColour(chosen)}`} aria-hidden="true"><${Knob} head=${chosen} at=${[cx, cy]} /></g>
        <${Handle} precision=${heads[chosen].precision} cx=${cx} cy=${cy} scale=${scale} size=${size} onGrab=${stretched} />`}
    </svg>`}
    <p id=${help} class="unseen">Tab to a head; arrow keys move it by a tenth of a pixel, with Shift by a whole one; plus and minus change its width.</p>
  </div>`;
}

function Ellipses({ head, centre, precision, query, x, y, scale, chosen }) {
  const [cx, cy] = [x(centre[1] + query[1]), y(centre[0] + query[0])];
  const drawn = (mass, kind) => {
    const { long, short, angle } = ellipseOf(precision, mass);
    return html`<ellipse class=${kind} rx=${long * scale} ry=${short * scale} stroke-dasharray=${kind === "half" ? ownCurve(head).dash : null}
      fill-opacity=${chosen ? 0.22 : Math.min(0.12, 0.3 / long)}
      transform=${`translate(${cx},${cy}) rotate(${(angle * 180) / Math.PI})`} />`;
  };
  return html`<g class=${`${ownColour(head)} ${chosen ? "chosen" : ""}`}>${drawn(0.9, "most")}${drawn(0.5, "half")}</g>`;
}

const Knob = ({ head, at: [x, y] }) => html`<circle cx=${x} cy=${y} r="10" /><text x=${x} y=${y} dy="0.36em" text-anchor="middle">${head + 1}</text>`;

// At the end of the longest half-axis, or where it leaves the picture; what counts is by how much it is pulled.
function Handle({ precision, cx, cy, scale, size, onGrab }) {
  const { long, angle } = ellipseOf(precision, 0.5);
  const wanted = Math.max(long * scale, 19);
  const inside = (x, y) => Math.min(x, y) > 6 && Math.max(x, y) < size - 6;
  const ends = [angle, angle + Math.PI].map((one) => {
    let reach = wanted;
    while (reach > 19 && !inside(cx + reach * Math.cos(one), cy + reach * Math.sin(one))) reach -= 4;
    return [Math.max(reach, 19), one];
  });
  const [reach, turned] = ends[0][0] >= ends[1][0] ? ends[0] : ends[1];
  const [x, y] = [cx + reach * Math.cos(turned), cy + reach * Math.sin(turned)];
  return html`<g class="heads-handle" aria-hidden="true" data-handle onPointerDown=${onGrab}>
    <circle class="room" cx=${x} cy=${y} r="14" /><rect x=${x - 5} y=${y - 5} width="10" height="10" rx="2" />
  </g>`;
}
