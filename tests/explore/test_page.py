"""The page around its views: the bar, the address with a view's state, the colours, and how views ask."""

import json
import re
from urllib.parse import quote, unquote

import pytest

from regard.explore.export import PAGE
from regard.explore.requests import CHOICES
from tests.explore.conftest import outlast, until

VIEWS = {
    "start": "Start",
    "playground": "Playground",
    "claims": "Claims",
    "maps": "Maps",
    "heads": "Gaussian heads",
    "patterns": "Patterns and cost",
    "runs": "Runs",
}
STATE = """async (name) => (await import("/bundle.js")).viewOf(name).state"""
HEADLINE = "Attention: every word looks at itself and the words before it, and takes what it needs."


def shown(page) -> str:
    """The title of the view that is shown."""
    above = page.locator("main h1").inner_text()
    return "Start" if above == HEADLINE else above


def focused(page) -> str:
    return page.evaluate("() => document.activeElement.textContent.trim() || document.activeElement.ariaLabel")


def leads_to(page, settled, hash_: str) -> None:
    page.evaluate("(hash) => (location.hash = hash)", hash_)
    settled(page)


def test_every_view_opens_by_mouse_and_by_the_history(look, settled):
    page = look("playground")
    assert page.locator("header nav a").all_inner_texts() == list(VIEWS.values())
    for name, title in reversed(VIEWS.items()):
        page.locator("header nav").get_by_role("link", name=title).click()
        settled(page)
        assert shown(page) == title
        assert page.title() == f"{title} · regard"
        assert page.locator("header nav a[aria-current=page]").all_inner_texts() == [title]
        assert re.search(rf"#{name}(\?|$)", page.url)
    for go, title in ((page.go_back, "Playground"), (page.go_back, "Claims"), (page.go_forward, "Playground")):
        go()
        settled(page)
        assert shown(page) == title


def test_every_view_opens_by_keyboard_and_the_bar_can_be_skipped(look, settled):
    page = look("playground")
    page.keyboard.press("Tab")
    assert focused(page) == "Skip to the view"
    assert page.locator(".skip").bounding_box()["x"] >= 0  # seen as soon as it is reached
    page.keyboard.press("Tab")
    assert focused(page) == "regard"
    for title in VIEWS.values():
        page.keyboard.press("Tab")
        assert focused(page) == title
        assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
        page.keyboard.press("Enter")
        settled(page)
        assert shown(page) == title
    for button in ("Undo", "Redo", "Copy a link", "Use dark colours"):
        page.keyboard.press("Tab")
        assert focused(page) == button
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.querySelector('main').contains(document.activeElement)")
    assert shown(page) == "Runs"


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.slow
def test_a_tablet_in_the_dark(view, look, violations, shot):
    page = look(view, width=820, height=1100, dark=True, reduced=True)
    assert shown(page) == VIEWS[view]
    widths = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    assert page.evaluate("() => getComputedStyle(document.body).backgroundColor") == "rgb(18, 20, 26)"
    assert violations(page) == []
    shot(page, f"{view}-820-dark")


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_a_desk_in_the_light(view, look, violations, shot):
    page = look(view)
    widths = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    assert violations(page) == []
    shot(page, f"{view}-1280")


@pytest.mark.parametrize("view", VIEWS)
def test_words_have_definitions_in_every_view(view, look):
    page = look(view)
    words = page.locator("main button.word")
    assert words.count() > 2
    for at in range(words.count()):
        words.nth(at).focus()
        assert len(page.get_by_role("tooltip").inner_text()) > 20


def test_every_definition_is_used():
    text = (PAGE / "parts" / "words.js").read_text("utf-8")
    names = re.findall(r'^  "?([\w ]+?)"?: "', text.partition("// What heads are measured")[0], re.M)
    sources = [path for path in PAGE.rglob("*.js") if path.name != "bundle.js" and path.parent.name != "vendor"]
    rest = text.partition("\n};")[2] + "".join(one.read_text("utf-8") for one in sources if one.name != "words.js")
    assert len(names) > 30
    assert not [name for name in names if not re.search(rf'of="{name}"|"{name}"|\b{name}: [/{{]', rest)]


