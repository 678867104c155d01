// Words of the field, dotted, with a definition for those who point at one, reach it with Tab or touch it.
import { html, useId, useRef, useState } from "../vendor/preact.js";

const WORDS = {
  token: "A piece of text, often a word: what a model reads one at a time. Pixels and patches can be tokens too.",
  head: "One attention of its own, with its own queries, keys and values. A layer has several, side by side.",
  layer: "A step of the model: attention, then a small network on each token. Layers are stacked.",
  weight: "How much a query takes of a key's value: from 0 to 1, and all weights of a query sum to 1.",
  query: "The vector with which a token asks: it is compared with every key.",
  key: "The vector that a token offers to be found by.",
  value: "The vector that a token gives to those who look at it.",
  logit: "The score of a query and a key, β·q·k, before the softmax makes weights of all of them.",
  mask: "Who may see whom: a hidden pair has weight 0, whatever its score.",
  map: "All weights of a head: a row for each query, a column for each key.",
  softmax: "Scores to weights: each is e to the power of the score, divided by the sum of all.",
  kernel: "The weights of a convolution: for each offset, what is taken of the pixel there.",
  exact: "Equal to the definition of the mechanism, up to rounding: nothing is left out or approximated.",
  receptive: "The receptive field: all tokens of the input that can change an output, through all layers.",
};

// of: the word that is defined; children: how it stands in the sentence.
export function Word({ of, children }) {
  const id = useId();
  const button = useRef(null);
  const [at, setAt] = useState(null);
  const show = () => {
    const { left, bottom } = button.current.getBoundingClientRect();
    setAt({ left: `${Math.max(8, Math.min(left, innerWidth - 288))}px`, top: `${bottom + 6}px` });
  };
  const hide = () => setAt(null);
  return html`<button ref=${button} type="button" class="word" aria-describedby=${at ? id : null} onPointerEnter=${show} onPointerLeave=${hide}
    onFocus=${show} onBlur=${hide} onClick=${show} onKeyDown=${(event) => event.key === "Escape" && hide()}>${children}</button>${at &&
    html`<span id=${id} role="tooltip" class="definition" style=${at}>${WORDS[of]}</span>`}`;
}
