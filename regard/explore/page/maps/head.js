// One head large: as a matrix, as lines between tokens, or over the picture; or two beside each other.
import { html, useEffect, useLayoutEffect, useMemo, useState } from "../vendor/preact.js";
import { useAnswer } from "../client.js";
import { strongest, usePicture, useTile } from "./data.js";
import { Patches, SHOWN, TokenLines } from "./drawings.js";
import { Choice, Slider } from "../parts/controls.js";
import { Heatmap, Legend, pool, sideBeside } from "../parts/heatmap.js";
import { formatNumber, formatPercent } from "../parts/numbers.js";
import { Exact, Panel, Status, useWidth } from "../parts/shell.js";
import { Word, Words } from "../parts/words.js";

export const NEAR = 40; // tokens on a side of a part that is looked at closely

export function HeadMap({ ask, figure, sides, heads, kind, layer, head, state, change, actions, differs, says, isFile, isLarge }) {
  const [ref, width] = useWidth();
  const high = useRoom(ref);
  const [point, setPoint] = useState(null); // [query, key] under the pointer or the keys
  const [one, two] = heads.map(({ tile }) => tile);
  const isTwo = Boolean(sides[1].maps);
  const [first, second] = sides;
  const grid = kind.layers[layer].grid;
  const images = sides.map(({ maps, request }) => usePicture(ask, maps?.pictured ? { key: maps.key } : null, request));
  useEffect(() => setPoint(null), [first.maps?.key, second.maps?.key, kind.name]);
  const fits = one && two && String(one.shape) === String(two.shape);
  const change2 = isTwo && state.compare === "difference";
  const difference = useMemo(() => (change2 && fits ? minus(one.weights, two.weights) : null), [change2, one?.weights, two?.weights]);
  const options = [...(grid && images[0] ? [["picture", "Picture"]] : []), ["matrix", "Matrix"], ["lines", "Lines"]];
  const show = options.some(([name]) => name === state.show) ? state.show : options[0][0];
  const title = `Layer ${layer + 1}, head ${head + 1}`;
  const shared = { kind, layer, head, state, change, show, setPoint, grid, near: state.near, isFile, high };
  // Two beside each other have one scale.
  const limit = Math.max(one?.limit ?? 0, (isTwo && two?.limit) || 0);
  const isStacked = width < 440; // on a phone one stands below the other
  const beside = isStacked ? width : (width - 24) / 2;
  const room = Math.max(160, isTwo && !change2 ? beside : width);
  const refused = change2 && one && two && !fits;
  const row = (point ?? state.pin)?.[0] ?? null; // the query that looks
  return html`<${Panel} title=${title} class="maps-head" stale=${sides.some(({ error }) => error)} actions=${html`<div class="row maps-nameless">${options.length > 1 && html`<fieldset
    class="maps-held" disabled=${isFile && isLarge}><${Choice} label="Show as" value=${show} options=${options}
      onChange=${(value) => change({ show: value })} /></fieldset>`}${actions}</div>`}>
    <div class="maps-split">
    <div ref=${(element) => (ref.current = figure.current = element)} class=${`maps-pair${isTwo ? " two" : ""}${isStacked ? " stacked" : ""}`}>
      <${Status} waiting=${!one && heads[0].waiting} lines=${10} />
      ${one && width > 0 && (change2 && !refused
        ? difference && html`<${OneHead} tile=${{ ...one, weights: difference, limit: most(difference) }} signed maps=${first.maps} image=${images[0]}
          width=${room} name="First minus second" ...${shared} />`
        : html`<${OneHead} tile=${{ ...one, limit }} maps=${first.maps} image=${images[0]} width=${refused ? beside : room}
          name=${isTwo ? "First" : null} ...${shared} />
            ${isTwo && two && html`<${OneHead} tile=${{ ...two, limit }} maps=${second.maps} image=${images[1]}
              width=${refused ? beside : room} name="Second" ...${shared} />`}`)}
    </div>
    <div class="maps-side">
    ${refused && html`<p class="hint maps-refused">
      A difference needs maps of one shape: these are ${one.shape.join(" × ")} and ${two.shape.join(" × ")}, so they are shown side by side.</p>`}
    ${change2 && !refused && differs && html`<p class="maps-warned" role="status">The two read different inputs: differences may
      come from the inputs, not from the model or its training.</p>`}
    <${Status} error=${heads[0].error ?? heads[1].error} />
    ${one && html`${[one, isTwo ? two : null].map((tile, i) => tile && html`<${Facts} key=${i} ask=${ask} maps=${sides[i].maps} kind=${kind} layer=${layer}
        head=${head} grid=${grid} of=${isTwo ? ["First: a", "Second: a"][i] : "A"} says=${says[i]} />`)}
      <${Words} of=${["map", "layer", "key", "checkpoint"]} />
      <${Reading} ask=${ask} layer=${layer} head=${head} show=${show} point=${point ?? state.pin} pinned=${!point}
        tiles=${[one, isTwo ? two : null]} sides=${sides} kind=${kind} />
      ${row !== null && html`<${Looks} ask=${ask} sides=${sides} kind=${kind} layer=${layer} head=${head} row=${row} isPinned=${state.pin?.[0] === row} isTwo=${isTwo}
        onUnpin=${() => (ref.current.querySelector(".maps-one [tabindex='0']")?.focus(), change({ pin: null }))} tiles=${[one, two]} />`}
      ${sides.map((side, i) => side.maps?.predicts && side.isNow && kind.rows === "tokens" && html`<${Next} key=${i} ask=${ask} side=${side} row=${row}
        of=${isTwo ? ["First: ", "Second: "][i] : ""} />`)}`}
    </div></div>
  </${Panel}>`;
}

