"""The first screen, as a newcomer meets it."""

import json
import shutil
from itertools import pairwise
from urllib.parse import unquote

import pytest

from regard.explore.views.runs import METRICS
from regard.recipes import create_run
from regard.training import Metrics
from tests.explore.conftest import outlast, until
from tests.explore.test_export import saved, texts

RESTED = 1000  # milliseconds, after which the page takes a sentence for one that is whole


def percentages(page) -> list[str]:
    return page.locator(".start-token small").all_inner_texts()


def told(page) -> str:
    return page.locator(".start-told").inner_text()


@pytest.mark.parametrize(("width", "height", "dark"), [(1280, 720, False), (1366, 768, False), (1366, 768, True)])
def test_a_laptop_shows_all_of_it_without_scrolling(width, height, dark, look, violations, shot):
    page = look("", width=width, height=height, dark=dark)
    seen = page.evaluate("() => [document.documentElement.scrollHeight, document.documentElement.scrollWidth]")
    assert seen == [height, width]
    for part in ("main h1", ".start-sentence", ".start-bars", ".start-steps", ".start-doors"):
        box = page.locator(part).bounding_box()
        assert box["y"] >= 0, part
        assert box["y"] + box["height"] <= height, part
    assert violations(page) == []
    shot(page, f"start-{width}{'-dark' if dark else ''}")


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
    until(page, lambda: field.input_value() == before)
    assert "text" not in page.evaluate("location.hash")
    settled(page)
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


def test_unlearnt_letters_are_said_to_be(look):
    page = look("start", {"text": "A dog and a 猫"})
    assert "The model has not learnt “猫”" in page.locator("figcaption").inner_text()


def test_a_sentence_goes_to_maps_and_half_of_one_is_compared_with_none(look, settled, server):
    halves = [LONG[:count] for count in range(1, len(LONG))]
    heads = {tuple(server.ask("start", {"text": text})[0]["telling"]): text for text in halves}
    assert len(heads) > 2
    page = look("start")
    outlast(page, RESTED)
    field = page.get_by_role("textbox", name="The sentence")
    for (layer, head), text in heads.items():
        field.fill(text)
        page.locator("figcaption", has_text=f"head {head + 1} in layer {layer + 1}").wait_for()
    field.fill(LONG)
    page.get_by_text("looks farthest back; before, it was head 3 in layer 2").wait_for()
    page.get_by_role("link", name="Maps: every head").click()
    settled(page)
    assert page.get_by_label("Text", exact=True).input_value() == LONG
    assert page.get_by_label("Model", exact=True).input_value() == "captions"


LONG = "My grandmother and her two brothers are sitting on a bench in the park"


@pytest.mark.parametrize(("width", "height"), [(1366, 768), (390, 844)])
def test_pointing_moves_nothing_below_and_covers_no_number(width, height, look):
    page = look("start", {"text": LONG}, width=width, height=height)
    tokens = page.locator("[data-token]")
    places = set()
    for token in range(tokens.count()):
        tokens.nth(token).focus()
        found = page.evaluate(PLACES)
        places.add(round(found["below"]))
        assert not [y for y in found["ends"] if found["top"] < round(y) < found["bottom"]], token
    assert len(places) == 1


PLACES = """() => {
  const box = (name) => document.querySelector(name).getBoundingClientRect();
  const [steps, label] = [box(".start-steps"), box(".start-told")];
  const ends = [...document.querySelectorAll("[data-token]")].map((one) => one.getBoundingClientRect().y);
  return { below: steps.y + scrollY, top: label.y, bottom: label.bottom, ends };
}"""
ARCS = """() => {
  const tokens = [...document.querySelectorAll("[data-token]")].map((one) => one.getBoundingClientRect());
  const arcs = [...document.querySelectorAll(".start-arc")];
  const hidden = arcs.flatMap((arc) => {
    const [box, long] = [arc.ownerSVGElement.getBoundingClientRect(), arc.getTotalLength()];
    const points = Array.from({ length: 101 }, (_, i) => arc.getPointAtLength((i / 100) * long));
    return points.map(({ x, y }) => [x + box.left, y + box.top])
      .filter(([x, y]) => tokens.some(({ left, right, top, bottom }) =>
        x > left + 2 && x < right - 2 && y > top + 2 && y < bottom - 2));
  });
  return { hidden, tops: arcs.map((arc) => arc.getBBox().y).sort((a, b) => a - b) };
}"""


def test_arcs_are_nested_and_pass_no_token(look):
    page = look("start", {"token": 8})
    found = page.evaluate(ARCS)
    assert len(found["tops"]) > 5
    assert min(high - low for low, high in pairwise(found["tops"])) > 4  # pixels, where the narrowest are nearest
    page = look("start", {"text": LONG, "token": 20}, width=390, height=844)
    rows = {round(one.bounding_box()["y"]) for one in page.locator("[data-token]").all()}
    assert len(rows) > 3
    found = page.evaluate(ARCS)
    assert len(found["tops"]) > 4
    assert found["hidden"] == []


def test_the_end_of_a_sentence_is_no_button_and_a_new_one_has_its_own(look, settled):
    page = look("start", {"text": LONG})
    ends = page.locator(".start-bars li", has_text="the end of the sentence")
    assert (ends.count(), ends.locator("button").count()) == (1, 0)
    shares = page.locator(".start-bars li").first
    full, bar = shares.bounding_box()["width"], shares.locator(".start-bar").bounding_box()["width"]
    assert bar / full == pytest.approx(float(shares.locator(".start-share").inner_text().split()[0]) / 100, abs=0.02)
    assert "The model reads pieces of words, its tokens: “M·y”." in page.locator("figcaption").inner_text()
    outlast(page, RESTED)  # what rests is remembered
    page.get_by_role("button", name="Two dogs are running").click()
    page.get_by_text("looks farthest back; before, it was head 1 in layer 2").wait_for()
    page.get_by_role("button", name="New sentence").click()
    settled(page)
    assert page.get_by_role("textbox", name="The sentence").input_value() == ""


def test_a_link_to_too_long_a_sentence_says_so_and_leads_on(look, settled):
    look.forgiven.append("status of 400")
    page = look("start", {"text": "x" * 400})
    assert page.get_by_text("a sentence must have at most 63 tokens").is_visible()
    page.get_by_role("button", name="Two dogs").click()
    settled(page)
    assert page.locator(".start-token").nth(2).inner_text().startswith("dogs")


def test_your_runs_go_on_before_your_eyes(look, server):
    config = {"training": {"steps": 400}}
    run = create_run(server.runs / "watched", recipe="reversal", config=config, command="regard train reversal")
    (run.folder / "plain").mkdir()
    metrics = Metrics(run.folder / "plain" / METRICS)
    try:
        with run.lock():
            metrics.write(step=100, loss=1.25)
            page = look("start", width=1280, height=720)
            own = page.locator(".start-door", has_text="Your runs")
            own.get_by_text("step 100 of 400").wait_for()
            assert page.evaluate("() => document.documentElement.scrollHeight") == 720  # still one screen
            metrics.write(step=200, loss=0.75)
            own.get_by_text("step 200 of 400").wait_for()
            assert own.get_by_role("progressbar").get_attribute("value") == "200"
    finally:
        shutil.rmtree(run.folder)
