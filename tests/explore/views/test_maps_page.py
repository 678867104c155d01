"""Maps in a browser: numbers shown are the model's, by mouse and by keyboard."""

import io
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from regard.explore.workspace import SHIPPED
from regard.models import load
from regard.recipes import plan_run, read_run
from regard.tasks import reversal
from regard.training import Recording, expand
from tests.explore.test_export import saved, texts

HEATMAP = ".maps-one .heatmap"


def weight(page: Any) -> float:
    """The number that is read under the pointer or the arrow keys, to all digits."""
    return float(page.locator("[data-weight]").get_attribute("data-weight"))


def text_maps(text: str) -> Any:
    model: Any = load(SHIPPED / "language" / "model")
    with torch.inference_mode():
        return model(torch.tensor([model.encode_prompt(text)]), maps=True).maps["self"]


def test_a_text_is_looked_at_by_mouse_and_by_keyboard(look, settled, violations, shot):
    page = look("maps", {"layer": 0, "head": 0}, height=1300)
    page.get_by_label("Text", exact=True).fill("hear me speak")
    page.get_by_label("Text", exact=True).press("Control+Enter")
    settled(page)
    maps = text_maps("hear me speak")
    grid = page.get_by_role("application", name="4 layers of heads")
    assert grid.get_attribute("data-heads") == "4x4"
    grid.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    settled(page)
    assert page.get_by_role("heading", name="Layer 3, head 2").is_visible()
    box = page.locator(f"{HEATMAP} canvas").bounding_box()
    cell = box["width"] / 13
    page.mouse.move(box["x"] + 5.5 * cell, box["y"] + 10.5 * cell)
    assert weight(page) == pytest.approx(maps[2][0, 1, 10, 5].item(), rel=1e-5)
    page.mouse.click(box["x"] + 4.5 * cell, box["y"] + 7.5 * cell)
    settled(page)
    rows = page.locator("[data-pinned='7'] tbody tr").all()
    order = maps[2][0, 1, 7].argsort(descending=True)[: len(rows)]
    assert [int(row.locator("td").nth(1).inner_text()) - 1 for row in rows] == order.tolist()
    assert float(rows[0].locator("td").nth(2).inner_text()) == pytest.approx(maps[2][0, 1, 7].max().item(), abs=1e-4)
    page.locator(HEATMAP).focus()
    page.keyboard.press("ArrowRight")  # from where the pointer is
    assert weight(page) == pytest.approx(maps[2][0, 1, 7, 5].item(), rel=1e-5)
    assert violations(page) == []
    shot(page, "maps")
    page.get_by_text("Lines", exact=True).click()
    lines = page.get_by_role("application", name="weights of layer 3, head 2")
    lines.focus()
    page.keyboard.press("ArrowDown")
    best = int(maps[2][0, 1, 8].argmax())
    assert weight(page) == pytest.approx(maps[2][0, 1, 8, best].item(), rel=1e-5)
    assert violations(page) == []


def test_two_steps_of_a_training_and_their_difference(look, settled, violations, shot):
    page = look("maps", {"model": "reversal/transformer", "layer": 1}, height=1300, dark=True)
    page.get_by_label("Compare with a second").check()
    settled(page)
    assert page.get_by_role("heading", name="Second").count() == 2
    page.get_by_text("Difference", exact=True).click()
    settled(page)
    model = plan_run(read_run(SHIPPED / "reversal")).load("transformer").model
    batch = reversal.batch_of(["abacadabacc"])
    with torch.inference_mode():
        now = model(batch.source, batch.target, maps=True).maps["cross"][1][0, 0]  # it writes all letters right
    before = expand(Recording(SHIPPED / "reversal" / "transformer" / "recording").read(0)["maps.word.1"])[0]
    page.locator(HEATMAP).focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    told = page.locator("[data-reading] .maps-number").all_inner_texts()
    wanted = [now[1, 0], before[1, 0], now[1, 0] - before[1, 0]]
    for shown, number in zip(told, wanted, strict=True):
        assert float(shown.replace("−", "-")) == pytest.approx(number.item(), rel=2e-3, abs=1e-4)
    assert violations(page) == []
    shot(page, "maps-difference")