// The height that is left in the window for what begins at an element's top; no limit where it begins far down.
function useRoom(ref) {
  const [room, setRoom] = useState(Infinity);
  useLayoutEffect(() => {
    const measure = () => {
      const top = ref.current.getBoundingClientRect().top + globalThis.scrollY;
      setRoom(top > 0.6 * innerHeight ? Infinity : Math.max(320, innerHeight - top - 70));
    };
    const watcher = new ResizeObserver(measure);
    watcher.observe(document.documentElement);
    addEventListener("resize", measure);
    return () => (watcher.disconnect(), removeEventListener("resize", measure));
  }, []);
  return room;
}

function OneHead({ tile, maps, image, width, name, signed, kind, layer, head, state, change, show, setPoint, grid, near, isFile, high }) {
  const [rows, columns] = tile.shape;
  const named = (axis, from) => (maps.axes[axis] ? maps.axes[axis].slice(from) : null);
  const [rowNames, columnNames] = [named(kind.rows, tile.rows[0]), named(kind.columns, tile.columns[0])];
  const limit = signed ? tile.limit : state.colour === "own" ? tile.limit || 1 : 1;
  const label = `weights of layer ${layer + 1}, head ${head + 1}${name ? `, ${name}` : ""}: ${kind.rows} by ${kind.columns}`;
  const pin = (r, c) => change({ pin: [tile.rows[0] + r * tile.pool, c === null ? null : tile.columns[0] + c * tile.pool] });
  const pointed = (r, c) => setPoint(r === null || r === undefined ? null : [tile.rows[0] + r * tile.pool, tile.columns[0] + c * tile.pool]);
  const chosen = state.pin && state.pin[1] !== null ? place(state.pin, tile) : null;
  const whole = kind.layers[layer];
  let body;
  if (show === "picture" && grid && image && !near) {
    const query = Math.min(state.pin?.[0] ?? maps.first + Math.floor(grid[0] / 2) * grid[1] + Math.floor(grid[1] / 2), columns - 1);
    body = html`<${Patches} image=${image} weights=${tile.weights} count=${columns} first=${maps.first} grid=${grid} query=${query}
      limit=${signed || state.colour === "one" ? limit : null} signed=${signed} side=${Math.min(width, 440)} label=${label}
      onQuery=${(token) => change({ pin: [token, null] })} onPoint=${setPoint} />
      ${maps.first > 0 && html`<button class="quiet" aria-pressed=${query < maps.first}
        onClick=${() => change({ pin: [0, null] })}>From the class token</button>`}`;
  } else if (show === "lines") {
    const isPart = rows < whole.rows || columns < whole.columns;
    body = html`${isPart && html`<div class="row"><${Closer} near=${near ?? [0, 0]} whole=${whole} change=${change} isFile=${isFile} fixed /></div>`}<${LinesPart}
      tile=${tile} rowNames=${rowNames} columnNames=${columnNames} width=${width} limit=${signed ? tile.limit : tile.limit || 1} label=${label} state=${state}
      pin=${pin} pointed=${setPoint} />`;
  } else {
    const beside = sideBeside(grid ? null : rowNames?.slice(0, rows), Math.max(rows, columns), width - 18);
    const usual = Math.min(beside, high - labelsAbove(grid ? null : columnNames?.slice(0, columns), Math.min(beside, high) / columns));
    const step = Math.ceil(Math.max(rows, columns) / Math.max(usual, 64));
    const seen = pool(tile.weights, rows, columns, step); // several cells may share a pixel
    const names = grid || step > 1 ? [null, null] : [rowNames?.slice(0, rows), columnNames?.slice(0, columns)];
    const exact = (r, c) => {
      const cell = seen.at?.[r * seen.columns + c];
      return cell ? [Math.floor((cell - 1) / columns), (cell - 1) % columns] : [r * step, c * step];
    };
    const told = (r, c) => {
      const [i, j] = exact(r, c);
      return [rowNames?.[i * tile.pool] ?? `${i + 1}`, columnNames?.[j * tile.pool] ?? `${j + 1}`, formatNumber(tile.weights[i * columns + j], 4)];
    };
    const says = (r, c) => told(r, c).join(" → ").replace(/ → (?!.* → )/, ": ");
    const tip = (r, c) => html`${told(r, c)[0]} → ${told(r, c)[1]} <b>${told(r, c)[2]}</b>`;
    const map = html`<${Heatmap} data=${seen.data} rows=${seen.rows} columns=${seen.columns} scale=${signed ? "signed" : "weight"} limit=${limit}
      label=${label} side=${usual} says=${says} tip=${tip} titles=${TITLES} rowNames=${names[0]} columnNames=${names[1]}
        chosen=${chosen?.map((cell) => Math.floor(cell / step))} onChoose=${(r, c) => pin(...exact(r, c))}
        onPoint=${(r, c) => (r === null ? pointed(null) : pointed(...exact(r, c)))} />`;
    body = html`${map}
      <div class="row maps-under"><${Legend} scale=${signed ? "signed" : "weight"} limit=${limit}
        label=${signed ? "first minus second" : limit < 0.995 ? "and above, weight" : "weight"} />
        ${Math.max(whole.rows, whole.columns) > NEAR && html`<${Closer} near=${near} whole=${whole} pin=${state.pin} change=${change} isFile=${isFile} />`}</div>
      ${tile.pool * step > 1 && html`<p
        class="note">Each pixel is the strongest of ${tile.pool * step} × ${tile.pool * step} weights; look closer to see each.</p>`}`;
  }
  return html`<div class="maps-one">${name && html`<h3>${name}</h3>`}${body}</div>`;
}

