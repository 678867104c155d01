// Every change that a user has made is a place in the browser's history: back, forward, Ctrl-Z and two buttons go through them.
import { useEffect, useState } from "./vendor/preact.js";
import { address, parseAddress } from "./address.js";

const PAUSE = 350; // milliseconds after which a change counts as made: a slider moves many times on its way
const OWN = 700; // milliseconds after a key or a pointer in which a change counts as the user's; others replace the last
// Where Ctrl-Z is the field's own: what is typed there is no change yet.
const TYPED = "textarea:not([data-live]), input[type=text]:not(.cell, [data-live]), .cell[data-draft]";

let [touched, isOwn, due, changed, furthest, tell] = [-Infinity, false, 0, null, history.state?.depth ?? 0, () => {}];
const depth = () => history.state?.depth ?? 0;

// Follow the changes of a view's state.
export function watch(model) {
  model.on("change:state", () => {
    isOwn ||= performance.now() - touched < OWN;
    changed = model;
    clearTimeout(due);
    due = setTimeout(commit, PAUSE);
  });
  return model;
}

// Put the last change into the address, as a new place in the history where the user has made it.
export function commit() {
  clearTimeout(due);
  const [model, mine] = [changed, isOwn];
  [changed, isOwn] = [null, false];
  const here = parseAddress();
  if (!model || here.refused || here.view !== model.get("view")) return;
  const next = address({ view: here.view, state: model.get("state") });
  if (next === address(here)) return;
  if (mine) {
    history.replaceState({ depth: depth() }, ""); // of an address that was opened, where nothing is undone any more
    history.pushState({ depth: (furthest = depth() + 1) }, "", next);
  } else history.replaceState(history.state, "", next);
  tell();
}

export function undo() {
  commit();
  if (depth() > 0) history.back();
}

export function redo() {
  commit();
  if (depth() < furthest) history.forward();
}

// How many changes can be undone, and how many done again; the keys work while this is used.
export function useHistory() {
  const [, setCount] = useState(0);
  useEffect(() => {
    const touch = (event) => (event.type !== "pointermove" || event.buttons) && (touched = performance.now());
    const keyed = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.altKey || event.target.matches?.(TYPED)) return;
      const turn = { z: event.shiftKey ? redo : undo, y: redo }[event.key.toLowerCase()];
      if (turn) (event.preventDefault(), turn());
    };
    const left = (event) => event.target.closest?.("a[href^='#']") && commit(); // before the next view's address
    const moved = () => {
      if (history.state === null) furthest = 0;
      tell();
    };
    tell = () => setCount((count) => count + 1);
    const touches = ["pointerdown", "pointerup", "pointermove", "keydown", "input", "change", "drop"];
    for (const name of touches) addEventListener(name, touch, true);
    addEventListener("keydown", keyed);
    addEventListener("click", left, true);
    addEventListener("popstate", moved);
    return () => {
      for (const name of touches) removeEventListener(name, touch, true);
      removeEventListener("keydown", keyed);
      removeEventListener("click", left, true);
      removeEventListener("popstate", moved);
    };
  }, []);
  return { past: depth(), future: furthest - depth() };
}
