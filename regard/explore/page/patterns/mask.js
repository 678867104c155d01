// The map of a mask, who may see whom, with exact counts.
import { html, useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { css } from "../parts/colour.js";
import { Export } from "../parts/export.js";
import { Heatmap, sideBeside } from "../parts/heatmap.js";
import { formatCount, formatNumber, formatPercent } from "../parts/numbers.js";
import { Panel, Status, useTheme, useTouch, useWidth } from "../parts/shell.js";
import { Word } from "../parts/words.js";

export const SHADES = [0, 0.1, 0.36]; // hidden, visible in part, visible; of the scale for weights
const LARGEST = 512; // pixels along a side
const NAMED = 32; // tokens up to which they have their numbers, and lines between them

export function MaskPanel({ found, request, output, onChoose, saving }) {
  const picture = useRef(null);
  const { header, levels } = useMemo(() => read(found.response), [found.response]);
  const first = (count) => Array.from({ length: count }, (_, place) => place * header.cell);
  const numbers = () => ({ mask: { shape: [header.rows, header.columns], data: levels, rows: first(header.rows), columns: first(header.columns),
    axes: header.cell === 1 ? ["query", "key"] : ["first query of a cell", "first key of a cell"] } });
  const told = header && `Who sees whom under ${request.mask}, ${formatCount(header.tokens)} tokens: queries down, keys across.${
    header.cell > 1 ? ` A cell is ${header.cell} × ${header.cell} pairs.` : ""}${isMarked(output, header) ? ` The mark: query ${formatCount(output)}.` : ""}`;
  const menu = header && html`<${Export} name="mask" of=${picture} caption=${told} legend="0 hidden, 1 visible in part, 2 visible" numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title=${html`Who sees whom: the <${Word} of="mask">mask<//>`} actions=${menu} stale=${found.stale}>
    <${Status} error=${found.error} waiting=${!header && found.waiting} lines=${12} />
    ${header && html`<${Map} header=${header} levels=${levels} request=${request} output=${output} picture=${picture}
      onChoose=${saving.place === "file" ? null : onChoose} />`}
  <//>`;
}

function Map({ header, levels, request, output, onChoose, picture }) {
  useTheme(); // the swatches change with it
  const [room, width] = useWidth();
  const [point, setPoint] = useState(null);
  const [touched, setTouched] = useState(null); // the pair that was chosen, of the query that is followed
  const isTouch = useTouch();
  const shades = useMemo(() => Float32Array.from(levels, (level) => SHADES[level]), [levels]);
  const own = isMarked(output, header) ? Math.floor(output / header.cell) : null;
  useEffect(() => setTouched(null), [header]);
  useEffect(() => touched && touched[0] !== own && setTouched(null), [own]);
  const names = header.tokens <= NAMED ? Array.from({ length: header.tokens }, (_, token) => nameOf(token, request.grid)) : null;
  const choose = (r, c) => {
    setTouched([r, c]);
    onChoose?.(Math.min(r * header.cell + Math.floor(header.cell / 2), header.tokens - 1));
  };
  const hint = isTouch ? `Touch the map${onChoose ? " to read a pair, and to follow its query through the layers below" : ""}.`
    : `Point at the map, or use the arrow keys.${onChoose ? " Press Enter to follow that query through the layers below." : ""}`;
  const describe = (r, c) => describeCell(header, levels, r, c, request.grid);
  return html`<div class="patterns-map" ref=${room}>
    <div ref=${picture} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${width > 0 && html`<div class="patterns-framed">
        ${own !== null && !names && html`<span class="patterns-followed" style=${{ top: `${(100 * (own + 0.5)) / header.rows}%` }} aria-hidden="true"></span>`}
        <${Heatmap} data=${shades} rows=${header.rows} columns=${header.columns} side=${names ? Math.min(LARGEST, sideBeside(names, names.length, width)) : sideOf(header, width)}
          rowNames=${names} columnNames=${names} ruled=${names !== null}
          label=${`Mask of ${request.mask}: queries down, keys across`} chosen=${touched ?? (own === null ? null : [own, own])} onChoose=${choose}
          onPoint=${(r, c) => setPoint(r === null ? null : [r, c])} says=${describe} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${Swatch} shade=${SHADES[2]} />visible</li>
        ${header.cell > 1 && html`<li><${Swatch} shade=${SHADES[1]} />${header.is_exact ? "in part" : "in part, or hidden"}</li>`}
        <li><${Swatch} shade=${SHADES[0]} />hidden</li>
        ${header.cell > 1 && html`<li>a cell is ${header.cell} × ${header.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${Fact} name="visible pairs" count="visible" value=${formatCount(header.visible)} note=${`of ${formatCount(header.pairs)}, ${formatPercent(header.visible / header.pairs, 3)}`} />
        <${Fact} name=${html`<${Word} of="key">keys<//> that a <${Word} of="query">query<//> sees`} count="most" value=${range(Math.min(...header.fewest), Math.max(...header.most))}
          note=${`${formatNumber(header.visible / header.tokens)} on average`} />
        <${Fact} name=${`blocks of ${header.block} × ${header.block} that a kernel visits`} count="visited" value=${formatCount(header.visited)}
          note=${`of ${formatCount(header.blocks)}; they hold ${formatCount(header.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${point ?? touched ? describe(...(point ?? touched)) : html`<span class="hint">${hint}</span>`}</p>
      ${header.batch && html`<p class="note">The first of ${header.batch} rows of a padded batch.</p>`}
    </div>
  </div>`;
}

const Fact = ({ name, count, value, note }) => html`<div><dt>${name}</dt><dd><b data-count=${count}>${value}</b><small>${note}</small></dd></div>`;

const isMarked = (output, { tokens }) => output !== null && output < tokens;

function read(response) {
  if (!response) return { header: null, levels: null };
  const { header, data, offset } = response;
  return { header, levels: new Uint8Array(data, offset, header.rows * header.columns) };
}

// Whole pixels for each cell where there are many, so that regular patterns look regular.
function sideOf(header, width) {
  const side = Math.min(LARGEST, width);
  return side >= header.rows && header.rows > 40 ? header.rows * Math.floor(side / header.rows) : side; // whole pixels, where they fit
}

const range = (low, high) => (low === high ? formatCount(low) : `${formatCount(low)} to ${formatCount(high)}`);
const WORDS = ["hidden", "visible in part", "visible"];

const nameOf = (token, grid) => (grid ? `(${Math.floor(token / grid[1])}, ${token % grid[1]})` : formatCount(token));

// Which keys a query sees, where a few words say it: ": 0–4".
function runsOf(levels, r, columns) {
  const seen = (c) => c >= 0 && c < columns && levels[r * columns + c] > 0;
  const [starts, ends] = [-1, 1].map((side) => Array.from({ length: columns }, (_, c) => c).filter((c) => seen(c) && !seen(c + side)));
  return starts.length && starts.length <= 3 ? `: ${starts.map((c, i) => (c === ends[i] ? formatCount(c) : `${formatCount(c)}–${formatCount(ends[i])}`)).join(", ")}` : "";
}

function describeCell(header, levels, r, c, grid) {
  const name = (place) => {
    const [first, last] = [place * header.cell, Math.min((place + 1) * header.cell, header.tokens) - 1];
    return first === last ? nameOf(first, grid) : `${formatCount(first)}–${formatCount(last)}`;
  };
  const [one, sees] = header.cell === 1 ? ["query", "sees"] : ["queries", "see"];
  const each = header.cell === 1 || header.fewest[r] === 1 ? "" : " each";
  return `${one} ${name(r)}, ${header.cell === 1 ? "key" : "keys"} ${name(c)}: ${WORDS[levels[r * header.columns + c]]}. `
    + `The ${one} ${sees} ${range(header.fewest[r], header.most[r])} ${header.most[r] === 1 ? "key" : "keys"}${each}${grid || header.cell > 1 ? "" : runsOf(levels, r, header.columns)}.`;
}

export function Swatch({ shade }) {
  return html`<span class="patterns-swatch" style=${{ background: css(shade, "weight", 1) }} aria-hidden="true"></span>`;
}
