// The playground: tokens, matrices, β, masks; every number of the mechanism, and what noise on a key or a query changes.
import { html, useRef, useState } from "../vendor/preact.js";
import { scaleLinear } from "../vendor/d3.js";
import { useAnswer, useLatest } from "../client.js";
import { css, ink } from "../parts/colour.js";
import { Button, Choice, NumberCell, Select, Slider, TextField } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatNumber } from "../parts/numbers.js";
import { Panel, Status, useTheme, useWidth } from "../parts/shell.js";
import "./playground.css";

const state = { problem: null, beta: null, hard: false, mask: "everything", head: 0, query: 0, noise: null, plane: "tokens", axes: "0,1" };
const MASKS = [["everything", "everything"], ["causal", "causal"], ["window(1, 1)", "neighbours"], ["~window(0, 0)", "not oneself"]];
const MOST = { tokens: 12, heads: 4 };
const HARD = 100; // the slider's last place

// The slider's places: 0 is β = 0, then from 0.01 to 100 by equal factors, the last is hard.
const betaAt = (place) => (place === 0 ? 0 : Number((10 ** (-2 + (4 * (place - 1)) / 98)).toPrecision(4)));
const placeOf = (beta) => (beta <= 0 ? 0 : Math.max(1, Math.min(HARD - 1, Math.round(1 + (98 * (Math.log10(beta) + 2)) / 4))));

const names = (letter, count) => Array.from({ length: count }, (_, i) => `${letter}${subscript(i + 1)}`);
const subscript = (number) => String(number).replace(/\d/g, (digit) => "₀₁₂₃₄₅₆₇₈₉"[digit]);

function request(problem, state) {
  const within = (index, count) => Math.max(0, Math.min(index, count - 1));
  const fits = state.noise?.noise?.length === problem.heads[0].q[0].length && state.noise.index < problem.x.length;
  return {
    x: problem.x, heads: problem.heads, out: problem.out, beta: state.beta === null ? null : Math.max(0, state.beta), hard: state.hard,
    mask: state.mask, head: within(state.head, problem.heads.length), query: within(state.query, problem.x.length),
    noise: fits && !state.hard ? state.noise : null,
  };
}

// An address may hold anything: what is not a problem is ignored.
const isProblem = (given) => Array.isArray(given?.x?.[0]) && Array.isArray(given?.heads?.[0]?.q?.[0]) && Array.isArray(given.heads[0].v?.[0]);

