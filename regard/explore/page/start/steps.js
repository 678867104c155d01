// The five steps of attention, each with one sentence and the numbers of the token that is pointed at; they open the playground.
import { html } from "../vendor/preact.js";
import { formatNumber, formatPercent } from "../parts/numbers.js";
import { strongest } from "./sentence.js";

// Logits are known up to a constant: the weights' ratio is e to the power of their difference.
function stepsOf({ names, width, head_width }, row, query) {
  const [first, second] = strongest(row, 2);
  const isAlone = second === undefined || !(row[second] > 0);
  return [
    ["tokens", "Tokens", "Text is cut into tokens. Each is a vector.", html`“${names[query]}”: ${width} numbers`],
    ["qkv", "q, k, v", "It asks with a query, offers a key, gives a value.", html`${head_width} numbers each`],
    ["logits", "q · k · β", "Its query times each key, times β: a score.",
      isAlone ? html`one key to meet` : html`“${names[first]}” beats “${names[second]}” by ${formatNumber(Math.log(row[first] / row[second]), 2)}`],
    ["softmax", "softmax", "Scores become weights, which sum to 100 %.",
      isAlone ? html`${formatPercent(row[first])}` : html`${formatPercent(row[first])}, ${formatPercent(row[second])}, …`],
    ["mix", "mix", "It takes the values, mixed by these weights.",
      isAlone ? html`1 · v(${names[first]})` : html`${formatNumber(row[first], 2)} v(${names[first]}) + ${formatNumber(row[second], 2)} v(${names[second]}) + …`],
  ];
}

export function Steps({ read, row, query, place }) {
  return html`<p class="start-lead">The same in five steps, with its numbers.${place === "page" && " Each card opens the playground, where a smaller example, “she reads old books”, shows every number."}</p>
  <ol class="start-steps" aria-label="Attention in five steps">
    ${stepsOf(read, row, query).map(([step, title, says, numbers], i) => {
      const inner = html`<span class="start-number" aria-hidden="true">${i + 1}</span><b>${title}</b><span class="start-says">${says}</span><span class="start-now">${numbers}</span>`;
      return html`<li>${place === "page"
        ? html`<a href=${`#playground?${encodeURIComponent(JSON.stringify({ step }))}`}>${inner}</a>`
        : html`<div>${inner}</div>`}</li>`;
    })}
  </ol>`;
}
