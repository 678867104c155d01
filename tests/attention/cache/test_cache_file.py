"""A cache on disk: whole or not at all, and nothing in it that was dropped."""

import re
from pathlib import Path

import pytest
import torch
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from regard.attention import Attention, Cache, Causal, Window
from tests.refusals import refused

CAUSAL = Attention(mask=Causal())
LOCAL = Attention(mask=Causal() & Window(3))


def piece(n: int) -> tuple[Tensor, Tensor]:
    return torch.randn(2, 1, n, 4), torch.randn(2, 1, n, 4)


def filled(n: int) -> Cache:
    cache = Cache(2, 1, 4, capacity=10)
    cache.append(*piece(n), CAUSAL)
    return cache


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "cache.safetensors"
    filled(3).save(path)
    return path


@pytest.mark.parametrize("cut", [0, 4, 100, -1])
def test_a_file_cut_short(saved: Path, cut: int):
    saved.write_bytes(saved.read_bytes()[:cut])
    with refused(f"a cache is loaded from a whole safetensors file: got {saved}"):
        Cache.load(saved)


def test_a_file_with_any_bit_turned_is_noticed(saved: Path):
    """Wherever it lies: in the length, in the names and numbers, or in the tokens."""
    whole = saved.read_bytes()
    for place in range(0, len(whole), 3):
        saved.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with refused("a cache "):
            Cache.load(saved)


def test_a_file_of_something_else(tmp_path: Path):
    path = tmp_path / "model.safetensors"
    save_file({"weight": torch.zeros(3)}, path)
    with refused(f"a cache is loaded from what Cache.save wrote: got {path} with ['weight']; load it elsewhere"):
        Cache.load(path)
    save_file({"k": torch.zeros(3), "v": torch.zeros(3)}, path)
    with refused("a cache is loaded from what Cache.save wrote"):
        Cache.load(path)
    with pytest.raises(FileNotFoundError):
        Cache.load(tmp_path / "none")


def test_a_save_that_fails_leaves_the_old_file(saved: Path, monkeypatch: pytest.MonkeyPatch):
    before = saved.read_bytes()

    def full(*_: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr("regard.attention.cache.file.os.fsync", full)
    with pytest.raises(OSError, match="no space"):
        filled(5).save(saved)
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_a_file_holds_the_tokens_that_are_kept_and_no_others(tmp_path: Path):
    """Neither what the window has left behind, nor what was rolled back."""
    cache, (k, v) = Cache(2, 1, 4, window=4), piece(20)
    cache.append(k, v, LOCAL, lengths=[20, 19])
    cache.rollback([1, 0])
    cache.save(tmp_path / "cache")
    file = load_file(tmp_path / "cache")
    assert torch.equal(file["k"][0, :, :3], k[0, :, 16:19])
    assert torch.equal(file["v"][1], v[1, :, 15:19])
    assert file["k"][0, :, 3:].count_nonzero() == 0
    other = Cache.load(tmp_path / "cache")
    assert (other.lengths, other.starts, other.window) == (cache.lengths, cache.starts, 4)


def test_a_folder_that_is_not_there_and_a_disk_that_is_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(FileNotFoundError):
        filled(3).save(tmp_path / "nowhere" / "cache")

    def full(*_: object, **__: object) -> None:
        raise SafetensorError("no space left on device")

    monkeypatch.setattr("safetensors.torch.save_file", full)
    path = tmp_path / "cache"
    with pytest.raises(OSError, match=re.escape(f"a cache could not be written to {path}: no space left on device")):
        filled(3).save(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float64])
def test_an_empty_cache_and_other_types_are_saved_too(tmp_path: Path, dtype: torch.dtype):
    cache = Cache(2, 1, 4, 3, capacity=5, dtype=dtype)
    cache.save(tmp_path / "cache")
    other = Cache.load(str(tmp_path / "cache"), device="cpu")
    assert repr(other) == repr(cache)
    assert (other.dtype, other.bytes) == (dtype, cache.bytes)
