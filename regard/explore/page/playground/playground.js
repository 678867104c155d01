// The playground: tokens, matrices, β, masks; every number of the mechanism, and what noise on a key or a query changes.
import { html, useRef, useState } from "../vendor/preact.js";
import { useAnswer, useLatest } from "../client.js";
import states from "../states.json";
import { Button, Choice, Slider, TextField } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatNumber, significant } from "../parts/numbers.js";
import { Panel, Status, useNarrow } from "../parts/shell.js";
import { Word } from "../parts/words.js";
import { Deeper } from "./deeper.js";
import { Flow, STEPS } from "./flow.js";
import { Editable } from "./matrix.js";
import { TokenPlane } from "./plane.js";
import "./playground.css";

// query null is the example's; step is one of STEPS, which is lit, or empty; deeper shows derivatives and noise.
const { playground: state } = states;
const MASKS = [["everything", "everything"], ["causal", "causal"], ["window(1, 1)", "neighbours"], ["~window(0, 0)", "not oneself"]];
const MOST_HEADS = 4;
const HARD = 100; // the slider's last place

// The slider's places: 0 is β = 0, then from 0.01 to 100 by equal factors, the last is hard.
const betaAt = (place) => (place === 0 ? 0 : significant(10 ** (-2 + (4 * (place - 1)) / 98), 4));
const placeOf = (beta) => (beta <= 0 ? 0 : Math.max(1, Math.min(HARD - 1, Math.round(1 + (98 * (Math.log10(beta) + 2)) / 4))));
const moved = (at) => (at === HARD ? { hard: true, beta: null } : { hard: false, beta: betaAt(at) });

// The question for the library. Hard weights have no β: their logits are shown at 1/√D.
const within = (index, count) => Math.max(0, Math.min(Math.round(index) || 0, count - 1));

function request(problem, state) {
  const noise = isNoise(state.noise) && state.noise.noise.length === problem.heads[0].q[0].length && state.noise.index < problem.x.length;
  const named = problem.tokens?.length === problem.x.length ? problem.tokens : null;
  return {
    x: problem.x, tokens: named, heads: problem.heads, out: problem.out, beta: state.beta === null || state.hard ? null : Math.max(0, state.beta), hard: state.hard,
    mask: state.mask, head: within(state.head, problem.heads.length),
    noise: noise && !state.hard ? state.noise : null,
  };
}

// An address may hold anything: what is not a problem, or no noise, is ignored.
const isProblem = (given) => Array.isArray(given?.x?.[0]) && Array.isArray(given?.heads?.[0]?.q?.[0]) && Array.isArray(given.heads[0].v?.[0]);
const isNoise = (given) => Array.isArray(given?.noise) && Number.isInteger(given.index);
const isDeep = (state) => state.deeper || isNoise(state.noise);

function View({ ask, state, change, place }) {
  const picture = useRef(null);
  const narrow = useNarrow();
  const [custom, setCustom] = useState(!MASKS.some(([mask]) => mask === state.mask));
  const example = useAnswer(ask, "example", {});
  const problem = isProblem(state.problem) ? state.problem : example.response?.problem;
  const query = Number.isFinite(state.query) ? state.query : (example.response?.query ?? 0);
  const question = problem && request(problem, state);
  const answer = useLatest(ask, "playground", question);
  const found = answer.response;
  if (!problem || !found) return html`<${Panel}><${Status} error=${example.error ?? answer.error} waiting=${true} lines=${10} /><//>`;
  // A response is drawn with its own request, not with a problem that has changed meanwhile.
  const shown = JSON.parse(answer.of);
  const isSaved = place === "file"; // it holds the responses for every position of the slider, and no others
  const names = shown.x.map((_, i) => shown.tokens?.[i] ?? `token ${i + 1}`);
  const at = within(query, shown.x.length);
  const edit = (changes) => change({ problem: { x: problem.x, tokens: problem.tokens, heads: problem.heads, out: problem.out, ...changes } });
  const saves = () => [["example", {}], ...Array.from({ length: HARD + 1 }, (_, place) => ["playground", request(problem, { ...state, ...moved(place) })]), ["playground", question]];
  const step = STEPS.some(([name]) => name === state.step) ? state.step : "";
  const deep = isSaved ? state.deeper : isDeep(state);
  const shared = { state, change, found, shown, problem, names, edit, isSaved };
  const told = `${shown.heads.length > 1 ? `Head ${shown.head + 1} of ${shown.heads.length}` : "One head"} on ${shown.x.length} tokens, ${shown.hard ? "hard weights" : `β = ${formatNumber(found.beta, 4)}`}, mask ${shown.mask}: from the tokens X to its outputs${found.merged ? ", and Y, which is of all heads" : ""}. The framed row is “${names[at]}”, the query.`;
  const saving = { ask, view: "playground", state: { ...state, deeper: deep }, place, saves, numbers: () => arrays(found, shown, names) };
  const beta = html`<${Beta} state=${state} change=${change} beta=${found.beta} problem=${problem} isSaved=${isSaved} />`;
  const mask = html`<${MaskChoice} state=${state} change=${change} custom=${custom} setCustom=${setCustom} isSaved=${isSaved} />`;
  return html`<div class="playground">
    <${Panel} class="playground-top">
      <${Mechanism} state=${state} change=${change} beta=${!narrow && beta} mask=${!narrow && mask} setCustom=${setCustom} problem=${problem} edit=${edit} isSaved=${isSaved} />
      <${Export} name="playground" of=${picture} caption=${told} ...${saving} />
      ${!narrow && html`<${Status} error=${answer.error} />`}
    <//>
    <${Flow} ...${shared} beta=${narrow && beta} mask=${narrow && html`${mask}<${Status} error=${answer.error} />`} narrow=${narrow} place=${place} picture=${picture} at=${at} step=${step} choose=${(next) => change({ query: next })} />
    <div class="columns">
      <${Matrices} problem=${problem} head=${question.head} edit=${edit} isSaved=${isSaved} />
      <${TokenPlane} ...${shared} />
    </div>
    <div><button class="playground-deeper" aria-expanded=${String(deep)}
      onClick=${() => change(deep ? { deeper: false, ...(!isSaved && { noise: null }) } : { deeper: true })}>${deep ? "▾" : "▸"} Go deeper: how softmax responds, and what noise changes</button></div>
    ${deep && html`<${Deeper} ...${shared} at=${at} saving=${saving} />`}
  </div>`;
}

