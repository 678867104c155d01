// A run: its command, its progress, its report, numbers and settings.
import { html, useEffect, useRef } from "../vendor/preact.js";
import { isAborted } from "../client.js";
import { CopyButton } from "../parts/export.js";
import { formatCount, formatNumber, formatSize } from "../parts/numbers.js";
import { Exact } from "../parts/shell.js";
import { latest } from "./live.js";

// A command with a button that copies it.
export const Command = ({ text }) => html`<div class="runs-command"><div tabindex="0" role="group" aria-label="Command"><code>${text}</code></div>
  <${CopyButton} text=${() => text} done="Copied">Copy<//></div>`;

// The progress of the trainings; where many are done, they are only counted.
export function Progress({ run, speed }) {
  if (run.state === "done") return null;
  const now = run.trainings.length ? latest(run) : null;
  const isWhole = (one) => one.steps !== null && one.step >= one.steps;
  const isOver = (one) => isWhole(one) || (run.state === "running" && one !== now);
  const over = run.trainings.filter(isOver);
  const folded = over.length > 4;
  const shown = run.trainings.filter((one) => !folded || !over.includes(one)).sort((a, b) => a.written - b.written);
  return html`<div class="runs-progress">
    ${folded && html`<p class="note">${over.length} trainings are done.</p>`}
    ${shown.map((one) => html`<${Bar} key=${one.name} one=${one} speed=${run.state === "running" && !isOver(one) ? speed(run, one) : null} />`)}
    ${run.state === "running" && !now && html`<p class="note">It is about to start.</p>`}
    ${run.state === "running" && now && isWhole(now) && html`<p class="note">The next training is starting, or the trained models are being measured.</p>`}
    ${run.state === "stopped" && html`<p class="note">It was stopped. This command continues it exactly where it stopped:</p><${Command} text=${run.resume} />`}
  </div>`;
}

function Bar({ one: { name, step, steps }, speed }) {
  const left = speed && steps ? (steps - step) / speed : null;
  const words = [steps ? `step ${formatCount(step)} of ${formatCount(steps)}` : `step ${formatCount(step)}`];
  if (speed) words.push(`${formatNumber(speed, 2)} steps/s`);
  if (left !== null) words.push(`${formatSize(Math.max(1, Math.round(left)), "s")} left`);
  return html`<div class="runs-bar" data-training=${name}>
    <span class="runs-name">${name}</span>
    ${steps && html`<progress max=${steps} value=${step} aria-label=${`Steps of ${name}`}></progress>`}
    <span class="runs-far">${words.join(" · ")}</span>
  </div>`;
}

// The report as the server's HTML of its Markdown, which holds no markup of its own; figures are images, in which no
// script can run.
export function Report({ ask, run, text }) {
  const ref = useRef(null);
  useEffect(() => {
    const control = new AbortController();
    const urls = [];
    ref.current.innerHTML = text;
    for (const wide of ref.current.querySelectorAll("table, pre")) enclosed(wide);
    for (const image of ref.current.querySelectorAll("img[data-figure]")) {
      const caption = captioned(image);
      ask("figure", { run, name: image.dataset.figure }, { signal: control.signal }).then(
        ({ header, data, offset }) => {
          urls.push(URL.createObjectURL(new Blob([new Uint8Array(data, offset)], { type: header.kind })));
          image.src = urls.at(-1);
        },
        (error) => isAborted(error) || (image.remove(), (caption.textContent += " (missing)")),
      );
    }
    return () => {
      control.abort();
      urls.forEach((url) => URL.revokeObjectURL(url));
    };
  }, [ask, run, text]);
  return html`<div class="runs-report" ref=${ref}></div>`;
}

// What is too wide gets its own scrollbar, and can be scrolled with the keyboard.
function enclosed(wide) {
  const box = document.createElement("div");
  box.className = "scrolls";
  wide.replaceWith(box);
  box.append(wide);
  if (box.scrollWidth > box.clientWidth) Object.assign(box, { tabIndex: 0, role: "group", ariaLabel: "Scrolls sideways" });
}

function captioned(image) {
  const figure = document.createElement("figure");
  const caption = document.createElement("figcaption");
  caption.textContent = image.alt;
  image.alt = ""; // the caption says it
  image.replaceWith(figure);
  figure.append(image, caption);
  return caption;
}

export const figuresOf = (text) => [...(text ?? "").matchAll(/data-figure="([^"]+)"/g)].map(([, name]) => name);

export function Numbers({ numbers }) {
  const names = Object.keys(numbers);
  return html`<details><summary>All numbers <span class="badge">${names.length}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="All numbers"><table class="lines"><tbody>
      ${names.map((name) => html`<tr><th scope="row">${name}</th><td class="number"><${Exact} value=${numbers[name]} digits=${4} /></td></tr>`)}
    </tbody></table></div></details>`;
}

export function Settings({ settings }) {
  const other = settings.filter((one) => one.own !== null).length;
  return html`<details><summary>Settings <span class="badge">${settings.length}${other ? `, ${other} changed` : ""}</span></summary>
    <div class="runs-table" tabindex="0" role="group" aria-label="Settings"><table class="lines">
      <thead><tr><th scope="col">setting</th><th scope="col">value</th><th scope="col">recipe default</th></tr></thead>
      <tbody>${settings.map(({ name, value, own }) => html`<tr class=${own === null ? "" : "runs-changed"}>
        <th scope="row"><code>${name}</code></th><td><code>${value}</code></td><td>${own === null ? "" : html`<code>${own}</code>`}</td></tr>`)}</tbody>
    </table></div></details>`;
}
