// Start: a sentence that a small model reads, what each token looks at, what may come next, and the way to all else.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { useLatest } from "../client.js";
import states from "../states.json";
import { Select, TextField } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatPercent } from "../parts/numbers.js";
import { Exact, LiveOnly, Panel, Status } from "../parts/shell.js";
import { Word } from "../parts/words.js";
import { Doors } from "./doors.js";
import { Sentence, goesOn, nameOf, strongest } from "./sentence.js";
import { Steps } from "./steps.js";
import "./start.css";

// head: "layer.head" counted from 0, or empty for the most telling one; token: the query, or null for the last one.
const { start: state } = states;

const EXAMPLES = [state.text, "Two dogs are running through the", "Several people are sitting at a"];
const LONGEST = 400; // characters

function View({ ask, state, change, place }) {
  const picture = useRef(null);
  const request = { text: state.text.slice(0, LONGEST) };
  const answer = useLatest(ask, "start", request);
  const read = useMemo(() => answer.response && unpack(answer.response), [answer.response]);
  const [pointed, setPointed] = useState(null);
  const rested = useRested(read && state.head === "" ? read.telling.join() : null, state.text);
  const write = (text) => (setPointed(null), change({ text, token: null }));
  const examples = html`<p class="start-examples"><span class="hint">Or read</span>
    ${EXAMPLES.filter((one) => one !== state.text).map((one) => html`<button class="quiet" onClick=${() => write(one)}>${one} …</button>`)}</p>`;
  if (!read) return html`<div class="start"><${Panel}><${Status} error=${answer.error} waiting=${true} lines=${5} />${answer.error && place === "page" && examples}<//></div>`;
  const count = read.pieces.length;
  const [layer, head] = headOf(read, state.head);
  const query = bounded(pointed ?? state.token ?? count - 1, count);
  const row = read.rowOf(layer, head, query);
  const numbers = () => ({ weights: { shape: [count, count], data: read.mapOf(layer, head), rows: read.names, columns: read.names, axes: ["query", "key"] } });
  const looks = strongest(row, 3).map((key) => `${key === query ? "itself" : read.names[key]} ${formatPercent(row[key])}`).join(", ");
  const told = `“${read.names[query]}” looks at ${looks}: the weights of head ${head + 1} in layer ${layer + 1} of ${read.layers}, of a small Transformer that reads “${state.text.trim()}”.`;
  return html`<div class="start">
    <div class="start-live">
      <${Panel} class="start-read">
        <div class="start-tools">
          <${LiveOnly} class="start-write" place=${place} what="write another sentence">
            <${TextField} label="The sentence: write your own" live placeholder="write, or click a word that may come next" value=${state.text} max=${LONGEST} onChange=${write} />
          <//>
          <${Select} label="Head" value=${state.head} options=${headsOf(read)} onChange=${(head) => change({ head })} />
          <${Export} name="attention" of=${picture} caption=${told} numbers=${numbers} saves=${() => [["start", request]]} ask=${ask}
            view="start" state=${state} place=${place} />
        </div>
        <figure class="start-figure" ref=${picture}>
          <${Sentence} read=${read} row=${row} query=${query} pinned=${state.token} onPoint=${setPointed} onPin=${(token) => change({ token })} />
          <figcaption data-unpictured class=${read.pieces.some(goesOn) || read.unknown || rested.before ? "is-long" : ""}>${caption(read, layer, head, query, row)} <span role="status">${otherHead(rested)}</span></figcaption>
        </figure>
        <${Status} error=${answer.error} />
        ${place === "page" && examples}
      <//>
      <${Panel} class="start-next" title="What comes next?" actions=${place !== "file" && html`<button class="quiet start-new" onClick=${() => write("")}>New sentence</button>`}>
        <${LiveOnly} place=${place} noted=${false}><${Next} read=${read} text=${state.text} isFull=${count >= read.context} write=${write} /><//>
      <//>
    </div>
    <${Steps} read=${read} row=${row} query=${query} place=${place} />
    ${place === "page" && html`<${Doors} ask=${ask} place=${place} text=${state.text} />`}
  </div>`;
}

// The response with its weights: the row of a query is what it looks at.
function unpack({ header, data, offset }) {
  const count = header.pieces.length;
  const weights = new Float32Array(data, offset, header.layers * header.heads * count * count);
  const mapOf = (layer, head) => weights.subarray((layer * header.heads + head) * count * count, (layer * header.heads + head + 1) * count * count);
  const rowOf = (layer, head, query) => mapOf(layer, head).subarray(query * count, (query + 1) * count);
  return { ...header, mapOf, rowOf, names: header.pieces.map(nameOf) };
}

