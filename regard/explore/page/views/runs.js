// Runs: training curves and reports, live while a training goes on.
import { html, useRef } from "../vendor/preact.js";
import { useAnswer } from "../asking.js";
import { within } from "../parts/bounds.js";
import { Export } from "../parts/export.js";
import { Curves, chosenOf, numbersOf } from "../parts/run_curves.js";
import { RunList, State } from "../parts/run_list.js";
import { useCurves, useRuns, useSpeeds } from "../parts/run_live.js";
import { Command, Numbers, Progress, Report, Settings, figuresOf } from "../parts/run_report.js";
import { Panel, Said } from "../parts/shell.js";
import { Saved } from "../parts/still.js";

const state = { run: null, compared: [], metric: "loss", evaluated: null, log: false, smoothing: 0, only: "" };

function View({ ask, state: given, change, place }) {
  const state = { ...given, smoothing: within(given.smoothing, 0, 0.98, 0), run: typeof given.run === "string" ? given.run : null };
  const { reply, error } = useRuns(ask, place);
  const runs = reply?.runs ?? [];
  const own = runs.filter((run) => !run.is_shipped).sort((a, b) => b.started.localeCompare(a.started));
  const shipped = runs.filter((run) => run.is_shipped);
  const first = useRef(null); // stays what is looked at when another begins
  first.current ??= [...own, ...shipped][0]?.name ?? null;
  const chosen = runs.find((run) => run.name === (state.run ?? first.current));
  const compared = runs.filter((run) => run !== chosen && state.compared.includes(run.name));
  const shown = chosen ? [chosen, ...compared] : [];
  const found = useCurves(ask, shown, place);
  const speed = useSpeeds(runs);
  const saved = useRef([state.run, ...state.compared]).current; // a file has no others
  const kept = (list) => (place === "file" ? list.filter((run) => saved.includes(run.name)) : list);
  const onCompare = (name, isOn) => change({ compared: [...state.compared.filter((one) => one !== name), ...(isOn ? [name] : [])] });
  if (!reply) return html`<${Said} error=${error} waiting>reading the runs …<//>`;
  return html`<div class="sided runs">
    <div class="panel runs-side">
      <${Said} error=${error} />
      ${!own.length && place !== "file" && html`<p class="hint">Yours appear here as soon as they begin: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${Saved} place=${place} what="see other runs" />
      <${RunList} groups=${[["Yours", kept(own)], ["Comes with regard", kept(shipped)]]} unreadable=${place === "file" ? [] : reply.unreadable}
        chosen=${chosen?.name} compared=${state.compared} onChoose=${(run) => change({ run })} onCompare=${onCompare} />
    </div>
    ${chosen
      ? html`<${Detail} key=${`${chosen.name} ${chosen.state} ${chosen.started}`} ...${{ ask, state, change, place, run: chosen, shown, found, speed }} />`
      : html`<${Panel} title=${state.run}><p>There is no run of this name any more.</p><//>`}
  </div>`;
}

// A run: drawn anew when it has come to its end, as its report is there then.
function Detail({ ask, state, change, place, run, shown, found, speed }) {
  const whole = useRef(null);
  const { reply, error, waiting } = useAnswer(ask, "report", { run: run.name });
  const names = shown.map((one) => one.name);
  const saves = () => [
    ["runs", {}],
    ...names.map((name) => ["curves", { run: name, after: {} }]),
    ...names.map((name) => ["report", { run: name }]),
    ...figuresOf(reply?.html).map((name) => ["figure", { run: run.name, name }]),
  ];
  return html`<div class="runs-detail" ref=${whole}>
    <${Panel} title=${html`<span class="runs-title">${run.name}</span> <${State} state=${run.state} />`}
      actions=${html`<${Export} name=${`runs-${run.name}`} of=${whole} ask=${ask} view="runs" state=${{ ...state, run: run.name }} place=${place}
        numbers=${() => numbersOf(chosenOf(found.curves, names, state.only))} saves=${saves} />`}>
      ${run.headline && html`<p class="runs-result">${run.headline}</p>`}
      ${run.is_smoke && html`<p class="note">A smoke test: it shows that all parts work, and its numbers mean nothing.</p>`}
      <p class="note">${run.is_shipped ? "Comes with regard; made by" : html`The recipe ${run.recipe}, begun ${moment(run.started)}, by`}</p>
      <${Command} text=${run.command} />
      ${place === "page" && html`<${Elsewhere} ask=${ask} run=${run} />`}
      <${Progress} run=${run} speed=${speed} />
    <//>
    <section class="panel">
      <${Said} error=${found.error} waiting=${!found.curves.has(run.name)}>reading the curves …<//>
      ${found.curves.has(run.name) && html`<${Curves} curves=${found.curves} names=${names} state=${state} change=${change} />`}
    </section>
    <${Panel} title="Report">
      <${Said} error=${error} waiting=${waiting}>reading the report …<//>
      ${reply?.html && html`<${Report} ask=${ask} run=${run.name} text=${reply.html} />`}
      ${reply && !reply.html && html`<p class="hint">${run.state === "done" ? "There is none." : "The report comes when the training is done."}</p>`}
    <//>
    ${reply && html`<section class="panel runs-folded" data-unpictured>
      ${reply.numbers && html`<${Numbers} numbers=${reply.numbers} />`}
      <${Settings} settings=${reply.settings} />
    </section>`}
  </div>`;
}

// Where else on the page the run can be looked at.
function Elsewhere({ ask, run }) {
  const maps = useAnswer(ask, "subjects", {}).reply?.subjects ?? [];
  const heads = useAnswer(ask, "recorded", {}).reply?.trainings ?? [];
  const to = (view, state) => `#${view}?${encodeURIComponent(JSON.stringify(state))}`;
  const map = maps.find((one) => one.name === run.name || one.name.startsWith(`${run.name}/`));
  const grid = heads.find((one) => one.run === run.name);
  if (!map && !grid) return null;
  return html`<p class="note runs-elsewhere" data-unpictured>
    ${map && html`<a href=${to("maps", { subject: map.name })}>Look at its attention maps</a>`}${map && grid && " · "}
    ${grid && html`<a href=${to("heads", { run: run.name, training: grid.training })}>Play its heads over training</a>`}
  </p>`;
}

// A moment in the reader's own time.
function moment(text) {
  const date = new Date(text);
  return Number.isNaN(date.getTime()) ? text : date.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

export default {
  name: "runs",
  title: "Runs",
  about: "What was trained and what came out. Curves grow while a training runs; tick several runs to lay their curves over each other.",
  state,
  View,
};
