"""Patterns and cost, used by mouse and by keyboard; its numbers are the library's."""

import json
import re
from urllib.parse import quote

import numpy as np
import pytest

from regard.algorithms.planning.report import si
from regard.analysis import picture, reach
from regard.attention import Grid, Places, Sequence
from regard.attention.notation import parse_mask
from tests.explore.conftest import until
from tests.explore.test_export import saved

PATTERNS = (
    "previous token",
    "next token",
    "first token",
    "last token",
    "same token",
    "diagonal",
    "induction",
    "spread",
    "reversal",
)
SMALL = {"mask": "causal & window(16)", "tokens": 256, "heads": 4, "width": 32, "layers": 4}


def count(page, name: str) -> str:
    return page.locator(f"[data-count={name}]").inner_text()


def test_a_mechanism_is_chosen_written_and_compared(look, settled, server, violations, shot):
    page = look("patterns", SMALL)
    mask = parse_mask(SMALL["mask"])
    drawn = picture(mask, 256, block=128)
    assert count(page, "visible") == f"{drawn.counts.visible:,}"
    assert count(page, "most") == f"1 to {drawn.counts.most}"
    assert count(page, "visited") == f"{drawn.counts.visited}"

    asked = {name: SMALL[name] for name in ("mask", "tokens", "heads", "width")}
    plan = server.ask("plan", asked)
    assert page.locator("[data-chosen]").inner_text() == plan["chosen"]
    for one in plan["candidates"]:
        shown = page.locator(f"[data-cost='{one['name']} flops']")
        assert shown.all_inner_texts() == ([] if one["refusal"] else [si(one["flops"], "FLOP")])
        refusals = page.locator(f"[data-refusal={one['name']}]").all_text_contents()
        assert refusals == ([one["refusal"]] if one["refusal"] else [])

    growth = server.ask("growth", {"mask": SMALL["mask"], "heads": 4, "width": 32})
    for quantity, label in (("flops", "FLOPs"), ("seconds", "Time")):
        page.locator("fieldset label", has_text=label).click()
        (known,) = [
            one["tokens"]
            for one in growth["crossings"]
            if (one["quantity"], one["left"], one["right"]) == (quantity, "this mechanism", "full attention")
        ]
        assert page.locator("[data-crossing='this mechanism full attention']").inner_text() == f"N = {known:,}"

    page.get_by_label("Mask: who may see whom").fill("causal & windw(16)")
    settled(page)
    assert page.get_by_text("got 'windw' at character 10; did you mean window?").is_visible()
    assert count(page, "visible") == f"{drawn.counts.visible:,}"  # what was last understood stays

    page.get_by_text("Neighbours on a grid", exact=True).click()
    settled(page)
    grid = Grid(64, 64)
    assert count(page, "visible") == f"{picture(parse_mask('neighbours(3, 3)'), Places(grid, grid)).counts.visible:,}"
    here = [depth.here for depth in reach([parse_mask("neighbours(3, 3)")], grid, 12).depths]
    assert page.locator("[data-reached]").get_attribute("data-reached") == str(here[-1])
    assert violations(page) == []
    shot(page, "patterns-grid")


def test_everything_can_be_done_by_keyboard(look, settled, violations, shot):
    page = look("patterns", SMALL, width=820, dark=True)
    reached = page.locator("[data-reached]")
    theirs = reach([parse_mask(SMALL["mask"])], Sequence(256), 4)
    assert reached.get_attribute("data-reached") == str(theirs.depths[3].here) == "65"
    assert page.locator("[data-formula]").inner_text() == "min(i, 16·n) + 1"

    page.get_by_label("Show after").focus()
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("ArrowLeft")
    assert reached.get_attribute("data-reached") == str(theirs.depths[1].here)

    page.get_by_role("application", name="Mask of causal & window(16)").focus()
    for key in ("ArrowDown", "Home", "Enter"):  # to the query that is followed, its first key
        page.keyboard.press(key)
    for _ in range(3):
        page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    settled(page)
    followed = theirs.output - 3
    assert re.search(rf"33 of 256 tokens reach token {followed} ", page.locator("p", has=reached).inner_text())

    page.get_by_role("slider", name="Tokens N").focus()
    page.keyboard.press("ArrowRight")
    settled(page)
    assert count(page, "visible") == f"{picture(parse_mask(SMALL['mask']), 384).counts.visible:,}"
    page.wait_for_function("""() => decodeURIComponent(location.hash).includes('"tokens":384')""")
    assert violations(page) == []
    shot(page, "patterns-dark")


