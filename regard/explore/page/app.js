// The page: a bar of views above one of them, whose name and state are in the address.
import { html, useEffect, useState } from "./vendor/preact.js";
import { PageModel } from "./client.js";
import { Mark, ThemeButton } from "./parts/shell.js";
import { Mounted, VIEWS, viewOf } from "./views.js";

// The address holds what differs from a view's first state: #maps?{"head":3}, percent-encoded.
function readAddress() {
  const [, name, text] = /^#?([a-z]*)(?:\?(.*))?$/.exec(location.hash) ?? [];
  const view = viewOf(name);
  return { view: view.name, state: parseState(view, text) };
}

// An address may be broken: only names that the view knows are taken, with values of the type of its first state.
function parseState(view, text) {
  try {
    const found = Object.entries(JSON.parse(decodeURIComponent(text ?? "")) ?? {});
    return Object.fromEntries(found.filter(([name, value]) => fits(value, view.state[name])));
  } catch {
    return {};
  }
}

const kind = (value) => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);
const fits = (value, first) => first !== undefined && (first === null || kind(value) === kind(first));

function writeAddress({ view, state }) {
  const own = Object.entries(state).filter(([name, value]) => !same(value, viewOf(view).state[name]));
  return `#${view}${own.length ? `?${encodeURIComponent(plain(Object.fromEntries(own)))}` : ""}`;
}

// Without the properties that Preact adds to an object that it takes for an element.
const plain = (value) => JSON.stringify(value, (name, one) => (name.startsWith("__") ? undefined : one));
const same = (a, b) => plain(a) === plain(b);

const models = new Map();
function modelOf({ view, state }) {
  if (!models.has(view)) {
    const model = new PageModel({ view, state, place: "page" });
    let due = 0;
    model.on("change:state", () => {
      clearTimeout(due); // browsers refuse a new address for every move of a slider
      due = setTimeout(() => {
        if (readAddress().view === view) history.replaceState(null, "", writeAddress({ view, state: model.get("state") }));
      }, 200);
    });
    models.set(view, model);
  }
  return models.get(view);
}

// A view that fails says so in its place; the bar above it still works.
function ErrorBoundary({ model, children }) {
  const [error, setError] = useState(null);
  this.componentDidCatch = (raised) => {
    console.error(raised);
    setError(raised);
  };
  useEffect(() => {
    const retry = () => setError(null);
    model.on("change:state", retry);
    return () => model.off("change:state", retry);
  }, [model]);
  if (error === null) return children;
  return html`<section class="panel" role="alert">
    <p class="error">The view cannot show this address: ${error.message}</p>
    <button onClick=${() => model.set("state", {})}>Start over</button>
  </section>`;
}

export function App() {
  const [here, setHere] = useState(readAddress);
  useEffect(() => {
    const follow = () => {
      const next = readAddress();
      if (models.has(next.view) && !same(models.get(next.view).get("state"), next.state)) {
        models.get(next.view).set("state", next.state);
      }
      setHere(next);
    };
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  useEffect(() => {
    document.title = `${viewOf(here.view).title} · regard`;
  }, [here.view]);
  const view = viewOf(here.view);
  return html`
    <a class="skip" href=${location.hash || "#playground"} onClick=${focusMain}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#playground" aria-label="regard"><${Mark} />regard</a>
      <nav aria-label="Views">
        ${VIEWS.map(
          (one) => html`<a
            href=${writeAddress({ view: one.name, state: models.get(one.name)?.get("state") ?? {} })}
            aria-current=${one.name === view.name ? "page" : null}
            >${one.title}</a
          >`,
        )}
      </nav>
      <${ThemeButton} />
    </header>
    <main id="main" tabindex="-1">
      <div class="heading"><h1>${view.title}</h1><p>${view.about}</p></div>
      <${ErrorBoundary} key=${view.name} model=${modelOf(here)}><${Mounted} model=${modelOf(here)} /><//>
    </main>
  `;
}

function focusMain(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}