const TITLES = ["query ↓ looks", "key → is looked at"];

// The pixels that titles and names of columns take above a map, about.
function labelsAbove(names, cell) {
  const longest = Math.max(0, ...(names ?? []).map((name) => name.length));
  return 24 + (cell < 8 || !names ? 0 : longest * 7.2 > cell ? 18 + 7.2 * Math.min(13, longest) : 18);
}

// A part of the map, in which tokens have their names.
function Closer({ isFile, ...props }) {
  return html`<fieldset class="maps-held row" disabled=${isFile}><${Closeness} ...${props} /></fieldset>`;
}

function Closeness({ near, whole, pin, change, fixed }) {
  if (!near) {
    const from = (token, count) => Math.max(0, Math.min(count - NEAR, Math.round((token ?? 0) - NEAR / 2)));
    return html`<button onClick=${() => change({ near: [from(pin?.[0], whole.rows), from(pin?.[1] ?? pin?.[0], whole.columns)] })}>Look closer</button>`;
  }
  return html`${!fixed && html`<button onClick=${() => change({ near: null })}>The whole map</button>`}
    <${Slider} label="Rows from" value=${near[0] + 1} min=${1} max=${Math.max(1, whole.rows - NEAR + 1)} step=${1}
      onChange=${(value) => change({ near: [value - 1, near[1]] })} />
    <${Slider} label="Columns from" value=${near[1] + 1} min=${1} max=${Math.max(1, whole.columns - NEAR + 1)} step=${1}
      onChange=${(value) => change({ near: [near[0], value - 1] })} />`;
}

