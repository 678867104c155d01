// The map of a mask, who may see whom, with exact counts.
import { html, useMemo, useRef, useState } from "../vendor/preact.js";
import { css } from "./colour.js";
import { Export } from "./export.js";
import { Heatmap } from "./heatmap.js";
import { share, whole } from "./pattern_units.js";
import { Panel, Said, useTheme, useWidth } from "./shell.js";

export const SHADES = [0, 0.1, 0.36]; // hidden, visible in part, visible; of the scale for weights
const LARGEST = 512; // pixels along a side
const HINT = "Point at the map, or walk over it with the arrow keys.";
const FOLLOWS = " Enter follows that query through the layers below.";

export function MaskPanel({ found, asked, output, onChoose, saving }) {
  const picture = useRef(null);
  const { head, levels } = useMemo(() => read(found.reply), [found.reply]);
  const numbers = () => ({ mask: { shape: [head.rows, head.columns], data: levels } });
  const menu = head && html`<${Export} name="mask" of=${picture} numbers=${numbers} ...${saving} />`;
  return html`<${Panel} title="Who sees whom" actions=${menu}>
    <${Said} error=${found.error} waiting=${!head && found.waiting} />
    ${head && html`<${Map} head=${head} levels=${levels} asked=${asked} output=${output} picture=${picture}
      onChoose=${saving.place === "file" ? null : onChoose} />`}
  <//>`;
}

function Map({ head, levels, asked, output, onChoose, picture }) {
  useTheme(); // the swatches change with it
  const [room, width] = useWidth();
  const [point, setPoint] = useState(null);
  const shades = useMemo(() => Float32Array.from(levels, (level) => SHADES[level]), [levels]);
  const own = output !== null && output < head.tokens ? Math.floor(output / head.cell) : null;
  const told = (r, c) => pointed(head, levels, r, c, asked.grid);
  return html`<div class="patterns-map" ref=${room}>
    <div ref=${picture} class="patterns-pictured">
      <p class="patterns-axis">queries <span aria-hidden="true">↓</span> keys <span aria-hidden="true">→</span></p>
      ${width > 0 && html`<div class="patterns-framed">
        ${own !== null && html`<span class="patterns-followed" style=${{ top: `${(100 * (own + 0.5)) / head.rows}%` }} aria-hidden="true"></span>`}
        <${Heatmap} data=${shades} rows=${head.rows} columns=${head.columns} side=${sideOf(head, width)}
          label=${`Mask of ${asked.mask}: queries down, keys across`} chosen=${own === null ? null : [own, own]}
          onChoose=${onChoose && ((r) => onChoose(Math.min(r * head.cell + Math.floor(head.cell / 2), head.tokens - 1)))}
          onPoint=${(r, c) => setPoint(r === null ? null : [r, c])} says=${told} /></div>`}
      <ul class="patterns-shades" aria-label="Colours">
        <li><${Swatch} shade=${SHADES[2]} />visible</li>
        ${head.cell > 1 && html`<li><${Swatch} shade=${SHADES[1]} />${head.is_exact ? "in part" : "in part, or hidden"}</li>`}
        <li><${Swatch} shade=${SHADES[0]} />hidden</li>
        ${head.cell > 1 && html`<li>a cell is ${head.cell} × ${head.cell} pairs</li>`}
      </ul>
    </div>
    <div class="patterns-facts">
      <dl>
        <${Fact} name="visible pairs" count="visible" value=${whole(head.visible)} note=${`of ${whole(head.pairs)}, ${share(head.visible, head.pairs)}`} />
        <${Fact} name="keys that a query sees" count="most" value=${range(Math.min(...head.fewest), Math.max(...head.most))}
          note=${`${whole(Math.round((head.visible / head.tokens) * 10) / 10)} on average`} />
        <${Fact} name=${`blocks of ${head.block} × ${head.block} that a kernel visits`} count="visited" value=${whole(head.visited)}
          note=${`of ${whole(head.blocks)}; they hold ${whole(head.visited_pairs)} pairs`} />
      </dl>
      <p class="patterns-point" aria-hidden="true">${point ? told(...point) : html`<span class="hint">${HINT}${onChoose && FOLLOWS}</span>`}</p>
      ${head.batch && html`<p class="hint">The first of ${head.batch} rows of a padded batch.</p>`}
    </div>
  </div>`;
}

const Fact = ({ name, count, value, note }) => html`<div><dt>${name}</dt><dd><b data-count=${count}>${value}</b><small>${note}</small></dd></div>`;

function read(reply) {
  if (!reply) return { head: null, levels: null };
  const { head, data, offset } = reply;
  return { head, levels: new Uint8Array(data, offset, head.rows * head.columns) };
}

// Whole pixels for each cell where there are many, so that regular patterns look regular.
function sideOf(head, width) {
  const side = Math.min(LARGEST, width);
  return head.rows > 40 ? head.rows * Math.max(1, Math.floor(side / head.rows)) : side;
}

const range = (low, high) => (low === high ? whole(low) : `${whole(low)} to ${whole(high)}`);
const WORDS = ["hidden", "visible in part", "visible"];

function pointed(head, levels, r, c, grid) {
  const name = (place) => {
    const [first, last] = [place * head.cell, Math.min((place + 1) * head.cell, head.tokens) - 1];
    if (grid && head.cell === 1) return `(${Math.floor(first / grid[1])}, ${first % grid[1]})`;
    return first === last ? whole(first) : `${whole(first)}–${whole(last)}`;
  };
  const [one, sees] = head.cell === 1 ? ["query", "sees"] : ["queries", "see"];
  const each = head.cell === 1 || head.fewest[r] === 1 ? "" : " each";
  return `${one} ${name(r)}, ${head.cell === 1 ? "key" : "keys"} ${name(c)}: ${WORDS[levels[r * head.columns + c]]}. `
    + `The ${one} ${sees} ${range(head.fewest[r], head.most[r])} ${head.most[r] === 1 ? "key" : "keys"}${each}.`;
}

export function Swatch({ shade }) {
  return html`<span class="patterns-swatch" style=${{ background: css(shade, "weight", 1) }} aria-hidden="true"></span>`;
}
