"""What a user takes along: figures as they are seen, the library's numbers, and a view that opens without a server."""

import base64
import csv
import io
import json
import re
import shutil
import struct
import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from regard.explore import export
from regard.explore.api import find_endpoint
from regard.explore.requests import STATES
from regard.explore.server import PAGE
from regard.explore.workspace import Workspace
from tests.explore.conftest import Offline
from tools import bundle

if TYPE_CHECKING:
    from playwright.sync_api import Page

SVG = "{http://www.w3.org/2000/svg}"
SAVED = ("maps", *[pytest.param(view, marks=pytest.mark.slow) for view in ("heads", "patterns", "claims", "runs")])
# All kinds of things that a picture is made of, beside what the views use.
THINGS = r"""async () => {
  const { drawFigure } = await import("/bundle.js");
  const place = document.createElement("div");
  place.className = "regard";
  place.innerHTML = `<p class="two">one line<br>another &lt; &amp; line</p><p hidden>not seen</p>
    <span class="unseen">for readers</span><div data-unpictured>left out</div>
    <input type="range" min="0" max="4" value="1"><input type="checkbox" checked>
    <input class="cell" type="text" value="7 &quot;cells&quot;"><select><option>first<option selected>second</select>
    <button>pressed</button><table><tr><th><button>named</button></th></tr></table>
    <canvas class="few"></canvas><canvas class="many" width="9" height="9"></canvas>
    <svg width="40" height="20"><circle class="dot curve-2" cx="5" cy="5" r="4"/><text x="1" y="9">inside</text></svg>
    <math><mfrac><mi>a</mi><mn>12</mn></mfrac></math>`;
  document.querySelector("main").append(place);
  place.querySelector(".two").firstChild.data += "\u0000\u0007";
  const colours = ["rgb(1, 2, 3)", "rgb(4, 5, 6)"];
  place.querySelector(".few").cells = { rows: 2, columns: 3, colour: (r, c) => colours[r === 1 && c > 0 ? 1 : 0] };
  place.querySelector(".many").cells = { rows: 65, columns: 64, colour: () => "rgb(9, 9, 9)" };
  const text = drawFigure(place, "Things & more", "What they are called");
  place.remove();
  return text;
}"""


def test_the_bundle_is_of_these_sources():
    for name in ("bundle.js", "bundle.css"):
        first = (PAGE / name).read_text("utf-8").partition("\n")[0]
        assert first == f"/* sources {bundle.hash_sources()} */", f"{name} is out of date: run python tools/bundle.py"


def test_the_bundle_is_what_esbuild_makes(tmp_path: Path):
    if shutil.which("npx") is None:
        pytest.skip("esbuild needs npm: got none; the hash of the sources is checked all the same")
    try:
        bundle.make_bundle(tmp_path)
    except subprocess.CalledProcessError:
        pytest.skip("npm could not give esbuild; the hash of the sources is checked all the same")
    for name in ("bundle.js", "bundle.css"):
        assert (tmp_path / name).read_bytes() == (PAGE / name).read_bytes()


def test_styles_reach_nothing_outside():
    """All rules are inside `@scope (.regard)`; keyframes, which cannot be, have names of their own."""
    css = re.sub(r"/\*.*?\*/", "", (PAGE / "bundle.css").read_text("utf-8"), flags=re.S)
    depth, start, heads = 0, 0, list[str]()
    for found in re.finditer(r"[{}]", css):
        if found[0] == "{" and depth == 0:
            heads.append(css[start : found.start()].strip())
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            start = found.end()
    assert "@scope(.regard)" in heads
    assert all(head == "@scope(.regard)" or head.startswith("@keyframes regard-") for head in heads), heads


