// Pictures that were opened: data, of which a view's state has the name alone. They last as long as the page does, so
// that a view which is left and opened again has them still; only a saved file and a notebook hold them.
const MOST = 8; // the latest
const opened = new WeakMap(); // of each that asks, by name, in base64

export const picturesOf = (ask, saved) => new Map([...Object.entries(saved ?? {}), ...(opened.get(ask) ?? [])]);

// Keep a picture, and give its name; another file of the same name gets a number.
export function keep(ask, file, data) {
  const kept = opened.get(ask) ?? new Map();
  let name = file;
  for (let number = 2; kept.has(name) && kept.get(name) !== data; number++) name = `${file} (${number})`;
  kept.delete(name);
  opened.set(ask, new Map([...kept, [name, data]].slice(-MOST)));
  return name;
}

// Those of these names, as a saved state holds them.
export const held = (pictures, names) => Object.fromEntries(names.filter((name) => pictures.has(name)).map((name) => [name, pictures.get(name)]));
