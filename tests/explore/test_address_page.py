"""What is in the address: a view's state, to be shared, gone back to, and survived where somebody broke it."""

import json
from urllib.parse import quote, unquote

import pytest

from tests.explore.test_shell_page import VIEWS, leads_to, shown

WRONG = [None, -1, 0.5, "x", [], {}]
STATE = """async (name) => (await import("/views.js")).viewOf(name).state"""


def state_of(page) -> dict:
    return json.loads(unquote(page.url.partition("#")[2].partition("?")[2]) or "{}")


def test_an_address_brings_back_what_was_seen(look, settled):
    page = look("runs", {"run": "reversal"})
    page.get_by_role("checkbox", name="Logarithmic").check()
    page.wait_for_function("() => location.hash.includes('log')")
    assert state_of(page) == {"run": "reversal", "log": True}
    seen = page.locator("main").inner_text()
    page.get_by_role("link", name="Playground").click()
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
      const runs = (await import("/views.js")).viewOf("runs");
      window.View = runs.View;
      runs.View = () => { throw new Error("a mistake"); };
    }""")
    leads_to(page, settled, "runs")
    assert "a mistake" in page.get_by_role("alert").inner_text()
    leads_to(page, settled, "playground")
    assert page.get_by_role("alert").count() == 0
    leads_to(page, settled, "runs")
    page.evaluate("async () => { (await import('/views.js')).viewOf('runs').View = window.View; }")
    page.get_by_role("button", name="Begin anew").click()
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
            if page.get_by_role("button", name="Begin anew").count():
                page.get_by_role("button", name="Begin anew").click()
                settled(page)
            assert page.get_by_role("alert").count() == 0, (name, wrong)
    leads_to(page, settled, view)
    assert page.locator("main").inner_text() == begins
