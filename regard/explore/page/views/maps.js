// Maps: all heads of a model at a glance, one of them large, and two of them beside each other.
import { html, useRef, useState } from "../vendor/preact.js";
import { useAnswer } from "../asking.js";
import { Choice, Toggle } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { useThumbs, useTile } from "../parts/map_data.js";
import { HeadMap, NEAR } from "../parts/map_head.js";
import { another, askedOf, Input, subjectOf } from "../parts/map_input.js";
import { Overview } from "../parts/map_overview.js";
import { Panel, Said, useWidth } from "../parts/shell.js";

const START = {
  subject: "", text: null, target: "", image: 0, step: null, // what is looked at
  other: null, // the same of a second one
  compare: "side", // or "difference"
  kind: "", layer: 0, head: 0,
  show: "", // "matrix", "lines" or "picture"; empty: the picture where there is one, else the matrix
  colour: "own", // or "one": up to 1
  pin: null, // [query, key or null]
  near: null, // [query, key] from which on a part is shown, or null for all
};
const MOST = 512; // cells on a side of a map on the screen
const WHOLE = 6 * 2 ** 20; // bytes of all heads, up to which a saved file has them all

function View({ ask, state, change, place }) {
  const known = useAnswer(ask, "subjects", {});
  const subjects = known.reply?.subjects ?? null;
  const [pictures, setPictures] = useState([null, null]);
  const first = useSide(ask, subjects, state, pictures[0]);
  const second = useSide(ask, subjects, state.other, pictures[1]);
  const kind = kindOf(first, second, state.kind);
  const [layer, head] = inside(first.maps, kind, state.layer, state.head);
  const one = useHead(ask, first, kind, layer, head, state);
  const two = useHead(ask, second, kind, layer, head, state);
  const figure = useRef(null);
  if (known.error) return html`<${Said} error=${known.error} />`;
  if (!subjects) return html`<${Said} waiting=${known.waiting} />`;
  if (!subjects.length) return html`<p>There is no model with attention to look at. Name a folder: <code>regard explore FOLDER</code>.</p>`;
  const set = (changes) => change({ ...changes, pin: null, near: null });
  const setOther = (changes) => change({ other: { ...state.other, ...changes }, pin: null, near: null });
  const compare = (on) => {
    const subject = subjectOf(subjects, state.subject);
    const step = on && subject.steps.length && subject.takes === "text" ? subject.steps.at(-1) : state.step;
    change({ other: on ? another(subject, { ...state, step }) : null, step, pin: null, near: null });
  };
  const keep = (side) => (picture) => (setPictures(pictures.map((old, i) => (i === side ? picture : old))), change({ pin: null, near: null }));
  const kinds = common(first, second);
  const others = [first, second].filter((side) => side.maps);
  return html`<div class="maps" ref=${figure}>
    <${Panel} class="maps-top">
      <div class="maps-inputs">
        <${Input} title=${state.other ? "First" : "What is looked at"} subjects=${subjects} value=${state} set=${set} picture=${pictures[0]}
          setPicture=${keep(0)} said=${first.maps?.said} />
        ${state.other && html`<${Input} title="Second" subjects=${subjects} value=${state.other} set=${setOther} picture=${pictures[1]}
          setPicture=${keep(1)} said=${second.maps?.said} />`}
      </div>
      <div class="row maps-nameless"><${Toggle} label="Compare with a second" value=${state.other !== null} onChange=${compare} />
        ${state.other && html`<${Choice} label="How" value=${state.compare} options=${[["side", "Side by side"], ["difference", "Difference"]]}
          onChange=${(value) => change({ compare: value })} />`}</div>
      <${Said} error=${first.error ?? second.error} waiting=${first.waiting || second.waiting}>the model reads …<//>
    </${Panel}>
    ${kind && html`<div class="maps-body">
      <${Overviews} ask=${ask} sides=${others} kind=${kind} layer=${layer} head=${head} state=${state}
        kinds=${kinds} change=${change} />
      <${HeadMap} ask=${ask} sides=${[first, second]} heads=${[one, two]} kind=${kind} layer=${layer} head=${head} state=${state} change=${change}
        actions=${html`<${Export} name=${`maps-layer-${layer + 1}-head-${head + 1}`} of=${figure} ask=${ask} view="maps" state=${state} place=${place}
          numbers=${() => numbers([one, two], [first, second], kind)} saves=${() => saves(others, kind, layer, head, state)} />`} />
    </div>`}
  </div>`;
}

// One of what is compared: what is asked, and the maps.
function useSide(ask, subjects, value, picture) {
  const asked = subjects && value ? askedOf(subjects, value, picture) : null;
  const { reply, error, waiting, of } = useAnswer(ask, "maps", asked);
  const text = asked && JSON.stringify(asked);
  return { asked, maps: asked && of === text ? reply : asked && !error ? reply : null, error: asked ? error : null, waiting: Boolean(asked) && waiting };
}

