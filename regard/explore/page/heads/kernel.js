// What the heads make: a head's map, the nearest kernel, the distance to a convolution, degenerate heads.
import { html, useState } from "../vendor/preact.js";
import { placed, widthOf } from "./gaussians.js";
import { ownColour } from "../parts/colour.js";
import { Heatmap, Legend } from "../parts/heatmap.js";
import { formatNumber, formatPercent } from "../parts/numbers.js";
import { Exact } from "../parts/shell.js";
import { Word } from "../parts/words.js";

// The weights of one head from the query; a clicked pixel becomes the query.
export function MapOf({ found, maps, head, precision, centre, onQuery }) {
  const [pointed, setPointed] = useState(null);
  const { h, w, query } = found;
  const data = maps.subarray(head * h * w, (head + 1) * h * w);
  const limit = data.reduce((most, value) => Math.max(most, value), 0);
  const one = found.heads[head];
  return html`<div class="heads-beside">
    <${Heatmap} data=${data} rows=${h} columns=${w} limit=${limit} side=${160} chosen=${query} label=${`Weights of head ${head + 1} from the query`}
      says=${(r, c) => `row ${r}, column ${c}: ${formatNumber(data[r * w + c])}`} onChoose=${(r, c) => onQuery([r, c])}
      onPoint=${(r, c) => setPointed(r === null ? null : [r, c])} />
    <div>
      <${Legend} limit=${limit} />
      <p class="heads-facts">${placed(centre)}<br />width ${formatNumber(widthOf(precision), 2)}</p>
      <p class="note">${pointed
        ? html`row ${pointed[0]}, column ${pointed[1]}: <b data-weight><${Exact} value=${data[pointed[0] * w + pointed[1]]} /></b>`
        : html`Away from borders its largest weight is <${Exact} value=${1 - one.softness} as=${formatPercent} />.`}</p>
    </div>
  </div>`;
}

const words = (tap) => tap.map((value) => String(value).replace("-", "−")).join(", ");
const same = (a, b) => a && b && a[0] === b[0] && a[1] === b[1];

// The taps of the nearest kernel, with the head at each: filled by how much of its weight is there.
export function Kernel({ found, chosen, onChoose }) {
  const [rows, columns] = found.kernel_size;
  const cell = Math.min(54, 174 / columns);
  const at = ([r, c]) => [(c + (columns - 1) / 2) * cell, (r + (rows - 1) / 2) * cell];
  const roomy = cell >= 46;
  const seated = found.heads.map((one, head) => ({ ...one, head })).filter((one) => one.tap);
  const filled = seated.filter((one) => same(one.peak, one.tap)).length;
  return html`<div class="heads-beside">
    <svg class="heads-kernel" width=${columns * cell + 2} height=${rows * cell + 2} viewBox=${`-1 -1 ${columns * cell + 2} ${rows * cell + 2}`}
      role="group" aria-label=${`Nearest kernel, ${rows} by ${columns}`}>
      ${found.free.map((tap) => html`<rect class="free" x=${at(tap)[0]} y=${at(tap)[1]} width=${cell - 3} height=${cell - 3} rx="5" />`)}
      ${seated.map(({ head, tap, distance, peak, softness }) => {
        const [x, y] = at(tap);
        const is = same(peak, tap);
        const share = is ? 1 - softness : 0;
        const height = share * (cell - 3);
        const weight = is ? `${formatPercent(share)} of its weight there` : "its weight is largest elsewhere";
        const under = is ? formatPercent(share) : `${formatNumber(distance, 2)} off`;
        const middle = x + (cell - 3) / 2;
        return html`<g class=${`heads-tap ${ownColour(head)} ${head === chosen ? "chosen" : ""} ${is ? "" : "off"}`} role="button" tabindex="0"
          aria-pressed=${head === chosen} aria-label=${`Tap ${words(tap)}: head ${head + 1}, ${formatNumber(distance, 2)} away, ${weight}`}
          onClick=${() => onChoose(head)} onKeyDown=${(event) => event.key === "Enter" && onChoose(head)}>
          <rect class="cell" x=${x} y=${y} width=${cell - 3} height=${cell - 3} rx="5" />
          <rect class="share" x=${x} y=${y + cell - 3 - height} width=${cell - 3} height=${height} rx="5" />
          <text class="name" x=${middle} y=${y + (roomy ? cell * 0.4 : (cell - 3) / 2)} dy=${roomy ? 0 : "0.36em"} text-anchor="middle">${head + 1}</text>
          ${roomy && html`<text class="away" x=${middle} y=${y + cell * 0.72} text-anchor="middle">${under}</text>`}
        </g>`;
      })}
    </svg>
    <div>
      <p class="note">Each <${Word} of="tap">tap<//> of the smallest <${Word} of="kernel">kernel<//>, and the head nearest to it; filled by its weight there.</p>
      <p class=${found.is_bijection ? "heads-yes" : ""} data-bijection=${found.is_bijection}>${found.is_bijection
        ? "Every tap is the peak of one head: sharper heads tend to this convolution."
        : `At ${filled} of ${rows * columns} taps the head has its largest weight: these are filled.`}</p>
    </div>
  </div>`;
}