function View({ ask, state, change, place }) {
  const picture = useRef(null);
  const example = useAnswer(ask, "example", {});
  const problem = isProblem(state.problem) ? state.problem : example.response;
  const question = problem && request(problem, state);
  const answer = useLatest(ask, "playground", question);
  const found = answer.response;
  if (!problem) return html`<${Status} error=${example.error} waiting=${true} />`;
  if (!found) {
    return html`<div class="sided playground"><${Panel} title="Attention">
      <${Mechanism} state=${state} change=${change} beta=${state.beta} problem=${problem} edit=${() => {}} />
      <${Status} error=${answer.error} waiting=${true} />
    <//></div>`;
  }
  // A response is drawn with its own request, not with a problem that has changed meanwhile.
  const shown = JSON.parse(answer.of);
  const isSaved = place === "file"; // it holds the responses for every position of the slider, and no others
  const edit = (changes) => change({ problem: { x: problem.x, heads: problem.heads, out: problem.out, ...changes } });
  const numbers = () => arrays(found, shown);
  const saves = () => [["example", {}], ...Array.from({ length: HARD + 1 }, (_, at) => ["playground", request(problem, { ...state, ...moved(at) })]), ["playground", question]];
  return html`<div class="sided playground" ref=${picture}>
    <div>
      <${Panel} title="Attention" actions=${html`<${Export} name="playground" of=${picture} numbers=${numbers} saves=${saves} ask=${ask} view="playground" state=${state} place=${place} />`}>
        <${Mechanism} state=${state} change=${change} beta=${found.beta} problem=${problem} edit=${edit} isSaved=${isSaved} />
        <${Status} error=${answer.error} />
      <//>
      <${Planes} state=${state} change=${change} found=${found} shown=${shown} problem=${problem} edit=${edit} isSaved=${isSaved} />
    </div>
    <div class="columns">
      <${Results} found=${found} shown=${shown} change=${isSaved ? null : change} />
      ${found.moved ? html`<${Noise} found=${found} shown=${shown} change=${change} />` : state.plane === "keys" && html`<${Silence} isHard=${shown.hard} />`}
      <${Inputs} problem=${problem} head=${question.head} edit=${edit} isSaved=${isSaved} />
      <${Jacobian} found=${found} shown=${shown} />
      ${found.merged && html`<${Panel} title="Output" note=${`${shown.heads.length > 1 ? "All heads side by side" : "The head"}, times W_O: a row for each token.`}>
        <${Values} label="output" values=${found.merged} rowNames=${names("y", found.merged.length)} digits=${5} />
      <//>`}
    </div>
  </div>`;
}

const moved = (at) => (at === HARD ? { hard: true } : { hard: false, beta: betaAt(at) });

function Mechanism({ state: shownState, change, beta, problem, edit, isSaved }) {
  const width = problem.heads[0].q[0].length;
  const now = Math.max(0, beta ?? 1 / Math.sqrt(width));
  const at = shownState.hard ? HARD : placeOf(now);
  const heads = problem.heads.length;
  const isCustom = !MASKS.some(([mask]) => mask === shownState.mask);
  const [custom, setCustom] = useState(isCustom);
  const add = () => {
    const [rows, columns] = [problem.heads[0].q.length, problem.heads[0].q[0].length];
    const eye = (height, width) => Array.from({ length: height }, (_, r) => Array.from({ length: width }, (_, c) => (r % width === c ? 1 : 0)));
    const values = problem.heads[0].v[0].length;
    const out = problem.out && [...problem.out, ...eye(values, problem.out[0].length)];
    edit({ heads: [...problem.heads, { q: eye(rows, columns), k: eye(rows, columns), v: eye(rows, values) }], out });
    change({ head: heads });
  };
  const remove = () => {
    const values = problem.heads[0].v[0].length;
    const at = Math.min(shownState.head, heads - 1);
    edit({ heads: problem.heads.filter((_, h) => h !== at), out: problem.out?.filter((_, r) => Math.floor(r / values) !== at) ?? null });
    change({ head: Math.max(0, at - 1) });
  };
  return html`<div class="stack">
    <div>
      <${Slider} label="β" min="0" max=${HARD} step="1" value=${at} onChange=${(next) => change(moved(next))}
        says=${(place) => (place === HARD ? "hard" : place === at ? formatNumber(now, 4) : formatNumber(betaAt(place)))} />
      <p class="note">β multiplies the logits: 0 spreads the weights evenly, a large value keeps only the largest.
        <${Button} class="quiet" onClick=${() => change({ beta: null, hard: false })} off=${shownState.beta === null && !shownState.hard}>back to 1/√${width}<//></p>
      ${isSaved && html`<p class="note">Saved from regard: the slider works; run regard explore to change anything else.</p>`}
    </div>
    <fieldset class="group" disabled=${isSaved}>
    <${Choice} label="Mask" value=${custom ? "custom" : shownState.mask} options=${[...MASKS, ["custom", "write one"]]}
      onChange=${(mask) => (setCustom(mask === "custom"), mask !== "custom" && change({ mask }))} />
    ${custom && html`<${TextField} label="such as causal & window(2)" value=${shownState.mask} max="200" onChange=${(mask) => change({ mask })} />`}
    <div class="row">
      <${Choice} label="Head" value=${Math.min(shownState.head, heads - 1)} options=${problem.heads.map((_, h) => [h, h + 1])} onChange=${(head) => change({ head, noise: null })} />
      <span><${Button} onClick=${add} off=${heads >= MOST.heads} aria-label="add a head">+<//>${" "}<${Button} onClick=${remove} off=${heads === 1} aria-label="remove this head">−<//></span>
    </div>
    <div class="row"><button onClick=${() => (setCustom(false), change({ ...state }))}>Reset to the worked example</button></div>
    </fieldset>
  </div>`;
}

function Planes({ state, change, found, shown, problem, edit, isSaved }) {
  const h = shown.head;
  const width = state.plane === "tokens" ? problem.x[0].length : found.q[h][0].length;
  const pairs = [];
  for (let a = 0; a < width; a++) for (let b = a + 1; b < width; b++) pairs.push([`${a},${b}`, `${a + 1} and ${b + 1}`]);
  const [a, b] = (pairs.find(([pair]) => pair === state.axes)?.[0] ?? pairs[0]?.[0] ?? "0,0").split(",").map(Number);
  const at = (row) => ({ x: row[a] ?? 0, y: row[b] ?? 0 });
  let points, onMove;
  if (state.plane === "tokens") {
    points = problem.x.map((row, i) => ({ id: `x${i}`, ...at(row), name: `x${subscript(i + 1)}`, kind: "token" }));
    onMove = (id, x, y) => edit({ x: problem.x.map((row, i) => (`x${i}` === id ? row.map((old, c) => (c === a ? x : c === b ? y : old)) : row)) });
  } else {
    const { noise } = request(problem, state); // what is wanted now: keys come faster than responses
    const noisy = (on, i, row) => (noise?.on === on && noise.index === i ? row.map((value, d) => value + noise.noise[d]) : row);
    const side = (on, rows) => rows.map((row, i) => {
      const now = noisy(on, i, row);
      return { id: `${on} ${i}`, ...at(now), name: `${on[0]}${subscript(i + 1)}`, kind: on, from: now === row ? null : [row[a], row[b]] };
    });
    points = [...side("query", found.q[h]), ...side("key", found.k[h])];
    onMove = (id, x, y) => {
      const [on, i] = id.split(" ");
      const row = found[on === "key" ? "k" : "q"][h][i];
      const noise = row.map((value, d) => Number(((d === a ? x : d === b ? y : value) - value).toFixed(6)));
      change({ noise: { on, index: Number(i), noise }, hard: false });
    };
  }
  return html`<${Panel} title="In the plane">
    <${Choice} label="Move" value=${state.plane} options=${[["tokens", "tokens"], ["keys", "queries and keys"]]} onChange=${(plane) => change({ plane })} />
    <p class="note">${state.plane === "tokens" ? "Drag a token: its query, key and value follow." : "Drag a key (square) or a query (circle): this adds noise to it alone, and what changes is marked."}</p>
    ${pairs.length > 1 && html`<${Select} label="Coordinates" value=${`${a},${b}`} options=${pairs} onChange=${(axes) => change({ axes })} />`}
    <${Plane} label=${state.plane === "tokens" ? "the tokens" : "queries and keys"} points=${points} onMove=${isSaved ? () => {} : onMove}
      xLabel=${`coordinate ${a + 1}`} yLabel=${`coordinate ${b + 1}`} height=${260} />
    ${shown.noise && html`<button onClick=${() => change({ noise: null })}>Remove the noise</button>`}
  <//>`;
}

