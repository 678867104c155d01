"""Views in a notebook: what `show` makes of things, what a widget answers, and how it looks without the page."""

import ast
import base64
import json
import re
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
import torch
from torch import nn

import regard
from regard import Attention, show
from regard.attention import Bias, Causal, Content, Dense, Elu, Grid, Kernel, Quadratic, Slopes, Strided, Window
from regard.attention.notation import parse_mask
from regard.explore.api import Binary, find_endpoint
from regard.explore.export import read_bundle
from regard.explore.notebook import _executor, answer
from regard.explore.workspace import SHIPPED, Workspace
from regard.layers import Gaussian, GaussianHeads
from regard.models import BlockConfig, Decoder, DecoderConfig
from tests.explore.conftest import AT_REST, Offline

if TYPE_CHECKING:
    from playwright.sync_api import Browser

pytest.importorskip("anywidget", reason="needs anywidget; use pip install -e '.[explore]'")


class Comm:
    """The other side of a widget: what it was sent."""

    def __init__(self, widget: Any) -> None:
        self.widget, self.sent = widget, list[tuple[dict[str, Any], Any]]()
        widget.send = lambda content, buffers=None: self.sent.append((content, buffers))

    def ask(self, *messages: dict[str, Any]) -> list[tuple[dict[str, Any], Any]]:
        for message in messages:
            self.widget._handle_custom_msg(message, [])
        _executor().submit(lambda: None).result(60)  # behind all others
        return self.sent


def given(name: str, asked: dict[str, Any], workspace: Workspace) -> Any:
    one = find_endpoint(name)
    return one.answer(workspace, one.parse(asked))


def test_a_widget_answers_as_the_server_does():
    widget = show(GaussianHeads(8, 9))
    heads = {"run": "shown", "training": "heads"}
    messages = [
        {"id": 1, "name": "example", "request": {}},
        {"id": 2, "name": "heads", "request": heads},
        {"id": 3, "name": "nobody", "request": {}},
        {"id": 4, "name": "example", "request": {"x": 1}},
        {"id": 5, "name": "heads", "request": {"run": "none", "training": "none"}},
    ]
    example, numbers, unknown, unreadable, wrong = Comm(widget).ask(*messages)
    reply = given("example", {}, widget.workspace)
    assert example == ({"id": 1, "response": json.loads(reply.model_dump_json())}, None)
    binary = given("heads", heads, widget.workspace)
    assert isinstance(binary, Binary)
    assert numbers == ({"id": 2}, [binary.pack()])
    assert [one[0]["status"] for one in (unknown, unreadable, wrong)] == [404, 422, 400]
    assert "no run is called 'none'" in wrong[0]["error"]


def test_a_cancelled_question_that_has_not_begun_is_dropped():
    widget = show()
    hold = threading.Event()
    _executor().submit(hold.wait, 60)
    comm = Comm(widget)
    for message in ({"id": 1, "name": "example"}, {"id": 2, "name": "example"}, {"id": 1, "cancel": True}):
        widget._handle_custom_msg(message, [])
    hold.set()
    assert [content["id"] for content, _ in comm.ask()] == [2]


def test_a_mechanism_is_shown_in_its_own_words():
    widget = show(Attention(Content(0.5) + Slopes.geometric(8), Causal() & Window(3, 0)), tokens=64)
    assert widget.view == "patterns"
    assert widget.state == {
        "mask": "Causal() & Window(before=3, after=0)",
        "scores": "content(beta=0.5) + slopes",
        "weighting": "softmax",
        "heads": 8,
        "tokens": 64,
    }
    assert repr(parse_mask(show(~Strided(4)).state["mask"])) == repr(~Strided(4))
    assert show(Attention(weighting=Kernel(Elu()))).state["weighting"] == "elu"
    gaussian = Quadratic(torch.zeros(9, 2), torch.ones(9, 2))
    state = show(Attention(gaussian, queries=Grid(4, 6), keys=Grid(4, 6))).state
    assert (state["scores"], state["grid"], state["heads"]) == ("diagonal_gaussian", [4, 6], 9)
    for mask in (state, widget.state):  # the view can ask about each
        asked = {name: mask[name] for name in ("mask", "scores", "weighting", "heads")} | {"grid": mask.get("grid")}
        assert answer(Workspace(), {"name": "mechanism", "request": asked})[0]["response"]["wrong"] == {}


