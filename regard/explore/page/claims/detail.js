// One claim: its verdict, what the document says, what is true, the numbers that show it, and why.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { useAnswer } from "../client.js";
import { Bars, Lines } from "../parts/chart.js";
import { Export } from "../parts/export.js";
import { Heatmap, Legend } from "../parts/heatmap.js";
import { useId } from "../parts/ids.js";
import { formatNumber, formatSize, rewriteNumbers } from "../parts/numbers.js";
import { Exact, Status, SavedNote, useWidth } from "../parts/shell.js";
import { Word, Words, wordsIn } from "../parts/words.js";

export function ClaimDetail({ ask, row, document, state, place, onMark, onNext }) {
  const [run, setRun] = useState(false);
  const { response, error, waiting } = useAnswer(ask, "claim", { id: row.id, run });
  const picture = useRef(null);
  const claim = response?.id === row.id ? response : null;
  const verdict = claim?.verdict ?? row.verdict;
  const isUnrun = claim !== null && claim.verdict === null;
  const [isRevealed, setRevealed] = useState(false);
  const isAsked = state.quiz && !isRevealed; // a quiz: the answer is not there yet, and the title would give it away
  const title = useRef(null);
  useLayoutEffect(() => {
    if (!isRevealed) return;
    title.current.focus({ preventScroll: true });
    title.current.parentElement.scrollIntoView({ block: "nearest" }); // what is true stands above the answers
  }, [isRevealed]);
  return html`<article class="panel claims-detail" aria-label=${isAsked ? `A question, ${row.id}` : `${row.id}, ${row.title}`} data-claim=${row.id} data-judged=${String(Boolean(claim?.verdict))}>
    <div ref=${picture}><header>
      <div class="claims-over"><code>${row.id}</code><span>${document}</span></div>
      <h2 ref=${title} tabindex="-1">${isAsked ? "A question" : row.title}</h2>
      <div class="claims-verdict">${isAsked ? html`<span class="note">Answer it, or show what is true.</span>`
        : html`<${Badge} verdict=${verdict} /><span class="note"><${Word} of="verdict">verdict<//>: ${isUnrun ? "a run decides" : look(verdict).about}</span>`}
        <${Export} name=${`claim-${row.id}`} of=${picture} caption=${`Claim ${row.id} of ${document}${isAsked ? "" : `: ${verdict}`}.`} numbers=${claim?.chart ? () => chartNumbers(claim.chart) : undefined}
          saves=${() => [["catalogue", {}], ["claim", { id: row.id, run: false }]]} ask=${ask} view="claims" state=${state} place=${place} /></div>
      ${claim?.verdict && !claim.verdict.startsWith(claim.expected) && html`<p class="error">The catalogue expects: ${claim.expected}.</p>`}
    </header>
    ${claim ? html`<${Markup} class="claims-question-asked" text=${claim.asks} />` : html`<p class="claims-question-asked">${row.asks}</p>`}
    <${Words} of=${wordsIn(`${row.asks} ${claim?.exercises.map((one) => one.text).join(" ") ?? ""}`)} />
    <${Status} error=${error} waiting=${waiting && !run}>checking …</${Status}>
    ${isUnrun && !isAsked && html`<${Unrun} claim=${claim} running=${run && waiting} place=${place} onRun=${() => setRun(true)} onStop=${() => setRun(false)} />`}
    ${claim && !isAsked && html`<div class="claims-versions">${claim.versions.filter((one) => one.role !== "twin").map((one) => html`<${Version} version=${one} />`)}</div>
      ${claim.chart && html`<${ClaimChart} chart=${claim.chart} />`}`}</div>
    ${claim && html`<${Further} claim=${claim} ask=${ask} place=${place} isAsked=${isAsked} onMark=${onMark} />`}
    ${claim && state.quiz && html`<div class="row claims-onward">${isAsked && html`<button class="main" onClick=${() => setRevealed(true)}>Show what is true</button>`}
      ${onNext && html`<button onClick=${onNext}>Next question</button>`}</div>`}
  </article>`;
}

// What the figure leaves out: the link to a view, the box for answers, and what is folded.
function Further({ claim, ask, place, isAsked, onMark }) {
  const twin = claim.versions.find((one) => one.role === "twin");
  const answers = claim.exercises.length > 0 && place !== "file" && html`<section class="claims-box">
    <h3>Try an answer</h3><${Answers} ask=${ask} exercises=${claim.exercises} why=${isAsked ? claim.why.slice(0, claim.why.indexOf("</p>") + 4) : null} onMark=${onMark} /></section>`;
  if (isAsked) return answers;
  return html`
    ${claim.see && place === "page" && html`<p class="claims-see">
      <a href=${`#${claim.see.view}?${encodeURIComponent(JSON.stringify(claim.see.state))}`}>${claim.see.words}<span aria-hidden="true"> →</span></a></p>`}
    ${answers}
    <details class="claims-fold"><summary>Why</summary><${Markup} class="claims-why" text=${claim.why} />
      ${claim.quantities.length > 0 && html`<dl class="claims-letters">${claim.quantities.map(
        ([letter, meaning]) => html`<${Markup} tag="dt" text=${letter} /><${Markup} tag="dd" text=${meaning} />`,
      )}</dl>`}
    </details>
    <details class="claims-fold"><summary>A false twin, which the check must refute</summary>
      <p class="note">A check that cannot fail proves nothing, so each one also runs on a false statement close to the true one.</p>
      <${Version} version=${twin} /></details>
    <details class="claims-fold"><summary>How it was checked</summary>
      <${Markup} text=${claim.method} />
      ${claim.source && html`<p>The numbers are of: ${claim.source}.</p>`}
      ${claim.code.length > 0 && html`<p>In the code: ${claim.code.map((one, i) => html`${i ? ", " : ""}<code>${one}</code>`)}</p>`}
      ${claim.verdict && html`<p class="note">${formatSize(claim.seconds, "s")} of computing.</p>`}
    </details>`;
}

const MOST = 6; // findings shown at once; those that fail come first

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
    <span role="img" aria-label=${one.holds ? "holds" : "fails"}>${one.holds ? "✓" : "✗"}</span><span>${rewriteNumbers(one.shown)}</span></li>`,
)}</ul>`;

// An experiment without a recorded run: it trains small models when the user asks for it.
function Unrun({ claim, running, place, onRun, onStop }) {
  const [passed, setPassed] = useState(0);
  useEffect(() => {
    if (!running) return;
    const start = Date.now();
    const timer = setInterval(() => setPassed((Date.now() - start) / 1000), 250);
    return () => (clearInterval(timer), setPassed(0));
  }, [running]);
  return html`<div class="claims-unrun" role="status">
    <p>An experiment decides this claim, and no run of it is recorded here. A small version trains in about ${claim.takes} seconds.</p>
    ${running
      ? html`<div class="row"><progress aria-label="Training" max=${claim.takes} value=${Math.min(passed, claim.takes * 0.97)}></progress>
          <span class="note">training, ${Math.round(passed)} s</span>
          <button onClick=${onStop}>Stop</button></div>`
      : place === "file" ? html`<${SavedNote} place=${place} what="run it" />` : html`<button class="main" onClick=${onRun}>Run it now</button>`}
  </div>`;
}

// Escaped HTML of the claims' prose. What is too wide can be scrolled with the keyboard too.
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

// Questions on a claim, each with a box for an answer, which is marked as `regard grade` marks it.

const SIGNS = { right: ["✓", "holds"], "partly right": ["≈", "corrected"], wrong: ["✗", "refuted"], "not read": ["?", "answered"] };

// why: in a quiz, its reason in a paragraph, for those who have answered all of it; null where all is shown.
function Answers({ ask, exercises, why, onMark }) {
  const questions = [...new Set(exercises.map((one) => one.question))];
  const [right, setRight] = useState({});
  const marked = exercises.filter((one) => one.kind !== "text");
  const isDone = marked.length > 0 && marked.every((one) => right[`${one.question} ${one.part}`]);
  const mark = (own, word) => (setRight((old) => ({ ...old, [own]: word === "right" })), onMark(own, word));
  return html`<div class="claims-questions">
    ${questions.map((id) => {
      const parts = exercises.filter((one) => one.question === id);
      return html`<div class="claims-question" key=${id} data-question=${id}>
        <p>${parts[0].text}</p>
        ${parts.map((one, i) => html`<${Try} key=${`${id} ${one.part}`} ask=${ask} exercise=${one} isAsked=${why !== null} onMark=${mark} tells=${one.how !== parts[i - 1]?.how} />`)}
      </div>`;
    })}
    <div role="status">${why && isDone && html`<h3>Why</h3><${Markup} class="claims-why" text=${why} />`}</div>
    <${Notation} kinds=${new Set(exercises.map((one) => one.kind))} />
  </div>`;
}

const tried = new Map(); // the last answers, by question and part, as long as the page is open

// `tells`: whether to show how answers are written, once for parts that are alike; a quiz shows no examples, one of which is right.
function Try({ ask, exercise, tells, isAsked, onMark }) {
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
  const options = kind === "truth" ? [["true", "true"], ["false", "false"]] : kind === "choice" ? Object.entries(choices) : [];
  const isFresh = given !== null && draft.trim() === given && of === JSON.stringify({ question, part, answer: given });
  useEffect(() => {
    if (isFresh && !error) onMark(own, response.word);
  }, [isFresh, error, response]);
  return html`<div class="claims-try" data-part=${part}>
    ${asks && html`<p class="claims-asks" id=${`${id}-asks`}>${asks}</p>`}
    ${kind === "select" && html`<ul>${Object.entries(choices).map(([letter, text]) => html`<li><b>${letter}</b> ${text}</li>`)}</ul>`}
    ${kind === "text"
      ? html`<p class="note">Write ${how}: hand it in by a file, for regard grade.</p>`
      : options.length
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
        ${examples.length > 0 && !isAsked && html`<p class="claims-examples"><span class="note">Or try</span>
          ${examples.map((text) => html`<button class="claims-example" onClick=${() => give(text)}>${text}</button>`)}</p>`}`}
    <${Status} error=${error} waiting=${waiting}>marking …, for the first time a few seconds <progress aria-label="Marking"></progress></${Status}>
    <div role="status" aria-live="polite">${isFresh && !error && html`<${Marked} mark=${response} isTyped=${!options.length} />`}</div>
  </div>`;
}

