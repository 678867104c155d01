"""Text files and vocabularies: text is read whole, and characters or byte pairs are its tokens."""

import gzip
import hashlib
import json
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import Any, Protocol

from regard.checks import MissingExtra, check_whole, nearest
from regard.tasks.files import write_atomically

PIECE = 1 << 18  # characters that are encoded at a time
GZIP = b"\x1f\x8b"
BYTES = 256

Progress = Callable[[int, int], None]  # how much is done, and of how much


class Vocabulary(Protocol):
    """Encodes text as tokens and decodes tokens as text.

    No text encodes as a special token, whatever it says: only `token` gives their numbers. `decode` leaves them out.
    """

    def encode(self, text: str) -> list[int]: ...
    def decode(self, tokens: Sequence[int]) -> str: ...
    def token(self, special: str) -> int: ...
    def __len__(self) -> int: ...
    def json(self) -> str: ...
    @classmethod
    def from_json(cls, written: str) -> "Vocabulary": ...


@dataclass(frozen=True)
class Characters:
    """A token for each character, numbered after the special tokens.

    >>> vocabulary = Characters.of("hello", special=("[end]",))
    >>> vocabulary.encode("hole"), vocabulary.token("[end]"), len(vocabulary)
    ([2, 4, 3, 1], 0, 5)
    >>> Characters.from_json(vocabulary.json()).decode([2, 4, 3, 1, 0])
    'hole'
    """

    characters: str
    special: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.characters:
            raise ValueError("a vocabulary must have a character or more: got an empty text; use one with characters")
        for name, entries in (("characters", self.characters), ("special", self.special)):
            entry, count = Counter(entries).most_common(1)[0] if entries else ("", 1)
            if count > 1:
                raise ValueError(
                    f"{name} must be there once each: got {entry!r} {count} times; use Characters.of(text)"
                )

    @classmethod
    def of(cls, text: str, *, special: tuple[str, ...] = ()) -> "Characters":
        """The characters of a text, in the order of their code points."""
        return cls("".join(sorted(set(text))), special)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {character: number for number, character in enumerate(self.characters, len(self.special))}

    def encode(self, text: str) -> list[int]:
        numbers = self._numbers
        try:
            return [numbers[character] for character in text]
        except KeyError as error:
            character = error.args[0]
            raise ValueError(
                f"all characters must be in the vocabulary: got {character!r} at {text.index(character)}, which is "
                f"none of its {len(self.characters)}; make it of a text that has them all"
            ) from error

    def decode(self, tokens: Sequence[int]) -> str:
        check_range(min(tokens, default=0), max(tokens, default=0), len(self))
        first = len(self.special)
        return "".join([self.characters[token - first] for token in tokens if token >= first])

    def token(self, special: str) -> int:
        if special not in self.special:
            raise _no_special(special, list(self.special))
        return self.special.index(special)

    def __len__(self) -> int:
        return len(self.special) + len(self.characters)

    def json(self) -> str:
        return json.dumps({"special": self.special, "characters": self.characters})

    @classmethod
    def from_json(cls, written: str) -> "Characters":
        found = _object(written)
        characters, special = found.get("characters"), found.get("special")
        if not isinstance(characters, str) or not isinstance(special, list):
            raise ValueError(f"characters are read from what Characters.json wrote: got {sorted(found)}; write it anew")
        return cls(characters, tuple(special))


