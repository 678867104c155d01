// Recorded gaussian heads as the page keeps them, and the ellipses that they are.
import { formatNumber, significant } from "../parts/numbers.js";

// The answer to `heads` as typed arrays.
export function unpackHeads({ header, data, offset }) {
  const count = header.steps.length * header.layers * header.heads;
  return {
    ...header,
    centres: new Float32Array(data, offset, 2 * count),
    precisions: new Float32Array(data, offset + 8 * count, header.entries * count),
    image: header.has_image ? new Uint8Array(data, offset + 4 * (2 + header.entries) * count, header.side ** 2) : null,
  };
}

// A head on its way from one place to another.
export function mixed(from, to, part) {
  const between = (a, b) => (part === 0 ? a : a + part * (b - a));
  return {
    centre: to.centre.map((value, i) => between(from.centre[i], value)),
    precision: to.precision.map((value, i) => between(from.precision[i], value)),
  };
}

// The heads of a layer at a recorded step, by its index; between two of them they glide.
export function headsAt(record, at, layer) {
  const before = Math.floor(at);
  const whole = (step, head) => {
    const place = (step * record.layers + layer) * record.heads + head;
    const { centres, precisions, entries } = record;
    return { centre: [...centres.subarray(2 * place, 2 * place + 2)], precision: [...precisions.subarray(entries * place, entries * (place + 1))] };
  };
  return Array.from({ length: record.heads }, (_, head) =>
    at === before ? whole(before, head) : mixed(whole(before, head), whole(before + 1, head), at - before));
}

// How far the centre of each head of a layer is from where it was at the first recorded step, in pixels.
export function distancesAt(record, at, layer) {
  const first = headsAt(record, 0, layer);
  return headsAt(record, at, layer).map(({ centre }, head) => Math.hypot(...centre.map((value, axis) => value - first[head].centre[axis])));
}

// A precision of 1, 2 or 4 numbers as [rows, rows × columns, columns].
export const matrixOf = ([a, b, , d]) => (d !== undefined ? [a, b, d] : [a, 0, b ?? a]);

// Whether these numbers are a precision: those of an ellipse, which neither is a line nor opens.
export function isPrecision(numbers) {
  const [rows, mixed, columns] = matrixOf(numbers);
  return Math.max(...numbers.map(Math.abs)) <= 1e6 && rows > 0 && columns > 0 && rows * columns > mixed * mixed && (numbers.length < 4 || numbers[2] === mixed);
}

// The ellipse that holds this mass of a gaussian exp(−xᵀMx): half-axes √(−ln(1 − m))/√λ, the longest first, and its
// angle from the column axis towards larger rows.
export function ellipseOf(precision, mass) {
  const [rows, mixed, columns] = matrixOf(precision);
  const half = Math.hypot((columns - rows) / 2, mixed);
  const mean = (rows + columns) / 2;
  const radius = Math.sqrt(-Math.log1p(-mass));
  const isRound = half <= 1e-12 * mean;
  return {
    long: radius / Math.sqrt(Math.max(mean - half, 1e-12)),
    short: radius / Math.sqrt(mean + half),
    angle: isRound ? 0 : Math.atan2(2 * mixed, columns - rows) / 2 + Math.PI / 2,
  };
}

// The standard deviation along an axis, √(1/2α), of a full covariance the geometric mean.
export function widthOf(precision) {
  const [rows, mixed, columns] = matrixOf(precision);
  return (4 * (rows * columns - mixed * mixed)) ** -0.25;
}

export const SHARPEST = 60; // beyond, nothing changes that could be seen
export const BLUNTEST = 0.002;

// A precision made larger or smaller by a factor, as far as makes sense.
export function sharpened(precision, factor) {
  const [rows, mixed, columns] = matrixOf(precision);
  const half = Math.hypot((columns - rows) / 2, mixed);
  const mean = (rows + columns) / 2;
  const least = Math.min(1, BLUNTEST / Math.max(mean - half, 1e-9));
  const bounded = Math.max(least, Math.min(Math.max(1, SHARPEST / (mean + half)), factor));
  return precision.map((value) => significant(value * bounded, 4));
}

export const even = (entries, alpha) => ({ 1: [alpha], 2: [alpha, alpha], 4: [alpha, 0, 0, alpha] })[entries];

// How far the picture goes beyond the grid, in pixels: to where the recorded heads have been, seen from the middle.
export function marginOf(record, layer) {
  let most = 1.5;
  const middle = record.side >> 1;
  for (let step = 0; step < record.steps.length; step++) {
    const first = 2 * (step * record.layers + layer) * record.heads;
    for (const value of record.centres.subarray(first, first + 2 * record.heads)) {
      most = Math.max(most, -middle - value, middle + value - record.side + 1);
    }
  }
  return Math.min(Math.ceil(2 * most + 0.5) / 2, record.side);
}

const direction = (value, more, less) => `${formatNumber(Math.abs(value), 2)} ${value < 0 ? less : more}`;
// Where a head looks, in words.
export const placed = ([row, column]) => `${direction(row, "down", "up")}, ${direction(column, "right", "left")}`;
