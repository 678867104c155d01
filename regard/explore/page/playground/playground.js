// The playground: tokens, matrices, β, masks; every number of the mechanism, and what noise on a key or a query changes.
import { html, useRef, useState } from "../vendor/preact.js";
import { useAnswer, useLatest } from "../client.js";
import { Button, Choice, Slider, TextField } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatNumber } from "../parts/numbers.js";
import { Panel, Status } from "../parts/shell.js";
import { Deeper } from "./deeper.js";
import { Flow, STEPS } from "./flow.js";
import { Editable } from "./matrix.js";
import { TokenPlane } from "./plane.js";
import "./playground.css";

// query null is the example's; step is one of STEPS, which is lit, or empty; deeper shows derivatives and noise.
const state = { problem: null, beta: null, hard: false, mask: "everything", head: 0, query: null, step: "", deeper: false, noise: null, axes: "0,1" };
const MASKS = [["everything", "everything"], ["causal", "causal"], ["window(1, 1)", "neighbours"], ["~window(0, 0)", "not oneself"]];
const MOST_HEADS = 4;
const HARD = 100; // the slider's last place

// The slider's places: 0 is β = 0, then from 0.01 to 100 by equal factors, the last is hard.
const betaAt = (place) => (place === 0 ? 0 : Number((10 ** (-2 + (4 * (place - 1)) / 98)).toPrecision(4)));
const placeOf = (beta) => (beta <= 0 ? 0 : Math.max(1, Math.min(HARD - 1, Math.round(1 + (98 * (Math.log10(beta) + 2)) / 4))));
const moved = (at) => (at === HARD ? { hard: true, beta: null } : { hard: false, beta: betaAt(at) });

// The question for the library. Hard weights have no β: their logits are shown at 1/√D.
function request(problem, state, query) {
  const within = (index, count) => Math.max(0, Math.min(Math.round(index) || 0, count - 1));
  const noise = isNoise(state.noise) && state.noise.noise.length === problem.heads[0].q[0].length && state.noise.index < problem.x.length;
  const named = problem.tokens?.length === problem.x.length ? problem.tokens : null;
  return {
    x: problem.x, tokens: named, heads: problem.heads, out: problem.out, beta: state.beta === null || state.hard ? null : Math.max(0, state.beta), hard: state.hard,
    mask: state.mask, head: within(state.head, problem.heads.length), query: isDeep(state) ? within(query, problem.x.length) : null,
    noise: noise && !state.hard ? state.noise : null,
  };
}

// An address may hold anything: what is not a problem, or no noise, is ignored.
const isProblem = (given) => Array.isArray(given?.x?.[0]) && Array.isArray(given?.heads?.[0]?.q?.[0]) && Array.isArray(given.heads[0].v?.[0]);
const isNoise = (given) => Array.isArray(given?.noise) && Number.isInteger(given.index);
const isDeep = (state) => state.deeper || isNoise(state.noise);

function View({ ask, state, change, place }) {
  const picture = useRef(null);
  const example = useAnswer(ask, "example", {});
  const problem = isProblem(state.problem) ? state.problem : example.response;
  const query = Number.isFinite(state.query) ? state.query : (example.response?.query ?? 0);
  const question = problem && request(problem, state, query);
  const answer = useLatest(ask, "playground", question);
  const found = answer.response;
  if (!problem || !found) return html`<${Status} error=${example.error ?? answer.error} waiting=${true} />`;
  // A response is drawn with its own request, not with a problem that has changed meanwhile.
  const shown = JSON.parse(answer.of);
  const isSaved = place === "file"; // it holds the responses for every position of the slider, and no others
  const names = shown.x.map((_, i) => shown.tokens?.[i] ?? `token ${i + 1}`);
  const at = shown.query ?? Math.max(0, Math.min(Math.round(query) || 0, shown.x.length - 1));
  const edit = (changes) => change({ problem: { x: problem.x, tokens: problem.tokens, heads: problem.heads, out: problem.out, ...changes } });
  const saves = () => [["example", {}], ...Array.from({ length: HARD + 1 }, (_, place) => ["playground", request(problem, { ...state, ...moved(place) }, query)]), ["playground", question]];
  const step = STEPS.some(([name]) => name === state.step) ? state.step : "";
  const deep = isDeep(state);
  const shared = { state, change, found, shown, problem, names, edit, isSaved };
  return html`<div class="playground" ref=${picture}>
    <${Panel} class="playground-top">
      <${Mechanism} state=${state} change=${change} beta=${found.beta} problem=${problem} edit=${edit} isSaved=${isSaved} />
      <${Export} name="playground" of=${picture} numbers=${() => arrays(found, shown)} saves=${saves} ask=${ask} view="playground" state=${state} place=${place} />
      <${Status} error=${answer.error} />
    <//>
    <${Flow} ...${shared} at=${at} step=${step} choose=${isSaved && deep ? null : (next) => change({ query: next })} />
    <div class="columns">
      <${Matrices} problem=${problem} head=${question.head} edit=${edit} isSaved=${isSaved} />
      <${TokenPlane} ...${shared} />
    </div>
    <div data-unpictured><button class="playground-deeper" aria-expanded=${String(deep)} disabled=${isSaved}
      onClick=${() => change(deep ? { deeper: false, noise: null } : { deeper: true })}>${deep ? "▾" : "▸"} Go deeper: how softmax responds, and what noise changes</button></div>
    ${deep && html`<${Deeper} ...${shared} />`}
  </div>`;
}

