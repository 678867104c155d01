// Questions on a claim, each with a box for an answer, which is marked as `regard grade` marks it.
import { html, useId, useState } from "../vendor/preact.js";
import { useAnswer } from "../client.js";
import { Status } from "../parts/shell.js";

const SIGNS = { right: ["✓", "holds"], "partly right": ["≈", "corrected"], wrong: ["✗", "refuted"], "not read": ["?", "answered"] };

export function Answers({ ask, exercises }) {
  const questions = [...new Set(exercises.map((one) => one.question))];
  return html`<div class="claims-questions">
    ${questions.map((id) => {
      const parts = exercises.filter((one) => one.question === id);
      return html`<div class="claims-question" key=${id} data-question=${id}>
        <p>${parts[0].text}</p>
        ${parts.map((one, i) => html`<${Try} key=${`${id} ${one.part}`} ask=${ask} exercise=${one} tells=${one.how !== parts[i - 1]?.how} />`)}
      </div>`;
    })}
    <${Notation} kinds=${new Set(exercises.map((one) => one.kind))} />
  </div>`;
}

const tried = new Map(); // the last answers, by question and part, as long as the page is open

// `tells`: whether to show how answers are written, once for parts that are alike.
function Try({ ask, exercise, tells }) {
  const { question, part, asks, kind, how, choices, examples } = exercise;
  const id = useId();
  const own = `${question} ${part}`;
  const [draft, setDraft] = useState(tried.get(own) ?? "");
  const [given, setGiven] = useState(tried.get(own) ?? null);
  const { response, error, waiting, of } = useAnswer(ask, "answer", given === null ? null : { question, part, answer: given });
  const give = (text) => {
    setDraft(text);
    if (!text.trim()) return;
    tried.set(own, text.trim());
    setGiven(text.trim());
  };
  const options = kind === "truth" ? [["true", "true"], ["false", "false"]] : Object.entries(choices);
  const isFresh = given !== null && draft.trim() === given && of === JSON.stringify({ question, part, answer: given });
  return html`<div class="claims-try" data-part=${part}>
    ${asks && html`<p class="claims-asks" id=${`${id}-asks`}>${asks}</p>`}
    ${options.length
      ? html`<div class=${`claims-options ${kind}`} role="group" aria-label=${asks || "Your answer"}>${options.map(
          ([letter, text]) => html`<button aria-pressed=${String(given === letter)} onClick=${() => give(letter)}>
            ${kind === "choice" ? html`<b>${letter}</b> ${text}` : text}
          </button>`,
        )}</div>`
      : html`<form class="claims-form" onSubmit=${(event) => (event.preventDefault(), give(draft))}>
          <label class="unseen" for=${id}>${`Your answer${asks ? `: ${asks}` : ""}`}</label>
          <input id=${id} type="text" value=${draft} maxlength="2000" autocomplete="off" autocapitalize="off" spellcheck=${false} aria-describedby=${`${id}-how`}
            placeholder="your answer" onInput=${(event) => setDraft(event.target.value)} />
          <button class="main" type="submit" disabled=${!draft.trim()}>Check</button>
        </form>
        <p class=${tells ? "note" : "unseen"} id=${`${id}-how`}>Write ${how}.</p>
        ${examples.length > 0 && html`<p class="claims-examples"><span class="note">Or try</span>
          ${examples.map((text) => html`<button class="claims-example" onClick=${() => give(text)}>${text}</button>`)}</p>`}`}
    <${Status} error=${error} waiting=${waiting}>marking …</${Status}>
    <div role="status" aria-live="polite">${isFresh && !error && html`<${Marked} mark=${response} />`}</div>
  </div>`;
}

// The mark; where a formula is wrong, the smallest sizes that show it, with both values.
function Marked({ mark }) {
  const [sign, kind] = SIGNS[mark.word];
  const at = mark.counterexample;
  const parts = Object.entries(at?.breakdown ?? {});
  return html`<div class=${`claims-mark claims-${kind}`} data-word=${mark.word}>
    <p class="claims-word"><span aria-hidden="true">${sign}</span> ${mark.word}
      ${mark.word === "partly right" && html`<span class="note">${mark.points} of ${mark.out_of} points</span>`}
      ${mark.read_as && html`<span class="note">read as <code>${mark.read_as}</code></span>`}</p>
    ${at && html`<dl class="claims-counter" data-counterexample>
      <div><dt>at</dt><dd>${Object.entries(at.sizes).map(([name, size]) => `${name} = ${size}`).join(", ")}</dd></div>
      <div><dt>yours</dt><dd class="claims-no">${at.yours}</dd></div>
      <div><dt>true</dt><dd class="claims-yes">${at.true}
        ${parts.length > 0 && html`<small>${parts.map(([name, value], i) => `${i ? " + " : " = "}${value} (${name})`)}</small>`}</dd></div>
    </dl>`}
    ${mark.feedback.map((line) => html`<p>${line}</p>`)}
  </div>`;
}

const WRITTEN = {
  formula: ["A formula", ["3D² + 3D", "3*D**2 + 3D", "\\frac{D^2}{H}", "N_h D_i (2 D_hid + D_o)", "√d"]],
  order: ["An order of growth", ["Θ(N² D)", "O(N D + D²)"]],
  number: ["A number", ["0.465", "1/3", "12.5 %", "67.1M", "5.6e-42"]],
  vector: ["A vector", ["(0.1, 0.2)", "0.1, 0.2"]],
  matrix: ["A matrix", ["[[1, 2], [3, 4]]", "1 2; 3 4"]],
};

function Notation({ kinds }) {
  const known = Object.entries(WRITTEN).filter(([kind]) => kinds.has(kind));
  if (!known.length) return null;
  return html`<details class="claims-fold"><summary>How to write answers</summary>
    <dl class="claims-letters">${known.map(
      ([, [name, ways]]) => html`<dt>${name}</dt><dd>${ways.map((way, i) => html`${i ? ", " : ""}<code>${way}</code>`)}</dd>`,
    )}</dl>
    <p class="note">Unicode, LaTeX and Python notation all work; products need no sign. Formulas are compared exactly, so any equivalent form is right. Numbers
      must be right in the digits you give. Nothing you type is run as code.</p>
  </details>`;
}
