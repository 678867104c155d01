// The plan and its cost: each exact algorithm, the chosen one first, why the others refuse, and how the cost grows.
import { html, useRef } from "../vendor/preact.js";
import { Lines } from "../parts/chart.js";
import { Choice, Slider } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatNumber, formatPercent, formatShort } from "../parts/numbers.js";
import { Panel, Status } from "../parts/shell.js";
import { Word } from "../parts/words.js";

const PREFIXES = [[1e18, "E"], [1e15, "P"], [1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

// Three significant digits and a prefix, as the command line prints them: 4.3 TFLOP, 310 µs.
export function si(value, unit) {
  if (value === null || value === undefined) return "–";
  const rounded = Number(value.toPrecision(3)); // before the prefix is chosen: 999.96 is 1 k
  if (rounded === 0) return `0 ${unit}`;
  const [size, prefix] = PREFIXES.find(([least]) => Math.abs(rounded) >= least * 0.9999999) ?? PREFIXES.at(-1);
  return `${Number((rounded / size).toPrecision(3))} ${prefix}${unit}`;
}

export const QUANTITIES = {
  flops: { name: "FLOPs", unit: "FLOP", axis: "FLOPs", about: "work of matrix products, two per multiply-add" },
  bytes: { name: "Bytes moved", unit: "B", axis: "bytes moved", about: "what must cross the memory bus" },
  memory: { name: "Memory", unit: "B", axis: "bytes at the peak", about: "the peak beyond the inputs" },
  seconds: { name: "Time", unit: "s", axis: "microseconds, predicted", times: 1e6, about: "predicted for the machine chosen" },
};

export const whole = (number) => number.toLocaleString("en");
export const share = (part, of) => formatPercent(part / of, 3);

// A link to a claim, on the page only.
export function ClaimLink({ claim, place }) {
  if (!claim || place !== "page") return null;
  return html` (<a href=${`#claims?${encodeURIComponent(JSON.stringify({ claim }))}`}>${claim}</a>)`;
}

// A slider over a list of sizes, evenly spaced.
export function Steps({ label, value, values, onChange, says = whole }) {
  const at = values.reduce((best, one, i) => (Math.abs(Math.log(one / value)) < Math.abs(Math.log(values[best] / value)) ? i : best), 0);
  return html`<${Slider} label=${label} value=${at} min=${0} max=${values.length - 1} step=${1}
    onChange=${(place) => onChange(values[place])} says=${(place) => says(place === at ? value : values[place])} />`;
}

// 16, 24, 32, 48 … up to a limit.
export function sizesUpTo(first, last) {
  const found = [];
  for (let size = first; size <= last; size *= 2) found.push(...(size * 1.5 <= last ? [size, size * 1.5] : [size]));
  return found;
}


const COLUMNS = ["flops", "bytes", "memory", "seconds"];

export function PlanPanel({ found, saving }) {
  const picture = useRef(null);
  const plan = found.response;
  const exact = plan?.candidates.filter((one) => one.refusal === null) ?? [];
  const refused = plan?.candidates.filter((one) => one.refusal !== null) ?? [];
  const numbers = () => {
    const data = exact.flatMap((one) => COLUMNS.map((name) => one[name]));
    return { plan: { shape: [exact.length, COLUMNS.length], data, rows: exact.map((one) => one.name), columns: COLUMNS, axes: ["algorithm", "cost"] } };
  };
  const menu = plan && html`<${Export} name="plan" of=${picture} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="The plan" actions=${menu}>
    <${Status} error=${found.error} waiting=${!plan && found.waiting} lines=${6} />
    ${plan && html`<div ref=${picture}>
      <p class="patterns-headline"><b data-chosen=${plan.chosen}>${plan.chosen}</b> is predicted to be the fastest <${Word} of="exact">exact<//> way to this mechanism.${beside(plan)}</p>
      ${tooLarge(plan) && html`<p class="error" data-too-large>${tooLarge(plan)}</p>`}
      <p class="patterns-value">${plan.value.replace("Content(beta=None)", "Content()")}</p>
      <p class="note">${Object.entries(plan.shape).map(([name, size]) => `${name} = ${whole(size)}`).join(" · ")} · ${plan.dtype} · ${plan.device}</p>
      <p class="note">Times by the table ${plan.device}: ${plan.basis}.</p>
      <div class="scrolls" tabindex="0" role="region" aria-label="Algorithms and their costs"><table class="lines patterns-plan">
        <thead><tr><th>algorithm</th>
          ${COLUMNS.map((name) => html`<th class="number" title=${QUANTITIES[name].about}>${QUANTITIES[name].name}</th>`)}</tr></thead>
        <tbody>
          ${exact.map((one) => html`<tr class=${one.name === plan.chosen ? "patterns-chosen" : ""}>
            <th scope="row">${one.name}${one.name === plan.chosen && html` <span class="badge">chosen</span>`}</th>
            <${Cells} one=${one} />
          </tr>`)}
          <tr class="patterns-full"><th scope="row">full attention, ${plan.full.name}</th>
            <${Cells} one=${{ ...plan.full, name: "full" }} /></tr>
        </tbody>
      </table></div>
      ${refused.length > 0 && html`<details class="patterns-refused"><summary>${refused.length} other algorithms would not be exact here, or cannot run</summary>
        <dl>${refused.map((one) => html`<dt>${one.name}</dt><dd data-refusal=${one.name}>${one.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`;
}

function Cells({ one }) {
  return COLUMNS.map((name) => html`<td class="number" data-cost=${`${one.name} ${name}`} title=${exactly(one[name], name)}>
    ${si(one[name], QUANTITIES[name].unit)}</td>`);
}

const exactly = (value, name) => (name === "seconds" ? `${value} s` : `${whole(value)} ${QUANTITIES[name].unit}`);

// What full attention, without this mask, takes on the same tokens, where that differs.
function beside(plan) {
  const [own] = plan.candidates;
  const ratio = (name) => Number((plan.full[name] / own[name]).toPrecision(2));
  const times = (name, of) => (Number.isFinite(ratio(name)) && ratio(name) !== 1 ? [`${ratio(name)} times the ${of}`] : []);
  const said = [...times("flops", "FLOPs"), ...times("memory", "memory"), ...times("seconds", "predicted time")];
  const slower = ratio("seconds") < 1 ? " This mechanism saves no time at this size." : "";
  return said.length ? ` Full attention, another mechanism, takes ${said.join(", ").replace(/, ([^,]*)$/, " and $1")}.${slower}` : "";
}

// A warning where q, k, v and the chosen way's peak do not fit into the machine's memory.
function tooLarge({ chosen, candidates, room, inputs, device }) {
  const needed = inputs + (candidates[0].memory ?? 0);
  if (room === null || needed <= room) return null;
  return `It does not fit: ${chosen} needs ${si(needed, "B")} with q, k, v and the output, and ${device} has ${si(room, "B")}. Use fewer tokens, heads or rows of a batch.`;
}


const SIGNS = ["①", "②", "③", "④"];
const says = (value) => (Math.abs(value) >= 1e7 ? formatShort(value) : formatNumber(value));

export function GrowthPanel({ found, request, quantity, compare, change, saving, place }) {
  const picture = useRef(null);
  const growth = found.response;
  const curves = growth ? shownOf(growth, quantity, compare) : [];
  const crossings = growth && compare === "full" ? crossingsOf(growth, quantity) : [];
  const numbers = () => {
    const each = (curve) => Object.keys(QUANTITIES).map((name) => ({ name: `${curve.name}, ${name}`, data: curve[name] }));
    const columns = growth.curves.flatMap(each).filter((one) => one.data.some((value) => value !== null));
    const data = growth.tokens.flatMap((_, i) => columns.map((one) => one.data[i]));
    return { growth: { shape: [growth.tokens.length, columns.length], data, rows: growth.tokens, columns: columns.map((one) => one.name), axes: ["tokens", "cost"] } };
  };
  const menu = growth && html`<${Export} name="growth" of=${picture} caption=${`How the cost of ${request.mask} grows with the number of tokens: ${QUANTITIES[quantity].about}.`} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="How the cost grows" actions=${menu}>
    <div class="row patterns-choices">
      <${Choice} label="Show" value=${quantity} options=${Object.entries(QUANTITIES).map(([name, one]) => [name, one.name])}
        onChange=${(value) => change({ quantity: value })} />
      <${Choice} label="of" value=${compare} options=${[["full", "the mechanism and full attention"], ["algorithms", "each algorithm"]]}
        onChange=${(value) => change({ compare: value })} />
    </div>
    <${Status} error=${found.error} waiting=${!growth && found.waiting} lines=${8} />
    ${growth && html`<div ref=${picture}>
      <p class="patterns-axis">${QUANTITIES[quantity].axis} <span aria-hidden="true">↑</span></p>
      <${Lines} series=${curves} label=${`${QUANTITIES[quantity].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${growth.sides ? "tokens N, on square grids" : "tokens N"} says=${says} marks=${marksOf(crossings)} />
      ${crossings.length > 0 && html`<ol class="patterns-crossings">
        ${crossings.map((one, i) => html`<li><span aria-hidden="true">${SIGNS[i]}</span><span><${CrossingText} one=${one} request=${request} place=${place} /></span></li>`)}
      </ol>`}
      <p class="note"><${Steepness} curves=${curves} />${compare === "full" ? ` ${choices(growth)}` : ""}</p>
    </div>`}
  <//>`;
}

function shownOf(growth, quantity, compare) {
  const wanted = compare === "full" ? ["ours", "full", "projections"] : ["algorithm"];
  const times = QUANTITIES[quantity].times ?? 1;
  const drawn = (numbers) => numbers.map((value) => (value === null ? NaN : value * times));
  return growth.curves
    .filter((curve) => wanted.includes(curve.kind) && curve[quantity].some((value) => value > 0))
    .map((curve) => ({ name: curve.name, x: growth.tokens, y: drawn(curve[quantity]), exponent: curve.exponent[quantity] }));
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
  return html`From ${one.exact ? "" : "about "}<b data-crossing=${`${one.left} ${one.right}`}>N = ${whole(one.tokens)}</b> ${says}<${ClaimLink} claim=${claim} place=${place} />.`;
}

// How each curve climbs at its end: 1 for N, 2 for N².
function Steepness({ curves }) {
  const known = curves.filter((curve) => curve.exponent !== null);
  if (!known.length) return null;
  return html`At the end they grow as ${known.map((curve, i) => html`${i ? ", " : ""}N<sup>${curve.exponent.toFixed(2)}</sup> (${curve.name})`)}.`;
}

// Which algorithm is chosen from which size on.
function choices(growth) {
  const turns = growth.chosen.map((name, i) => [name, growth.tokens[i]]).filter(([name], i) => name && name !== growth.chosen[i - 1]);
  const named = turns.map(([name, from], i) => (i ? `${name} from ${whole(from)}` : name)).join(", ");
  return `${named && `Chosen: ${named}. `}Up to ${whole(growth.tokens.at(-1))} tokens are compared.`;
}
