// A figure as one SVG that stands alone: its drawings, matrices as rectangles, and its text where it lies on the page.
// Controls, hints on how to use them and what is folded are left out, and nothing of the page is inside (no foreignObject, no style sheet), so that browsers and drawing
// programs read it.

const MAX_RECTANGLES = 4096; // cells of a matrix that become rectangles; a larger one is embedded as an image
const MARGIN = 16;
const CAPTION = { size: 13, line: 19, letter: 6.8 }; // pixels
const CONTROLS = ".control, .choice, .toggle, progress, select, textarea, input:not(.cell, .name), button:not(.quiet, .word, [data-pictured], th button, :has(> svg))";
const LEFT_OUT = `[data-unpictured], .hint, details:not([open]), script, style, noscript, template, title, ${CONTROLS}`;

export function drawFigure(element, title, caption) {
  const frame = boundsOf(element) ?? element.getBoundingClientRect();
  const below = wrap(caption, Math.ceil(frame.width));
  const [width, high] = [Math.ceil(frame.width) + 2 * MARGIN, Math.ceil(frame.height) + 2 * MARGIN];
  const height = high + below.length * CAPTION.line;
  const drawing = { clips: 0, defs: "" };
  const ground = paint(groundOf(element)) ?? { fill: "#ffffff" };
  const inner = tag("g", { transform: `translate(${round(MARGIN - frame.left)},${round(MARGIN - frame.top)})` }, draw(element, drawing));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink", width, height, viewBox: `0 0 ${width} ${height}` },
    `${tag("title", {}, escapeText(title) || " ")}${drawing.defs && tag("defs", {}, drawing.defs)}${tag("rect", { width, height, ...ground })}${inner}${below.map((text, i) => drawCaption(text, high + i * CAPTION.line, element)).join("")}`,
  )}\n`;
}

// The part of an element that is drawn: without the columns and rows that are left out at its sides.
function boundsOf(element) {
  const style = getComputedStyle(element);
  if (element.matches(LEFT_OUT) || style.display === "none" || style.position === "fixed" || /inset\(50%/.test(style.clipPath)) return null;
  const isPlain = !paint(style.backgroundColor) && [...element.childNodes].every((node) => node.nodeType === Node.ELEMENT_NODE || !node.data?.trim());
  const inner = isPlain && element.children.length && !(element instanceof SVGElement) ? [...element.children].map(boundsOf).filter(Boolean) : [element.getBoundingClientRect()];
  const rects = inner.filter((one) => one.width > 0 && one.height > 0);
  if (!rects.length) return null;
  const [left, top] = [Math.min(...rects.map((one) => one.left)), Math.min(...rects.map((one) => one.top))];
  return { left, top, width: Math.max(...rects.map((one) => one.left + one.width)) - left, height: Math.max(...rects.map((one) => one.top + one.height)) - top };
}

// Lines of a caption that fit into a width.
function wrap(text, width) {
  const most = Math.max(20, Math.floor(width / CAPTION.letter));
  return text.split(/\s+/).reduce((lines, word) => (lines.length && `${lines.at(-1)} ${word}`.length <= most ? [...lines.slice(0, -1), `${lines.at(-1)} ${word}`] : [...lines, word]), []);
}

function drawCaption(text, y, element) {
  const style = getComputedStyle(element);
  return tag("text", { x: MARGIN, y: y + 2, ...paint(style.color), "font-family": style.fontFamily, "font-size": CAPTION.size }, escapeText(text));
}

// The same figure as pixels, at twice its size where a canvas can be so large.
export async function toPixels(svg, scale = 2) {
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const { naturalWidth: width, naturalHeight: height } = image;
    const most = Math.min(scale, 16000 / Math.max(width, height), Math.sqrt(2e8 / (width * height)));
    const copy = document.createElement("canvas");
    [copy.width, copy.height] = [Math.round(width * most), Math.round(height * most)];
    copy.getContext("2d").drawImage(image, 0, 0, copy.width, copy.height);
    const blob = await new Promise((resolve) => copy.toBlob(resolve, "image/png"));
    if (!blob) throw new Error("the figure is too large for a PNG; save it as SVG");
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}

// The first background behind an element that is not transparent.
function groundOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (paint(backgroundColor)?.["fill-opacity"] === null) return backgroundColor;
  }
  return "rgb(255, 255, 255)";
}

function draw(element, drawing) {
  if (element.matches(LEFT_OUT)) return "";
  const style = getComputedStyle(element);
  const opacity = Number(style.opacity);
  const isForReaders = /inset\((50|100)%/.test(style.clipPath);
  if (style.display === "none" || opacity === 0 || isForReaders) return "";
  const rect = element.getBoundingClientRect();
  const isSeen = style.visibility === "visible" && style.display !== "contents";
  const rects = style.display === "inline" ? [...element.getClientRects()] : [rect];
  const boxes = isSeen ? rects.map((one) => drawBox(element, style, one)).join("") : "";
  const special = { canvas: drawCanvas, svg: drawSvg, img: drawImage, input: drawCell }[element.localName];
  let text = boxes;
  if (special) text += isSeen ? special(element, style, rect) : "";
  else {
    if (element.localName === "mfrac" && element.children.length === 2) text += drawFractionBar(element, style, rect);
    if (element.localName === "msqrt") text += drawRoot(element, style, rect);
    const nodes = [...element.childNodes].map((node) => {
      if (node.nodeType === Node.TEXT_NODE) return style.visibility === "visible" ? drawText(node, style) : "";
      return node.nodeType !== Node.ELEMENT_NODE ? "" : draw(node, drawing);
    });
    text += clip(element, style, rect, drawing, nodes.join(""));
  }
  return opacity < 1 && text ? tag("g", { opacity }, text) : text;
}

function clip(element, style, rect, drawing, text) {
  const hides = [style.overflowX, style.overflowY].some((one) => one !== "visible") && element !== document.body;
  const isLarger = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
  if (!text || !hides || !isLarger) return text;
  const id = `clip-${++drawing.clips}`;
  const edge = { x: rect.left + element.clientLeft, y: rect.top + element.clientTop, width: element.clientWidth, height: element.clientHeight };
  drawing.defs += tag("clipPath", { id }, tag("rect", edge));
  return tag("g", { "clip-path": `url(#${id})` }, text);
}

