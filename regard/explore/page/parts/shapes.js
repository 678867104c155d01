// Pieces of a picture, as text of SVG: tags, boxes with borders, lines of text, and the browser's own controls.

// A tag. Attributes that are null are left out, and numbers are written short.
export function tag(name, attributes = {}, inner = "") {
  let text = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== "") text += ` ${key}="${escaped(typeof value === "number" ? round(value) : value)}"`;
  }
  return inner === "" ? `${text}/>` : `${text}>${inner}</${name}>`;
}

export const round = (value) => String(Math.round(value * 100) / 100);

// The data of a path, with its numbers written short: trace`M${x},${y}h${width}`.
export const trace = (texts, ...numbers) => texts.reduce((all, text, i) => all + round(numbers[i - 1]) + text);

// XML's own characters, without those that XML cannot hold at all.
export const escaped = (text) =>
  String(text)
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);

// A colour and its opacity apart, as tools other than browsers want them; nothing where it is transparent.
export function paint(colour, name = "fill") {
  const found = /^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(colour);
  if (!found) return colour && colour !== "none" && colour !== "transparent" ? { [name]: solid(colour) } : null;
  const opacity = found[4] === undefined ? 1 : found[4].endsWith("%") ? parseFloat(found[4]) / 100 : Number(found[4]);
  if (opacity === 0) return null;
  const hex = found.slice(1, 4).map((one) => Math.round(Number(one)).toString(16).padStart(2, "0")).join("");
  return { [name]: `#${hex}`, [`${name}-opacity`]: opacity < 1 ? opacity : null };
}

// Other spaces of colour (color-mix gives them) as a pixel has them.
let one = null;
function solid(colour) {
  one ??= document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  one.canvas.width = one.canvas.height = 1;
  one.fillStyle = colour;
  one.fillRect(0, 0, 1, 1);
  const [r, g, b] = one.getImageData(0, 0, 1, 1).data;
  return `#${[r, g, b].map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

const SIDES = ["Top", "Right", "Bottom", "Left"];

// The background and the borders of an element's box.
export function box(style, { left, top, width, height }) {
  if (width <= 0 || height <= 0) return "";
  const corners = ["TopLeft", "TopRight", "BottomRight", "BottomLeft"].map((corner) => radius(style[`border${corner}Radius`], width, height));
  const ground = paint(style.backgroundColor);
  let text = ground ? outline(left, top, width, height, corners, ground) : "";
  const borders = SIDES.map((side) => ({
    width: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]),
    colour: style[`border${side}Color`], kind: style[`border${side}Style`],
  }));
  const [first] = borders;
  if (borders.every((border) => border.width === first.width && border.colour === first.colour)) {
    if (first.width > 0) text += edge(left, top, width, height, corners, first, -first.width / 2);
  } else text += sides(borders, { left, top, width, height }, corners);
  if (style.outlineStyle !== "none" && style.outlineStyle !== "auto" && parseFloat(style.outlineWidth) > 0) {
    const border = { width: parseFloat(style.outlineWidth), colour: style.outlineColor, kind: style.outlineStyle };
    text += edge(left, top, width, height, corners, border, parseFloat(style.outlineOffset) + border.width / 2);
  }
  return text + rings(style, { left, top, width, height }, corners);
}

// Borders that differ: on round corners the others follow the first one's line, and are cut to the outline.
let cuts = 0;
function sides(borders, { left, top, width, height }, corners) {
  const [right, bottom] = [left + width, top + height];
  const ends = [[left, top, right, top], [right, top, right, bottom], [left, bottom, right, bottom], [left, top, left, bottom]];
  const isRound = corners.some((corner) => corner > 0);
  const base = isRound && borders[1].width > 0 ? borders[1] : null;
  const lines = borders.map((border, i) => {
    const ink = border.width > 0 && paint(border.colour, "stroke");
    if (!ink || (base && border.width === base.width && border.colour === base.colour)) return "";
    const half = border.width / 2;
    const [dx, dy] = [[0, half], [-half, 0], [0, -half], [half, 0]][i];
    const [x1, y1, x2, y2] = ends[i];
    return tag("line", { x1: x1 + dx, y1: y1 + dy, x2: x2 + dx, y2: y2 + dy, ...ink, "stroke-width": border.width, ...dashes(border) });
  }).join("");
  if (!isRound || !lines) return lines;
  const id = `cut-${++cuts}`;
  const cut = tag("clipPath", { id }, outline(left, top, width, height, corners, {}));
  return (base ? edge(left, top, width, height, corners, base, -base.width / 2) : "") + cut + tag("g", { "clip-path": `url(#${id})` }, lines);
}

// Shadows without a blur are borders by another name; soft ones are left out.
function rings(style, { left, top, width, height }, corners) {
  let text = "";
  for (const shadow of style.boxShadow === "none" ? [] : style.boxShadow.split(/,(?![^(]*\))/)) {
    const colour = /[a-z]+\([^)]*\)|#\w+/.exec(shadow)?.[0];
    const [right, down, blur, spread] = (shadow.replace(colour, "").match(/-?[\d.]+(?=px)/g) ?? []).map(Number);
    if (!colour || right || down || blur || !(spread > 0)) continue;
    text += edge(left, top, width, height, corners, { width: spread, colour }, shadow.includes("inset") ? -spread / 2 : spread / 2);
  }
  return text;
}

