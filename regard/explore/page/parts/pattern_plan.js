// The plan: what each exact algorithm costs, the chosen one first, and why the others refuse.
import { html, useRef } from "../vendor/preact.js";
import { Export } from "./export.js";
import { QUANTITIES, si, whole } from "./pattern_units.js";
import { Panel, Said } from "./shell.js";

const COLUMNS = ["flops", "bytes", "memory", "seconds"];

export function PlanPanel({ found, saving }) {
  const picture = useRef(null);
  const plan = found.reply;
  const exact = plan?.candidates.filter((one) => one.refusal === null) ?? [];
  const refused = plan?.candidates.filter((one) => one.refusal !== null) ?? [];
  const numbers = () => {
    const data = exact.flatMap((one) => COLUMNS.map((name) => one[name]));
    return { plan: { shape: [exact.length, COLUMNS.length], data, rows: exact.map((one) => one.name), columns: COLUMNS } };
  };
  const menu = plan && html`<${Export} name="plan" of=${picture} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="The plan" actions=${menu}>
    <${Said} error=${found.error} waiting=${!plan && found.waiting} />
    ${plan && html`<div ref=${picture}>
      <p class="patterns-headline"><b data-chosen=${plan.chosen}>${plan.chosen}</b> is the fastest exact way here.${beside(plan)}</p>
      <p class="patterns-value">${plan.value.replace("Content(beta=None)", "Content()")}</p>
      <p class="note">${Object.entries(plan.shape).map(([name, size]) => `${name} = ${whole(size)}`).join(" · ")} · ${plan.dtype} · ${plan.device}</p>
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
      ${refused.length > 0 && html`<details class="patterns-refused"><summary>${refused.length} others would not be exact, or not run, here</summary>
        <dl>${refused.map((one) => html`<dt>${one.name}</dt><dd data-refusal=${one.name}>${one.refusal}</dd>`)}</dl></details>`}
    </div>`}
  <//>`;
}

function Cells({ one }) {
  return COLUMNS.map((name) => html`<td class="number" data-cost=${`${one.name} ${name}`} title=${exactly(one[name], name)}>
    ${si(one[name], QUANTITIES[name].unit)}</td>`);
}

const exactly = (value, name) => (name === "seconds" ? `${value} s` : `${whole(value)} ${QUANTITIES[name].unit}`);

// What full attention takes on the same tokens, where that differs.
function beside(plan) {
  const [own] = plan.candidates;
  const times = (name, of) => {
    const ratio = Number((plan.full[name] / own[name]).toPrecision(2));
    return Number.isFinite(ratio) && ratio !== 1 ? [`${ratio} times the ${of}`] : [];
  };
  const said = [...times("flops", "FLOPs"), ...times("memory", "memory"), ...times("seconds", "predicted time")];
  return said.length ? ` Full attention takes ${said.join(", ").replace(/, ([^,]*)$/, " and $1")}.` : "";
}