class BytePairs:
    """Byte pairs of a tokenizer.json, as `train_bpe` makes it and as it is published with models.

    Every text can be encoded, and decoding gives it back, because the vocabulary includes the 256 bytes.
    Sennrich, Haddow and Birch, *Neural machine translation of rare words with subword units*, ACL 2016.
    """

    def __init__(self, tokenizer: Any) -> None:
        tokenizer.no_padding()
        tokenizer.no_truncation()
        tokenizer.encode_special_tokens = True  # a text "[end]" is no end token; the JSON does not keep this setting
        self._tokenizer, self._size = tokenizer, tokenizer.get_vocab_size()

    def encode(self, text: str) -> list[int]:
        return self._tokenizer.encode(text, add_special_tokens=False).ids

    def decode(self, tokens: Sequence[int]) -> str:
        # The tokenizer itself would leave out the tokens that it does not know.
        check_range(min(tokens, default=0), max(tokens, default=0), len(self))
        return self._tokenizer.decode(list(tokens), skip_special_tokens=True)

    def token(self, special: str) -> int:
        known = {added.content: n for n, added in self._tokenizer.get_added_tokens_decoder().items() if added.special}
        if special not in known:
            raise _no_special(special, list(known))
        return known[special]

    def __len__(self) -> int:
        return self._size

    def json(self) -> str:
        return self._tokenizer.to_str()

    @classmethod
    def from_json(cls, written: str) -> "BytePairs":
        tokenizers = _tokenizers()
        model = _object(written).get("model")
        kind = model.get("type") if isinstance(model, dict) else None
        if kind != "BPE":
            raise ValueError(f"byte pairs are read from a tokenizer.json of model type 'BPE': got {kind!r}")
        try:
            return cls(tokenizers.Tokenizer.from_str(written))
        except Exception as error:
            if type(error) is not Exception:  # tokenizers raises a plain Exception
                raise
            raise ValueError(f"byte pairs are read from a whole tokenizer.json: got {error}; write it anew") from error

    def __reduce__(self) -> tuple[Callable[[str], "BytePairs"], tuple[str]]:
        return BytePairs.from_json, (self.json(),)


def train_bpe(
    texts: Sequence[str],
    *,
    vocabulary: int,
    special: tuple[str, ...] = (),
    progress: Progress | None = None,
) -> BytePairs:
    """Learn at most `vocabulary` tokens: the special ones, the bytes, and pairs that occur twice or more.

    The result does not depend on the number of threads. `progress` counts characters.

    >>> pairs = train_bpe(["low lower lowest"], vocabulary=300, special=("[end]",))
    >>> pairs.token("[end]"), len(pairs), len(pairs.encode("lower")), pairs.decode(pairs.encode("größer"))
    (0, 261, 3, 'größer')
    """
    tokenizers = _tokenizers()
    check_whole("vocabulary", vocabulary, BYTES + len(special))
    if isinstance(texts, str) or not any(texts):
        what = "one string" if isinstance(texts, str) and texts else "no text"
        raise ValueError(f"texts must be a list with characters to learn from: got {what}; use [text]")
    if len(set(special)) < len(special):
        raise ValueError(f"special must have each token once: got {special}; remove one")
    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=list(special),
        initial_alphabet=tokenizers.pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    parts = (piece for text in texts for piece in pieces(text))
    tokenizer.train_from_iterator(_counted(parts, sum(map(len, texts)), progress), trainer)
    return BytePairs(tokenizer)


def prepare_bpe(
    text: str, folder: str | PathLike[str], *, vocabulary: int, special: tuple[str, ...], progress: Progress
) -> BytePairs:
    """Byte pairs that are learnt once: `folder` keeps them under a name that decides what they are."""
    key = hashlib.sha256(f"{vocabulary}\n{special}\n{text}".encode()).hexdigest()[:16]
    path = Path(folder) / f"pairs-{key}.json"
    if not path.is_file():
        write_vocabulary(path, train_bpe([text], vocabulary=vocabulary, special=special, progress=progress))
    return BytePairs.from_json(read_text(path))


