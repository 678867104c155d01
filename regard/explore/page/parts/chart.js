// Curves over an axis, and bars: SVG, with numbers under the pointer or the arrow keys.
import { area, line, scaleLinear, scaleLog } from "../vendor/d3.js";
import { html, useState } from "../vendor/preact.js";
import { CURVES, curve } from "./colour.js";
import { useId } from "./ids.js";
import { formatSize, formatNumber } from "./numbers.js";
import { useWidth } from "./shell.js";

const SPACE = { left: 66, right: 22, top: 10, bottom: 42 };

// How a curve looks, beside its name.
export const CurveKey = ({ class: colour, dash }) => html`<svg class="key" width="26" height="8" aria-hidden="true"><line x1="0" x2="26" y1="4" y2="4" class=${colour} stroke-width="1.8" stroke-dasharray=${dash} /></svg>`;

// series: [{ name, x: [], y: [], low?: [], high?: [], class?, dash? }], drawn by their place where they have no class and dash; marks: [{ x, name }]; both axes may be logarithmic.
export function Lines({ series, label, xLabel, yLabel, logX, logY, marks = [], height = 260, xMin, yMin, says = formatNumber }) {
  const [ref, width] = useWidth();
  const id = useId();
  const [place, setPlace] = useState(null);
  const shown = series.map((one, i) => ({ ...curve(i), ...one, points: one.x.map((x, i) => [x, one.y[i]]).filter(([x, y]) => fits(x, logX) && fits(y, logY)) }));
  const xs = shown.flatMap((one) => one.points.map(([x]) => x)).concat(marks.map((mark) => mark.x).filter((x) => fits(x, logX)));
  const ys = shown.flatMap((one) => [...one.points.map(([, y]) => y), ...(one.low ?? []), ...(one.high ?? [])]).filter((y) => fits(y, logY));
  const x = axis(xs, logX, [SPACE.left, Math.max(width - SPACE.right, SPACE.left + 10)], xMin);
  const y = axis(ys, logY, [height - SPACE.bottom, SPACE.top], yMin);
  const path = line().defined(([a, b]) => fits(a, logX) && fits(b, logY)).x(([a]) => x(a)).y(([, b]) => y(b));
  const all = [...new Set(xs)].sort((a, b) => a - b);
  const at = (event) => {
    const wanted = event.clientX - event.currentTarget.getBoundingClientRect().left;
    if (all.length) setPlace(all.reduce((best, one) => (Math.abs(x(one) - wanted) < Math.abs(x(best) - wanted) ? one : best)));
  };
  const onKeyDown = (event) => {
    const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!move || !all.length) return;
    event.preventDefault();
    setPlace(all[Math.max(0, Math.min(all.length - 1, (place === null ? -1 : all.indexOf(place)) + move))]);
  };
  const there = place === null ? [] : shown.map((one) => ({ ...one, y: one.points.find(([a]) => a === place)?.[1] })).filter((one) => one.y !== undefined);
  return html`<figure class="chart" ref=${ref}>
    ${series.length > 1 && html`<ul class="keys">${shown.map((one) => html`<li><${CurveKey} class=${one.class} dash=${one.dash} />${one.name}</li>`)}</ul>`}
    ${width > 0 && html`<svg width=${width} height=${height} tabindex="0" role="img" aria-label=${`${label}. ${summary(shown, xLabel, says)}`} aria-describedby=${id}
      onPointerMove=${at} onPointerLeave=${() => setPlace(null)} onKeyDown=${onKeyDown} onBlur=${() => setPlace(null)}>
      <${Axes} x=${x} y=${y} logX=${logX} logY=${logY} xLabel=${xLabel} yLabel=${yLabel} width=${width} height=${height} says=${says} />
      ${marks.map((mark) => fits(mark.x, logX) && html`<g class="mark"><line x1=${x(mark.x)} x2=${x(mark.x)} y1=${SPACE.top} y2=${height - SPACE.bottom} />
        <text x=${x(mark.x) + 4} y=${SPACE.top + 10}>${mark.name}</text></g>`)}
      ${shown.map((one) => html`<g>
        ${one.low && html`<path class=${`band ${one.class}`} d=${area().x((_, j) => x(one.x[j])).y0((_, j) => y(one.low[j])).y1((_, j) => y(one.high[j]))(one.x)} />`}
        <path class=${`curve ${one.class}`} stroke-dasharray=${one.dash} d=${path(one.points)} />
        ${one.points.length < 2 && one.points.map(([a, b]) => html`<circle class=${`dot ${one.class}`} cx=${x(a)} cy=${y(b)} r="3" />`)}
      </g>`)}
      ${place !== null && html`<line class="reading" x1=${x(place)} x2=${x(place)} y1=${SPACE.top} y2=${height - SPACE.bottom} />
        ${there.map((one) => html`<circle class=${`dot ${one.class}`} cx=${x(place)} cy=${y(one.y)} r="3.5" />`)}`}
    </svg>`}
    <figcaption id=${id} class="reading" aria-live="polite">${place === null ? html`<span class="hint">point, or use the arrow keys, to read numbers</span>` : html`${xLabel} ${says(place)}: ${there.map((one, i) => html`${i ? " · " : ""}${one.name} <b>${says(one.y)}</b>`)}`}</figcaption>
  </figure>`;
}

