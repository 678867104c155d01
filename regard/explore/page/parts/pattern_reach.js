// The receptive field: which tokens reach an output after each layer, and how many.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { still } from "../asking.js";
import { css } from "./colour.js";
import { Lines } from "./chart.js";
import { Slider, Toggle } from "./controls.js";
import { Export } from "./export.js";
import { Heatmap, paint } from "./heatmap.js";
import { told } from "./numbers.js";
import { share, whole } from "./pattern_units.js";
import { Panel, Said, useTheme, useWidth } from "./shell.js";
import { Saved, Still } from "./still.js";

const PACE = 450; // milliseconds for a layer
const NOTE = "A token reaches an output when its value can get there through the layers, whatever the weights.";
const inLayers = (count) => `${count} ${count === 1 ? "layer" : "layers"}`;

export function ReachPanel({ found, state, change, clipped, saving }) {
  const picture = useRef(null);
  const [plays, setPlays] = useState(false);
  const { head, first } = useMemo(() => read(found.reply), [found.reply]);
  const layers = head?.depths.length ?? state.layers;
  const depth = Math.min(state.depth ?? layers, layers);
  useEffect(() => {
    if (!plays) return;
    if (depth >= layers) return setPlays(false);
    const due = setTimeout(() => change({ depth: depth + 1 }), PACE);
    return () => clearTimeout(due);
  }, [plays, depth, layers]);
  const play = () => (plays ? setPlays(false) : (change({ depth: depth >= layers ? 1 : depth }), setPlays(true)));
  const numbers = () => {
    const columns = ["fewest", "mean", "most", "here", "formula", "convolution"];
    const data = head.depths.flatMap((one) => columns.map((name) => one[name]));
    return { reach: { shape: [layers, columns.length], data, rows: head.depths.map((one) => one.layers), columns } };
  };
  const { place } = saving;
  const follow = place === "file" ? null : (output) => change({ output });
  const menu = head && html`<${Export} name="reach" of=${picture} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="How far layers reach" actions=${menu} note=${NOTE}>
    <div class="row patterns-choices">
      <${Still} place=${place} told=${false}><${Slider} label="Layers" value=${state.layers} min=${1} max=${32} step=${1} says=${whole}
        onChange=${(value) => change({ layers: value, depth: null })} /><//>
      <${Slider} label="Show after" value=${depth} min=${1} max=${layers} step=${1} says=${inLayers}
        onChange=${(value) => (setPlays(false), change({ depth: value }))} />
      ${!still() && html`<button onClick=${play} title="Layer by layer">${plays ? "■ Stop" : "▶ Play"}</button>`}
      <${Still} place=${place} told=${false}><${Toggle} label="residual connections" value=${state.residual}
        onChange=${(value) => change({ residual: value })} /><//>
    </div>
    <${Saved} place=${place} what="change the layers, or follow another token" />
    <${Said} error=${found.error} waiting=${!head && found.waiting} />
    ${head && html`<div ref=${picture} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${Told} head=${head} depth=${depth} /></p>
      ${head.sides.length === 2
        ? html`<${Field} head=${head} first=${first} depth=${depth} onChoose=${follow} />`
        : html`<${Cone} head=${head} first=${first} depth=${depth} onChoose=${follow} />`}
      <${Growing} head=${head} depth=${depth} />
    </div>
    ${clipped && html`<p class="hint">Followed for ${head.sides.map(whole).join(" × ")} tokens; with more it grows alike.</p>`}`}
  <//>`;
}

// For each token the layer after which it first reaches the output, 0 for never; it may be lost again without residuals.
function read(reply) {
  if (!reply) return { head: null, first: null };
  const { head, data, offset } = reply;
  const reached = new Uint8Array(data, offset, head.depths.length * head.tokens);
  return { head, first: { reached, count: head.tokens } };
}

const shadeOf = (layer, layers) => (layers === 1 ? 0.36 : (0.72 - 0.5 * ((layer - 1) / (layers - 1))) ** 2);

function Told({ head, depth }) {
  const at = head.depths[depth - 1];
  const name = head.sides.length === 2 ? `pixel (${Math.floor(head.output / head.sides[1])}, ${head.output % head.sides[1]})` : `token ${whole(head.output)}`;
  const all = at.here === head.tokens ? "all" : `${whole(at.here)} of`;
  const them = `${all} ${whole(head.tokens)} ${head.sides.length === 2 ? "pixels" : "tokens"}`;
  const part = at.here === head.tokens ? "" : ` (${share(at.here, head.tokens)})`;
  const isEnd = head.settled !== null && head.settled <= depth && at.here < head.tokens;
  return html`After ${inLayers(depth)} <b data-reached=${at.here}>${them}</b> reach ${name}${part}.${isEnd && " More layers of this mask bring nothing further."}`;
}