function Mechanism({ state: shownState, change, beta, problem, edit, isSaved }) {
  const width = problem.heads[0].q[0].length;
  const now = Math.max(0, beta ?? 1 / Math.sqrt(width));
  const at = shownState.hard ? HARD : placeOf(now);
  const heads = problem.heads.length;
  const isCustom = !MASKS.some(([mask]) => mask === shownState.mask);
  const [custom, setCustom] = useState(isCustom);
  const add = () => {
    const [rows, columns] = [problem.heads[0].q.length, problem.heads[0].q[0].length];
    const eye = (height, width) => Array.from({ length: height }, (_, r) => Array.from({ length: width }, (_, c) => (r % width === c ? 1 : 0)));
    const values = problem.heads[0].v[0].length;
    const out = problem.out && [...problem.out, ...eye(values, problem.out[0].length)];
    edit({ heads: [...problem.heads, { q: eye(rows, columns), k: eye(rows, columns), v: eye(rows, values) }], out });
    change({ head: heads });
  };
  const remove = () => {
    const values = problem.heads[0].v[0].length;
    const at = Math.min(shownState.head, heads - 1);
    edit({ heads: problem.heads.filter((_, h) => h !== at), out: problem.out?.filter((_, r) => Math.floor(r / values) !== at) ?? null });
    change({ head: Math.max(0, at - 1) });
  };
  return html`<div class="playground-controls">
    <div class="playground-beta">
      <${Slider} label="β" min="0" max=${HARD} step="1" value=${at} onChange=${(next) => change(moved(next))}
        says=${(place) => (place === HARD ? "hard" : place === at ? formatNumber(now, 4) : formatNumber(betaAt(place)))} />
      <${Button} class="quiet" onClick=${() => change({ beta: null, hard: false })} off=${isSaved || (shownState.beta === null && !shownState.hard)}>back to 1/√${width}<//>
    </div>
    <p class="hint">${isSaved ? "Saved from regard: the slider and the steps work; run regard explore to change anything else."
      : "β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest."}</p>
    <fieldset class="group row" disabled=${isSaved}>
      <${Choice} label="Mask" value=${custom ? "custom" : shownState.mask} options=${[...MASKS, ["custom", "write one"]]}
        onChange=${(mask) => (setCustom(mask === "custom"), mask !== "custom" && change({ mask }))} />
      ${custom && html`<${TextField} label="such as causal & window(2)" value=${shownState.mask} max="200" onChange=${(mask) => change({ mask })} />`}
      <span class="row playground-heads"><${Choice} label="Head" value=${Math.min(shownState.head, heads - 1)} options=${problem.heads.map((_, h) => [h, h + 1])}
        onChange=${(head) => change({ head, noise: null })} />
        <${Button} onClick=${add} off=${heads >= MOST_HEADS} aria-label="add a head">+<//><${Button} onClick=${remove} off=${heads === 1} aria-label="remove this head">−<//></span>
      <button onClick=${() => (setCustom(false), change({ ...state }))}>Reset to the worked example</button>
    </fieldset>
  </div>`;
}

function Matrices({ problem, head, edit, isSaved }) {
  const { heads, out } = problem;
  const set = (name) => (values) => edit({ heads: heads.map((one, h) => (h === head ? { ...one, [name]: values } : one)) });
  return html`<${Panel} title="Matrices you can change" note="W_Q, W_K and W_V belong to the head; W_O mixes the outputs of all heads.">
    <fieldset class="row playground-results group" disabled=${isSaved}>
      ${[["q", "W_Q"], ["k", "W_K"], ["v", "W_V"]].map(([name, title]) => html`<div><h3>${title}${heads.length > 1 ? ` of head ${head + 1}` : ""}</h3><${Editable} label=${title} values=${heads[head][name]} onChange=${set(name)} /></div>`)}
      ${out && html`<div><h3>W_O</h3><${Editable} label="W_O" values=${out} onChange=${(values) => edit({ out: values })} /></div>`}
    </fieldset>
  <//>`;
}

function arrays(found, shown) {
  const flat = (value) => (Array.isArray(value) ? value.flatMap(flat) : [value]);
  const shape = (value) => (Array.isArray(value) ? [value.length, ...shape(value[0])] : []);
  const named = { x: shown.x, q: found.q, k: found.k, v: found.v, logits: found.logits, weights: found.weights, outputs: found.outputs };
  if (found.jacobian) named.jacobian = found.jacobian;
  if (found.merged) named.merged = found.merged;
  if (found.moved) Object.assign(named, { weights_after_noise: found.moved.weights, change: found.moved.change, outputs_after_noise: found.moved.outputs, added_to_logits: found.moved.shift });
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { shape: shape(value), data: flat(value) }]));
}

export default { name: "playground", title: "Playground", about: "One head of attention, from the words to what they become: change any number.", state, View };
