// The list of runs: one is looked at, and others may be laid over it.
import { html, useEffect, useRef } from "../vendor/preact.js";
import { stepped } from "./controls.js";

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
        ${run.name !== chosen && html`<label class="runs-compare" title="Lay its curves over the others">
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

// How far a run is, in a few words.
function far(run) {
  if (!run.trainings.length) return run.state === "running" ? "it is about to begin" : "not begun";
  const { name, step, steps } = latest(run);
  return `${name}: step ${step.toLocaleString("en")}${steps ? ` of ${steps.toLocaleString("en")}` : ""}`;
}

// The training that was at work last.
export const latest = (run) => run.trainings.reduce((best, one) => (one.written > best.written ? one : best));