function Inputs({ problem, head, edit, isSaved }) {
  const { x, heads, out } = problem;
  const own = heads[head];
  const set = (name) => (values) => edit({ heads: heads.map((one, h) => (h === head ? { ...one, [name]: values } : one)) });
  const add = () => edit({ x: [...x, x[0].map(() => 0)] });
  return html`<${Panel} class="wide" title="Numbers you can change" note="Type, use the up and down keys, or drag a number sideways.">
    <fieldset class="row playground-inputs group" disabled=${isSaved}>
      <div><h3>X, the tokens</h3><${Editable} label="X" values=${x} rowNames=${names("x", x.length)} onChange=${(values) => edit({ x: values })}
        onRemoveRow=${x.length > 1 ? (row) => edit({ x: x.filter((_, r) => r !== row) }) : null} />
        <${Button} onClick=${add} off=${x.length >= MOST.tokens}>Add a token<//></div>
      ${[["q", "W_Q"], ["k", "W_K"], ["v", "W_V"]].map(([name, title]) => html`<div><h3>${title}${heads.length > 1 ? ` of head ${head + 1}` : ""}</h3><${Editable} label=${title} values=${own[name]} onChange=${set(name)} /></div>`)}
      ${out && html`<div><h3>W_O</h3><${Editable} label="W_O" values=${out} onChange=${(values) => edit({ out: values })} /></div>`}
    </fieldset>
  <//>`;
}

