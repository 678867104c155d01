// The figure of a claim: curves, bars, or matrices in one scale; and its numbers for a file.
import { html, useState } from "../vendor/preact.js";
import { Bars, Lines } from "./chart.js";
import { Heatmap, Legend } from "./heatmap.js";
import { told } from "./numbers.js";
import { useWidth } from "./shell.js";

export function ClaimChart({ chart }) {
  return html`<div class="claims-chart" data-chart=${chart.kind}>
    <h3>${chart.title}</h3>
    ${chart.kind === "lines" && html`<${Lines} label=${chart.title} xLabel=${chart.x_label} yLabel=${chart.y_label} logX=${chart.log_x} logY=${chart.log_y}
      series=${chart.curves.map((curve) => ({ name: curve.name, x: chart.x, y: curve.y, ...(curve.low && { low: curve.low, high: curve.high }) }))}
      marks=${Object.entries(chart.marks).map(([name, x]) => ({ name, x }))} />`}
    ${chart.kind === "bars" && html`<${Bars} label=${chart.title} names=${chart.names} groups=${chart.groups} yLabel=${chart.y_label} logY=${chart.log_y} />
      <${BarsTable} chart=${chart} />`}
    ${chart.kind === "matrices" && html`<${Matrices} chart=${chart} />`}
  </div>`;
}

// Names of bars are often longer than their room: the table has them in full.
function BarsTable({ chart }) {
  return html`<div class="scrolls"><table class="lines">
    <thead><tr><th></th>${Object.keys(chart.groups).map((name) => html`<th class="number">${name}</th>`)}</tr></thead>
    <tbody>${chart.names.map((name, i) => html`<tr><th>${name}</th>
      ${Object.values(chart.groups).map((values) => html`<td class="number">${told(values[i])}</td>`)}</tr>`)}</tbody>
  </table></div>`;
}

function Matrices({ chart }) {
  const [at, setAt] = useState(null);
  const [ref, width] = useWidth();
  const { panels, signed, limit } = chart;
  const columns = panels.length === 1 ? 1 : Math.max(2, Math.floor((width + 24) / (panels.length > 4 ? 164 : 250)));
  const side = Math.min(panels.length === 1 ? 420 : 260, (width - 24 * (columns - 1)) / columns - (chart.rows ? 30 : 0));
  const scale = signed ? "signed" : "weight";
  const names = (given, count) => given ?? (count <= 12 ? Array.from({ length: count }, (_, i) => String(i + 1)) : undefined);
  const say = (panel, r, c) => {
    const [row, column] = [chart.rows?.[r] ?? r + 1, chart.columns?.[c] ?? c + 1];
    return `${panel.name}, ${chart.row_label} ${row}, ${chart.column_label} ${column}: ${told(panel.values[r * panel.columns + c])}`;
  };
  return html`<div ref=${ref}>
    ${width > 0 && html`<div class="claims-panels">${panels.map((panel) => html`<figure>
      <figcaption>${panel.name}</figcaption>
      <${Heatmap} data=${panel.values} rows=${panel.rows} columns=${panel.columns} scale=${scale} limit=${limit} side=${Math.max(side, 90)}
        label=${`${panel.name}: ${chart.row_label} by ${chart.column_label}`}
        rowNames=${names(chart.rows, panel.rows)} columnNames=${names(chart.columns, panel.columns)}
        says=${(r, c) => say(panel, r, c)} onPoint=${(r, c) => setAt(r === null ? null : say(panel, r, c))} />
    </figure>`)}</div>`}
    <p class="claims-reading"><${Legend} scale=${scale} limit=${limit} label=${`${chart.row_label} ↓  ${chart.column_label} →`} /><span>${at ?? ""}</span></p>
  </div>`;
}

// Arrays as numbers.js writes them.
export function chartNumbers(chart) {
  if (chart.kind === "matrices") {
    const array = ({ rows, columns, values }) => ({ shape: [rows, columns], data: values, rows: chart.rows, columns: chart.columns });
    return Object.fromEntries(chart.panels.map((panel) => [panel.name, array(panel)]));
  }
  if (chart.kind === "bars") {
    const groups = Object.entries(chart.groups);
    return { [chart.y_label]: { ...table(groups), rows: chart.names } };
  }
  const columns = [[chart.x_label, chart.x]];
  for (const { name, y, low, high } of chart.curves) columns.push([name, y], ...(low ? [[`${name}, low`, low], [`${name}, high`, high]] : []));
  return { [chart.y_label]: table(columns) };
}

const table = (columns) => ({
  shape: [columns[0][1].length, columns.length],
  data: columns[0][1].flatMap((_, i) => columns.map(([, values]) => values[i])),
  columns: columns.map(([name]) => name),
});
