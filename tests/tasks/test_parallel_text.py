"""Parallel text: lines that belong together, files that do not, batches of like length."""

import gzip
import re
from pathlib import Path

import pytest
import torch

from regard.tasks.parallel_text import Pairs, bucket, folder_pairs, pad_batch, read_pairs
from regard.tasks.text import Characters

ENGLISH, GERMAN = "A dog.\nTwo\u2028dogs. \nNo dog.\n", "Ein Hund.\nZwei Hunde.\r\nKein Hund."
LENGTHS = torch.randint(1, 60, (700,), generator=torch.Generator().manual_seed(3)).tolist()


def write(folder: Path, **texts: str) -> None:
    """`train_en="…"` becomes train.en, `train_en_gz` train.en.gz."""
    for name, text in texts.items():
        content = text.encode()
        path = folder / name.replace("_", ".")
        path.write_bytes(gzip.compress(content) if path.suffix == ".gz" else content)


def test_lines_belong_together(tmp_path: Path):
    write(tmp_path, train_en=ENGLISH, train_de_gz=GERMAN, val_en=ENGLISH)
    pairs = folder_pairs(tmp_path, "en", "de")
    assert pairs == Pairs(("A dog.", "Two\u2028dogs.", "No dog."), ("Ein Hund.", "Zwei Hunde.", "Kein Hund."))
    assert pairs == read_pairs(tmp_path / "train.en", str(tmp_path / "train.de.gz"))
    seen = []
    english, german = Characters.of(ENGLISH), Characters.of(GERMAN)
    source, target = pairs.encode(english, german, progress=lambda *done: seen.append(done))
    assert tuple(map(english.decode, source)) == pairs.source
    assert tuple(map(german.decode, target)) == pairs.target
    assert seen == [(n, 6) for n in range(1, 7)]


def test_what_is_missing_is_listed_with_what_was_expected(tmp_path: Path):
    write(tmp_path, train_en=ENGLISH, train_en_gz=ENGLISH, val_de=GERMAN)
    with pytest.raises(ValueError) as told:
        folder_pairs(tmp_path, "en", "de")
    assert str(told.value) == (
        f"{tmp_path} must have one of train.en or train.en.gz (both there) and one of train.de or train.de.gz "
        "(none there): got train.en, train.en.gz, val.de"
    )
    with pytest.raises(ValueError, match=r"must have one of val.en or val.en.gz \(none there\): got"):
        folder_pairs(tmp_path, "en", "de", split="val")
    with pytest.raises(ValueError, match=r"is read from a folder: got .*away, which is none"):
        folder_pairs(tmp_path / "away", "en", "de")
    with pytest.raises(ValueError, match=r"got no file at .*one and .*other"):
        read_pairs(tmp_path / "one", tmp_path / "other")


@pytest.mark.parametrize("longer", ["en", "de"])
def test_files_of_unequal_length_are_refused(tmp_path: Path, longer: str):
    write(tmp_path, a_en=ENGLISH, a_de=GERMAN)
    with (tmp_path / f"a.{longer}").open("a") as file:
        file.write("\none more\nand another\n" if longer == "de" else "one more\nand another\n")
    counts = r"got 5 in .*a\.en and 3 in .*a\.de" if longer == "en" else r"got 3 in .*a\.en and 5 in .*a\.de"
    shorter = "de" if longer == "en" else "en"
    with pytest.raises(ValueError, match=rf"{counts}; line 4 is the first that .*a\.{shorter} has not"):
        folder_pairs(tmp_path, "en", "de", split="a")