def test_numbers_become_a_file_of_numpy():
    endpoint, values = find_endpoint("npz"), np.array([[1.5, np.nan], [-2.0, 1e300]])
    data = base64.b64encode(values.tobytes()).decode()
    found = endpoint.answer(Workspace(), endpoint.parse({"arrays": {"a": {"shape": [2, 2], "data": data}}}))
    with np.load(io.BytesIO(found.data)) as arrays:  # type: ignore[union-attr]
        assert np.array_equal(arrays["a"], values, equal_nan=True)
    names = {"axes": ["query", "key"], "rows": ["the", "cat"], "columns": ["the", "β"]}
    found = endpoint.answer(Workspace(), endpoint.parse({"arrays": {"a": {"shape": [2, 2], "data": data} | names}}))
    with np.load(io.BytesIO(found.data)) as arrays:  # type: ignore[union-attr]
        assert {name: arrays[f"a.{name}"].tolist() for name in names} == names
    short = endpoint.parse({"arrays": {"a": {"shape": [2, 2], "data": data, "rows": ["the"]}}})
    with pytest.raises(ValueError, match="a must have 2 names of its rows: got 1; name all or none"):
        endpoint.answer(Workspace(), short)
    for shape, text in (([3], data), ([2, 2], "!"), ([2, 2], "AAAA")):
        with pytest.raises(ValueError, match=r"a must be float64 of shape \("):
            endpoint.answer(Workspace(), endpoint.parse({"arrays": {"a": {"shape": shape, "data": text}}}))


def test_a_file_holds_what_it_is_given_and_ends_where_it_should():
    hostile = {"text": "</script><script>alert(1)</script><!--"}
    text = export.make_document("playground", hostile, [["example", {}, hostile]])
    assert text.count("</script>") == 2
    assert "<!--" not in text
    data = re.search(r'id="regard-saved">(.*?)</script>', text, re.S)
    assert data is not None
    saved = json.loads(data[1])
    assert saved["state"] == hostile
    assert saved["answers"] == [["example", {}, hostile]]
    assert "default-src 'none'" in text
    assert not re.search(r'(?:src|href)="', text.partition("</head>")[0])


def test_a_file_that_is_too_large_is_refused():
    with pytest.raises(ValueError, match="at most 24 MB of answers: got 25 MB; show fewer"):
        export.make_document("maps", {}, [["tile", {}, "A" * 25 * 2**20]])


def test_answers_are_recorded_as_they_are_given():
    workspace, wanted = Workspace(), [("example", {}), ("playground", {"x": "no matrix"})]
    ((name, asked, reply),) = export.record_answers(workspace, wanted)
    one = find_endpoint("example")
    assert (name, asked, reply) == ("example", {}, json.loads(one.answer(workspace, one.parse({})).model_dump_json()))


def test_the_question_gives_the_same_file_as_python():
    one = find_endpoint("frame")
    frame = one.answer(Workspace(), one.parse({}))
    text = export.make_document("runs", {}, [])
    assert text.startswith(frame.before)
    assert text.endswith(frame.after)


def saved(page: "Page", item: str, menu: int = 0) -> Path:
    page.get_by_role("button", name="Export").nth(menu).click()
    with page.expect_download() as found:
        page.get_by_role("menuitem", name=item).click()
    assert found.value.suggested_filename.endswith(f".{item.rpartition(' ')[2].lower()}")
    return Path(found.value.path())


def texts(path: Path) -> set[str]:
    return {"".join(one.itertext()) for one in ET.parse(path).iter(f"{SVG}text")}