// The background of a box, its border and its outline; borders that differ become lines. The ring of the focus belongs to
// the user, not to the figure.
function drawBox(element, style, { left, top, width, height }) {
  if (width <= 0 || height <= 0) return "";
  const radius = Math.min(parseFloat(style.borderTopLeftRadius) || 0, width / 2, height / 2);
  const outline = (out, attributes) =>
    tag("rect", { x: left - out, y: top - out, width: width + 2 * out, height: height + 2 * out, rx: radius ? radius + out : null, ...attributes });
  const edge = (size, colour, out) => outline(out, { fill: "none", ...paint(colour, "stroke"), "stroke-width": size });
  const ground = paint(style.backgroundColor);
  let text = ground ? outline(0, ground) : "";
  const [a, b, c, d] = ["Top", "Right", "Bottom", "Left"].map((side) => ({
    size: style[`border${side}Style`] === "none" ? 0 : parseFloat(style[`border${side}Width`]), colour: style[`border${side}Color`],
  }));
  if ([b, c, d].every(({ size, colour }) => size === a.size && colour === a.colour)) {
    if (a.size > 0 && paint(a.colour)) text += edge(a.size, a.colour, -a.size / 2);
  } else {
    const [right, bottom] = [left + width, top + height];
    const lines = [[a, left, top, right, top], [b, right, top, right, bottom], [c, left, bottom, right, bottom], [d, left, top, left, bottom]];
    for (const [{ size, colour }, x1, y1, x2, y2] of lines) {
      const ink = size > 0 && paint(colour, "stroke");
      if (ink) text += tag("line", { x1, y1, x2, y2, ...ink, "stroke-width": size });
    }
  }
  const thick = parseFloat(style.outlineWidth);
  if (style.outlineStyle === "solid" && thick > 0 && !element.matches(":focus")) text += edge(thick, style.outlineColor, parseFloat(style.outlineOffset) + thick / 2);
  return text;
}

// A text node line by line, each where its letters lie.
function drawText(node, style) {
  const text = node.data;
  const first = text.search(/\S/);
  if (first < 0) return "";
  const range = document.createRange();
  const rectsOf = (from, to) => {
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  };
  const last = text.trimEnd().length;
  const whole = rectsOf(first, last);
  if (!whole.length) return "";
  if (new Set(whole.map((rect) => Math.round(rect.top))).size === 1) return drawLine(text.slice(first, last), style, whole[0], whole.at(-1));
  const lines = [];
  for (let at = first; at < last; ) {
    const size = text.codePointAt(at) > 0xffff ? 2 : 1;
    const rect = rectsOf(at, at + size).at(-1);
    const old = lines.at(-1);
    if (rect && (!old || Math.abs(rect.top - old.from.top) > rect.height / 2)) lines.push({ text: text.slice(at, at + size), from: rect, to: rect });
    else if (rect) ((old.text += text.slice(at, at + size)), /\S/.test(text[at]) && (old.to = rect));
    else if (old) old.text += text.slice(at, at + size);
    at += size;
  }
  return lines.map((one) => drawLine(one.text, style, one.from, one.to)).join("");
}

