// What lies deeper: how the softmax responds, and what noise on a query or a key changes.
import { html, useRef } from "../vendor/preact.js";
import { Export } from "../parts/export.js";
import { formatNumber } from "../parts/numbers.js";
import { Panel } from "../parts/shell.js";
import { Values } from "./matrix.js";
import { NoisePlane } from "./plane.js";

export function Deeper({ state, change, found, shown, names, at, isSaved, saving }) {
  const picture = useRef(null);
  // The panel keeps its place before there is noise, so that nothing jumps when a key is dragged.
  const silence = shown.hard ? "Small noise does not change hard weights: lower β to see what changes." : "Drag a key or a query, or move it with the arrow keys: this panel shows what changes.";
  const noise = shown.noise && found.moved ? ` Noise (${shown.noise.noise.map((value) => formatNumber(value)).join(", ")}) on the ${shown.noise.on} of “${names[shown.noise.index]}”.` : "";
  const told = `How the weights of “${names[at]}” respond to its logits, and queries (circles) and keys (squares) in the plane.${noise}`;
  return html`<div class="columns" ref=${picture}>
    <${Jacobian} of=${found.jacobians[at]} name=${names[at]} shown=${shown} names=${names}
      actions=${html`<${Export} name="playground-deeper" of=${picture} caption=${told} ...${saving} />`} />
    <${NoisePlane} state=${state} change=${change} found=${found} shown=${shown} names=${names} isSaved=${isSaved} />
    ${found.moved
      ? html`<${Noise} found=${found} shown=${shown} names=${names} change=${isSaved ? null : change} />`
      : html`<${Panel} class="wide playground-silence" title="What the noise changes" note=${silence} />`}
  </div>`;
}

function Jacobian({ of, name, shown, names, actions }) {
  const norm = Math.sqrt(of.flat().reduce((sum, value) => sum + value * value, 0));
  return html`<${Panel} title=${`How the weights of “${name}” respond to its logits`} actions=${actions}
    note=${shown.hard ? "Hard weights do not change until another logit becomes the largest." : "∂aᵢ/∂zⱼ = aᵢ(δᵢⱼ − aⱼ): a weight near 0 or 1 hardly moves."}>
    <${Values} label="Jacobian" values=${of} scale="signed" limit=${0.25} rowNames=${names} columnNames=${names} />
    <p class="note">Frobenius norm <b data-norm>${formatNumber(norm, 4)}</b>, at most 1 − Σa².</p>
  <//>`;
}

function Noise({ found, shown, names, change }) {
  const { moved } = found;
  const count = shown.x.length;
  const flat = moved.moved.flat();
  const how = flat.filter(Boolean).length;
  const rows = moved.moved.filter((row) => row.some(Boolean)).length;
  const { on, index, noise } = shown.noise;
  const worst = Math.max(...moved.predicted.flatMap((row, r) => row.map((value, c) => Math.abs(value - moved.weights[r][c]))));
  const tables = [
    ["Weights after it", "weights after the noise", { values: moved.weights, scale: "weight", limit: 1, moved: moved.moved, columnNames: names, fixed: 3 }],
    ["Their change", "change of the weights", { values: moved.change, scale: "signed", moved: moved.moved, columnNames: names }],
    ["Outputs after it", "outputs after the noise", { values: moved.outputs, moved: moved.outputs.map((row, r) => row.map(() => moved.outputs_moved[r])) }],
    ["Added to the logits", "added to the logits", { values: moved.shift, scale: "signed", columnNames: names }],
    ["To first order", "change to first order", { values: moved.first_order, scale: "signed", columnNames: names }],
  ];
  return html`<${Panel} class="wide" title=${`Noise on the ${on} of “${names[index]}”`}
    note=${on === "key" ? "One logit of every query changes, and through the normaliser all of its weights." : "The weights of one query change, and no others."}
    actions=${change && html`<button onClick=${() => change({ noise: null })}>Remove it</button>`}>
    <p data-moved>ε = (${noise.map((value) => formatNumber(value)).join(", ")}): <b>${how} of ${flat.length}</b> weights moved, of <b>${rows} of ${count}</b> queries; <b>${moved.outputs_moved.filter(Boolean).length} of ${count}</b> outputs. Σ(a′ − a)² = ${formatNumber(moved.energy)}.</p>
    <div class="row playground-results">
      ${tables.map(([title, label, more]) => html`<div><h3>${title}</h3><${Values} label=${label} rowNames=${names} ...${more} /></div>`)}
    </div>
    <p class="note">The closed form a′ ∝ a·eᵗ predicts the weights after it from those before, within ${formatNumber(worst)}.</p>
  <//>`;
}
