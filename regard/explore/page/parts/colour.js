// Colours: one hue for weights, ranked by lightness alone; blue and orange for signed numbers; six for curves. Colour-blind
// readers can tell all of them apart.

const SCALES = {
  light: {
    weight: ["#f4f6fc", "#c3cff5", "#7f97ea", "#3457d5", "#1b2f8a", "#0b1547"],
    signed: ["#8c3a00", "#d9752b", "#f3c9a4", "#f6f7fa", "#b3c1f2", "#4a68da", "#182a80"],
  },
  dark: {
    weight: ["#1a1d27", "#262f57", "#3a4fae", "#6f88ee", "#b3c3ff", "#f6f8ff"],
    signed: ["#ffc795", "#d9803a", "#6e4526", "#1d202a", "#2f3f85", "#6f88ee", "#d3dcff"],
  },
};

export const CURVES = ["curve-1", "curve-2", "curve-3", "curve-4", "curve-5", "curve-6"]; // classes, see style.css
export const DASHES = ["", "6 3", "2 3", "8 3 2 3", "1 3", "10 4"]; // so that print tells them apart too

// Colours follow identity: a token, a head, an algorithm, a run has the colour of its own number in every view, whatever else is shown;
// where there are more than six, dashes and hollow dots tell them apart. The token that looks, the query, is framed in --query everywhere.
export const ownColour = (number) => `own-${(number % 6) + 1}${number < 6 ? "" : ` own-again-${Math.floor(number / 6)}`}`; // classes, one of which sets `color`
export const curve = (number) => ({ class: CURVES[number % 6], dash: DASHES[number % 6] }); // of few, each of its own kind
export const ownCurve = (number) => ({ class: CURVES[number % 6], dash: DASHES[Math.floor(number / 6) % 6] });

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));
const linear = (value) => ((value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const byte = (value) => Math.round(255 * (value <= 0.0031308 ? 12.92 * value : 1.055 * value ** (1 / 2.4) - 0.055));

// 256 colours between the stops, mixed in linear light.
function mixed(stops) {
  const points = stops.map((stop) => rgb(stop).map(linear));
  const table = new Uint8ClampedArray(256 * 4);
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (points.length - 1);
    const at = Math.min(Math.floor(place), points.length - 2);
    for (let c = 0; c < 3; c++) {
      table[4 * i + c] = byte(points[at][c] + (place - at) * (points[at + 1][c] - points[at][c]));
    }
    table[4 * i + 3] = 255;
  }
  return table;
}

const tables = new Map();

export const theme = () =>
  document.documentElement.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");

// The 256 colours of a scale ("weight" or "signed") as RGBA bytes.
export function colours(scale) {
  const name = `${theme()} ${scale}`;
  if (!tables.has(name)) tables.set(name, mixed(SCALES[theme()][scale]));
  return tables.get(name);
}

// The place of a number in the 256 colours: weights from 0 to `limit` by their roots, so that small ones are seen;
// signed numbers from −limit to limit.
export function shade(value, scale, limit) {
  if (!(limit > 0) || Number.isNaN(value)) return scale === "signed" ? 128 : 0;
  const part = scale === "signed" ? 0.5 + value / limit / 2 : Math.sqrt(Math.max(value, 0) / limit);
  return Math.max(0, Math.min(255, Math.round(255 * part)));
}

export function css(value, scale, limit) {
  const table = colours(scale);
  const at = 4 * shade(value, scale, limit);
  return `rgb(${table[at]}, ${table[at + 1]}, ${table[at + 2]})`;
}

// Ink that is readable on that colour.
export function ink(value, scale, limit) {
  const table = colours(scale);
  const at = 4 * shade(value, scale, limit);
  const light = 0.2126 * linear(table[at]) + 0.7152 * linear(table[at + 1]) + 0.0722 * linear(table[at + 2]);
  return light > 0.2 ? "#14161d" : "#ffffff";
}

// Call back when the theme changes; returns how to stop.
export function onTheme(listener) {
  const media = matchMedia("(prefers-color-scheme: dark)");
  const watcher = new MutationObserver(listener);
  watcher.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  media.addEventListener("change", listener);
  return () => (watcher.disconnect(), media.removeEventListener("change", listener));
}
