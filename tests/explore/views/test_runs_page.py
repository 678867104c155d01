"""The runs view in a browser: numbers of the files, and a training that goes on while somebody looks."""

import shutil
from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

from regard.explore.views.runs import METRICS
from regard.explore.workspace import SHIPPED
from regard.recipes import create_run, read_run
from regard.training import Metrics
from tests.explore.test_export import saved, texts

if TYPE_CHECKING:
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.explore.conftest import Look, Offline, Server

CHART = ".runs-charts svg[role=img]"


def test_runs_are_chosen_and_compared_by_keyboard(
    look: "Look",
    settled: "Callable[[Page], None]",
    violations: "Callable[[Page], list[str]]",
    shot: "Callable[[Page, str], object]",
) -> None:
    page = look("runs", {"run": "language"})
    shipped = read_run(SHIPPED / "language")
    assert shipped.headline is not None
    detail = page.locator(".runs-detail")
    assert detail.locator(".runs-result").inner_text() == shipped.headline
    assert detail.get_by_text("Comes with regard; made with").is_visible()
    assert detail.get_by_role("group", name="Command").inner_text() == shipped.command

    lines = Metrics(shipped.folder / "decoder" / METRICS).read()
    page.locator(CHART).first.focus()
    page.keyboard.press("ArrowRight")
    assert detail.locator("figcaption.reading").first.inner_text() == f"step 20: decoder {lines[0]['loss']:.4f}"
    page.get_by_label("Number at evaluations").select_option("accuracy")
    assert f"{lines[-1]['accuracy']:.4f} at 2,000" in (page.locator(CHART).nth(1).get_attribute("aria-label") or "")
    page.locator("fieldset").get_by_text("gradient", exact=True).click()
    assert f"decoder: {lines[0]['gradient']:.4f} at step 20" in (
        page.locator(CHART).first.get_attribute("aria-label") or ""
    )

    page.wait_for_function(
        "() => [...document.querySelectorAll('.runs-report img')].filter((one) => one.naturalWidth > 100).length === 3"
    )
    page.get_by_text("All numbers").click()
    row = page.get_by_role("group", name="All numbers").get_by_role("row").first
    assert shipped.result is not None
    assert row.inner_text().split("\t")[0] == "bits per character"
    assert row.locator("td").inner_text() == f"{shipped.result['bits per character']:.4f}"

    page.get_by_role("button", name="digits-gaussian").focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")  # the next one, reversal
    settled(page)
    assert detail.locator(".runs-result").inner_text() == read_run(SHIPPED / "reversal").headline
    page.get_by_label("compare language").focus()
    page.keyboard.press("Space")
    settled(page)
    keys = page.get_by_role("list", name="Curves").get_by_role("listitem").all_inner_texts()
    assert keys == ["reversal · attention", "reversal · transformer", "language · decoder"]
    assert not violations(page)
    shot(page, "runs")


def test_a_training_is_followed_while_it_goes_on(
    look: "Look", server: "Server", violations: "Callable[[Page], list[str]]", shot: "Callable[[Page, str], object]"
) -> None:
    config = {"training": {"steps": 400}}
    run = create_run(server.runs / "followed", recipe="reversal", config=config, command="regard train reversal")
    (run.folder / "plain").mkdir()
    metrics = Metrics(run.folder / "plain" / METRICS)
    try:
        with run.lock():
            metrics.write(step=100, loss=1.25)
            page = look("runs", {"run": "followed"}, dark=True)
            bar = page.locator("[data-training=plain]")
            assert "step 100 of 400" in bar.inner_text()
            metrics.write(step=200, loss=0.75)
            bar.get_by_text("step 200 of 400").wait_for()
            page.locator(f"{CHART}[aria-label*='0.7500 at 200']").wait_for()
            assert "steps/s" in bar.inner_text()
            assert bar.get_by_role("progressbar").get_attribute("value") == "200"
            (run.folder / "next").mkdir()
            (run.folder / "next" / METRICS).touch()  # the next training is about to begin
            metrics.rewind(100)  # it was killed and resumed
            metrics.write(step=150, loss=0.5)
            page.locator(f"{CHART}[aria-label*='1.2500 at step 100, 0.5000 at 150']").wait_for()
            assert not violations(page)
            shot(page, "runs-live")
            run.finish(numbers={"right": 1.0}, headline="all **right**", report="It **ended**.", claims={})
        page.locator(".runs-detail").get_by_text("done", exact=True).wait_for()
        page.locator(".runs-report strong", has_text="ended").wait_for()
        assert page.locator("[data-training]").count() == 0
        assert page.locator(".runs-result").inner_text() == "all **right**"
    finally:
        shutil.rmtree(run.folder)


@pytest.mark.slow
def test_a_picture_has_the_curves_and_a_file_the_runs_that_were_compared(
    look: "Look", offline: "Offline", tmp_path: "Path"
) -> None:
    page = look("runs", {"run": "language", "compared": ["reversal", 7], "smoothing": 9})
    found = texts(saved(page, "Picture, SVG"))
    assert {"During training", "At evaluations", "language · decoder"} <= found
    assert any(text.startswith("language, reversal: loss during training, smoothed, and evaluations") for text in found)
    assert not {"Copy", "Smoothing", "Settings", "Report"} & found
    path = tmp_path / "runs.html"
    path.write_bytes(saved(page, "This view, HTML").read_bytes())
    file = offline(path)
    assert file.get_by_text("run regard explore to see other runs").is_visible()
    for name in ("reversal", "language"):
        file.locator(".runs-pick", has_text=name).first.click()
        assert file.locator(".runs-title").inner_text() == name
        assert file.locator(".runs-pick").count() == 2


def test_a_run_has_its_own_colour_whatever_it_is_compared_with(look: "Look") -> None:
    def colours(run: str, *compared: str) -> dict[str, str]:
        page = look("runs", {"run": run, "compared": list(compared)})
        curves = page.locator(".runs-charts section").first.locator("path.curve")
        classes = curves.evaluate_all("(all) => all.map((one) => one.classList[1])")
        names = page.get_by_role("list", name="Curves").get_by_role("listitem").all_inner_texts()
        return dict(zip([name.partition(" · ")[0] for name in names] or [run], classes, strict=True))

    both = colours("language", "captions")
    assert len(set(both.values())) == 2
    assert colours("captions", "language") == both
    assert colours("captions") == {"captions": both["captions"]}
    assert colours("language", "captions", "objectives")["captions"] == both["captions"]
