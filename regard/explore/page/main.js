// The entry of the bundle, which is the same in all three places: the served page, a saved file, and a notebook, whose
// anywidget takes the default export.
import "./style.css"; // before the styles of the views
import { html, render } from "./vendor/preact.js";
import { App } from "./app.js";
import { SavedModel } from "./client.js";
import { Mark, ThemeButton } from "./parts/shell.js";
import { Mounted, viewOf } from "./views.js";

// For tests of the parts, which a browser loads from the bundle.
export * from "./client.js";
export { ellipseOf } from "./heads/gaussians.js";
export { drawFigure } from "./parts/figure.js";
export { WORDS } from "./parts/words.js";
export { viewOf };
export { html, render };

const page = document.getElementById("regard-page");
if (page) {
  page.textContent = "";
  render(html`<${App} />`, page);
}

const file = document.getElementById("regard-saved");
if (file) openSaved(JSON.parse(file.textContent));

// A view of a saved file, answered by what was recorded into it.
function openSaved({ view: name, state, answers, version, date }) {
  const view = viewOf(name);
  const model = new SavedModel({ view: name, state, place: "file" }, answers);
  document.title = `${view.title} · regard`;
  const root = document.createElement("div");
  document.body.append(root);
  const contents = html`
    <main>
      <div class="heading"><div><h1>${view.title}</h1><p>${view.about}</p></div><${ThemeButton} /></div>
      <${Mounted} model=${model} />
    </main>
    <footer><${Mark} /><p>Saved from regard ${version} on ${date}; <code>regard explore</code> shows it live.</p></footer>
  `;
  render(contents, root);
}

// A notebook has a theme of its own, which its body names: JupyterLab, VS Code. The views follow the root's data-theme.
function followNotebookTheme() {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  const isDark = jpThemeLight ? jpThemeLight !== "true" : vscodeThemeKind && /dark/.test(vscodeThemeKind);
  const theme = isDark === undefined || isDark === "" ? null : isDark ? "dark" : "light";
  if (theme && document.documentElement.dataset.theme !== theme) document.documentElement.dataset.theme = theme;
}

export default {
  render({ model, el }) {
    el.classList.add("regard", "in-notebook");
    // JupyterLab takes keys as shortcuts, except on elements with this mark; it checks the target at the document.
    const mark = ({ target }) => el.contains(target) && (target.dataset.lmSuppressShortcuts = "true");
    addEventListener("keydown", mark, true);
    followNotebookTheme();
    const watcher = new MutationObserver(followNotebookTheme);
    watcher.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
    render(html`<${Mounted} model=${model} />`, el);
    return () => (removeEventListener("keydown", mark, true), watcher.disconnect(), render(null, el));
  },
};
