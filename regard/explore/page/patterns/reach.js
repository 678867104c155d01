// The receptive field: which tokens reach an output after each layer, and how many.
import { html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { Lines } from "../parts/chart.js";
import { css, curve } from "../parts/colour.js";
import { Slider, Toggle } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { Heatmap, paint } from "../parts/heatmap.js";
import { formatCount, formatNumber, formatPercent } from "../parts/numbers.js";
import { Panel, Status, SavedNote, LiveOnly, useTheme, useWidth, prefersLessMotion } from "../parts/shell.js";
import { Word } from "../parts/words.js";

const PACE = 450; // milliseconds for a layer
const inLayers = (count) => `${count} ${count === 1 ? "layer" : "layers"}`;

export function ReachPanel({ found, state, change, clipped, saving }) {
  const picture = useRef(null);
  const [plays, setPlays] = useState(false);
  const { header, first } = useMemo(() => read(found.response), [found.response]);
  const layers = header?.depths.length ?? state.layers;
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
    const data = header.depths.flatMap((one) => columns.map((name) => one[name]));
    return { reach: { shape: [layers, columns.length], data, rows: header.depths.map((one) => one.layers), columns, axes: ["layers", "tokens"] } };
  };
  const { place } = saving;
  const follow = place === "file" ? null : (output) => change({ output });
  const told = header && `The receptive field of ${state.mask}${state.second.trim() ? ` and ${state.second} in turns` : ""}: which tokens reach output ${formatCount(header.output)} after 1 to ${formatCount(layers)} layers${state.residual ? ", with residual connections" : ""}.`;
  const menu = header && html`<${Export} name="reach" of=${picture} caption=${told} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="How far layers reach" actions=${menu} stale=${found.stale} note=${html`The <${Word} of="receptive">receptive field<//>: a token reaches an output if its value can get there through the layers, whatever the weights. <${Word} of="residual">Residual<//> connections carry it past a layer.`}>
    <div class="row patterns-choices">
      <${LiveOnly} place=${place} noted=${false}><${Slider} label="Layers" value=${state.layers} min=${1} max=${32} step=${1} says=${formatCount}
        onChange=${(value) => change({ layers: value, depth: null })} /><//>
      <${Slider} label="Show after" value=${depth} min=${1} max=${layers} step=${1} says=${inLayers}
        onChange=${(value) => (setPlays(false), change({ depth: value }))} />
      ${!prefersLessMotion() && html`<button onClick=${play} title="Layer by layer">${plays ? "■ Stop" : "▶ Play"}</button>`}
      <${LiveOnly} place=${place} noted=${false}><${Toggle} label="residual connections" value=${state.residual}
        onChange=${(value) => change({ residual: value })} /><//>
    </div>
    <${SavedNote} place=${place} what="change the layers, or follow another token" />
    <${Status} error=${found.error} waiting=${!header && found.waiting} lines=${8} />
    ${header && html`<div ref=${picture} class="patterns-reach">
      <p class="patterns-headline" aria-live="polite"><${Headline} header=${header} depth=${depth} /></p>
      ${header.sides.length === 2
        ? html`<${Field} header=${header} first=${first} depth=${depth} onChoose=${follow} />`
        : html`<${Cone} header=${header} first=${first} depth=${depth} onChoose=${follow} />`}
      <${Growing} header=${header} depth=${depth} />
    </div>
    ${clipped && html`<p class="note">Computed for ${header.sides.map(formatCount).join(" × ")} tokens; with more tokens it grows in the same way.</p>`}`}
  <//>`;
}

// For each token the layer after which it first reaches the output, 0 for never; it may be lost again without residuals.
function read(response) {
  if (!response) return { header: null, first: null };
  const { header, data, offset } = response;
  const reached = new Uint8Array(data, offset, header.depths.length * header.tokens);
  return { header, first: { reached, count: header.tokens } };
}

const shadeOf = (layer, layers) => (layers === 1 ? 0.36 : (0.72 - 0.5 * ((layer - 1) / (layers - 1))) ** 2);

function Headline({ header, depth }) {
  const at = header.depths[depth - 1];
  const name = header.sides.length === 2 ? `pixel (${Math.floor(header.output / header.sides[1])}, ${header.output % header.sides[1]})` : `token ${formatCount(header.output)}`;
  const all = at.here === header.tokens ? "all" : `${formatCount(at.here)} of`;
  const them = `${all} ${formatCount(header.tokens)} ${header.sides.length === 2 ? "pixels" : "tokens"}`;
  const part = at.here === header.tokens ? "" : ` (${formatPercent(at.here / header.tokens, 3)})`;
  const isEnd = header.settled !== null && header.settled <= depth && at.here < header.tokens;
  return html`After ${inLayers(depth)} <b data-reached=${at.here}>${them}</b> reach ${name}${part}.${isEnd && " More layers of this mask reach nothing further."}`;
}