def test_heads_are_shown_where_they_are():
    layer = GaussianHeads(8, 4, kind="full")
    widget = show(layer)
    assert (widget.view, widget.state) == ("heads", {"run": "shown"})
    binary = given("heads", {"run": "shown", "training": "heads"}, widget.workspace)
    numbers = torch.from_numpy(np.frombuffer(binary.data, "<f4").copy())
    position = layer.position
    assert isinstance(position, Gaussian)
    assert torch.equal(numbers[:8].view(4, 2), position.centre.detach())
    assert torch.equal(numbers[8:24].view(4, 2, 2), position.precision.detach())


@pytest.mark.parametrize("shape", [(4, 5), (3, 4, 5), (2, 3, 4, 5)])
def test_maps_are_shown_as_they_are(shape: tuple[int, ...]):
    maps = torch.rand(shape).softmax(-1)
    widget = show(maps, list("abcde"))
    assert widget.view == "maps"
    reply = given("maps", {"model": widget.state["model"]}, widget.workspace)
    assert reply.axes["keys"] == list("abcde")
    asked = {"key": reply.key, "kind": "self", "layer": 0, "head": 0}
    tile = given("tile", asked, widget.workspace)
    found = np.frombuffer(tile.data, {"float32": "<f4", "float16": "<f2"}[tile.header.type])
    assert np.allclose(found.reshape(4, 5), maps.reshape(-1, 4, 5)[0], atol=1e-3)


def test_a_model_is_shown_with_its_tokens():
    torch.manual_seed(0)
    model = Decoder(DecoderConfig(vocabulary=11, depth=2, block=BlockConfig(width=16, num_heads=2)))
    tokens = [1, 5, 2, 7]
    widget = show(model, tokens)
    reply = given("maps", {"model": widget.state["model"]}, widget.workspace)
    assert reply.axes["keys"] == ["1", "5", "2", "7"]
    tile = given("tile", {"key": reply.key, "kind": "self", "layer": 1, "head": 1}, widget.workspace)
    wanted = model.eval()(torch.tensor([tokens]), maps=True).maps["self"][1][0, 1]
    assert np.allclose(np.frombuffer(tile.data, "<f4").reshape(4, 4), wanted.detach(), atol=1e-6)


def test_a_run_is_shown_by_its_folder():
    widget = show(SHIPPED / "reversal")
    assert widget.view == "maps"
    assert widget.state["model"].startswith("reversal/")


@pytest.mark.parametrize(
    ("things", "said"),
    [
        ((3,), "show takes a view's name, an Attention or a mask, .* got int"),
        (("nowhere",), "show takes a view (start, playground, .* got 'nowhere'"),
        ((torch.rand(3),), "maps must be (T, S), .* got [(3,)]"),
        ((torch.rand(2, 2), 7), "names of their tokens: got (7,)"),
        ((nn.Linear(2, 2),), "a model is shown with what it reads: got Linear alone"),
        ((nn.Linear(2, 2), "text"), "a text is for regard's encoders and decoders, .* got Linear"),
        ((nn.Linear(2, 2), torch.rand(1, 2, 2)), "a model must give its maps: got Linear"),
        ((Attention(Bias(torch.zeros(1, 2, 2))),), "scores must be terms that can be written: got Bias"),
        ((Dense(torch.ones(2, 2, dtype=torch.bool)),), "holds a tensor, which text cannot write"),
        ((Gaussian(2, axes=1),), "heads are shown on a grid, .* 1 layers"),
        (("claims", 3), "claims takes no input: got 3"),
    ],
    ids=lambda value: "",
)
def test_what_cannot_be_shown_is_refused(things: tuple[Any, ...], said: str):
    with pytest.raises(ValueError, match=".*".join(re.escape(part) for part in said.split(".*"))):
        show(*things)