function LinesPart({ tile, rowNames, columnNames, width, limit, label, state, pin, pointed }) {
  const [rows, columns] = tile.shape;
  const [from, setFrom] = useState(0);
  const most = Math.max(rows, columns);
  const begin = Math.min(from, Math.max(0, most - SHOWN));
  const span = (count) => [Math.min(begin, Math.max(0, count - SHOWN)), Math.min(begin + SHOWN, count)];
  const [r, c] = [span(rows), span(columns)];
  const part = useMemo(() => {
    const found = new Float32Array((r[1] - r[0]) * (c[1] - c[0]));
    for (let i = r[0]; i < r[1]; i++) found.set(tile.weights.subarray(i * columns + c[0], i * columns + c[1]), (i - r[0]) * (c[1] - c[0]));
    return found;
  }, [tile.weights, r[0], r[1], c[0], c[1]]);
  const best = (row) => strongest(part.subarray(row * (c[1] - c[0]), (row + 1) * (c[1] - c[0])), 1)[0] ?? 0;
  return html`${most > SHOWN && html`<${Slider} label="Tokens from" value=${begin + 1} min=${1} max=${most - SHOWN + 1} step=${1}
    onChange=${(value) => setFrom(value - 1)} />`}
    <${TokenLines} weights=${part} rows=${r[1] - r[0]} columns=${c[1] - c[0]} rowNames=${rowNames?.slice(r[0])} columnNames=${columnNames?.slice(c[0])}
      width=${width} limit=${limit} label=${label}
      pinned=${state.pin ? state.pin[0] - tile.rows[0] - r[0] : null} first=${0}
      onPoint=${(row) => pointed(row === null ? null : [tile.rows[0] + r[0] + row, tile.columns[0] + c[0] + best(row)])} onPin=${(row) => pin(r[0] + row, c[0] + best(row))} />
    <p class="note">${most > SHOWN ? `${SHOWN} tokens of each side; f` : "F"}aint weights have no line.</p>`;
}

const minus = (one, two) => one.map((value, i) => value - two[i]);
const most = (values) => values.reduce((best, value) => Math.max(best, Math.abs(value)), 1e-9);

// The cell of a tile that a query and a key fall into, or null.
function place([query, key], tile) {
  const [r, c] = [Math.floor((query - tile.rows[0]) / tile.pool), Math.floor((key - tile.columns[0]) / tile.pool)];
  return r >= 0 && c >= 0 && r < tile.shape[0] && c < tile.shape[1] ? [r, c] : null;
}

const nameOf = (maps, axis, token) => `${maps.axes[axis]?.[token] ?? ""}`;
const numbered = (maps, kind, axis, token) => (kind.layers[0].grid || !maps.axes[axis] ? nameOf(maps, axis, token) || `${axis} ${token + 1}` : `${nameOf(maps, axis, token)}`);