def test_digits_are_written_in_one_module():
    """Numbers look alike everywhere because no view makes text of them itself."""
    sources = [path for path in PAGE.rglob("*.js") if path.name != "bundle.js" and path.parent.name != "vendor"]
    found = [
        f"{path.relative_to(PAGE)}: {line.strip()}"
        for path in sources
        if path != PAGE / "parts" / "numbers.js"
        for line in path.read_text("utf-8").splitlines()
        if re.search(r"\.(toFixed|toPrecision|toExponential)\(|\.toLocaleString\((?!.*Style)", line)
    ]
    assert len(sources) > 30
    assert not found


BROKEN = ("", "nothing", "maps?", "?", "../../etc/passwd", "<b>x", "runs#runs")
BROKEN += tuple(
    f"runs?{state}" for state in ("%E0%A4%A", "{", "5", "null", '"x"', "[1]", "{}{}", '{"__proto__":{"x":1}}')
)


def test_a_broken_address_is_refused_in_words_in_its_view(look, settled):
    page = look('runs?"x"')
    for broken in BROKEN:
        leads_to(page, settled, broken)
        assert shown(page) == VIEWS.get(broken.partition("?")[0], "Start"), broken
        is_whole = broken in ("", "maps?")
        assert page.get_by_role("alert").count() == (0 if is_whole or broken == "?" else 1), broken
    leads_to(page, settled, "nothing")
    assert page.get_by_role("alert").inner_text().startswith("There is no view called “nothing”.")


@pytest.mark.parametrize("view", VIEWS)
def test_a_state_that_names_what_the_view_does_not_know_is_refused(view, look, settled):
    page = look(view, {"subject": "nope"})
    assert f"{VIEWS[view]} has no “subject”" in page.get_by_role("alert").inner_text()
    assert page.locator("main .panel").count() == 1  # and nothing is shown in place of what was asked for
    page.get_by_role("button", name="Start over").click()
    settled(page)
    assert page.get_by_role("alert").count() == 0
    assert page.locator("main").inner_text().count("\n") > 5
    for name in CHOICES.get(view, {}):
        leads_to(page, settled, f"{view}?{quote(json.dumps({name: 'nope'}))}")
        assert page.get_by_role("alert").inner_text().startswith(f"“{name}” must be one of ")
        assert "this address says nope" in page.get_by_role("alert").inner_text()
    name, first = next((name, value) for name, value in page.evaluate(STATE, view).items() if value is not None)
    leads_to(page, settled, f"{view}?{quote(json.dumps({name: 7 if isinstance(first, str) else 'x'}))}")
    assert page.get_by_role("alert").inner_text().startswith(f"“{name}” must be ")


