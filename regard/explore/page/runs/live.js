// Runs and their curves while they grow: polled as long as something runs and the page is visible.
import { useEffect, useRef, useState } from "../vendor/preact.js";
import { isAborted } from "../client.js";

const SOON = 1000; // milliseconds, while a run goes on
const LATER = 3000; // for one that may start
const MEMORY = 30; // seconds over which a speed is measured

// Call `work(signal)` now and, after each time, in as many milliseconds as it returns, or never for null; not while the
// page is hidden.
function useRounds(work, depends) {
  useEffect(() => {
    const control = new AbortController();
    let [due, busy, again] = [0, false, null];
    const round = async () => {
      clearTimeout(due);
      if (busy || control.signal.aborted) return;
      busy = true;
      again = await work(control.signal);
      busy = false;
      if (again !== null && !document.hidden && !control.signal.aborted) due = setTimeout(round, again);
    };
    const shown = () => !document.hidden && again !== null && round();
    document.addEventListener("visibilitychange", shown);
    round();
    return () => {
      control.abort();
      clearTimeout(due);
      document.removeEventListener("visibilitychange", shown);
    };
  }, depends);
}

// All runs, { response, error }: every second while one runs, otherwise every three; once in a saved file.
export function useRuns(ask, place) {
  const [found, setFound] = useState({ response: null, error: null });
  const last = useRef("");
  useRounds(
    async (signal) => {
      let response = null;
      try {
        response = await ask("runs", {}, { signal });
        const text = JSON.stringify(response);
        if (text !== last.current) setFound({ response, error: null });
        last.current = text;
      } catch (error) {
        if (isAborted(error)) return null;
        last.current = "";
        setFound((old) => ({ ...old, error: error.message }));
      }
      if (place === "file") return null;
      return response?.runs.some((run) => run.state === "running") ? SOON : LATER;
    },
    [ask, place],
  );
  return found;
}

// The lines of metrics of some runs: a Map from a run's name to a Map from a training's name to { lines, mark, columns }.
export function useCurves(ask, runs, place) {
  const kept = useRef(new Map());
  const [found, setFound] = useState({ curves: new Map(), error: null });
  const wanted = JSON.stringify(runs.map((run) => [run.name, run.state, run.started]));
  useRounds(
    async (signal) => {
      let changed = kept.current.size === 0 && runs.length === 0;
      let error = null;
      for (const run of runs) {
        const old = kept.current.get(run.name);
        if (old && old.state === run.state && run.state !== "running") continue;
        try {
          const [trainings, grew] = await grown(ask, run.name, old?.trainings ?? new Map(), signal, place);
          kept.current.set(run.name, { state: run.state, trainings });
          changed ||= grew || !old;
        } catch (failure) {
          if (isAborted(failure)) return null;
          error = failure.message;
        }
      }
      if (changed || error) setFound({ curves: new Map([...kept.current].map(([name, one]) => [name, one.trainings])), error });
      return place !== "file" && runs.some((run) => run.state === "running") ? SOON : null;
    },
    [ask, wanted, place],
  );
  return found;
}

// The known lines of a run's trainings and those written since; known trainings keep their order, and so their colours.
async function grown(ask, run, known, signal, place) {
  const found = new Map(known);
  let [grew, more] = [false, true];
  while (more) {
    const after = Object.fromEntries([...found].map(([name, { lines, mark }]) => [name, { lines, mark }]));
    const response = await ask("curves", { run, after }, { signal });
    const there = new Set(response.trainings.map((one) => one.name));
    for (const name of found.keys()) if (!there.has(name)) (found.delete(name), (grew = true));
    for (const { name, start, lines, mark, columns } of response.trainings) {
      const old = found.get(name);
      if (old && start === old.lines && lines === old.lines) continue;
      grew = true;
      found.set(name, { lines, mark, columns: joined(old?.columns ?? {}, start, columns, lines) });
    }
    more = response.more && place !== "file";
  }
  return [found, grew];
}

// The first `start` numbers of each column, and the new ones behind them; null where a column has none.
function joined(old, start, fresh, lines) {
  const none = (count) => new Array(count).fill(null);
  return Object.fromEntries(
    [...new Set([...Object.keys(old), ...Object.keys(fresh)])].map((name) => [
      name,
      [...(old[name]?.slice(0, start) ?? none(start)), ...(fresh[name] ?? none(lines - start))],
    ]),
  );
}

// Steps per second of a training, from the times of its lines; null before two of them were seen.
export function useSpeeds(runs) {
  const seen = useRef(new Map());
  for (const run of runs) {
    for (const { name, step, written } of run.trainings) {
      const key = `${run.name} ${run.started} ${name}`;
      if (run.state !== "running") seen.current.delete(key);
      if (run.state !== "running") continue;
      const points = seen.current.get(key) ?? [];
      const last = points.at(-1);
      if (last?.step === step) continue;
      const kept = last && step < last.step ? [] : points.filter((point) => written - point.written < MEMORY);
      seen.current.set(key, [...kept, { step, written }]);
    }
  }
  return (run, training) => {
    const points = seen.current.get(`${run.name} ${run.started} ${training.name}`) ?? [];
    const [first, last] = [points[0], points.at(-1)];
    return points.length < 2 || last.written <= first.written ? null : (last.step - first.step) / (last.written - first.written);
  };
}

// The training that wrote last.
export const latest = (run) => run.trainings.reduce((best, one) => (one.written > best.written ? one : best));