// What is under the pointer, in words and numbers.
const HOW = {
  matrix: "Point at the map, or use the arrow keys; click or press Enter to pin.",
  lines: "Point at a token on the left, or use the arrow keys, to see its lines alone; click or press Enter to pin.",
  picture: "Click a patch, or use the arrow keys, to choose the patch that looks, which is framed. Point to read its weights.",
};

function Reading({ ask, layer, head, show, point: near, pinned, tiles, sides, kind }) {
  const maps = sides[0].maps;
  // A cell that stands for several weights is requested in full, and the strongest of them read.
  const square = near && near[1] !== null && tiles[0].pool > 1 ? tiles[0].pool : 0;
  const part = square ? { rows: [near[0], near[0] + square], columns: [near[1], near[1] + square], most: 16 } : null;
  const inside = useTile(ask, part && { key: maps.key, kind: kind.name, layer, head, ...part }, sides[0].request);
  const other = useTile(ask, part && tiles[1] ? { key: sides[1].maps.key, kind: kind.name, layer, head, ...part } : null, sides[1].request);
  const isExact = inside.tile && near && inside.tile.rows[0] === near[0] && inside.tile.columns[0] === near[1];
  if (square && isExact && inside.tile.pool === 1) {
    const best = strongest(inside.tile.weights, 1)[0] ?? 0;
    near = [near[0] + Math.floor(best / inside.tile.shape[1]), near[1] + (best % inside.tile.shape[1])];
    tiles = [inside.tile, other.tile];
  }
  const point = near;
  if (!point || point[1] === null) return html`<p class="maps-reading hint">${HOW[show]}</p>`;
  const values = tiles.map((tile) => {
    const cell = tile && place(point, tile);
    return cell ? tile.weights[cell[0] * tile.shape[1] + cell[1]] : null;
  });
  const names = [numbered(maps, kind, kind.rows, point[0]), numbered(maps, kind, kind.columns, point[1])];
  const places = kind.layers[0].grid ? "" : ` (${point[0] + 1} → ${point[1] + 1})`;
  const pooled = tiles[0].pool > 1 ? ", the largest around" : "";
  return html`<p class="maps-reading" data-reading>${pinned ? "Pinned: " : ""}<b>${names[0]}</b> → <b>${names[1]}</b><span
    class="hint">${places}${pooled}</span>
    <span class="maps-number" data-weight=${values[0]}><${Exact} value=${values[0]} digits=${4} /></span>
    ${tiles[1] && html`<span class="hint maps-and">second</span><span class="maps-number"><${Exact} value=${values[1]} digits=${4} /></span>
      <span class="hint maps-and">difference</span><span class="maps-number"><${Exact} value=${values[1] === null ? null : values[0] - values[1]} digits=${4} /></span>`}</p>`;
}

// What the head does, and how widely and how far it looks.
function Facts({ ask, maps, kind, layer, head, grid, of, says: tags }) {
  const { response } = useAnswer(ask, "facts", { key: maps.key, kind: kind.name, layer, head });
  const distance = response && kind.rows === kind.columns && !grid ? `, ${formatNumber(response.distance, 2)} tokens away on average` : "";
  const exact = { float32: "", float16: " Weights are kept to 3 digits.", uint8: " Weights are kept to about 1/255 of their root." }[maps.type];
  const says = response && html`${of} <${Word} of="query">query<//> looks at about <${Exact} value=${2 ** response.entropy} digits=${2} /> <${Word} of="token">tokens<//>:
    ${" "}<${Exact} value=${response.entropy} /> bits of <${Word} of="entropy">entropy<//>${distance}.${exact}`;
  return html`${tags && html`<p class="maps-tags">${tags.split(", ").map((one) => html`<span class="badge"><${Word} of=${one.replace(/ [^ ]* %$/, "")}>${one}<//></span>`)}</p>`}
    <p class="note maps-facts" data-entropy=${response?.entropy}>${says ?? "\u00a0"}</p>`;
}