def test_a_patch_looks_over_the_picture(look, settled, violations, shot):
    page = look("maps", {"model": "digits-gaussian/seed-0", "layer": 1, "head": 3}, width=820, height=1600)
    picture = page.get_by_role("application", name="weights of layer 2, head 4")
    picture.focus()
    page.keyboard.press("ArrowLeft")  # from the middle
    settled(page)
    one = plan_run(read_run(SHIPPED / "digits-gaussian")).load("seed-0")
    with torch.inference_mode():
        row = one.model(one.task.test.batch([0])[0].expand(-1, 3, -1, -1), maps=True).maps["self"][1][0, 3, 35]
    assert float(page.locator("[data-pinned='35'] tbody td").nth(2).inner_text()) == pytest.approx(
        row.max().item(), abs=1e-4
    )
    box = picture.bounding_box()
    page.mouse.move(box["x"] + box["width"] * 2.5 / 8, box["y"] + box["height"] * 1.5 / 8)
    assert weight(page) == pytest.approx(row[10].item(), rel=1e-5)
    assert violations(page) == []
    shot(page, "maps-picture")


def test_comparing_leaves_the_text_as_it_was(look, settled):
    page = look("maps", {"text": "hear me speak", "layer": -1, "head": 99, "pin": [99, -4], "near": 5}, height=1300)
    assert page.get_by_role("heading", name="Layer 1, head 4").is_visible()  # what an address may say, made to fit
    assert page.locator("[data-pinned='12']").is_visible()
    page.get_by_role("button", name="Unpin").click()
    assert page.evaluate("document.activeElement.className") == "heatmap"
    page.get_by_label("Compare with a second").check()
    settled(page)
    texts = [field.input_value() for field in page.get_by_label("Text", exact=True).all()]
    assert texts == ["hear me speak", "First Citizen:\nBefore we proceed"]
    assert (
        page.locator(".maps-one").nth(1).locator(".heatmap text.tick").count() == 2 * 32
    )  # small cells have names too
    assert page.locator("[data-entropy]", has_text="Second: a query").count() == 1
    page.get_by_role("group", name="Second").get_by_label("Checkpoint").select_option(label="step 0, recorded")
    settled(page)
    recorded = Recording(SHIPPED / "language" / "decoder" / "recording").read(0)["inputs.text"]
    model: Any = load(SHIPPED / "language" / "model")
    read = model.tokenizer.decode(recorded.tolist()).replace("\n", "↵")
    assert page.locator(".maps-read").inner_text() == read
    page.get_by_label("Text", exact=True).fill("x" * len(recorded))  # one shape, another input
    page.get_by_label("Text", exact=True).press("Control+Enter")
    page.get_by_text("Difference", exact=True).click()
    settled(page)
    assert page.get_by_text("The two read different inputs").is_visible()
    page.get_by_label("Compare with a second").uncheck()
    settled(page)
    assert page.get_by_label("Text", exact=True).input_value() == "x" * len(recorded)


@pytest.mark.slow
def test_an_own_picture_is_in_a_saved_file(look, settled, violations, browser, tmp_path):
    page = look("maps", {"model": "digits-gaussian/seed-0", "image": 5, "layer": 0, "head": 0}, height=1300)
    picture = io.BytesIO()
    Image.linear_gradient("L").save(picture, "PNG")
    page.locator("input[type=file]").set_input_files(
        [{"name": "own.png", "mimeType": "image/png", "buffer": picture.getvalue()}]
    )
    settled(page)
    assert page.get_by_text("A link does not include your picture").is_visible()
    page.get_by_role("link", name="Claims").click()
    settled(page)
    page.get_by_role("link", name="Maps").click()
    settled(page)
    said = page.get_by_text("your picture, taken for").inner_text()
    page.get_by_role("button", name="Export").first.click()
    with page.expect_download() as found:
        page.get_by_role("menuitem", name="This view, HTML").click()
    path = tmp_path / "maps.html"
    path.write_bytes(Path(found.value.path()).read_bytes())
    assert len(page.url) < 300  # the address has its name alone
    page.reload()
    settled(page)
    assert page.get_by_text("own.png is not available").is_visible()
    assert page.get_by_text("image no. 5 shows").is_visible()
    context = browser.new_context(offline=True)
    file = context.new_page()
    file.goto(path.as_uri())
    file.get_by_text(said).wait_for()
    assert file.locator(".maps-patches").is_visible()
    assert file.locator(".maps-inputs select").first.is_disabled()
    assert file.get_by_label("Compare with a second").is_disabled()
    file.get_by_role("application", name="3 layers of heads").press("ArrowDown")
    file.get_by_role("heading", name="Layer 2, head 1").wait_for()
    assert file.locator(".error").count() == 0
    assert violations(file) == []
    context.close()


