// What surrounds a view: the mark, the theme, panels, messages, notes of a saved file, and limits for its state.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { onTheme, theme } from "./colour.js";
import { formatExact, formatNumber } from "./numbers.js";

export const Mark = () => html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <g><rect x="3" y="3" width="8" height="8" rx="2" /><rect x="12" y="12" width="8" height="8" rx="2" />
    <rect x="21" y="21" width="8" height="8" rx="2" /></g>
  <g opacity=".45"><rect x="3" y="12" width="8" height="8" rx="2" /><rect x="12" y="21" width="8" height="8" rx="2" /></g>
  <rect x="3" y="21" width="8" height="8" rx="2" opacity=".2" />
</svg>`;

const KEPT = "regard-theme";
const remembered = () => {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null; // without storage, the theme of the system is followed
  }
};
if (remembered()) setTheme(remembered());

// The root's own scheme colours the scrollbars of the page.
function setTheme(name) {
  document.documentElement.dataset.theme = name;
  document.documentElement.style.colorScheme = name;
}

export function ThemeButton() {
  const now = useTheme();
  const other = now === "dark" ? "light" : "dark";
  const turn = () => {
    setTheme(other);
    try {
      localStorage.setItem(KEPT, other);
    } catch {
      // it lasts until the page is left
    }
  };
  return html`<button class="quiet" onClick=${turn} aria-label=${`Use ${other} colours`} title=${`Use ${other} colours`}>
    <svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true">
      <circle cx="10" cy="10" r="7" fill="none" stroke="currentColor" stroke-width="1.5" />
      <path d="M10 3a7 7 0 0 1 0 14z" fill="currentColor" />
    </svg>
  </button>`;
}

// "light" or "dark", and a new rendering when it changes: canvases must be painted again.
export function useTheme() {
  const [now, setNow] = useState(theme);
  useEffect(() => onTheme(() => setNow(theme())), []);
  return now;
}

// The width of an element, as it changes.
export function useWidth() {
  const ref = useRef(null);
  const [width, setWidth] = useState(0);
  useLayoutEffect(() => {
    const watcher = new ResizeObserver(([entry]) => setWidth(Math.floor(entry.contentRect.width)));
    watcher.observe(ref.current);
    setWidth(Math.floor(ref.current.getBoundingClientRect().width));
    return () => watcher.disconnect();
  }, []);
  return [ref, width];
}

// Whether the window is narrow, as a phone's or an upright tablet's; and whether it is used by fingers, without keys.
export const useNarrow = () => useMedia("(max-width: 820px)");
export const useTouch = () => useMedia("(hover: none)");

function useMedia(text) {
  const query = matchMedia(text);
  const [now, setNow] = useState(query.matches);
  useEffect(() => {
    const follow = () => setNow(query.matches);
    query.addEventListener("change", follow);
    return () => query.removeEventListener("change", follow);
  }, []);
  return now;
}

// What may be wider than its place: it scrolls, and fades at the side where there is more.
export function Scrolls({ children, ...more }) {
  const ref = useRef(null);
  useLayoutEffect(() => {
    const { current: box } = ref;
    const follow = () => box.toggleAttribute("data-more", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
    const watcher = new ResizeObserver(follow);
    for (const one of [box, box.firstElementChild]) watcher.observe(one);
    box.addEventListener("scroll", follow);
    return () => watcher.disconnect();
  }, []);
  return html`<div ref=${ref} ...${more} class="scrolls">${children}</div>`;
}

// stale: what is shown belongs to an earlier request, and is dimmed until the next response.
export function Panel({ title, note, class: kind = "", actions, stale = false, children }) {
  return html`<section class=${`panel ${kind}${stale ? " stale" : ""}`} aria-busy=${stale ? "true" : null}>
    ${(title || actions) && html`<div class="panel-head"><h2>${title}</h2>${actions}</div>`}
    ${note && html`<p class="note">${note}</p>`}
    ${children}
  </section>`;
}

// An error, or a note that something is being computed, which shows only after a moment; with `lines`, grey ones stand where
// the result will be.
export function Status({ error, waiting, lines = 0, children }) {
  return html`<div class="said" role="status" aria-live="polite">
    ${error ? html`<p class="error">${error}</p>` : waiting ? html`<div class="waiting"><p class=${lines ? "unseen" : ""}>${children ?? "computing …"}</p>
      ${Array.from({ length: lines }, () => html`<i class="skeleton" aria-hidden="true"></i>`)}</div>` : null}
  </div>`;
}

// A number in a few digits, and exactly for those who point at it; `as` writes it.
export const Exact = ({ value, digits, as = formatNumber }) => html`<span class="exact" title=${formatExact(value)}>${as(value, digits)}</span>`;

// Controls whose responses are not in a saved file: there they are disabled, with a note that says why.

export function LiveOnly({ place, class: kind = "", noted = true, what, children }) {
  if (place !== "file") return html`<div class=${kind || "as-itself"}>${children}</div>`;
  return html`<fieldset class=${`saved-still ${kind}`} disabled>${noted && html`<${SavedNote} place=${place} what=${what} />`}${children}</fieldset>`;
}

export const SavedNote = ({ place, what = "change it" }) =>
  place === "file" && html`<p class="note saved-note">Saved from regard: run <code>regard explore</code> to ${what}.</p>`;

// Values of an address, made to fit: a number is clamped to its range, and what is of another type is replaced.

export const within = (value, low, high, otherwise) => (Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : otherwise);
export const wholeWithin = (value, low, high, otherwise) => (Number.isFinite(value) ? Math.round(within(value, low, high)) : otherwise);

// Two whole numbers in a range, or null.
export const pairWithin = (value, low, high) =>
  Array.isArray(value) && value.length === 2 && value.every(Number.isFinite) ? value.map((one) => wholeWithin(one, low, high)) : null;

// Whether the user prefers less motion.
export const prefersLessMotion = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