THINGS: dict[str, Callable[[], Any]] = {
    "start": lambda: show("start", text="Two dogs are"),
    "playground": lambda: show(beta=2, deeper=True),
    "noise": lambda: show(noise={"on": "key", "index": 0, "noise": [0.5, -1.0]}),
    "maps": lambda: show("maps", model="reversal/transformer", other={"model": "reversal/transformer", "step": 0}),
    "own maps": lambda: show(torch.rand(2, 3, 6, 6).softmax(-1), list("abcdef"), pin=[2, 1]),
    "heads": lambda: show(GaussianHeads(8, 9, kind="full")),
    "recorded heads": lambda: show("heads", step=50, values="trained"),
    "patterns": lambda: show(Attention(mask=Causal()), tokens=64, second="window(4)"),
    "grid": lambda: show("patterns", mask="neighbours(1, 1)", grid=[80, 80]),
    "claims": lambda: show("claims", claim="nyu.1c"),
    "runs": lambda: show("runs", compared=["language"]),
}


@pytest.mark.parametrize("name", THINGS)
def test_a_script_saves_a_view_that_opens_without_a_server(name: str, offline: Offline, tmp_path: Path):
    THINGS[name]().save(tmp_path / "view.html")
    page = offline(tmp_path / "view.html")
    page.locator("section.panel, article.panel").first.wait_for()
    page.wait_for_function("() => !document.querySelector('.waiting')")
    page.evaluate(AT_REST)  # what effects do wrong is known by then
    assert page.locator(".error").all_inner_texts() == []
    if name == "playground":  # the slider works, at every place
        slider = page.get_by_role("slider", name="β")
        for key, said in (
            ("Home", "0"),
            ("ArrowRight", "0.0100"),
            ("End", "hard"),
            ("ArrowLeft", "100"),
            ("PageDown", "39"),
        ):
            slider.press(key)
            page.wait_for_function("(said) => document.querySelector('output').textContent.startsWith(said)", arg=said)
            page.wait_for_function("() => !document.querySelector('.waiting')")
            assert page.locator(".error").all_inner_texts() == []
    assert offline.wrong == []


def test_a_saved_view_holds_what_was_asked_of_it_too(tmp_path: Path):
    widget = show("claims")
    Comm(widget).ask({"id": 1, "name": "example", "request": {}}, {"id": 2, "name": "frame", "request": {}})
    widget.save(tmp_path / "view.html")
    data = re.search(r'id="regard-saved">(.*?)</script>', (tmp_path / "view.html").read_text("utf-8"), re.S)
    assert data is not None
    assert [one[0] for one in json.loads(data[1])["answers"]] == ["example", "catalogue", "claim"]


def test_unknown_state_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"the state of playground .* got 'bta'; did you mean beta"):
        show("playground", bta=2)
    with pytest.raises(ValueError, match=r"the state of claims .* got 'zzz'; it has search, verdict, document, claim"):
        show("claims", zzz=1)
    with pytest.raises(
        ValueError, match=r"step of playground must be one of tokens, .*: got 'sofmax'; did you mean soft"
    ):
        show("playground", step="sofmax")
    widget = show()
    with pytest.raises(ValueError, match="got 'maks'; did you mean mask"):
        widget.state = {"maks": "causal"}
    assert widget.state == {}
    widget.state = {"mask": "causal"}


def test_import_regard_needs_no_widgets():
    tree = ast.parse(Path(regard.__file__).read_text())
    top = [node.module for node in tree.body if isinstance(node, ast.ImportFrom)]
    assert top == ["importlib", "typing"]


