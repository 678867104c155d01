// What an address says, made to fit: a number comes into its range, and what is of another kind is dropped.

export const within = (value, low, high, otherwise) => (Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : otherwise);
export const wholeWithin = (value, low, high, otherwise) => (Number.isFinite(value) ? Math.round(within(value, low, high)) : otherwise);
export const oneOf = (value, known, otherwise) => (known.includes(value) ? value : otherwise);

// Two whole numbers in a range, or null.
export const pairWithin = (value, low, high) =>
  Array.isArray(value) && value.length === 2 && value.every(Number.isFinite) ? value.map((one) => wholeWithin(one, low, high)) : null;
