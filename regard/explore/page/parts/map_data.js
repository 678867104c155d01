// Maps as they come from the library: bytes that become weights, and the last few of them at hand.
import { useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { isAborted } from "../model.js";

const ROOM = 24 * 2 ** 20; // bytes of tiles that are kept
const GONE = "these maps are no longer kept";

// All 65,536 numbers of float16.
let halves = null;
function half() {
  if (halves) return halves;
  halves = new Float32Array(65536);
  for (let bits = 0; bits < 65536; bits++) {
    const [sign, exponent, rest] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    halves[bits] = sign * (exponent === 31 ? (rest ? NaN : Infinity) : exponent ? 2 ** (exponent - 15) * (1 + rest / 1024) : 2 ** -14 * (rest / 1024));
  }
  return halves;
}

// The weights of a tile; bytes are 255 times their roots.
export function weightsOf({ head, data, offset }) {
  const count = head.shape[0] * head.shape[1];
  if (head.type === "float32") return new Float32Array(data, offset, count);
  const found = new Float32Array(count);
  if (head.type === "uint8") {
    const bytes = new Uint8Array(data, offset, count);
    for (let i = 0; i < count; i++) found[i] = (bytes[i] / 255) ** 2;
  } else {
    const table = half();
    const bits = new Uint16Array(data, offset, count);
    for (let i = 0; i < count; i++) found[i] = table[bits[i]];
  }
  return found;
}

// What was asked last, up to so many bytes.
class Last {
  replies = new Map();
  size = 0;
  get(key) {
    const found = this.replies.get(key);
    if (found) (this.replies.delete(key), this.replies.set(key, found));
    return found;
  }
  put(key, reply) {
    this.replies.set(key, reply);
    this.size += reply.data.byteLength;
    for (const [old, one] of this.replies) {
      if (this.size <= ROOM || this.replies.size === 1) break;
      this.replies.delete(old);
      this.size -= one.data.byteLength;
    }
  }
}

// The numbers that answer a question about maps, from those at hand where they are; meanwhile the last ones of the same
// maps stay. Where the library has forgotten the maps, they are computed anew: `maps` is what was asked for them.
export function useNumbers(ask, name, asked, maps) {
  const last = useRef(null);
  last.current ??= new Last();
  const shown = useRef({ reply: null, of: null });
  const failed = useRef({ of: null, error: null });
  const [, setCount] = useState(0);
  const again = () => setCount((count) => count + 1);
  const text = asked && JSON.stringify(asked);
  const found = text && last.current.get(text);
  if (found) shown.current = { reply: found, of: asked.key };
  else if (asked && shown.current.of !== asked.key) shown.current = { reply: null, of: null };
  useEffect(() => {
    if (!text || last.current.get(text)) return;
    const control = new AbortController();
    const go = () => ask(name, JSON.parse(text), { signal: control.signal });
    go()
      .catch(async (error) => {
        if (!error.message?.startsWith(GONE)) throw error;
        await ask("maps", maps, { signal: control.signal });
        return go();
      })
      .then(
        (reply) => (last.current.put(text, reply), again()),
        (error) => isAborted(error) || ((failed.current = { of: text, error: error.message }), again()),
      );
    return () => control.abort();
  }, [ask, name, text]);
  const error = failed.current.of === text ? failed.current.error : null;
  return { reply: text && !error ? shown.current.reply : null, error, waiting: Boolean(text) && !found && !error };
}

// A head, or a part of one: its head and its weights.
export function useTile(ask, asked, maps) {
  const { reply, error, waiting } = useNumbers(ask, "tile", asked, maps);
  const weights = useMemo(() => reply && weightsOf(reply), [reply]);
  return { tile: reply && { ...reply.head, weights }, error, waiting };
}

// The small pictures of a kind: by layer and head { bytes, rows, columns, limit }.
export function useThumbs(ask, asked, maps) {
  const { reply, error, waiting } = useNumbers(ask, "overview", asked, maps);
  const thumbs = useMemo(() => {
    if (!reply) return null;
    let at = reply.offset;
    return reply.head.shapes.map(([heads, rows, columns], layer) =>
      Array.from({ length: heads }, (_, head) => {
        const bytes = new Uint8Array(reply.data, at, rows * columns);
        at += rows * columns;
        return { bytes, rows, columns, limit: reply.head.limits[layer][head] };
      }),
    );
  }, [reply]);
  return { thumbs, error, waiting };
}

// The picture that a model sees, as ImageData.
export function usePicture(ask, asked, maps) {
  const { reply } = useNumbers(ask, "picture", asked, maps);
  return useMemo(() => {
    if (!reply) return null;
    const { height, width } = reply.head;
    const colours = new Uint8Array(reply.data, reply.offset, 3 * height * width);
    const image = new ImageData(width, height);
    for (let i = 0; i < height * width; i++) {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = colours[3 * i + c];
      image.data[4 * i + 3] = 255;
    }
    return image;
  }, [reply]);
}

// The largest weights of a row, by their places.
export function strongest(row, count = 8) {
  const order = Array.from(row.keys()).sort((a, b) => row[b] - row[a]);
  return order.slice(0, count).filter((place) => row[place] > 0);
}