@pytest.mark.slow
def test_a_saved_file_says_what_it_cannot_change(look, offline, tmp_path, violations):
    path = tmp_path / "patterns.html"
    path.write_bytes(saved(look("patterns", SMALL), "This view, HTML").read_bytes())
    page = offline(path)
    for name in ("Tokens N", "Heads", "Layers", "Follow token"):
        assert page.get_by_role("slider", name=name, exact=True).is_disabled()
    assert page.get_by_label("Mask: who may see whom").is_disabled()
    assert page.get_by_text("run regard explore to change").count() == 2
    page.get_by_label("Show after").press("ArrowLeft")
    assert page.get_by_text("After 3 layers").is_visible()
    assert violations(page) == []


@pytest.mark.slow
def test_an_address_out_of_range_comes_into_it(look):
    wrong = {
        "tokens": -5,
        "heads": 0,
        "grid": -1,
        "width": 1e9,
        "output": -3,
        "depth": -1,
    }
    page = look("patterns", {**SMALL, **wrong, "mask": "causal"})
    assert page.get_by_label("In short").inner_text().startswith("1 token, 1 head of width 1,024 on NVIDIA H200:")
    page = look("patterns", {**SMALL, "tokens": 1e9})
    assert page.get_by_label("In short").inner_text().startswith("131,072 tokens, 4 heads")
    page = look("patterns", {**SMALL, "mask": "axial", "grid": [0, 999.4]})
    assert count(page, "visible") == f"{256 * 256:,}"


def test_what_does_not_fit_into_the_machine_is_said(look):
    large = {"mask": "causal & window(256)", "tokens": 131072, "heads": 64, "batch": 64, "device": "h200"}
    page = look("patterns", large)
    needs = (
        4 * 64 * 64 * 131072 * 64 * 2 + 64 * 64 * 131072 * 4
    ) / 1e9  # q, k, v, o in bfloat16; a float for each query
    assert f"needs {needs:.0f} GB" in page.locator("[data-too-large]").inner_text()
    assert "141 GB" in page.locator("[data-too-large]").inner_text()
    assert look("patterns", SMALL).locator("[data-too-large]").count() == 0


def test_an_engineer_types_a_length_and_reads_whether_it_fits(look, settled, server):
    sizes = {"mask": "causal", "heads": 64, "width": 128}
    page = look("patterns", sizes)
    cell = page.get_by_label("Tokens N, typed")
    for text, batch in (("32k", 1), ("65,536", 64)):
        cell.fill(text)
        cell.press("Enter")
        page.get_by_label("Batch, typed").fill(str(batch))
        page.get_by_label("Batch, typed").press("Enter")
        settled(page)
        tokens = {"32k": 32768, "65,536": 65536}[text]
        plan = server.ask("plan", sizes | {"tokens": tokens, "batch": batch})
        needed = plan["inputs"] + plan["candidates"][0]["memory"]
        fits = page.locator("[data-fits]")
        assert fits.get_attribute("data-fits") == str(needed <= plan["room"] == 141e9).lower()
        assert si(needed, "B") in fits.inner_text()
        assert f"{tokens:,} tokens" in page.locator(".patterns-short").inner_text()


def test_heads_may_share_keys_and_values(look, settled, server):
    page = look("patterns", {"mask": "causal & window(4096)", "tokens": 32768, "heads": 32, "device": "a100"})
    short = page.get_by_label("In short")
    page.get_by_label("Key-value heads").select_option("8")
    settled(page)
    assert short.inner_text().startswith("32,768 tokens, 32 heads on 8 of keys and values of width 64 on NVIDIA A100")
    asked = {"mask": "causal & window(4096)", "tokens": 32768, "heads": 32, "groups": 8, "device": "a100"}
    found = server.ask("plan", asked)
    assert si(found["inputs"] + found["candidates"][0]["memory"], "B") in short.inner_text()
    page.get_by_label("Heads, typed", exact=True).fill("12")  # which 8 does not divide
    page.get_by_label("Heads, typed", exact=True).press("Enter")
    settled(page)
    assert page.get_by_label("Key-value heads").locator("option").all_inner_texts() == [
        "12, as many",
        "6",
        "4",
        "3",
        "2",
        "1",
    ]
    assert short.inner_text().startswith("32,768 tokens, 12 heads of width 64")


