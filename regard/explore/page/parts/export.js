// The menu that saves a view: as SVG or PNG as it is seen, its numbers as CSV or NPZ, and the view itself as HTML.
import { html, useEffect, useId, useRef, useState } from "../vendor/preact.js";
import { base64Of } from "../model.js";
import { stepped } from "./controls.js";
import { csv, npz } from "./numbers.js";
import { picture, pixels } from "./picture.js";

// of: a ref to the element that is pictured; numbers: () => arrays as in numbers.js, or a promise of them; saves: () =>
// [[question, asked], …], what a saved HTML file must be able to answer; name: of the files.
export function Export({ name, of, numbers, saves, ask, view, state, place }) {
  const [open, setOpen] = useState(false);
  const [said, setSaid] = useState({ text: "", error: false });
  const [busy, setBusy] = useState(false);
  const menu = useRef(null);
  const id = useId();
  const close = (back) => {
    setOpen(false);
    if (back) menu.current?.querySelector("button").focus();
  };
  useEffect(() => {
    if (!open) return;
    menu.current.querySelector("[role=menuitem]").focus();
    const away = (event) => menu.current?.contains(event.target) || setOpen(false);
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [open]);
  const drawing = () => picture(of.current, name);
  const items = [
    ["Picture, SVG", async () => kept(name, "svg", drawing(), "image/svg+xml")],
    ["Picture, PNG", async () => kept(name, "png", await pixels(drawing()))],
    numbers && ["Numbers, CSV", async () => kept(name, "csv", csv(await numbers()), "text/csv;charset=utf-8")],
    numbers && ["Numbers, NPZ", async () => kept(name, "npz", npz(await numbers()))],
    saves && place !== "file" && ["This view, HTML", async () => kept(name, "html", await saved(ask, view, state, saves()), "text/html;charset=utf-8")],
    place === "page" && ["Copy a link", async () => copied(location.href)],
  ].filter(Boolean);
  const run = async (work) => {
    setBusy(true);
    setSaid({ text: "", error: false });
    try {
      setSaid({ text: await work(), error: false });
      close(true);
    } catch (error) {
      setSaid({ text: error.message, error: true });
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
      ${said.error && html`<p class="error" role="none">${said.text}</p>`}
    </div>`}
    <span class="unseen" role="status" aria-live="polite">${said.text}</span>
  </div>`;
}

// A file in the browser's folder of downloads.
function kept(name, ending, data, type) {
  const blob = typeof data === "string" ? new Blob([data], { type }) : data;
  const file = `${name.replace(/[^\p{L}\p{N}._-]+/gu, "-")}.${ending}`;
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: file });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  return `${file} was saved`;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Browsers keep the clipboard from pages of another machine, except through a field that is selected.
    const field = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    if (!done) throw new Error("the browser does not let a page copy; take the address from its bar");
  }
  return "The link was copied";
}

// The text of a file that shows this view without a server, with the answers to what it asks.
async function saved(ask, view, state, wanted) {
  const around = await ask("bundle", {});
  const once = [...new Map(wanted.map((one) => [JSON.stringify(one), one])).values()];
  const answers = [];
  let size = 0;
  // A few at a time: the server answers some at once, and others wait for it too.
  for (let at = 0; at < once.length; at += 4) {
    const some = once.slice(at, at + 4);
    const replies = await Promise.all(some.map(([question, asked]) => ask(question, asked)));
    replies.forEach((reply, i) => {
      const kept = reply.packed instanceof Uint8Array ? base64Of(reply.packed) : reply;
      answers.push([...some[i], kept]);
      size += typeof kept === "string" ? kept.length : JSON.stringify(kept).length;
    });
    if (size > around.largest) {
      throw new Error(`a saved file must have at most ${around.largest / 2 ** 20} MB of answers: got more; show fewer tokens or heads`);
    }
  }
  const date = new Date().toISOString().slice(0, 10);
  const data = JSON.stringify({ view, state, answers, version: around.version, date });
  return around.before + data.replaceAll("<", "\\u003c") + around.after;
}
