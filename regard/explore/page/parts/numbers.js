// Numbers as people read them, in one form for all views, and as CSV. No other module writes digits.

// A few digits: 0.465, 1.2e−7, 12,345; a dash for null.
export function formatNumber(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size === Infinity) return value > 0 ? "∞" : "−∞";
  const text = size < 10 ** -digits || size >= 1e7 ? value.toExponential(digits - 1).replace("e+", "e") : formatFixed(value, digits);
  return text.replace("-", "−").replace("e-", "e−");
}

function formatFixed(value, digits) {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 10 ** digits) return Math.round(value).toLocaleString("en");
  return value.toFixed(Math.max(0, digits - Math.max(0, Math.floor(Math.log10(size)))));
}

// A sentence of the library whose numbers are as elsewhere: 2.2e-01 becomes 0.22, 1e-06 becomes 1e−6.
export const rewriteNumbers = (text) => text.replace(/(?<![\w.])-?\d+(?:\.\d+)?e[+-]\d+\b/g, (found) => {
  const size = Math.abs(Number(found));
  return (size >= 1e-3 && size < 1e7 ? String(Number(found)) : Number(found) ? found.replace(/e([+-])0*/, (_, sign) => (sign === "-" ? "e−" : "e")) : "0").replace(/^-/, "−");
});

// Numbers of a column, with as many decimals each: 0.50, −12.25; large ones as elsewhere.
export const formatColumn = (value, decimals) => (Math.abs(value) >= 1000 ? formatNumber(value, decimals) : value.toFixed(decimals).replace("-", "−"));

// A whole number: 12,345.
export const formatCount = (value) => Math.round(value).toLocaleString("en");

// A share as a percentage: 46 %, 2.1 %, 0.03 %; a dash for null.
export function formatPercent(share, digits = 2) {
  if (!Number.isFinite(share)) return "–";
  return share > 0 && share < 1e-4 ? "< 0.01 %" : `${significant(100 * share, digits)} %`;
}

// Three digits and a prefix, as the command line prints them: 4.3 TFLOP, 310 µs; prefixes are powers of 1000, so 1 GB is 10⁹ bytes. From two
// minutes on, times are in minutes and hours, which people know.
const PREFIXES = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

export function formatSize(value, unit = "") {
  if (value === null || value === undefined) return "–";
  if (unit === "s" && value >= 120) return value < 7200 ? `${significant(value / 60, 3)} min` : `${formatNumber(significant(value / 3600, 3))} h`;
  const rounded = significant(value, 3); // before the prefix is chosen: 999.96 is 1 k
  if (rounded === 0) return `0 ${unit}`.trim();
  const [size, prefix] = PREFIXES.find(([least]) => Math.abs(rounded) >= least * 0.9999999) ?? PREFIXES.at(-1);
  return `${String(significant(rounded / size, 3)).replace("-", "−")} ${prefix}${unit}`.trim();
}

// The number itself, to all its digits, for those who point at it.
export const formatExact = (value) => (typeof value !== "number" ? "" : (Number.isInteger(value) ? value.toLocaleString("en", { maximumFractionDigits: 0 }) : String(value)).replace("-", "−"));

// Numbers that are kept, not shown: so many decimals, or so many digits.
export const rounded = (value, decimals) => Number(value.toFixed(decimals));
export const significant = (value, digits) => Number(value.toPrecision(digits));

const FROM_ONE = ["head", "layer"]; // axes that the page counts from 1, and a file of numbers too

// Arrays of a view as CSV: { name: { shape, data, axes, rows?, columns? } }, data flat and row by row; axes are the names of the axes, rows
// and columns the names along the first two, where they have any. `about` says what they are of.
export function toCsv(arrays, about = "") {
  const names = Object.keys(arrays);
  const lines = [];
  if (names.length === 1 && arrays[names[0]].shape.length === 2) {
    const { shape, data, rows, columns, axes } = arrays[names[0]];
    const head = columns ?? Array.from({ length: shape[1] }, (_, i) => i);
    lines.push([`${axes.join(" \\ ")}${about && `: ${about}`}`, ...head]);
    for (let r = 0; r < shape[0]; r++) {
      lines.push([rows?.[r] ?? r, ...Array.from({ length: shape[1] }, (_, c) => data[r * shape[1] + c])]);
    }
  } else {
    const depth = Math.max(0, ...names.map((name) => arrays[name].shape.length));
    const counted = names.some((name) => arrays[name].axes?.some((axis) => FROM_ONE.includes(axis))) ? " (heads and layers from 1, all else from 0)" : "";
    lines.push(["array", ...Array.from({ length: depth }, (_, i) => `index ${i}${i ? "" : counted}`), "value"]);
    if (about) lines.push(["about", ...new Array(depth).fill(""), about]);
    for (const name of names) {
      const { shape, data, axes } = arrays[name];
      for (let i = 0; i < data.length; i++) {
        const places = new Array(depth).fill("");
        for (let axis = shape.length - 1, rest = i; axis >= 0; axis--) {
          places[axis] = (rest % shape[axis]) + (FROM_ONE.includes(axes?.[axis]) ? 1 : 0);
          rest = Math.floor(rest / shape[axis]);
        }
        lines.push([name, ...places, data[i]]);
      }
    }
  }
  return lines.map((line) => line.map(quoteCell).join(",")).join("\r\n") + "\r\n";
}

// A cell of CSV; an apostrophe keeps a spreadsheet from running it as a formula.
function quoteCell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