// A line of text between two rectangles of letters; its length is kept where another font stands in.
function drawLine(text, style, from, to) {
  const isKept = /^(pre|break-spaces)/.test(style.whiteSpace);
  const plain = isKept ? text.replace(/[\r\n]+/g, "").replaceAll(" ", "\u00a0") : text.replace(/\s+/g, " ").trim();
  const shown = style.textTransform === "uppercase" ? plain.toUpperCase() : plain;
  const ink = paint(style.color);
  if (!ink || !shown.trim()) return "";
  const { up, down } = reachOf(style);
  const length = shown.length > 1 && to.right > from.left ? to.right - from.left : null;
  const isItalic = style.fontStyle !== "normal" || (style.textTransform === "math-auto" && /^\p{L}$/u.test(shown)); // MathML's single letters
  return tag("text", {
    x: from.left, y: from.top + (from.height * up) / (up + down), ...ink, textLength: length, lengthAdjust: length === null ? null : "spacingAndGlyphs",
    "font-family": style.fontFamily, "font-size": parseFloat(style.fontSize), "font-weight": style.fontWeight === "400" ? null : style.fontWeight,
    "font-style": isItalic ? "italic" : null,
  }, escapeText(shown));
}

// How far the letters of a font reach above and below their line.
const reaches = new Map();
function reachOf(style) {
  const font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
  if (!reaches.has(font)) {
    const context = document.createElement("canvas").getContext("2d");
    context.font = font;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = context.measureText("x");
    reaches.set(font, { up, down });
  }
  return reaches.get(font);
}

// A number that can be typed, at the right end of its field.
function drawCell(element, style, rect) {
  const { up, down } = reachOf(style);
  const x = rect.right - parseFloat(style.paddingRight) - parseFloat(style.borderRightWidth);
  const font = { "font-family": style.fontFamily, "font-size": parseFloat(style.fontSize), "text-anchor": "end" };
  return tag("text", { x, y: rect.top + rect.height / 2 + (up - down) / 2, ...paint(style.color), ...font }, escapeText(element.value));
}

// MathML draws these two itself; all else of it is text that lies in boxes.
function drawFractionBar(element, style, rect) {
  const [above, below] = [...element.children].map((child) => child.getBoundingClientRect());
  const y = (above.bottom + below.top) / 2;
  const ink = { ...paint(style.color, "stroke"), "stroke-width": Math.max(1, parseFloat(style.fontSize) / 16) };
  return tag("line", { x1: rect.left + 1, x2: rect.right - 1, y1: y, y2: y, ...ink });
}

function drawRoot(element, style, rect) {
  const inside = element.firstElementChild?.getBoundingClientRect() ?? rect;
  const wide = Math.max(4, inside.left - rect.left);
  const points = [[0, rect.height * 0.6], [wide * 0.25, rect.height * 0.54], [wide * 0.6, rect.height], [wide, 1], [rect.width, 1]];
  const path = points.map(([x, y]) => `${round(rect.left + x)},${round(rect.top + y)}`).join(" ");
  return tag("polyline", { points: path, fill: "none", ...paint(style.color, "stroke"), "stroke-width": 1 });
}

// A canvas as rectangles where it says what its cells are and they are few; embedded as an image otherwise.
function drawCanvas(element, style, rect) {
  const { cells } = element;
  if (!cells || cells.rows * cells.columns > MAX_RECTANGLES) return embed(element.toDataURL("image/png"), style, rect);
  const [wide, high] = [rect.width / cells.columns, rect.height / cells.rows];
  let text = "";
  for (let r = 0; r < cells.rows; r++) {
    for (let c = 0, next; c < cells.columns; c = next) {
      const colour = cells.colour(r, c);
      for (next = c + 1; next < cells.columns && cells.colour(r, next) === colour; ) next++;
      // A little too large, except at the end: the next one covers it, and no hair of the ground shows between them.
      const [more, lower] = [next < cells.columns ? wide / 2 : 0, r < cells.rows - 1 ? high / 2 : 0];
      text += tag("rect", { x: rect.left + c * wide, y: rect.top + r * high, width: (next - c) * wide + more, height: high + lower, ...paint(colour) });
    }
  }
  return tag("g", { "shape-rendering": "crispEdges" }, text);
}

function drawImage(element, style, rect) {
  if (!element.complete || !element.naturalWidth) return "";
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [element.naturalWidth, element.naturalHeight];
  copy.getContext("2d").drawImage(element, 0, 0);
  return embed(copy.toDataURL("image/png"), style, rect);
}