function Results({ found, shown, change }) {
  const h = shown.head;
  const count = shown.x.length;
  const [queries, keys] = [names("q", count), names("k", count)];
  return html`<${Panel} class="wide" title=${shown.heads.length > 1 ? `Head ${h + 1}` : "The head"} note="A row for each query, a column for each key. Choose a query to see its Jacobian.">
    <div class="row playground-results">
      <div><h3>Logits β·q·k</h3><${Values} label="logits" values=${found.logits[h]} scale="signed" rowNames=${queries} columnNames=${keys} /></div>
      <div><h3>Weights</h3><${Values} label="weights" values=${found.weights[h]} scale="weight" limit=${1} rowNames=${queries} columnNames=${keys} digits=${4}
        chosen=${shown.query} onRow=${change && ((query) => change({ query }))} /></div>
      <div><h3>Outputs Σ a·v</h3><${Values} label="outputs" values=${found.outputs[h]} rowNames=${names("o", count)} digits=${4} /></div>
    </div>
  <//>`;
}

function Jacobian({ found, shown }) {
  const norm = Math.sqrt(found.jacobian.flat().reduce((sum, value) => sum + value * value, 0));
  const count = shown.x.length;
  return html`<${Panel} title=${`How the weights of q${subscript(shown.query + 1)} respond to its logits`}
    note=${shown.hard ? "Hard weights do not change until another logit becomes the largest." : "∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${Values} label="Jacobian" values=${found.jacobian} scale="signed" limit=${0.25} rowNames=${names("a", count)} columnNames=${names("z", count)} />
    <p class="note">Frobenius norm <b data-norm>${formatNumber(norm, 4)}</b>, at most 1 − Σa².</p>
  <//>`;
}

function Noise({ found, shown, change }) {
  const { moved } = found;
  const count = shown.x.length;
  const flat = moved.moved.flat();
  const how = flat.filter(Boolean).length;
  const rows = moved.moved.filter((row) => row.some(Boolean)).length;
  const { on, index, noise } = shown.noise;
  const worst = Math.max(...moved.predicted.flatMap((row, r) => row.map((value, c) => Math.abs(value - moved.weights[r][c]))));
  return html`<${Panel} class="wide" title=${`Noise on ${on} ${index + 1}`}
    note=${on === "key" ? "One logit of every query changes, and through the normaliser all of its weights." : "The weights of one query change, and no others."}
    actions=${html`<button onClick=${() => change({ noise: null })}>Remove it</button>`}>
    <p data-moved>ε = (${noise.map((value) => formatNumber(value)).join(", ")}): <b>${how} of ${flat.length}</b> weights moved, of <b>${rows} of ${count}</b> queries; <b>${moved.outputs_moved.filter(Boolean).length} of ${count}</b> outputs. Σ(a′ − a)² = ${formatNumber(moved.energy)}.</p>
    <div class="row playground-results">
      <div><h3>Weights after it</h3><${Values} label="weights after the noise" values=${moved.weights} scale="weight" limit=${1} moved=${moved.moved} rowNames=${names("q", count)} columnNames=${names("k", count)} digits=${4} /></div>
      <div><h3>Their change</h3><${Values} label="change of the weights" values=${moved.change} scale="signed" moved=${moved.moved} rowNames=${names("q", count)} columnNames=${names("k", count)} /></div>
      <div><h3>Outputs after it</h3><${Values} label="outputs after the noise" values=${moved.outputs} moved=${moved.outputs.map((row, r) => row.map(() => moved.outputs_moved[r]))} rowNames=${names("o", count)} digits=${4} /></div>
      <div><h3>Added to the logits</h3><${Values} label="added to the logits" values=${moved.shift} scale="signed" rowNames=${names("q", count)} columnNames=${names("k", count)} /></div>
      <div><h3>To first order</h3><${Values} label="change to first order" values=${moved.first_order} scale="signed" rowNames=${names("q", count)} columnNames=${names("k", count)} /></div>
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${formatNumber(worst)}.</p>
  <//>`;
}

