// Patterns and cost: a mechanism in words, its mask, its plan, how its cost grows, and how far its layers reach.
import { html, useMemo, useRef } from "../vendor/preact.js";
import { useAnswer, useLatest } from "../client.js";
import states from "../states.json";
import { Choice, Select, TextField, Toggle } from "../parts/controls.js";
import { useId } from "../parts/ids.js";
import { formatCount } from "../parts/numbers.js";
import { Panel, Status, LiveOnly, pairWithin, useNarrow, wholeWithin } from "../parts/shell.js";
import { Words as Definitions } from "../parts/words.js";
import { ClaimLink, GrowthPanel, InShort, PlanPanel, Steps, sizesUpTo } from "./cost.js";
import { MaskPanel } from "./mask.js";
import { ReachPanel } from "./reach.js";
import "./patterns.css";

const SCORES = ["content", "content + slopes", "content + gaussian", "content + table", "gaussian", "diagonal_gaussian", "full_gaussian", "table"];
const WEIGHTINGS = [
  ["softmax", "softmax"], ["hard", "hard, one-hot"], ["elu", "linear, elu"], ["relu", "linear, relu"],
  ["squared_relu", "linear, squared relu"], ["exp", "linear, exp"], ["identity", "linear, q·k itself"], ["random_features(64)", "linear, 64 random features"],
];
const MACHINES = {
  cpu: "CPU", h200: "NVIDIA H200", a100: "NVIDIA A100, 80 GB", h100: "NVIDIA H100 SXM", b200: "NVIDIA B200", l40s: "NVIDIA L40S", t4: "NVIDIA T4",
  cuda: "any CUDA GPU", other: "another device",
};
const TYPES = [["", "default type"], ["bfloat16", "bfloat16"], ["float16", "float16"], ["float32", "float32"], ["float64", "float64"]];
const TOKENS = sizesUpTo(16, 131072);
const SIDES = sizesUpTo(4, 128);
const POWERS = [1, 2, 4, 8, 16, 32, 64];
const FOLLOWED = 4096; // tokens up to which the receptive field is computed

const { patterns: start } = states;

// An address may say anything: numbers are clamped to what the library accepts.
function bounded(state) {
  const text = (name) => state[name].slice(0, 300);
  const whole = (name, low, high) => wholeWithin(state[name], low, high, start[name]);
  return {
    ...state, mask: text("mask"), second: text("second"), scores: text("scores"), weighting: text("weighting"),
    tokens: whole("tokens", 1, 131072), grid: pairWithin(state.grid, 1, 256), batch: whole("batch", 1, 4096), heads: whole("heads", 1, 256), groups: whole("groups", 1, 256),
    width: whole("width", 1, 1024), block: whole("block", 1, 4096), layers: whole("layers", 1, 64), depth: whole("depth", 1, 64),
    output: whole("output", 0, 131071), shown: whole("shown", 0, 1),
  };
}

