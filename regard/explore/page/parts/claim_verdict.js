// Verdicts as a colour, a sign and a word, so that none of them is needed to tell them apart.
import { html } from "../vendor/preact.js";

export const VERDICTS = {
  holds: { sign: "✓", kind: "holds", about: "as the document says it" },
  "holds as corrected": { sign: "≈", kind: "corrected", about: "its answer holds; a step, a reason or a missing condition does not" },
  refuted: { sign: "✗", kind: "refuted", about: "its answer does not hold, and here is the counterexample" },
  answered: { sign: "→", kind: "answered", about: "it asks and does not answer; here is the answer" },
  built: { sign: "■", kind: "built", about: "it gives code or a figure; here is the part, tested" },
  experiment: { sign: "∿", kind: "experiment", about: "a run decides; here are its numbers" },
  unsettled: { sign: "!", kind: "unsettled", about: "our own statement failed its check" },
};

export const Sign = ({ verdict }) =>
  html`<span class=${`claims-sign claims-${VERDICTS[verdict].kind}`} role="img" aria-label=${verdict} title=${verdict}>${VERDICTS[verdict].sign}</span>`;

export const Badge = ({ verdict }) =>
  html`<span class=${`claims-badge claims-${VERDICTS[verdict].kind}`} data-verdict=${verdict}>
    <span aria-hidden="true">${VERDICTS[verdict].sign}</span>${verdict}
  </span>`;