def test_changes_are_undone_one_by_one_by_the_keys_the_buttons_and_the_history(look, settled):
    page = look("runs", {"run": "reversal"})
    log, compare = (
        page.get_by_role("checkbox", name="Logarithmic"),
        page.get_by_role("checkbox", name="compare language"),
    )
    for box, name in ((log, "log"), (compare, "compared")):
        box.check()
        page.wait_for_function("(name) => location.hash.includes(name)", arg=name)
    undo, redo = (page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    assert redo.get_attribute("aria-disabled") == "true"

    def gives(changed, *wanted: bool) -> bool:
        changed()
        until(page, lambda: (log.is_checked(), compare.is_checked()) == wanted)
        outlast(page, 100)
        settled(page)
        return (log.is_checked(), compare.is_checked()) == wanted

    assert gives(lambda: page.keyboard.press("Control+z"), True, False)
    assert gives(undo.click, False, False)
    assert undo.get_attribute("aria-disabled") == "true"
    assert gives(redo.click, True, False)
    assert gives(lambda: page.keyboard.press("Control+Shift+z"), True, True)
    assert gives(page.go_back, True, False)
    assert gives(lambda: page.keyboard.press("Control+z"), False, False)
    assert gives(lambda: page.keyboard.press("Control+z"), False, False)  # no further than the view itself
    assert shown(page) == "Runs"


def test_a_slider_is_one_change_and_typing_is_undone_by_its_field(look, settled):
    page = look("runs", {"run": "reversal"})
    places = "() => history.length"
    before = page.evaluate(places)
    slider = page.get_by_role("slider", name="Smoothing")
    slider.focus()
    for _ in range(6):
        page.keyboard.press("ArrowRight")
    page.wait_for_function("() => location.hash.includes('smoothing')")
    assert page.evaluate(places) == before + 1
    page.keyboard.press("Control+z")
    until(page, lambda: slider.input_value() == "0")
    assert "smoothing" not in page.evaluate("location.hash")


def test_a_phone_shows_where_one_is_at_the_bottom(look, settled):
    page = look("maps", width=390, height=844)
    assert not page.locator("header nav").is_visible()
    bar = page.get_by_role("navigation", name="Where you are")
    assert bar.locator("[aria-current=true]").inner_text() == "Inspect"
    assert bar.locator("[aria-current=page]").inner_text() == "Maps"
    box = bar.bounding_box()
    assert box["y"] + box["height"] == 844
    bar.get_by_role("link", name="Heads").click()
    settled(page)
    assert shown(page) == "Gaussian heads"
    bar.get_by_role("link", name="Learn").click()
    settled(page)
    assert shown(page) == "Playground"


@pytest.mark.parametrize("width", [768, 940, 941, 1024, 1101])
def test_every_view_can_be_reached_at_every_width(width, look):
    """A bar that is cut off hides the views at its end: narrower windows have the phone's."""
    page = look("patterns", width=width)
    bar = page.locator("header nav")
    assert page.get_by_role("navigation", name="Where you are").is_visible() != bar.is_visible()
    assert bar.is_visible() == (width > 940)
    assert bar.evaluate("(one) => one.scrollWidth <= one.clientWidth")


@pytest.mark.slow
@pytest.mark.parametrize("width", [360, 390, 768, 1024, 1440, 2560])
@pytest.mark.parametrize("view", VIEWS)
def test_nothing_overflows(view, width, look):
    page = look(view, width=width, height=844)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


def test_six_quick_keys_are_six_steps(look, settled):
    page = look("heads")
    cell = page.get_by_role("textbox", name="Row of head 1's centre")
    before = float(cell.input_value().replace("−", "-"))
    cell.evaluate("""(cell) => { for (let i = 0; i < 6; i++)
      cell.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowUp", bubbles: true, cancelable: true })); }""")
    settled(page)
    assert float(cell.input_value().replace("−", "-")) == pytest.approx(before + 0.6)


def test_the_theme_is_remembered_and_a_server_that_ended_is_told(look, settled):
    page = look("runs")
    ground = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(ground)
    page.get_by_role("button", name="Use dark colours").click()
    dark = page.evaluate(ground)
    assert dark != light
    page.get_by_role("button", name="Use light colours").wait_for()
    page.reload()
    settled(page)
    assert page.evaluate(ground) == dark
    page.get_by_role("button", name="Use light colours").click()
    assert page.evaluate(ground) == light
    look.forgiven += ["ERR_FAILED"]
    page.route("**/api/**", lambda route: route.abort())
    leads_to(page, settled, "playground")
    assert "the server does not respond" in page.locator("main .error").first.inner_text()


WRONG = [None, -1, 0.5, "x", [], {}]


def state_of(page) -> dict:
    return json.loads(unquote(page.evaluate("location.hash").partition("?")[2]) or "{}")


def test_an_address_brings_back_what_was_seen(look, settled):
    page = look("runs", {"run": "reversal"})
    page.get_by_role("checkbox", name="Logarithmic").check()
    page.wait_for_function("() => location.hash.includes('log')")
    assert state_of(page) == {"run": "reversal", "log": True}
    seen = page.locator("main").inner_text()
    page.locator("header nav").get_by_role("link", name="Playground").click()
    settled(page)
    page.go_back()
    settled(page)
    assert state_of(page) == {"run": "reversal", "log": True}
    assert page.locator("main").inner_text() == seen
    page.reload()
    settled(page)
    assert page.get_by_role("checkbox", name="Logarithmic").is_checked()
    assert page.locator("main").inner_text() == seen


def test_a_view_that_fails_is_begun_anew(look, settled):
    look.forgiven += ["a mistake"]
    page = look("playground")
    page.evaluate("""async () => {
      const runs = (await import("/bundle.js")).viewOf("runs");
      window.View = runs.View;
      runs.View = () => { throw new Error("a mistake"); };
    }""")
    leads_to(page, settled, "runs")
    assert "a mistake" in page.get_by_role("alert").inner_text()
    leads_to(page, settled, "playground")
    assert page.get_by_role("alert").count() == 0
    leads_to(page, settled, "runs")
    page.evaluate("async () => { (await import('/bundle.js')).viewOf('runs').View = window.View; }")
    page.get_by_role("button", name="Start over").click()
    settled(page)
    assert page.get_by_role("alert").count() == 0
    assert "reversal" in page.locator("main").inner_text()
    assert sum("a mistake" in one for one in look.wrong) == 2  # it is told to those who look for it


@pytest.mark.slow
@pytest.mark.parametrize("view", VIEWS)
def test_a_state_with_a_wrong_value_is_shown_or_refused(view, look, settled):
    look.forgiven += ["status of 400", "status of 422", "console error"]  # which the view tells in words
    page = look(view)
    begins = page.locator("main").inner_text()
    for name in page.evaluate(STATE, view):
        for wrong in WRONG:
            leads_to(page, settled, f"{view}?{quote(json.dumps({name: wrong}))}")
            assert shown(page) == VIEWS[view]
            assert not [one for one in look.wrong if one.startswith("page error")], (name, wrong, look.wrong)
            if page.get_by_role("button", name="Start over").count():
                page.get_by_role("button", name="Start over").click()
                settled(page)
            assert page.get_by_role("alert").count() == 0, (name, wrong)
    leads_to(page, settled, view)
    assert page.locator("main").inner_text() == begins


PROBE = """async (hook) => {
  const { html, render, [hook]: used } = await import("/bundle.js");
  const asked = [], root = document.createElement("div");
  const ask = (name, wanted, { signal } = {}) => new Promise((resolve, reject) => {
    asked.push({ wanted, resolve, reject: (text) => reject(new Error(text)) });
    signal?.addEventListener("abort", () => reject(new DOMException("gone", "AbortError")));
  });
  let last;
  const Probe = ({ wanted }) => { last = used(ask, "name", wanted); return null; };
  const rest = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20))); // behind all effects
  const want = async (wanted) => { render(html`<${Probe} wanted=${wanted} />`, root); await rest(); };
  window.probe = { want, rest, asked, now: () => [last.response, last.error, last.waiting] };
}"""


@pytest.fixture
def modules(look, server):
    """An empty page of the server, which may import its modules."""
    page = look.shared.take(look)
    page.goto(f"{server.url}icon.svg")
    return page


def test_an_answer_is_that_of_the_last_question(modules):
    modules.evaluate(PROBE, "useAnswer")
    found = modules.evaluate("""async () => {
      const { want, rest, asked, now } = probe, seen = [];
      await want({ n: 1 });
      seen.push(now());
      await want({ n: 2 });
      asked[0].resolve("first");
      asked[1].resolve("second");
      await rest();
      seen.push(now());
      await want({ n: 3 });
      seen.push(now());
      await want(null);
      seen.push(now());
      await want({ n: 4 });
      asked[3].reject("no");
      await rest();
      return [...seen, now(), asked.length];
    }""")
    assert found == [
        [None, None, True],
        ["second", None, False],
        ["second", None, True],  # what was answered stays until the next answer
        ["second", None, False],  # nothing is asked any more
        ["second", "no", False],
        4,
    ]


def test_while_a_slider_moves_the_latest_is_asked_next(modules):
    modules.evaluate(PROBE, "useLatest")
    found = modules.evaluate("""async () => {
      const { want, rest, asked, now } = probe;
      for (const n of [1, 2, 3, 4]) await want({ n });
      const before = asked.length;
      asked[0].resolve("first");
      await rest();
      const between = now();
      asked[1].resolve("last");
      await rest();
      return [before, between, now(), asked.map((one) => one.wanted.n)];
    }""")
    assert found == [1, ["first", None, True], ["last", None, False], [1, 4]]


def test_answers_go_to_those_who_asked(modules):
    """A view that is left and opened again has the same model, whose earlier questions may still be answered."""
    found = modules.evaluate("""async () => {
      const { asker, PageModel } = await import("/bundle.js");
      class Model extends PageModel { sent = []; send(message) { this.sent.push(message); } }
      const model = new Model({});
      const first = asker(model)("one"), again = asker(model)("two"), control = new AbortController();
      const left = asker(model)("three", {}, { signal: control.signal }).catch((error) => error.name);
      control.abort();
      const ids = model.sent.map((message) => message.id);
      model.emit("msg:custom", { id: ids[1], response: "second" });
      model.emit("msg:custom", { id: ids[0], error: "no", status: 400 });
      model.emit("msg:custom", { id: "of another", response: "none" });
      const failed = await first.catch((error) => [error.message, error.status]);
      return { ids, failed, again: await again, left: await left, cancelled: model.sent.at(-1).cancel,
               listeners: model.listeners.get("msg:custom").length };
    }""")
    ids = found.pop("ids")
    assert (len(set(ids)), ids[2]) == (3, ids[3])
    assert found == {"failed": ["no", 400], "again": "second", "left": "AbortError", "cancelled": True, "listeners": 1}


def test_numbers_are_read_wherever_they_lie(modules):
    """A notebook may give bytes from the middle of a larger buffer."""
    found = modules.evaluate("""async () => {
      const { unpack, fromBase64, toBase64 } = await import("/bundle.js");
      const head = '{"n":3}     ';
      const packed = new Uint8Array(16 + 24);
      new DataView(packed.buffer).setUint32(0, head.length, true);
      packed.set(new TextEncoder().encode(head), 4);
      packed.set(new Uint8Array(new Float64Array([1, -2.5, 3.25]).buffer), 16);
      return [0, 3, 8].map((shift) => {
        const larger = new Uint8Array(48);
        larger.set(packed, shift);
        const { header, data, offset } = unpack(new DataView(larger.buffer, shift, packed.length));
        return [header.n, ...new Float64Array(data, offset, 3)];
      }).concat([[...fromBase64(toBase64(new Uint8Array([0, 255, 7])))]]);
    }""")
    assert found == [[3, 1, -2.5, 3.25]] * 3 + [[0, 255, 7]]


@pytest.mark.parametrize(("width", "height"), [(390, 844), (1280, 720)])
def test_a_link_opens_each_view_at_its_top(look, settled, width, height):
    page = look("claims", width=width, height=height)
    bar = page.get_by_label("Where you are" if width < 940 else "Views")
    names = ["Design", "Inspect", "Start"] if width < 940 else ["Patterns and cost", "Maps", "Playground", "Claims"]
    for name in names:
        page.evaluate("() => scrollTo(0, 500)")
        bar.get_by_role("link", name=name, exact=True).click()
        settled(page)
        assert page.evaluate("scrollY") == 0, name