// A placeholder for the noise panel, so that nothing jumps when a key is dragged.
function Silence({ isHard }) {
  return html`<${Panel} class="wide playground-silence" title="Noise"
    note=${isHard ? "Small noise does not change hard weights: lower β to see what changes." : "Drag a key or a query in the plane, or move it with the arrow keys: this panel shows what changes."} />`;
}

function arrays(found, shown) {
  const flat = (value) => (Array.isArray(value) ? value.flatMap(flat) : [value]);
  const shape = (value) => (Array.isArray(value) ? [value.length, ...shape(value[0])] : []);
  const named = { x: shown.x, q: found.q, k: found.k, v: found.v, logits: found.logits, weights: found.weights, outputs: found.outputs, jacobian: found.jacobian };
  if (found.merged) named.merged = found.merged;
  if (found.moved) Object.assign(named, { weights_after_noise: found.moved.weights, change: found.moved.change, outputs_after_noise: found.moved.outputs, added_to_logits: found.moved.shift });
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { shape: shape(value), data: flat(value) }]));
}

// Small matrices with their numbers: to read, coloured by what they are worth, or to edit.

// values: rows of numbers, null where nothing is. scale null leaves them uncoloured; moved: the same shape, what to mark;
// chosen: a row that is looked at, onRow(r) chooses another.
function Values({ label, values, scale, limit, rowNames, columnNames, moved, chosen, onRow, digits = 3 }) {
  useTheme(); // colours change with it
  const most = limit ?? Math.max(1e-12, ...values.flat().map((value) => Math.abs(value ?? 0)));
  return html`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${label}</caption>
    ${columnNames && html`<thead><tr>${rowNames && html`<td></td>`}${columnNames.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>`}
    <tbody>${values.map(
      (row, r) => html`<tr class=${chosen === r ? "chosen" : ""}>
        ${rowNames && html`<th scope="row">${onRow ? html`<button class="quiet" aria-pressed=${chosen === r} onClick=${() => onRow(r)}>${rowNames[r]}</button>` : rowNames[r]}</th>`}
        ${row.map(
          (value, c) => html`<td><span class=${`value${moved ? (moved[r][c] ? " moved" : " still") : ""}`} title=${value === null ? "hidden" : String(value)}
            style=${scale && value !== null ? { background: css(value, scale, most), color: ink(value, scale, most) } : null}>${value === null ? "−∞" : formatNumber(value, digits)}</span></td>`,
        )}
      </tr>`,
    )}</tbody>
  </table></div>`;
}

// The same to edit: onChange gets the whole matrix with one number changed.
function Editable({ label, values, rowNames, columnNames, onChange, onRemoveRow, step = 0.1 }) {
  const changed = (r, c, value) => onChange(values.map((row, i) => (i === r ? row.map((old, j) => (j === c ? value : old)) : row)));
  const remove = (event, r) => {
    const table = event.currentTarget.closest("table"); // the row goes, and the focus must not go with it
    onRemoveRow(r);
    requestAnimationFrame(() => (table.querySelectorAll("button")[Math.min(r, values.length - 2)] ?? table.querySelector("input"))?.focus());
  };
  return html`<div class="scrolls"><table class="matrix">
    <caption class="unseen">${label}</caption>
    ${columnNames && html`<thead><tr>${rowNames && html`<td></td>`}${columnNames.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>`}
    <tbody>${values.map(
      (row, r) => html`<tr>
        ${rowNames && html`<th scope="row">${rowNames[r]}</th>`}
        ${row.map((value, c) => html`<td><${NumberCell} label=${`${label}, row ${r + 1}, column ${c + 1}`} value=${value} step=${step} onChange=${(next) => changed(r, c, next)} /></td>`)}
        ${onRemoveRow && html`<td><button class="quiet" aria-label=${`remove ${rowNames?.[r] ?? `row ${r + 1}`}`} title="remove" onClick=${(event) => remove(event, r)}>×</button></td>`}
      </tr>`,
    )}</tbody>
  </table></div>`;
}

// Points of a plane that can be dragged, or moved by the arrow keys.

// points: [{ id, x, y, name, kind, from? }]; kind names a class, from: [x, y] where it came from. onMove(id, x, y).
function Plane({ label, points, onMove, onChoose, chosen, xLabel, yLabel, step = 0.1, height = 330 }) {
  const [ref, width] = useWidth();
  const [held, setHeld] = useState(null); // the axes stay as they are while a point is dragged
  const svg = useRef(null);
  const reach = 1.18 * Math.max(1, ...points.flatMap(({ x, y, from }) => [x, y, ...(from ?? [])].map(Math.abs)));
  const bound = held?.bound ?? reach;
  const half = Math.max(60, Math.min(width, 560) / 2);
  const unit = (Math.min(2 * half, height) / 2 - 8) / bound; // pixels, the same both ways: angles are what they are
  const axis = (pixels, sign) => scaleLinear().domain([-pixels / unit, pixels / unit]).range([(1 - sign) * pixels, (1 + sign) * pixels]);
  const [x, y] = [axis(half, 1), axis(height / 2, -1)];
  const tidy = (value) => Number((Math.round(value / (step / 2)) * (step / 2)).toFixed(4));
  const move = (event) => {
    if (!held) return;
    const box = svg.current.getBoundingClientRect();
    onMove(held.id, tidy(x.invert(event.clientX - box.left)), tidy(y.invert(event.clientY - box.top)));
  };
  const key = (event, point) => {
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, step], ArrowDown: [0, -step] }[event.key];
    if (by) {
      event.preventDefault();
      const fast = event.shiftKey ? 10 : 1;
      onMove(point.id, Number((point.x + fast * by[0]).toFixed(4)), Number((point.y + fast * by[1]).toFixed(4)));
    } else if (event.key === "Enter" || event.key === " ") (event.preventDefault(), onChoose?.(point.id));
  };
  return html`<div class="plane" ref=${ref}>
    <svg ref=${svg} width=${2 * half} height=${height} role="group" aria-label=${label} onPointerMove=${move}
      onPointerUp=${() => setHeld(null)} onPointerCancel=${() => setHeld(null)}>
      <g class="axes"><line x1="8" x2=${2 * half - 8} y1=${y(0)} y2=${y(0)} /><line x1=${x(0)} x2=${x(0)} y1="8" y2=${height - 8} />
        ${x.ticks(6).filter(Boolean).map((tick) => html`<text x=${x(tick)} y=${y(0) + 15} text-anchor="middle">${formatNumber(tick)}</text>`)}
        ${y.ticks(5).filter(Boolean).map((tick) => html`<text x=${x(0) - 6} y=${y(tick)} dy="0.35em" text-anchor="end">${formatNumber(tick)}</text>`)}
        <text x=${2 * half - 8} y=${y(0) - 7} text-anchor="end">${xLabel}</text><text x=${x(0) + 7} y="18">${yLabel}</text></g>
      ${points.map((point) => point.from && html`<g class="came"><circle cx=${x(point.from[0])} cy=${y(point.from[1])} r="5" /><line x1=${x(point.from[0])} y1=${y(point.from[1])} x2=${x(point.x)} y2=${y(point.y)} /></g>`)}
      ${points.map((point) => html`<g class=${`point ${point.kind}${chosen === point.id ? " chosen" : ""}`} tabindex="0" role="button"
        aria-label=${`${point.name} at ${formatNumber(point.x)}, ${formatNumber(point.y)}; arrow keys move it`} data-point=${point.id}
        transform=${`translate(${x(point.x)},${y(point.y)})`} onKeyDown=${(event) => key(event, point)}
        onPointerDown=${(event) => {
          event.preventDefault(); // no text is selected on the way, and nothing scrolls
          event.currentTarget.focus();
          svg.current.setPointerCapture(event.pointerId);
          setHeld({ id: point.id, bound });
          onChoose?.(point.id);
        }}>
        ${point.kind === "key" ? html`<rect x="-7" y="-7" width="14" height="14" rx="3" />` : html`<circle r="8" />`}
        <text x="12" y="-8">${point.name}</text>
      </g>`)}
    </svg>
  </div>`;
}

export default { name: "playground", title: "Playground", about: "Four tokens, two heads, every number: change anything and see what attention makes of it.", state, View };
