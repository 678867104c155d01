"""One more token by a recorded program is what the modules give; weights lie where they are read fast."""

import gc
import weakref
from pathlib import Path
from typing import Any

import pytest
import torch
from torch import nn

from regard import models
from regard.algorithms.kernels.tokens import rows
from regard.attention import Cache, Elu, Hard, Kernel, Window
from regard.generation import Settings, write
from regard.layers import feed_forward, multihead
from regard.models import PRESETS, block, build, vary
from regard.models.hugging_face.weights import HUGE, settle
from regard.models.writing import readers
from regard.models.writing.captured import Captured, Program
from tests.models.shaking import shaken

SMALL = {"depth": 2, "width": 32, "num_heads": 4, "vocabulary": 50, "hidden": 40}


def small(name: str = "gpt2", **changes: Any) -> Any:
    torch.manual_seed(0)
    return shaken(build(vary(PRESETS[name], **SMALL | changes)).double(), by=0.2)


CASES: dict[str, dict[str, Any]] = {
    "gpt2": {},
    "llama with grouped heads": {"name": "llama3-8b", "num_groups": 2},
    "qwen with norms of heads": {"name": "qwen3-8b", "num_groups": 2},
    "post-norm, relu, waves": {"first": False, "activation": "relu", "kind": "sinusoidal"},
    "its own β and head width": {"beta": 0.3, "head": 6, "kind": "none"},
    "a soft cap": {"cap": 2.0},
    "rms, gated, no biases": {"rms": True, "gated": True, "bias": False},
}


def read_by_program(model: Any, words: torch.Tensor, lengths: tuple[int, ...] | None, count: int, room: int) -> Any:
    """A reader whose steps are a program, as on a GPU, behind a prompt; it has room for so many tokens."""
    reader = model.reader(len(words), room)
    for cache in reader.caches:
        cache.grow(room) if cache.capacity < room else None
    reader.step = recording(model)
    reader.read(words[:, :count], lengths)
    return reader


def recording(model: Any) -> Captured:
    """What records on a GPU, here at once."""
    step = Captured(model)
    step.patience = 0
    step._decodes = lambda cache: True
    return step


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("batch", [1, 3])
def test_a_program_gives_what_the_modules_give(case: str, batch: int):
    model = small(**CASES[case])
    words = torch.randint(50, (batch, 9))
    with torch.inference_mode():
        reader = read_by_program(model, words, None, 4, 9)
        for at in range(4, 9):
            got = reader.read(words[:, at : at + 1])
            torch.testing.assert_close(got, model(words[:, : at + 1]).logits[:, -1], rtol=1e-9, atol=1e-9)
        assert reader.lengths == (9,) * batch
        assert reader.step.program.slots.tolist() == [9] * batch, "the program counts itself"
        with pytest.raises(ValueError, match="a row holds at most capacity=9 tokens: got 1 more for row 0"):
            reader.read(words[:, :1])


def test_a_program_follows_rows_of_different_lengths_that_are_reordered_and_forgotten():
    model = small("llama3-8b", num_groups=2)
    words, lengths = torch.randint(50, (3, 9)), (4, 1, 3)

    def check(reader: Any, texts: list[list[int]], tokens: list[int]) -> None:
        got = reader.read(torch.tensor(tokens)[:, None])
        for row, (text, token) in enumerate(zip(texts, tokens, strict=True)):
            text.append(token)
            torch.testing.assert_close(got[row], model(torch.tensor([text])).logits[0, -1], rtol=1e-9, atol=1e-9)

    with torch.inference_mode():
        reader = read_by_program(model, words, lengths, 4, 40)
        texts = [row[:length].tolist() for row, length in zip(words, lengths, strict=True)]
        check(reader, texts, [1, 2, 3])
        check(reader, texts, [4, 5, 6])
        first = reader.step.program
        reader.reorder(torch.tensor([2, 0, 0]))
        texts = [list(texts[row]) for row in (2, 0, 0)]
        check(reader, texts, [7, 8, 9])
        reader.rewind()
        check(reader, [text[:-1] for text in texts], [10, 11, 12])
        assert reader.step.program is first
        reader.reorder(torch.tensor([1]))  # fewer rows are another program
        check(reader, [[*texts[1][:-1], 11]], [13])
        assert reader.step.program is not first


