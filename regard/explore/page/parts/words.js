// Words of the field, dotted, with a definition for those who point at one, reach it with Tab or touch it.
import { html, useRef, useState } from "../vendor/preact.js";
import { useId } from "./ids.js";

export const WORDS = {
  token: "A piece of text, often a word: what a model reads one at a time. Pixels and patches can be tokens too.",
  head: "One attention of its own, with its own queries, keys and values. A layer has several, side by side.",
  layer: "A step of the model: attention, then a small network on each token. Layers are stacked.",
  weight: "How much a query takes of a key's value: from 0 to 1, and all weights of a query sum to 1.",
  query: "The vector with which a token asks: it is compared with every key.",
  farthest: "Of all heads it puts, on average over the words, the most weight on a word further back than the one before. A single word may still look at itself.",
  key: "The vector that a token offers to be found by.",
  value: "The vector that a token gives to those who look at it.",
  logit: "The score of a query and a key, β·q·k, before the softmax makes weights of all of them.",
  beta: "A number that multiplies every score, usually 1/√D for queries of D numbers. The larger it is, the more the largest score takes.",
  hard: "The limit of a large β, without a number: the largest score takes all the weight, the first of them where several tie.",
  softmax: "Scores to weights: each is e to the power of the score, divided by the sum of all.",
  output: "What a token becomes in this head: the values of all tokens, each times its weight, added up.",
  projection: "W_O, a matrix, turns the outputs of all heads, side by side, into one vector for each token.",
  mask: "Who may see whom: a hidden pair has weight 0, whatever its score.",
  map: "All weights of a head: a row for each query, a column for each key.",
  kernel: "The weights of a convolution: for each offset, what is taken of the pixel there.",
  exact: "Equal to the definition of the mechanism, up to rounding: nothing is left out or approximated.",
  receptive: "The receptive field: all tokens of the input that can change an output, through all layers.",
  residual: "A way past each layer: a token's own vector is added to what the layer makes of it.",
  entropy: "How spread the weights are, in bits: 0 for one key alone, 3 for eight keys with equal weights.",
  mechanism: "Attention that is fully said: which scores, which mask, which weights.",
  gaussian: "A head that looks at a place beside the query, not at content: the weight falls off around a centre as a bell does.",
  precision: "How narrow a gaussian head is: the larger, the fewer pixels it sees. Its width is the standard deviation, √(1/2α).",
  tap: "One offset of a convolution's kernel: “two up, one left”.",
  certificate: "A proven limit of the error, computed from the heads alone: no input can be further off.",
  checkpoint: "The model as it was at one step of its training.",
  loss: "What training makes small: how surprised the model is by the right answer.",
  rate: "The learning rate: how far each step of the training goes.",
  gradient: "How steep the loss is where the model stands: the length of its gradient.",
  accuracy: "The share of answers that are right.",
  batch: "Sequences that are computed together.",
  width: "How many numbers the query and the key of one head have.",
  block: "A square of the map, which a kernel computes or leaves out as a whole.",
  verdict: "Whether the statement of the document holds when it is computed: it holds, it holds once corrected, or there is a counterexample.",
  FLOPs: "Floating-point operations: multiplications and additions of matrix products, two for each multiply-add.",
  "Bytes moved": "What must cross the memory bus, once in and once out.",
  Memory: "The most memory that is taken at once beside q, k and v: the output, and what is kept on the way.",
  Time: "Predicted from the machine's table: operations, bytes and launches, each at its speed.",
  // What heads are measured to do: the share of their weight on a pattern.
  "previous token": "It looks at the token just before the query.",
  "next token": "It looks at the token just after the query.",
  "first token": "It looks at the first token, often because it has nothing else to look at.",
  "last token": "It looks at the last token.",
  "same token": "It looks at earlier places with the same token as the query.",
  diagonal: "It looks at the query's own token, or at the one in the same place.",
  induction: "It looks at what came after the same token the last time: “A B … A” looks at B. It shows in texts that repeat themselves.",
  spread: "It looks at nearly everything alike.",
  reversal: "It looks at the place counted from the other end: the first at the last.",
  // Algorithms of the plan.
  reference: "The definition itself, in four lines: every score in memory. Slow, and what all others are compared with.",
  fused: "One kernel that computes softmax attention block by block, so that the map is never in memory (FlashAttention).",
  tiled: "One kernel that visits only the blocks of the map that the mask leaves.",
  masked: "The fused kernel with the mask given as numbers: all pairs are computed, hidden ones are dropped.",
  banded: "Attention under a window as a few dense blocks along the diagonal.",
  packed: "Sequences of different lengths one after the other, without the padding between.",
  blockwise: "Only the blocks of the map that hold a visible pair, by FlexAttention on a GPU.",
  augmented: "Distances become part of the dot product: a few more coordinates for queries and keys, then the fused kernel.",
  decode: "One new token against a long cache of keys and values.",
  gather: "Each output is one value, copied: for weights that are all on one key.",
  convolution: "Weights that depend on the offset alone: a convolution of the values, divided by one of ones.",
  separable: "A softmax over rows times one over columns: two small products in place of a large one.",
  toeplitz: "Weights that depend on the offset alone, by a matrix that is never stored.",
  shared: "One map for all rows of the batch: where it depends on positions alone.",
  linear: "Sums of keys and values first, then each query once: cost grows with N, not N².",
  chunked: "Linear attention that looks back only: chunk by chunk, with a running sum.",
  merged: "A mask in parts, each by its own algorithm, put together by their log-sum-exp.",
  partitioned: "A mask of equal cells, each computed on its own.",
};

// Words that a text uses, and a beginner may not know.
const USED = { token: /\btokens?\b/i, head: /\bheads?\b/i, layer: /\blayers?\b/i, query: /\bquer(y|ies)\b/i, key: /\bkeys?\b/i, value: /\bvalues?\b/i, logit: /\blogits?\b/i,
  softmax: /\bsoftmax\b/i, weight: /\bweights?\b/i, beta: /β/, mask: /\bmask(s|ed)?\b/i, entropy: /\bentropy\b/i, kernel: /\bkernels?\b/i, residual: /\bresidual\b/i };
export const wordsIn = (text) => Object.keys(USED).filter((word) => USED[word].test(text));

// Definitions of what stands beside, where it is a label or a text of the library's.
export const Words = ({ of }) => of.length > 0 && html`<p class="hint words" data-unpictured>Words: ${of.map((one, i) => html`${i ? " · " : ""}<${Word} of=${one}>${one === "beta" ? "β" : one}<//>`)}</p>`;

// of: the word that is defined; children: how it stands in the sentence, the word itself where there are none.
export function Word({ of, children = of }) {
  const id = useId();
  const button = useRef(null);
  const [at, setAt] = useState(null);
  const show = () => {
    const { left, top, bottom } = button.current.getBoundingClientRect();
    const beside = bottom + 120 < innerHeight ? { top: `${bottom + 6}px` } : { bottom: `${innerHeight - top + 6}px` };
    setAt({ left: `${Math.max(8, Math.min(left, innerWidth - 288))}px`, ...beside });
  };
  const hide = () => setAt(null);
  if (!Object.hasOwn(WORDS, of)) return children; // a pattern or an algorithm of a newer library
  return html`<button ref=${button} type="button" class="word" aria-describedby=${at ? id : null} onPointerEnter=${show} onPointerLeave=${hide}
    onFocus=${show} onBlur=${hide} onClick=${show} onKeyDown=${(event) => event.key === "Escape" && hide()}>${children}</button>${at &&
    html`<span id=${id} role="tooltip" class="definition" style=${at}>${WORDS[of]}</span>`}`;
}