def read_text(path: str | PathLike[str]) -> str:
    r"""Read the UTF-8 text of a file, unpacked if its name ends in .gz, with \n for each line end and without a BOM."""
    path = Path(path)
    if not path.is_file():
        what = "a folder" if path.is_dir() else "nothing"
        raise ValueError(f"text is read from a file of UTF-8, .gz or not: got {what} at {path}")
    content = path.read_bytes()
    if path.suffix == ".gz":
        try:
            content = gzip.decompress(content)
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"a .gz must be a whole gzip file: got {path}, {error}; download it again") from error
    elif content.startswith(GZIP):
        raise ValueError(f"text must be UTF-8, or its name end in .gz: got gzip in {path}; rename it")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(
            f"text must be UTF-8: got byte 0x{content[error.start]:02x} at offset {error.start} (line {line}) of "
            f"{path}, {error.reason}; convert it, as with iconv -t utf-8"
        ) from error
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def split_text(text: str, share: float, boundary: str = "\n") -> tuple[str, str]:
    r"""Split off about this share of a text, its end, to validate on; the cut is behind a boundary.

    It is the first such cut that leaves no more than the share, or the last one before it where there is none.

    >>> split_text("one\ntwo\nthree\nfour\n", 0.3)
    ('one\ntwo\nthree\n', 'four\n')
    """
    if not 0 < share < 1:
        raise ValueError(f"share must lie between 0 and 1: got share={share}; use 0.1")
    if not boundary:
        raise ValueError("boundary must be a string: got ''; use a line's end, or two")
    wanted = len(text) - int(len(text) * share)
    found = text.find(boundary, max(0, wanted - len(boundary)), len(text) - 1)
    if found < 0:
        found = text.rfind(boundary, 0, min(wanted, len(text) - 1))
    if found < 0:
        raise ValueError(
            f"a text must have two parts to be split: got {len(text)} characters without {boundary!r} between them; "
            "use another boundary"
        )
    cut = found + len(boundary)
    return text[:cut], text[cut:]


def pieces(text: str, size: int = PIECE) -> list[str]:
    r"""Split a text into parts of about this many characters, whose tokens are those of the whole.

    The cuts lie at line ends between two lines that are not empty, which no byte pair crosses.

    >>> pieces("one\ntwo\n\nthree\nfour", 5)
    ['one\ntwo\n\nthree\n', 'four']
    """
    seam, start, found = re.compile(r"\S\n(?=\S)"), 0, []
    while match := seam.search(text, start + size - 2):
        found.append(text[start : match.end()])
        start = match.end()
    return [*found, text[start:]] if start < len(text) else found


def write_vocabulary(path: str | PathLike[str], vocabulary: Vocabulary) -> None:
    with write_atomically(path) as file:
        file.write(vocabulary.json().encode())


def read_vocabulary(path: str | PathLike[str]) -> Characters | BytePairs:
    """Read whichever of the two kinds was written."""
    written = read_text(path)
    try:
        kind = Characters if "characters" in _object(written) else BytePairs
        return kind.from_json(written)
    except ValueError as error:
        raise ValueError(f"{path} must be a vocabulary: {error}") from error


def check_range(low: int, high: int, size: int) -> None:
    """Raise unless tokens from `low` to `high` are in a vocabulary of this size."""
    if low < 0 or high >= size:
        wrong = low if low < 0 else high
        raise ValueError(f"tokens must lie in 0…{size - 1}: got {wrong}; use tokens of this vocabulary")


def _counted(parts: Iterator[str], total: int, progress: Progress | None) -> Iterator[str]:
    done = 0
    for part in parts:
        yield part
        done += len(part)
        if progress is not None:
            progress(done, total)


def _tokenizers() -> Any:
    try:
        import tokenizers
    except ImportError as error:
        raise MissingExtra("byte pairs", "tokenizers", "train") from error
    return tokenizers


def _object(written: str) -> dict[str, Any]:
    try:
        found = json.loads(written)
    except ValueError as error:
        raise ValueError(f"a vocabulary must be JSON: got {written[:20]!r}…, {error}; write it anew") from error
    if not isinstance(found, dict):
        raise ValueError(f"a vocabulary must be an object of JSON: got {type(found).__name__}; write it anew")
    return found


def _no_special(name: str, known: list[str]) -> ValueError:
    tail = nearest(name, known) if known else "make the vocabulary with special=(…)"
    return ValueError(f"no special token {name!r} here: {tail}")
