"""Parallel text: lines that belong together, files that do not, batches of like length."""

import gzip
from pathlib import Path

import pytest
import torch

from regard.models import BlockConfig, Decoder, DecoderConfig, PositionConfig
from regard.models.cross_entropy import IGNORED
from regard.tasks.parallel_text import Buckets, Pairs, Rows, folder_pairs, read_pairs
from tests.refusals import refused

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
def test_fixed_batches_take_every_index_once_within_the_budget(budget: int):
    buckets = Buckets(LENGTHS, budget)
    batches = [buckets.fixed(number) for number in range(len(buckets))]
    assert torch.cat(batches).sort().values.tolist() == list(range(len(LENGTHS)))
    assert max(padded(batches)) <= budget


def test_few_pads_are_computed():
    buckets = Buckets(LENGTHS, 600)
    generator = torch.Generator().manual_seed(0)
    batches = [buckets.draw(number, generator) for number in range(len(buckets))]
    plain = torch.arange(len(LENGTHS)).split(600 // max(LENGTHS))
    assert sum(padded(batches)) < 1.15 * sum(LENGTHS) < 1.5 * sum(LENGTHS) < sum(padded(list(plain)))


def test_drawn_batches_differ_and_take_all_about_as_often():
    buckets, generator = Buckets(LENGTHS, 200), torch.Generator().manual_seed(0)
    epochs = [[buckets.draw(number, generator) for number in range(len(buckets))] for _ in range(200)]
    assert len({frozenset(batches[5].tolist()) for batches in epochs}) > 100
    assert all(len(batch.unique()) == len(batch) for batch in epochs[0])
    counts = torch.cat([batch for batches in epochs for batch in batches]).bincount(minlength=len(LENGTHS))
    assert counts.double().mean() == 200
    assert counts.min() > 60
    again = buckets.draw(3, torch.Generator().manual_seed(7))
    assert again.equal(buckets.draw(3, torch.Generator().manual_seed(7))), "the generator alone decides"


def test_rows_are_padded():
    rows = Rows.of([[1], [2, 3, 4], [5, 6]])
    assert rows.tokens.tolist() == [[1, 0, 0], [2, 3, 4], [5, 6, 0]]
    tokens, lengths = rows.take(torch.tensor([2, 0]))
    assert tokens.tolist() == [[5, 6], [1, 0]]
    assert lengths.tolist() == [2, 1]
    assert rows.take(torch.tensor([0, 2]), step=8)[0].shape == (2, 3), "there is no room for more"


def test_what_is_refused():
    wrong = [
        ("got tokens_per_batch=5, lengths[1]=7; use 8 or more", lambda: Buckets([1, 7, 8], 5)),
        ("lengths[1] must be a whole number from 1", lambda: Buckets([1, 0], 5)),
        ("lengths must have a number or more: got none", lambda: Buckets([], 5)),
        ("each row must have a token or more: got none in row 1", lambda: Rows.of([[1], []])),
        ("each row must have a token or more: got no rows", lambda: Rows.of([])),
    ]
    for message, call in wrong:
        with refused(message):
            call()


def test_packed_texts_have_the_loss_of_padded_ones_and_fewer_tokens():
    torch.manual_seed(0)
    block = BlockConfig(width=16, num_heads=2)
    config = DecoderConfig(vocabulary=50, depth=2, block=block, positions=PositionConfig(context=24))
    lengths = (3, 25, 9, 14, 2, 7, 12, 5)
    rows = Rows.of([torch.randint(50, (length,)).tolist() for length in lengths])
    index = torch.tensor([0, 1, 2, 3, 4, 5, 6, 7])
    padded, counts = rows.take(index)
    real = torch.arange(padded.shape[1] - 1) < (counts - 1)[:, None]
    targets = padded[:, 1:].masked_fill(~real, IGNORED)
    packed = rows.pack(index, 24)
    assert packed.tokens.numel() < 0.5 * targets.numel()
    assert (packed.targets != IGNORED).sum() == sum(lengths) - len(lengths)
    found = []
    for tokens, cuts, wanted in (
        (padded[:, :-1], tuple((counts - 1).tolist()), targets),
        (packed.tokens, packed.documents, packed.targets),
        (packed.tokens, None, packed.targets),  # which lets texts see each other
    ):
        torch.manual_seed(1)
        model = Decoder(config).double()
        loss = model(tokens, cuts, targets=wanted).loss
        loss.backward()
        found.append({name: p.grad for name, p in model.named_parameters()} | {"loss": loss.detach()})
    torch.testing.assert_close(found[1], found[0])
    assert abs(found[2]["loss"] - found[0]["loss"]) > 1e-6


@pytest.mark.parametrize(("lengths", "got"), [((3, 30), 30), ((3, 1), 1)])
def test_texts_that_cannot_be_packed(lengths: tuple[int, ...], got: int):
    rows = Rows.of([[1] * length for length in lengths])
    with pytest.raises(ValueError, match=rf"from 2 to 25 tokens: got {got}; use a larger width"):
        rows.pack(torch.arange(2), 24)
