// An element as it is seen, as one SVG that stands alone: boxes, lines of text, controls, matrices as rectangles.
// Nothing of the page is inside it (no foreignObject, no style sheet), so that browsers and drawing programs read it.
import { box, control, escaped, line, outline, paint, reach, round, tag, trace } from "./shapes.js";

const SMALL = 4096; // cells of a matrix that become rectangles; a larger one is a picture in the picture
const MARGIN = 16; // around what is pictured
const LEFT_OUT = "[data-unpictured], script, style, noscript, template, title, dialog:not([open])";

export function picture(element, title = "") {
  const frame = element.getBoundingClientRect();
  const [width, height] = [Math.ceil(frame.width) + 2 * MARGIN, Math.ceil(frame.height) + 2 * MARGIN];
  const drawing = { clips: 0, defs: "" };
  const ground = paint(groundOf(element)) ?? { fill: "#ffffff" };
  const inner = tag("g", { transform: `translate(${round(MARGIN - frame.left)},${round(MARGIN - frame.top)})` }, drawn(element, drawing));
  return `<?xml version="1.0" encoding="UTF-8"?>\n${tag(
    "svg",
    { xmlns: "http://www.w3.org/2000/svg", "xmlns:xlink": "http://www.w3.org/1999/xlink", width, height, viewBox: `0 0 ${width} ${height}` },
    `${tag("title", {}, escaped(title) || " ")}${drawing.defs && tag("defs", {}, drawing.defs)}${tag("rect", { width, height, ...ground })}${inner}`,
  )}\n`;
}

// The first background behind an element that is not transparent.
function groundOf(element) {
  for (let at = element; at; at = at.parentElement) {
    const { backgroundColor } = getComputedStyle(at);
    if (paint(backgroundColor)?.["fill-opacity"] === null) return backgroundColor;
  }
  return "rgb(255, 255, 255)";
}

function drawn(element, drawing) {
  if (element.matches(LEFT_OUT)) return "";
  const style = getComputedStyle(element);
  const opacity = Number(style.opacity);
  if (style.display === "none" || opacity === 0 || unseen(style)) return "";
  const rect = element.getBoundingClientRect();
  const isSeen = style.visibility === "visible";
  const inner = style.display === "contents" ? "" : isSeen ? own(element, style, rect) : "";
  const isWhole = ["svg", "canvas", "img", "input", "select", "textarea", "progress", "meter", "video", "iframe"].includes(element.localName);
  const text = inner + (isWhole ? "" : clipped(element, style, rect, drawing, children(element, style, isSeen, drawing)));
  return opacity < 1 && text ? tag("g", { opacity }, text) : text;
}

// Words that are there for screen readers alone.
const unseen = (style) => /inset\((50|100)%/.test(style.clipPath) || /rect\(0px,? 0px,? 0px,? 0px\)/.test(style.clip);

// What an element itself paints: its box on each line that it lies on, and what is special about it.
function own(element, style, rect) {
  const rects = style.display === "inline" ? [...element.getClientRects()] : [rect];
  const boxes = isNative(element) ? "" : rects.map((one) => box(focusless(element, style), one)).join("");
  const kind = element.localName;
  if (kind === "canvas") return boxes + canvas(element, style, rect);
  if (kind === "svg") return boxes + nested(element, style, rect);
  if (kind === "img") return boxes + image(element, style, rect);
  if (["input", "select", "textarea", "progress", "meter"].includes(kind)) return boxes + control(element, style, rect);
  if (kind === "mfrac" && element.children.length === 2) return boxes + bar(element, style, rect);
  if (kind === "msqrt") return boxes + root(element, style, rect);
  if (style.display.includes("list-item")) return boxes + bullet(element, style, rect);
  return boxes;
}

const isNative = (element) => ["range", "checkbox", "radio"].includes(element.type);

// The ring of the focus belongs to the one who looks, not to the picture.
const focusless = (element, style) =>
  element.matches(":focus") ? new Proxy(style, { get: (of, name) => (name === "outlineStyle" ? "none" : of[name]) }) : style;

// Children in the order in which they are painted: those that were lifted come last.
function children(element, style, isSeen, drawing) {
  const nodes = [...element.childNodes].map((node) => {
    if (node.nodeType === Node.TEXT_NODE) return [0, isSeen ? words(node, style) : ""];
    if (node.nodeType !== Node.ELEMENT_NODE) return [0, ""];
    if (element.localName === "details" && !element.open && node.localName !== "summary") return [0, ""];
    const { position, zIndex } = getComputedStyle(node);
    return [position === "static" || zIndex === "auto" ? 0 : Number(zIndex), drawn(node, drawing)];
  });
  return nodes.sort(([a], [b]) => a - b).map(([, text]) => text).join("");
}

function clipped(element, style, rect, drawing, text) {
  const hides = [style.overflowX, style.overflowY].some((one) => one !== "visible") && element !== document.body;
  const isLarger = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1;
  if (!text || !hides || !isLarger) return text;
  const id = `clip-${++drawing.clips}`;
  const edge = [rect.left + element.clientLeft, rect.top + element.clientTop, element.clientWidth, element.clientHeight];
  drawing.defs += tag("clipPath", { id }, outline(...edge, [0, 0, 0, 0], {}));
  return tag("g", { "clip-path": `url(#${id})` }, text);
}

// A text node line by line, each where its letters lie.
function words(node, style) {
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
  if (new Set(whole.map((rect) => Math.round(rect.top))).size === 1) return laid(text.slice(first, last), style, whole[0], whole.at(-1));
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
  return lines.map((one) => laid(one.text, style, one.from, one.to)).join("");
}

const CASES = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) => text.replace(/(^|\s)\S/g, (one) => one.toUpperCase()),
};

