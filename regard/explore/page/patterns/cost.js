// The plan and its cost: each exact algorithm, the chosen one first, why the others refuse, and how the cost grows.
import { html, useRef } from "../vendor/preact.js";
import { CurveKey, Lines } from "../parts/chart.js";
import { curve as curveOf, ownCurve } from "../parts/colour.js";
import { Choice, NumberCell, Slider, readWhole } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatColumn, formatCount, formatExact, formatSize, significant } from "../parts/numbers.js";
import { Exact, Panel, Scrolls, Status } from "../parts/shell.js";
import { Word } from "../parts/words.js";

export const QUANTITIES = {
  flops: { name: "FLOPs", unit: "FLOP", axis: "FLOPs", about: "work of matrix products, two per multiply-add" },
  bytes: { name: "Bytes moved", unit: "B", axis: "bytes moved", about: "what must cross the memory bus" },
  memory: { name: "Memory", title: "Memory beside q, k, v", unit: "B", axis: "bytes at the peak, beside q, k, v", about: "the peak, beside q, k and v" },
  seconds: { name: "Time", unit: "s", axis: "microseconds, predicted", times: 1e6, about: "predicted for the machine chosen" },
};

// A link to a claim, on the page only.
export function ClaimLink({ claim, place }) {
  if (!claim || place !== "page") return null;
  return html` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({ claim }))}`}>${claim}</a>)`;
}

// A slider over a list of sizes, evenly spaced; any size between them can be typed.
export function Steps({ label, value, values, onChange }) {
  const at = values.reduce((best, one, i) => (Math.abs(Math.log(one / value)) < Math.abs(Math.log(values[best] / value)) ? i : best), 0);
  const next = (place) => onChange(values[place]);
  return html`<${Slider} label=${label} value=${at} min=${0} max=${values.length - 1} step=${1} onChange=${next} says=${(place) => formatCount(place === at ? value : values[place])}
    typed=${html`<${NumberCell} label=${`${label}, typed`} value=${value} step=${1} least=${1} most=${values.at(-1)} read=${readWhole} says=${formatCount} onChange=${onChange} />`} />`;
}

// 16, 24, 32, 48 … up to a limit.
export function sizesUpTo(first, last) {
  const found = [];
  for (let size = first; size <= last; size *= 2) found.push(...(size * 1.5 <= last ? [size, size * 1.5] : [size]));
  return found;
}


const COLUMNS = ["seconds", "memory", "flops", "bytes"]; // what decides first: a phone shows no more

export function PlanPanel({ found, saving, machine, algorithms }) {
  const picture = useRef(null);
  const plan = found.response;
  const exact = plan?.candidates.filter((one) => one.refusal === null) ?? [];
  const refused = plan?.candidates.filter((one) => one.refusal !== null) ?? [];
  const numbers = () => {
    const data = exact.flatMap((one) => COLUMNS.map((name) => one[name]));
    return { plan: { shape: [exact.length, COLUMNS.length], data, rows: exact.map((one) => one.name), columns: COLUMNS, axes: ["algorithm", "cost"] } };
  };
  const told = plan && `The plan for ${plan.value.replace("Content(beta=None)", "Content()")} of ${sizesOf(plan)}, on ${machine}: what each exact algorithm costs. Times by a table: ${plan.basis}.`;
  const menu = plan && html`<${Export} name="plan" of=${picture} caption=${told} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="The plan" actions=${menu} stale=${found.stale}>
    <${Status} error=${found.error} waiting=${!plan && found.waiting} lines=${6} />
    ${plan && html`<div ref=${picture}>
      <p class="patterns-headline"><b data-chosen=${plan.chosen}><${Word} of=${plan.chosen} /></b> is predicted to be the fastest <${Word} of="exact">exact<//> way to this
        ${" "}<${Word} of="mechanism">mechanism<//>: <b>${formatSize(plan.candidates[0].seconds, "s")}</b>.${beside(plan)}</p>
      <${Fit} plan=${plan} />
      <p class="patterns-value">${plan.value.replace("Content(beta=None)", "Content()")}</p>
      <p class="note">${sizesOf(plan)}, in ${plan.dtype}, on ${machine}. Times by a table: ${plan.basis}.</p>
      <${Scrolls} tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${COLUMNS.map((name) => html`<th class="number"><${Word} of=${QUANTITIES[name].name}>${QUANTITIES[name].title ?? QUANTITIES[name].name}<//></th>`)}</tr></thead>
        <tbody>
          ${exact.map((one) => html`<tr class=${one.name === plan.chosen ? "patterns-chosen" : ""}>
            <th scope="row"><${CurveKey} ...${ownCurve(algorithms.indexOf(one.name))} /><${Word} of=${one.name} />${one.name === plan.chosen && html` <span class="badge">chosen</span>`}</th>
            <${Cells} one=${one} />
          </tr>`)}
          ${["causal", "full"].map((name) => plan[name] && html`<tr class="patterns-full"><th scope="row">${name} attention, ${plan[name].name}</th>
            <${Cells} one=${{ ...plan[name], name }} /></tr>`)}
        </tbody>
      </table><//>
      ${refused.length > 0 && html`<details class="patterns-refused"><summary>${refused.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${refused.map((one) => html`<dt><${Word} of=${one.name} /></dt><dd data-refusal=${one.name}>${one.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`;
}

function Cells({ one }) {
  return COLUMNS.map((name) => html`<td class="number" data-cost=${`${one.name} ${name}`} title=${exactly(one[name], name)}>
    ${formatSize(one[name], QUANTITIES[name].unit)}</td>`);
}

const exactly = (value, name) => `${formatExact(value)} ${QUANTITIES[name].unit}`;

// What causal attention, where this mask looks back only, and full attention take on the same tokens, where that differs.
const beside = (plan) => ["causal", "full"].map((name) => plan[name] && besides(plan, plan[name], `${name[0].toUpperCase()}${name.slice(1)} attention`)).filter(Boolean).join("");

function besides(plan, other, title) {
  const [own] = plan.candidates;
  const ratio = (name) => significant(other[name] / own[name], 2);
  const times = (name, of) => (Number.isFinite(ratio(name)) && ratio(name) !== 1 ? [`${ratio(name)} times the ${of}`] : []);
  const said = [...times("flops", "FLOPs"), ...times("memory", "memory"), ...times("seconds", "predicted time")];
  const slower = ratio("seconds") < 1 ? " This mechanism saves no time beside it at this size." : "";
  return said.length ? ` ${title}, another mechanism, takes ${said.join(", ").replace(/, ([^,]*)$/, " and $1")}.${slower}` : "";
}

// Whether q, k, v, the output and what the chosen way needs beside them fit into the machine's memory.
function Fit({ plan: { chosen, candidates, room, inputs } }) {
  const needed = inputs + (candidates[0].memory ?? 0);
  const parts = html` That is ${formatSize(inputs, "B")} for q, k and v, and ${formatSize(candidates[0].memory ?? 0, "B")} beside them, as in the table.`;
  const needs = html`<b><${Exact} value=${needed} as=${(value) => formatSize(value, "B")} /></b>`;
  if (room === null) return html`<p data-fits="unknown">With q, k, v and the output ${chosen} needs ${needs}; how much memory the machine has is not known here.${parts}</p>`;
  if (needed <= room) return html`<p data-fits="true">It fits: with q, k, v and the output ${chosen} needs ${needs} of the ${formatSize(room, "B")} of this machine.${parts}</p>`;
  return html`<p class="error" data-fits="false" data-too-large>It does not fit: with q, k, v and the output ${chosen} needs ${needs}, and this machine has ${formatSize(room, "B")}.${parts}
    ${" "}Use fewer tokens, heads or rows of a batch.</p>`;
}

// The answer in a line, above all figures.
export function InShort({ found: { response: plan, waiting, stale }, machine, isOutdated }) {
  if (!plan) return html`<${Status} waiting=${waiting} lines=${1} />`;
  const [{ flops, seconds, memory }] = plan.candidates;
  const fits = plan.room === null ? "" : plan.inputs + (memory ?? 0) <= plan.room ? ": it fits" : html`: <b class="patterns-unfit">it does not fit</b>`;
  const part = (value, unit, after = "") => html`<span><b><${Exact} value=${value} as=${(one) => formatSize(one, unit)} /></b>${after}</span>`;
  return html`<p class=${`patterns-short${stale || isOutdated ? " outdated" : ""}`} aria-label="In short" aria-busy=${stale ? "true" : null}><span class="patterns-sized">${sizesOf(plan)} on ${machine}:</span> ${part(seconds, "s", " predicted")}${part(flops, "FLOP")}${part(plan.inputs + (memory ?? 0), "B", html` of memory, q, k and v included${fits}`)}</p>`;
}

// The sizes of a problem in words: its letters are those of the library.
function sizesOf({ shape: { B, H, G, T, S, D, E } }) {
  const heads = `${formatCount(H)} ${H === 1 ? "head" : "heads"}${G === H ? "" : ` on ${formatCount(G)} of keys and values`}`;
  const tokens = T === S ? `${formatCount(T)} ${T === 1 ? "token" : "tokens"}` : `${formatCount(T)} queries and ${formatCount(S)} keys`;
  const width = D === E ? `width ${formatCount(D)}` : D ? `width ${D}, values of ${E}` : `values of width ${E}`; // without content there are no keys
  return `${tokens}, ${heads} ${D ? "of" : "with"} ${width}${B > 1 ? `, a batch of ${formatCount(B)}` : ""}`;
}

const SIGNS = ["①", "②", "③", "④"];

export function GrowthPanel({ found, request, quantity, compare, change, saving, place, algorithms, isFixed }) {
  const picture = useRef(null);
  const growth = isFixed ? null : found.response;
  const curves = growth ? shownOf(growth, quantity, compare, algorithms) : [];
  const crossings = growth && compare === "full" ? crossingsOf(growth, quantity) : [];
  const numbers = () => {
    const each = (curve) => Object.keys(QUANTITIES).map((name) => ({ name: `${curve.name}, ${name}`, data: curve[name] }));
    const columns = growth.curves.flatMap(each).filter((one) => one.data.some((value) => value !== null));
    const data = growth.tokens.flatMap((_, i) => columns.map((one) => one.data[i]));
    return { growth: { shape: [growth.tokens.length, columns.length], data, rows: growth.tokens, columns: columns.map((one) => one.name), axes: ["tokens", "cost"] } };
  };
  const menu = growth && html`<${Export} name="growth" of=${picture} caption=${`How the cost of ${request.mask} grows with the number of tokens: ${QUANTITIES[quantity].about}.`} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="How the cost grows" actions=${menu} stale=${found.stale}>
    ${isFixed && html`<p>This mask has lengths of its own, which stay as they are however many tokens there are: more tokens would only be padding, so that no growth is drawn.
      ${" "}The plan above is its cost; other lengths have another.</p>`}
    <div class="row patterns-choices">
      <${Choice} label="Show" value=${quantity} options=${Object.entries(QUANTITIES).map(([name, one]) => [name, one.name])}
        onChange=${(value) => change({ quantity: value })} />
      <${Choice} label="of" value=${compare} options=${[["full", "the mechanism and full attention"], ["algorithms", "each algorithm"]]}
        onChange=${(value) => change({ compare: value })} />
    </div>
    <${Status} error=${found.error} waiting=${!growth && !isFixed && found.waiting} lines=${8} />
    ${growth && html`<div ref=${picture}>
      <p class="patterns-axis">${QUANTITIES[quantity].axis} <span aria-hidden="true">↑</span></p>
      <${Lines} series=${curves} label=${`${QUANTITIES[quantity].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${growth.sides ? "tokens N, on square grids" : "tokens N"} says=${formatSize} marks=${marksOf(crossings)} />
      ${crossings.length > 0 && html`<ol class="patterns-crossings">
        ${crossings.map((one, i) => html`<li><span aria-hidden="true">${SIGNS[i]}</span><span><${CrossingText} one=${one} request=${request} place=${place} /></span></li>`)}
      </ol>`}
      <p class="note"><${Steepness} curves=${curves} />${compare === "full" ? ` ${choices(growth)}` : ""}</p>
    </div>`}
  <//>`;
}

function shownOf(growth, quantity, compare, algorithms) {
  const wanted = compare === "full" ? ["ours", "full", "projections"] : ["algorithm"];
  const times = QUANTITIES[quantity].times ?? 1;
  const drawn = (numbers) => numbers.map((value) => (value === null ? NaN : value * times));
  return growth.curves
    .filter((curve) => wanted.includes(curve.kind) && curve[quantity].some((value) => value > 0))
    .map((curve) => ({ name: curve.name, x: growth.tokens, y: drawn(curve[quantity]), exponent: curve.exponent[quantity], ...(curve.kind === "algorithm" ? ownCurve(algorithms.indexOf(curve.name)) : curveOf(wanted.indexOf(curve.kind))) }));
}

// One mark where several cross.
function marksOf(crossings) {
  const signs = new Map();
  crossings.forEach((one, i) => signs.set(one.tokens, `${signs.get(one.tokens) ?? ""}${SIGNS[i]}`));
  return [...signs].map(([x, name]) => ({ x, name }));
}

// The crossings worth showing: where the mechanism undercuts full attention, and where either outgrows the projections;
// once where the mechanism is full attention itself.
function crossingsOf(growth, quantity) {
  const found = growth.crossings.filter((one) => one.quantity === quantity && (one.more || one.right !== "projections"));
  const isFull = !found.some((one) => one.left === "this mechanism" && one.right === "full attention") && same(growth, quantity);
  return found.filter((one) => !(isFull && one.left === "this mechanism")).sort((one, other) => one.tokens - other.tokens);
}

function same(growth, quantity) {
  const [ours, full] = ["ours", "full"].map((kind) => growth.curves.find((curve) => curve.kind === kind)[quantity]);
  return ours.every((value, i) => value === full[i]);
}

function CrossingText({ one, request, place }) {
  const takes = { flops: "costs", seconds: "takes" }[one.quantity] ?? "needs";
  const claim = one.right === "projections" ? "eecs.2d" : ["softmax", "hard"].includes(request.weighting) ? "udl.8" : "udl.10";
  const right = one.right === "projections" ? "the projections of q, k, v and the output" : one.right;
  const law = one.right === "projections" && one.tokens === 2 * request.heads * request.width ? ": twice the width of all heads together" : "";
  const says = `on ${one.left} ${takes} ${one.more ? "at least as much as" : "less than"} ${right}${law}`;
  return html`From ${one.exact ? "" : "about "}<b data-crossing=${`${one.left} ${one.right}`}>N = ${formatCount(one.tokens)}</b> ${says}<${ClaimLink} claim=${claim} place=${place} />.`;
}

// How each curve climbs at its end: 1 for N, 2 for N².
function Steepness({ curves }) {
  const known = curves.filter((curve) => curve.exponent !== null);
  if (!known.length) return null;
  return html`At the end they grow as ${known.map((curve, i) => html`${i ? ", " : ""}N<sup>${formatColumn(curve.exponent, 2)}</sup> (${curve.name})`)}.`;
}

// Which algorithm is chosen from which size on.
function choices(growth) {
  const turns = growth.chosen.map((name, i) => [name, growth.tokens[i]]).filter(([name], i) => name && name !== growth.chosen[i - 1]);
  const named = turns.map(([name, from], i) => (i ? `${name} from ${formatCount(from)}` : name)).join(", ");
  return `${named && `Chosen: ${named}. `}Up to ${formatCount(growth.tokens.at(-1))} tokens are compared.`;
}
