// Maps: all heads of a model at a glance, one of them large, and two of them beside each other.
import { html, useRef } from "../vendor/preact.js";
import { useAnswer } from "../client.js";
import states from "../states.json";
import { useThumbs, useTile } from "./data.js";
import { HeadMap, NEAR } from "./head.js";
import { Input, another, requestOf, held, inputOf, keep, picturesOf, modelOf } from "./input.js";
import { Overview } from "./drawings.js";
import { Choice, Select, Toggle } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatCount, formatNumber, formatPercent } from "../parts/numbers.js";
import { Panel, Status, useWidth } from "../parts/shell.js";
import { Word } from "../parts/words.js";
import "./maps.css";

// The first state. What is read: model, text, target, image, step (null: trained to the end) and picture, which is only named,
// since an address cannot hold it. `other` is the same for a second one. layer and head null: the head that stands out most; by: a
// pattern by which heads are chosen and sorted; show: "matrix", "lines" or "picture", empty for the picture where there is one, else the
// matrix; colour: "own" or "one", 0 to 1; pin: [query, key or null]; near: [query, key] where the shown part begins, or null for all.
const { maps: START } = states;
const READ = Object.fromEntries(["model", "text", "target", "image", "step", "picture"].map((name) => [name, START[name]]));
const MOST = 512; // cells on a side of a map on the screen
const WHOLE = 6 * 2 ** 20; // bytes of all heads up to which a saved file holds them all