def test_a_program_asks_the_host_for_nothing():
    """Without numbers, as on the meta device, whatever looks at one raises."""
    model = small("llama3-8b", num_groups=2, mask=Window(before=3)).to("meta")
    caches = tuple(Cache(2, 2, 8, capacity=6, dtype=torch.float64, device="meta") for _ in range(2))
    program = Program.__new__(Program)
    program.caches = caches
    program.tokens, program.slots = (torch.zeros(*shape, dtype=torch.int64, device="meta") for shape in ((2, 1), (2,)))
    with torch.inference_mode():
        assert program._step(model).shape == (2, 50)


@pytest.mark.parametrize("case", ["gpt2", "llama with grouped heads"])
def test_norms_and_sums_go_into_the_kernels(case: str, monkeypatch: pytest.MonkeyPatch):
    """By the kernels of a few rows, in Triton's interpreter, as on a GPU."""
    model = small(**CASES[case], depth=1).float()
    words = torch.randint(50, (2, 5))
    launched: list[int] = []
    monkeypatch.setattr(rows, "PROGRAMS", 1)  # the interpreter takes one after the other
    monkeypatch.setattr(
        rows, "project", lambda *given, way=rows.project, **how: launched.append(1) or way(*given, **how)
    )
    monkeypatch.setattr(rows, "enter", lambda *given, way=rows.enter: launched.append(2) or way(*given))
    want = model(words).logits[:, 4].detach()
    with torch.inference_mode():
        reader = read_by_program(model, words, None, 4, 5)
        for module in (feed_forward, multihead, block):
            monkeypatch.setattr(module, "has_kernel", lambda x: True)
        got = reader.read(words[:, 4:])
    torch.testing.assert_close(got, want, rtol=1e-4, atol=1e-4)
    assert launched == [1, 2, 1, 1, 1] * 2, "five launches of a layer, to record and to run"


def test_a_window_is_seen_by_the_program_too():
    model = small(mask=Window(before=3))
    words = torch.randint(50, (2, 7))
    with torch.inference_mode():
        reader = read_by_program(model, words, None, 3, 7)
        assert reader.caches[0].window is None
        for at in range(3, 7):
            got = reader.read(words[:, at : at + 1])
            torch.testing.assert_close(got, model(words[:, : at + 1]).logits[:, -1], rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"temperature": 0.9, "seed": 3},
        {"temperature": 1.5, "seed": 4, "top_k": 7},
        {"temperature": 1.5, "seed": 5, "top_p": 0.8},
        {"temperature": 1.5, "seed": 6, "min_p": 0.05},
        {"temperature": 1.0, "seed": 7, "repetition_penalty": 1.3},
        {"repetition_penalty": 1.5},
    ],
    ids=lambda settings: ", ".join(settings) or "likeliest",
)
def test_the_same_tokens_are_written_ahead(settings: dict[str, Any], monkeypatch: pytest.MonkeyPatch):
    """Rows end at different times; whoever is ahead goes on with them for a while, and rewinds at the end."""
    model, prompts, ends = small("llama3-8b", num_groups=2), [[1, 2, 3], [4], [5, 6], [7, 8, 9, 10]], (0, 1, 2, 3, 4)
    plain = model.generate(prompts, max_new=12, ends=ends, **settings)
    readers = []

    def begin(prompts: list[list[int]], max_new: int, start: int | None) -> Any:
        reader = model.reader(len(prompts), max(map(len, prompts)) + max_new - 1)
        reader.step, reader.release = recording(model), lambda: None
        readers.append(reader)
        return reader, prompts

    monkeypatch.setattr(model, "begin", begin)
    ahead = model.generate(prompts, max_new=12, ends=ends, **settings)
    assert readers[0].is_ahead
    assert readers[0].step.program is not None
    assert [row.tokens for row in ahead] == [row.tokens for row in plain]
    assert len({len(row.tokens) for row in plain}) > 1, "rows end at different times"
    alone = model.generate([5, 6], max_new=12, ends=ends, **settings)
    if not settings.get("temperature"):
        assert alone.tokens == plain[2].tokens


