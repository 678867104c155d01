// One view in an element, as Jupyter's anywidget renders it: the model holds the view's name, its state, and the place.
import { html, render, useCallback, useEffect, useMemo, useState } from "./vendor/preact.js";
import { asker } from "./model.js";
import { viewOf } from "./views.js";

export function Mounted({ model }) {
  const view = viewOf(model.get("view"));
  const ask = useMemo(() => asker(model), [model]);
  const [state, setState] = useState(() => ({ ...view.state, ...model.get("state") }));
  useEffect(() => {
    const follow = () => setState({ ...view.state, ...model.get("state") });
    model.on("change:state", follow);
    return () => model.off("change:state", follow);
  }, [model, view]);
  const change = useCallback(
    (changes) => {
      model.set("state", { ...model.get("state"), ...changes });
      model.save_changes();
    },
    [model],
  );
  return html`<${view.View} ask=${ask} state=${state} change=${change} place=${model.get("place") ?? "notebook"} />`;
}

// A notebook has colours of its own, which its body names: JupyterLab, VS Code. The views follow the root's data-theme.
function followNotebook() {
  const { jpThemeLight, vscodeThemeKind } = document.body.dataset;
  const now = jpThemeLight ? (jpThemeLight === "true" ? "light" : "dark") : vscodeThemeKind && (/dark/.test(vscodeThemeKind) ? "dark" : "light");
  if (now && document.documentElement.dataset.theme !== now) document.documentElement.dataset.theme = now;
}

export default {
  render({ model, el }) {
    el.classList.add("regard", "in-notebook");
    // JupyterLab takes keys as its own shortcuts, except on elements with this mark; it asks at the document, and looks at
    // the target first.
    const mark = ({ target }) => el.contains(target) && (target.dataset.lmSuppressShortcuts = "true");
    addEventListener("keydown", mark, true);
    followNotebook();
    const watcher = new MutationObserver(followNotebook);
    watcher.observe(document.body, { attributeFilter: ["data-jp-theme-light", "data-vscode-theme-kind"] });
    render(html`<${Mounted} model=${model} />`, el);
    return () => (removeEventListener("keydown", mark, true), watcher.disconnect(), render(null, el));
  },
};