const fits = (value, log) => Number.isFinite(value) && (!log || value > 0);

function axis(values, log, range, least) {
  let [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [log ? 1 : 0, log ? 10 : 1];
  if (least !== undefined) low = Math.min(low, least);
  if (low === high) [low, high] = log ? [low / 2, high * 2] : [low - 0.5, high + 0.5];
  const scale = (log ? scaleLog() : scaleLinear()).domain([low, high]).range(range);
  // Whole decades waste half of a logarithmic axis that has few of them.
  return log && high / low < 1e3 ? scale : scale.nice();
}

function summary(shown, xLabel, says) {
  return shown.filter((one) => one.points.length).map((one) => `${one.name}: ${says(one.points[0][1])} at ${xLabel} ${says(one.points[0][0])}, ${says(one.points.at(-1)[1])} at ${says(one.points.at(-1)[0])}`).join("; ");
}

function Axes({ x, y, logX, logY, xLabel, yLabel, width, height, says }) {
  const ticks = (scale, log, count) => {
    const found = scale.ticks(count);
    return log ? found.filter((tick) => found.length <= count + 2 || Number.isInteger(Math.round(Math.log10(tick) * 1e9) / 1e9)) : found;
  };
  const bottom = height - SPACE.bottom;
  return html`<g class="axes">
    ${ticks(y, logY, 5).map((tick) => html`<g><line x1=${SPACE.left} x2=${width - SPACE.right} y1=${y(tick)} y2=${y(tick)} /><text x=${SPACE.left - 7} y=${y(tick)} dy="0.35em" text-anchor="end">${tell(tick, says)}</text></g>`)}
    ${x && ticks(x, logX, Math.max(2, Math.floor(width / 90))).map((tick) => html`<g><line x1=${x(tick)} x2=${x(tick)} y1=${bottom} y2=${bottom + 4} /><text x=${x(tick)} y=${bottom + 17} text-anchor="middle">${tell(tick, says)}</text></g>`)}
    <text class="name" x=${(SPACE.left + width - SPACE.right) / 2} y=${height - 6} text-anchor="middle">${xLabel}</text>
    <text class="name" transform=${`translate(13,${(SPACE.top + bottom) / 2}) rotate(-90)`} text-anchor="middle">${yLabel}</text>
  </g>`;
}

const tell = (tick, says) => (Math.abs(tick) >= 1e4 ? formatSize(tick) : says(tick).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, ""));

// A number per name, or several side by side: groups { colour's name: [number per name] }.
export function Bars({ names, groups, label, yLabel, height = 240, says = formatNumber }) {
  const [ref, width] = useWidth();
  const entries = Object.entries(groups);
  const values = entries.flatMap(([, found]) => found).filter(Number.isFinite);
  const y = axis([...values, 0], false, [height - SPACE.bottom, SPACE.top]);
  const room = (width - SPACE.left - SPACE.right) / Math.max(names.length, 1);
  const thick = Math.min(38, (room * 0.72) / entries.length);
  const base = y(0);
  return html`<figure class="chart" ref=${ref}>
    ${entries.length > 1 && html`<ul class="keys">${entries.map(([name], i) => html`<li><svg width="12" height="12" aria-hidden="true"><rect width="12" height="12" rx="2" class=${CURVES[i % 6]} /></svg>${name}</li>`)}</ul>`}
    ${width > 0 && html`<svg width=${width} height=${height} role="img" aria-label=${`${label}. ${entries.map(([name, found]) => names.map((one, i) => `${one} ${name} ${says(found[i])}`).join(", ")).join("; ")}`}>
      <${Axes} x=${null} y=${y} xLabel="" yLabel=${yLabel} width=${width} height=${height} says=${says} />
      ${names.map((name, n) => html`<g>
        ${entries.map(([group, found], i) => Number.isFinite(found[n]) && html`<rect class=${CURVES[i % 6]} rx="2" x=${SPACE.left + (n + 0.5) * room - (entries.length * thick) / 2 + i * thick} width=${thick * 0.92}
          y=${Math.min(y(found[n]), base)} height=${Math.abs(base - y(found[n]))}><title>${`${name}, ${group}: ${says(found[n])}`}</title></rect>`)}
        <text class="tick" x=${SPACE.left + (n + 0.5) * room} y=${height - SPACE.bottom + 17} text-anchor="middle">${name.length > room / 6 ? `${name.slice(0, Math.max(2, Math.floor(room / 6) - 1))}…` : name}</text>
      </g>`)}
    </svg>`}
  </figure>`;
}