// On a grid: the pixels that have reached the output, the earlier the darker.
function Field({ head, first, depth, onChoose }) {
  const [h, w] = head.sides;
  const [room, width] = useWidth();
  const shades = useMemo(() => {
    const found = new Float32Array(head.tokens);
    for (let layer = depth; layer >= 1; layer--) {
      for (let i = 0; i < head.tokens; i++) if (first.reached[(layer - 1) * head.tokens + i]) found[i] = shadeOf(layer, head.depths.length);
    }
    return found;
  }, [first, depth]);
  const since = (r, c) => {
    const layer = head.depths.findIndex((_, n) => first.reached[n * head.tokens + r * w + c]);
    return `pixel (${r}, ${c}): ${layer < 0 ? "never reaches the output" : `reaches it from layer ${layer + 1} on`}`;
  };
  return html`<div class="patterns-field" ref=${room}>
    ${width > 0 && html`<${Heatmap} data=${shades} rows=${h} columns=${w} side=${Math.min(360, width)}
      label=${`Pixels that reach the output after ${inLayers(depth)}${onChoose ? "; Enter follows another" : ""}`}
      chosen=${[Math.floor(head.output / w), head.output % w]} onChoose=${onChoose && ((r, c) => onChoose(r * w + c))} says=${since} />`}
    <${Layers} head=${head} />
    ${onChoose && html`<p class="hint">Choose a pixel to follow that one.</p>`}
  </div>`;
}

// In a line: a row of tokens for each layer, which together are a cone.
function Cone({ head, first, depth, onChoose }) {
  const now = useTheme();
  const canvas = useRef(null);
  const [room, width] = useWidth();
  const layers = head.depths.length;
  useLayoutEffect(() => {
    if (!width) return;
    const shades = new Float32Array((layers + 1) * head.tokens);
    shades[head.output] = 1;
    for (let layer = 1; layer <= depth; layer++) {
      const shade = shadeOf(layer, layers);
      for (let i = 0; i < head.tokens; i++) if (first.reached[(layer - 1) * head.tokens + i]) shades[layer * head.tokens + i] = shade;
    }
    const most = Math.max(64, Math.min(head.tokens, Math.floor(width)));
    paint(canvas.current, shades, layers + 1, head.tokens, "weight", 1, most);
    const { width: columns, height: rows } = canvas.current;
    const each = Math.ceil(head.tokens / most);
    const row = (r) => shades.subarray(r * head.tokens, (r + 1) * head.tokens);
    const largest = (r, c) => row(r).subarray(c * each, (c + 1) * each).reduce((a, b) => Math.max(a, b), 0);
    canvas.current.cells = { rows, columns, colour: (r, c) => css(largest(r, c), "weight", 1) };
  }, [head, first, depth, width, now]);
  const pick = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    onChoose(Math.max(0, Math.min(head.tokens - 1, Math.floor(((event.clientX - box.left) / box.width) * head.tokens))));
  };
  const height = Math.min(44, Math.max(8, 300 / (layers + 1))) * (layers + 1);
  return html`<div class="patterns-cone">
    <div class="patterns-rows" style=${{ height: `${height}px` }} aria-hidden="true"><span>output</span><span>${inLayers(layers)}</span></div>
    <div ref=${room}><canvas ref=${canvas} role="img" style=${{ height: `${height}px` }} onClick=${onChoose && pick}
      aria-label=${`Tokens that reach output ${head.output}, a row for each layer: ${head.depths.slice(0, depth).map((one) => one.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${whole(head.tokens - 1)}</span></p></div>
    <div class="patterns-output">
      <${Slider} label="Follow token" value=${head.output} min=${0} max=${head.tokens - 1} step=${1} disabled=${!onChoose}
        onChange=${onChoose} says=${whole} />
    </div>
  </div>`;
}

function Layers({ head }) {
  useTheme();
  const layers = head.depths.length;
  const colour = (layer) => css(shadeOf(layer, layers), "weight", 1);
  return html`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${head.depths.map((one) => html`<i style=${{ background: colour(one.layers) }}></i>`)}</span>
    <span>layer ${layers}</span></div>`;
}

// How many, against the number of layers.
function Growing({ head, depth }) {
  const x = head.depths.map((one) => one.layers);
  const of = (name) => head.depths.map((one) => one[name] ?? NaN);
  const series = [{ name: "reach this output", x, y: of("here") }];
  if (head.formula !== null) series.push({ name: "by the formula", x, y: of("formula") });
  series.push({ name: "mean of all outputs", x, y: of("mean"), class: "curve-4" });
  const isLike = head.depths.every((one) => one.convolution === one.here);
  const taps = `${head.taps.join(" × ")} taps`;
  if (!isLike) series.push({ name: `convolutions, ${taps}`, x, y: of("convolution"), class: "curve-5" });
  return html`<div class="patterns-growing">
    <${Lines} series=${series} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${x.length > 1 ? [{ x: depth, name: "" }] : []} says=${told} />
    <p class="note">${head.formula !== null
      ? html`Formula: <code data-formula>${head.formula}</code> tokens (${head.legend}).`
      : "No closed form is known here; the counts are of the composed masks themselves."}${isLike && ` Convolutions with ${taps} reach as many.`}</p>
  </div>`;
}