function View({ ask, state: given, change, place }) {
  const state = bounded(given);
  const known = useAnswer(ask, "presets", {});
  const request = requestOf(state);
  const reads = useLatest(ask, "mechanism", request.mechanism);
  const readsSecond = useLatest(ask, "mechanism", request.second);
  const wrong = { ...reads.response?.wrong, ...(request.second && readsSecond.response?.wrong.mask ? { second: readsSecond.response.wrong.mask } : {}) };
  const isWrong = Object.keys(wrong).length > 0;
  const isRead = reads.of === JSON.stringify(request.mechanism) && (!request.second || readsSecond.of === JSON.stringify(request.second));
  // What cannot be parsed is not requested: the last valid mechanism stays.
  const last = useRef(null);
  if (isRead && !isWrong) last.current = requestsOf(state, request, reads.response.length);
  const now = last.current;
  const pattern = useLatest(ask, "pattern", now?.pattern);
  const plan = useLatest(ask, "plan", now?.plan);
  const reach = useLatest(ask, "reach", now?.reach);
  const growth = useAnswer(ask, "growth", now?.growth);
  const asked = () => Object.entries(now).filter(([, one]) => one !== null);
  const saves = () => [["presets", {}], ["mechanism", request.mechanism], ...(request.second ? [["mechanism", request.second]] : []), ...asked()];
  const saving = { saves, ask, view: "patterns", state, place };
  const output = reach.response?.header.output ?? null;
  const algorithms = known.response?.algorithms ?? []; // whose numbers are their colours
  const isNarrow = useNarrow(); // then it stands above all, outside of what is dimmed
  const inShort = html`<${InShort} found=${plan} machine=${MACHINES[state.device]} isOutdated=${isNarrow && (!isRead || isWrong)} />`;
  const dims = isRead && !isWrong ? "" : "outdated";
  const map = html`<${MaskPanel} found=${pattern} request=${now?.pattern} output=${output} onChoose=${(token) => change({ output: token })} saving=${saving} />`;
  const sizes = html`<${Sizes} devices=${known.response?.devices ?? [state.device]} state=${state} change=${change} wrong=${wrong} />`;
  return html`<div class="sided patterns">
    ${isNarrow && inShort}
    <${LiveOnly} class="patterns-left" place=${place}>
      <${Mechanism} known=${known} state=${state} change=${change} wrong=${wrong} place=${place} />
      ${!isNarrow && sizes}
    <//>
    ${isNarrow && html`<div class=${`patterns-right ${dims}`}>${map}</div><${LiveOnly} class="patterns-left patterns-right" place=${place} noted=${false}>${sizes}<//>`}
    <div class="patterns-right" aria-busy=${String(!isRead)}>
      ${request.second && html`<${LiveOnly} class="patterns-turns" place=${place} noted=${false}><${Choice} label="Mask, plan and cost of" value=${state.shown}
        options=${[[0, "the first layer"], [1, "every other layer"]]} onChange=${(shown) => change({ shown })} /><//>`}
      ${isWrong && html`<p class="note" role="status">${now === null ? "Nothing to draw yet: the text on the left is not a mechanism."
        : html`The text on the left is not a mechanism; what follows is of <code>${now.plan.mask}</code>.`}</p>`}
      <div class=${dims}>
      <${Lengths} length=${isRead && !isWrong ? reads.response.length : null} state=${state} change=${change} place=${place} />
      ${!isNarrow && inShort}
      ${!isNarrow && map}
      <${PlanPanel} found=${plan} saving=${saving} machine=${MACHINES[state.device]} algorithms=${algorithms} />
      <${GrowthPanel} found=${growth} request=${request.mechanism} quantity=${state.quantity} compare=${state.compare}
        change=${change} saving=${saving} place=${place} algorithms=${algorithms} isFixed=${now !== null && now.growth === null} />
      <${ReachPanel} found=${reach} state=${state} change=${change} clipped=${now !== null && isClipped(state)} saving=${saving} />
      </div>
    </div>
  </div>`;
}

function requestOf({ mask, second, shown, scores, weighting, tokens, grid, batch, heads, groups, width, device, dtype, backward }) {
  const rest = { scores, weighting, tokens, grid, batch, heads, groups, width, device, dtype: dtype || null, backward };
  const both = second.trim() !== "";
  return {
    mechanism: { mask: both && shown ? second : mask, ...rest },
    second: both ? { mask: shown ? mask : second, ...rest } : null,
    masks: both ? [mask, second] : [mask],
  };
}

// length: how many tokens the mask's own lengths hold; then there is no growth to ask for.
function requestsOf(state, { mechanism, masks }, length) {
  const { tokens, ...always } = mechanism;
  const few = followedOf(state);
  const count = few.grid ? few.grid[0] * few.grid[1] : few.tokens;
  const output = state.output !== null && state.output < count ? state.output : null;
  return {
    pattern: { mask: mechanism.mask, tokens, grid: state.grid, block: state.block },
    plan: mechanism,
    growth: length === null ? { ...always, grid: state.grid && [1, 1] } : null,
    reach: { masks: masks.slice(0, state.layers), ...few, layers: state.layers, residual: state.residual, output },
  };
}

const followedOf = ({ tokens, grid }) =>
  grid && grid[0] * grid[1] > FOLLOWED
    ? { tokens, grid: grid.map((side) => Math.min(side, Math.sqrt(FOLLOWED))) }
    : { tokens: grid ? tokens : Math.min(tokens, FOLLOWED), grid };
const isClipped = (state) => JSON.stringify(followedOf(state)) !== JSON.stringify({ tokens: state.tokens, grid: state.grid });

function Mechanism({ known, state, change, wrong, place }) {
  const group = useId();
  const presets = known.response?.presets ?? [];
  const same = (one) => ["mask", "second", "scores", "weighting"].every((name) => one[name] === state[name]) && Boolean(one.grid) === Boolean(state.grid);
  const chosen = presets.find(same);
  // Sizes stay, but where a mask needs a grid, or a line.
  const take = ({ mask, second, scores, weighting, grid, layers }) =>
    change({ mask, second, scores, weighting, grid: grid && (state.grid ?? grid), layers, depth: null, output: null, shown: 0 });
  const isUnusual = state.second.trim() !== "" || state.scores !== start.scores || state.weighting !== start.weighting;
  const scores = useMemo(() => (SCORES.includes(state.scores) ? SCORES : [...SCORES, state.scores]).map((one) => [one, one]), [state.scores]);
  const weightings = WEIGHTINGS.some(([one]) => one === state.weighting) ? WEIGHTINGS : [...WEIGHTINGS, [state.weighting, state.weighting]];
  return html`<${Panel} title="Mechanism">
    <${Status} error=${known.error} waiting=${!known.response && known.waiting} lines=${10} />
    <fieldset class="patterns-presets"><legend class="unseen">Start from</legend>
      ${presets.map((one) => html`<label><input type="radio" name=${group} value=${one.name} checked=${one === chosen} onChange=${() => take(one)} />
        <span>${one.title}</span></label>`)}
    </fieldset>
    <p class="note patterns-says">${chosen ? chosen.says : "Your own."}<${ClaimLink} claim=${chosen?.claim} place=${place} /></p>
    <div class="stack">
      <div class="patterns-written">
        <div><${TextField} label="Mask: who may see whom" live lines=${1} value=${state.mask} max=${300} onChange=${(mask) => change({ mask })} />
          <${Wrong} text=${wrong.mask} /></div>
        <${Words} words=${known.response?.words ?? []} />
      </div>
      <details open=${isUnusual}><summary>Scores, weights, and a mask of every other layer</summary><div class="stack patterns-unusual">
        <div class="patterns-written"><${TextField} label="Mask of every other layer, if it differs" live lines=${1} value=${state.second} max=${300}
          onChange=${(second) => change({ second, shown: second.trim() ? state.shown : 0 })} /><${Wrong} text=${wrong.second} /></div>
      <div><${Select} label="Scores" value=${state.scores} options=${scores} onChange=${(value) => change({ scores: value })} />
        <${Wrong} text=${wrong.scores} /></div>
      <div><${Select} label="Weights" value=${state.weighting} options=${weightings} onChange=${(weighting) => change({ weighting })} />
        <${Wrong} text=${wrong.weighting} /></div>
      </div></details>
    </div>
  <//>`;
}

