// The layers as small pictures, and the progress of the training: its steps, its curve, and the button that plays it.
import { line } from "../vendor/d3.js";
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { ellipseOf, headsAt } from "./gaussians.js";
import { ownColour, ownCurve } from "../parts/colour.js";
import { Slider, stepped } from "../parts/controls.js";
import { formatCount, formatNumber, formatPercent } from "../parts/numbers.js";
import { useWidth, prefersLessMotion } from "../parts/shell.js";

const SIDE = 74;

// One small picture per layer, all of the same scale, with the query in the middle.
export function Layers({ record, at, layer, onChange }) {
  const reach = Math.max(record.side / 2, Math.min(record.side, record.centres.reduce((most, value) => Math.max(most, Math.abs(value)), 0)));
  const scale = SIDE / (2 * reach + 2);
  const row = useRef(null);
  const onKeyDown = (event) => {
    const next = stepped(event, layer, record.layers);
    if (next === null) return;
    onChange(next);
    row.current.children[next].focus();
  };
  return html`<div class="heads-layers" role="group" aria-label="Layer" ref=${row}>
    ${Array.from({ length: record.layers }, (_, number) => html`<button aria-pressed=${number === layer} aria-label=${`Layer ${number + 1}`}
      onClick=${() => onChange(number)} onKeyDown=${onKeyDown}>
      <svg viewBox=${`${-SIDE / 2} ${-SIDE / 2} ${SIDE} ${SIDE}`} aria-hidden="true">
        <rect class="heads-here" x=${-scale / 2} y=${-scale / 2} width=${scale} height=${scale} />
        ${headsAt(record, at, number).map(({ centre, precision }, head) => {
          const { long, short, angle } = ellipseOf(precision, 0.5);
          return html`<ellipse class=${ownColour(head)} stroke-dasharray=${ownCurve(head).dash && "3 2"} rx=${Math.max(long * scale, 1.5)} ry=${Math.max(short * scale, 1.5)}
            transform=${`translate(${centre[1] * scale},${centre[0] * scale}) rotate(${(angle * 180) / Math.PI})`} />`;
        })}
      </svg>
      <span>Layer ${number + 1}</span>
    </button>`)}
  </div>`;
}

// Plays the recorded steps; returns the position, null at rest, and how to start and stop.
export function usePlaying(count, index, onStep) {
  const [at, setAt] = useState(null);
  const now = useRef(null);
  now.current = { index, onStep };
  const isPlaying = at !== null;
  const count1 = count - 1;
  useEffect(() => {
    if (!isPlaying) return;
    const from = now.current.index >= count1 ? 0 : now.current.index;
    const pace = Math.min(400, Math.max(40, 7000 / Math.max(count1, 1))); // milliseconds a step
    let begun = null;
    let shown = now.current.index;
    const tick = (time) => {
      begun ??= time;
      const next = Math.min(count1, from + (time - begun) / pace);
      if (Math.floor(next) !== shown) now.current.onStep((shown = Math.floor(next)));
      setAt(next >= count1 ? null : next);
      if (next < count1) frame = requestAnimationFrame(tick);
    };
    let frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [isPlaying, count1]);
  const stop = () => setAt(null);
  const toggle = () => {
    if (prefersLessMotion()) onStep(index >= count1 ? 0 : index + 1); // step by step for users who prefer less motion
    else setAt(isPlaying ? null : index >= count1 ? 0 : index);
  };
  return { at, isPlaying, toggle, stop };
}

export function Progress({ record, index, playing, onStep }) {
  const [ref, width] = useWidth();
  const last = record.steps.length - 1;
  const [name, values] = Object.entries(record.curves)[0] ?? [];
  const height = 58;
  const [left, right] = [8, width - 8];
  const x = (i) => left + ((right - left) * i) / Math.max(last, 1);
  const known = (values ?? []).filter((value) => value !== null);
  const [low, high] = name === "accuracy" ? [0, 1] : [Math.min(...known), Math.max(...known)];
  const y = (value) => height - 6 - ((height - 12) * (value - low)) / (high - low || 1);
  const path = line().defined((value) => value !== null).x((_, i) => x(i)).y(y);
  const verb = prefersLessMotion() ? "Next step" : playing.isPlaying ? "Pause" : "Play";
  const read = Object.entries(record.curves)
    .map(([key, found]) => [key.replace("_", " "), found[index]])
    .filter(([key, value]) => value !== null && key !== "loss")
    .map(([key, value], i) => html`${i ? " · " : ""}${key} <b data-curve=${key}>${key === "accuracy" ? formatPercent(value, 3) : formatNumber(value)}</b>`);
  return html`<div class="heads-course" ref=${ref}>
    <div class="heads-transport" data-unpictured><button class="main" onClick=${playing.toggle}>${verb}</button><span class="hint">${prefersLessMotion() ? "" : "or the space bar"}</span></div>
    <${Slider} label="Step" value=${index} min=${0} max=${last} step=${1} says=${(i) => formatCount(record.steps[i])} onChange=${onStep} />
    ${values && width > 0 && html`<svg width=${width} height=${height} role="img" aria-label=${`${name} over training: ${formatNumber(known[0])} to ${formatNumber(known.at(-1))}`}>
      <line class="base" x1=${left} x2=${right} y1=${height - 6} y2=${height - 6} />
      <path class="curve curve-1" d=${path(values)} />
      <line class="mark" x1=${x(playing.at ?? index)} x2=${x(playing.at ?? index)} y1="2" y2=${height - 6} />
      ${values[index] !== null && html`<circle class="dot curve-1" cx=${x(index)} cy=${y(values[index])} r="3.5" />`}
    </svg>`}
    <p class="hint heads-read">${read.length ? read : index === 0 && values ? "before training" : null}</p>
  </div>`;
}