function edge(left, top, width, height, corners, border, out) {
  const ink = paint(border.colour, "stroke");
  if (!ink) return "";
  const grown = corners.map((corner) => Math.max(0, corner + (corner ? out : 0)));
  return outline(left - out, top - out, width + 2 * out, height + 2 * out, grown, { fill: "none", ...ink, "stroke-width": border.width, ...dashes(border) });
}

const DASHED = { dashed: [3, 2], dotted: [1, 1] };
const dashes = ({ kind, width }) => (DASHED[kind] ? { "stroke-dasharray": DASHED[kind].map((part) => part * width).join(" ") } : {});

function radius(text, width, height) {
  const [value] = (text || "0").split(" ");
  const size = value.endsWith("%") ? (parseFloat(value) / 100) * Math.min(width, height) : parseFloat(value) || 0;
  return Math.min(size, width / 2, height / 2);
}

export function outline(x, y, width, height, corners, attributes) {
  const [a, b, c, d] = corners;
  if (a === b && b === c && c === d) {
    return tag("rect", { x, y, width: Math.max(width, 0), height: Math.max(height, 0), rx: a || null, ...attributes });
  }
  const path = trace`M${x + a},${y}h${width - a - b}a${b},${b} 0 0 1 ${b},${b}v${height - b - c}a${c},${c} 0 0 1 ${-c},${c}` +
    trace`h${c + d - width}a${d},${d} 0 0 1 ${-d},${-d}v${a + d - height}a${a},${a} 0 0 1 ${a},${-a}z`;
  return tag("path", { d: path, ...attributes });
}

// How far letters reach above and below their line, in parts of their height.
const reaches = new Map();
export function reach(style) {
  const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  if (!reaches.has(font)) {
    const context = document.createElement("canvas").getContext("2d");
    context.font = font;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText("x");
    reaches.set(font, { up, down, wide: (text) => ((context.font = font), context.measureText(text).width) });
  }
  return reaches.get(font);
}

// A line of text; `length` keeps its width where another font stands in.
export function line(text, style, x, baseline, { length = null, anchor = null, colour = style.color, italic = false } = {}) {
  const ink = paint(colour);
  if (!ink || !text.trim()) return "";
  const spaced = /^(pre|break-spaces)/.test(style.whiteSpace) ? text.replaceAll(" ", "\u00a0") : text;
  const decoration = style.textDecorationLine && style.textDecorationLine !== "none" ? style.textDecorationLine : null;
  return tag("text", {
    x, y: baseline, ...ink, "text-anchor": anchor, textLength: length, lengthAdjust: length === null ? null : "spacingAndGlyphs",
    "font-family": style.fontFamily, "font-size": parseFloat(style.fontSize), "font-weight": style.fontWeight === "400" ? null : style.fontWeight,
    "font-style": italic ? "italic" : style.fontStyle === "normal" ? null : style.fontStyle, "text-decoration": decoration,
  }, escaped(spaced));
}

// A control's own ink: what the browser draws inside its box.
export function control(element, style, rect) {
  const kind = element.localName === "input" ? element.type : element.localName;
  const accent = style.accentColor === "auto" ? "rgb(52, 87, 213)" : style.accentColor;
  const middle = rect.top + rect.height / 2;
  if (kind === "range") return slider(element, style, rect, accent, middle);
  if (kind === "checkbox" || kind === "radio") return tick(element, style, rect, accent, kind === "radio");
  if (kind === "progress" || kind === "meter") {
    const part = element.max > 0 ? Math.max(0, Math.min(1, element.value / element.max)) : 0;
    return outline(rect.left, rect.top, rect.width, rect.height, [3, 3, 3, 3], { ...paint(style.color), "fill-opacity": 0.15 }) +
      outline(rect.left, rect.top, rect.width * part, rect.height, [3, 3, 3, 3], paint(accent));
  }
  if (["color", "file", "hidden", "image", "submit", "button", "reset"].includes(kind)) return "";
  return written(element, style, rect, kind, middle);
}

