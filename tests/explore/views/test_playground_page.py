"""The playground in a browser: numbers shown are the library's, by mouse and by keyboard."""

import math
import re

import pytest
import torch

from regard import weights
from regard.attention import Attention, Causal, Content
from regard.claims.ist.example import worked_example
from tests.explore.test_export import saved


def shown(page, caption: str) -> list[list[float]]:
    """The numbers of the table with this caption, as their cells hold them to all digits."""
    table = page.locator(f"table:has(caption:text-is('{caption}'))")
    rows = [row.locator(".value") for row in table.locator("tbody tr").all()]
    return [
        [
            float(cell.get_attribute("title").replace("0, hidden", "0").replace("hidden", "-inf").replace("−", "-"))
            for cell in row.all()
        ]
        for row in rows
    ]


def test_words_that_get_no_weight_are_not_told(look):
    page = look("playground", {"step": "softmax", "hard": True, "query": 1})
    assert (
        page.locator("[data-told]").inner_text() == "At β → ∞ the largest score takes all. So reads looks at she 100 %."
    )
    page = look("playground", {"step": "mix", "hard": True, "query": 1})
    assert "1.0000·v(she) = (−2.50, −7.50)" in page.locator("[data-told]").inner_text()


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
    assert page.locator("table:has(caption:text-is('Jacobian'))").count() == 0
    page.get_by_role("button", name="Go deeper").click()
    settled(page)
    assert len(shown(page, "Jacobian")) == 4
    causal = weights(worked_example().q, worked_example().k, Attention(Content(), Causal()))[0, 0]
    assert shown(page, "weights") == causal.tolist()


def test_a_number_is_typed_turned_and_dragged_and_the_address_shares_it(look, settled):
    page = look("playground")
    cell = page.get_by_role("textbox", name="X, row 1, column 1", exact=True)
    cell.fill("0.123456789")
    cell.press("Enter")
    settled(page)
    assert cell.input_value() == "0.123456789"  # as it was typed
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
    name = page.get_by_role("textbox", name="name of token 3")
    name.fill("odd")
    name.press("Enter")
    settled(page)
    assert page.locator("[data-stage=logits] thead").inner_text().split() == ["she", "reads", "odd", "books"]
    page.wait_for_function("() => location.hash.includes('1.5')")
    again = look.window()
    again.goto(page.evaluate("location.href"))
    settled(again)
    assert shown(again, "weights") == changed
    again.get_by_role("button", name=re.compile("Reset")).click()
    settled(again)
    assert shown(again, "weights") == worked_example().maps[0].tolist()


@pytest.mark.parametrize("by", ["mouse", "keyboard"])
def test_a_dragged_key_moves_all_queries_and_a_query_only_itself(look, settled, by):
    page = look("playground", {"deeper": True})
    for name, rows in (("key of old", "4 of 4"), ("query of reads", "1 of 4")):
        point = page.get_by_role("button", name=re.compile(f"^{name} at"))
        if by == "keyboard":
            point.press("ArrowUp")
        else:
            point.scroll_into_view_if_needed()
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
    page.get_by_role("button", name="remove token 5").click()
    settled(page)
    assert len(shown(page, "weights")) == 4


def test_the_data_goes_from_left_to_right_and_the_chosen_query_is_marked_all_along(look, settled, violations, shot):
    page = look("playground", width=1366, height=768)
    stages = page.locator(".stage")
    assert stages.locator("h3").all_inner_texts() == [
        "X, the tokens", "q, k, v", "Scores, logits β·q·k", "Weights A, by softmax", "Outputs A·V",
        "Y, all heads · W_O",
    ]  # fmt: skip
    boxes = [stage.bounding_box() for stage in stages.all()]
    assert all(one["x"] + one["width"] <= two["x"] for one, two in zip(boxes, boxes[1:], strict=False))
    assert max(one["y"] + one["height"] for one in boxes) <= 768  # all of it is seen on a laptop
    spread = torch.special.entr(worked_example().maps[0]).sum(-1).argmax().item()
    assert chosen(page) == {spread}
    page.locator("[data-stage=softmax]").get_by_role("button", name="old").click()
    assert chosen(page) == {2}
    assert "old looks at books 74.8 %" in page.locator("[data-told]").inner_text()
    assert violations(page) == []


def chosen(page) -> set[int]:
    """Which row is marked in X, Q, logits, weights, outputs and Y: the same one in all."""
    tables = [page.locator(f"table:has(caption:text-is('{name}'))") for name in TABLES]
    rows = "(one) => [...one.querySelectorAll('tbody tr')].findIndex((row) => row.classList.contains('chosen'))"
    return {table.evaluate(rows) for table in tables}


TABLES = ("X", "queries", "logits", "weights", "outputs", "output")


@pytest.mark.parametrize(
    ("step", "said"),
    [
        ("tokens", "reads is x = (1, 1.5, −0.5)"),
        ("qkv", "q = (1.25, 2.00); a key"),
        ("logits", "β·q·k = 0.7071 · (1.25, 2.00) · (5.75, 1.50) = 7.20 for she, the largest"),
        ("softmax", "= 0.597. So reads looks at she 59.7 %, old 40.1 %"),
        ("mix", "0.5973·v(she) + 0.4013·v(old) + … = (−2.30, −6.59)"),
        ("", "Choose a word, or a step."),
    ],
)
def test_a_link_opens_a_step_with_its_sentence_and_its_numbers(look, violations, step, said):
    page = look("playground", {"step": step}, width=390, height=844, dark=step == "mix")
    assert said in page.locator("[data-told]").inner_text()
    lit = page.locator(".stage.lit").evaluate_all("(all) => all.map((one) => one.dataset.stage)")
    assert set(lit) == ({step} if step else set())
    widths = page.evaluate("() => [document.documentElement.scrollWidth, innerWidth]")
    assert widths[0] <= widths[1]
    if step in ("logits", "mix"):  # in the light and in the dark
        assert violations(page) == []