def test_the_numbers_of_a_mask_say_what_they_are_of(look, tmp_path):
    page = look("patterns", {"mask": "causal", "tokens": 1024})
    with np.load(saved(page, "Numbers, NPZ")) as file:
        assert file["mask.rows"].tolist() == file["mask.columns"].tolist() == [str(2 * place) for place in range(512)]
        assert "A cell is 2 × 2 pairs. The mark: query 1,023. Numbers: 0 hidden, 1 visible in part" in str(
            file["about"]
        )
        assert (file["mask"].diagonal() == 1).all()


def test_an_algorithm_has_one_colour_and_one_definition(look, server):
    page = look("patterns", SMALL | {"compare": "algorithms"})
    look_of = "(all) => Object.fromEntries(all.map((one) => [one.innerText.trim().split(/\\s/)[0], "
    look_of += "['class', 'stroke-dasharray'].map((name) => one.querySelector('line').getAttribute(name))]))"
    plan = page.locator(".patterns-plan tbody tr:not(.patterns-full) th").evaluate_all(look_of)
    curves = page.locator(".chart .keys").first.locator("li").evaluate_all(look_of)
    both = plan.keys() & curves.keys()
    assert len(both) > 2
    assert {name: plan[name] for name in both} == {name: curves[name] for name in both}
    known = page.evaluate("async () => Object.keys((await import('/bundle.js')).WORDS)")
    assert {*server.ask("presets")["algorithms"], *PATTERNS} <= set(known)


def test_a_preset_keeps_the_sizes(look, settled):
    page = look("patterns", SMALL)
    for title in ("Causal", "Neighbours on a grid", "Sliding window"):
        page.get_by_text(title, exact=True).click()
        settled(page)
    assert page.get_by_label("Tokens N, typed").input_value() == "256"
    page.get_by_label("tokens on a grid").check()
    page.get_by_label("Rows, typed").fill("16")
    page.get_by_label("Rows, typed").press("Enter")
    page.get_by_text("Axial", exact=True).click()
    settled(page)
    assert page.get_by_label("Rows, typed").input_value() == "16"


def test_old_results_are_dimmed_until_the_new_ones_come(look, settled):
    page = look("patterns", SMALL)
    panel = page.locator(".panel", has=page.get_by_role("heading", name="How the cost grows"))
    held = []
    page.route("**/api/growth", lambda route: held.append(route))
    page.get_by_text("Causal", exact=True).click()
    page.wait_for_function("() => document.querySelectorAll('.panel[aria-busy=true]').length === 1")
    assert panel.get_attribute("aria-busy") == "true"
    page.wait_for_function("() => Number(getComputedStyle(document.querySelector('.stale > .row')).opacity) < 0.5")
    until(page, lambda: held)
    held[0].continue_()
    settled(page)
    assert panel.get_attribute("aria-busy") is None
    page.get_by_label("Mask: who may see whom").fill("causl")
    settled(page)
    assert page.locator(".outdated").count() == 1
    assert page.get_by_text("what follows is of causal.").is_visible()


def test_a_mask_of_fixed_lengths_is_not_drawn_further(look, settled):
    page = look("patterns", SMALL | {"mask": "documents(40, 24)", "tokens": 100})
    assert page.get_by_text("no growth is drawn").is_visible()
    assert "hold 64 tokens, and N is 100: the last 36 are padding" in page.locator(".patterns-lengths").inner_text()
    page.get_by_role("button", name="Use N = 64").click()
    settled(page)
    assert count(page, "most") == "24 to 40"
    assert page.locator(".patterns-lengths").count() == 0


def test_ticks_have_no_units_that_are_not_theirs(look):
    page = look("patterns", SMALL)
    panel = page.locator(".panel", has=page.get_by_role("heading", name="How the cost grows"))
    ticks = panel.locator(".axes text:not(.name)")
    assert [one for one in ticks.all_text_contents() if not re.fullmatch(r"\d+( [kMGTP])?", one)] == []


def test_sizes_are_seen_without_scrolling_and_whole(look):
    page = look("patterns", SMALL | {"tokens": 131072}, width=1440, height=900)
    cell = page.get_by_label("Tokens N, typed")
    assert cell.bounding_box()["y"] + cell.bounding_box()["height"] < 900
    assert cell.evaluate("(one) => one.scrollWidth <= one.clientWidth")