function rowOf(tile, own, query) {
  if (!tile || !own || tile.pool > 1 || tile.rows[0] > 0 || tile.shape[0] < own.rows || tile.shape[1] < own.columns || query >= own.rows) return null;
  return tile.weights.subarray(query * tile.shape[1], (query + 1) * tile.shape[1]);
}

// The keys that a query looks at most: the one that is pointed at, or pinned.
function Looks({ ask, sides, kind, layer, head, row: query, isPinned, isTwo, onUnpin, tiles }) {
  const own = sides.map((side) => side.maps?.kinds.find((one) => one.name === kind.name)?.layers[layer]);
  const here = tiles.map((tile, i) => rowOf(tile, own[i], query)); // rows that are here already
  const request = (i) => {
    const side = sides[i];
    return !here[i] && own[i] && query < own[i].rows && head < own[i].heads ? { key: side.maps.key, kind: kind.name, layer, head, rows: [query, query + 1], most: 4096 } : null;
  };
  const found = [useTile(ask, request(0), sides[0].request), useTile(ask, isTwo ? request(1) : null, sides[1].request)];
  const weights = here[0] ?? found[0].tile?.weights;
  if (!weights) return null;
  const other = isTwo ? (here[1] ?? found[1].tile?.weights) : null;
  const maps = sides[0].maps;
  const order = strongest(weights, MOST_LOOKS);
  const largest = weights[order[0]] || 1;
  return html`<div class="maps-pinned">
    <div class="panel-head"><h3>What ${numbered(maps, kind, kind.rows, query)}${kind.layers[0].grid ? "" : ` (${query + 1})`} looks at most</h3>
      ${isPinned && html`<button class="quiet" onClick=${onUnpin}>Unpin</button>`}</div>
    <table class="lines" data-pinned=${isPinned ? query : null} data-looks=${query}><thead><tr><th>Key</th><th class="number">Position</th><th class="number">Weight</th>${other && html`<th
      class="number">Second</th>`}<th><span class="unseen">Bar</span></th></tr></thead>
      <tbody>${order.map((key) => html`<tr><td>${numbered(maps, kind, kind.columns, key)}</td><td class="number">${key + 1}</td><td
        class="number"><${Exact} value=${weights[key]} digits=${4} /></td>
        ${other && html`<td class="number"><${Exact} value=${other[key] ?? null} digits=${4} /></td>`}
        <td class="maps-bar"><span style=${{ width: `${(100 * weights[key]) / largest}%` }}></span></td></tr>`)}</tbody></table>
  </div>`;
}

const MOST_LOOKS = 6;

// What the model expects after the token that looks, or after the last one; what really comes there is marked.
function Next({ ask, side, row, of }) {
  const { response, of: asked } = useAnswer(ask, "next", { model: side.request.model, text: side.request.text });
  const tokens = side.maps.axes.tokens;
  if (!response || response.tokens.length !== tokens.length || JSON.parse(asked).text !== side.request.text) return null;
  const at = row === null || row >= tokens.length ? tokens.length - 1 : row;
  return html`<div class="maps-next" data-next=${at}><h3>${of}After ${tokens[at]} (${at + 1}) the model expects</h3>
    <table><tbody>${response.tokens[at].map((token, i) => html`<tr class=${token === tokens[at + 1] ? "now" : ""}><th scope="row">${token}</th>
      <td class="number"><${Exact} value=${response.probabilities[at][i]} as=${formatPercent} /></td><td class="maps-bar"><span style=${{ width: `${100 * response.probabilities[at][i]}%` }}></span></td></tr>`)}</tbody></table>
    ${tokens[at + 1] !== undefined && html`<p class="hint">Next in the text: ${tokens[at + 1]}.</p>`}</div>`;
}