def test_the_menu_is_used_by_keys_and_gives_pictures(look: Any, violations: "Callable[[Page], list[str]]"):
    page = look("playground")
    button = page.get_by_role("button", name="Export")
    button.focus()
    page.keyboard.press("ArrowDown")
    for item in ("Picture, SVG", "Picture, PNG", "Numbers, CSV"):
        assert page.get_by_role("menuitem", name=item).evaluate("(one) => one === document.activeElement"), item
        page.keyboard.press("ArrowDown")
    assert violations(page) == []
    page.keyboard.press("Escape")
    assert page.get_by_role("menu").count() == 0
    assert button.evaluate("(one) => one === document.activeElement")
    path = saved(page, "Picture, SVG")
    shown = set(page.locator(".value").all_inner_texts())
    assert len(shown) > 20
    assert shown | {"she", "reads", "old", "books"} <= texts(path)  # names of tokens are fields
    assert not {"Export", "×", "Add a token"} & texts(path)
    assert "The framed row is “reads”, the query." in " ".join(sorted(texts(path), key=len)[-3:])
    assert "foreignObject" not in path.read_text("utf-8")
    root = ET.parse(path).getroot()
    head = saved(page, "Picture, PNG").read_bytes()[:24]
    assert struct.unpack(">II", head[16:]) == (2 * int(root.get("width", 0)), 2 * int(root.get("height", 0)))
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy a link").click()
    page.get_by_text("The link to what you see was copied").wait_for()
    assert page.evaluate("() => navigator.clipboard.readText()") == page.evaluate("location.href")


def test_a_picture_holds_all_kinds_of_things(look: Any):
    page = look("runs")
    root = ET.fromstring(page.evaluate(THINGS))
    words = ["".join(one.itertext()) for one in root.iter(f"{SVG}text")]
    for word in ("What they are called", "one line", "another < & line", '7 "cells"', "named", "inside", "a", "12"):
        assert word in words, word
    assert not {"not seen", "for readers", "left out", "first", "second", "pressed"} & set(words)
    assert root.findtext(f"{SVG}title") == "Things & more"
    cells = [one for one in root.iter(f"{SVG}rect") if one.get("fill") in ("#010203", "#040506")]
    assert [one.get("fill") for one in cells] == ["#010203", "#010203", "#040506"]  # runs of a colour are one
    wide = [float(one.get("width", 0)) for one in cells]
    assert wide[0] == pytest.approx(300)
    (image,) = root.iter(f"{SVG}image")
    assert image.get("{http://www.w3.org/1999/xlink}href", "").startswith("data:image/png;base64,")
    circles = {one.get("r"): one.get("fill") for one in root.iter(f"{SVG}circle")}
    assert circles == {"4": "#c2570c"}  # of the style sheet; the slider has no knob
    assert len(list(root.iter(f"{SVG}line"))) == 1  # the bar of the fraction


def test_numbers_are_those_of_the_library(look: Any, server: Any):
    page = look("playground", {"mask": "causal"})
    reply = server.ask("playground", server.ask("example")["problem"] | {"mask": "causal"})
    with np.load(saved(page, "Numbers, NPZ")) as arrays:
        assert np.array_equal(arrays["weights"], np.array(reply["weights"]).reshape(arrays["weights"].shape))
        logits = np.array(reply["logits"], dtype=float)  # null, where hidden, is NaN
        assert np.isnan(logits).sum() == 12
        assert np.array_equal(arrays["logits"], logits.reshape(arrays["logits"].shape), equal_nan=True)
    rows = list(csv.reader(io.StringIO(saved(page, "Numbers, CSV").read_text("utf-8"))))
    found = [row[-1] for row in rows if row[0] == "logits"]
    assert [float(one) if one else None for one in found] == [
        z for head in reply["logits"] for row in head for z in row
    ]


