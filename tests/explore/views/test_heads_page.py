"""Heads on the grid in a browser: moved by mouse and by keys, played, and their numbers compared with the library's."""

import itertools
import json
import re
from urllib.parse import unquote

import numpy as np
import pytest
import torch

from regard.analysis.convolution.heads import ellipses, nearest_kernel
from regard.attention import Quadratic
from regard.explore.views.heads import KernelRequest, compute_kernel
from regard.explore.workspace import SHIPPED, Workspace
from regard.training import Recording
from tests.explore.conftest import outlast
from tests.explore.test_export import saved, texts

KEPT = Recording(SHIPPED / "digits-gaussian" / "seed-0" / "recording")


def bound_of(centres, precisions, query=(4, 4)) -> float:
    asked = KernelRequest(centres=centres, precisions=precisions, h=8, w=8, query=query)
    return compute_kernel(Workspace(), asked).header.convolution.bound


def recorded(step: int, layer: int) -> tuple[list, list]:
    kept = KEPT.read(step)
    return kept[f"heads.{layer}.centre"].tolist(), kept[f"heads.{layer}.precision"][:, None].tolist()


def shown(page) -> float:
    return float(page.locator("[data-bound]").get_attribute("data-bound"))


def state_of(page) -> dict:
    """The address follows after a moment."""
    outlast(page, 400)
    return json.loads(unquote(page.evaluate("location.hash").partition("?")[2]) or "{}")


def test_a_head_is_dragged_and_its_kernel_follows(look, settled, violations, shot):
    page = look("heads")
    centres, precisions = recorded(660, 0)
    assert shown(page) == pytest.approx(bound_of(centres, precisions), rel=1e-12)
    assert violations(page) == []
    shot(page, "heads")

    knob = page.locator('.heads-knob[data-head="4"]')
    box, pixel = knob.bounding_box(), page.locator(".heads-query").bounding_box()["width"]
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 2 * pixel, y + pixel, steps=4)
    page.mouse.up()
    settled(page)
    moved = state_of(page)["moved"]["0.4"]
    assert moved[:2] == pytest.approx([centres[4][0] + 1, centres[4][1] + 2], abs=0.2)
    assert moved[2:] == precisions[4]
    fit = nearest_kernel(
        Quadratic(torch.tensor([*centres[:4], moved[:2], *centres[5:]]), torch.tensor(precisions)[:, 0])
    )
    filled = sum(peak is not None and peak == tap for peak, tap in zip(fit.peaks, fit.taps, strict=True))
    assert page.locator("[data-bijection]").inner_text().startswith(f"At {filled} of 9 taps")
    assert shown(page) == pytest.approx(bound_of([*centres[:4], moved[:2], *centres[5:]], precisions), rel=1e-12)

    handle = page.locator("[data-handle] rect").bounding_box()
    page.mouse.move(handle["x"] + 5, handle["y"] + 5)
    page.mouse.down()
    page.mouse.move(handle["x"] + 45, handle["y"] + 5, steps=4)
    page.mouse.up()
    settled(page)
    assert state_of(page)["moved"]["0.4"][2] < precisions[4][0] / 2

    page.get_by_role("button", name="Make it a convolution").click()
    settled(page)
    assert page.locator("[data-bijection]").get_attribute("data-bijection") == "true"
    slider = page.get_by_role("slider", name="Sharpness")
    slider.press("End")
    settled(page)
    sharpness = state_of(page)["moved"]["0.0"][2]
    taps = list(itertools.product((-1, 0, 1), repeat=2))
    assert shown(page) == pytest.approx(bound_of(taps, [[sharpness]] * 9), rel=1e-9)
    assert shown(page) < 1e-11
    page.get_by_role("button", name="Back to the training").click()
    settled(page)
    assert shown(page) == pytest.approx(bound_of(centres, precisions), rel=1e-12)


def test_keys_move_heads_and_the_query_and_play_the_training(look, settled):
    page = look("heads", {"layer": 1, "step": 220, "head": 2}, reduced=True)
    centres, precisions = recorded(220, 1)
    assert page.get_by_role("heading", name="Layer 2, step 220").is_visible()
    assert shown(page) == pytest.approx(bound_of(centres, precisions), rel=1e-12)

    page.locator('.heads-knob[data-head="2"]').focus()
    for key in ("ArrowUp", "Shift+ArrowRight", "+"):
        page.keyboard.press(key)
    settled(page)
    row, column, precision = state_of(page)["moved"]["1.2"]
    assert (row, column) == pytest.approx((centres[2][0] - 0.1, centres[2][1] + 1), abs=0.011)
    assert precision == pytest.approx(precisions[2][0] / 1.1**2, rel=1e-3)
    assert page.evaluate("document.activeElement.dataset.head") == "2"

    page.locator(".heads-query").press("ArrowUp")
    settled(page)
    assert state_of(page)["query"] == [3, 4]
    page.keyboard.press("Space")  # who wants less motion goes a step further
    settled(page)
    assert page.get_by_role("heading", name="Layer 2, step 242, heads moved").is_visible()
    page.get_by_role("button", name="Layer 2").press("ArrowRight")
    settled(page)
    assert page.get_by_role("heading", name=re.compile("^Layer 3, step 242$")).is_visible()
    assert shown(page) == pytest.approx(bound_of(*recorded(242, 2), query=(3, 4)), rel=1e-12)


