// The catalogue of claims, searched and filtered, beside one of them.
import { html, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { ClaimDetail, Sign, VERDICTS } from "./detail.js";
import { useAnswer } from "../client.js";
import states from "../states.json";
import { Select, TextField, Toggle } from "../parts/controls.js";
import { Status } from "../parts/shell.js";
import "./claims.css";

function View(props) {
  const { response, error, waiting } = useAnswer(props.ask, "catalogue", {});
  return response ? html`<${Catalogue} ...${props} catalogue=${response} />` : html`<${Status} error=${error} waiting=${waiting} lines=${12}>reading the catalogue …</${Status}>`;
}

function Catalogue(props) {
  const { ask, state, change, place, catalogue: { rows, documents } } = props;
  const [, setCount] = useState(0);
  const onMark = (answer, word) => (mark(state.claim, answer, word), setCount((count) => count + 1));
  const row = rows.find(({ id }) => id === state.claim);
  const next = rows[rows.indexOf(row) + 1];
  const onNext = next && place !== "file" ? () => (change({ claim: next.id }), scrollTo(0, 0)) : null;
  const detail = row
    ? html`<${ClaimDetail} key=${row.id} ask=${ask} row=${row} document=${documents[row.document]} state=${state} place=${place} onMark=${onMark} onNext=${onNext} />`
    : html`<div class="panel"><p class="error">No claim is called “${state.claim}”: choose one from the list.</p></div>`;
  return html`<div class=${`claims${state.quiz ? " is-quiz" : ""}`}>${place === "file" ? detail : html`<${Found} ...${props}>${detail}<//>`}</div>`; // a saved file holds no others
}

export const EASY = "nyu.3def"; // the first question of a quiz

// What was answered in a quiz, as long as the page is open: by claim the last mark of each answer.
const marks = new Map();
const mark = (claim, answer, word) => marks.set(claim, { ...marks.get(claim), [answer]: word });

// Stars, for ✓ and ✗ are verdicts on the document.
function QuizSign({ claim }) {
  const words = Object.values(marks.get(claim) ?? {});
  if (!words.length) return html`<span class="claims-sign" aria-hidden="true">?</span>`;
  const [sign, says] = words.every((word) => word === "right") ? ["★", "you answered right"] : ["☆", "you tried: not right yet"];
  return html`<span class="claims-sign claims-own" role="img" aria-label=${says} title=${says}>${sign}</span>`;
}

function Found({ state, change, catalogue, children }) {
  const { documents } = catalogue;
  const index = useMemo(() => indexRows(catalogue), [catalogue]);
  const searched = searchRows(index, state.search);
  const fits = (row, name) => !state[name] || row[name] === state[name];
  const ofDocument = searched.filter((row) => fits(row, "document"));
  const ofVerdict = searched.filter((row) => fits(row, "verdict"));
  const shown = ofDocument.filter((row) => fits(row, "verdict"));
  const named = ([key, name]) => [key, `${name} (${ofVerdict.filter((row) => row.document === key).length})`];
  const list = useRefOfList(state.claim, [state.search, state.verdict, state.document].join(" "));
  const setQuiz = (quiz) => change({ quiz, verdict: "", ...(quiz && state.claim === states.claims.claim && { claim: EASY }) });
  // Where the claim stands above or below its list, as on a phone, it comes into sight.
  const open = (claim) => {
    change({ claim });
    const detail = list.current.parentElement.querySelector(".claims-detail");
    const { top, bottom } = detail.getBoundingClientRect();
    if (top > 0.6 * innerHeight || bottom < 0.4 * innerHeight) detail.scrollIntoView();
  };
  const onSearchKey = (event) => {
    if (event.target.tagName !== "INPUT" || !shown.length) return;
    if (event.key === "Enter") open(shown[0].id);
    if (event.key !== "ArrowDown") return;
    event.preventDefault();
    list.current.querySelector("button").focus();
  };
  return html`<div class="claims-filters">
      <div class="claims-search" onKeyDown=${onSearchKey}>
        <${TextField} label="Search" live value=${state.search} placeholder="a word, or an id: β, noise, nyu.1c" max=${200}
          onChange=${(search) => change({ search })} />
        <${Select} label="Document" value=${state.document} onChange=${(document) => change({ document })}
          options=${[["", "all five documents"], ...Object.entries(documents).map(named)]} />
      </div>
      <div class="row"><${Toggle} label="Quiz: hide what is true until you ask for it" value=${state.quiz} onChange=${setQuiz} />
        ${!state.quiz && html`<${Chips} rows=${ofDocument} verdict=${state.verdict} onChange=${(verdict) => change({ verdict })} />`}</div>
    </div>
    <div class="claims-sides">
      <${List} isQuiz=${state.quiz} rows=${shown} documents=${documents} current=${state.claim} list=${list}
        onOpen=${open} onClear=${() => change({ search: "", verdict: "", document: "" })} />
      ${children}
    </div>`;
}

function Chips({ rows, verdict, onChange }) {
  const kinds = Object.entries(VERDICTS).filter(([name]) => name !== "unsettled");
  return html`<div class="claims-chips" role="group" aria-label="Verdict">
    <button aria-pressed=${String(!verdict)} onClick=${() => onChange("")}>all <span class="claims-count">${rows.length}</span></button>
    ${kinds.map(([name, { sign, kind }]) => html`<button class=${`claims-chip claims-${kind}`} aria-pressed=${String(verdict === name)}
      onClick=${() => onChange(verdict === name ? "" : name)}>
      <span aria-hidden="true">${sign}</span>${name}<span class="claims-count">${rows.filter((row) => row.verdict === name).length}</span></button>`)}
  </div>`;
}

// The list, by document. Tab stops at one row; the arrow keys go from row to row, Enter opens one.
function List({ rows, isQuiz, documents, current, list, onOpen, onClear }) {
  const stop = rows.some((row) => row.id === current) ? current : rows[0]?.id;
  const onKeyDown = (event) => {
    const all = [...list.current.querySelectorAll("button[data-id]")];
    const at = all.indexOf(event.target);
    const next = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: all.length - 1 }[event.key];
    if (at < 0 || next === undefined) return;
    event.preventDefault();
    all[next]?.focus();
  };
  return html`<nav class="claims-list" ref=${list} aria-label="Claims" onKeyDown=${onKeyDown}>
    <p class="unseen" role="status">${rows.length} claims</p>
    ${!rows.length && html`<p class="claims-none">No claims found. <button onClick=${onClear}>Show all claims</button></p>`}
    ${Object.entries(documents).map(([key, name]) => {
      const own = rows.filter((row) => row.document === key);
      return own.length > 0 && html`<section key=${key}><h2>${name}</h2><ul>${own.map(
        (row) => html`<li key=${row.id}><button data-id=${row.id} aria-current=${row.id === current ? "true" : null} tabindex=${row.id === stop ? 0 : -1}
          onClick=${() => onOpen(row.id)}>
          ${isQuiz ? html`<${QuizSign} claim=${row.id} />` : html`<${Sign} verdict=${row.verdict} />`}<span class=${isQuiz ? "claims-asked" : "claims-title"}>${isQuiz ? row.asks : row.title}</span><code>${row.id}</code></button></li>`,
      )}</ul></section>`;
    })}
  </nav>`;
}