function slider(element, style, rect, accent, middle) {
  const [min, max] = [Number(element.min || 0), Number(element.max || 100)];
  const part = max > min ? (Number(element.value) - min) / (max - min) : 0;
  const [from, to] = [rect.left + 8, rect.left + rect.width - 8];
  const at = from + part * (to - from);
  const faded = element.disabled ? 0.45 : null;
  const track = { x1: from - 6, y1: middle, y2: middle, "stroke-width": 5, "stroke-linecap": "round" };
  return tag("g", { opacity: faded },
    tag("line", { ...track, x2: to + 6, ...paint(style.color, "stroke"), "stroke-opacity": 0.2 }) +
    tag("line", { ...track, x2: at, ...paint(accent, "stroke") }) +
    tag("circle", { cx: at, cy: middle, r: 7.5, ...paint(accent) }));
}

function tick(element, style, { left, top, width, height }, accent, round_) {
  const size = Math.min(width, height);
  const corners = new Array(4).fill(round_ ? size / 2 : 2.5);
  if (!element.checked) {
    const ink = { fill: "none", ...paint(style.color, "stroke"), "stroke-opacity": 0.6 };
    return outline(left + 0.5, top + 0.5, width - 1, height - 1, corners, ink);
  }
  const check = trace`M${left + size * 0.22},${top + size * 0.52}l${size * 0.2},${size * 0.2}l${size * 0.36},${-size * 0.42}`;
  const inside = round_
    ? tag("circle", { cx: left + width / 2, cy: top + height / 2, r: size / 4, fill: "#ffffff" })
    : tag("path", { d: check, fill: "none", stroke: "#ffffff", "stroke-width": 1.8 });
  return outline(left, top, width, height, corners, paint(accent)) + inside;
}

// The text of a field, where the browser puts it.
function written(element, style, rect, kind, middle) {
  const { up, down, wide } = reach(style);
  const inside = (side) => parseFloat(style[`border${side}Width`]) + parseFloat(style[`padding${side}`]);
  const [left, right] = [rect.left + inside("Left"), rect.left + rect.width - inside("Right")];
  const shown = kind === "select" ? (element.selectedOptions[0]?.label ?? "") : element.value || element.placeholder;
  const colour = kind !== "select" && !element.value ? style.color.replace(/^rgb\((.*)\)$/, "rgba($1, 0.55)") : style.color;
  if (kind === "textarea") {
    const height = parseFloat(style.lineHeight) || (up + down) * 1.2;
    const first = rect.top + inside("Top") + (height - up - down) / 2 + up - element.scrollTop;
    return wrapped(shown, right - left, wide)
      .map((text, i) => [text, first + i * height])
      .filter(([, y]) => y > rect.top + up / 2 && y < rect.top + rect.height)
      .map(([text, y]) => line(text, style, left, y, { colour }))
      .join("");
  }
  const anchor = { right: "end", end: "end", center: "middle" }[style.textAlign] ?? null;
  const x = anchor === "end" ? right : anchor === "middle" ? (left + right) / 2 : left + (kind === "select" ? 4 : 0);
  const arrow = kind === "select" && !element.multiple
    ? tag("path", { d: trace`M${right - 12},${middle - 2}l4,4l4,-4`, fill: "none", ...paint(style.color, "stroke"), "stroke-width": 1.5 }) : "";
  return line(fitting(shown, right - left - (arrow ? 16 : 0), wide), style, x, middle + (up - down) / 2, { anchor, colour }) + arrow;
}

function fitting(text, room, wide) {
  let shown = text;
  while (shown.length > 1 && wide(shown) > room + 1) shown = shown.slice(0, -1);
  return shown;
}

function wrapped(text, room, wide) {
  return text.split("\n").flatMap((paragraph) => {
    const lines = [""];
    for (const word of paragraph.split(/(?<=\s)/)) {
      if (lines.at(-1) && wide((lines.at(-1) + word).trimEnd()) > room) lines.push(word);
      else lines[lines.length - 1] += word;
    }
    return lines;
  });
}