def test_the_first_screen_of_a_laptop_tells_what_a_head_does(look, settled, violations, shot):
    page = look("maps", width=1366, height=768)
    maps = text_maps("First Citizen:\nBefore we proceed")
    previous = torch.stack([one[0].diagonal(-1, 1, 2).mean(1) for one in maps])
    layer, head = divmod(int(previous.argmax()), 4)  # the most telling one is there first
    assert page.get_by_role("heading", name=f"Layer {layer + 1}, head {head + 1}").is_visible()
    share = f"previous token {100 * previous.max().item():.0f} %"
    assert page.locator(".maps-tags").inner_text() == share
    box = page.locator(f"{HEATMAP} canvas").bounding_box()
    assert box["y"] + box["height"] < 768
    assert box["height"] > 380
    cell = box["width"] / 32
    page.mouse.move(box["x"] + 19.5 * cell, box["y"] + 20.5 * cell)
    assert weight(page) == pytest.approx(maps[layer][0, head, 20, 19].item(), rel=1e-5)
    number = page.locator(f"{HEATMAP} .tip b").inner_text()
    assert float(number.replace("−", "-")) == pytest.approx(maps[layer][0, head, 20, 19].item(), abs=1e-3)
    assert page.locator(f"{HEATMAP} text.now").all_text_contents() == ["e", "r"]  # query and key, lit with their lines
    assert page.locator(f"{HEATMAP} rect.lit").count() == 2
    assert page.locator(f"{HEATMAP} text.title").all_text_contents() == ["key → is looked at", "query ↓ looks"]
    looks = page.locator("[data-looks='20']")
    order = maps[layer][0, head, 20].argsort(descending=True)
    assert int(looks.locator("tbody tr td").nth(1).inner_text()) == int(order[0]) + 1
    for part in (page.locator("[data-reading]"), looks):
        box = part.bounding_box()
        assert box["y"] + box["height"] <= 768
    assert violations(page) == []
    shot(page, "maps-laptop")


def test_what_comes_next_is_what_the_model_expects(look, settled):
    page = look("maps", {"text": "hear me speak", "pin": [4, 4]}, height=1300)
    model: Any = load(SHIPPED / "language" / "model")
    with torch.inference_mode():
        found = model(torch.tensor([model.encode_prompt("hear me speak")])).logits[0].softmax(-1)
    table = page.locator("[data-next='4'] tbody")
    for row, (probability, token) in zip(table.locator("tr").all(), zip(*found[4].topk(6), strict=True), strict=True):
        letter = model.tokenizer.decode([int(token)])
        assert row.locator("th").inner_text() == {" ": "␣", "\n": "↵"}.get(letter, letter)
        assert float(row.locator("td").first.inner_text().rstrip(" %")) == pytest.approx(
            100 * float(probability), rel=0.05
        )
        assert float(row.locator("td span").first.get_attribute("title")) == pytest.approx(float(probability), rel=1e-4)
    page.get_by_role("button", name="Unpin").click()
    assert page.locator("[data-next='12']").is_visible()  # after the last token
    assert page.get_by_text("Next in the text").count() == 0


