// Gaussian heads around the query pixel, over a recorded training; and the kernel that they make, wherever one puts them.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { useAnswer, useLatest } from "../client.js";
import states from "../states.json";
import { BLUNTEST, SHARPEST, distancesAt, even, headsAt, isPrecision, marginOf, mixed, unpackHeads, sharpened } from "./gaussians.js";
import { Distance, Kernel, MapOf, Odd } from "./kernel.js";
import { Picture } from "./picture.js";
import { Layers, Progress, usePlaying } from "./training.js";
import { ownColour } from "../parts/colour.js";
import { Button, Choice, NumberCell, Select, Slider, Toggle } from "../parts/controls.js";
import { Export } from "../parts/export.js";
import { formatCount, formatNumber, rounded, significant } from "../parts/numbers.js";
import { Exact, Panel, Status, LiveOnly, pairWithin, wholeWithin, prefersLessMotion } from "../parts/shell.js";
import { Word } from "../parts/words.js";
import "./heads.css";

const SHARP = 4; // the initial precision of heads that are turned into a convolution
const ALONG = ["step", "layer", "head"]; // of what a training recorded

// moved: heads that the user put elsewhere, { "layer.head": [row, column, precision …] }; step null is the last,
// query null the middle, run null the first there is.
const { heads: state } = states;

// An address may say anything: what is not a name is dropped.
const named = (value) => (typeof value === "string" ? value : null);

function View({ ask, state: given, change, place }) {
  const state = { ...given, run: named(given.run), training: named(given.training) };
  const recorded = useAnswer(ask, "recorded", {});
  const trainings = recorded.response?.trainings ?? [];
  const isWanted = (found) => found.run === state.run && (state.training === null || found.training === state.training);
  const one = state.run === null ? trainings[0] : trainings.find(isWanted);
  // A training that does not exist is requested too: the error says why, and what there is.
  const isNamed = recorded.response && trainings.some((found) => found.run === state.run) && state.training;
  const request = one ? { run: one.run, training: one.training } : isNamed ? { run: state.run, training: state.training } : null;
  const heads = useAnswer(ask, "heads", request);
  const record = useMemo(() => heads.response && unpackHeads(heads.response), [heads.response]);
  if (!record) {
    const none = recorded.response && !trainings.length && "No training has recorded gaussian heads yet: run regard train digits-gaussian.";
    const other = recorded.response && !request && !none && `The run ${state.run} has recorded no gaussian heads; choose another.`;
    const missing = request ?? { run: state.run, training: "" };
    return html`<${Status} error=${recorded.error ?? heads.error ?? (none || other || null)} waiting=${recorded.waiting || heads.waiting} lines=${12}>reading the recording …<//>
      ${(heads.error || other) && trainings.length > 0 && html`<${Trainings} trainings=${[missing, ...trainings]} request=${missing} change=${change} />`}`;
  }
  const shared = { ask, change, place, record, trainings, request, hasValues: one?.has_values ?? false, error: heads.error };
  return html`<${Recorded} ...${shared} state=${bounded(state, record)} />`;
}

// The same for numbers: they are clamped to the recording's range, and heads that are not valid are dropped.
function bounded(state, { side, layers, heads, entries }) {
  const isHead = ([key, value]) => /^\d+\.\d+$/.test(key) && Array.isArray(value) && value.length === 2 + entries && value.every(Number.isFinite)
    && value.slice(0, 2).every((one) => Math.abs(one) <= 200) && isPrecision(value.slice(2));
  return {
    ...state, layer: wholeWithin(state.layer, 0, layers - 1, 0), head: wholeWithin(state.head, 0, heads - 1, 0),
    query: pairWithin(state.query, 0, side - 1), moved: Object.fromEntries(Object.entries(state.moved).filter(isHead)),
    step: Number.isFinite(state.step) ? state.step : null,
  };
}

