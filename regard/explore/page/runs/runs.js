// Runs: training curves and reports, live while a training goes on.
import { html, useEffect, useRef } from "../vendor/preact.js";
import { useAnswer } from "../client.js";
import states from "../states.json";
import { stepped } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatCount } from "../parts/numbers.js";
import { Panel, Status, SavedNote, within } from "../parts/shell.js";
import { Curves, chosenOf, numbersOf } from "./curves.js";
import { latest, useCurves, useRuns, useSpeeds } from "./live.js";
import { Command, Numbers, Progress, Report, Settings, figuresOf } from "./report.js";
import "./runs.css";

const { runs: state } = states;

function View({ ask, state: given, change, place }) {
  const state = { ...given, smoothing: within(given.smoothing, 0, 0.98, 0), run: typeof given.run === "string" ? given.run : null };
  const { response, error } = useRuns(ask, place);
  const runs = response?.runs ?? [];
  const own = runs.filter((run) => !run.is_shipped).sort((a, b) => b.started.localeCompare(a.started));
  const shipped = runs.filter((run) => run.is_shipped);
  const numbers = new Map([...shipped, ...[...own].reverse()].map((run, i) => [run.name, i])); // of a new run the last
  const first = useRef(null); // the shown run stays when another one starts
  first.current ??= [...own, ...shipped][0]?.name ?? null;
  const chosen = runs.find((run) => run.name === (state.run ?? first.current));
  const compared = runs.filter((run) => run !== chosen && state.compared.includes(run.name));
  const shown = chosen ? [chosen, ...compared] : [];
  const found = useCurves(ask, shown, place);
  const speed = useSpeeds(runs);
  const saved = useRef([state.run, ...state.compared]).current; // a saved file holds no others
  const kept = (list) => (place === "file" ? list.filter((run) => saved.includes(run.name)) : list);
  const onCompare = (name, isOn) => change({ compared: [...state.compared.filter((one) => one !== name), ...(isOn ? [name] : [])] });
  if (!response) return html`<${Status} error=${error} waiting lines=${12}>reading the runs …<//>`;
  return html`<div class="sided runs">
    <div class="panel runs-side">
      <${Status} error=${error} />
      ${!own.length && place !== "file" && html`<p class="hint">Your runs appear here as soon as they start: try<br />
        <code>regard train reversal --smoke</code></p>`}
      <${SavedNote} place=${place} what="see other runs" />
      <${RunList} groups=${[["Yours", kept(own)], ["Comes with regard", kept(shipped)]]} unreadable=${place === "file" ? [] : response.unreadable}
        chosen=${chosen?.name} compared=${state.compared} onChoose=${(run) => change({ run })} onCompare=${onCompare} />
    </div>
    ${chosen
      ? html`<${Detail} key=${`${chosen.name} ${chosen.state} ${chosen.started}`} ...${{ ask, state, change, place, run: chosen, shown, numbers, found, speed }} />`
      : html`<${Panel} title=${state.run}><p>This run no longer exists.</p><//>`}
  </div>`;
}

// A run; drawn again when it has ended, since its report exists then.
function Detail({ ask, state, change, place, run, shown, numbers, found, speed }) {
  const whole = useRef(null);
  const { response, error, waiting } = useAnswer(ask, "report", { run: run.name });
  const names = shown.map((one) => one.name);
  const saves = () => [
    ["runs", {}],
    ...names.map((name) => ["curves", { run: name, after: {} }]),
    ...names.map((name) => ["report", { run: name }]),
    ...figuresOf(response?.html).map((name) => ["figure", { run: run.name, name }]),
  ];
  const told = `${names.join(", ")}: ${state.metric} during training${state.smoothing ? ", smoothed" : ""}, and evaluations, by step.${run.headline ? ` ${run.headline}.` : ""}`;
  return html`<div class="runs-detail">
    <${Panel} title=${html`<span class="runs-title">${run.name}</span> <${State} state=${run.state} />`}
      actions=${html`<${Export} name=${`runs-${run.name}`} of=${whole} caption=${told} ask=${ask} view="runs" state=${{ ...state, run: run.name }} place=${place}
        numbers=${() => numbersOf(chosenOf(found.curves, names, state.only))} saves=${saves} />`}>
      ${run.headline && html`<p class="runs-result">${run.headline}</p>`}
      ${run.is_smoke && html`<p class="note">A smoke test: it shows that all parts work; its numbers mean nothing.</p>`}
      <p class="note">${run.is_shipped ? "Comes with regard; made with" : html`Recipe ${run.recipe}, started ${moment(run.started)} with`}</p>
      <${Command} text=${run.command} />
      ${place === "page" && html`<${Elsewhere} ask=${ask} run=${run} />`}
      <${Progress} run=${run} speed=${speed} />
    <//>
    <section class="panel">
      <${Status} error=${found.error} waiting=${!found.curves.has(run.name)} lines=${8}>reading the curves …<//>
      ${found.curves.has(run.name) && html`<div ref=${whole}><${Curves} curves=${found.curves} names=${names} numbers=${numbers} state=${state} change=${change} /></div>`}
    </section>
    <${Panel} title="Report">
      <${Status} error=${error} waiting=${waiting} lines=${6}>reading the report …<//>
      ${response?.html && html`<${Report} ask=${ask} run=${run.name} text=${response.html} />`}
      ${response && !response.html && html`<p class="hint">${run.state === "done" ? "There is no report." : "The report is written when the training is done."}</p>`}
    <//>
    ${response && html`<section class="panel runs-folded" data-unpictured>
      ${response.numbers && html`<${Numbers} numbers=${response.numbers} />`}
      <${Settings} settings=${response.settings} />
    </section>`}
  </div>`;
}

// Links to other views of the run.
function Elsewhere({ ask, run }) {
  const maps = useAnswer(ask, "models", {}).response?.models ?? [];
  const heads = useAnswer(ask, "recorded", {}).response?.trainings ?? [];
  const to = (view, state) => `#${view}?${encodeURIComponent(JSON.stringify(state))}`;
  const map = maps.find((one) => one.name === run.name || one.name.startsWith(`${run.name}/`));
  const grid = heads.find((one) => one.run === run.name);
  if (!map && !grid) return null;
  return html`<p class="note runs-elsewhere" data-unpictured>
    ${map && html`<a href=${to("maps", { model: map.name })}>Look at its attention maps</a>`}${map && grid && " · "}
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
  about: "Trainings and their results. Curves grow while a training runs; tick several runs to overlay their curves.",
  state,
  View,
};

// The list of runs: one is shown, and others may be overlaid.

const SIGNS = {
  done: html`<path d="M3 8.5 6.5 12 13 4.5" fill="none" stroke="currentColor" stroke-width="2" />`,
  running: html`<circle cx="8" cy="8" r="4.5" fill="currentColor" />`,
  stopped: html`<path d="M5 4v8M11 4v8" fill="none" stroke="currentColor" stroke-width="2.4" />`,
  unreadable: html`<path d="M8 2.5v7M8 12v1.8" fill="none" stroke="currentColor" stroke-width="2.2" />`,
};

export const State = ({ state }) => html`<span class=${`runs-state runs-${state}`}>
  <svg viewBox="0 0 16 16" width="12" height="12" aria-hidden="true">${SIGNS[state]}</svg>${state}</span>`;

// groups: [[title, runs]]; arrow keys go from one run to the next.
export function RunList({ groups, unreadable, chosen, compared, onChoose, onCompare }) {
  const ref = useRef(null);
  useEffect(() => {
    const [item, box] = [ref.current.querySelector(".runs-chosen"), ref.current.parentElement];
    const below = item ? item.getBoundingClientRect().bottom - box.getBoundingClientRect().bottom : 0;
    if (below > 0) box.scrollTop += below + 12; // the list alone, not the page
  }, [chosen]);
  const move = (event) => {
    const buttons = [...ref.current.querySelectorAll(".runs-pick")];
    const at = buttons.indexOf(event.target);
    const next = at < 0 || event.key === "ArrowLeft" || event.key === "ArrowRight" ? null : stepped(event, at, buttons.length, 1);
    if (next !== null) buttons[next].focus();
  };
  return html`<nav class="runs-list" aria-label="Runs" ref=${ref} onKeyDown=${move}>
    ${groups.map(([title, runs]) => runs.length > 0 && html`<section><h2>${title}</h2><ul>
      ${runs.map((run) => html`<li key=${run.name} class=${run.name === chosen ? "runs-chosen" : ""}>
        <button class="runs-pick" aria-current=${run.name === chosen ? "true" : null} onClick=${() => onChoose(run.name)}>
          <span class="runs-name">${run.name}</span><${State} state=${run.state} />
          <span class="runs-headline">${run.headline ?? far(run)}</span>
        </button>
        ${run.name !== chosen && html`<label class="runs-compare" title="Overlay its curves">
          <input type="checkbox" checked=${compared.includes(run.name)} onChange=${(event) => onCompare(run.name, event.target.checked)} />
          compare<span class="unseen"> ${run.name}</span></label>`}
      </li>`)}
    </ul></section>`)}
    ${unreadable.length > 0 && html`<section><h2>Cannot be read</h2><ul>
      ${unreadable.map((one) => html`<li class="runs-wrong"><span class="runs-name">${one.name}</span><${State} state="unreadable" />
        <span class="runs-headline">${one.why}</span></li>`)}
    </ul></section>`}
  </nav>`;
}

// The progress of a run in a few words.
function far(run) {
  if (!run.trainings.length) return run.state === "running" ? "about to start" : "not started";
  const { name, step, steps } = latest(run);
  return `${name}: step ${formatCount(step)}${steps ? ` of ${formatCount(steps)}` : ""}`;
}
