// Three doors to the views, and the user's own runs as they go on.
import { html } from "../vendor/preact.js";
import { latest, useRuns } from "../runs/live.js";

const SHOWN = 2; // runs
const DOORS = [
  ["Learn", "playground", "The playground: every number of attention, in five steps", "claims", "Claims: check what you know, and get the counterexample"],
  ["Inspect", "maps", "Maps: what each head of a model looks at in your text", "heads", "Heads: gaussian heads, from training to convolution"],
  ["Design", "patterns", "Patterns: who may see whom, what it costs, how far it reaches", null, null],
];

export function Doors({ ask, place }) {
  return html`<div class="start-doors">
    ${DOORS.map(([title, view, says, other, also]) => html`<section class="panel start-door"><h2>${title}</h2>
      <p><a href=${`#${view}`}>${says}</a></p>${other && html`<p><a href=${`#${other}`}>${also}</a></p>`}</section>`)}
    <${Runs} ask=${ask} place=${place} />
  </div>`;
}

function Runs({ ask, place }) {
  const { response, error } = useRuns(ask, place);
  const own = (response?.runs ?? []).filter((run) => !run.is_shipped).sort((a, b) => (b.state === "running") - (a.state === "running") || b.started.localeCompare(a.started));
  return html`<section class="panel start-door"><h2>Your runs</h2>
    ${error && html`<p class="error">${error}</p>`}
    ${response && !own.length && html`<p>None yet: <code>regard train reversal</code> trains a model that you can watch here.</p>`}
    ${own.slice(0, SHOWN).map((run) => html`<${Run} run=${run} />`)}
    ${own.length > 0 && html`<p><a href="#runs">${own.length > SHOWN ? `All ${own.length} runs` : "Curves and reports"}</a></p>`}
  </section>`;
}

function Run({ run }) {
  const { step, steps } = run.trainings.length ? latest(run) : { step: 0, steps: null };
  const far = `${step.toLocaleString("en")}${steps ? ` of ${steps.toLocaleString("en")}` : ""}`;
  return html`<p class="start-run"><a href=${`#runs?${encodeURIComponent(JSON.stringify({ run: run.name }))}`}>${run.name}</a>
    ${run.state === "running" && steps ? html`<progress max=${steps} value=${step} aria-label=${`${run.name}: step ${far}`}></progress>` : null}
    <small>${run.state === "running" ? `step ${far}` : run.state}</small></p>`;
}
