// The head from left to right, in the order of the data: tokens, queries, keys and values, logits, weights, outputs.
import { html, useEffect } from "../vendor/preact.js";
import { Button } from "../parts/controls.js";
import { formatColumn, formatExact, formatNumber, formatPercent } from "../parts/numbers.js";
import { Exact, Panel, useTouch } from "../parts/shell.js";
import { Word } from "../parts/words.js";
import { Editable, Values } from "./matrix.js";

// The five steps, as links name them.
export const STEPS = [["tokens", "Tokens"], ["qkv", "q, k, v"], ["logits", "q·k·β"], ["softmax", "Softmax"], ["mix", "Mix"]];
const MOST = 12; // tokens
const SUMMED = 4; // scores that the softmax's sum spells out

const vector = (row, says = (value) => formatColumn(value, 2)) => `(${row.map((value) => says(value)).join(", ")})`; // as in its table

// One sentence about a step, with the numbers of the chosen query `at`.
const SENTENCES = {
  tokens: ({ shown, names, at }) => html`Each word is a row of numbers: ${names[at]} is x = ${vector(shown.x[at], formatExact)}.`,
  qkv: ({ found, h, names, at }) => html`Three matrices make of ${names[at]} a <b>query</b>, what it looks for, q = ${vector(found.q[h][at])}; a <b>key</b>, what it is
    found by, k = ${vector(found.k[h][at])}; a <b>value</b>, what it gives, v = ${vector(found.v[h][at])}.`,
  logits: ({ found, shown, h, names, at }) => {
    const row = found.logits[h][at];
    const [best, ...others] = order(row);
    const hidden = row.filter((logit) => logit === null).length;
    const tied = others.filter((key) => row[key] === row[best]).length;
    const rank = tied === 0 ? "the largest" : tied === others.length ? "and the same for all others: they tie" : `the largest, with ${tied} more`;
    if (best === undefined) return html`The mask hides every word from ${names[at]}.`;
    return html`The query of ${names[at]} meets every key: β·q·k = ${formatNumber(found.beta, 4)} · ${vector(found.q[h][at])} · ${vector(found.k[h][best])} = <b>${formatColumn(row[best], decimalsOf(found.logits[h]))}</b> for ${names[best]}, ${rank}${hidden ? `; the mask hides ${hidden} of ${shown.x.length}` : ""}.`;
  },
  softmax: ({ found, shown, h, names, at }) => {
    const [best] = order(found.logits[h][at]);
    if (best === undefined) return html`The mask hides every word from ${names[at]}: its weights are 0.`;
    const seen = order(found.logits[h][at]);
    const power = (key) => html`e<sup>${formatColumn(found.logits[h][at][key], 3)}</sup>`; // a digit more than the table: with two, the result by hand differs
    const sum = seen.slice(0, SUMMED).map((key, i) => html`${i ? " + " : ""}${power(key)}`);
    const how = shown.hard ? "At β → ∞ the largest score takes all" : html`Softmax makes of the scores shares of 100 %: for ${names[best]}${" "}
      ${power(best)} / (${sum}${seen.length > SUMMED ? " + …" : ""}) = <b><${Exact} value=${found.weights[h][at][best]} /></b>`;
    return html`${how}. So ${names[at]} looks at ${looks(found.weights[h][at], names)}.`;
  },
  mix: ({ found, h, names, at }) => {
    const row = found.weights[h][at];
    const parts = taken(row, 2).map((key, i) => html`${i ? " + " : ""}${formatColumn(row[key], 4)}·v(${names[key]})`);
    const more = row.filter((weight) => weight > 0).length > 2 ? " + …" : "";
    return html`The output of ${names[at]} is the sum of all values, each times its weight: ${parts}${more} = <b>${vector(found.outputs[h][at])}</b>${
      found.merged ? html`; W_O makes of all heads y = ${vector(found.merged[at])}` : ""}.`;
  },
  "": ({ found, h, names, at }) => html`Every word looks at the others: <b>${names[at]}</b> looks at ${looks(found.weights[h][at], names)}, and takes that much of
    their values.<span data-unpictured> Choose a word, or a step.</span>`,
};

// Of logits: fewer where they are large, so that no column grows while β is turned.
const decimalsOf = (rows) => [10, 100].filter((least) => rows.flat().every((value) => Math.abs(value ?? 0) < 10 * least)).length;
const order = (row) => [...row.keys()].filter((i) => row[i] !== null).sort((a, b) => row[b] - row[a]);
// Keys by their weights, the greatest first, without those that get none.
const taken = (row, most) => order(row).slice(0, most).filter((key, i) => !i || row[key] > 0);
const looks = (row, names) => taken(row, 3).map((key, i) => html`${i ? ", " : ""}${names[key]} <b><${Exact} value=${row[key]} as=${formatPercent} digits=${3} /></b>`);