// The head that is looked at.
function useHead(ask, side, kind, layer, head, state) {
  const found = side.maps?.kinds.find((one) => one.name === kind?.name);
  const there = found?.layers[layer] && head < found.layers[layer].heads;
  return useTile(ask, there ? tileOf(side.maps, found, layer, head, state) : null, side.asked);
}

// What is asked of a head: all of it, as fine as a screen is, or the part near a place.
function tileOf(maps, kind, layer, head, { near, show }) {
  const { rows, columns } = kind.layers[layer];
  const from = near ?? (show === "lines" && Math.max(rows, columns) > MOST ? [0, 0] : null);
  const part = from ? { rows: [from[0], from[0] + NEAR], columns: [from[1], from[1] + NEAR] } : {};
  return { key: maps.key, kind: kind.name, layer, head, ...part, most: MOST };
}

const common = (first, second) => first.maps?.kinds.filter((one) => !second.maps || second.maps.kinds.some((other) => other.name === one.name)) ?? [];

function kindOf(first, second, name) {
  const kinds = common(first, second);
  return kinds.find((one) => one.name === name) ?? kinds.find((one) => one.name === "cross") ?? kinds[0] ?? null;
}

function inside(maps, kind, layer, head) {
  if (!kind) return [0, 0];
  const l = Math.min(layer, kind.layers.length - 1);
  return [l, Math.min(head, kind.layers[l].heads - 1)];
}

function Overviews({ ask, sides, kind, kinds, layer, head, state, change }) {
  const [ref, width] = useWidth();
  const found = [0, 1].map((i) => useThumbs(ask, sides[i] ? { key: sides[i].maps.key, kind: kind.name } : null, sides[i]?.asked));
  const choose = (l, h) => change({ layer: l, head: h });
  const [one, two] = found.map((side) => side.thumbs);
  const isDifference = sides.length > 1 && state.compare === "difference" && one && two && sameShapes(one, two);
  const label = `${kind.layers.length} layers of heads, ${kind.title}`;
  const props = { colour: state.colour, layer, head, onChoose: choose, width: Math.max(width, 120) };
  return html`<${Panel} title="All heads" class="maps-all" note="A row for each layer, a column for each head." >
    ${kinds.length > 1 && html`<div class="maps-nameless"><${Choice} label="Kind" value=${kind.name}
      options=${kinds.map((one) => [one.name, one.title])} onChange=${(name) => change({ kind: name, pin: null, near: null })} /></div>`}
    <div ref=${ref} class="maps-grids">
      ${one && width > 0 && html`<div>${sides.length > 1 && html`<h3>${isDifference ? "First minus second" : "First"}</h3>`}
        <${Overview} thumbs=${one} minus=${isDifference ? two : null} label=${label} ...${props} /></div>`}
      ${two && width > 0 && sides.length > 1 && !isDifference && html`<div><h3>Second</h3><${Overview} thumbs=${two}
        label=${`${label}, second`} ...${props} /></div>`}
    </div>
    <${Said} error=${found[0].error ?? found[1].error} />
    <${Choice} label="Colours" value=${state.colour} options=${[["own", "bright"], ["one", "up to 1"]]} onChange=${(colour) => change({ colour })} />
  </${Panel}>`;
}

const shapes = (thumbs) => JSON.stringify(thumbs.map((row) => row.map(({ rows, columns }) => [rows, columns])));
const sameShapes = (one, two) => shapes(one) === shapes(two);

// The numbers of a file: the head, and the second one.
function numbers(heads, sides, kind) {
  const found = {};
  heads.forEach(({ tile }, i) => {
    if (!tile) return;
    const names = (axis, [from, to]) => sides[i].maps.axes[axis]?.slice(from, to).filter((_, place) => place % tile.pool === 0);
    found[i ? "second" : "weights"] = { shape: tile.shape, data: tile.weights, rows: names(kind.rows, tile.rows), columns: names(kind.columns, tile.columns) };
  });
  return found;
}

function saves(sides, kind, layer, head, state) {
  const found = [["subjects", {}]];
  for (const { asked, maps } of sides) {
    const own = maps.kinds.find((one) => one.name === kind.name);
    const tiles = own.layers.flatMap((one, l) => Array.from({ length: one.heads }, (_, h) => [l, h]));
    const size = own.layers.reduce((sum, one) => sum + 4 * one.heads * one.rows * one.columns, 0);
    found.push(["maps", asked], ["overview", { key: maps.key, kind: kind.name }]);
    if (maps.pictured) found.push(["picture", { key: maps.key }]);
    for (const [l, h] of size <= WHOLE && !state.near ? tiles : [[layer, head]]) {
      found.push(["tile", tileOf(maps, own, l, h, state)], ["facts", { key: maps.key, kind: kind.name, layer: l, head: h }]);
    }
    if (state.pin) found.push(["tile", { key: maps.key, kind: kind.name, layer, head, rows: [state.pin[0], state.pin[0] + 1], most: 4096 }]);
  }
  return found;
}

export default {
  name: "maps",
  title: "Maps",
  about: "What each head of a model looks at, in your text or your picture. Choose a head; point at a token to read its numbers.",
  state: START,
  View,
};