// The mark; where a formula is wrong, the smallest sizes that show it, with both values.
function Marked({ mark, isTyped }) {
  const [sign, kind] = SIGNS[mark.word];
  const at = mark.counterexample;
  const parts = Object.entries(at?.breakdown ?? {});
  return html`<div class=${`claims-mark claims-${kind}`} data-word=${mark.word}>
    <p class="claims-word"><span aria-hidden="true">${sign}</span> ${mark.word}
      ${mark.word === "partly right" && html`<span class="note">${mark.points} of ${mark.out_of} points</span>`}
      ${mark.read_as && isTyped && html`<span class="note">read as <code>${mark.read_as}</code></span>`}</p>
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

// The figure of a claim: curves, bars, or matrices in one scale; and its numbers for a file.

export function ClaimChart({ chart }) {
  return html`<div class="claims-chart" data-chart=${chart.kind}>
    <h3>${chart.title}</h3>
    ${chart.kind === "lines" && html`<${Lines} label=${chart.title} xLabel=${chart.x_label} yLabel=${chart.y_label} logX=${chart.log_x} logY=${chart.log_y}
      series=${curvesOf(chart)}
      marks=${Object.entries(chart.marks ?? {}).map(([name, x]) => ({ name, x }))} />`}
    ${chart.kind === "bars" && html`<${Bars} label=${chart.title} names=${chart.names} groups=${chart.groups} yLabel=${chart.y_label} />
      <${BarsTable} chart=${chart} />`}
    ${chart.kind === "matrices" && html`<${Matrices} chart=${chart} />`}
  </div>`;
}

// The curves, each with the ends of its band where it has one.
const curvesOf = ({ x, y, bands }) =>
  Object.entries(y).map(([name, values]) => ({ name, x, y: values, low: bands?.[name]?.[0], high: bands?.[name]?.[1] }));

// Matrices by name, flat and row by row.
const panelsOf = ({ panels }) =>
  Object.entries(panels).map(([name, rows]) => ({ name, rows: rows.length, columns: rows[0].length, values: rows.flat() }));

// Names of bars are often longer than their room: the table has them in full.
function BarsTable({ chart }) {
  return html`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(chart.groups).map((name) => html`<th class="number">${name}</th>`)}</tr></thead>
    <tbody>${chart.names.map((name, i) => html`<tr><th>${name}</th>
      ${Object.values(chart.groups).map((values) => html`<td class="number"><${Exact} value=${values[i]} /></td>`)}</tr>`)}</tbody>
  </table></div>`;
}

function Matrices({ chart }) {
  const [at, setAt] = useState(null);
  const [ref, width] = useWidth();
  const panels = useMemo(() => panelsOf(chart), [chart]);
  const { signed, limit } = chart;
  const columns = panels.length === 1 ? 1 : Math.max(2, Math.floor((width + 24) / (panels.length > 4 ? 164 : 250)));
  const side = Math.min(panels.length === 1 ? 420 : 260, (width - 24 * (columns - 1)) / columns - (chart.rows ? 30 : 0));
  const scale = signed ? "signed" : "weight";
  const names = (given, count) => given ?? (count <= 12 ? Array.from({ length: count }, (_, i) => String(i + 1)) : undefined);
  const say = (panel, r, c) => {
    const [row, column] = [chart.rows?.[r] ?? r + 1, chart.columns?.[c] ?? c + 1];
    return `${panel.name}, ${chart.row_label} ${row}, ${chart.column_label} ${column}: ${formatNumber(panel.values[r * panel.columns + c])}`;
  };
  return html`<div ref=${ref}>
    ${width > 0 && html`<div class="claims-panels">${panels.map((panel) => html`<figure>
      <figcaption>${panel.name}</figcaption>
      <${Heatmap} data=${panel.values} rows=${panel.rows} columns=${panel.columns} scale=${scale} limit=${limit} side=${Math.max(side, 90)}
        label=${`${panel.name}: ${chart.row_label} by ${chart.column_label}`}
        rowNames=${names(chart.rows, panel.rows)} columnNames=${names(chart.columns, panel.columns)}
        says=${(r, c) => say(panel, r, c)} onPoint=${(r, c) => setAt(r === null ? null : say(panel, r, c))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${Legend} scale=${scale} limit=${limit} label=${`${chart.row_label} ↓  ${chart.column_label} →`} /><span>${at ?? ""}</span></p>
  </div>`;
}

// Arrays as numbers.js writes them.
export function chartNumbers(chart) {
  if (chart.kind === "matrices") {
    const array = ({ rows, columns, values }) => ({ shape: [rows, columns], data: values, axes: [chart.row_label, chart.column_label], rows: chart.rows, columns: chart.columns });
    return Object.fromEntries(panelsOf(chart).map((panel) => [panel.name, array(panel)]));
  }
  if (chart.kind === "bars") {
    const groups = Object.entries(chart.groups);
    return { [chart.y_label]: { ...table(groups), axes: ["bar", "group"], rows: chart.names } };
  }
  const columns = [[chart.x_label, chart.x]];
  for (const { name, y, low, high } of curvesOf(chart)) columns.push([name, y], ...(low ? [[`${name}, low`, low], [`${name}, high`, high]] : []));
  return { [chart.y_label]: table(columns) };
}

const table = (columns) => ({
  shape: [columns[0][1].length, columns.length],
  data: columns[0][1].flatMap((_, i) => columns.map(([, values]) => values[i])),
  axes: ["point", "curve"],
  columns: columns.map(([name]) => name),
});

// Verdicts as a colour, a sign and a word, each of which is enough to tell them apart.

export const VERDICTS = {
  holds: { sign: "✓", kind: "holds", about: "as the document says it" },
  "holds as corrected": { sign: "≈", kind: "corrected", about: "its answer holds; a step, a reason or a missing condition does not" },
  refuted: { sign: "✗", kind: "refuted", about: "its answer does not hold, and here is the counterexample" },
  answered: { sign: "→", kind: "answered", about: "it asks and does not answer; here is the answer" },
  built: { sign: "■", kind: "built", about: "it gives code or a figure; here is the part, tested" },
  experiment: { sign: "∿", kind: "experiment", about: "a run decides; here are its numbers" },
  unsettled: { sign: "!", kind: "unsettled", about: "our own statement failed its check" },
};

// An experiment's verdict says whether a run bears the document out; all of them look alike.
const look = (verdict) => VERDICTS[verdict.split(":")[0]];

export const Sign = ({ verdict }) =>
  html`<span class=${`claims-sign claims-${look(verdict).kind}`} role="img" aria-label=${verdict} title=${verdict}>${look(verdict).sign}</span>`;

export const Badge = ({ verdict }) =>
  html`<span class=${`claims-badge claims-${look(verdict).kind}`} data-verdict=${verdict}>
    <span aria-hidden="true">${look(verdict).sign}</span>${verdict}
  </span>`;
