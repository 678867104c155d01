// Hooks for views that ask.
import { useEffect, useRef, useState } from "./vendor/preact.js";
import { isAborted } from "./model.js";

// The answer to a question, asked anew whenever it changes. Meanwhile the last answer stays, so that nothing flickers;
// a question that is overtaken is cancelled. `asked` null asks nothing.
export function useAnswer(ask, name, asked) {
  const text = asked === null || asked === undefined ? null : JSON.stringify(asked);
  const [found, setFound] = useState({ reply: null, error: null, waiting: text !== null, of: null });
  useEffect(() => {
    if (text === null) {
      setFound((old) => (old.waiting ? { ...old, waiting: false } : old));
      return;
    }
    const control = new AbortController();
    setFound((old) => ({ ...old, waiting: true }));
    ask(name, JSON.parse(text), { signal: control.signal }).then(
      (reply) => setFound({ reply, error: null, waiting: false, of: text }),
      (error) => isAborted(error) || setFound((old) => ({ ...old, error: error.message, waiting: false })),
    );
    return () => control.abort();
  }, [ask, name, text]);
  return found;
}

// The same for what changes many times a second, as a slider does: one question is under way, and of those that come
// meanwhile only the latest is asked next, so that answers keep coming while the hand moves.
export function useLatest(ask, name, asked) {
  const text = asked === null || asked === undefined ? null : JSON.stringify(asked);
  const [found, setFound] = useState({ reply: null, error: null, waiting: text !== null, of: null });
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
        const reply = await ask(name, JSON.parse(wanted));
        if (own.here) setFound({ reply, error: null, waiting: own.next !== null, of: wanted });
      } catch (error) {
        if (own.here && !isAborted(error)) setFound((old) => ({ ...old, error: error.message, waiting: false }));
      }
      own.busy = false;
      if (own.next !== null && own.here) go(own.next);
    };
    if (own.busy) own.next = text;
    else go(text);
  }, [ask, name, text]);
  return found;
}

// A function that is called at most once per frame, with the last arguments.
export function framed(work) {
  let wanted = null;
  return (...args) => {
    if (wanted === null) requestAnimationFrame(() => (work(...wanted), (wanted = null)));
    wanted = args;
  };
}

// Whether the user asked for less motion.
export const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