NOTEBOOK = """<!doctype html><meta charset="utf-8"><body data-jp-theme-light="true">
<button class="menu" id="own">its own</button><div id="cell"></div><div id="other"></div>"""
# As anywidget does: a style in the head, a module from a blob, and a model with Backbone's methods.
LOADS = """async ({ esm, css, view, state, cell = "cell" }) => {
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const url = URL.createObjectURL(new Blob([esm], { type: "text/javascript" }));
  const widget = (await import(url)).default;
  URL.revokeObjectURL(url);
  const values = { view, state, place: "notebook" };
  const heard = {};
  const emit = (name, ...args) => (heard[name] ?? []).forEach((one) => one(...args));
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (one) => one.charCodeAt(0)).buffer);
  window.model = {
    get: (name) => values[name],
    set: (name, value) => ((values[name] = value), emit(`change:${name}`)),
    save_changes: () => (window.saved = values.state),
    on: (name, one) => (heard[name] ??= []).push(one),
    off: (name, one) => (heard[name] = (heard[name] ?? []).filter((other) => other !== one)),
    send: async (content) => {
      const [reply, packed] = await window.kernel(content);
      emit("msg:custom", { id: content.id, ...reply }, packed ? [bytes(packed)] : []);
    },
  };
  window.end = await widget.render({ model: window.model, el: document.getElementById(cell) });
}"""


def test_two_widgets_of_a_page_do_not_touch_each_other(browser: "Browser"):
    """Each has its own copy of the script, as in a notebook; labels and groups of buttons are its own too."""
    widget = show("playground")
    page = browser.new_page()
    page.set_content(NOTEBOOK)
    page.expose_function("kernel", lambda content: [answer(widget.workspace, content)[0], None])
    for cell in ("cell", "other"):
        files = {"esm": read_bundle()[0], "css": read_bundle()[1]}
        page.evaluate(LOADS, {**files, "view": "playground", "state": {}, "cell": cell})
        page.locator(f"#{cell} .stage").first.wait_for(timeout=10_000)
    for cell, mask in (("cell", "causal"), ("other", "neighbours")):
        page.locator(f"#{cell}").get_by_text(mask, exact=True).click()
    for cell, mask in (("cell", "causal"), ("other", "neighbours")):
        assert page.locator(f"#{cell}").get_by_role("radio", name=mask).is_checked()
    ids = page.evaluate("() => [...document.querySelectorAll('[id]')].map((one) => one.id)")
    assert len(ids) == len(set(ids)) > 4
    page.close()


def test_the_bundle_shows_the_playground_in_a_plain_page(browser: "Browser"):
    """Numbers are the library's; what is around stays as it was; a slider moves by keys; at the end it is gone."""
    widget, wrong = show("playground"), list[str]()

    def kernel(content: dict[str, Any]) -> list[Any]:
        reply, buffers = answer(widget.workspace, content)
        return [reply, base64.b64encode(buffers[0]).decode() if buffers else None]

    page = browser.new_page()
    page.on("console", lambda message: message.type == "error" and wrong.append(message.text))
    page.on("pageerror", lambda error: wrong.append(error.message))
    page.set_content(NOTEBOOK)
    page.expose_function("kernel", kernel)
    look = "() => JSON.stringify([...['margin', 'background', 'position']].map((one) => "
    look += "[document.body, document.getElementById('own')].map((of) => getComputedStyle(of)[one])))"
    before = page.evaluate(look)
    page.evaluate(LOADS, {"esm": read_bundle()[0], "css": read_bundle()[1], "view": "playground", "state": {"beta": 1}})
    example = given("example", {}, widget.workspace).problem.model_dump() | {"beta": 1}
    wanted = given("playground", example, widget.workspace).weights[0][1][0]
    assert 0.1 < wanted < 0.9
    page.get_by_text(f"{wanted:.3f}").first.wait_for(timeout=10_000)
    assert page.evaluate(look) == before
    page.locator("#cell input[type=range]").first.press("ArrowRight")
    page.wait_for_function("() => window.saved?.beta > 1")
    page.get_by_text(f"{wanted:.3f}").first.wait_for(state="detached", timeout=10_000)
    page.evaluate("() => window.model.set('state', { beta: 1 })")  # as the kernel does
    page.get_by_text(f"{wanted:.3f}").first.wait_for(timeout=10_000)
    page.evaluate("() => (document.body.dataset.jpThemeLight = 'false')")
    page.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
    page.evaluate("() => window.end()")
    assert page.locator("#cell").inner_text() == ""
    page.close()
    assert wrong == []
