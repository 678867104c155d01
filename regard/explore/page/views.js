// All views, in the order of the page. A view has a name, a title, a line about it, the state that it begins with, and
// a component View({ ask, state, change, place }): `state` is plain values, that an address or a notebook keeps;
// `change({ … })` changes some of them; `place` says where the view runs: "page", "notebook" or "file".
import playground from "./views/playground.js";
import maps from "./views/maps.js";
import heads from "./views/heads.js";
import patterns from "./views/patterns.js";
import claims from "./views/claims.js";
import runs from "./views/runs.js";

export const VIEWS = [playground, maps, heads, patterns, claims, runs];
export const viewOf = (name) => VIEWS.find((view) => view.name === name) ?? VIEWS[0];
