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
  const rows = [...new Set(boxes.map((box) => box.y))];
  const room = rows.length > 1 ? rows[1] - rows[0] - boxes[0].h - 8 : 66; // above a row, for arcs
  const isMeasured = boxes.length === read.pieces.length;
  const onKeyDown = (event) => {
    const next = stepped(event, query, read.pieces.length);
    if (next !== null) tokens.current.children[next].focus();
  };
  const says = (token) => (token === query ? `${read.names[token]} looks at ${strongest(row, TOLD).map((key) => `${read.names[key]} ${formatPercent(row[key])}`).join(", ")}` : read.names[token]);
  return html`<div class="start-sentence" ref=${ref} onPointerLeave=${() => onPoint(null)}>
    ${isMeasured && html`<svg class="start-arcs" aria-hidden="true">
      ${Array.from(row, (weight, key) => weight >= LEAST && html`<path key=${key} class="start-arc" d=${arcOf(boxes[query], boxes[key], room)}
        stroke-width=${1 + 8 * weight} stroke-opacity=${0.25 + 0.75 * Math.sqrt(weight)} />`)}
    </svg>`}
    <div class="start-tokens" ref=${tokens} role="group" aria-label="The tokens of the sentence" onKeyDown=${onKeyDown}>
      ${read.pieces.map((piece, token) => html`<button key=${token} class=${kindOf(piece, token, query)} tabindex=${token === query ? 0 : -1}
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
export const goesOn = (piece, token) => token > 1 && /^\p{L}/u.test(piece);
const kindOf = (piece, token, query) => `start-token${token === query ? " is-query" : ""}${goesOn(piece, token) ? " goes-on" : ""}${token > query ? " comes-later" : ""}`;

// An arc between the tops of two tokens, a loop above one, or a curve from one line of the sentence to another.
function arcOf(from, to, room) {
  if (from === to) return `M${from.x - 7},${from.y} C${from.x - 20},${from.y - 30} ${from.x + 20},${from.y - 30} ${from.x + 7},${from.y}`;
  if (Math.abs(from.y - to.y) > 4) {
    const [start, end] = from.y > to.y ? [from.y, to.y + to.h] : [from.y + from.h, to.y];
    const middle = (start + end) / 2;
    return `M${from.x},${start} C${from.x},${middle} ${to.x},${middle} ${to.x},${end}`;
  }
  const high = Math.min(room, 16 + 0.14 * Math.abs(from.x - to.x));
  return `M${from.x},${from.y} C${from.x},${from.y - 1.33 * high} ${to.x},${to.y - 1.33 * high} ${to.x},${to.y}`;
}
