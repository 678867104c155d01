"""What calls make for a mask is made once: for the same tensors unchanged, for equal numbers, for a stack's pass."""

import gc
import sys
import threading
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
import torch
from torch import Tensor

from regard import Prepared, attend
from regard.algorithms.planning import kept
from regard.attention import Attention, Causal, Dense, Documents, KeyPadding, Mask, Padding, Places
from regard.attention.masks.facts import Index
from regard.attention.reference import reference
from regard.models import BlockConfig, Encoder, EncoderConfig

CALLS: list[str] = []


@dataclass(frozen=True, eq=False)
class Told(Mask):
    """Keys below a length; it tells when it is asked."""

    length: Tensor | int

    def allows(self, b: Index, h: Index, i: Index, j: Index, places: Places) -> Any:
        sys.modules[__name__].CALLS.append("allows")  # what is made from a variable that it reads is not kept
        return (j < self.length) & (i == i)


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    kept.forget()
    CALLS.clear()
    yield
    kept.forget()


def drawn(tokens: int = 6) -> tuple[Tensor, Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    q, k, v = (torch.randn(2, 2, tokens, 4, generator=generator, dtype=torch.float64) for _ in range(3))
    return q, k, v


def asked(mask: Mask, prepared: Prepared | None = None, algorithm: str = "masked") -> int:
    """How often the mask was asked; the result is right."""
    q, k, v = drawn()
    CALLS.clear()
    out = attend(q, k, v, Attention(mask=mask), algorithm=algorithm, prepared=prepared)
    count = len(CALLS)
    torch.testing.assert_close(out, reference(q, k, v, Attention(mask=mask))[0])
    return count


def test_for_the_same_tensor_it_is_made_once():
    length = torch.tensor(3)
    assert asked(Told(length)) == 1
    assert asked(Told(length)) == 0, "a fresh value with the same tensor"
    assert asked(Told(length.clone())) == 1, "an equal tensor is another one"


def test_for_equal_numbers_it_is_made_once():
    assert asked(Told(3)) == 1
    assert asked(Told(3)) == 0
    assert asked(Told(4)) == 1


def test_a_tensor_that_was_written_to_is_read_again():
    length = torch.tensor(3)
    asked(Told(length))
    length += 1
    assert asked(Told(length)) == 1
    length[...] = 2
    assert asked(Told(length)) == 1
    assert asked(Told(length)) == 0


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool])
def test_what_torch_does_not_count_is_noticed(dtype: torch.dtype):
    """Writing by `.data`, to memory shared with NumPy, and putting other memory in its place."""
    memory = np.array([True, False, True, False, True, False]) if dtype == torch.bool else np.array([3, 2])
    real = torch.from_numpy(memory)
    kinds = {torch.int64: lambda: KeyPadding(real), torch.bool: lambda: Dense(real.expand(6, 6))}

    def check() -> None:
        q, k, v = drawn()
        value = Attention(mask=kinds[dtype]())
        for name in (None, "masked", "blockwise"):
            out = attend(q, k, v, value, algorithm=name)
            torch.testing.assert_close(out, reference(q, k, v, value)[0])

    check()
    memory[...] = memory[::-1].copy()
    check()
    real.data[0] = 1
    check()
    real.data = torch.ones_like(real)
    check()


def test_with_its_tensor_goes_what_was_made_from_it():
    length = torch.tensor(3)
    asked(Told(length))
    things = len(kept._kept)
    del length
    gc.collect()
    assert len(kept._kept) < things
    assert kept._bytes == sum([size for _, size in kept._kept.values()])


def test_a_tensor_that_is_written_to_for_ever_leaves_nothing_behind():
    length = torch.tensor(3)
    for _ in range(2):
        asked(Told(length))
    before = len(weakref.finalize._registry)  # pyright: ignore[reportAttributeAccessIssue]
    for _ in range(20):
        length.copy_(length)
        asked(Told(length))
    assert len(weakref.finalize._registry) == before  # pyright: ignore[reportAttributeAccessIssue]


def test_a_new_tensor_in_the_place_of_an_old_one_is_another():
    for number in range(1, 6):
        assert asked(Told(torch.tensor(number))) == 1


def test_in_inference_mode_a_stack_says_what_belongs_together():
    with torch.inference_mode():
        length = torch.tensor(3)
        assert [asked(Told(length)) for _ in range(2)] == [1, 1], "torch does not count what is written there"
        prepared = Prepared()
        assert [asked(Told(length), prepared) for _ in range(3)] == [1, 0, 0]
        assert asked(Told(length), Prepared()) == 1
    assert asked(Told(torch.tensor(3))) == 1


def test_one_prepared_serves_several_masks_and_sizes():
    prepared = Prepared()
    short, long = torch.tensor(2), torch.tensor(5)
    assert [asked(Told(length), prepared) for length in (short, long, short, long)] == [1, 1, 0, 0]
    q, k, v = drawn(9)
    out = attend(q, k, v, Attention(mask=Told(short)), algorithm="masked", prepared=prepared)
    torch.testing.assert_close(out, reference(q, k, v, Attention(mask=Told(short)))[0])


@pytest.mark.parametrize("algorithm", ["masked", "blockwise", "packed"])
@pytest.mark.parametrize("mask", [KeyPadding, Padding, lambda lengths: Documents(lengths[:, None])])
def test_lengths_that_are_written_to(mask: Any, algorithm: str):
    q, k, v = drawn()
    lengths = torch.tensor([3, 5])
    for row in ([3, 5], [6, 1], [0, 2]):
        lengths.copy_(torch.tensor(row))
        value = Attention(mask=mask(lengths))
        out = attend(q, k, v, value, algorithm=algorithm)
        torch.testing.assert_close(out, reference(q, k, v, value)[0])


def test_a_bad_length_is_found_wherever_it_is_written():
    q, k, v = drawn()
    lengths = torch.tensor([3, 5])
    value = Attention(mask=KeyPadding(lengths))
    attend(q, k, v, value)
    lengths[1] = 7
    with pytest.raises(ValueError, match="got 7 in row 1"):
        attend(q, k, v, value)


def test_threads_make_their_own_and_all_are_right():
    wrong: list[str] = []

    def work(seed: int) -> None:
        for turn in range(30):
            q, k, v = drawn()
            value = Attention(mask=KeyPadding(torch.tensor([1 + (seed + turn) % 6, 1 + turn % 6])) & Causal())
            if not torch.allclose(attend(q, k, v, value), reference(q, k, v, value)[0]):
                wrong.append(f"{seed} {turn}")

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_layers_of_a_model_share_it(monkeypatch: pytest.MonkeyPatch):
    made: list[Any] = []
    before = Prepared.recall_from

    def counted(self: Prepared, tensors: Any, key: Any, make: Any) -> Any:
        return before(self, tensors, key, lambda: made.append(key) or make())

    monkeypatch.setattr(Prepared, "recall_from", counted)
    torch.manual_seed(0)
    model = Encoder(EncoderConfig(vocabulary=20, depth=4, block=BlockConfig(width=16, num_heads=2))).eval()
    with torch.inference_mode():
        model(torch.randint(20, (2, 8)), torch.tensor([8, 6]))
    assert len(made) == len(set(made)) > 0
