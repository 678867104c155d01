"""The playground in a browser: numbers shown are the library's, by mouse and by keyboard."""

import re

import pytest

from regard import weights
from regard.attention import Attention, Causal, Content
from regard.claims.ist.example import worked_example


def shown(page, caption: str) -> list[list[float]]:
    """The numbers of the table with this caption, as their cells hold them to all digits."""
    table = page.locator(f"table:has(caption:text-is('{caption}'))")
    rows = [row.locator(".value") for row in table.locator("tbody tr").all()]
    return [[float(cell.get_attribute("title").replace("hidden", "-inf")) for cell in row.all()] for row in rows]


def test_the_worked_example_stands_there_and_the_slider_turns_beta(look, settled, violations, shot):
    page = look("playground")
    assert shown(page, "weights") == worked_example().maps[0].tolist()
    assert violations(page) == []
    shot(page, "playground")
    slider = page.get_by_role("slider", name="β")
    slider.focus()
    page.keyboard.press("End")
    page.wait_for_function("() => [...document.querySelectorAll('output')].some((one) => one.textContent === 'hard')")
    settled(page)
    assert (
        shown(page, "weights") == worked_example().maps[0].eq(worked_example().maps[0].amax(-1, keepdim=True)).tolist()
    )
    page.keyboard.press("Home")
    page.wait_for_function("() => document.querySelector('caption')")
    settled(page)
    assert shown(page, "weights") == [[0.25] * 4] * 4
    page.get_by_role("button", name="back to 1/√2").click()
    settled(page)
    page.get_by_text("causal", exact=True).click()
    settled(page)
    causal = weights(worked_example().q, worked_example().k, Attention(Content(), Causal()))[0, 0]
    assert shown(page, "weights") == causal.tolist()


def test_a_number_is_typed_turned_and_dragged_and_the_address_shares_it(look, settled):
    page = look("playground")
    cell = page.get_by_role("textbox", name="X, row 1, column 1", exact=True)
    cell.fill("1,5")
    cell.press("Enter")
    settled(page)
    changed = shown(page, "weights")
    assert changed != worked_example().maps[0].tolist()
    cell.press("ArrowDown")
    cell.press("ArrowDown")
    settled(page)
    assert cell.input_value() == "1.3"
    box = cell.bounding_box()
    page.mouse.move(box["x"] + 10, box["y"] + 5)
    page.mouse.down()
    page.mouse.move(box["x"] + 18, box["y"] + 5, steps=3)
    page.mouse.up()
    settled(page)
    assert cell.input_value() == "1.5"
    assert shown(page, "weights") == changed
    page.wait_for_function("() => location.hash.includes('1.5')")
    again = look.window()
    again.goto(page.url)
    settled(again)
    assert shown(again, "weights") == changed
    again.get_by_role("button", name=re.compile("Reset")).click()
    settled(again)
    assert shown(again, "weights") == worked_example().maps[0].tolist()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_dragged_key_moves_all_queries_and_a_query_only_itself(look, settled, by):
    page = look("playground", {"plane": "keys"})
    for name, rows in (("k₃", "4 of 4"), ("q₂", "1 of 4")):
        point = page.get_by_role("button", name=re.compile(f"^{name} at"))
        if by == "keyboard":
            point.press("ArrowUp")
        else:
            box = point.locator("circle, rect").bounding_box()
            page.mouse.move(box["x"] + 6, box["y"] + 6)
            page.mouse.down()
            page.mouse.move(box["x"] + 6, box["y"] - 20, steps=4)
            page.mouse.up()
        settled(page)
        assert f"of {rows} queries" in page.locator("[data-moved]").inner_text()


def test_heads_and_tokens_come_and_go(look, settled):
    page = look("playground")
    page.get_by_role("button", name="add a head").click()
    page.get_by_role("button", name="Add a token").click()
    settled(page)
    assert page.get_by_role("heading", name="Head 3", exact=True).count() == 1
    assert len(shown(page, "weights")) == 5
    page.get_by_role("button", name="remove this head").click()
    page.get_by_role("button", name="remove x₅").click()
    settled(page)
    assert len(shown(page, "weights")) == 4
