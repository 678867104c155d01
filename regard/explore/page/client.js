// How a view talks to the library. Views know one interface, that of Jupyter's widgets: model.get, set, on,
// save_changes, send. In a notebook Jupyter gives the model; here are the page's, which sends requests over HTTP, and that
// of a saved file, which looks responses up.
import { useEffect, useRef, useState } from "./vendor/preact.js";

// The function that asks: ask(endpoint, request, { signal }) promises the response, or { header, data, offset } for
// numbers. A model has one: a view that is left and opened again must not take the responses of its earlier self.
export function asker(model) {
  if (!askers.has(model)) askers.set(model, makeAsker(model));
  return askers.get(model);
}

const askers = new WeakMap();

function makeAsker(model) {
  const waiting = new Map();
  const own = Math.random().toString(36).slice(2); // in a notebook, other views hear the responses to the same model too
  let last = 0;
  model.on("msg:custom", (content, buffers) => {
    const one = waiting.get(content?.id);
    if (!one) return;
    waiting.delete(content.id);
    if (content.error !== undefined) one.reject(Object.assign(new Error(content.error), { status: content.status }));
    else one.resolve(buffers?.length ? unpack(buffers[0]) : content.response);
  });
  return (name, request = {}, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted());
      const id = `${own}-${++last}`;
      waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        model.send({ id, cancel: true });
        reject(aborted());
      });
      model.send({ id, name, request });
    });
}

const aborted = () => new DOMException("nobody waits for it any more", "AbortError");
export const isAborted = (error) => error?.name === "AbortError";

// The opposite of `Binary.pack`: the header's length, the header, the bytes.
export function unpack(buffer) {
  const view = buffer instanceof DataView ? buffer : new DataView(buffer.buffer ?? buffer, buffer.byteOffset ?? 0);
  const length = view.getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + 4, length)));
  // Typed arrays need bytes at multiples of 8: a copy where they are not.
  const start = view.byteOffset + 4 + length;
  const data = start % 8 ? view.buffer.slice(start, view.byteOffset + view.byteLength) : view.buffer;
  const packed = new Uint8Array(view.buffer, view.byteOffset, view.byteLength); // for a saved file
  return { header, data, offset: start % 8 ? 0 : start, packed };
}

class Emitter {
  constructor(state) {
    this.state = state;
    this.listeners = new Map();
  }
  get(name) {
    return this.state[name];
  }
  set(name, value) {
    if (this.state[name] === value) return;
    this.state[name] = value;
    this.emit(`change:${name}`, value);
  }
  save_changes() {}
  on(event, listener) {
    this.listeners.set(event, [...(this.listeners.get(event) ?? []), listener]);
  }
  off(event, listener) {
    this.listeners.set(event, (this.listeners.get(event) ?? []).filter((one) => listener && one !== listener));
  }
  emit(event, ...args) {
    for (const listener of this.listeners.get(event) ?? []) listener(...args);
  }
}

// The model of the page: it sends every request over HTTP, and aborts a cancelled one.
export class PageModel extends Emitter {
  running = new Map();
  async send({ id, name, request, cancel }) {
    if (cancel) return this.running.get(id)?.abort();
    const control = new AbortController();
    this.running.set(id, control);
    try {
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify(request);
      const answer = await fetch(`api/${name}`, { method: "POST", headers, body, signal: control.signal });
      if (answer.headers.get("content-type")?.startsWith("application/octet-stream")) {
        this.emit("msg:custom", { id }, [await answer.arrayBuffer()]);
      } else {
        const response = await answer.json();
        if (answer.ok) this.emit("msg:custom", { id, response });
        else this.emit("msg:custom", { id, error: response.error ?? "the server failed", status: answer.status });
      }
    } catch (error) {
      if (!isAborted(error)) this.emit("msg:custom", { id, error: "the server does not respond; is it still running?" });
    } finally {
      this.running.delete(id);
    }
  }
}

// The model of a saved file, with the responses that were recorded into it: [[endpoint, request, response], …]; numbers
// are base64.
export class SavedModel extends Emitter {
  constructor(state, answers) {
    super(state);
    this.answers = new Map(answers.map(([name, request, response]) => [keyOf(name, request), response]));
  }
  send({ id, name, request, cancel }) {
    if (cancel) return;
    const found = this.answers.get(keyOf(name, request));
    queueMicrotask(() => {
      if (found === undefined) {
        this.emit("msg:custom", { id, error: "the saved file does not hold this; run regard explore to see it", status: 404 });
      } else if (typeof found === "string") {
        this.emit("msg:custom", { id }, [fromBase64(found).buffer]);
      } else this.emit("msg:custom", { id, response: found });
    });
  }
}

const keyOf = (name, request) => `${name} ${JSON.stringify(sortKeys(request))}`;
const sortKeys = (value) =>
  Array.isArray(value)
    ? value.map(sortKeys)
    : value && typeof value === "object"
      ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, sortKeys(value[name])]))
      : value;

export function fromBase64(text) {
  const letters = atob(text);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i++) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

export function toBase64(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; i += 32768) parts.push(String.fromCharCode(...bytes.subarray(i, i + 32768)));
  return btoa(parts.join(""));
}

// The response to a request, sent again whenever it changes; null sends nothing. Meanwhile the last response stays, so
// that nothing flickers; a request that is overtaken is cancelled. `of` is the request that was answered, as JSON; a
// response is stale while it answers another request than this one.
export function useAnswer(ask, name, request) {
  const text = request === null || request === undefined ? null : JSON.stringify(request);
  const [found, setFound] = useState({ response: null, error: null, waiting: text !== null, of: null });
  useEffect(() => {
    if (text === null) {
      setFound((old) => (old.waiting ? { ...old, waiting: false } : old));
      return;
    }
    const control = new AbortController();
    setFound((old) => ({ ...old, waiting: true }));
    ask(name, JSON.parse(text), { signal: control.signal }).then(
      (response) => setFound({ response, error: null, waiting: false, of: text }),
      (error) => isAborted(error) || setFound((old) => ({ ...old, error: error.message, waiting: false })),
    );
    return () => control.abort();
  }, [ask, name, text]);
  return { ...found, stale: isStale(found, text) };
}

const isStale = ({ response, error, of }, text) => response !== null && error === null && text !== null && of !== text;

// The same for what changes many times a second, as a slider does: one request is under way, and of those that come
// meanwhile only the latest is sent next, so that responses keep coming while the hand moves.
export function useLatest(ask, name, request) {
  const text = request === null || request === undefined ? null : JSON.stringify(request);
  const [found, setFound] = useState({ response: null, error: null, waiting: text !== null, of: null });
  const line = useRef({ busy: false, next: null, here: true });
  useEffect(() => {
    line.current.here = true;
    return () => (line.current.here = false);
  }, []);
  useEffect(() => {
    if (text === null) return;
    const own = line.current;
    const go = async (wanted) => {
      own.busy = true;
      own.next = null;
      try {
        const response = await ask(name, JSON.parse(wanted));
        if (own.here) setFound({ response, error: null, waiting: own.next !== null, of: wanted });
      } catch (error) {
        if (own.here && !isAborted(error)) setFound((old) => ({ ...old, error: error.message, waiting: false }));
      }
      own.busy = false;
      if (own.next !== null && own.here) go(own.next);
    };
    if (own.busy) own.next = text;
    else go(text);
  }, [ask, name, text]);
  return { ...found, stale: isStale(found, text) };
}