// Lengths that the mask has of its own, where they are not the tokens'.
function Lengths({ length, state, change, place }) {
  if (length === null || length === state.tokens) return null;
  const rest = state.tokens - length;
  return html`<p class="patterns-lengths" role="status">The lengths in this mask hold ${formatCount(length)} tokens, and N is ${formatCount(state.tokens)}: the last ${formatCount(rest)} are padding.${place !== "file" && html` <button onClick=${() => change({ tokens: length, output: null })}>Use N = ${formatCount(length)}</button>`}</p>`;
}

const Wrong = ({ text }) => html`<div role="status" aria-live="polite">${text && html`<p class="error patterns-wrong">${text}</p>`}</div>`;

function Words({ words }) {
  return html`<details class="patterns-words"><summary>How to write a mask</summary>
    <p>Names, joined by <code>&</code> (both), <code>|</code> (either), <code>~</code> (not) and parentheses:</p>
    <ul>${words.map((word) => html`<li><code>${word}</code></li>`)}</ul>
    <p><code>window(256)</code> is the 256 keys before a query and itself, 257 in all; <code>window(64, 64)</code> as many after it too.</p>
    <p>Example: <code>causal & (window(16) | strided(64))</code>. Neighbours, tiles, rows, columns and axial need a grid.</p>
  </details>`;
}

function Sizes({ devices, state, change, wrong }) {
  const { grid, heads, groups } = state;
  const divisors = Array.from({ length: heads - 1 }, (_, i) => heads - 1 - i).filter((part) => heads % part === 0);
  const parts = groups === null || divisors.includes(groups) ? divisors : [groups, ...divisors];
  const side = (place) => (value) => change({ grid: grid.map((one, i) => (i === place ? value : one)), output: null });
  return html`<${Panel} title="Sizes and machine">
    <div class="stack patterns-sizes">
      <${Toggle} label="tokens on a grid" value=${grid !== null} onChange=${(on) => change({ grid: on ? [64, 64] : null, output: null })} />
      ${grid
        ? html`<${Steps} label="Rows" value=${grid[0]} values=${SIDES} onChange=${side(0)} />
          <${Steps} label="Columns" value=${grid[1]} values=${SIDES} onChange=${side(1)} />`
        : html`<${Steps} label="Tokens N" value=${state.tokens} values=${TOKENS} onChange=${(tokens) => change({ tokens, output: null })} />`}
      <${Steps} label="Heads" value=${heads} values=${POWERS} onChange=${(count) => change({ heads: count, ...(groups && count % groups && { groups: null }) })} />
      <div><${Select} label="Key-value heads" value=${groups ?? ""} onChange=${(count) => change({ groups: count ? Number(count) : null })}
        options=${[["", `${formatCount(heads)}, as many`], ...parts.map((part) => [part, formatCount(part)])]} />
        <${Wrong} text=${wrong.groups} /></div>
      <${Steps} label="Head width" value=${state.width} values=${[8, 16, 32, 48, 64, 80, 96, 128, 192, 256]} onChange=${(width) => change({ width })} />
      <${Steps} label="Batch" value=${state.batch} values=${POWERS} onChange=${(batch) => change({ batch })} />
      <${Steps} label="Blocks, a side" value=${state.block} values=${[16, 32, 64, 128, 256]} onChange=${(block) => change({ block })} />
      <${Select} label="Machine" value=${state.device} options=${devices.map((name) => [name, MACHINES[name] ?? name])}
        onChange=${(device) => change({ device })} />
      <${Select} label="Numbers" value=${state.dtype} options=${TYPES} onChange=${(dtype) => change({ dtype })} />
      <${Toggle} label="include the backward pass" value=${state.backward} onChange=${(backward) => change({ backward })} />
      <${Definitions} of=${["token", "head", "width", "batch", "block"]} />
    </div>
  <//>`;
}

export default {
  name: "patterns",
  title: "Patterns and cost",
  about: "Choose who may see whom, how many tokens and a machine: see the mask, the fastest exact algorithm, what it costs, whether it fits, and how far stacked layers reach.",
  state: start,
  View,
};
