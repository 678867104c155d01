// Three doors to the views, and the user's own runs as they go on.
import { html } from "../vendor/preact.js";
import { address } from "../address.js";
import { EASY } from "../claims/claims.js";
import { formatCount } from "../parts/numbers.js";
import { Status } from "../parts/shell.js";
import { latest, useRuns } from "../runs/live.js";

const SHOWN = 2; // runs
const doorsOf = (text) => [
  ["Learn", ["playground", {}, "Playground: attention in five steps"], ["claims", { quiz: true, claim: EASY }, "Quiz: what is true of attention?"]],
  ["Inspect", ["maps", { model: "captions", text: text.trim() || null }, "Maps: every head on your own text"], ["heads", {}, "Gaussian heads: watch them learn"]],
  ["Design", ["patterns", {}, "Patterns: who sees whom, how far"], ["patterns", { mask: "causal", tokens: 32768 }, "Cost: do 32,768 tokens fit a GPU?"]],
];

export function Doors({ ask, place, text }) {
  return html`<div class="start-doors">
    ${doorsOf(text).map(([title, ...links]) => html`<section class="panel start-door"><h2>${title}</h2>
      ${links.map(([view, state, says]) => html`<p><a href=${address({ view, state })}>${says}</a></p>`)}</section>`)}
    <${Runs} ask=${ask} place=${place} />
  </div>`;
}

function Runs({ ask, place }) {
  const { response, error } = useRuns(ask, place);
  const own = (response?.runs ?? []).filter((run) => !run.is_shipped).sort((a, b) => (b.state === "running") - (a.state === "running") || b.started.localeCompare(a.started));
  return html`<section class="panel start-door"><h2>Your runs${own.length > 0 && html` <a href="#runs">${own.length > SHOWN ? `all ${own.length}` : "curves, reports"}</a>`}</h2>
    <${Status} error=${error} waiting=${!response} lines=${1} />
    ${response && !own.length && html`<p>None yet. <code>regard train reversal</code> begins one, to be watched here.</p>`}
    ${own.slice(0, SHOWN).map((run) => html`<${Run} run=${run} />`)}
  </section>`;
}

function Run({ run }) {
  const { step, steps } = run.trainings.length ? latest(run) : { step: 0, steps: null };
  const far = `${formatCount(step)}${steps ? ` of ${formatCount(steps)}` : ""}`;
  return html`<p class="start-run"><a href=${address({ view: "runs", state: { run: run.name } })}>${run.name}</a>
    ${run.state === "running" && steps ? html`<progress max=${steps} value=${step} aria-label=${`${run.name}: step ${far}`}></progress>` : null}
    <small>${run.state === "running" ? `step ${far}` : run.state}</small></p>`;
}