const embed = (data, style, { left, top, width, height }) =>
  data.length < 10 ? "" : tag("image", {
    x: left, y: top, width, height, preserveAspectRatio: "none", "xlink:href": data,
    "image-rendering": style.imageRendering === "auto" ? null : style.imageRendering,
  });

// The properties that children inherit, and their initial values.
const INITIAL = {
  fill: "#000000", "fill-opacity": "1", stroke: "none", "stroke-opacity": "1", "stroke-width": "1px", "stroke-dasharray": "none",
  "stroke-linecap": "butt", "stroke-linejoin": "miter", "text-anchor": "start", "dominant-baseline": "auto", "paint-order": "normal",
  "shape-rendering": "auto", "font-style": "normal", "font-weight": "400", "font-family": null, "font-size": null,
};
const DROPPED = /^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;

// A drawing of the page, with its computed style written into it.
function drawSvg(element, style, rect) {
  const [viewBox, preserveAspectRatio] = ["viewBox", "preserveAspectRatio"].map((name) => element.getAttribute(name));
  const overflow = style.overflow === "visible" ? "visible" : "hidden";
  const frame = { x: rect.left, y: rect.top, width: rect.width, height: rect.height, viewBox, preserveAspectRatio, overflow };
  return tag("svg", frame, [...element.childNodes].map((node) => copyNode(node, INITIAL)).join(""));
}

function copyNode(node, above) {
  if (node.nodeType === Node.TEXT_NODE) return escapeText(node.data.replace(/\s+/g, " "));
  if (node.nodeType !== Node.ELEMENT_NODE || ["foreignObject", "script", "style", "animate"].includes(node.localName)) return "";
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden") return "";
  const attributes = {};
  for (const { name, value } of node.attributes) {
    if (!DROPPED.test(name) || (/^(width|height)$/.test(name) && node.localName !== "svg")) attributes[name] = value;
  }
  const here = { ...above };
  for (const name of Object.keys(INITIAL)) {
    delete attributes[name];
    const value = /^(fill|stroke)$/.test(name) ? colourOf(style[name]) : style.getPropertyValue(name);
    if (value !== above[name]) attributes[name] = here[name] = value;
  }
  if (Number(style.opacity) < 1) attributes.opacity = style.opacity;
  if (style.transform !== "none" && !node.hasAttribute("transform")) attributes.transform = style.transform.replace(/px/g, "");
  if (node.localName === "svg") Object.assign(attributes, { width: node.getAttribute("width"), height: node.getAttribute("height") });
  const inner = [...node.childNodes].map((child) => copyNode(child, here)).join("");
  return tag(node.localName === "a" ? "g" : node.localName, attributes, inner);
}

function colourOf(value) {
  if (value === "none" || value.startsWith("url(")) return value.replaceAll('"', "");
  const found = paint(value);
  return !found ? "none" : found["fill-opacity"] ? value : found.fill;
}

// A colour and its opacity apart, as tools other than browsers want them; nothing where it is transparent.
function paint(colour, name = "fill") {
  const found = /^rgba?\(([\d.]+),? ([\d.]+),? ([\d.]+)(?:,? ?\/? ?([\d.]+%?))?\)$/.exec(colour);
  if (!found) return colour && colour !== "none" && colour !== "transparent" ? { [name]: solidColour(colour) } : null;
  const opacity = found[4] === undefined ? 1 : found[4].endsWith("%") ? parseFloat(found[4]) / 100 : Number(found[4]);
  if (opacity === 0) return null;
  const hex = found.slice(1, 4).map((one) => Math.round(Number(one)).toString(16).padStart(2, "0")).join("");
  return { [name]: `#${hex}`, [`${name}-opacity`]: opacity < 1 ? opacity : null };
}

// Other colour spaces (color-mix gives them) as a pixel has them.
let pixel = null;
function solidColour(colour) {
  pixel ??= Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
  pixel.clearRect(0, 0, 1, 1);
  pixel.fillStyle = colour;
  pixel.fillRect(0, 0, 1, 1);
  const [r, g, b] = pixel.getImageData(0, 0, 1, 1).data;
  return `#${[r, g, b].map((value) => value.toString(16).padStart(2, "0")).join("")}`;
}

// A tag. Attributes that are null are left out, and numbers are written short.
function tag(name, attributes = {}, inner = "") {
  let text = `<${name}`;
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== "") text += ` ${key}="${escapeText(typeof value === "number" ? round(value) : value)}"`;
  }
  return inner === "" ? `${text}/>` : `${text}>${inner}</${name}>`;
}

const round = (value) => String(Math.round(value * 100) / 100);

// XML's own characters, without those that XML cannot hold at all.
const escapeText = (text) =>
  String(text)
    .replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, "")
    .replace(/[&<>"]/g, (one) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[one]);
