// The address holds a view's name, and what differs from its first state: #maps?{"head":3}, percent-encoded.
import choices from "./choices.json";
import { VIEWS, viewOf } from "./views.js";

// { view, state, refused }: what an address names that does not exist is refused, in words, and nothing else is shown for it.
export function parseAddress() {
  const [, name, text] = /^#?([^?]*)\??(.*)$/s.exec(location.hash);
  if (name && !VIEWS.some((view) => view.name === name)) return { view: VIEWS[0].name, state: {}, refused: `There is no view called “${short(name)}”.` };
  const view = viewOf(name);
  const { state = {}, refused = null } = text ? parseState(view, text) : {};
  return { view: view.name, state, refused };
}

function parseState(view, text) {
  let found;
  try {
    found = JSON.parse(decodeURIComponent(text));
  } catch {
    found = null;
  }
  if (kind(found) !== "an object") return { refused: "The end of this address is broken: behind “?” stands the state of the view, an object of JSON." };
  for (const [name, value] of Object.entries(found)) {
    if (!Object.hasOwn(view.state, name)) {
      return { refused: `${view.title} has no “${short(name)}”: this address may say ${Object.keys(view.state).join(", ")}.` };
    }
    const first = view.state[name];
    if (first !== null && kind(value) !== kind(first)) {
      return { refused: `“${name}” must be ${kind(first)}: this address says ${short(JSON.stringify(value))}.` };
    }
    const known = choices[view.name]?.[name];
    if (known && !known.includes(value)) return { refused: `“${name}” must be one of ${known.filter(Boolean).join(", ")}: this address says ${short(value)}.` };
  }
  return { state: found };
}

const short = (text) => (text.length > 60 ? `${text.slice(0, 59)}…` : text);
const KINDS = { string: "a text", number: "a number", boolean: "true or false", object: "an object" };
const kind = (value) => (Array.isArray(value) ? "a list" : value === null ? "nothing" : KINDS[typeof value]);

export function address({ view, state }) {
  const own = Object.entries(state).filter(([name, value]) => plain(value) !== plain(viewOf(view).state[name]));
  return `#${view}${own.length ? `?${encodeURIComponent(plain(Object.fromEntries(own)))}` : ""}`;
}

// JSON without the properties that Preact adds to an object that it takes for an element.
export const plain = (value) => JSON.stringify(value, (name, one) => (name.startsWith("__") ? undefined : one));
