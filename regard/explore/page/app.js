// The page: a bar of views above one of them, whose name and state are in the address.
import { html, render, useEffect, useState } from "./vendor/preact.js";
import { PageModel } from "./model.js";
import { VIEWS, viewOf } from "./views.js";
import { Mounted } from "./widget.js";
import { Mark, ThemeButton } from "./parts/shell.js";

// The address holds what differs from how a view begins: #maps?{"head":3}, percent-encoded.
function read() {
  const [, name, text] = /^#?([a-z]*)(?:\?(.*))?$/.exec(location.hash) ?? [];
  const view = viewOf(name);
  return { view: view.name, state: stateOf(view, text) };
}

// Of an address that somebody has broken, what a view knows and what is of the kind that it begins with.
function stateOf(view, text) {
  try {
    const found = Object.entries(JSON.parse(decodeURIComponent(text ?? "")) ?? {});
    return Object.fromEntries(found.filter(([name, value]) => fits(value, view.state[name])));
  } catch {
    return {};
  }
}

const kind = (value) => (Array.isArray(value) ? "array" : value === null ? "null" : typeof value);
const fits = (value, first) => first !== undefined && (first === null || kind(value) === kind(first));

function written({ view, state }) {
  const own = Object.entries(state).filter(([name, value]) => !same(value, viewOf(view).state[name]));
  return `#${view}${own.length ? `?${encodeURIComponent(plain(Object.fromEntries(own)))}` : ""}`;
}

// Without the names that Preact writes into an object which is taken for an element.
const plain = (value) => JSON.stringify(value, (name, one) => (name.startsWith("__") ? undefined : one));
const same = (a, b) => plain(a) === plain(b);

const models = new Map();
function modelOf({ view, state }) {
  if (!models.has(view)) {
    const model = new PageModel({ view, state, place: "page" });
    let due = 0;
    model.on("change:state", () => {
      clearTimeout(due); // an address for every move of a slider is more than browsers allow
      due = setTimeout(() => {
        if (read().view === view) history.replaceState(null, "", written({ view, state: model.get("state") }));
      }, 200);
    });
    models.set(view, model);
  }
  return models.get(view);
}

// A view that fails says so in its place, and the bar above it goes on.
function Held({ model, children }) {
  const [error, setError] = useState(null);
  this.componentDidCatch = (raised) => {
    console.error(raised);
    setError(raised);
  };
  useEffect(() => {
    const anew = () => setError(null);
    model.on("change:state", anew);
    return () => model.off("change:state", anew);
  }, [model]);
  if (error === null) return children;
  return html`<section class="panel" role="alert">
    <p class="error">The view cannot show what its address says: ${error.message}</p>
    <button onClick=${() => model.set("state", {})}>Begin anew</button>
  </section>`;
}

function App() {
  const [here, setHere] = useState(read);
  useEffect(() => {
    const follow = () => {
      const next = read();
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
    <a class="skip" href=${location.hash || "#playground"} onClick=${toMain}>Skip to the view</a>
    <header class="top">
      <a class="brand" href="#playground" aria-label="regard"><${Mark} />regard</a>
      <nav aria-label="Views">
        ${VIEWS.map(
          (one) => html`<a
            href=${written({ view: one.name, state: models.get(one.name)?.get("state") ?? {} })}
            aria-current=${one.name === view.name ? "page" : null}
            >${one.title}</a
          >`,
        )}
      </nav>
      <${ThemeButton} />
    </header>
    <main id="main" tabindex="-1" class="regard">
      <div class="heading"><h1>${view.title}</h1><p>${view.about}</p></div>
      <${Held} key=${view.name} model=${modelOf(here)}><${Mounted} model=${modelOf(here)} /><//>
    </main>
  `;
}

function toMain(event) {
  event.preventDefault();
  document.getElementById("main").focus();
}

const root = document.getElementById("regard");
root.textContent = "";
render(html`<${App} />`, root);
