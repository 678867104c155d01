// How a view asks. Views know one interface, that of Jupyter's widgets: model.get, set, on, save_changes, send. In a
// notebook Jupyter gives the model; here are the page's, which asks over HTTP, and that of a saved file, which remembers.

// Ask a question by its name; the promise has the reply, or { head, data } for numbers. An AbortSignal cancels it.
// A model has one asker: a view that is left and opened again must not take the answers of its earlier self.
export function asker(model) {
  if (!askers.has(model)) askers.set(model, made(model));
  return askers.get(model);
}

const askers = new WeakMap();

function made(model) {
  const waiting = new Map();
  const own = Math.random().toString(36).slice(2); // in a notebook, others hear the answers to the same model too
  let last = 0;
  model.on("msg:custom", (content, buffers) => {
    const one = waiting.get(content?.id);
    if (!one) return;
    waiting.delete(content.id);
    if (content.error !== undefined) one.reject(Object.assign(new Error(content.error), { status: content.status }));
    else one.resolve(buffers?.length ? unpacked(buffers[0]) : content.reply);
  });
  return (name, asked = {}, { signal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(aborted());
      const id = `${own}-${++last}`;
      waiting.set(id, { resolve, reject });
      signal?.addEventListener("abort", () => {
        if (!waiting.delete(id)) return;
        model.send({ id, cancel: true });
        reject(aborted());
      });
      model.send({ id, name, asked });
    });
}

const aborted = () => new DOMException("nobody waits for it any more", "AbortError");
export const isAborted = (error) => error?.name === "AbortError";

// What `Binary.packed` has packed: the head's length, the head, the bytes.
export function unpacked(buffer) {
  const view = buffer instanceof DataView ? buffer : new DataView(buffer.buffer ?? buffer, buffer.byteOffset ?? 0);
  const length = view.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(view.buffer, view.byteOffset + 4, length)));
  // A copy where the bytes do not lie as typed arrays want them.
  const start = view.byteOffset + 4 + length;
  const data = start % 8 ? view.buffer.slice(start, view.byteOffset + view.byteLength) : view.buffer;
  const packed = new Uint8Array(view.buffer, view.byteOffset, view.byteLength); // for a saved file
  return { head, data, offset: start % 8 ? 0 : start, packed };
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

// The model of the page: every question is a request, and a cancelled one is dropped.
export class PageModel extends Emitter {
  running = new Map();
  async send({ id, name, asked, cancel }) {
    if (cancel) return this.running.get(id)?.abort();
    const control = new AbortController();
    this.running.set(id, control);
    try {
      const headers = { "Content-Type": "application/json" };
      const body = JSON.stringify(asked);
      const response = await fetch(`api/${name}`, { method: "POST", headers, body, signal: control.signal });
      if (response.headers.get("content-type")?.startsWith("application/octet-stream")) {
        this.emit("msg:custom", { id }, [await response.arrayBuffer()]);
      } else {
        const reply = await response.json();
        if (response.ok) this.emit("msg:custom", { id, reply });
        else this.emit("msg:custom", { id, error: reply.error ?? "the server failed", status: response.status });
      }
    } catch (error) {
      if (!isAborted(error)) this.emit("msg:custom", { id, error: "the server does not answer; is it still running?" });
    } finally {
      this.running.delete(id);
    }
  }
}

// The model of a saved file: it knows the answers that were recorded into it: [[question, asked, reply], …], where
// numbers are base64.
export class SavedModel extends Emitter {
  constructor(state, answers) {
    super(state);
    this.answers = new Map(answers.map(([name, asked, reply]) => [key(name, asked), reply]));
  }
  send({ id, name, asked, cancel }) {
    if (cancel) return;
    const found = this.answers.get(key(name, asked));
    queueMicrotask(() => {
      if (found === undefined) {
        this.emit("msg:custom", { id, error: "this is not in the saved file; run regard explore to ask it", status: 404 });
      } else if (typeof found === "string") {
        this.emit("msg:custom", { id }, [bytesOf(found).buffer]);
      } else this.emit("msg:custom", { id, reply: found });
    });
  }
}

export const key = (name, asked) => `${name} ${JSON.stringify(sorted(asked))}`;
const sorted = (value) =>
  Array.isArray(value)
    ? value.map(sorted)
    : value && typeof value === "object"
      ? Object.fromEntries(Object.keys(value).sort().map((name) => [name, sorted(value[name])]))
      : value;

export function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

export function base64Of(bytes) {
  const parts = [];
  for (let i = 0; i < bytes.length; i += 32768) parts.push(String.fromCharCode(...bytes.subarray(i, i + 32768)));
  return btoa(parts.join(""));
}