def test_a_program_is_left_to_the_next_text(monkeypatch: pytest.MonkeyPatch):
    model, prompts = small("llama3-8b", num_groups=2), [[1, 2, 3], [4, 5, 6]]
    wanted = [model.generate([prompt], max_new=9)[0].tokens for prompt in prompts]
    monkeypatch.setattr(Captured, "of", recording)
    made: list[int] = []
    monkeypatch.setattr(Program, "_record", lambda *given, way=Program._record: made.append(1) or way(*given))

    def written(model: Any, prompt: list[int]) -> Any:
        return model.generate([prompt], max_new=9)[0].tokens

    assert [written(model, prompt) for prompt in prompts] == wanted
    assert len(made) == 1
    two = [model.reader(1, 20) for _ in range(2)]
    assert two[0].caches is not two[1].caches, "one at a time has it"
    assert two[0].step.program is not None
    assert two[1].step.program is None
    two.pop(0).release()
    two.clear()
    with torch.no_grad():
        model.embedding.weight.copy_(model.embedding.weight.roll(1, 0))  # in place: what was recorded reads it
    again = written(model, prompts[0])
    monkeypatch.setattr(Captured, "of", lambda model: None)
    assert again == written(model, prompts[0])
    monkeypatch.setattr(Captured, "of", recording)
    written(model, prompts[0])
    before = len(made)
    model.embedding.weight = nn.Parameter(model.embedding.weight.roll(3, 0).clone())  # it lies elsewhere now
    again = written(model, prompts[0])
    assert len(made) == before + 1
    monkeypatch.setattr(Captured, "of", lambda model: None)
    assert again == written(model, prompts[0])
    for part, name, said in ((model.stack, "mask", Window(before=2)), (model.stack.norm, "eps", 10.0)):
        monkeypatch.setattr(Captured, "of", recording)
        written(model, prompts[0])
        before = len(made)
        setattr(part, name, said)
        again = written(model, prompts[0])
        assert len(made) == before + 1, name
        monkeypatch.setattr(Captured, "of", lambda model: None)
        assert again == written(model, prompts[0]), name
    alive = weakref.ref(model)
    del model
    gc.collect()
    assert alive() is None, "what is kept holds no model"


def test_turns_of_a_session_go_on_from_what_was_read_ahead(monkeypatch: pytest.MonkeyPatch):
    model = small("llama3-8b", num_groups=2)

    def talk() -> list[Any]:
        session = model.session(80)
        first = session.generate([1, 2, 3], max_new=7).tokens
        pieces = write(session.reader, [[first[-1], 4]], Settings(), max_new=9, done=lambda row, token: False)
        some = [next(pieces)[0] for _ in range(3)]  # and no more: the reader may be one ahead
        kept = session.reader.keep(9)
        second = session.generate([1, 2, 3, *first[:-1], 5, 6], whole=True, max_new=6).tokens
        return [first, some, kept, second, session.reader.lengths, len(session.tokens)]

    plain = talk()
    monkeypatch.setattr(Captured, "of", recording)
    assert talk() == plain


def test_scores_that_are_no_numbers_are_told_by_those_ahead_too(monkeypatch: pytest.MonkeyPatch):
    model = small()
    reader = model.reader(1, 20)
    reader.step = recording(model)
    monkeypatch.setattr(model, "begin", lambda prompts, max_new, start: (reader, prompts))
    with torch.no_grad():
        model.stack.positions.weight[4] = torch.nan
    with pytest.raises(ValueError, match="scores of the next token must be finite"):
        model.generate([1, 2], max_new=8)


def test_long_prompts_are_read_in_pieces(monkeypatch: pytest.MonkeyPatch):
    model = small("llama3-8b", num_groups=2)
    words = torch.randint(50, (3, 11))
    monkeypatch.setattr(readers, "PIECE", 4)
    with torch.inference_mode():
        got = model.reader(3, 20).read(words, (11, 2, 8))
        for row, length in enumerate((11, 2, 8)):
            whole = model(words[row : row + 1, :length]).logits[0, -1]
            torch.testing.assert_close(got[row], whole, rtol=1e-9, atol=1e-9)
        got = model.reader(3, 20).read(words)
        torch.testing.assert_close(got, model(words).logits[:, -1], rtol=1e-9, atol=1e-9)


