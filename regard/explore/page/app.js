// The page: a bar of views above one of them, whose name and state are in the address.
import { html, useEffect, useState } from "./vendor/preact.js";
import { PageModel } from "./client.js";
import { address, parseAddress, plain } from "./address.js";
import { commit, redo, undo, useHistory, watch } from "./history.js";
import { Button } from "./parts/controls.js";
import { CopyButton } from "./parts/export.js";
import { Mark, ThemeButton } from "./parts/shell.js";
import { Mounted, VIEWS, viewOf } from "./views.js";

// What the views are for: the doors of the first screen, and the bar at the bottom of a phone.
const GROUPS = [["Start", ["start"]], ["Learn", ["playground", "claims"]], ["Inspect", ["maps", "heads"]], ["Design", ["patterns"]], ["Runs", ["runs"]]];

const models = new Map();
function modelOf({ view, state }) {
  if (!models.has(view)) models.set(view, watch(new PageModel({ view, state, place: "page" })));
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
  return error === null ? children : html`<${Refused} why=${`The view cannot show this address: ${error.message}`} again=${() => model.set("state", {})} />`;
}

const Refused = ({ why, again }) => html`<section class="panel" role="alert"><p class="error">${why}</p><button onClick=${again}>Start over</button></section>`;

export function App() {
  const [here, setHere] = useState(parseAddress);
  useEffect(() => {
    let [shown, link] = [parseAddress().view, null];
    const press = ({ target }) => (link = target.closest?.("a[href^='#']")?.hash ?? null);
    const follow = () => {
      const next = parseAddress();
      if (next.view !== shown && location.hash === link) scrollTo(0, 0); // a link opens a view at its top; a step back keeps the browser's place
      shown = next.view;
      if (models.has(next.view) && plain(models.get(next.view).get("state")) !== plain(next.state)) models.get(next.view).set("state", next.state);
      setHere(next);
    };
    addEventListener("click", press, true);
    addEventListener("hashchange", follow);
    return () => (removeEventListener("click", press, true), removeEventListener("hashchange", follow));
  }, []);
  useEffect(() => {
    document.title = `${viewOf(here.view).title} · regard`;
  }, [here.view]);
  const view = viewOf(here.view);
  return html`
    <header class="top">
      <button class="skip" onClick=${() => document.getElementById("main").focus()}>Skip to the view</button>
      <a class="brand" href="#start" aria-label="regard"><${Mark} />regard</a>
      <nav aria-label="Views">${VIEWS.map((one) => html`<${ViewLink} one=${one} here=${view} />`)}</nav>
      <span class="undo"><${UndoButtons} /><${CopyButton} text=${() => (commit(), location.href)} done="The link to what you see was copied" aria-label="Copy a link"
        title="Copy a link to what you see">${icon("M8.5 11.5a3.5 3.5 0 0 0 5 0l2.6-2.6a3.5 3.5 0 0 0-5-5l-.9.9m1.3 3.7a3.5 3.5 0 0 0-5 0l-2.6 2.6a3.5 3.5 0 0 0 5 5l.9-.9")}<//></span><${ThemeButton} />
    </header>
    <main id="main" tabindex="-1" class=${`of-${view.name}`}>
      <div class="heading"><h1>${view.headline ?? view.title}</h1><p>${view.about}</p></div>
      ${here.refused
        ? html`<${Refused} why=${here.refused} again=${() => (location.hash = `#${view.name}`)} />`
        : html`<${ErrorBoundary} key=${view.name} model=${modelOf(here)}><${Mounted} model=${modelOf(here)} /><//>`}
    </main>
    <${Bottom} here=${view} />
  `;
}

const linkTo = (name) => address({ view: name, state: models.get(name)?.get("state") ?? {} });

const ViewLink = ({ one, here }) => html`<a href=${linkTo(one.name)} aria-current=${one === here ? "page" : null}>${one.title}</a>`;

// On a phone: where one is, the group and the view in it.
function Bottom({ here }) {
  const [, own] = GROUPS.find(([, names]) => names.includes(here.name));
  return html`<nav class="bottom" aria-label="Where you are">
    ${own.length > 1 && html`<div class="bottom-views">${own.map((name) => html`<${ViewLink} one=${viewOf(name)} here=${here} />`)}</div>`}
    <div class="bottom-groups">${GROUPS.map(([title, names]) => html`<a href=${linkTo(names.includes(here.name) ? here.name : names[0])}
      aria-current=${names === own ? "true" : null}>${title}</a>`)}</div>
  </nav>`;
}

function UndoButtons() {
  const { past, future } = useHistory();
  return html`<${Button} class="quiet" aria-label="Undo" title="Undo (Ctrl-Z)" off=${!past} onClick=${undo}>${icon("M7 4 3 8l4 4M3 8h8a5 5 0 0 1 0 10H8")}<//><${Button}
    class="quiet" aria-label="Redo" title="Redo (Ctrl-Shift-Z)" off=${!future} onClick=${redo}>${icon("m13 4 4 4-4 4m4-4H9a5 5 0 0 0 0 10h3")}<//>`;
}

const icon = (d) => html`<svg viewBox="0 0 20 20" width="18" height="18" aria-hidden="true"><path d=${d} fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round" /></svg>`;