def test_heads_are_sorted_by_what_they_look_at(look, settled, violations):
    page = look("maps")
    maps = text_maps("First Citizen:\nBefore we proceed")
    previous = torch.stack([one[0].diagonal(-1, 1, 2).mean(1) for one in maps]).flatten()
    show = page.get_by_label("Show", exact=True)
    label = next(one for one in show.locator("option").all_inner_texts() if one.startswith("previous token"))
    show.select_option(label=label)
    names = page.locator(".maps-overview text.tag").all_text_contents()
    order = previous.argsort(descending=True)[: len(names)]
    assert len(names) == int(label.partition("(")[2].rstrip(")")) >= 3
    assert names == [f"{n // 4 + 1}·{n % 4 + 1}: {100 * previous[n].item():.0f} %" for n in order.tolist()]
    grid = page.get_by_role("application", name="4 layers of heads")
    grid.focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    second = order[1].item()
    assert page.get_by_role("heading", name=f"Layer {second // 4 + 1}, head {second % 4 + 1}").is_visible()
    box = page.locator(".maps-overview canvas").bounding_box()
    page.mouse.click(box["x"] + 20, box["y"] + 20)
    settled(page)
    first = order[0].item()
    assert page.get_by_role("heading", name=f"Layer {first // 4 + 1}, head {first % 4 + 1}").is_visible()
    assert violations(page) == []


def test_maps_follow_while_a_text_is_typed_and_warn_beyond_what_was_trained(look, settled):
    page = look("maps", {"text": "a" * 126}, height=1300)
    text = page.get_by_label("Text", exact=True)
    before = page.get_by_role("heading", name="Layer").first.inner_text()
    assert page.get_by_text("The model was made for up to 128 tokens").count() == 0
    text.focus()
    page.keyboard.press("End")
    page.keyboard.type("bcd")
    page.locator("[data-next='128']").wait_for()  # no key was pressed to apply it
    assert page.get_by_text("The model was made for up to 128 tokens, and reads 129").is_visible()
    assert page.get_by_role("heading", name="Layer").first.inner_text() == before  # the same head is looked at


def test_a_text_that_cannot_be_read_leaves_the_last_maps_dimmed(look, settled):
    look.forgiven.append("status of 400")
    page = look("maps", {"text": "hear me"})
    text = page.get_by_label("Text", exact=True)
    text.fill("hear mé")
    page.get_by_text("got 'é'; leave it out").wait_for()
    assert page.locator(".maps-head.stale canvas, .maps-all.stale canvas").count() >= 2
    text.fill("hear me speak")
    page.locator(".maps-next[data-next='12']").wait_for()
    assert page.locator(".stale").count() == page.locator(".maps .error").count() == 0


def test_two_models_stand_side_by_side(look, settled, violations):
    page = look("maps", {"model": "reversal/transformer", "other": {"model": "reversal/attention"}}, height=1300)
    assert page.get_by_role("heading", name="Second").count() == 1  # its LSTM has one layer of one head
    page.get_by_role("application", name="layers of heads, Cross-attention").first.press("Home")
    page.get_by_role("application", name="layers of heads, Cross-attention").first.press("ArrowUp")
    settled(page)
    assert page.get_by_role("heading", name="Layer 1, head 1").is_visible()
    assert page.locator(".maps-one").count() == 2
    assert violations(page) == []


def test_a_model_that_is_not_here_is_said_and_not_replaced(look, settled):
    page = look("maps", {"model": "nope"})
    assert page.get_by_text("There is no model called nope here.").is_visible()
    assert page.locator(".maps-top").count() == 0
    page.get_by_role("button", name="Look at language").click()
    settled(page)
    assert page.locator(".maps-top").is_visible()


def test_two_checkpoints_read_the_same_text(look, settled):
    page = look("maps")
    page.get_by_label("Compare with a second").check()
    settled(page)
    page.get_by_role("group", name="Second").get_by_label("Checkpoint").select_option(label="step 200, recorded")
    settled(page)
    chosen = [field.input_value() for field in page.get_by_label("Checkpoint", exact=True).all()]
    assert chosen == ["2000", "200"]
    assert len(set(page.locator(".maps-read").all_inner_texts())) == 1


def test_a_text_is_read_twice_to_find_induction(look, settled):
    page = look("maps", {"by": "induction", "text": "hear me"})
    page.get_by_role("button", name="Read the text twice").click()
    settled(page)
    assert page.get_by_label("Text", exact=True).input_value() == "hear me\nhear me"
    assert page.get_by_role("button", name="Read the text twice").count() == 0
    page.get_by_label("Show", exact=True).select_option("previous token")
    page.locator(".maps-tags").get_by_role("button", name="previous token").focus()
    assert page.get_by_role("tooltip").inner_text() == "It looks at the token just before the query."