function Recorded({ ask, state, change, place, record, trainings, request, hasValues, error }) {
  const area = useRef(null);
  const last = record.steps.length - 1;
  const { layer, head } = state;
  const index = state.step === null ? last : Math.max(0, record.steps.findLastIndex((step) => step <= state.step));
  const query = state.query ?? [record.side >> 1, record.side >> 1];
  const toStep = (i) => change({ step: i === last ? null : record.steps[i] });
  const playing = usePlaying(record.steps.length, index, toStep);
  const own = (number, at) => headsAt(record, at, number).map((found, i) => put(found, state.moved[`${number}.${i}`]));
  const resting = own(layer, index);
  const [shown, glide] = useGlide(playing.at === null ? resting : own(layer, playing.at));
  const values = state.values === "trained" && hasValues ? { ...request, layer } : null;
  const question = (number) => ({
    centres: own(number, index).map((one) => one.centre),
    precisions: own(number, index).map((one) => one.precision),
    h: record.side, w: record.side, query, values: values && { ...values, layer: number },
  });
  const kernel = useLatest(ask, "kernel", question(layer));
  const response = kernel.error ? null : kernel.response;
  const found = response?.header.heads.length === record.heads ? response.header : null;
  const maps = found && new Float32Array(response.data, response.offset, found.heads.length * found.h * found.w);
  const edits = useEdits({ state, change, record, layer, resting, found, glide });
  const sharp = resting.every((_, i) => state.moved[`${layer}.${i}`]) ? resting[head].precision[0] : null;
  const anyMoved = Object.keys(state.moved).some((key) => key.startsWith(`${layer}.`));
  const trail = anyMoved && state.moved[`${layer}.${head}`] ? null : record.steps.map((_, i) => headsAt(record, i, layer)[head].centre);
  const onKeyDown = (event) => {
    if (event.key !== " " || event.defaultPrevented || event.target.closest("button, select, summary, [role=button], input:not([type=range])")) return;
    event.preventDefault();
    playing.toggle();
  };
  const saves = () => [["recorded", {}], ["heads", request], ...Array.from({ length: record.layers }, (_, number) => ["kernel", question(number)])];
  const numbers = () => numbersOf(record, resting, found, maps, distancesAt(record, index, layer));
  const onQuery = (next) => change({ query: next });
  return html`<div class="heads-frame" ref=${area}><div class="heads" onKeyDown=${onKeyDown}>
    <div class="heads-left" data-unpictured>
      <${Panel} title="Training">
        <div class="stack">
          <${LiveOnly} place=${place} what="choose another run"><${Trainings} trainings=${trainings} request=${request} change=${change} /><//>
          <${Layers} record=${record} at=${playing.at ?? index} layer=${layer} onChange=${(next) => change({ layer: next })} />
          <${Progress} record=${record} index=${index} playing=${playing} onStep=${(i) => (playing.stop(), toStep(i))} />
        </div>
      <//>
      <div class="heads-below"><${Panel} title="Try it">
        <div class="stack heads-try">
          <${Button} onClick=${edits.convolve} off=${!found}>Make it a convolution<//>
          ${sharp !== null && html`<${Slider} label="Sharpness" value=${Math.log10(sharp)} min=${-1} max=${1.5} step=${0.02}
            says=${(power) => formatNumber(10 ** power, 2)} onChange=${(power) => edits.sharpen(significant(10 ** power, 3))} />`}
          <${Button} onClick=${edits.back} off=${!anyMoved}>Back to the training<//>
          ${hasValues && html`<${Choice} label="Values" value=${state.values} options=${[["even", "passed on alike"], ["trained", "as trained"]]}
            onChange=${(next) => change({ values: next })} />`}
          ${record.image && html`<${Toggle} label="Show the image" value=${state.image} onChange=${(next) => change({ image: next })} />`}
        </div>
      <//></div>
    </div>
    <div class="heads-main">
      <${Panel} title=${`Layer ${layer + 1}, step ${formatCount(record.steps[index])}${anyMoved ? ", heads moved" : ""}`}
        actions=${html`<${Export} name="heads" of=${area} caption=${`Heads of ${request.run}, ${request.training}: layer ${layer + 1} at step ${formatCount(record.steps[index])}${anyMoved ? ", with heads moved by hand" : ""}.`} numbers=${numbers} saves=${saves} ask=${ask} view="heads" state=${state} place=${place} />`}>
        <p class="note">Each <${Word} of="gaussian">gaussian head<//> looks at its centre, relative to the framed <${Word} of="query">query<//> pixel: half of its weight lies in the
          strong ellipse, nine tenths in the faint one. The larger its <${Word} of="precision">precision<//>, the narrower it is.</p>
        <${Picture} heads=${shown} side=${record.side} margin=${marginOf(record, layer)} query=${query} chosen=${head}
          image=${state.image ? record.image : null} trail=${trail} at=${playing.at ?? index}
          onPlace=${edits.place} onNudge=${edits.nudge} onWiden=${edits.widen} onChoose=${edits.choose} onQuery=${onQuery} />
        <${Numbers} head=${head} one=${resting[head]} edits=${edits} isRound=${record.entries === 1} />
        <p class="hint heads-how" data-unpictured>Drag a head or its handle; click a pixel to move the query. Or tab to them and use the arrow keys, + and −.</p>
        <${Status} error=${error} />
      <//>
      <${Panel} title="How far they moved"><${Moved} record=${record} index=${index} layer=${layer} chosen=${head} onChoose=${edits.choose} /><//>
      ${found && html`<${Panel} title="Degenerate heads"><${Odd} found=${found} onChoose=${edits.choose} /><//>`}
    </div>
    <div class="heads-right">
      ${found
        ? html`
          <${Panel} title=${html`<span class=${`own ${ownColour(head)}`} />Head ${head + 1} from the query`}>
            <${MapOf} found=${found} maps=${maps} head=${head} ...${resting[head]} onQuery=${onQuery} />
          <//>
          <${Panel} title="The kernel that the heads make">
            <${Kernel} found=${found} chosen=${head} onChoose=${edits.choose} />
          <//>
          <${Panel} title="Distance to a true convolution"><${Distance} found=${found} isEven=${values === null} /><//>`
        : html`<${Panel} title="The kernel that the heads make">${place === "file"
          ? html`<p class="hint">The saved file does not hold what these heads make; regard explore computes it.</p>`
          : html`<${Status} error=${kernel.error} waiting=${kernel.waiting} lines=${6} />`}<//>`}
    </div>
  </div></div>`;
}

const put = (found, moved) => (moved ? { centre: moved.slice(0, 2), precision: moved.slice(2) } : found);

// Heads as they are drawn: after `glide`, they move to their new places over a moment.
function useGlide(heads) {
  const [part, setPart] = useState(1);
  const from = useRef(heads);
  const drawn = part < 1 && from.current.length === heads.length ? heads.map((one, i) => mixed(from.current[i], one, part * part * (3 - 2 * part))) : heads;
  const isOn = part < 1;
  useEffect(() => {
    if (!isOn) return;
    let begun = null;
    const tick = (time) => {
      begun ??= time;
      const next = Math.min(1, (time - begun) / 380 + 0.001);
      setPart(next);
      if (next < 1) frame = requestAnimationFrame(tick);
    };
    let frame = requestAnimationFrame(tick);
    return () => cancelAnimationFrame(frame);
  }, [isOn]);
  const glide = () => {
    if (prefersLessMotion()) return;
    from.current = drawn;
    setPart(0);
  };
  return [drawn, glide];
}

// What the user can do with the heads of a layer.
function useEdits({ state, change, record, layer, resting, found, glide }) {
  const latest = useRef(null);
  latest.current = { moved: state.moved, resting };
  const set = (head, one) => {
    const moved = { ...latest.current.moved, [`${layer}.${head}`]: [...one.centre, ...one.precision] };
    // Two moves may come before the next drawing.
    latest.current = { moved, resting: latest.current.resting.map((old, i) => (i === head ? one : old)) };
    change({ moved, head });
  };
  const far = 1.5 * record.side;
  const place = (head, centre) => set(head, { ...latest.current.resting[head], centre: centre.map((value) => rounded(Math.max(-far, Math.min(far, value)), 2)) });
  const all = (made) => ({ ...state.moved, ...Object.fromEntries(resting.map((one, head) => [`${layer}.${head}`, made(one, head)])) });
  return {
    choose: (head) => change({ head }),
    place,
    nudge: (head, by) => place(head, latest.current.resting[head].centre.map((value, axis) => value + by[axis])),
    widen: (head, factor, from) => set(head, { ...latest.current.resting[head], precision: sharpened(from ?? latest.current.resting[head].precision, factor) }),
    sharpen: (sharp) => change({ moved: all((one) => [...one.centre, ...even(record.entries, sharp)]) }),
    convolve: () => {
      glide();
      change({ moved: all((one, head) => [...(found.heads[head].tap ?? one.centre), ...even(record.entries, SHARP)]) });
    },
    back: () => {
      glide();
      change({ moved: Object.fromEntries(Object.entries(state.moved).filter(([key]) => !key.startsWith(`${layer}.`))) });
    },
  };
}

function Trainings({ trainings, request, change }) {
  const key = ({ run, training }) => JSON.stringify([run, training]);
  const runs = [...new Set(trainings.map((one) => one.run))];
  const options = runs.map((run) => [run, trainings.filter((one) => one.run === run).map((one) => [key(one), `${one.run} · ${one.training}`])]);
  const onChange = (text) => {
    const [run, training] = JSON.parse(text);
    change({ run, training, step: null, moved: {}, layer: 0, head: 0, query: null });
  };
  return html`<${Select} label="Run" hidden value=${key(request)} options=${options} onChange=${onChange} />`;
}

// How far training has moved the heads of a layer, the farthest first.
function Moved({ record, index, layer, chosen, onChoose }) {
  const order = distancesAt(record, index, layer).map((distance, head) => ({ head, distance })).sort((a, b) => b.distance - a.distance);
  const all = Array.from({ length: record.layers }, (_, number) => Math.max(...distancesAt(record, index, number)));
  const most = all.indexOf(Math.max(...all));
  return html`<p class="note">The distance of each centre, in pixels, between step ${formatCount(record.steps[0])} and step ${formatCount(record.steps[index])}, the farthest
      first.${record.layers > 1 && ` Of all layers, a head of layer ${most + 1} moved farthest: ${formatNumber(all[most], 2)}.`}</p>
    <ol class="heads-moved">${order.map(({ head, distance }) => html`<li><button class="heads-name quiet" aria-pressed=${String(head === chosen)} onClick=${() => onChoose(head)}>
      <span class=${`own ${ownColour(head)}`} />Head ${head + 1}</button> <b data-moved=${head}><${Exact} value=${distance} digits=${2} /></b></li>`)}</ol>`;
}

// The numbers of the chosen head, which can be typed.
function Numbers({ head, one, edits, isRound }) {
  const placed = (axis) => (value) => edits.place(head, one.centre.map((old, i) => (i === axis ? value : old)));
  return html`<div class="heads-numbers">
    <span><span class=${`own ${ownColour(head)}`} />Head ${head + 1}</span>
    <label>row <${NumberCell} label=${`Row of head ${head + 1}'s centre`} value=${rounded(one.centre[0], 2)} onChange=${placed(0)} /></label>
    <label>column <${NumberCell} label=${`Column of head ${head + 1}'s centre`} value=${rounded(one.centre[1], 2)} onChange=${placed(1)} /></label>
    ${isRound && html`<label>precision <${NumberCell} label=${`Precision of head ${head + 1}`} value=${significant(one.precision[0], 3)} step=${0.05} least=${BLUNTEST} most=${SHARPEST}
      onChange=${(value) => edits.widen(head, value / one.precision[0], one.precision)} /></label>`}
  </div>`;
}

function numbersOf(record, resting, found, maps, moved) {
  const counts = [record.steps.length, record.layers, record.heads];
  const arrays = {
    steps: { shape: [record.steps.length], data: record.steps, axes: ["step"] },
    centres: { shape: [...counts, 2], data: record.centres, axes: [...ALONG, "row and column"] },
    precisions: { shape: [...counts, record.entries], data: record.precisions, axes: [...ALONG, "entry"] },
    centre: { shape: [record.heads, 2], data: resting.flatMap((one) => one.centre), axes: ["head", "row and column"] },
    distance_moved: { shape: [record.heads], data: moved, axes: ["head"] },
    precision: { shape: [record.heads, record.entries], axes: ["head", "entry"], data: resting.flatMap((one) => one.precision) },
  };
  if (!found) return arrays;
  const { heads, h, w, convolution, kernel_size: size } = found;
  const single = (name) => [name, { shape: [], data: [convolution[name]], axes: [] }];
  return {
    ...arrays,
    maps: { shape: [heads.length, h, w], data: maps, axes: ["head", "row", "column"] },
    kernel_size: { shape: [size.length], data: size, axes: ["row and column"] },
    taps: { shape: [heads.length, 2], axes: ["head", "row and column"], data: heads.flatMap((one) => one.tap ?? [null, null]) },
    tap_distances: { shape: [heads.length], axes: ["head"], data: heads.map((one) => one.distance) },
    peaks: { shape: [heads.length, 2], axes: ["head", "row and column"], data: heads.flatMap((one) => one.peak ?? [null, null]) },
    softness: { shape: [heads.length], axes: ["head"], data: heads.map((one) => one.softness) },
    ...(convolution && Object.fromEntries(["bound", "worst", "measured"].map(single))),
  };
}

export default {
  name: "heads",
  title: "Gaussian heads",
  about: "Heads that look at a place beside the query pixel, whatever is there. Watch them learn where to look, move them, and see how close they come to a convolution.",
  state,
  View,
};
