// The curves of one run or several, overlaid: the numbers of each step, and those of evaluations.
import { html } from "../vendor/preact.js";
import { CurveKey, Lines } from "../parts/chart.js";
import { CURVES, DASHES } from "../parts/colour.js";
import { Choice, Select, Slider, TextField, Toggle } from "../parts/controls.js";
import { formatNumber } from "../parts/numbers.js";
import { WORDS, Words } from "../parts/words.js";

const STEPS = ["loss", "rate", "gradient"]; // what the loop writes at each step; all else comes from evaluations
const MOST = 36; // curves: as many pairs of a colour and a dash as there are
const POINTS = 800; // of a curve that are drawn

// All trainings of the runs that are shown, whose names have every word of `only`.
export function chosenOf(curves, names, only) {
  const words = only.toLowerCase().split(/\s+/).filter(Boolean);
  return names
    .flatMap((run) => [...(curves.get(run) ?? [])].map(([training, one]) => ({ run, name: names.length > 1 ? `${run} · ${training}` : training, ...one })))
    .filter((one) => words.every((word) => one.name.toLowerCase().includes(word)));
}

// numbers: of all runs by name, which are their colours.
export function Curves({ curves, names, numbers, state, change }) {
  const all = coloured(chosenOf(curves, names, ""), names, numbers);
  const kept = new Set(chosenOf(curves, names, state.only).map((one) => one.name));
  const chosen = all.filter((one) => kept.has(one.name));
  const shown = chosen.slice(0, MOST);
  const known = [...new Set(all.flatMap((one) => Object.keys(one.columns)))];
  const counted = STEPS.filter((name) => known.includes(name));
  const found = known.filter((name) => name !== "step" && !STEPS.includes(name));
  const metric = counted.includes(state.metric) ? state.metric : counted[0];
  const evaluated = found.includes(state.evaluated) ? state.evaluated : found[0];
  if (!counted.length) return html`<p class="hint">No step has been recorded yet.</p>`;
  return html`<div>
    <div class="row runs-controls" data-unpictured>
      <${Toggle} label="Logarithmic" value=${state.log} onChange=${(log) => change({ log })} />
      <${Slider} label="Smoothing" value=${state.smoothing} min=${0} max=${0.98} step=${0.02} onChange=${(smoothing) => change({ smoothing })}
        says=${(value) => (value ? formatNumber(value, 2) : "none")} />
      ${all.length > 3 && html`<${TextField} label=${`Only curves with these words, of ${all.length}`} value=${state.only} live max=${100}
        placeholder=${exampleOf(all)} onChange=${(only) => change({ only })} />`}
    </div>
    ${chosen.length > MOST && html`<p class="hint">The first ${MOST} of ${chosen.length} curves are drawn; filter them above.</p>`}
    ${!chosen.length && html`<p class="hint">No training has all of these words.</p>`}
    <div>
      <${Keys} shown=${shown} />
      <div class="runs-charts">
        <section>
          <div class="runs-chart-head"><h3>During training</h3><div data-unpictured>
            <${Choice} label=${html`<span class="unseen">Number at each step</span>`} value=${metric} options=${pairs(counted)}
              onChange=${(chosen) => change({ metric: chosen })} /></div></div>
          <${Lines} series=${seriesOf(shown, metric, state.smoothing)} label=${`${metric} by step`} xLabel="step"
            yLabel=${state.smoothing ? `${metric}, smoothed` : metric} logY=${state.log} height=${270} says=${says} />
        </section>
        <section>
          <div class="runs-chart-head"><h3>At evaluations</h3><div data-unpictured>
            ${evaluated && html`<${Select} label="Number at evaluations" hidden value=${evaluated} options=${pairs(found)}
              onChange=${(chosen) => change({ evaluated: chosen })} />`}</div></div>
          ${evaluated
            ? html`<${Lines} series=${seriesOf(shown, evaluated, 0)} label=${`${evaluated} by step`} xLabel="step" yLabel=${evaluated}
                height=${270} says=${says} />`
            : html`<p class="hint">No evaluation yet.</p>`}
        </section>
      </div>
      <${Words} of=${known.filter((name) => Object.hasOwn(WORDS, name))} />
    </div>
  </div>`;
}

