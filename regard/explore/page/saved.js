// A view from a saved file: what was recorded answers it, and nothing else is asked.
import { html, render } from "./vendor/preact.js";
import { SavedModel } from "./model.js";
import { viewOf } from "./views.js";
import { Mounted } from "./widget.js";
import { Mark, ThemeButton } from "./parts/shell.js";

const saved = JSON.parse(document.getElementById("regard-saved").textContent);
const view = viewOf(saved.view);
const model = new SavedModel({ view: saved.view, state: saved.state, place: "file" }, saved.answers);
document.title = `${view.title} · regard`;

function File() {
  return html`
    <main>
      <div class="heading"><div><h1>${view.title}</h1><p>${view.about}</p></div><${ThemeButton} /></div>
      <${Mounted} model=${model} />
    </main>
    <footer><${Mark} /><p>Saved from regard ${saved.version} on ${saved.date}; <code>regard explore</code> shows it live.</p></footer>
  `;
}

const place = document.createElement("div");
document.body.append(place);
render(html`<${File} />`, place);

export default saved;