// problem: what is edited; shown: what the numbers `found` are of; at: the chosen query.
export function Flow({ found, shown, problem, names, at, step, change, choose, edit, isSaved, picture, beta, mask, narrow, place }) {
  useEffect(() => {
    if (step && place === "page") document.querySelector(".stage.lit").scrollIntoView({ block: narrow ? "start" : "nearest" });
  }, [step]);
  const h = shown.head;
  const told = { found, shown, h, names, at };
  const own = { rowNames: names, chosen: at, onRow: choose };
  const stage = (name, title, children) => html`<section class=${`stage${step === name ? " lit" : ""}`} data-stage=${name}>${name !== "tokens" && html`<span class="playground-arrow" aria-hidden="true">${narrow ? "↓" : "→"}</span>`}<h3>${title}</h3>${children}</section>`;
  const numbered = (rows) => rows[0].map((_, i) => `${i + 1}`); // so that rows stand at the height of the weights'
  const logits = shown.hard ? `q·k/√${found.q[h][0].length}` : "β·q·k";
  return html`<${Panel} class="playground-flow" title=${shown.heads.length > 1 ? `Head ${h + 1}` : "The head"} actions=${html`<${Steps} step=${step} change=${change} />`}>
    <div ref=${picture}><div class=${`playground-said${step ? " pinned" : ""}`}><p class="playground-told" role="status" data-told=${step}>${SENTENCES[step](told)}</p>
      ${narrow && step && html`<${Turns} step=${step} change=${change} />`}</div>
    <div class="flow">
      ${stage("tokens", html`X, the <${Word} of="token">tokens<//>`, html`<${Tokens} problem=${problem} at=${at} edit=${edit} isSaved=${isSaved} />`)}
      ${stage("qkv", "q, k, v", html`
        ${[["q", "query", "queries"], ["k", "key", "keys"], ["v", "value", "values"]].map(([name, word, label]) => html`<h4><${Word} of=${word}>${label}<//> ${name.toUpperCase()} = X·W_${name.toUpperCase()}</h4>
          <${Values} label=${label} values=${found[name][h]} ...${name === "q" ? own : { rowNames: names, chosen: step === "qkv" ? at : null }} fixed=${2} />`)}`)}
      ${stage("logits", html`Scores, <${Word} of="logit">logits<//> ${logits}`, html`${beta}<${Values} label="logits" values=${found.logits[h]} scale="signed" columnNames=${names} fixed=${decimalsOf(found.logits[h])} ...${own} />
        <p class="note">a row: the word that looks; a column: the word it looks at</p>`)}
      ${stage("softmax", html`<${Word} of="weight">Weights<//> A, by <${Word} of="softmax">softmax<//>`, html`${mask}<${Values} label="weights" hidden=${found.logits[h].map((row) => row.map((value) => value === null))} values=${found.weights[h]} scale="weight" limit=${1} columnNames=${names} fixed=${3} ...${own} />
        <p class="note">each row adds up to 1</p>`)}
      ${stage("mix", html`<${Word} of="output">Outputs<//> A·V`, html`<${Values} label="outputs" values=${found.outputs[h]} fixed=${2} columnNames=${numbered(found.outputs[h])} ...${own} />`)}
      ${found.merged && stage("mix", html`Y, all heads · <${Word} of="projection">W_O<//>`, html`<${Values} label="output" values=${found.merged} fixed=${2} columnNames=${numbered(found.merged)} ...${own} />`)}
    </div></div>
  <//>`;
}

// To the step before and the next one, where the steps are out of sight.
function Turns({ step, change }) {
  const place = STEPS.findIndex(([name]) => name === step);
  const to = (next, before, after) => STEPS[next] && html`<button onClick=${() => change({ step: STEPS[next][0] })}>${before}${next + 1} ${STEPS[next][1]}${after}</button>`;
  return html`<div class="playground-turns" data-unpictured>${to(place - 1, "← ", "")}<span></span>${to(place + 1, "", " →")}</div>`;
}

// The steps in a row; the chosen one is lit below, and pressing it again lights none.
function Steps({ step, change }) {
  return html`<ol class="playground-steps" aria-label="Steps">${STEPS.map(([name, title], i) => html`<li><button aria-pressed=${String(step === name)}
    onClick=${() => change({ step: step === name ? "" : name })}>${i + 1} ${title}</button></li>`)}</ol>`;
}

function Tokens({ problem: { x, tokens }, at, edit, isSaved }) {
  const names = x.map((_, i) => tokens?.[i] ?? `token ${i + 1}`);
  const without = (rows, row) => rows.filter((_, r) => r !== row);
  const isTouch = useTouch();
  const add = () => edit({ x: [...x, x[0].map((_, c) => (c === x.length % x[0].length ? 1 : 0))], // zeros would look at all alike
    tokens: [...names, `token ${x.length + 1}`] });
  return html`<fieldset class="group" disabled=${isSaved}>
    <${Editable} label="X" values=${x} rowNames=${names} chosen=${at} marked onChange=${(values) => edit({ x: values })}
      onName=${(row, name) => edit({ tokens: names.map((old, r) => (r === row ? name.trim() || old : old)) })}
      onRemoveRow=${x.length > 1 ? (row) => edit({ x: without(x, row), tokens: without(names, row) }) : null} />
    <${Button} onClick=${add} off=${x.length >= MOST}>Add a token<//>
    <p class="hint">${isTouch ? "Touch a number to type, or drag it sideways." : "Type, turn with the arrow keys, or drag a number sideways."} Names can be typed too: they are only labels, and change no number.</p>
  </fieldset>`;
}
