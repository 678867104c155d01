"""The page around its views: the bar, the address, the colours, and how views ask."""

import re

import pytest

VIEWS = {
    "playground": "Playground",
    "maps": "Maps",
    "heads": "Heads",
    "patterns": "Patterns and cost",
    "claims": "Claims",
    "runs": "Runs",
}


def shown(page) -> str:
    return page.locator("main h1").inner_text()


def focused(page) -> str:
    return page.evaluate("() => document.activeElement.textContent.trim() || document.activeElement.ariaLabel")


def leads_to(page, settled, hash_: str) -> None:
    page.evaluate("(hash) => (location.hash = hash)", hash_)
    settled(page)


def test_every_view_opens_by_mouse(look, settled):
    page = look("playground")
    links = page.locator("nav a")
    assert links.all_inner_texts() == list(VIEWS.values())
    for name, title in reversed(VIEWS.items()):
        page.get_by_role("navigation").get_by_role("link", name=title).click()
        settled(page)
        assert shown(page) == title
        assert page.title() == f"{title} · regard"
        assert page.locator("nav a[aria-current=page]").all_inner_texts() == [title]
        assert re.search(rf"#{name}(\?|$)", page.url)


def test_every_view_opens_by_keyboard(look, settled):
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
    page.keyboard.press("Tab")
    assert focused(page) == "Use dark colours"


def test_the_bar_can_be_skipped(look):
    page = look("claims")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("() => document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("() => document.querySelector('main').contains(document.activeElement)")
    assert shown(page) == "Claims"


@pytest.mark.parametrize("view", VIEWS)
def test_a_tablet_in_the_dark(view, look, violations, shot):
    page = look(view, width=820, height=1100, dark=True, reduced=True)
    assert shown(page) == VIEWS[view]
    widths = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    assert page.evaluate("() => getComputedStyle(document.documentElement).backgroundColor") == "rgb(18, 20, 26)"
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


def test_back_and_forward(look, settled):
    page = look("playground")
    for title in ("Claims", "Runs"):
        page.get_by_role("link", name=title, exact=True).click()
        settled(page)
    page.go_back()
    settled(page)
    assert shown(page) == "Claims"
    page.go_back()
    settled(page)
    assert shown(page) == "Playground"
    page.go_forward()
    settled(page)
    assert shown(page) == "Claims"


BROKEN = [
    "",
    "nothing",
    "maps?",
    "?",
    "claims?%E0%A4%A",
    "claims?{",
    "claims?5",
    "claims?null",
    'claims?"x"',
    "claims?[1]",
]
BROKEN += [
    "claims?%7B%22__proto__%22%3A%7B%22x%22%3A1%7D%7D",
    "claims?{}{}",
    "../../etc/passwd",
    "<b>x",
    "claims#claims",
]


def test_a_broken_address_opens_a_view(look, settled):
    page = look('claims?"x"')
    for broken in BROKEN:
        leads_to(page, settled, broken)
        assert shown(page) == VIEWS.get(broken.partition("?")[0], "Playground"), broken
        assert page.evaluate("() => document.querySelectorAll('main .panel, main p').length") > 1, broken


def test_the_theme_is_remembered(look, settled):
    page = look("claims")
    ground = "() => getComputedStyle(document.documentElement).backgroundColor"
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


def test_a_server_that_ended_is_told(look, settled):
    look.forgiven += ["ERR_FAILED"]
    page = look("claims")
    page.route("**/api/**", lambda route: route.abort())
    leads_to(page, settled, "runs")
    assert "the server does not answer" in page.locator("main .error").first.inner_text()


def test_answers_go_to_those_who_asked(look):
    """A view that is left and opened again has the same model, whose earlier questions may still be answered."""
    found = look("claims").evaluate("""async () => {
      const { asker, PageModel } = await import("/model.js");
      class Model extends PageModel { sent = []; send(message) { this.sent.push(message); } }
      const model = new Model({});
      const first = asker(model)("one"), again = asker(model)("two"), control = new AbortController();
      const left = asker(model)("three", {}, { signal: control.signal }).catch((error) => error.name);
      control.abort();
      const ids = model.sent.map((message) => message.id);
      model.emit("msg:custom", { id: ids[1], reply: "second" });
      model.emit("msg:custom", { id: ids[0], error: "no", status: 400 });
      model.emit("msg:custom", { id: "of another", reply: "none" });
      const failed = await first.catch((error) => [error.message, error.status]);
      return { ids, failed, again: await again, left: await left, cancelled: model.sent.at(-1).cancel,
               listeners: model.listeners.get("msg:custom").length };
    }""")
    ids = found.pop("ids")
    assert (len(set(ids)), ids[2]) == (3, ids[3])
    assert found == {"failed": ["no", 400], "again": "second", "left": "AbortError", "cancelled": True, "listeners": 1}


def test_numbers_are_read_wherever_they_lie(look):
    """A notebook may give bytes from the middle of a larger buffer."""
    found = look("claims").evaluate("""async () => {
      const { unpacked, bytesOf, base64Of } = await import("/model.js");
      const head = '{"n":3}     ';
      const packed = new Uint8Array(16 + 24);
      new DataView(packed.buffer).setUint32(0, head.length, true);
      packed.set(new TextEncoder().encode(head), 4);
      packed.set(new Uint8Array(new Float64Array([1, -2.5, 3.25]).buffer), 16);
      return [0, 3, 8].map((shift) => {
        const larger = new Uint8Array(48);
        larger.set(packed, shift);
        const { head, data, offset } = unpacked(new DataView(larger.buffer, shift, packed.length));
        return [head.n, ...new Float64Array(data, offset, 3)];
      }).concat([[...bytesOf(base64Of(new Uint8Array([0, 255, 7])))]]);
    }""")
    assert found == [[3, 1, -2.5, 3.25]] * 3 + [[0, 255, 7]]
