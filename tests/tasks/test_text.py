"""Real text as tokens: files and their faults, vocabularies, token files, what is prepared once."""

import builtins
import gzip
import json
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
import torch

from regard.tasks import tokens as tokens_module
from regard.tasks.text import (
    BytePairs,
    Characters,
    Vocabulary,
    pieces,
    read_text,
    read_vocabulary,
    split_text,
    train_bpe,
    write_vocabulary,
)
from regard.tasks.tokens import TokenFile, fingerprint, prepare
from tests.refusals import refused

# Empty lines before a space and before a word: at its end, a piece would make one token of two.
VERSES = ("{} bottles  hang\nand one is green\n\n  it's [end] größer…\n", "{} bottles\n\n")
SONG = "".join([VERSES[n % 3 == 0].format(n) for n in range(90)])


@pytest.fixture(scope="module")
def pairs() -> BytePairs:
    return train_bpe([SONG], vocabulary=290, special=("[pad]", "[end]"))


def damage(path: Path, place: int) -> None:
    content = bytearray(path.read_bytes())
    content[place] ^= 1
    path.write_bytes(content)


def test_a_text_is_the_same_packed_or_not_with_any_line_ends(tmp_path: Path):
    content = "\ufeffä\r\nb\rc\n\u2028d".encode()
    (tmp_path / "a.txt").write_bytes(content)
    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(content, mtime=0))
    assert read_text(tmp_path / "a.txt") == read_text(str(tmp_path / "a.txt.gz")) == "ä\nb\nc\n\u2028d"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.txt", b"one\n\xc3\xa4 \xff", "got byte 0xff at offset 7 (line 2) of {}, invalid start byte"),
        ("a.gz", gzip.compress(b"one\n\xff", mtime=0), "got byte 0xff at offset 4 (line 2) of {}"),
        (
            "a.gz",
            gzip.compress(b"one" * 99, mtime=0)[:-9],
            "a .gz must be a whole gzip file: got {}, Compressed file ended",
        ),
        ("a.gz", b"one", "a .gz must be a whole gzip file: got {}, Not a gzipped file"),
        ("a.txt", gzip.compress(b"one", mtime=0), "got gzip in {}; rename it"),
        ("a.txt", None, "text is read from a file of UTF-8, .gz or not: got nothing at {}"),
    ],
)
def test_a_file_that_is_no_text_is_named(tmp_path: Path, name: str, content: bytes | None, message: str):
    path = tmp_path / name
    if content is not None:
        path.write_bytes(content)
    with refused(message.format(path)):
        read_text(path)


def test_both_vocabularies_give_the_text_back(tmp_path: Path, pairs: BytePairs):
    path = tmp_path / "vocabulary.json"
    for vocabulary in (Characters.of(SONG, special=("[pad]", "[end]")), pairs):
        write_vocabulary(path, vocabulary)
        for copy in (read_vocabulary(path), pickle.loads(pickle.dumps(vocabulary))):
            assert type(copy) is type(vocabulary)
            assert copy.json() == vocabulary.json()
            assert (copy.token("[pad]"), copy.token("[end]"), len(copy)) == (0, 1, len(vocabulary))
            tokens = copy.encode(SONG)
            assert max(tokens) < len(copy)
            assert min(tokens) > 1, "no text is a special token, though it says so"
            assert copy.decode([0, *tokens, 1]) == SONG
            assert copy.decode([]) == ""
    assert len(pairs) == 290
    assert len(pairs.encode(SONG)) < len(SONG.encode()) / 2
    assert pairs.decode(pairs.encode("unseen: 日本\0")) == "unseen: 日本\0"