def test_what_is_typed_is_undone_by_the_same_history(look, settled):
    page = look("patterns", SMALL)
    field = page.get_by_label("Mask: who may see whom")
    for mask in ("causal", "everything"):
        field.fill(mask)
        page.wait_for_function('(mask) => decodeURIComponent(location.hash).includes(`"${mask}"`)', arg=mask)
    for where, mask in ((field, "causal"), (page.get_by_role("slider", name="Heads"), SMALL["mask"])):
        where.focus()
        page.keyboard.press("Control+z")
        until(page, lambda mask=mask: field.input_value() == mask)
    settled(page)
    assert field.input_value() == SMALL["mask"]


def test_on_a_phone_the_answer_is_first_and_stays_while_sizes_change(look, settled):
    page = look("patterns", SMALL, width=390, height=844)
    short = page.get_by_label("In short")
    assert short.bounding_box()["y"] < page.get_by_role("heading", name="Mechanism").bounding_box()["y"]
    page.get_by_role("textbox", name="Tokens N, typed").scroll_into_view_if_needed()
    page.evaluate("() => scrollBy(0, 300)")
    before = short.inner_text()
    box = short.bounding_box()
    assert (box["y"] >= 48, box["y"] + box["height"] < 200) == (True, True)
    page.get_by_role("textbox", name="Tokens N, typed").fill("2k")
    page.keyboard.press("Enter")
    settled(page)
    assert short.inner_text() != before
    table = page.get_by_role("region", name="Algorithms and their costs").bounding_box()
    time = page.locator("[data-cost$=seconds]").first.bounding_box()
    memory = page.locator("[data-cost$=memory]").first.bounding_box()
    assert time["x"] < memory["x"] + memory["width"] <= table["x"] + table["width"]  # what decides needs no scrolling


def test_without_content_heads_have_no_width_of_keys(look):
    said = look("patterns", SMALL | {"scores": "table"}).get_by_label("In short").inner_text()
    assert "4 heads with values of width 32 on" in said


def test_curves_keep_their_colours_when_one_is_not_drawn(look, settled):
    def colours(page) -> dict[str, str]:
        keys = page.locator(".panel", has_text="How the cost grows").locator(".keys li")
        lines = keys.evaluate_all("(all) => all.map((one) => [one.innerText, one.querySelector('line').classList[0]])")
        return dict(lines)

    page = look("patterns", SMALL)
    whole = colours(page)
    assert list(whole) == ["this mechanism", "full attention", "projections"]
    free = colours(look("patterns", {"mask": "everything", "scores": "gaussian", "weighting": "hard", "grid": [8, 8]}))
    assert 0 < len(free) < 3  # an index shift takes no FLOPs
    assert free.items() <= whole.items()


def test_a_finger_reads_a_pair_of_the_map(look, settled):
    page = look.window(width=390, height=844, touch=True)
    page.goto(f"{look.url}#patterns?{quote(json.dumps({'mask': 'causal', 'tokens': 8}))}")
    settled(page)
    told = page.locator(".patterns-point")
    assert told.inner_text().startswith("Touch the map")
    canvas = page.locator(".patterns-framed canvas")
    side = canvas.bounding_box()["width"] / 8
    canvas.tap(position={"x": 2.5 * side, "y": 4.5 * side})
    settled(page)
    assert told.inner_text() == "query 4, key 2: visible. The query sees 5 keys: 0–4."
    frame, box = page.locator(".patterns-framed .pinned").bounding_box(), canvas.bounding_box()
    place = (frame["x"] + frame["width"] / 2 - box["x"], frame["y"] + frame["height"] / 2 - box["y"])
    assert tuple(int(one // side) for one in place) == (2, 4)  # what was touched, not the diagonal
    assert told.bounding_box()["y"] < box["y"] + box["height"] + 100
    sizes = page.get_by_role("heading", name="Sizes and machine").bounding_box()
    assert box["y"] + box["height"] < sizes["y"]


def test_a_small_map_has_numbers_and_a_large_one_has_none(look):
    for tokens, names in ((8, [*"01234567"] * 2), (64, [])):
        page = look("patterns", {"mask": "causal", "tokens": tokens})
        assert page.locator(".patterns-framed .tick").all_text_contents() == names
        assert page.locator(".patterns-framed .rules").count() == bool(names)