def test_caches_grow_with_what_is_read():
    model = small("llama3-8b", num_groups=2)
    words = torch.randint(50, (1, 400))
    with torch.inference_mode():
        reader = model.reader(1, 10**12)  # which no memory holds
        before = reader.caches[0].bytes
        reader.read(words[:, :200])
        reader.read(words[:, 200:399])
        got = reader.read(words[:, 399:])
        torch.testing.assert_close(got, model(words).logits[:, -1], rtol=1e-9, atol=1e-9)
    assert before < reader.caches[0].bytes < 4 * before


def test_autocast_narrows_the_caches_too():
    model = small("llama3-8b", num_groups=2).float()
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert model(torch.randint(50, (1, 5))).logits.shape == (1, 5, 50)
        assert len(model.generate([1, 2, 3], max_new=4).tokens) == 4


class Louder(nn.Linear):
    """A layer of somebody else's, in the place of ours."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 2 * super().forward(x)


def louder(model: Any) -> None:
    model.stack.blocks[1].feed_forward.out = Louder(40, 32, dtype=torch.float64)


def listened(model: Any) -> None:
    model.stack.blocks[0].attention.out.register_forward_hook(lambda module, given, out: 2 * out)


def replaced(model: Any) -> None:
    norm = model.stack.blocks[0].norm
    norm.forward = lambda x: 2 * x


def twice(model: Any) -> None:
    class Twice(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return 2 * x

    nn.utils.parametrize.register_parametrization(model.stack.blocks[0].attention.query, "weight", Twice())


@pytest.mark.parametrize("alter", [louder, listened, twice, replaced])
def test_altered_models_are_read_as_they_are(alter: Any):
    model = small()
    alter(model)
    words = torch.randint(50, (2, 6))
    with torch.no_grad():
        reader = model.reader(2, 6)
        reader.read(words[:, :5])
        got = reader.read(words[:, 5:])
        torch.testing.assert_close(got, model(words).logits[:, -1], rtol=1e-9, atol=1e-9)


def test_what_does_more_than_compute_is_not_recorded(monkeypatch: pytest.MonkeyPatch):
    def recorded(model: Any) -> bool:
        return Captured.of(model) is not None

    assert not recorded(small()), "on the CPU the modules run"
    monkeypatch.setattr(nn.Parameter, "is_cuda", True, raising=False)
    assert recorded(small())
    for alter in (listened, replaced):
        model = small()
        alter(model)
        assert not recorded(model)
    assert not recorded(small(dropout=0.5).train())
    for changes in ({"kind": "buckets"}, {"weighting": Hard()}, {"weighting": Kernel(Elu())}):
        assert not recorded(small(**changes)), changes


def test_large_weights_lie_in_huge_pages(tmp_path: Path):
    model = small(width=256, vocabulary=3000).float()
    models.save(model, tmp_path / "m")
    loaded = models.load(tmp_path / "m")
    for name, parameter in loaded.named_parameters():
        assert parameter.equal(model.get_parameter(name)), name
        assert parameter.requires_grad
        assert parameter.untyped_storage().nbytes() == parameter.nbytes  # others save it alone
    assert loaded.embedding.weight.nbytes > HUGE
    assert loaded.embedding.weight.data_ptr() % HUGE == 0


def test_a_loaded_model_writes_learns_and_is_copied_as_any(tmp_path: Path):
    """After a step of training, what is written is by the new weights."""
    import copy

    from safetensors.torch import load_file, save_model

    models.save(small().float(), tmp_path / "m")
    model = models.load(tmp_path / "m", dropout=0.0)
    words = torch.randint(50, (1, 6))
    first = model.generate(words, max_new=4)
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    model(words).logits[..., 7].sum().neg().backward()
    optimizer.step()
    second = model.generate(words, max_new=4)
    assert second[0].tokens == (7, 7, 7, 7) != first[0].tokens
    assert copy.deepcopy(model).generate(words, max_new=4)[0].tokens == second[0].tokens
    save_model(model, str(tmp_path / "plain.safetensors"))
    assert load_file(tmp_path / "plain.safetensors")["embedding.weight"].equal(model.embedding.weight)


def test_memory_is_given_to_those_without():
    with torch.device("meta"):
        model = build(vary(PRESETS["t5-small"], **SMALL))
    settle(model, "cpu")
    assert all(not parameter.is_meta for parameter in model.parameters())
    assert {name for name, _ in model.named_parameters()} == {
        name for name, _ in build(vary(PRESETS["t5-small"], **SMALL)).named_parameters()
    }