def test_empty_lines_are_told_or_dropped(tmp_path: Path):
    write(
        tmp_path, a_en="one\n\nthree\nfour\n", a_de="eins\nzwei\ndrei\n \n", b_en="\n\n", b_de="a\n\n", c_en="", c_de=""
    )
    with pytest.raises(ValueError, match=r"no line may be empty: got 2 in .*, line 2, 4; use empty='drop'"):
        folder_pairs(tmp_path, "en", "de", split="a")
    dropped = folder_pairs(tmp_path, "en", "de", split="a", empty="drop")
    assert dropped == Pairs(("one", "three"), ("eins", "drei"), (2, 4))
    assert folder_pairs(tmp_path, "en", "de", split="a", empty="keep").source == ("one", "", "three", "four")
    with pytest.raises(ValueError, match=r"got 2 lines in .*b\.en, none with both"):
        folder_pairs(tmp_path, "en", "de", split="b", empty="drop")
    with pytest.raises(ValueError, match="files must have a line or more: got none"):
        folder_pairs(tmp_path, "en", "de", split="c", empty="keep")
    with pytest.raises(ValueError, match="empty must be 'error', 'drop' or 'keep': got 'skip'"):
        folder_pairs(tmp_path, "en", "de", split="a", empty="skip")
    with pytest.raises(ValueError, match="got 1 and 0 sentences"):
        Pairs(("a",), ())


def padded(batches: list[torch.Tensor]) -> list[int]:
    return [len(batch) * max([LENGTHS[i] for i in batch]) for batch in batches]


@pytest.mark.parametrize("budget", [59, 200, 10**6])
def test_batches_take_every_index_once_within_the_budget(budget: int):
    batches = bucket(LENGTHS, budget, seed=1, epoch=0)
    assert torch.cat(batches).sort().values.tolist() == list(range(len(LENGTHS)))
    assert max(padded(batches)) <= budget


def test_few_pads_are_computed():
    batches = bucket(LENGTHS, 600, seed=1, epoch=0)
    plain = torch.arange(len(LENGTHS)).split(600 // max(LENGTHS))
    assert sum(padded(batches)) < 1.05 * sum(LENGTHS) < 1.5 * sum(LENGTHS) < sum(padded(list(plain)))


def test_batches_are_mixed_and_a_function_of_seed_and_epoch():
    epochs = {(s, e): bucket(LENGTHS, 200, seed=s, epoch=e) for s in (0, 1) for e in (0, 1)}
    orders = {torch.cat(batches).numpy().tobytes() for batches in epochs.values()}
    members = {frozenset(frozenset(batch.tolist()) for batch in batches) for batches in epochs.values()}
    assert len(orders) == len(members) == 4
    assert len({len(batches) for batches in epochs.values()}) == 1, "a step of a run has its place in every epoch"
    longest = [max([LENGTHS[i] for i in batch]) for batch in epochs[0, 0]]
    assert longest != sorted(longest), "short ones do not all come first"
    resumed = bucket(LENGTHS, 200, seed=0, epoch=1)[7:]
    assert all(a.equal(b) for a, b in zip(resumed, epochs[0, 1][7:], strict=True))


def test_rows_are_padded():
    tokens, lengths = pad_batch([[1], [2, 3, 4], [5, 6]], pad=9)
    assert tokens.tolist() == [[1, 9, 9], [2, 3, 4], [5, 6, 9]]
    assert lengths == (1, 3, 2)
    assert tokens.dtype == torch.int64


def test_what_is_refused():
    wrong = [
        ("got tokens_per_batch=5, lengths[1]=7; use 8 or more", lambda: bucket([1, 7, 8], 5, 0, 0)),
        ("lengths[1] must be a whole number from 1", lambda: bucket([1, 0], 5, 0, 0)),
        ("lengths must have a number or more: got none", lambda: bucket([], 5, 0, 0)),
        ("epoch must be a whole number from 0 to below 2^62: got epoch=-1", lambda: bucket([1], 5, 0, -1)),
        ("each row must have a token or more: got none in row 1", lambda: pad_batch([[1], []])),
        ("each row must have a token or more: got no rows", lambda: pad_batch([])),
    ]
    for message, call in wrong:
        with pytest.raises(ValueError, match=re.escape(message)):
            call()
