"""The first screen, as a newcomer meets it."""

import json
from urllib.parse import unquote

import pytest

from tests.explore.test_export import saved, texts


def percentages(page) -> list[str]:
    return page.locator(".start-token small").all_inner_texts()


def told(page) -> str:
    return page.locator(".start-told").inner_text()


@pytest.mark.parametrize("dark", [False, True])
def test_a_laptop_shows_all_of_it_without_scrolling(dark, look, violations, shot):
    page = look("", width=1366, height=768, dark=dark)
    seen = page.evaluate("() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
    assert seen == [768, 1366]
    for part in ("main h1", ".start-sentence", ".start-bars", ".start-steps", ".start-doors"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= 768, part
    assert violations(page) == []
    shot(page, f"start-1366{'-dark' if dark else ''}")


def test_pointing_at_a_token_draws_arcs_to_what_it_reads(look, server):
    page = look("start")
    header, data = server.ask("start", {"text": "A little girl in a pink dress is"})
    names, (layer, head), count = header["pieces"], header["telling"], len(header["pieces"])
    page.locator("[data-token='6']").hover()
    query = names.index(" pink")
    start = 4 * ((layer * header["heads"] + head) * count + query) * count
    row = memoryview(data[start : start + 4 * count]).cast("f")
    best = max(range(count), key=lambda key: row[key])
    assert told(page).startswith(f"{float(f'{100 * row[best]:.2g}'):g} % {names[best].strip()}")
    assert page.locator(".start-arc").count() == sum(weight >= 0.015 for weight in row)
    assert (
        percentages(page)[query + 1 :] == [" "] * (count - query - 1)
        or not "".join(percentages(page)[query + 1 :]).strip()
    )
    page.keyboard.press("Tab")
    page.locator("[data-token='6']").focus()
    page.keyboard.press("ArrowLeft")
    assert page.locator(".is-query").get_attribute("data-token") == "5"


def test_a_click_on_a_next_token_appends_it_and_can_be_undone(look, settled):
    page = look("start")
    field = page.get_by_role("textbox", name="The sentence")
    before, first = field.input_value(), page.locator(".start-bars button").first
    word = first.locator(".start-piece").inner_text()
    first.click()
    settled(page)
    assert field.input_value() == f"{before} {word}"
    page.wait_for_function("() => location.hash.includes('text')")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("() => !location.hash.includes('text')")
    settled(page)
    assert field.input_value() == before
    field.fill("Several people are sitting at a")
    settled(page)
    assert page.locator(".start-piece").first.inner_text() == "table"


def test_each_step_opens_the_playground_with_the_numbers_of_the_token(look):
    page = look("start")
    links = page.locator(".start-steps a").evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    steps = [json.loads(unquote(link.removeprefix("#playground?")))["step"] for link in links]
    assert steps == ["tokens", "qkv", "logits", "softmax", "mix"]
    best = told(page).split("\n")[0]
    assert best.split(" %")[0] in page.locator(".start-steps li").nth(3).inner_text()


def test_doors_and_a_definition_under_a_dotted_word(look, settled):
    page = look("start")
    for name in ("playground", "claims", "maps", "heads", "patterns"):
        assert page.locator(f".start-doors a[href^='#{name}']").count() == (2 if name == "patterns" else 1)
    page.get_by_role("button", name="token", exact=True).hover()
    assert "A piece of text" in page.get_by_role("tooltip").inner_text()
    page.mouse.move(1, 1)
    assert page.get_by_role("tooltip").count() == 0


def test_a_head_of_ones_own_choice_is_in_the_address(look):
    page = look("start", {"head": "0.3", "token": 8})
    assert "head 4 in layer 1" in page.locator("figcaption").inner_text()
    assert page.locator(".is-query").get_attribute("data-token") == "8"
    assert told(page).split("\n")[0].endswith("girl")  # is > girl, in that head


def test_a_picture_holds_the_sentence_and_its_caption_but_not_the_form(look):
    found = texts(saved(look("start"), "Picture, SVG"))
    assert {"⟨start⟩", "girl", "64 %"} <= found
    assert any("the weights of head 3 in layer 2 of 2" in text for text in found)
    assert not any("write your own" in text for text in found)
