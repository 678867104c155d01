"""Tokens that become text while they are written, up to a string to stop at."""

from os.path import commonprefix
from typing import Any

PARTIAL = "\N{REPLACEMENT CHARACTER}"  # what a tokenizer gives for a part of a letter
AROUND = 6  # tokens before a piece that it is decoded with, for they decide on spaces
LONGEST = 8  # tokens that may be parts of one letter


class Text:
    """The text of new tokens, behind those that were read; what is certain is given as soon as it is.

    Held back is what may be part of a letter that later tokens complete, and what may be the start of a string to stop
    at. The text ends before that string.

    >>> from tokenizers import Tokenizer, models
    >>> tokenizer = Tokenizer(models.WordLevel({"a": 0, "b": 1, "c": 2}, unk_token="a"))
    >>> text = Text(tokenizer, [], ("b c",))
    >>> text.add(0), text.add(1), text.stopped, text.add(2), text.stopped
    ('a', ' ', False, '', True)
    """

    def __init__(self, tokenizer: Any, read: list[int] | tuple[int, ...], stop: tuple[str, ...] = ()) -> None:
        self.tokenizer, self.read, self.stop = tokenizer, tuple(read), stop
        self.stopped = False
        self.given = ""
        self._tokens = list(read)[-AROUND:]  # those that still matter
        self._done = len(self._tokens)  # of them have become text
        self._held = ""

    def add(self, token: int) -> str:
        """Add a token; return the text that is now certain."""
        self._tokens.append(token)
        return self._passed(self._new(final=False), final=False)

    def end(self) -> str:
        """Return the text that was held back, when no token follows."""
        return "" if self.stopped else self._passed(self._new(final=True), final=True)

    def _new(self, final: bool) -> str:
        """The text of the tokens that have not become text, or nothing while the last may be part of a letter."""
        before, now = (self.tokenizer.decode(tokens) for tokens in (self._tokens[: self._done], self._tokens))
        waiting = len(self._tokens) - self._done
        if not waiting or (now.endswith(PARTIAL) and not final and waiting < LONGEST):
            return ""
        keep = min(len(self._tokens), AROUND + waiting)
        self._tokens = self._tokens[len(self._tokens) - keep :]
        self._done = len(self._tokens)
        shared = commonprefix((before, now))  # noqa: RUF071 - of letters; one that was half there is another now
        return now[len(shared) :]

    def _passed(self, piece: str, final: bool) -> str:
        text = self._held + piece
        found = [text.find(string) for string in self.stop if string in text]
        if found:
            self.stopped, text, self._held = True, text[: min(found)], ""
        else:
            keep = 0 if final else max([_overlap(text, string) for string in self.stop], default=0)
            text, self._held = text[: len(text) - keep], text[len(text) - keep :]
        self.given += text
        return text


def ends_with_stop(tokenizer: Any, tokens: list[int], stop: tuple[str, ...]) -> bool:
    """Whether the text of these tokens, none of which but the last can have completed one, has a string to stop at."""
    if not stop:
        return False
    tail = tokenizer.decode(tokens[-(4 * max(map(len, stop)) + LONGEST) :])
    return any([string in tail for string in stop])


def _overlap(text: str, string: str) -> int:
    """How many of the last letters of a text may be the first of a string.

    >>> _overlap("ab", "bc"), _overlap("abb", "bbb"), _overlap("a", "b")
    (1, 2, 0)
    """
    for count in range(min(len(text), len(string) - 1), 0, -1):
        if string.startswith(text[-count:]):
            return count
    return 0
