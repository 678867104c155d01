"""Tokens that become text while they are written, up to a string to stop at."""

from typing import Any


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
        from tokenizers.decoders import DecodeStream

        self.tokenizer, self.read, self.stop = tokenizer, tuple(read), stop
        self.stopped = False
        self.given = ""
        self._tokens = list(read)
        self._before = len(tokenizer.decode(self._tokens))
        self._stream = DecodeStream(ids=self._tokens, skip_special_tokens=True)
        self._held = ""

    def add(self, token: int) -> str:
        """What a token makes certain."""
        self._tokens.append(token)
        return self._passed(self._stream.step(self.tokenizer, token) or "", final=False)

    def end(self) -> str:
        """What was held back, when nothing follows."""
        whole = self.tokenizer.decode(self._tokens)[self._before :]
        rest = whole[len(self.given) + len(self._held) :]
        return "" if self.stopped else self._passed(rest, final=True)

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


def _overlap(text: str, string: str) -> int:
    """How many of the last letters of a text may be the first of a string.

    >>> _overlap("ab", "bc"), _overlap("abb", "bbb"), _overlap("a", "b")
    (1, 2, 0)
    """
    for count in range(min(len(text), len(string) - 1), 0, -1):
        if string.startswith(text[-count:]):
            return count
    return 0