const bounded = (value, count) => Math.max(0, Math.min(count - 1, Math.round(value) || 0));

function headOf({ layers, heads, telling }, text) {
  const [layer, head] = text.split(".").map(Number);
  return /^\d+\.\d+$/.test(text) && layer < layers && head < heads ? [layer, head] : telling;
}

function headsOf({ layers, heads, telling: [layer, head] }) {
  const group = (l) => [`Layer ${l + 1}`, Array.from({ length: heads }, (_, h) => [`${l}.${h}`, `layer ${l + 1}, head ${h + 1}`])];
  return [["", `layer ${layer + 1}, head ${head + 1} (looks farthest back)`], ...Array.from({ length: layers }, (_, l) => group(l))];
}

const caption = (read, layer, head, query, row) => html`<b>${read.names[query]}</b> looks at
  ${strongest(row, 3).map((key, i) => html`${i ? ", " : " "}<b>${key === query ? "itself" : read.names[key]}</b> <${Exact} value=${row[key]} as=${formatPercent} />`)}:
  the <${Word} of="weight">weights<//> of <${Word} of="head">head<//> ${head + 1} in <${Word} of="layer">layer<//> ${layer + 1},
  one of ${read.layers * read.heads} in this model.${[layer, head].join() === read.telling.join() ? html` It looks <${Word} of="farthest">farthest back<//>.` : ""}${unlearnt(read)}${pieces(read)}`;

// The first word that the model reads in pieces, where there is one.
function pieces({ pieces, names }) {
  const first = pieces.findIndex(goesOn) - 1;
  if (first < 0) return "";
  const after = pieces.findIndex((piece, token) => token > first && !goesOn(piece, token, pieces));
  return html` The model reads pieces of words, its <${Word} of="token">tokens<//>: “${names.slice(first, after < 0 ? undefined : after).join("·")}”.`;
}

// The head that the view chose for a text, and the one before it where that was another: of texts that rested, not of those half typed.
const REST = 1000; // milliseconds

function useRested(chosen, text) {
  const [seen, setSeen] = useState({ now: null, before: null, text: null });
  useEffect(() => {
    if (chosen === null || (seen.text === text && seen.now === chosen)) return;
    const timer = setTimeout(() => setSeen(({ now }) => ({ now: chosen, before: now === chosen ? null : now, text })), REST);
    return () => clearTimeout(timer);
  }, [chosen, text, seen]);
  return seen.now === chosen && seen.text === text ? seen : { now: null, before: null };
}

const unlearnt = ({ unknown }) => unknown && ` The model has not learnt ${[...unknown].map((one) => `“${one}”`).join(", ")}: it reads the bytes of each, one � for one, and guesses.`;

const named = (chosen) => `head ${Number(chosen.split(",")[1]) + 1} in layer ${Number(chosen.split(",")[0]) + 1}`;
const otherHead = ({ now, before }) => before && `In this sentence ${named(now)} looks farthest back; before, it was ${named(before)}.`;

// The likeliest next tokens: a click appends one.
function Next({ read, text, isFull, write }) {
  if (isFull) return html`<p>The model was trained on ${read.context} <${Word} of="token">tokens<//> at a time. <button onClick=${() => write(EXAMPLES[0])}>Start anew</button></p>`;
  const inner = ({ piece, probability }) => html`<span class="start-bar" style=${{ width: `${100 * probability}%` }}></span>
    <span class="start-piece">${piece ? nameOf(piece) : "the end of the sentence"}</span><span class="start-share"><${Exact} value=${probability} as=${formatPercent} /></span>`;
  return html`<p class="note">The probability of each <${Word} of="token">token<//>: a full bar is 100 %. Click one to append it.</p>
    <ol class="start-bars">${read.next.map((one) => html`<li key=${one.piece}>${one.piece
      ? html`<button onClick=${() => write(text.trimEnd() + (text.trim() ? one.piece : one.piece.trimStart()))}>${inner(one)}</button>`
      : html`<div>${inner(one)}</div>`}</li>`)}</ol>`;
}

export default {
  name: "start",
  title: "Start",
  headline: "Attention: every word looks at itself and the words before it, and takes what it needs.",
  about: "A small Transformer, trained on captions of photographs, reads this sentence. Point at a word: the arcs show where it looks, and how much.",
  state,
  View,
};