// The legend, once for both charts.
function Keys({ shown }) {
  if (shown.length < 2) return null;
  return html`<ul class=${`runs-keys ${shown.length > 6 ? "runs-many" : ""}`} aria-label="Curves">
    ${shown.map((one) => html`<li><${CurveKey} ...${one} />${one.name}</li>`)}
  </ul>`;
}

const pairs = (names) => names.map((name) => [name, name]);
const says = (value, digits = 4) => formatNumber(value, digits);

// A word that occurs in some trainings only, as an example of what to type.
function exampleOf(all) {
  const words = all.flatMap((one) => one.name.split(/[\s·-]+/).filter((word) => word.length > 3));
  return `for example ${words.find((word) => all.some((one) => !one.name.includes(word))) ?? all[0].name}`;
}

// The colour of each run that is shown: that of its own number among all runs, or the next free one where an older run has that.
function coloursOf(names, numbers) {
  const taken = new Map();
  const own = (name) => numbers.get(name) % 6;
  const byAge = [...names].sort((a, b) => numbers.get(a) - numbers.get(b));
  for (const name of byAge) if (!taken.has(own(name))) taken.set(own(name), name);
  const rest = byAge.filter((name) => taken.get(own(name)) !== name);
  for (let at = 0; rest.length && at < 6; at++) if (!taken.has(at)) taken.set(at, rest.shift());
  return new Map([...taken].map(([colour, name]) => [name, colour]));
}

// A colour for each run, and a dash for each of its curves; or, where there is one run, or more runs than colours or curves than dashes,
// both for each curve: dashes go round by 6, then colours move on by one, so that no two are drawn alike. They are those of all
// curves, not of the ones that a filter leaves, and a run's first curve has the run's colour either way.
function coloured(all, names, numbers) {
  const within = (one) => all.filter(({ run }) => run === one.run).indexOf(one);
  const runs = coloursOf(names, numbers);
  const many = names.length === 1 || names.length > 6 || all.some((one) => within(one) > 5);
  const first = names.length === 1 ? runs.get(names[0]) : 0;
  return all.map((one, i) => ({ ...one, class: CURVES[(many ? first + i + Math.floor(i / 6) : runs.get(one.run)) % 6], dash: DASHES[(many ? i : within(one)) % 6] }));
}

// The points of a column, smoothed and thinned.
function seriesOf(shown, column, smoothing) {
  return shown.map(({ name, columns, class: colour, dash }) => {
    let points = (columns.step ?? []).map((step, at) => [step, columns[column]?.[at] ?? null]).filter(([, value]) => value !== null);
    if (smoothing) points = smoothed(points, smoothing);
    const every = Math.ceil(points.length / POINTS);
    points = points.filter((_, at) => at % every === 0 || at === points.length - 1);
    return { name, x: points.map(([x]) => x), y: points.map(([, y]) => y), class: colour, dash };
  });
}

// The mean of all numbers so far, each past one weighing `part` as much as the next.
function smoothed(points, part) {
  let [sum, weight] = [0, 0];
  return points.map(([x, y]) => {
    sum = part * sum + y;
    weight = part * weight + 1;
    return [x, sum / weight];
  });
}

// The lines themselves as one table for a file: a row is a line of a training, which a number names too, for NumPy.
export function numbersOf(chosen) {
  const names = [...new Set(chosen.flatMap((one) => Object.keys(one.columns)))];
  const lines = chosen.flatMap(({ name, lines, columns }, number) =>
    Array.from({ length: lines }, (_, at) => [name, [number, ...names.map((column) => columns[column]?.[at] ?? null)]]),
  );
  const columns = ["training", ...names];
  return { curves: { shape: [lines.length, columns.length], data: lines.flatMap(([, row]) => row), rows: lines.map(([name]) => name), columns, axes: ["training", "number"] } };
}
