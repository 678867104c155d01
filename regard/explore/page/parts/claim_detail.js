// One claim: its verdict, what the document says, what is true, the numbers that show it, and why.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { useAnswer } from "../asking.js";
import { Answers } from "./claim_answer.js";
import { ClaimChart, chartNumbers } from "./claim_chart.js";
import { Badge, VERDICTS } from "./claim_verdict.js";
import { Export } from "./export.js";
import { Said } from "./shell.js";
import { Saved } from "./still.js";

export function ClaimDetail({ ask, row, document, state, place }) {
  const [run, setRun] = useState(false);
  const { reply, error, waiting } = useAnswer(ask, "claim", { id: row.id, run });
  const picture = useRef(null);
  const claim = reply?.id === row.id ? reply : null;
  const verdict = claim?.verdict ?? row.verdict;
  const isUnrun = claim !== null && claim.verdict === null;
  return html`<article class="panel claims-detail" aria-label=${`${row.id}, ${row.title}`} data-claim=${row.id} data-judged=${String(Boolean(claim?.verdict))}>
    <div ref=${picture}><header>
      <div class="claims-over"><code>${row.id}</code><span>${document}</span></div>
      <h2>${row.title}</h2>
      <div class="claims-verdict"><${Badge} verdict=${verdict} /><span class="note">${isUnrun ? "a run decides" : VERDICTS[verdict].about}</span>
        <${Export} name=${`claim-${row.id}`} of=${picture} numbers=${claim?.chart ? () => chartNumbers(claim.chart) : undefined}
          saves=${() => [["catalogue", {}], ["claim", { id: row.id, run: false }]]} ask=${ask} view="claims" state=${state} place=${place} /></div>
      ${claim?.verdict && claim.verdict !== claim.expected && html`<p class="error">The catalogue expects: ${claim.expected}.</p>`}
    </header>
    ${claim ? html`<${Markup} class="claims-question-asked" text=${claim.asks} />` : html`<p class="claims-question-asked">${row.asks}</p>`}
    <${Said} error=${error} waiting=${waiting && !run}>checking …</${Said}>
    ${isUnrun && html`<${Unrun} claim=${claim} running=${run && waiting} place=${place} onRun=${() => setRun(true)} onStop=${() => setRun(false)} />`}
    ${claim && html`<div class="claims-versions">${claim.versions.filter((one) => one.role !== "twin").map((one) => html`<${Version} version=${one} />`)}</div>
      ${claim.chart && html`<${ClaimChart} chart=${claim.chart} />`}`}</div>
    ${claim && html`<${Further} claim=${claim} ask=${ask} place=${place} />`}
  </article>`;
}

// What is not of the picture: where to see it, the box for answers, and what is folded.
function Further({ claim, ask, place }) {
  const twin = claim.versions.find((one) => one.role === "twin");
  return html`
    ${claim.see && place === "page" && html`<p class="claims-see">
      <a href=${`#${claim.see.view}?${encodeURIComponent(JSON.stringify(claim.see.state))}`}>${claim.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${claim.exercises.length > 0 && place !== "file" && html`<section class="claims-box">
      <h3>Try an answer</h3><${Answers} ask=${ask} exercises=${claim.exercises} /></section>`}
    <details class="claims-fold"><summary>Why</summary><${Markup} class="claims-why" text=${claim.why} />
      ${claim.quantities.length > 0 && html`<dl class="claims-letters">${claim.quantities.map(
        ([letter, meaning]) => html`<${Markup} tag="dt" text=${letter} /><${Markup} tag="dd" text=${meaning} />`,
      )}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail shows nothing. So each is given a statement that is close to the true one, and false.</p>
      <${Version} version=${twin} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${Markup} text=${claim.method} />
      ${claim.source && html`<p>The numbers are of: ${claim.source}.</p>`}
      ${claim.code.length > 0 && html`<p>In the code: ${claim.code.map((one, i) => html`${i ? ", " : ""}<code>${one}</code>`)}</p>`}
      ${claim.verdict && html`<p class="note">${claim.seconds < 0.01 ? "Less than 0.01" : claim.seconds.toFixed(2)} s of computing.</p>`}
    </details>`;
}

const MOST = 6; // findings in sight; what fails comes first

function Version({ version }) {
  const findings = [...version.findings].sort((a, b) => a.holds - b.holds);
  const shown = findings.length > MOST + 1 ? MOST : findings.length;
  return html`<section class=${`claims-version claims-by-${version.role}`} data-role=${version.role}>
    <h3>${version.heading}</h3>
    <${Markup} class="claims-text" text=${version.text} />
    ${version.formula && html`<${Markup} class="claims-formula" text=${version.formula} label="Formula" />`}
    ${shown > 0 && html`<${Findings} findings=${findings.slice(0, shown)} />`}
    ${shown < findings.length && html`<details class="claims-more"><summary>${findings.length - shown} more</summary>
      <${Findings} findings=${findings.slice(shown)} /></details>`}
  </section>`;
}

const Findings = ({ findings }) => html`<ul class="claims-findings">${findings.map(
  (one) => html`<li class=${one.holds ? "claims-yes" : "claims-no"}>
    <span role="img" aria-label=${one.holds ? "holds" : "fails"}>${one.holds ? "✓" : "✗"}</span><span>${one.shown}</span></li>`,
)}</ul>`;

// An experiment without a recorded run: it trains small models, for which somebody must ask.
function Unrun({ claim, running, place, onRun, onStop }) {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    if (!running) return;
    const start = Date.now();
    const timer = setInterval(() => setPassed((Date.now() - start) / 1000), 250);
    return () => (clearInterval(timer), setPassed(0));
  }, [running]);
  return html`<div class="claims-unrun" role="status">
    <p>A run decides this one, and none is recorded here. A small version trains in about ${claim.takes} seconds.</p>
    ${running
      ? html`<div class="row"><progress aria-label="Training" max=${claim.takes} value=${Math.min(passed, claim.takes * 0.97)}></progress>
          <span class="note">training, ${Math.round(passed)} s</span>
          <button onClick=${onStop}>Stop</button></div>`
      : place === "file" ? html`<${Saved} place=${place} what="run it" />` : html`<button class="main" onClick=${onRun}>Run it now</button>`}
  </div>`;
}

// HTML that the claims' own prose made, escaped. What is too wide for its place can be scrolled by the keyboard too.
function Markup({ text, tag = "div", class: kind, label }) {
  const ref = useRef(null);
  useLayoutEffect(() => {
    ref.current.innerHTML = text;
    if (!label) return;
    const isWide = ref.current.scrollWidth > ref.current.clientWidth + 1;
    if (isWide) ref.current.tabIndex = 0;
    else ref.current.removeAttribute("tabindex");
  }, [text, label]);
  return html`<${tag} ref=${ref} class=${kind} role=${label ? "group" : null} aria-label=${label ?? null}></${tag}>`;
}
