"""Maps as the page asks for them: the same numbers as the models give, however they are kept and cut."""

import base64
import io
import json
import shutil
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from regard.analysis import query_map
from regard.attention import Grid, Quadratic
from regard.explore import cancellation, server
from regard.explore.api import Empty
from regard.explore.views import map_models, map_store, maps
from regard.explore.views.maps import (
    HeadRequest,
    MapsRequest,
    NextRequest,
    OverviewRequest,
    PictureRequest,
    TileRequest,
)
from regard.explore.workspace import SHIPPED, Cache, Workspace
from regard.models import PRESETS, build, load, save, vary
from regard.models.architectures.davit import DaViT, DaViTConfig
from regard.recipes import plan_run, read_run
from regard.tasks import reversal
from regard.training import Recording, compact, expand

DTYPES = {"float32": np.float32, "float16": np.float16, "uint8": np.uint8}
WORDS = ["[CLS]", "[SEP]", "the", "cat", "sat", "on", "mat"]


@pytest.fixture(scope="module")
def workspace() -> Workspace:
    return Workspace((SHIPPED,))


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace with small models of Hugging Face's kinds."""
    root, found = tmp_path_factory.mktemp("folders"), dict[str, Path]()
    small: dict[str, Any] = {"depth": 2, "width": 16, "num_heads": 2}
    presets = {"bert": "bert-base", "llama": "llama3.2-1b", "t5": "t5-small", "vit": "vit-base"}
    for name, preset in presets.items():
        changes = dict(small)
        if name == "vit":
            changes |= {"image": 32, "patch": 8, "classes": 3}
        else:
            changes |= {"vocabulary": len(WORDS)}
        if name == "llama":
            changes |= {"num_groups": 1}
        torch.manual_seed(0)
        save(build(vary(PRESETS[preset], **changes)).eval(), root / name)
        if name != "vit":
            _tokenizer().save(str(root / name / "tokenizer.json"))
        found[name] = root / name
    config = found["t5"] / "config.json"
    config.write_text(json.dumps(json.loads(config.read_text()) | {"decoder_start_token_id": 0, "eos_token_id": 1}))
    return Workspace((), folders=found)