const tally = (count, name) => `${count} ${name}${count === 1 ? "" : "s"}`;

// How far the heads are from the convolution: measured, worst, and proven, each at most the next.
export function Distance({ found: { convolution: one, reason, h, w, heads }, isEven }) {
  if (!one) return html`<p>There is no certificate: ${reason}</p>`;
  const most = 2 * one.lipschitz;
  const rows = [["random inputs", one.measured, "measured"], ["worst input", one.worst, "worst"], [html`<${Word} of="certificate" />`, one.bound, "bound"]]
    .filter(([, value]) => value !== null);
  const part = (value) => Math.min(1, value / most);
  const isClose = one.bound <= 0.01 * one.lipschitz;
  const verdict = isClose ? "Proven: it is that convolution up to this error." : `Proven; the error never exceeds ${formatNumber(most)}.`;
  const dilation = Math.max(...one.dilation) > 1 ? `, dilated by ${one.dilation.join(" × ")}` : "";
  return html`
    <p>For inputs of norm 1, attention is within <b data-bound=${one.bound}><${Exact} value=${one.bound} /></b> of the convolution that has a tap at the pixel nearest to each head: ${tally(one.taps, "tap")}${one.taps < heads.length ? `, as some of the ${heads.length} heads share one` : ""}, in
      a ${one.size[0]} × ${one.size[1]} kernel${dilation}.${" "}
      <span class=${isClose ? "heads-yes" : "hint"}>${verdict}</span></p>
    <table class="heads-bars"><tbody>
      ${rows.map(([name, value, key]) => html`<tr><th scope="row">${name}</th>
        <td><svg width="120" height="10" aria-hidden="true">
          <rect class="rail" width="120" height="10" rx="3" /><rect class=${key} width=${120 * part(value)} height="10" rx="3" />
        </svg></td>
        <td class="number" data-error=${key}><${Exact} value=${value} /></td></tr>`)}
    </tbody></table>
    <p class="note">${isEven ? "Every head passes on the same share of what it sees." : "With the trained value projections of the last step."}
      ${one.scope === "inside" ? html` All of this holds for pixels from which no target leaves the image: <b data-pixels>${one.pixels} of ${h * w}</b>.` : ""}
      ${one.untried ? ` No inputs were tried: ${one.untried}.` : ""}</p>
    <p class="note">${one.sharpness === null
      ? "No sharpness would bring it below 1 %: some centre lies half-way between two pixels."
      : html`Below 1 % at these centres: a precision of <b><${Exact} value=${one.sharpness} /></b> for every head.`}</p>
    <details><summary>The certificate as the library prints it</summary><pre class="scrolls" tabindex="0">${one.text}</pre></details>`;
}

const ODD = {
  uniform: "weighs all pixels equally",
  "one-hot": "sees only one pixel",
  border: "has its centre off the grid, and sees only the border",
  singular: "is so thin that it is a line",
};

export function Odd({ found, onChoose }) {
  const odd = found.heads.flatMap((one, head) => one.kinds.map((kind) => [head, kind]));
  const name = (head) => html`<button class="heads-name quiet" onClick=${() => onChoose(head)}><span class=${`own ${ownColour(head)}`} />Head ${head + 1}</button>`;
  if (found.unexamined) return html`<p class="note">Not checked: ${found.unexamined}.</p>`;
  if (!odd.length && !found.alike.length) return html`<p class="note">None: every head looks at a place of its own.</p>`;
  return html`<ul class="heads-odd">
    ${odd.map(([head, kind]) => html`<li data-kind=${kind}>${name(head)} ${ODD[kind]}</li>`)}
    ${found.alike.map((heads) => html`<li data-kind="alike">Heads ${heads.map((head) => head + 1).join(", ")} have the same map</li>`)}
  </ul>`;
}