// Scrolls the list, and not the page: to its top when others are searched for, and to the claim that is opened.
function useRefOfList(claim, searched) {
  const list = useRef(null);
  useLayoutEffect(() => {
    list.current.scrollTop = 0;
  }, [searched]);
  useLayoutEffect(() => {
    const row = list.current?.querySelector("[aria-current]");
    if (!row) return;
    const [box, own] = [list.current.getBoundingClientRect(), row.getBoundingClientRect()];
    if (own.top < box.top || own.bottom > box.bottom) list.current.scrollTop += own.top - box.top - box.height / 3;
  }, [claim]);
  return list;
}

export default {
  name: "claims",
  title: "Claims",
  about: "What five courses say about attention, checked by computing it: what holds, what does not, and the numbers that show it. As a quiz, it asks you first, and gives a counterexample to a wrong formula.",
  state: states.claims,
  View,
};

// Search: every word must occur, in any order; where nothing is found, one letter of each may be wrong.

const plain = (text) => text.normalize("NFKD").replace(/[\u0300-\u036f]/g, "").toLowerCase();
const wordsOf = (text) => plain(text).split(/[^\p{L}\p{N}]+/u).filter(Boolean);

// The searchable text of each row, made once for a catalogue.
function indexRows({ rows, documents }) {
  return rows.map((row) => {
    const text = plain(`${row.id} ${row.id.replace(".", "")} ${row.title} ${row.asks} ${row.says} ${documents[row.document]} ${row.verdict}`);
    return { row, text, words: wordsOf(text) };
  });
}

function searchRows(index, search) {
  const wanted = plain(search).split(/\s+/).filter(Boolean);
  const exact = index.filter(({ text }) => wanted.every((word) => text.includes(word)));
  if (exact.length) return exact.map(({ row }) => row);
  return index.filter(({ words }) => wordsOf(search).every((word) => words.some((one) => near(word, one)))).map(({ row }) => row);
}

// Whether a word begins as the other does, but for one letter that is missing, too many, wrong, or in its neighbour's place.
function near(wanted, word) {
  if (wanted.length < 4) return word.startsWith(wanted);
  return [-1, 0, 1].some((more) => apart(wanted, word.slice(0, wanted.length + more)) <= 1);
}

function apart(a, b) {
  let i = 0;
  while (i < a.length && i < b.length && a[i] === b[i]) i++;
  const [x, y] = [a.slice(i), b.slice(i)];
  if (!x && !y) return 0;
  const swapped = x.length > 1 && x[0] === y[1] && x[1] === y[0] && x.slice(2) === y.slice(2);
  return x.slice(1) === y.slice(1) || x.slice(1) === y || x === y.slice(1) || swapped ? 1 : 2;
}