def test_a_saved_view_opens_without_a_server(look: Any, offline: Offline, tmp_path: Path, server: Any):
    page = look("playground", {"query": 1})
    path = tmp_path / "view.html"
    path.write_bytes(saved(page, "This view, HTML").read_bytes())
    for dark in (False, True):
        file = offline(path, dark=dark)
        assert file.locator(".value").all_inner_texts() == page.locator(".value").all_inner_texts()
        assert file.title() == "Playground · regard"
        ground = "rgb(18, 20, 26)" if dark else "rgb(247, 248, 251)"
        assert file.evaluate("() => getComputedStyle(document.body).backgroundColor") == ground
    file = offline(path)
    assert re.search(
        r"Saved from regard [\d.]+ on \d{4}-\d\d-\d\d; regard explore shows it live", file.inner_text("footer")
    )
    file.get_by_role("button", name="Export").click()
    assert file.get_by_role("menuitem").all_inner_texts() == [
        "Picture, SVG",
        "Picture, PNG",
        "Numbers, CSV",
    ]
    with file.expect_download() as found:
        file.get_by_role("menuitem", name="Numbers, CSV").click()
    rows = list(csv.reader(io.StringIO(Path(found.value.path()).read_text("utf-8"))))
    weights = np.array(server.ask("playground", server.ask("example")["problem"])["weights"])
    assert [float(row[-1]) for row in rows if row[0] == "weights"] == weights.flatten().tolist()
    assert file.get_by_role("radio", name="causal").is_disabled()  # what the file cannot answer
    assert "run regard explore to change anything else" in file.inner_text("main, body")
    file.get_by_role("button", name="Go deeper").click()  # with it, another word, and another place of the slider
    file.locator("[data-stage=softmax]").get_by_role("button", name="old").click()
    file.get_by_role("heading", name="How the weights of “old” respond to its logits").wait_for()
    norm = float(file.locator("[data-norm]").inner_text())
    file.get_by_role("slider", name="β").press("Home")
    file.wait_for_function("(norm) => Number(document.querySelector('[data-norm]').innerText) !== norm", arg=norm)
    file.locator("table:has(caption:text-is('weights')) .value[title='0.25']").first.wait_for()


@pytest.mark.slow
def test_a_view_that_is_too_large_says_so(look: Any, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(export, "MAX_ANSWERS", 2**20 // 8)
    export._frame.cache_clear()
    try:
        page = look("playground")
        page.get_by_role("button", name="Export").click()
        page.get_by_role("menuitem", name="This view, HTML").click()
        page.get_by_role("menu").get_by_text("at most 0.125 MB of answers: got more; show fewer").wait_for()
    finally:
        export._frame.cache_clear()


@pytest.mark.parametrize("view", SAVED)
def test_every_view_is_saved_with_all_that_it_shows(look: Any, offline: Offline, tmp_path: Path, view: str):
    page = look(view)
    path = tmp_path / f"{view}.html"
    path.write_bytes(saved(page, "This view, HTML").read_bytes())
    file = offline(path)
    assert file.locator(".error").all_inner_texts() == []
    assert file.locator("section.panel").count() == page.locator("section.panel").count() or view == "claims"
    ET.parse(saved(file, "Picture, SVG"))


@pytest.mark.slow
@pytest.mark.parametrize("view", STATES)
def test_pictures_have_captions_and_numbers_have_names(look: Any, view: str):
    """Every menu of a view: no control or hint in the picture, a caption under it, and names for all axes."""
    page = look(view)
    unwanted = page.evaluate(
        "() => [...document.querySelectorAll("
        "'main :is(.hint, .control label, .choice legend, details:not([open]) summary)')]"
        ".map((one) => one.innerText.trim()).filter((text) => text.length > 8)"
    )
    for menu in range(page.get_by_role("button", name="Export").count()):
        found = texts(saved(page, "Picture, SVG", menu))
        assert not set(unwanted) & found
        lines = sorted(found, key=len)
        assert lines[-1].count(" ") >= 4  # a sentence
        button = page.get_by_role("button", name="Export").nth(menu)
        button.click()
        has_numbers = page.get_by_role("menuitem", name="Numbers, NPZ").count() == 1
        button.click()
        if not has_numbers:
            continue
        with np.load(saved(page, "Numbers, NPZ", menu)) as arrays:
            for name in [one for one in arrays.files if one.rpartition(".")[2] not in ("axes", "rows", "columns")]:
                if arrays[name].ndim:
                    assert len(arrays[f"{name}.axes"]) == arrays[name].ndim, name