// On a grid: the pixels that have reached the output, the earlier the darker.
function Field({ header, first, depth, onChoose }) {
  const [h, w] = header.sides;
  const [room, width] = useWidth();
  const shades = useMemo(() => {
    const found = new Float32Array(header.tokens);
    for (let layer = depth; layer >= 1; layer--) {
      for (let i = 0; i < header.tokens; i++) if (first.reached[(layer - 1) * header.tokens + i]) found[i] = shadeOf(layer, header.depths.length);
    }
    return found;
  }, [first, depth]);
  const since = (r, c) => {
    const layer = header.depths.findIndex((_, n) => first.reached[n * header.tokens + r * w + c]);
    return `pixel (${r}, ${c}): ${layer < 0 ? "never reaches the output" : `reaches it from layer ${layer + 1} on`}`;
  };
  return html`<div class="patterns-field" ref=${room}>
    ${width > 0 && html`<${Heatmap} data=${shades} rows=${h} columns=${w} side=${Math.min(360, width)}
      label=${`Pixels that reach the output after ${inLayers(depth)}${onChoose ? "; Enter follows another" : ""}`}
      chosen=${[Math.floor(header.output / w), header.output % w]} onChoose=${onChoose && ((r, c) => onChoose(r * w + c))} says=${since} />`}
    <${Layers} header=${header} />
    ${onChoose && html`<p class="hint">Choose another pixel to follow.</p>`}
  </div>`;
}

// In a line: a row of tokens for each layer, which together are a cone.
function Cone({ header, first, depth, onChoose }) {
  const now = useTheme();
  const canvas = useRef(null);
  const [room, width] = useWidth();
  const layers = header.depths.length;
  useLayoutEffect(() => {
    if (!width) return;
    const shades = new Float32Array((layers + 1) * header.tokens);
    shades[header.output] = 1;
    for (let layer = 1; layer <= depth; layer++) {
      const shade = shadeOf(layer, layers);
      for (let i = 0; i < header.tokens; i++) if (first.reached[(layer - 1) * header.tokens + i]) shades[layer * header.tokens + i] = shade;
    }
    const most = Math.max(64, Math.min(header.tokens, Math.floor(width)));
    paint(canvas.current, shades, layers + 1, header.tokens, "weight", 1, most);
  }, [header, first, depth, width, now]);
  const pick = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    onChoose(Math.max(0, Math.min(header.tokens - 1, Math.floor(((event.clientX - box.left) / box.width) * header.tokens))));
  };
  const height = Math.min(44, Math.max(8, 300 / (layers + 1))) * (layers + 1);
  return html`<div class="patterns-cone">
    <div class="patterns-rows" style=${{ height: `${height}px` }} aria-hidden="true"><span>output</span><span>${inLayers(layers)}</span></div>
    <div ref=${room}><canvas ref=${canvas} role="img" style=${{ height: `${height}px` }} onClick=${onChoose && pick}
      aria-label=${`Tokens that reach output ${header.output}, a row for each layer: ${header.depths.slice(0, depth).map((one) => one.here).join(", ")}`}></canvas>
      <p class="patterns-ends"><span>token 0</span><span>token ${formatCount(header.tokens - 1)}</span></p><${Layers} header=${header} /></div>
    <div class="patterns-output">
      <${Slider} label="Follow token" value=${header.output} min=${0} max=${header.tokens - 1} step=${1} disabled=${!onChoose}
        onChange=${onChoose} says=${formatCount} />
    </div>
  </div>`;
}

function Layers({ header }) {
  useTheme();
  const layers = header.depths.length;
  const colour = (layer) => css(shadeOf(layer, layers), "weight", 1);
  return html`<div class="legend"><span>layer 1</span>
    <span class="patterns-scale" aria-hidden="true">${header.depths.map((one) => html`<i style=${{ background: colour(one.layers) }}></i>`)}</span>
    <span>layer ${layers}</span></div>`;
}

// How many, against the number of layers.
function Growing({ header, depth }) {
  const x = header.depths.map((one) => one.layers);
  const of = (name) => header.depths.map((one) => one[name] ?? NaN);
  const series = [{ name: "reach this output", x, y: of("here"), ...curve(0) }];
  if (header.formula !== null) series.push({ name: "by the formula", x, y: of("formula"), ...curve(5) });
  series.push({ name: "mean of all outputs", x, y: of("mean"), ...curve(3) });
  const isLike = header.depths.every((one) => one.convolution === one.here);
  const taps = `${header.taps.join(" × ")} taps`;
  if (!isLike) series.push({ name: `convolutions, ${taps}`, x, y: of("convolution"), ...curve(4) });
  return html`<div class="patterns-growing">
    <${Lines} series=${series} label="Tokens that reach the output, against the number of layers" xLabel="layers" yLabel="tokens"
      height=${250} yMin=${0} marks=${x.length > 1 ? [{ x: depth, name: "" }] : []} says=${formatNumber} />
    <p class="note">${header.formula !== null
      ? html`Formula: <code data-formula>${header.formula}</code> tokens (${header.legend}).`
      : "No closed form is known here; the counts come from the composed masks."}${isLike && ` Convolutions with ${taps} reach as many.`}</p>
  </div>`;
}
