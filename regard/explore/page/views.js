// All views, in the order of the page. A view has a name, a title, a line about it, its first state, and a component;
// `headline` stands above it in place of the title:
// View({ ask, state, change, place }): `state` holds plain values, which an address or a notebook keeps; `change({ … })`
// changes some of them; `place` says where the view runs: "page", "notebook" or "file".
import { html, useCallback, useEffect, useMemo, useState } from "./vendor/preact.js";
import { asker } from "./client.js";
import claims from "./claims/claims.js";
import heads from "./heads/heads.js";
import maps from "./maps/maps.js";
import patterns from "./patterns/patterns.js";
import playground from "./playground/playground.js";
import runs from "./runs/runs.js";
import start from "./start/start.js";

export const VIEWS = [start, playground, claims, maps, heads, patterns, runs];
export const viewOf = (name) => VIEWS.find((view) => view.name === name) ?? VIEWS[0];

// The view of a model, which holds the view's name, its state, and the place.
export function Mounted({ model }) {
  const view = viewOf(model.get("view"));
  const ask = useMemo(() => asker(model), [model]);
  const [state, setState] = useState(() => ({ ...view.state, ...model.get("state") }));
  useEffect(() => {
    const follow = () => setState({ ...view.state, ...model.get("state") });
    model.on("change:state", follow);
    return () => model.off("change:state", follow);
  }, [model, view]);
  const change = useCallback(
    (changes) => {
      model.set("state", { ...model.get("state"), ...changes });
      model.save_changes();
    },
    [model],
  );
  return html`<${view.View} ask=${ask} state=${state} change=${change} place=${model.get("place") ?? "notebook"} />`;
}