def test_playing_comes_to_the_end_and_rests_and_ellipses_are_the_librarys(look):
    page = look("heads", {"step": 572})
    page.get_by_role("button", name="Play").click()
    page.get_by_role("button", name="Pause").wait_for()
    page.get_by_role("heading", name="Layer 1, step 660").wait_for()
    page.get_by_role("button", name="Play").wait_for()
    assert page.locator('[data-curve="accuracy"]').inner_text() == "96.9 %"

    for precision in ([0.3], [0.25, 1.0], [2.0, 0.25], [1.0, 0.6, 0.6, 2.0], [2.0, -0.9, -0.9, 1.0]):
        script = "(m) => import('/bundle.js').then((part) => part.ellipseOf(m, 0.9))"
        found = page.evaluate(script, precision)
        shape = {1: (1,), 2: (1, 2), 4: (1, 2, 2)}[len(precision)]
        (same,) = ellipses(Quadratic(torch.zeros(1, 2), torch.tensor(precision, dtype=torch.float64).view(shape)))
        assert (found["long"], found["short"]) == pytest.approx(same.half_axes[1])
        assert found["angle"] % torch.pi == pytest.approx(same.angle, abs=1e-9)


def test_a_picture_and_numbers_hold_what_the_heads_make(look, settled):
    page = look("heads", {"moved": {"0.4": [0, 0, 1]}}, reduced=True)
    found = texts(saved(page, "Picture, SVG"))
    assert not found & {"Training", "Try it"}  # the form beside it
    assert any("Heads of digits-gaussian, seed-0: layer 1 at step" in text for text in found)  # the caption
    assert {"The kernel that the heads make", "Distance to a true convolution", "certificate"} <= found
    assert not {"Try it", "Next step", "Export"} & found
    centres, precisions = recorded(660, 0)
    centres[4], precisions[4] = [0, 0], [1]
    made = compute_kernel(
        Workspace(), KernelRequest(centres=centres, precisions=precisions, h=8, w=8, query=(4, 4))
    ).header
    with np.load(saved(page, "Numbers, NPZ")) as arrays:
        for name in ("bound", "worst", "measured"):
            assert arrays[name] == pytest.approx(getattr(made.convolution, name))
        assert arrays["taps"].tolist() == [list(one.tap) for one in made.heads]

    back = page.get_by_role("button", name="Back to the training")
    back.press("Enter")
    settled(page)
    assert back.get_attribute("aria-disabled") == "true"
    assert page.evaluate("document.activeElement.textContent") == "Back to the training"


@pytest.mark.slow
def test_an_address_out_of_range_comes_into_it(look):
    moved = {"0.1": "x", "0.2": [1], "0.3": {"a": 1}, "0.4": [1, 1, -3], "0.5": [1e9, 0, 1]}
    page = look("heads", {"query": 5, "layer": -4, "head": 99, "step": "x", "run": 5, "moved": moved})
    assert shown(page) == pytest.approx(bound_of(*recorded(660, 0)), rel=1e-12)
    assert look("heads", {"query": [-3, 99]}).locator("[data-query]").get_attribute("data-query") == "0,7"
    page = look("heads", {"run": "reversal"})
    assert page.get_by_text("The run reversal has recorded no gaussian heads; choose another.").is_visible()
    page.get_by_label("Run").select_option(label="digits-gaussian · seed-0")
    page.locator("[data-bound]").wait_for()


def test_how_far_heads_moved_is_listed_the_farthest_first(look):
    page = look("heads", {"layer": 1})
    first, last = (torch.tensor(recorded(step, 1)[0]) for step in (0, 660))
    theirs = (last - first).norm(dim=1)
    listed = page.locator("[data-moved]")
    order = [int(one.get_attribute("data-moved")) for one in listed.all()]
    assert order == theirs.argsort(descending=True).tolist()
    assert float(listed.first.locator("span").get_attribute("title")) == pytest.approx(theirs.max().item(), rel=1e-6)
    rows = saved(page, "Numbers, CSV").read_text("utf-8").splitlines()
    assert "heads and layers from 1, all else from 0" in rows[0]
    moved = [row.split(",") for row in rows if row.startswith("distance_moved")]
    assert [int(row[1]) for row in moved] == list(range(1, 10))
    assert [float(row[-1]) for row in moved] == pytest.approx(theirs.tolist(), rel=1e-6)
    filled = page.locator(".heads-tap:not(.off)").count()
    assert f"At {filled} of 9 taps" in page.locator("[data-bijection]").inner_text()


def test_no_two_heads_look_alike(look):
    """Six colours are filled first, then hollow."""
    dots = look("heads").locator("[data-moved]").locator("xpath=..").locator(".own")
    looks = dots.evaluate_all("""(all) => all.map((one) => { const { color, backgroundColor } = getComputedStyle(one);
      return `${color} ${backgroundColor}`; })""")
    assert len(looks) == len(set(looks)) == 9
