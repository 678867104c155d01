// The tokens of a sentence, and arcs from one of them to those that it looks at.
import { html, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { css, ink } from "../parts/colour.js";
import { stepped } from "../parts/controls.js";
import { formatPercent } from "../parts/numbers.js";
import { Exact, useTheme, useWidth } from "../parts/shell.js";

const LEAST = 0.015; // the weight from which an arc is drawn
const TOLD = 3; // keys that are named at the pointer

// A piece of text as it is shown; the first token begins the sentence and has no text.
export const nameOf = (piece) => piece.trim() || (piece ? "␣" : "⟨start⟩");

// The keys with the greatest weights, the greatest first.
export const strongest = (row, count) => Array.from(row.keys()).sort((a, b) => row[b] - row[a]).slice(0, count).filter((key, i) => !i || row[key] >= 0.005);

export function Sentence({ read, row, query, pinned, onPoint, onPin }) {
  useTheme(); // the colours of the tokens change with it
  const [ref, width] = useWidth();
  const [boxes, setBoxes] = useState([]);
  const tokens = useRef(null);
  useLayoutEffect(() => {
    const found = [...tokens.current.children].map(({ offsetLeft: x, offsetTop: y, offsetWidth: w, offsetHeight: h }) => ({ x: x + w / 2, y, w, h }));
    setBoxes(found);
  }, [read, width]);
  const lines = new Set(boxes.map((box) => box.y)).size;
  const isMeasured = boxes.length === read.pieces.length;
  const onKeyDown = (event) => {
    const next = stepped(event, query, read.pieces.length);
    if (next !== null) tokens.current.children[next].focus();
  };
  const says = (token) => (token === query ? `${read.names[token]} looks at ${strongest(row, TOLD).map((key) => `${read.names[key]} ${formatPercent(row[key])}`).join(", ")}` : read.names[token]);
  return html`<div class="start-sentence" ref=${ref} style=${{ "--lines": Math.max(1, lines) }} onPointerLeave=${() => onPoint(null)}>
    ${isMeasured && html`<svg class="start-arcs" aria-hidden="true">
      ${arcsOf(boxes, query, Array.from(row.keys()).filter((key) => row[key] >= LEAST)).map(([key, d]) => html`<path key=${key} class="start-arc" d=${d}
        stroke-width=${1 + 8 * row[key]} stroke-opacity=${0.25 + 0.75 * Math.sqrt(row[key])} />`)}
    </svg>`}
    <div class="start-tokens" ref=${tokens} role="group" aria-label="The tokens of the sentence" onKeyDown=${onKeyDown}>
      ${read.pieces.map((piece, token) => html`<button key=${token} class=${kindOf(read.pieces, token, query)} tabindex=${token === query ? 0 : -1}
        aria-pressed=${String(token === pinned)} aria-label=${says(token)} data-token=${token} data-pictured title=${piece ? null : "A mark before the first word, not a word of the sentence"}
        style=${token <= query ? { background: css(row[token], "weight", 1), color: ink(row[token], "weight", 1) } : null}
        onPointerEnter=${() => onPoint(token)} onFocus=${() => onPoint(token)} onClick=${() => onPin(token === pinned ? null : token)}>
        <span>${read.names[token]}</span><small>${token <= query ? html`<${Exact} value=${row[token]} as=${formatPercent} />` : "\u00a0"}</small></button>`)}
    </div>
    ${isMeasured && html`<p class="start-told" style=${{ left: `${Math.max(120, Math.min(boxes[query].x, width - 120))}px`, top: `${boxes[query].y + boxes[query].h + 8}px` }}>
      ${strongest(row, TOLD).map((key) => html`<span><b><${Exact} value=${row[key]} as=${formatPercent} /></b> ${key === query ? "itself" : read.names[key]}</span>`)}</p>`}
  </div>`;
}

// A token that goes on with the word before it stands close to it.
export const goesOn = (piece, token, pieces) => Boolean(pieces[token - 1]) && /^\p{L}/u.test(piece);
const kindOf = (pieces, token, query) => `start-token${token === query ? " is-query" : ""}${goesOn(pieces[token], token, pieces) ? " goes-on" : ""}${token > query ? " comes-later" : ""}`;

// The arcs from a query to its keys. Those above its own line are nested by distance and leave it side by side, so that none hides another.
function arcsOf(boxes, query, keys) {
  const from = boxes[query];
  const far = (key) => Math.abs(boxes[key].x - from.x);
  const beside = keys.filter((key) => key !== query && boxes[key].y === from.y).sort((a, b) => far(a) - far(b));
  const farthest = far(beside.at(-1) ?? query);
  const above = Math.max(0, ...boxes.filter((box) => box.y < from.y).map((box) => box.y + box.h));
  const top = Math.min(from.y - above - 6, 18 + 0.4 * farthest);
  return keys.map((key) => {
    const to = boxes[key];
    if (key === query) return [key, `M${from.x + from.w / 2 - 11},${from.y} c-6,-20 16,-20 8,0`];
    if (to.y !== from.y) return [key, between(boxes, from, to)];
    const place = beside.length > 1 ? (2 * beside.indexOf(key)) / (beside.length - 1) - 1 : 0; // −1 for the nearest, 1 for the farthest
    const foot = from.x + Math.sign(from.x - to.x) * place * 0.25 * from.w;
    const high = (4 / 3) * (12 + ((top - 12) * far(key)) / farthest); // of a curve's handles, which it reaches by three quarters
    return [key, `M${foot},${from.y} C${foot},${from.y - high} ${to.x},${to.y - high} ${to.x},${to.y}`];
  });
}

// A curve from one line of the sentence to another, which crosses the lines between them where no token is.
function between(boxes, from, to) {
  const isUp = to.y < from.y;
  const crossed = [...new Map(boxes.map((box) => [box.y, box])).values()].filter(({ y }) => (y - from.y) * (y - to.y) < 0).sort((a, b) => (isUp ? b.y - a.y : a.y - b.y));
  const foot = from.x + Math.max(-1, Math.min(1, (to.x - from.x) / 200)) * 0.25 * from.w;
  const points = [[foot, isUp ? from.y : from.y + from.h]];
  for (const { y, h } of crossed) {
    const aim = from.x + ((to.x - from.x) * (y - from.y)) / (to.y - from.y);
    const line = boxes.filter((box) => box.y === y);
    const gaps = line.map(({ x, w }, i) => [x - w / 2 - 3, i ? x - w / 2 - (line[i - 1].x + line[i - 1].w / 2) : 6]).concat([[line.at(-1).x + line.at(-1).w / 2 + 3, 6]]);
    const [gap] = gaps.filter(([, wide]) => wide > 3).reduce((best, one) => (Math.abs(one[0] - aim) < Math.abs(best[0] - aim) ? one : best));
    points.push([gap, isUp ? y + h : y], [gap, isUp ? y : y + h]);
  }
  points.push([to.x, isUp ? to.y + to.h : to.y]);
  return points.map(([x, y], i) => {
    if (!i) return `M${x},${y}`;
    const [before, middle] = [points[i - 1][0], (y + points[i - 1][1]) / 2];
    return before === x ? `L${x},${y}` : `C${before},${middle} ${x},${middle} ${x},${y}`;
  }).join(" ");
}
