// Maps as they come from the library: bytes become weights, and the last few responses are cached.
import { useEffect, useMemo, useRef, useState } from "../vendor/preact.js";
import { isAborted } from "../client.js";

const ROOM = 24 * 2 ** 20; // bytes of cached tiles
const GONE = "these maps are no longer in memory";

// The weights of a tile; bytes are 255 times their roots.
export function weightsOf({ header, data, offset }) {
  const count = header.shape[0] * header.shape[1];
  if (header.type === "float32") return new Float32Array(data, offset, count);
  if (header.type === "float16") return new Float32Array(new Float16Array(data, offset, count));
  const [bytes, weights] = [new Uint8Array(data, offset, count), new Float32Array(count)];
  for (let i = 0; i < count; i++) weights[i] = (bytes[i] / 255) ** 2;
  return weights;
}

// The latest responses, up to so many bytes.
class Cache {
  responses = new Map();
  size = 0;
  get(key) {
    const found = this.responses.get(key);
    if (found) (this.responses.delete(key), this.responses.set(key, found));
    return found;
  }
  put(key, response) {
    this.responses.set(key, response);
    this.size += response.data.byteLength;
    for (const [old, one] of this.responses) {
      if (this.size <= ROOM || this.responses.size === 1) break;
      this.responses.delete(old);
      this.size -= one.data.byteLength;
    }
  }
}

// The response to a request about maps, from the cache where it is there; meanwhile the last one of the same maps stays.
// Where the library has dropped the maps, they are computed again by the request `maps`.
export function useNumbers(ask, name, request, maps) {
  const last = useRef(null);
  last.current ??= new Cache();
  const shown = useRef({ response: null, of: null });
  const failed = useRef({ of: null, error: null });
  const [, setCount] = useState(0);
  const again = () => setCount((count) => count + 1);
  const text = request && JSON.stringify(request);
  const found = text && last.current.get(text);
  if (found) shown.current = { response: found, of: request.key };
  else if (request && shown.current.of !== request.key) shown.current = { response: null, of: null };
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
        (response) => (last.current.put(text, response), again()),
        (error) => isAborted(error) || ((failed.current = { of: text, error: error.message }), again()),
      );
    return () => control.abort();
  }, [ask, name, text]);
  const error = failed.current.of === text ? failed.current.error : null;
  return { response: text && !error ? shown.current.response : null, error, waiting: Boolean(text) && !found && !error };
}

// A head, or a part of one: its header and its weights.
export function useTile(ask, request, maps) {
  const { response, error, waiting } = useNumbers(ask, "tile", request, maps);
  const weights = useMemo(() => response && weightsOf(response), [response]);
  return { tile: response && { ...response.header, weights }, error, waiting };
}

// The thumbnails of a kind: by layer and head { bytes, rows, columns, limit }.
export function useThumbs(ask, request, maps) {
  const { response, error, waiting } = useNumbers(ask, "overview", request, maps);
  const thumbs = useMemo(() => {
    if (!response) return null;
    let at = response.offset;
    return response.header.shapes.map(([heads, rows, columns], layer) =>
      Array.from({ length: heads }, (_, head) => {
        const bytes = new Uint8Array(response.data, at, rows * columns);
        at += rows * columns;
        return { bytes, rows, columns, limit: response.header.limits[layer][head] };
      }),
    );
  }, [response]);
  return { thumbs, error, waiting };
}

// The picture that a model sees, as ImageData.
export function usePicture(ask, request, maps) {
  const { response } = useNumbers(ask, "picture", request, maps);
  return useMemo(() => {
    if (!response) return null;
    const { height, width } = response.header;
    const colours = new Uint8Array(response.data, response.offset, 3 * height * width);
    const image = new ImageData(width, height);
    for (let i = 0; i < height * width; i++) {
      for (let c = 0; c < 3; c++) image.data[4 * i + c] = colours[3 * i + c];
      image.data[4 * i + 3] = 255;
    }
    return image;
  }, [response]);
}

// The positions of the largest weights of a row.
export function strongest(row, count = 8) {
  const order = Array.from(row.keys()).sort((a, b) => row[b] - row[a]);
  return order.slice(0, count).filter((place) => row[place] > 0);
}