function laid(text, style, from, to) {
  const kept = /^(pre|break-spaces)/.test(style.whiteSpace);
  const plain = kept ? text.replace(/[\r\n]+/g, "") : text.replace(/\s+/g, " ").trim();
  const cased = CASES[style.textTransform]?.(plain) ?? plain;
  const { up, down } = reach(style);
  // A rectangle around letters is as high as the font; the baseline divides it as the font does.
  const baseline = from.top + (from.height * up) / (up + down);
  const length = to.right - from.left;
  // MathML writes single letters in italics.
  const italic = style.textTransform === "math-auto" && /^\p{L}$/u.test(cased);
  return line(cased, style, from.left, baseline, { length: cased.length > 1 && length > 0 ? length : null, italic });
}

function bullet(element, style, rect) {
  if (style.listStyleType.startsWith("disclosure")) {
    const [x, y, size] = [rect.left + parseFloat(style.paddingLeft), rect.top + rect.height / 2, parseFloat(style.fontSize) * 0.3];
    const path = style.listStyleType === "disclosure-open"
      ? trace`M${x},${y - size / 2}h${2 * size}l${-size},${1.4 * size}z`
      : trace`M${x},${y - size}v${2 * size}l${1.4 * size},${-size}z`;
    return tag("path", { d: path, ...paint(style.color) });
  }
  const number = [...element.parentElement.children].indexOf(element) + (element.parentElement.start ?? 1);
  const sign = { disc: "•", circle: "◦", square: "▪", decimal: `${number}.` }[style.listStyleType];
  const text = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  if (!sign || !text || style.listStylePosition === "inside") return "";
  const range = document.createRange();
  range.selectNodeContents(text);
  const [first] = range.getClientRects();
  if (!first) return "";
  const { up, down } = reach(style);
  return line(sign, style, first.left - 7, first.top + (first.height * up) / (up + down), { anchor: "end" });
}

// MathML draws these two itself; all else of it is text that lies in boxes.
function bar(element, style, rect) {
  const [above, below] = [...element.children].map((child) => child.getBoundingClientRect());
  const y = (above.bottom + below.top) / 2;
  const ink = { ...paint(style.color, "stroke"), "stroke-width": Math.max(1, parseFloat(style.fontSize) / 16) };
  return tag("line", { x1: rect.left + 1, x2: rect.right - 1, y1: y, y2: y, ...ink });
}

function root(element, style, rect) {
  const inside = element.firstElementChild?.getBoundingClientRect() ?? rect;
  const wide = Math.max(4, inside.left - rect.left);
  const path = trace`M${rect.left},${rect.top + rect.height * 0.6}l${wide * 0.25},${-rect.height * 0.06}` +
    trace`L${rect.left + wide * 0.6},${rect.bottom}L${rect.left + wide},${rect.top + 1}H${rect.right}`;
  return tag("path", { d: path, fill: "none", ...paint(style.color, "stroke"), "stroke-width": 1 });
}