function View({ ask, state, change, place }) {
  const known = useAnswer(ask, "models", {});
  const models = known.response?.models ?? null;
  const pictures = picturesOf(ask, state.pictures);
  const otherRead = typeof state.other === "object" && state.other ? { ...READ, ...state.other } : null;
  const first = useSide(ask, models, state, pictures);
  const second = useSide(ask, models, otherRead, pictures);
  const kind = kindOf(first, second, state.kind);
  const [layer, head] = inside(kind, state);
  const shown = kind ? { ...state, ...places(kind.layers[layer], state) } : state;
  const one = useHead(ask, first, kind, layer, head, shown);
  const two = useHead(ask, second, kind, layer, head, shown);
  const figure = useRef(null);
  if (known.error) return html`<${Status} error=${known.error} />`;
  if (!models) return html`<${Panel}><${Status} waiting=${known.waiting} lines=${12} /><//>`;
  if (!models.length) return html`<p>There is no model with attention here. Name a folder: <code>regard explore FOLDER</code>.</p>`;
  const unknown = [state.model, otherRead?.model].find((name) => name && !models.some((one) => one.name === name));
  if (unknown) {
    return html`<${Status} error=${`There is no model called ${unknown} here.`} />
      <button onClick=${() => change({ model: "", other: null })}>Look at ${models[0].name}</button>`;
  }
  // Another model begins with its most telling head; another input is looked at by the same one.
  const kept = (changes) => ("model" in changes ? { layer: null, head: null } : kind ? { layer, head } : {});
  const set = (changes) => change({ ...changes, ...kept(changes), pin: null, near: null });
  // A recorded step reads its own text: beside it the same model, if it reads an example, is shown by its last recorded step.
  const setOther = (changes) => {
    const steps = modelOf(models, changes.model ?? otherRead.model).steps;
    const isBeside = changes.step !== undefined && changes.step !== null && state.step === null && state.text === null && modelOf(models, state.model) === modelOf(models, otherRead.model);
    change({ other: { ...otherRead, ...changes }, ...(isBeside && { step: steps.at(-1) }), pin: null, near: null });
  };
  const compare = (on) => change({ other: on ? another(modelOf(models, state.model), state) : null, near: null });
  const names = [state.picture, otherRead?.picture];
  const open = (set) => (file, data) => {
    const picture = keep(ask, file, data);
    // A notebook saves its state as it is.
    if (place === "notebook") change({ pictures: { ...held(pictures, names), [picture]: data } });
    set({ picture });
  };
  const isFile = place === "file";
  const kinds = common(first, second);
  const sides = [first, second];
  const others = [first, second].filter((side) => side.maps);
  const toggle = html`<fieldset class="maps-held" disabled=${isFile}><${Toggle} label="Compare with a second text, model or checkpoint" value=${otherRead !== null}
    onChange=${compare} /></fieldset>`;
  const told = sides.filter((side) => side.maps).map((side, i) => `${side.request.model}${captionOf(side)}${kind ? `: ${describe(ownOf(side.maps, kind), layer, head) || "no pattern stands out"}` : ""}`);
  const saving = { ask, view: "maps", place, state: { ...state, pictures: held(pictures, names) }, saves: () => saves(others, kind, layer, head, shown) };
  const captioned = `Layer ${layer + 1}, head ${head + 1} of ${told.join("; beside ")}.${otherRead ? "" : framedOf(first, kind, one.tile, shown.pin)}`;
  return html`<div class=${`maps${otherRead ? " two" : ""}`}>
    <${Panel} class="maps-top">
      <fieldset class="maps-held maps-inputs" disabled=${isFile}>
        <${Input} title=${otherRead ? "First" : "Model and input"} models=${models} value=${state} set=${set} pictures=${pictures}
          open=${open(set)} side=${first} place=${place} more=${otherRead ? null : toggle} />
        ${otherRead && html`<${Input} title="Second" models=${models} value=${otherRead} set=${setOther} pictures=${pictures}
          open=${open(setOther)} side=${second} place=${place} />`}
      </fieldset>
      ${(otherRead || isFile) && html`<div class="row maps-nameless">
        ${otherRead && html`${toggle}<${Choice} label="How" value=${state.compare} options=${[["side", "Side by side"], ["difference", "Difference"]]}
          onChange=${(value) => change({ compare: value })} />`}
        ${isFile && html`<span class="hint">Saved file: run <code>regard explore</code> to change what is greyed out.</span>`}</div>`}
      <${Status} error=${first.error ?? second.error} waiting=${first.waiting || second.waiting}>the model reads …<//>
    </${Panel}>
    ${!kind && first.waiting && html`<${Panel} class="maps-head"><${Status} waiting lines=${12} /><//>`}
    ${kind && html`
      <${Overviews} ask=${ask} figure=${figure} sides=${others} kind=${kind} layer=${layer} head=${head} state=${shown}
        kinds=${kinds} change=${change} isFile=${isFile} twice=${twiceOf(first, otherRead, set)} saving=${saving} />
      <${HeadMap} ask=${ask} figure=${figure} sides=${sides} heads=${[one, two]} kind=${kind} layer=${layer} head=${head} state=${shown} change=${change}
        differs=${differ(first, second)} says=${sides.map((side) => (side.maps ? describe(ownOf(side.maps, kind), layer, head) : ""))} isFile=${isFile} isLarge=${isLarge(kind.layers[layer])}
        actions=${html`<${Export} name=${`maps-layer-${layer + 1}-head-${head + 1}`} of=${figure} caption=${captioned} numbers=${() => numbers([one, two], [first, second], kind)} ...${saving} />`} />`}
  </div>`;
}

// What a model has read, for a caption.
function captionOf(side) {
  const read = inputOf(side);
  const short = read && (read.length > 80 ? `${read.slice(0, 79)}…` : read);
  return `${side.request.step === undefined ? "" : ` at step ${formatCount(side.request.step)}`}${short ? ` reading “${short}”` : ""}`;
}

// The pair that is framed in the figure, and its weight.
function framedOf(side, kind, tile, pin) {
  const at = pin && pin[1] !== null && tile?.pool === 1 ? [pin[0] - tile.rows[0], pin[1] - tile.columns[0]] : [-1, -1];
  if (!at.every((place, axis) => place >= 0 && place < tile.shape[axis])) return "";
  const name = (axis, token) => side.maps.axes[axis]?.[token] ?? `${axis} ${token + 1}`;
  return ` Framed: ${name(kind.rows, pin[0])} looks at ${name(kind.columns, pin[1])}, ${formatNumber(tile.weights[at[0] * tile.shape[1] + at[1]], 4)}.`;
}

// One side of a comparison: its request, and the maps.
function useSide(ask, models, value, pictures) {
  const request = models && value ? requestOf(models, value, pictures) : null;
  const { response, error, waiting, of } = useAnswer(ask, "maps", request);
  if (!request) return { request, isNow: false, maps: null, error: null, waiting: false };
  const isNow = of === JSON.stringify(request);
  const last = error && of ? JSON.parse(of) : null; // a text that cannot be read leaves the model's maps of the last one, dimmed
  const isKept = last?.model === request.model;
  return { request: isKept ? last : request, isNow, maps: isNow || !error || isKept ? response : null, error, waiting };
}

// Whether the two sides read different inputs, as far as is known.
function differ(first, second) {
  const [one, two] = [first, second].map((side) => (side.isNow ? inputOf(side) : null));
  return one !== null && two !== null && one !== two;
}

// The head that is looked at.
function useHead(ask, side, kind, layer, head, state) {
  const found = side.maps?.kinds.find((one) => one.name === kind?.name);
  const there = found?.layers[layer] && head < found.layers[layer].heads;
  return useTile(ask, there ? tileOf(side.maps, found, layer, head, state) : null, side.request);
}

// The request for a head: all of it, as fine as a screen is, or a part.
function tileOf(maps, kind, layer, head, { near, show }) {
  const { rows, columns } = kind.layers[layer];
  const from = beginning({ rows, columns }, near) ?? (show === "lines" && isLarge({ rows, columns }) ? [0, 0] : null);
  const part = from ? { rows: [from[0], from[0] + NEAR], columns: [from[1], from[1] + NEAR] } : {};
  return { key: maps.key, kind: kind.name, layer, head, ...part, most: MOST };
}

const common = (first, second) => first.maps?.kinds.filter((one) => !second.maps || second.maps.kinds.some((other) => other.name === one.name)) ?? [];

function kindOf(first, second, name) {
  const kinds = common(first, second);
  const sides = [first, second];
  return kinds.find((one) => one.name === name) ?? kinds.find((one) => one.name === "cross") ?? kinds[0] ?? null;
}

// What an address says, limited to what exists.
const bounded = (value, count) => Math.max(0, Math.min(count - 1, Math.round(value) || 0));

// The head that is named, or the strongest by the chosen pattern, or the most telling one.
function inside(kind, { layer, head, by }) {
  if (!kind) return [0, 0];
  if (!Number.isFinite(layer) && !Number.isFinite(head)) return sortHeads(kind, by).order?.[0].slice(0, 2) ?? kind.telling;
  const l = bounded(layer, kind.layers.length);
  return [l, bounded(head, kind.layers[l].heads)];
}

function places({ rows, columns }, { pin, near }) {
  const key = typeof pin?.[1] === "number" ? bounded(pin[1], columns) : null;
  return { pin: Array.isArray(pin) ? [bounded(pin[0], rows), key] : null, near: beginning({ rows, columns }, near) };
}

const beginning = ({ rows, columns }, near) => (Array.isArray(near) ? [rows, columns].map((count, i) => bounded(near[i], Math.max(1, count - NEAR + 1))) : null);

const isLarge = ({ rows, columns }) => Math.max(rows, columns) > MOST;

function Overviews({ ask, figure, sides, kind, kinds, layer, head, state, change, isFile, twice, saving }) {
  const [ref, width] = useWidth();
  const found = [0, 1].map((i) => useThumbs(ask, sides[i] ? { key: sides[i].maps.key, kind: kind.name } : null, sides[i]?.request));
  const isAlone = isFile && !sides.every(({ maps }) => isWhole(ownOf(maps, kind), state));
  const alone = isAlone ? "head" : isFile && kinds.length > 1 ? "kind" : null;
  const choose = isAlone ? null : (l, h, isPointed) => {
    change({ layer: l, head: h });
    const map = figure.current?.closest(".maps-head");
    if (isPointed && map?.getBoundingClientRect().bottom < innerHeight / 3) map.scrollIntoView(); // on a phone it stands above, out of sight
  };
  const [one, two] = found.map((side) => side.thumbs);
  const isDifference = sides.length > 1 && state.compare === "difference" && one && two && sameShapes(one, two);
  const label = `${kind.layers.length} layers of heads, ${kind.title}`;
  const { patterns, order, isWeak } = sortHeads(kind, state.by);
  // A head that the list does not hold gives way to its first.
  const sortBy = (by) => {
    const listed = sortHeads(kind, by).order;
    change({ by, ...(listed && !listed.some(([l, h]) => l === layer && h === head) && !isAlone && { layer: listed[0][0], head: listed[0][1] }) });
  };
  const props = { colour: state.colour, layer, head, onChoose: choose, width: Math.max(width, 120), tags: kind.layers.map((one) => one.tags), order, says: (l, h) => describe(kind, l, h) };
  const told = `All heads of ${sides.map((side) => `${side.maps && side.request.model}${captionOf(side)}`).join("; beside ")}: ${order ? `the strongest by ${state.by} first` : "layers down, heads across"}, colours ${
    isDifference ? "of the difference" : state.colour === "own" ? "from 0 to each head's own largest weights" : "from 0 to 1"}.`;
  const menu = html`<${Export} name="maps-heads" of=${ref} caption=${told} numbers=${() => scoresOf(sides, kind)} ...${saving} />`;
  return html`<${Panel} title=${html`All <${Word} of="head">heads<//>`} class="maps-all" actions=${menu} stale=${sides.some(({ error }) => error)}>
    ${kinds.length > 1 && html`<fieldset class="maps-held maps-nameless" disabled=${isFile}><${Choice} label="Kind" value=${kind.name}
      options=${kinds.map((one) => [one.name, one.title])} onChange=${(name) => change({ kind: name, layer: null, head: null, pin: null, near: null })} /></fieldset>`}
    ${patterns.length > 0 && html`<${Select} label="Show" value=${order ? state.by : ""} onChange=${sortBy}
      options=${[["", "all: layer ↓, head →"], ["Sorted by what they look at", patterns.map(([name, count]) => [name, `${name} (${count})`])]]} />`}
    ${isWeak && html`<p class="hint">No head puts clearly more there than even attention would: these put most.</p>`}
    ${order && REPEATS.includes(state.by) && twice && !isFile && html`<p class="hint">It shows where a text repeats itself. <button onClick=${twice}>Read the text twice</button></p>`}
    <div ref=${ref} class="maps-grids">
      ${one && width > 0 && html`<div>${sides.length > 1 && html`<h3>${isDifference ? "First minus second" : "First"}</h3>`}
        <${Overview} thumbs=${one} minus=${isDifference ? two : null} label=${label} ...${props} /></div>`}
      ${two && width > 0 && sides.length > 1 && !isDifference && html`<div><h3>Second</h3><${Overview} thumbs=${two}
        label=${`${label}, second`} ...${props} order=${order?.filter(([l, h]) => two[l]?.[h]) ?? null} tags=${ownOf(sides[1].maps, kind).layers.map((one) => one.tags)}
        says=${(l, h) => describe(ownOf(sides[1].maps, kind), l, h)} /></div>`}
    </div>
    ${alone && html`<p class="hint">Saved with one ${alone}: run <code>regard explore</code> for the others.</p>`}
    <${Status} error=${found[0].error ?? found[1].error} waiting=${!one && found[0].waiting} lines=${6} />
    <${Choice} label="Colours" value=${state.colour} options=${[["own", "own scale"], ["one", "0 to 1"]]} onChange=${(colour) => change({ colour })} />
  </${Panel}>`;
}

const REPEATS = ["induction", "same token"]; // patterns of what stood before

// How to let the first model read its text twice; null where it reads none, or does so already.
function twiceOf({ request, isNow }, other, set) {
  const text = request?.text?.trim();
  if (!text || other || !isNow) return null;
  const half = text.slice(0, Math.floor(text.length / 2)).trim();
  return half && text.endsWith(half) ? null : () => set({ text: `${text}\n${text}` });
}

// The patterns with the number of heads that are called by them; and by one of them, those heads, the strongest first.
const FEW = 8; // heads that are shown where none is called by the pattern

function sortHeads({ layers }, by) {
  const heads = layers.flatMap((one, l) => Array.from({ length: one.heads }, (_, h) => [l, h]));
  const called = (name) => heads.filter(([l, h]) => layers[l].tags[h].includes(name));
  const patterns = Object.keys(layers[0].scores).map((name) => [name, called(name).length]);
  if (!patterns.some(([name]) => name === by)) return { patterns, order: null, isWeak: false };
  const sorted = (some) => some.map(([l, h]) => [l, h, layers[l].scores[by]?.[h] ?? 0]).sort((a, b) => b[2] - a[2]);
  const own = sorted(called(by));
  return { patterns, order: own.length ? own : sorted(heads).slice(0, FEW), isWeak: !own.length };
}

// What a head does, in words: the patterns that it is called by, with their shares.
const describe = ({ layers }, l, h) => layers[l]?.tags[h]?.map((name) => `${name} ${formatPercent(layers[l].scores[name][h])}`).join(", ") ?? "";

// The measured patterns of all heads, to export.
function scoresOf(sides, kind) {
  return Object.fromEntries(sides.map((side, i) => {
    const { layers } = ownOf(side.maps, kind);
    const columns = Object.keys(layers[0].scores);
    const heads = layers.flatMap((one, l) => Array.from({ length: one.heads }, (_, h) => [l, h]));
    const data = heads.flatMap(([l, h]) => columns.map((name) => layers[l].scores[name]?.[h] ?? null));
    return [i ? "second" : "scores", { shape: [heads.length, columns.length], data, axes: ["head", "pattern"], rows: heads.map(([l, h]) => `layer ${l + 1}, head ${h + 1}`), columns }];
  }));
}

const shapes = (thumbs) => JSON.stringify(thumbs.map((row) => row.map(({ rows, columns }) => [rows, columns])));
const sameShapes = (one, two) => shapes(one) === shapes(two);

// The numbers to export: the head, and the second one.
function numbers(heads, sides, kind) {
  const found = {};
  heads.forEach(({ tile }, i) => {
    if (!tile) return;
    const names = (axis, [from, to]) => sides[i].maps.axes[axis]?.slice(from, to).filter((_, place) => place % tile.pool === 0);
    found[i ? "second" : "weights"] = { shape: tile.shape, data: tile.weights, axes: ["query", "key"], rows: names(kind.rows, tile.rows), columns: names(kind.columns, tile.columns) };
  });
  return found;
}

const ownOf = (maps, kind) => maps.kinds.find((one) => one.name === kind.name) ?? kind;

// Whether a saved file holds all heads.
const isWhole = ({ layers }, { near }) => !near && layers.reduce((sum, one) => sum + 4 * one.heads * one.rows * one.columns, 0) <= WHOLE;

function saves(sides, kind, layer, head, state) {
  const found = [["models", {}]];
  for (const { request, maps } of sides) {
    const own = ownOf(maps, kind);
    const tiles = own.layers.flatMap((one, l) => Array.from({ length: one.heads }, (_, h) => [l, h]));
    found.push(["maps", request], ["overview", { key: maps.key, kind: kind.name }]);
    if (maps.pictured) found.push(["picture", { key: maps.key }]);
    if (maps.predicts) found.push(["next", { model: request.model, text: request.text }]);
    for (const [l, h] of isWhole(own, state) ? tiles : [[layer, head]]) {
      found.push(["tile", tileOf(maps, own, l, h, state)], ["facts", { key: maps.key, kind: kind.name, layer: l, head: h }]);
    }
    if (state.pin) found.push(["tile", { key: maps.key, kind: kind.name, layer, head, rows: [state.pin[0], state.pin[0] + 1], most: 4096 }]);
  }
  return found;
}

export default {
  name: "maps",
  title: "Maps",
  about: "What each head of a model looks at in your text or picture: point at a token to read its numbers.",
  state: START,
  View,
};