def test_a_filter_shows_a_head_of_its_list_and_stays_with_another_model(look, settled):
    page = look("maps", {"layer": 0, "head": 0})
    show = page.get_by_label("Show", exact=True)

    def is_listed() -> bool:
        tags = page.locator(".maps-overview text.tag").all_text_contents()
        places = re.findall(r"^(\d+)·(\d+)", "\n".join(tags), re.MULTILINE)
        shown = page.locator(".maps-head h2").inner_text()
        return any([f"Layer {layer}, head {head}" in shown for layer, head in places])

    for pattern in ("first token", "previous token", "spread"):
        show.select_option(pattern)
        settled(page)
        assert is_listed(), pattern
    page.get_by_label("Model", exact=True).select_option("captions")
    settled(page)
    assert show.input_value() == "spread"
    assert is_listed()


def test_a_file_of_numbers_names_the_model_and_the_text(look):
    page = look("maps", {"model": "language", "text": "First Citizen"})
    said = re.escape("of language reading “")
    assert re.search(f'^"?query . key: Layer \\d, head \\d {said}', saved(page, "Numbers, CSV", 1).read_text("utf-8"))
    with np.load(saved(page, "Numbers, NPZ", 1)) as arrays:
        assert re.search(f"^Layer \\d, head \\d {said}", str(arrays["about"]))


def test_a_map_with_names_stays_in_its_place_and_its_picture_tells_what_is_framed(look):
    text = "First Citizen:\nBefore we proceed\n" * 2
    row = text_maps(text.strip())[2][0, 1, 9]
    key = int(row.argmax())
    page = look("maps", {"text": text.strip(), "layer": 2, "head": 1, "pin": [9, key]}, width=1440)
    drawn, room = page.locator(HEATMAP).bounding_box(), page.locator(".maps-pair").bounding_box()
    assert drawn["x"] + drawn["width"] <= room["x"] + room["width"]
    found = " ".join(texts(saved(page, "Picture, SVG", menu=1)))
    assert f"Framed: i looks at {text[key]}, {row[key]:.4f}." in found


def test_on_a_phone_a_head_that_is_touched_comes_into_sight(look, settled):
    page = look("maps", width=390, height=844)
    assert page.locator(f"{HEATMAP} text.tick").count() == 64  # the names of 32 queries and 32 keys
    grid = page.get_by_role("application", name="4 layers of heads")
    assert grid.bounding_box()["y"] > page.locator(HEATMAP).bounding_box()["y"]
    grid.scroll_into_view_if_needed()
    page.evaluate("() => scrollTo(0, document.documentElement.scrollHeight)")
    assert page.locator(HEATMAP).bounding_box()["y"] < 0
    box = grid.bounding_box()
    page.mouse.click(box["x"] + 60, box["y"] + 60)
    settled(page)
    assert page.get_by_role("heading", name="Layer 1, head 1").is_visible()
    assert 48 < page.locator(HEATMAP).bounding_box()["y"] < 300


def test_another_model_reads_the_same_text(look, settled):
    page = look("maps", {"text": "hear me speak"})
    page.get_by_label("Model", exact=True).select_option("captions")
    settled(page)
    assert page.get_by_label("Text", exact=True).input_value() == "hear me speak"
    page.get_by_label("Model", exact=True).select_option("digits-gaussian/seed-0")
    settled(page)
    page.get_by_label("Model", exact=True).select_option("language")
    settled(page)
    assert page.get_by_label("Text", exact=True).input_value() == "First Citizen:\nBefore we proceed"
    look.forgiven.append("status of 400")
    page = look("maps", {"model": "captions", "text": "猫 sits"})
    page.get_by_label("Model", exact=True).select_option("language")
    settled(page)
    assert page.get_by_label("Text", exact=True).input_value() == "猫 sits"
    page.get_by_role("button", name="Read an example").click()
    settled(page)
    assert page.locator(".maps-one .heatmap").is_visible()