def test_the_same_texts_give_the_same_byte_pairs(pairs: BytePairs):
    seen = []
    halves = [SONG[: len(SONG) // 2], SONG[len(SONG) // 2 :]]
    again = train_bpe(
        [SONG], vocabulary=290, special=("[pad]", "[end]"), progress=lambda done, total: seen.append((done, total))
    )
    assert again.json() == pairs.json()
    assert seen[-1] == (len(SONG), len(SONG))
    assert train_bpe(halves[:1], vocabulary=290, special=("[pad]", "[end]")).json() != pairs.json()


def test_pieces_give_the_tokens_of_the_whole(pairs: BytePairs):
    whole = pairs.encode(SONG)
    for size in (2, 50, 10**6):
        parts = pieces(SONG, size)
        assert "".join(parts) == SONG
        assert [token for part in parts for token in pairs.encode(part)] == whole
    assert len(pieces(SONG, 50)) > 5
    blunt = [SONG[n : n + 50] for n in range(0, len(SONG), 50)]
    assert [token for part in blunt for token in pairs.encode(part)] != whole, "where a cut lies matters"


def test_a_text_is_split_behind_a_boundary():
    for share in (0.01, 0.1, 0.5, 0.99):
        train, validation = split_text(SONG, share)
        assert train + validation == SONG
        assert train.endswith("\n")
        assert abs(len(validation) - share * len(SONG)) <= max(map(len, SONG.split("\n"))) + 1
    assert split_text("a\n\nb\nc\nd", 0.5, "\n\n") == ("a\n\n", "b\nc\nd")
    for text, boundary in (("ab\n", "\n"), ("abcd", "\n\n"), ("a", "\n\n"), ("", "\n")):
        with pytest.raises(ValueError, match=rf"got {len(text)} characters without {re.escape(repr(boundary))} betwe"):
            split_text(text, 0.5, boundary)
    with pytest.raises(ValueError, match="share must lie between 0 and 1: got share=1"):
        split_text("a\nb", 1)


def test_a_token_file_holds_what_was_encoded(tmp_path: Path, pairs: BytePairs):
    seen = []
    parts = pieces(SONG, 100)
    file = TokenFile.write(tmp_path / "a.tokens", parts, pairs, progress=lambda *done: seen.append(done))
    whole = torch.tensor(pairs.encode(SONG))
    assert (len(file), file.tokens.dtype.str, file.header.vocabulary) == (len(whole), "<u2", fingerprint(pairs))
    assert isinstance(file.tokens, np.memmap)
    assert not file.tokens.flags.writeable
    file.verify()
    assert [path.name for path in tmp_path.iterdir()] == ["a.tokens"]
    assert seen[-1] == (len(SONG), len(SONG))
    assert len(seen) == len(parts)
    starts = torch.tensor([5, 0, file.num_starts(7) - 1], dtype=torch.int32)
    for opened in (file, TokenFile.open(tmp_path / "a.tokens"), pickle.loads(pickle.dumps(file))):
        block = opened.block(starts, 7)
        assert block.dtype == torch.int64
        assert block.equal(torch.stack([whole[s : s + 8] for s in starts.tolist()]))
    # The same text in other pieces is the same source; the ends of documents make it another.
    assert TokenFile.write(tmp_path / "b", [SONG], pairs).header == file.header
    ended = TokenFile.write(tmp_path / "b", parts, pairs, end=pairs.token("[end]"))
    assert len(ended) == len(whole) + len(parts)
    assert ended.tokens[-1] == 1
    assert ended.header.source != file.header.source


def test_many_tokens_take_four_bytes(tmp_path: Path):
    vocabulary = Characters("".join(map(chr, range(0x20000, 0x20000 + 65537))))
    file = TokenFile.write(tmp_path / "a", [vocabulary.characters[-3:]], vocabulary)
    assert file.tokens.dtype.str == "<u4"
    assert file.block(torch.tensor([0]), 2).tolist() == [[65534, 65535, 65536]]


def test_a_failed_write_leaves_what_was_there(tmp_path: Path):
    path = tmp_path / "a"
    TokenFile.write(path, ["abba"], Characters("ab"))
    with pytest.raises(ValueError, match="got 'c' at 1, which is none of its 2"):
        TokenFile.write(path, ["ab", "ac"], Characters("ab"))
    assert TokenFile.open(path).tokens.tolist() == [0, 1, 1, 0]
    assert list(tmp_path.iterdir()) == [path]


def test_a_damaged_token_file_is_refused(tmp_path: Path):
    path = tmp_path / "a"

    def write() -> TokenFile:
        return TokenFile.write(path, ["abba"], Characters("ab"))

    file = write()
    damage(path, file.tokens.offset + 2)
    with pytest.raises(ValueError, match=rf"a must have checksum {file.header.content[:12]}…: got "):
        TokenFile.open(path).verify()
    whole = write().path.read_bytes()
    form = whole.replace(b"version 2", b"version 1")
    for content in (b"", b"?" + whole[1:], whole[:-1], whole[: file.tokens.offset + 7], form):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"tokens are read from what TokenFile.write wrote: got .*a \(.*write it"):
            TokenFile.open(path)
    with pytest.raises(ValueError, match=r"got no file at .*missing"):
        TokenFile.open(tmp_path / "missing")


def test_what_is_prepared_is_reused_until_something_differs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    source, folder, made = tmp_path / "song.txt", tmp_path / "data", []
    source.write_text(SONG, encoding="utf-8")
    train = tokens_module.train_bpe
    monkeypatch.setattr(tokens_module, "train_bpe", lambda *a, **k: made.append(k["vocabulary"]) or train(*a, **k))
    seen = []
    first = prepare(source, folder, 280, progress=lambda *done: seen.append(done))
    parts = split_text(SONG, 0.1)
    assert seen[-1][0] == seen[-1][1] == len(SONG) + len(parts[0])
    assert [first.vocabulary.decode(file.tokens.tolist()) for file in (first.train, first.validation)] == list(parts)
    times = {path: path.stat().st_mtime_ns for path in folder.rglob("*.*")}
    again = prepare(source, folder, 280, progress=lambda *done: pytest.fail("nothing was to be done"))
    assert again.train.header == first.train.header
    assert times == {path: path.stat().st_mtime_ns for path in folder.rglob("*.*")}
    assert made == [280]

    others: list[Vocabulary | str | int] = [281, "characters", first.vocabulary]
    places = {first.train.path, *[prepare(source, folder, other).train.path for other in others]}
    places |= {prepare(source, folder, "characters", share=0.3).train.path}
    source.write_text(SONG.replace("hang", "sang"), encoding="utf-8")
    places |= {prepare(source, folder, 280).train.path}
    assert len(places) == 6
    assert made == [280, 281, 280]


@pytest.mark.parametrize("name", ["train.tokens", "validation.tokens", "vocabulary.json"])
@pytest.mark.parametrize("how", ["damaged", "missing", "another"])
def test_prepared_files_that_are_not_whole_are_made_anew(tmp_path: Path, name: str, how: str):
    source = tmp_path / "song.txt"
    source.write_text(SONG, encoding="utf-8")
    first = prepare(source, tmp_path / "data")
    path = first.train.path.with_name(name)
    right = path.read_bytes()
    if how == "damaged":
        damage(path, len(right) - 1)
    elif how == "missing":
        path.unlink()
    elif name == "vocabulary.json":
        write_vocabulary(path, Characters.of(SONG + "*"))
    else:
        TokenFile.write(path, ["another\n"], Characters.of(SONG))
    prepare(source, tmp_path / "data")
    assert path.read_bytes() == right


def test_what_is_refused(tmp_path: Path, pairs: BytePairs):
    file = TokenFile.write(tmp_path / "a", ["abba"], Characters("ab"))
    lone = json.dumps({"model": {"type": "BPE", "vocab": 3}})
    wrong = [
        ("starts must lie in 0…1 for length=2: got 2", lambda: file.block(torch.tensor([0, 2]), 2)),
        ("starts must lie in 0…1 for length=2: got -1", lambda: file.block(torch.tensor([-1, 0]), 2)),
        ("starts must be whole numbers (B,): got torch.float32", lambda: file.block(torch.ones(1), 2)),
        ("got length=4, 4 tokens in", lambda: file.num_starts(4)),
        ("length must be a whole number from 1", lambda: file.num_starts(0)),
        ("texts must be a list of strings: got one string", lambda: TokenFile.write(tmp_path / "b", "ab", pairs)),
        ("a token or more: got 1 texts without", lambda: TokenFile.write(tmp_path / "b", [""], pairs)),
        ("must lie in 0…1: got 9", lambda: TokenFile.write(tmp_path / "b", ["a"], Characters("ab"), end=9)),
        ("tokens must lie in 0…289: got 290", lambda: pairs.decode([3, 290])),
        ("tokens must lie in 0…1: got -1", lambda: Characters("ab").decode([-1])),
        ("no special token '[edn]' here: did you mean [end]", lambda: pairs.token("[edn]")),
        ("no special token 'x' here: make the vocabulary with special=", lambda: Characters("ab").token("x")),
        ("got an empty text", lambda: Characters.of("")),
        ("characters must be there once each: got 'a' 2 times", lambda: Characters("aba")),
        ("a vocabulary must be JSON: got 'no'…", lambda: Characters.from_json("no")),
        ("a vocabulary must be an object of JSON: got list", lambda: BytePairs.from_json("[]")),
        ("what Characters.json wrote: got ['model']", lambda: Characters.from_json(lone)),
        ("a whole tokenizer.json: got", lambda: BytePairs.from_json(lone)),
        ("of model type 'BPE': got None", lambda: BytePairs.from_json(Characters("ab").json())),
        ("vocabulary must be a whole number from 257", lambda: train_bpe([SONG], vocabulary=256, special=("a",))),
        ("characters to learn from: got one string", lambda: train_bpe(SONG, vocabulary=300)),
        ("characters to learn from: got no text", lambda: train_bpe([""], vocabulary=300)),
        (
            "special must have each token once: got ('a', 'a')",
            lambda: train_bpe(["a"], vocabulary=300, special=("a", "a")),
        ),
        ("a number of byte pairs or one made: got 'words'", lambda: prepare(tmp_path, tmp_path, "words")),
    ]
    for message, call in wrong:
        with refused(message):
            call()
    assert not (tmp_path / "b").exists()


def test_without_tokenizers_one_is_told_what_to_install(monkeypatch: pytest.MonkeyPatch, pairs: BytePairs):
    written, real = pairs.json(), builtins.__import__

    def without(name: str, *rest):
        if name == "tokenizers":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    for call in (lambda: train_bpe([SONG], vocabulary=300), lambda: BytePairs.from_json(written)):
        with pytest.raises(ImportError, match=re.escape("got none; use pip install 'regard[train]'")):
            call()