// β and the mask: where their steps are on a narrow window, and above all else on a wide one.
function Beta({ state, change, beta, problem, isSaved }) {
  const width = problem.heads[0].q[0].length;
  const now = Math.max(0, beta ?? 1 / Math.sqrt(width));
  const at = state.hard ? HARD : placeOf(now);
  return html`<div class="playground-beta" data-unpictured>
      <${Slider} label="β" min="0" max=${HARD} step="1" value=${at} onChange=${(next) => change(moved(next))}
        says=${(place) => (place === HARD ? "hard" : place === at ? formatNumber(now, 4) : formatNumber(betaAt(place)))} />
      <${Button} class="quiet" onClick=${() => change({ beta: null, hard: false })} off=${isSaved || (state.beta === null && !state.hard)}>back to 1/√${width}<//>
    </div>
    <p class="hint" data-unpictured>${isSaved ? "Saved from regard: the slider, the words and the steps work, and so does what lies deeper; run regard explore to change anything else."
      : html`<${Word} of="beta">β<//> multiplies the scores: 0 spreads the weights evenly, a large value keeps the largest, <${Word} of="hard">hard<//> that alone.`}</p>`;
}

function MaskChoice({ state, change, custom, setCustom, isSaved }) {
  return html`<fieldset class="group row" disabled=${isSaved} data-unpictured>
    <${Choice} label="Mask" value=${custom ? "custom" : state.mask} options=${[...MASKS, ["custom", "write one"]]}
      onChange=${(mask) => (setCustom(mask === "custom"), mask !== "custom" && change({ mask }))} />
    ${custom && html`<${TextField} label="such as causal & window(2)" value=${state.mask} max="200" onChange=${(mask) => change({ mask })} />`}
  </fieldset>`;
}

function Mechanism({ state: shownState, change, beta, mask, setCustom, problem, edit, isSaved }) {
  const heads = problem.heads.length;
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
    ${beta}${mask}
    <fieldset class="group row" disabled=${isSaved}>
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

// Every array with the names of its axes; the tokens name what they index.
function arrays(found, shown, names) {
  const flat = (value) => (Array.isArray(value) ? value.flatMap(flat) : [value]);
  const shape = (value) => (Array.isArray(value) ? [value.length, ...shape(value[0])] : []);
  const { moved } = found;
  const all = {
    x: [shown.x, ["token", "coordinate"]], q: [found.q, ["head", "token", "coordinate"]], k: [found.k, ["head", "token", "coordinate"]],
    v: [found.v, ["head", "token", "coordinate"]], logits: [found.logits, ["head", "query", "key"]], weights: [found.weights, ["head", "query", "key"]],
    outputs: [found.outputs, ["head", "query", "coordinate"]], jacobians: [found.jacobians, ["query", "weight of key", "logit of key"]],
    ...(found.merged && { merged: [found.merged, ["query", "coordinate"]] }),
    ...(moved && {
      weights_after_noise: [moved.weights, ["query", "key"]], change: [moved.change, ["query", "key"]], outputs_after_noise: [moved.outputs, ["query", "coordinate"]],
      added_to_logits: [moved.shift, ["query", "key"]],
    }),
  };
  const named = (axis) => (/token|query|key/.test(axis) ? names : undefined);
  return Object.fromEntries(Object.entries(all).map(([name, [value, axes]]) => [name, { shape: shape(value), data: flat(value), axes, rows: named(axes[0]), columns: named(axes[1]) }]));
}

export default { name: "playground", title: "Playground", about: "A few words through a head of attention, with every number: few enough to follow by hand.", state, View };
