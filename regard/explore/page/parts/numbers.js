// Numbers as people read them, and as CSV.

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

// A share as a percentage: 46 %, 2.1 %, 0.03 %; a dash for null.
export function formatPercent(share, digits = 2) {
  if (!Number.isFinite(share)) return "–";
  return share > 0 && share < 1e-4 ? "< 0.01 %" : `${Number((100 * share).toPrecision(digits))} %`;
}

// 1,234 → 1.2 K, 1.2 M, 1.2 G …
export function formatShort(value) {
  const size = Math.abs(value);
  for (const [limit, unit] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "K"]]) {
    if (size >= limit) return `${(value / limit).toPrecision(3)} ${unit}`;
  }
  return formatNumber(value);
}

// Arrays of a view as CSV: { name: { shape, data, axes?, rows?, columns? } }, data flat and row by row; rows and columns are the
// names along the first two axes, axes the names of the axes themselves.
export function toCsv(arrays) {
  const names = Object.keys(arrays);
  const lines = [];
  if (names.length === 1 && arrays[names[0]].shape.length === 2) {
    const { shape, data, rows, columns, axes } = arrays[names[0]];
    const head = columns ?? Array.from({ length: shape[1] }, (_, i) => i);
    lines.push([axes ? axes.join(" \\ ") : names[0], ...head]);
    for (let r = 0; r < shape[0]; r++) {
      lines.push([rows?.[r] ?? r, ...Array.from({ length: shape[1] }, (_, c) => data[r * shape[1] + c])]);
    }
  } else {
    const depth = Math.max(0, ...names.map((name) => arrays[name].shape.length));
    lines.push(["array", ...Array.from({ length: depth }, (_, i) => `index ${i}`), "value"]);
    for (const name of names) {
      const { shape, data } = arrays[name];
      for (let i = 0; i < data.length; i++) {
        const places = new Array(depth).fill("");
        for (let axis = shape.length - 1, rest = i; axis >= 0; axis--) {
          places[axis] = rest % shape[axis];
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
