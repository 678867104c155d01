// How cost grows with the number of tokens, beside full attention, and where one overtakes the other.
import { html, useRef } from "../vendor/preact.js";
import { Lines } from "./chart.js";
import { Choice } from "./controls.js";
import { Export } from "./export.js";
import { short, told } from "./numbers.js";
import { ClaimLink, QUANTITIES, whole } from "./pattern_units.js";
import { Panel, Said } from "./shell.js";

const SIGNS = ["①", "②", "③", "④"];
const says = (value) => (Math.abs(value) >= 1e7 ? short(value) : told(value));

export function GrowthPanel({ found, asked, quantity, compare, change, saving, place }) {
  const picture = useRef(null);
  const growth = found.reply;
  const curves = growth ? shownOf(growth, quantity, compare) : [];
  const crossings = growth && compare === "full" ? crossingsOf(growth, quantity) : [];
  const numbers = () => {
    const each = (curve) => Object.keys(QUANTITIES).map((name) => ({ name: `${curve.name}, ${name}`, data: curve[name] }));
    const columns = growth.curves.flatMap(each).filter((one) => one.data.some((value) => value !== null));
    const data = growth.tokens.flatMap((_, i) => columns.map((one) => one.data[i]));
    return { growth: { shape: [growth.tokens.length, columns.length], data, rows: growth.tokens, columns: columns.map((one) => one.name) } };
  };
  const menu = growth && html`<${Export} name="growth" of=${picture} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="How the cost grows" actions=${menu}>
    <div class="row patterns-choices">
      <${Choice} label="Show" value=${quantity} options=${Object.entries(QUANTITIES).map(([name, one]) => [name, one.name])}
        onChange=${(value) => change({ quantity: value })} />
      <${Choice} label="of" value=${compare} options=${[["full", "it and full attention"], ["algorithms", "each algorithm"]]}
        onChange=${(value) => change({ compare: value })} />
    </div>
    <${Said} error=${found.error} waiting=${!growth && found.waiting} />
    ${growth && html`<div ref=${picture}>
      <p class="patterns-axis">${QUANTITIES[quantity].axis} <span aria-hidden="true">↑</span></p>
      <${Lines} series=${curves} label=${`${QUANTITIES[quantity].name} against the number of tokens`} yLabel="" logX logY height=${300}
        xLabel=${growth.sides ? "tokens N, on square grids" : "tokens N"} says=${says} marks=${marksOf(crossings)} />
      ${crossings.length > 0 && html`<ol class="patterns-crossings">
        ${crossings.map((one, i) => html`<li><span aria-hidden="true">${SIGNS[i]}</span><span><${Told} one=${one} asked=${asked} place=${place} /></span></li>`)}
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

// Those that tell something: where the mechanism undercuts full attention, and where either outgrows the projections.
// Equal ones are one: full attention itself is the mechanism.
function crossingsOf(growth, quantity) {
  const found = growth.crossings.filter((one) => one.quantity === quantity && (one.more || one.right !== "projections"));
  const isFull = !found.some((one) => one.left === "this mechanism" && one.right === "full attention") && same(growth, quantity);
  return found.filter((one) => !(isFull && one.left === "this mechanism")).sort((one, other) => one.tokens - other.tokens);
}

function same(growth, quantity) {
  const [ours, full] = ["ours", "full"].map((kind) => growth.curves.find((curve) => curve.kind === kind)[quantity]);
  return ours.every((value, i) => value === full[i]);
}

function Told({ one, asked, place }) {
  const takes = { flops: "costs", seconds: "takes" }[one.quantity] ?? "needs";
  const claim = one.right === "projections" ? "eecs.2d" : ["softmax", "hard"].includes(asked.weighting) ? "udl.8" : "udl.10";
  const right = one.right === "projections" ? "the projections of q, k, v and the output" : one.right;
  const law = one.right === "projections" && one.tokens === 2 * asked.heads * asked.width ? ": twice the width of all heads together" : "";
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
