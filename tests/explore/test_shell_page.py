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
    page = look("runs")
    page.keyboard.press("Tab")
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
    for title in ("Heads", "Runs"):
        page.get_by_role("link", name=title, exact=True).click()
        settled(page)
    page.go_back()
    settled(page)
    assert shown(page) == "Heads"
    page.go_back()
    settled(page)
    assert shown(page) == "Playground"
    page.go_forward()
    settled(page)
    assert shown(page) == "Heads"


BROKEN = ("", "nothing", "maps?", "?", "../../etc/passwd", "<b>x", "runs#runs")
BROKEN += tuple(
    f"runs?{state}" for state in ("%E0%A4%A", "{", "5", "null", '"x"', "[1]", "{}{}", '{"__proto__":{"x":1}}')
)


def test_a_broken_address_opens_a_view(look, settled):
    page = look('runs?"x"')
    for broken in BROKEN:
        leads_to(page, settled, broken)
        assert shown(page) == VIEWS.get(broken.partition("?")[0], "Playground"), broken
        assert page.evaluate("() => document.querySelectorAll('main .panel, main p').length") > 1, broken


def test_the_theme_is_remembered(look, settled):
    page = look("runs")
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
    page = look("playground")
    page.route("**/api/**", lambda route: route.abort())
    leads_to(page, settled, "runs")
    assert "the server does not answer" in page.locator("main .error").first.inner_text()
