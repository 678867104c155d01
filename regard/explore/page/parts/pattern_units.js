// Quantities of a plan as people say them, and controls over lists of sizes.
import { html } from "../vendor/preact.js";
import { Slider } from "./controls.js";

const PREFIXES = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

// Three significant digits and a prefix, as the command line has them: 4.3 TFLOP, 310 µs.
export function si(value, unit) {
  if (value === null || value === undefined) return "–";
  const rounded = Number(value.toPrecision(3)); // before the prefix is chosen: 999.96 is 1 k
  if (rounded === 0) return `0 ${unit}`;
  const [size, prefix] = PREFIXES.find(([least]) => Math.abs(rounded) >= least * 0.9999999) ?? PREFIXES.at(-1);
  return `${Number((rounded / size).toPrecision(3))} ${prefix}${unit}`;
}

export const QUANTITIES = {
  flops: { name: "FLOPs", unit: "FLOP", axis: "FLOPs", about: "work of matrix products, two per multiply-add" },
  bytes: { name: "Bytes moved", unit: "B", axis: "bytes moved", about: "what must cross the memory bus" },
  memory: { name: "Memory", unit: "B", axis: "bytes at the peak", about: "the peak beyond the inputs" },
  seconds: { name: "Time", unit: "s", axis: "microseconds, predicted", times: 1e6, about: "predicted for the machine chosen" },
};

export const whole = (number) => number.toLocaleString("en");
export const share = (part, of) => `${Number(((100 * part) / of).toPrecision(3))} %`;

// A link to a claim, where there is a page that shows it.
export function ClaimLink({ claim, place }) {
  if (!claim || place !== "page") return null;
  return html` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({ claim }))}`}>${claim}</a>)`;
}

// A slider over a list of sizes, each as far from the next.
export function Steps({ label, value, values, onChange, says = whole }) {
  const at = values.reduce((best, one, i) => (Math.abs(Math.log(one / value)) < Math.abs(Math.log(values[best] / value)) ? i : best), 0);
  return html`<${Slider} label=${label} value=${at} min=${0} max=${values.length - 1} step=${1}
    onChange=${(place) => onChange(values[place])} says=${(place) => says(place === at ? value : values[place])} />`;
}

// 16, 24, 32, 48 … up to a limit.
export function sizesUpTo(first, last) {
  const found = [];
  for (let size = first; size <= last; size *= 2) found.push(...(size * 1.5 <= last ? [size, size * 1.5] : [size]));
  return found;
}
