// Numbers as people read them, and as files keep them.

// A few digits: 0.4654, 1.2e-7, 12,345; nothing for null.
export function told(value, digits = 3) {
  if (value === null || value === undefined || Number.isNaN(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size === Infinity) return value > 0 ? "∞" : "−∞";
  const text = size < 10 ** -digits || size >= 1e7 ? value.toExponential(digits - 1).replace("e+", "e") : fixed(value, digits);
  return text.replace("-", "−").replace("e-", "e−");
}

function fixed(value, digits) {
  const size = Math.abs(value);
  if (Number.isInteger(value) || size >= 10 ** digits) return Math.round(value).toLocaleString("en");
  return value.toFixed(Math.max(0, digits - Math.max(0, Math.floor(Math.log10(size)))));
}

// 1,234 → 1.2 K, 1.2 M, 1.2 G …
export function short(value) {
  const size = Math.abs(value);
  for (const [limit, unit] of [[1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "K"]]) {
    if (size >= limit) return `${(value / limit).toPrecision(3)} ${unit}`;
  }
  return told(value);
}

// Numbers of a view for a file: { name: { shape, data, rows?, columns? } }, data flat and row by row.
export function csv(arrays) {
  const names = Object.keys(arrays);
  const lines = [];
  if (names.length === 1 && arrays[names[0]].shape.length === 2) {
    const { shape, data, rows, columns } = arrays[names[0]];
    const head = columns ?? Array.from({ length: shape[1] }, (_, i) => i);
    lines.push([names[0], ...head]);
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
  return lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
}

// A cell of CSV; one that a spreadsheet would run as a formula is quoted by an apostrophe.
function cell(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

// The same arrays as NumPy's .npz: a zip, without compression, of .npy files in float64.
export function npz(arrays) {
  const files = Object.entries(arrays).map(([name, { shape, data }]) => [`${name}.npy`, npy(shape, data)]);
  return zip(files);
}

function npy(shape, data) {
  const comma = shape.length === 1 ? "," : "";
  let head = `{'descr': '<f8', 'fortran_order': False, 'shape': (${shape.join(", ")}${comma}), }`;
  head += " ".repeat(63 - ((10 + head.length) % 64)) + "\n";
  const bytes = new Uint8Array(10 + head.length + 8 * data.length);
  bytes.set([0x93, 0x4e, 0x55, 0x4d, 0x50, 0x59, 1, 0, head.length & 255, head.length >> 8]);
  bytes.set(new TextEncoder().encode(head), 10);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < data.length; i++) view.setFloat64(10 + head.length + 8 * i, data[i] ?? NaN, true);
  return bytes;
}

const CRC = Uint32Array.from({ length: 256 }, (_, n) => {
  for (let k = 0; k < 8; k++) n = n & 1 ? 0xedb88320 ^ (n >>> 1) : n >>> 1;
  return n;
});

function crc(bytes) {
  let found = ~0;
  for (let i = 0; i < bytes.length; i++) found = CRC[(found ^ bytes[i]) & 255] ^ (found >>> 8);
  return ~found >>> 0;
}

function zip(files) {
  const parts = [];
  const central = [];
  let offset = 0;
  for (const [name, bytes] of files) {
    const text = new TextEncoder().encode(name);
    const facts = [[20, 2], [0x800, 2], [0, 2], [0, 4], [crc(bytes), 4], [bytes.length, 4], [bytes.length, 4], [text.length, 2], [0, 2]];
    const local = packed([[0x04034b50, 4], ...facts]);
    central.push(packed([[0x02014b50, 4], [20, 2], ...facts, [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]]), text);
    parts.push(local, text, bytes);
    offset += local.length + text.length + bytes.length;
  }
  const size = central.reduce((sum, part) => sum + part.length, 0);
  const end = packed([[0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4], [0, 2]]);
  return new Blob([...parts, ...central, end], { type: "application/zip" });
}

function packed(fields) {
  const bytes = new Uint8Array(fields.reduce((sum, [, width]) => sum + width, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const [value, width] of fields) {
    if (width === 2) view.setUint16(at, value, true);
    else view.setUint32(at, value, true);
    at += width;
  }
  return bytes;
}