// A canvas as rectangles where it says what its cells are and they are few; as a picture otherwise.
function canvas(element, style, rect) {
  const { cells } = element;
  if (!cells || cells.rows * cells.columns > SMALL) return embedded(element.toDataURL("image/png"), style, rect);
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

function image(element, style, rect) {
  if (!element.complete || !element.naturalWidth) return line(element.alt, style, rect.left, rect.top + reach(style).up);
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [element.naturalWidth, element.naturalHeight];
  copy.getContext("2d").drawImage(element, 0, 0);
  try {
    return embedded(copy.toDataURL("image/png"), style, rect);
  } catch {
    return line(element.alt, style, rect.left, rect.top + reach(style).up); // a picture of another host may not be read
  }
}

const embedded = (data, style, { left, top, width, height }) =>
  data.length < 10 ? "" : tag("image", {
    x: left, y: top, width, height, preserveAspectRatio: "none", "xlink:href": data,
    "image-rendering": style.imageRendering === "auto" ? null : style.imageRendering,
  });

// What children take over from their parents, and what it is where nobody says.
const START = {
  fill: "#000000", "fill-opacity": "1", stroke: "none", "stroke-opacity": "1", "stroke-width": "1px", "stroke-dasharray": "none",
  "stroke-linecap": "butt", "stroke-linejoin": "miter", "text-anchor": "start", "dominant-baseline": "auto", "paint-order": "normal",
  "shape-rendering": "auto", "font-style": "normal", "font-weight": "400", "font-family": null, "font-size": null,
};
const DROPPED = /^(on|aria-|data-|class$|style$|role$|tabindex$|focusable$|width$|height$|xmlns)/;

// An SVG inside the page, with what the style sheets say about it written into it.
function nested(element, style, rect) {
  const [viewBox, preserveAspectRatio] = ["viewBox", "preserveAspectRatio"].map((name) => element.getAttribute(name));
  const overflow = style.overflow === "visible" ? "visible" : "hidden";
  const frame = { x: rect.left, y: rect.top, width: rect.width, height: rect.height, viewBox, preserveAspectRatio, overflow };
  return tag("svg", frame, [...element.childNodes].map((node) => copied(node, START)).join(""));
}

function copied(node, above) {
  if (node.nodeType === Node.TEXT_NODE) return escaped(node.data.replace(/\s+/g, " "));
  if (node.nodeType !== Node.ELEMENT_NODE || ["foreignObject", "script", "style", "animate"].includes(node.localName)) return "";
  const style = getComputedStyle(node);
  if (style.display === "none" || style.visibility === "hidden") return "";
  const attributes = {};
  for (const { name, value } of node.attributes) {
    if (!DROPPED.test(name) || (/^(width|height)$/.test(name) && node.localName !== "svg")) attributes[name] = value;
  }
  const here = { ...above };
  for (const name of Object.keys(START)) {
    delete attributes[name];
    const value = /^(fill|stroke)$/.test(name) ? colour(style[name]) : style.getPropertyValue(name);
    if (value !== above[name]) attributes[name] = here[name] = value;
  }
  if (Number(style.opacity) < 1) attributes.opacity = style.opacity;
  if (style.transform !== "none" && !node.hasAttribute("transform")) attributes.transform = style.transform.replace(/px/g, "");
  if (node.localName === "svg") Object.assign(attributes, { width: node.getAttribute("width"), height: node.getAttribute("height") });
  const inner = [...node.childNodes].map((child) => copied(child, here)).join("");
  return tag(node.localName === "a" ? "g" : node.localName, attributes, inner);
}

function colour(value) {
  if (value === "none" || value.startsWith("url(")) return value.replaceAll('"', "");
  const found = paint(value);
  return !found ? "none" : found["fill-opacity"] ? value : found.fill;
}

// The same picture as pixels, at twice its size where a canvas can be so large.
export async function pixels(text, scale = 2) {
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
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
    if (!blob) throw new Error("the picture is too large to be made");
    return blob;
  } finally {
    URL.revokeObjectURL(url);
  }
}
