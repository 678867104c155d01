// The menu that saves a view: its figure as SVG or PNG, its numbers as CSV or NPZ, and the view itself as HTML.
import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact.js";
import { toBase64 } from "../client.js";
import { stepped } from "./controls.js";
import { drawFigure, toPixels } from "./figure.js";
import { useId } from "./ids.js";
import { toCsv } from "./numbers.js";

// of: a ref to the element with the figure; caption: a sentence under it, which says what is shown and of what; numbers: () => arrays as in numbers.js, or a promise of them; saves: () =>
// [[endpoint, request], …], what a saved HTML file must be able to answer; name: of the files; legend: what the numbers of a file mean.
export function Export({ name, of, caption, legend = "", numbers, saves, ask, view, state, place }) {
  const [open, setOpen] = useState(false);
  const [message, setMessage] = useMessage();
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const menu = useRef(null);
  const id = useId();
  const close = (back) => {
    setOpen(false);
    if (back) menu.current?.querySelector("button").focus();
  };
  useLayoutEffect(() => {
    if (!open) return;
    menu.current.querySelector("[role=menuitem]").focus();
    const away = (event) => menu.current?.contains(event.target) || setOpen(false);
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  const about = [caption, legend && `Numbers: ${legend}.`].filter(Boolean).join(" ");
  const figure = () => drawFigure(of.current, name, caption);
  const items = [
    ["Picture, SVG", async () => download(name, "svg", new Blob([figure()], { type: "image/svg+xml" }))],
    ["Picture, PNG", async () => download(name, "png", await toPixels(figure()))],
    numbers && ["Numbers, CSV", async () => download(name, "csv", new Blob([toCsv(await numbers(), about)], { type: "text/csv;charset=utf-8" }))],
    numbers && place !== "file" && ["Numbers, NPZ", async () => download(name, "npz", await makeNpz(ask, await numbers(), about))],
    saves && place !== "file" && ["This view, HTML", async () => download(name, "html", await makeFile(ask, view, state, saves()))],
  ].filter(Boolean);
  const run = async (work) => {
    setBusy(true);
    setMessage("");
    setError("");
    try {
      setMessage(await work());
      close(true);
    } catch (error) {
      setError(error.message);
    }
    setBusy(false);
  };
  const onKeyDown = (event) => {
    if (event.key === "Escape" && open) {
      event.stopPropagation();
      return close(true);
    }
    if (!open) {
      if (event.key === "ArrowDown") (event.preventDefault(), setOpen(true));
      return;
    }
    const rows = [...menu.current.querySelectorAll("[role=menuitem]")];
    const at = rows.indexOf(document.activeElement);
    if (at >= 0 && event.key !== "ArrowLeft" && event.key !== "ArrowRight") rows[stepped(event, at, rows.length, 1) ?? at].focus();
  };
  return html`<div class="menu" ref=${menu} data-unpictured onKeyDown=${onKeyDown}
    onFocusOut=${(event) => event.relatedTarget && !menu.current.contains(event.relatedTarget) && close(false)}>
    <button class="quiet" aria-haspopup="menu" aria-expanded=${String(open)} aria-controls=${open ? id : null} onClick=${() => setOpen(!open)}>
      <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
        <path fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"
          d="M8 2v8M4.8 7.2 8 10.4l3.2-3.2M2.5 13.5h11" /></svg>Export</button>
    ${open && html`<div id=${id} role="menu" aria-label="Export" aria-busy=${String(busy)}>
      ${items.map(([label, work]) => html`<button role="menuitem" tabindex="-1" disabled=${busy} onClick=${() => run(work)}>${label}</button>`)}
      ${busy && html`<p class="waiting" role="none">saving …</p>`}
      ${error && html`<p class="error" role="none">${error}</p>`}
    </div>`}
    <${Message} text=${error || message} isSeen=${!error} />
  </div>`;
}

// What was done, beside the button that did it, for a moment.
function useMessage() {
  const [text, setText] = useState("");
  useEffect(() => {
    const due = setTimeout(() => setText(""), 4000);
    return () => clearTimeout(due);
  }, [text]);
  return [text, setText];
}

const Message = ({ text, isSeen = true }) => html`<span class=${text && isSeen ? "message" : "unseen"} role="status" aria-live="polite">${text}</span>`;

// A button that copies what `text` returns.
export function CopyButton({ text, done, children, ...more }) {
  const [message, setMessage] = useMessage();
  const copy = async () => {
    try {
      await copyText(text());
      setMessage(done);
    } catch (error) {
      setMessage(error.message);
    }
  };
  return html`<span class="menu" data-unpictured><button class="quiet" ...${more} onClick=${copy}>${children}</button><${Message} text=${message} /></span>`;
}

// A file in the browser's folder of downloads.
function download(name, ending, blob) {
  const file = `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.${ending}`;
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return `${file} was saved`;
}

// Arrays as NumPy's .npz, in float64, which the library writes, with the names of axes, rows and columns beside them, and what all
// of it is; null becomes NaN.
async function makeNpz(ask, arrays, about = "") {
  const pack = ({ shape, data, axes, rows, columns }) => ({
    shape, data: toBase64(new Uint8Array(Float64Array.from(data, (value) => value ?? NaN).buffer)),
    axes, rows: Array.from(rows ?? [], String), columns: Array.from(columns ?? [], String),
  });
  // Of files in an archive, without slashes or signs: (A′ − A) / 0.22 becomes (A' - A) per 0.22.
  const clean = (name) => name.replaceAll("′", "'").replaceAll("−", "-").replaceAll("/", "per").replace(/[^\p{L}\p{N}_ ,.'()-]+/gu, "-").replace(/^-+|-+$/g, "");
  const request = { about: about.slice(0, 2000), arrays: Object.fromEntries(Object.entries(arrays).map(([name, array]) => [clean(name), pack(array)])) };
  const { header, data, offset } = await ask("npz", request);
  return new Blob([new Uint8Array(data, offset)], { type: header.kind });
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without https, browsers let a page copy only what is selected in a field.
    const field = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error(`the browser does not let the page copy; copy it yourself: ${text}`);
  }
}

// The HTML file that shows this view without a server, with the responses to its requests.
async function makeFile(ask, view, state, wanted) {
  const frame = await ask("frame", {});
  const once = [...new Map(wanted.map((one) => [JSON.stringify(one), one])).values()];
  const answers = [];
  let size = 0;
  // A few at a time: other pages wait for the server too.
  for (let at = 0; at < once.length; at += 4) {
    const some = once.slice(at, at + 4);
    const responses = await Promise.all(some.map(([endpoint, request]) => ask(endpoint, request)));
    responses.forEach((response, i) => {
      const kept = response.packed instanceof Uint8Array ? toBase64(response.packed) : response;
      answers.push([...some[i], kept]);
      size += typeof kept === "string" ? kept.length : JSON.stringify(kept).length;
    });
    if (size > frame.max_answers) {
      throw new Error(`a saved file must have at most ${frame.max_answers / 2 ** 20} MB of answers: got more; show fewer tokens or heads`);
    }
  }
  const date = new Date().toISOString().slice(0, 10);
  const data = JSON.stringify({ view, state, answers, version: frame.version, date });
  return new Blob([frame.before, data.replaceAll("<", "\\u003c"), frame.after], { type: "text/html;charset=utf-8" });
}