def test_the_numbers_of_a_sentence_give_its_result_by_hand(look):
    said = look("playground", {"step": "softmax"}).locator("[data-told]").inner_text().replace("−", "-")
    top, *others, result = (float(one) for one in re.findall(r"e(-?\d+\.\d+)|= (0\.\d+)", said) for one in one if one)
    assert f"{math.exp(top) / sum(map(math.exp, others)):.3f}" == f"{result:.3f}"


def test_hard_weights_keep_their_logits_after_beta_was_zero(look, settled):
    page = look("playground")
    logits = shown(page, "logits")
    slider = page.get_by_role("slider", name="β")
    slider.focus()
    page.keyboard.press("Home")
    settled(page)
    assert {value for row in shown(page, "logits") for value in row} == {0}
    page.keyboard.press("End")
    settled(page)
    assert shown(page, "logits") == logits
    again = look("playground", {"beta": 0, "hard": True})  # an address of before
    assert shown(again, "logits") == logits


def test_a_phone_has_beta_where_its_step_is_and_goes_there(look, settled):
    page = look("playground", {"beta": 0}, width=390, height=844)
    page.get_by_role("button", name="q·k·β").click()
    settled(page)
    box, slider = page.locator(".stage.lit").bounding_box(), page.get_by_role("slider", name="β").bounding_box()
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= 844
    assert box["y"] < slider["y"] < box["y"] + box["height"]
    assert "for she, and the same for all others: they tie" in page.locator(".playground-told").inner_text()


def test_hard_is_defined(look):
    page = look("playground", {"hard": True})
    page.get_by_role("button", name="hard", exact=True).focus()
    assert "the largest score takes all the weight" in page.get_by_role("tooltip").inner_text()


def test_no_column_moves_while_beta_is_turned(look, settled):
    page = look("playground", width=1280, height=720)
    places = "(all) => all.map((one) => [one.getBoundingClientRect().x, one.getBoundingClientRect().width])"
    before = page.locator(".stage").evaluate_all(places)
    slider = page.get_by_role("slider", name="β")
    slider.focus()
    for key in ("PageUp", "End"):
        page.keyboard.press(key)
        settled(page)
        assert page.locator(".stage").evaluate_all(places) == before
    assert len({box["y"] for box in (one.bounding_box() for one in page.locator(".stage").all())}) == 1


def test_a_phone_goes_on_to_the_next_step_and_turns_the_mask_beside_the_weights(look, settled):
    page = look("playground", {"step": "logits"}, width=390, height=844)
    page.get_by_role("button", name="4 Softmax →").click()
    settled(page)
    stage = page.locator(".stage.lit")
    assert stage.get_attribute("data-stage") == "softmax"
    stage.get_by_text("causal", exact=True).click()
    settled(page)
    cells = stage.locator(".value").all_inner_texts()
    assert cells[:4] == ["1.000", "–", "–", "–"]
    box = stage.bounding_box()
    assert (box["y"] > 48, box["y"] + box["height"] < 844) == (True, True)
    page.get_by_role("button", name="5 Mix →").click()
    settled(page)
    assert page.get_by_role("button", name="← 4 Softmax").bounding_box()["y"] < 400
    assert page.get_by_role("button", name=re.compile("→$")).count() == 0


def test_what_is_cut_at_the_side_fades_there(look, settled):
    page = look("playground", width=390, height=844)
    logits = page.locator("[data-stage=logits] .scrolls")
    assert logits.get_attribute("data-more") is None
    for _ in range(3):
        page.get_by_role("button", name="Add a token").click()
    settled(page)
    assert logits.get_attribute("data-more") == ""
    logits.evaluate("(one) => one.scrollTo(10_000, 0)")
    page.wait_for_function("() => !document.querySelector('[data-stage=logits] .scrolls[data-more]')")


def test_a_wrong_mask_leaves_the_controls_their_width(look, settled):
    look.forgiven.append("status of 400")
    page = look("playground")
    controls = page.locator(".playground-controls")
    page.get_by_text("write one", exact=True).click()
    before = controls.bounding_box()["width"]
    page.get_by_label("such as causal").fill("only nouns")
    page.keyboard.press("Tab")
    settled(page)
    assert "write it like 'causal & window(2)'" in page.locator(".playground-top .error").inner_text()
    assert controls.bounding_box()["width"] >= before


def test_a_new_token_has_numbers_and_step_two_frames_all_three(look, settled):
    page = look("playground", {"step": "qkv"})
    page.get_by_role("button", name="Add a token").click()
    settled(page)
    cells = [page.get_by_role("textbox", name=f"X, row 5, column {i}", exact=True).input_value() for i in (1, 2, 3)]
    assert sorted(cells) == ["0", "0", "1"]
    assert page.locator("[data-stage=qkv] tr.chosen").count() == 3


def test_a_picture_has_the_arrows_and_says_of_which_head_it_is(look):
    picture = saved(look("playground"), "Picture, SVG").read_text()
    assert picture.count(">→<") == 5
    text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", picture))
    assert "Head 1 of 2 on 4 tokens" in text
    assert "Y, which is of all heads" in text
