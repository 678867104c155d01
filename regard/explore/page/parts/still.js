// Controls whose answers are not in a saved file: there they cannot be moved, and it is said why.
import { html } from "../vendor/preact.js";

export function Still({ place, class: kind = "", told = true, what, children }) {
  if (place !== "file") return html`<div class=${kind || "as-itself"}>${children}</div>`;
  return html`<fieldset class=${`saved-still ${kind}`} disabled>${told && html`<${Saved} place=${place} what=${what} />`}${children}</fieldset>`;
}

export const Saved = ({ place, what = "change it" }) =>
  place === "file" && html`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${what}.</p>`;