def _tokenizer() -> Any:
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({word: n for n, word in enumerate(WORDS)}, unk_token="the"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    return tokenizer


def numbers(workspace: Workspace, key: str, kind: str, layer: int, head: int, **more: Any) -> torch.Tensor:
    """The weights of a tile, as the page reads them."""
    found = maps.read_tile(workspace, TileRequest(key=key, kind=kind, layer=layer, head=head, **more))
    read = torch.from_numpy(np.frombuffer(found.data, DTYPES[found.header.type]).reshape(found.header.shape).copy())
    return expand(read) if read.dtype == torch.uint8 else read.float()


def all_numbers(workspace: Workspace, reply: maps.MapsResponse, kind: str) -> list[torch.Tensor]:
    layers = next(one for one in reply.kinds if one.name == kind).layers
    return [
        torch.stack([numbers(workspace, reply.key, kind, layer, head) for head in range(one.heads)])
        for layer, one in enumerate(layers)
    ]


def same(ours: list[torch.Tensor], theirs: Any) -> bool:
    return len(ours) == len(theirs) and all(
        torch.allclose(a, b[0], rtol=1e-5, atol=1e-7) for a, b in zip(ours, theirs, strict=True)
    )


def test_what_ships_is_offered_with_something_to_read(workspace: Workspace):
    found = {one.name: one for one in maps.list_models(workspace, Empty()).models}
    assert next(iter(found)) == "language"
    assert {"language", "reversal/attention", "reversal/transformer", "digits-gaussian/seed-0"} <= found.keys()
    assert found["language"].steps[-1] == 2000
    assert found["reversal/attention"].examples[0] == "abacadabacc"
    assert found["digits-gaussian/seed-0"].images == 360


def test_maps_of_a_text_are_those_of_the_model(workspace: Workspace):
    text = "ROMEO:\nBut soft!"
    reply = maps.compute_maps(workspace, MapsRequest(model="language", text=text))
    model: Any = load(SHIPPED / "language" / "model")
    with torch.inference_mode():
        theirs = model(torch.tensor([model.encode_prompt(text)]), maps=True).maps["self"]
    assert same(all_numbers(workspace, reply, "self"), theirs)
    assert reply.axes["tokens"] == [{"\n": "↵", " ": "␣"}.get(letter, letter) for letter in text]
    assert reply.type == "float32"
    overview = maps.draw_overview(workspace, OverviewRequest(key=reply.key, kind="self"))
    small = np.frombuffer(overview.data, np.uint8).reshape(overview.header.shapes[0] and (4, 4, 16, 16))
    assert np.array_equal(small[2], compact(theirs[2][0]).numpy())
    head = maps.measure_head(workspace, HeadRequest(key=reply.key, kind="self", layer=1, head=2))
    row = theirs[1][0, 2].double()
    assert head.entropy == pytest.approx(
        -(row.clamp(min=1e-300) * row.clamp(min=1e-300).log2()).sum(1).mean().item(), rel=1e-4
    )


def test_a_string_is_written_backwards_and_all_three_kinds_are_there(workspace: Workspace):
    model = plan_run(read_run(SHIPPED / "reversal")).load("transformer").model
    reply = maps.compute_maps(workspace, MapsRequest(model="reversal/transformer", text="abcda"))
    batch = reversal.batch_of(["abcda"])
    wrote = reversal.write_letters(model, batch)
    with torch.inference_mode():
        theirs = model(batch.source, torch.cat((batch.target[:, :1], wrote[:, :-1]), 1), maps=True).maps
    assert [one.name for one in reply.kinds] == list(theirs)
    for kind in theirs:
        assert same(all_numbers(workspace, reply, kind), theirs[kind])
    assert "".join(reply.axes["written"]) in reply.caption
    recorded = maps.compute_maps(workspace, MapsRequest(model="reversal/transformer", step=0, text="no letters"))
    kept = Recording(SHIPPED / "reversal" / "transformer" / "recording").read(0)
    assert same(all_numbers(workspace, recorded, "cross"), [expand(kept[f"maps.word.{n}"])[None] for n in range(2)])


def test_gaussian_heads_of_a_picture_and_of_a_recorded_step(workspace: Workspace):
    one = plan_run(read_run(SHIPPED / "digits-gaussian")).load("seed-0")
    reply = maps.compute_maps(workspace, MapsRequest(model="digits-gaussian/seed-0", image=5))
    with torch.inference_mode():
        theirs = one.model(one.task.test.batch([5])[0].expand(-1, 3, -1, -1), maps=True).maps["self"]
    assert same(all_numbers(workspace, reply, "self"), theirs)
    assert reply.kinds[0].layers[0].grid == (8, 8)
    picture = maps.read_picture(workspace, PictureRequest(key=reply.key))
    pixels = np.frombuffer(picture.data, np.uint8).reshape(8, 8, 3)
    assert np.array_equal(pixels[..., 0], one.task.test.images[5, 0].numpy())
    last = maps.compute_maps(workspace, MapsRequest(model="digits-gaussian/seed-0", step=660))
    first = maps.compute_maps(workspace, MapsRequest(model="digits-gaussian/seed-0", step=0))
    for ours, trained in zip(all_numbers(workspace, last, "self"), theirs, strict=True):
        torch.testing.assert_close(ours, trained[0])
    kept = Recording(SHIPPED / "digits-gaussian" / "seed-0" / "recording").read(0)
    for layer, ours in enumerate(all_numbers(workspace, first, "self")):
        heads = Quadratic(kept[f"heads.{layer}.centre"], kept[f"heads.{layer}.precision"])
        begun = torch.tensor(query_map(heads, Grid(8, 8), (3, 5)).maps)
        torch.testing.assert_close(ours[:, 3 * 8 + 5].view(-1, 8, 8), begun, rtol=1e-4, atol=1e-6, check_dtype=False)


def test_folders_of_every_kind_are_read(folders: Workspace):
    workspace = folders.folders
    text = "the cat sat on the mat"
    ids = torch.tensor([[2, 3, 4, 5, 2, 6]])
    for name in ("bert", "llama"):
        reply = maps.compute_maps(folders, MapsRequest(model=f"folder:{name}", text=text))
        with torch.inference_mode():
            assert same(all_numbers(folders, reply, "self"), load(workspace[name])(ids, maps=True).maps["self"])  # pyright: ignore
    t5: Any = load(workspace["t5"])
    own = maps.compute_maps(folders, MapsRequest(model="folder:t5", text=text))
    wrote = t5.generate(text, max_new=64).tokens
    assert len(own.axes["written"]) == len(wrote)
    given = maps.compute_maps(folders, MapsRequest(model="folder:t5", text=text, target="the mat"))
    with torch.inference_mode():
        theirs = t5(ids, torch.tensor([[0, 2]]), maps=True).maps
    for kind in ("encoder", "self", "cross"):
        assert same(all_numbers(folders, given, kind), theirs[kind])
    assert given.axes == {"read": text.split(), "so far": ["[CLS]", "the"], "written": ["the", "mat"]}


def test_a_picture_is_opened_scaled_and_cut_into_patches(folders: Workspace, workspace: Workspace):
    from PIL import Image

    from regard.models import preprocess, preprocessing

    data = io.BytesIO()
    colours = np.random.default_rng(0).integers(0, 255, (50, 40, 3), dtype=np.uint8)
    Image.fromarray(colours).save(data, "PNG")
    given = base64.b64encode(data.getvalue()).decode()
    reply = maps.compute_maps(folders, MapsRequest(model="folder:vit", picture=given))
    vit: Any = load(folders.folders["vit"])
    with torch.inference_mode():
        theirs = vit(preprocess(colours, preprocessing(vit)), maps=True).maps["self"]
    assert same(all_numbers(folders, reply, "self"), theirs)
    assert (reply.first, reply.kinds[0].layers[0].grid, reply.axes["patches"][:2]) == (
        1,
        (4, 4),
        ["class token", "row 1, column 1"],
    )
    seen = maps.compute_maps(
        workspace, MapsRequest(model="digits-gaussian/seed-0", picture=f"data:image/png;base64,{given}")
    )
    assert maps.read_picture(workspace, PictureRequest(key=seen.key)).header.model_dump() == {"height": 8, "width": 8}
    davit = DaViT(DaViTConfig(image=56, patch=4, classes=3, widths=(8, 16), depths=(1, 1), num_heads=(1, 2))).eval()
    stages = maps.compute_maps(Workspace((), objects={"own": (davit, None)}), MapsRequest(model="own"))
    assert [(one.name, [layer.grid for layer in one.layers]) for one in stages.kinds] == [
        ("window", [(14, 14), (7, 7)]),
        ("channel", [None, None]),
    ]


def test_weights_of_a_notebook_are_shown_as_they_are():
    given = torch.rand(3, 5, 5).softmax(-1)
    workspace = Workspace((), objects={"mine": ([given], list("abcde")), "layers": ([given, given[:2]], None)})
    reply = maps.compute_maps(workspace, MapsRequest(model="mine"))
    assert same(all_numbers(workspace, reply, "self"), [given[None]])
    assert reply.axes["keys"] == list("abcde")
    assert [one.heads for one in maps.compute_maps(workspace, MapsRequest(model="layers")).kinds[0].layers] == [3, 2]


@pytest.mark.parametrize(("exact", "half", "most", "type", "pool"), [
    (0, 2**30, 2**30, "float16", 1), (0, 0, 2**30, "uint8", 1), (0, 0, 5000, "uint8", 2),
])  # fmt: skip
def test_large_maps_are_kept_in_less(
    monkeypatch: pytest.MonkeyPatch, exact: int, half: int, most: int, type: str, pool: int
):
    for name, value in (("EXACT", exact), ("HALF", half), ("MOST", most)):
        monkeypatch.setattr(map_store, name, value)
    given = torch.randn(2, 2, 50, 70).softmax(-1)
    workspace = Workspace((), objects={"mine": (list(given), None)})
    reply = maps.compute_maps(workspace, MapsRequest(model="mine"))
    assert (reply.type, reply.pool) == (type, pool)
    wanted = map_store.pool(given[1], pool, pool)[1]
    found = numbers(workspace, reply.key, "self", 1, 1)
    torch.testing.assert_close(
        found, wanted, rtol=1e-3 if type == "float16" else 0, atol=1e-6 if type == "float16" else 0.01
    )
    row = given[1, 1].double()
    away = (torch.arange(50)[:, None] - torch.arange(70)).abs()
    told = maps.measure_head(workspace, HeadRequest(key=reply.key, kind="self", layer=1, head=1))
    exact = 1e-3 if type == "float16" else 1e-5  # what is kept in less is told from what it was
    assert told.entropy == pytest.approx(-(row * row.log2()).sum(1).mean().item(), rel=exact)
    assert told.distance == pytest.approx((row * away).sum(1).mean().item(), rel=exact)
    part = maps.read_tile(
        workspace, TileRequest(key=reply.key, kind="self", layer=1, head=1, rows=(11, 21), columns=(0, 70), most=35)
    )
    assert part.header.rows == (11 - 11 % pool, 21 + 21 % pool)
    assert part.header.pool == 2
    cut = given[1, 1, slice(*part.header.rows)]
    torch.testing.assert_close(
        numbers(workspace, reply.key, "self", 1, 1, rows=(11, 21), columns=(0, 70), most=35),
        map_store.pool(cut[None], 2, 2)[0], rtol=1e-3, atol=0.01,
    )  # fmt: skip


def test_a_question_that_is_refused_spoils_no_model():
    """It loads the model, which later requests use."""
    fresh = Workspace((SHIPPED,))
    with pytest.raises(ValueError, match="only a decoder"):
        maps.predict_next(fresh, NextRequest(model="digits-gaussian/seed-0", text="x"))
    reader: Any = map_models._load(fresh, map_models.find_model(fresh, "digits-gaussian/seed-0"))
    assert not any(weight.is_inference() for weight in reader.model.parameters())
    assert maps.compute_maps(fresh, MapsRequest(model="digits-gaussian/seed-0")).kinds


def test_what_cannot_be_is_said(workspace: Workspace, folders: Workspace):
    for asked, said in (
        ({"model": "langauge"}, "langauge"),
        ({"model": "language", "text": ""}, "write something"),
        ({"model": "language", "text": "ü"}, "tokenizer knows"),
        ({"model": "language", "text": "a" * 4097}, "4,097"),
        ({"model": "reversal/attention", "text": "abx"}, "abcd"),
        ({"model": "reversal/attention", "text": "a" * 257}, "at most 256 letters: got 257"),
        ({"model": "digits-gaussian/seed-0", "image": 360}, "0 to 359: got 360"),
        ({"model": "digits-gaussian/seed-0", "picture": "aaaa"}, "PNG"),
        ({"model": "digits-gaussian/seed-0", "picture": "!"}, "base64"),
        ({"model": "language", "step": 7}, "recorded: got 7"),
    ):
        with pytest.raises(ValueError, match=said):
            maps.compute_maps(workspace, MapsRequest(**asked))
    key = maps.compute_maps(workspace, MapsRequest(model="reversal/attention", text="ab")).key
    with pytest.raises(ValueError, match="no longer in memory"):
        maps.read_tile(workspace, TileRequest(key="0" * 32, kind="self", layer=0, head=0))
    with pytest.raises(ValueError, match="cross: got 'self'"):
        maps.draw_overview(workspace, OverviewRequest(key=key, kind="self"))
    with pytest.raises(ValueError, match="got 0 and 1, of 1 layers of 1 heads"):
        maps.read_tile(workspace, TileRequest(key=key, kind="cross", layer=0, head=1))
    with pytest.raises(ValueError, match="got 5 to 2"):
        maps.read_tile(workspace, TileRequest(key=key, kind="cross", layer=0, head=0, rows=(5, 9)))
    with pytest.raises(ValueError, match="maps of a text"):
        maps.read_picture(workspace, PictureRequest(key=key))


@pytest.fixture
def own(tmp_path: Path) -> Callable[[str], Path]:
    """Copies of runs that ship, to be broken."""
    return lambda name: Path(shutil.copytree(SHIPPED / name, tmp_path / f"my-{name}"))


def rewritten(run: Path, step: int, **changes: torch.Tensor | None) -> None:
    """Change what a run has recorded at a step."""
    recording = Recording(next(run.glob("*/recording")))
    tensors = recording.read(step) | {name.replace("_", "."): tensor for name, tensor in changes.items()}
    recording.write(step, {name: tensor for name, tensor in tensors.items() if tensor is not None})


def test_a_run_that_cannot_be_understood_hides_no_other(own: Callable[[str], Path], tmp_path: Path):
    digits, language = own("digits-gaussian"), own("language")
    facts = json.loads((digits / "run.json").read_text())
    facts["config"]["model"] = None
    (digits / "run.json").write_text(json.dumps(facts))
    rewritten(language, 2000, inputs_text=None)
    (language / "examples.json").unlink()
    for name, file, text in (("torn", "run.json", "{"), ("folder", "config.json", "[]")):
        (tmp_path / name).mkdir()
        (tmp_path / name / file).write_text(text)
    workspace = Workspace((tmp_path, SHIPPED), folders={"mine": tmp_path / "folder"})
    names = [one.name for one in maps.list_models(workspace, Empty()).models]
    assert names == ["language", "captions", "reversal/attention", "reversal/transformer", "digits-gaussian/seed-0"]
    for name, said in (
        ("my-digits-gaussian/seed-0", "settings of a model: got None"),
        ("my-language", "must have inputs.text"),
        ("torn", "must be JSON"),
        ("folder:mine", "object of JSON: got list in mine/config.json"),
    ):
        with pytest.raises(ValueError, match=said) as caught:
            maps.compute_maps(workspace, MapsRequest(model=name))
        assert str(tmp_path) not in str(caught.value)


def test_recorded_steps_of_another_model_are_refused(own: Callable[[str], Path], tmp_path: Path):
    digits, language, reversal = own("digits-gaussian"), own("language"), own("reversal")
    rewritten(digits, 0, heads_0_centre=torch.zeros(4, 2), heads_0_precision=torch.ones(4))
    rewritten(digits, 22, heads_1_centre=None)
    rewritten(language, 0, maps_text_0=torch.zeros(5, 5, dtype=torch.uint8))
    shutil.rmtree(reversal / "transformer")
    rewritten(reversal, 0, inputs_word=torch.tensor([7]))
    workspace = Workspace((tmp_path,))
    for name, step, said in (
        ("my-digits-gaussian/seed-0", 0, r"got \(4, 2\) and \(4,\)"),
        ("my-digits-gaussian/seed-0", 22, "must have heads.1.centre"),
        ("my-language", 0, r"\(H, T, S\): got \(5, 5\) in layer 0"),
        ("my-reversal/attention", 0, "step 0 of my-reversal/attention must be of its model"),
    ):
        with pytest.raises(ValueError, match=said):
            maps.compute_maps(workspace, MapsRequest(model=name, step=step))


def test_what_a_folder_lacks_is_said_without_the_way_to_it(
    folders: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for name, config in (("odd", {"model_type": ["x"]}), ("empty", {"model_type": "gpt2"})):
        (tmp_path / name).mkdir()
        (tmp_path / name / "config.json").write_text(json.dumps(config))
    monkeypatch.chdir(tmp_path)
    workspace = Workspace((), folders={"odd": Path("odd"), "void": Path("empty"), **folders.folders})
    monkeypatch.setitem(sys.modules, "tokenizers", None)
    monkeypatch.setitem(sys.modules, "PIL", None)
    for name, more, said in (
        ("odd", {}, r"got \['x'\]"),
        ("void", {}, "got neither in void; "),
        ("bert", {"text": "the cat"}, r"pip install 'regard\[models\]'"),
        ("vit", {"picture": "aaaa"}, r"Pillow: got none; use pip install 'regard\[models\]'"),
    ):
        with pytest.raises(ValueError, match=said) as caught:
            maps.compute_maps(workspace, MapsRequest(model=f"folder:{name}", **more))
        assert str(tmp_path) not in str(caught.value)


def test_a_pass_stops_when_nobody_waits(workspace: Workspace):
    stop = threading.Event()
    stop.set()
    token = cancellation._stop.set(stop)
    try:
        with pytest.raises(cancellation.Cancelled):
            maps.compute_maps(workspace, MapsRequest(model="language", text="nobody waits"))
        with pytest.raises(cancellation.Cancelled):  # between letters, before there are maps
            maps.compute_maps(workspace, MapsRequest(model="reversal/attention", text="abcd"))
    finally:
        cancellation._stop.reset(token)
    reply = maps.compute_maps(workspace, MapsRequest(model="language", text="nobody waits"))  # somebody does now
    assert len(maps.draw_overview(workspace, OverviewRequest(key=reply.key, kind="self")).data) == 16 * 12 * 12


def test_kept_maps_make_room_for_new_ones():
    workspace = Workspace((SHIPPED,), cache=Cache(max_bytes=5_000_000))
    keys = [maps.compute_maps(workspace, MapsRequest(model="language", text="a" * n)).key for n in (200, 210, 220)]
    with pytest.raises(ValueError, match="no longer in memory"):
        maps.read_tile(workspace, TileRequest(key=keys[0], kind="self", layer=0, head=0))
    assert maps.read_tile(workspace, TileRequest(key=keys[-1], kind="self", layer=0, head=0)).header.shape == (220, 220)


def test_memory_is_tidied_once_after_every_spell(monkeypatch: pytest.MonkeyPatch):
    times, counts = [], iter([0, 1, 1, 1, 1, 1, 2, 2, 2, 2])
    monkeypatch.setattr(server, "IDLE_SECONDS", 0)
    monkeypatch.setattr(server, "return_memory", lambda: times.append(1))
    left = iter([False] * 4 + [True])
    server.return_memory_when_idle(lambda: next(counts), lambda: next(left))
    assert len(times) == 2  # one, and another
