"""Models that generate text: at once, as a stream, or turn by turn."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from regard.checks import check_whole, nearest
from regard.generation import Reader, Settings, Text, Written, search, write
from regard.generation.sampling import Reason
from regard.generation.text import ends_with_stop
from regard.models.hugging_face.folder import Source

Prompt = str | list[int] | Tensor
Prompts = Prompt | list[str] | list[list[int]]
SOME = 256  # tokens that are written where nobody says how many


class Writer(nn.Module):
    """A model that scores the next token. Models differ in how they `begin` and in the `room` that they have.

    `tokenizer` and `source` are those of the folder that a model was loaded from.
    """

    tokenizer: Any = None
    source: Source | None = None
    config: Any

    def begin(self, prompts: list[list[int]], max_new: int, start: int | None) -> tuple[Reader, list[list[int]]]:
        """A reader for these prompts, and what it is to read first."""
        raise NotImplementedError(f"{type(self).__name__} must define begin(prompts, max_new, start)")

    def room(self, prompts: list[list[int]]) -> int | None:
        """How many tokens can be written behind these prompts; None: no limit."""
        raise NotImplementedError(f"{type(self).__name__} must define room(prompts)")

    @torch.inference_mode()
    def generate(
        self,
        prompts: Prompts,
        settings: Settings | None = None,
        *,
        ends: tuple[int, ...] | list[int] | None = None,
        start: int | None = None,
        progress: Callable[[int], None] | None = None,
        **changes: Any,
    ) -> Any:
        """What the model writes behind a prompt, or behind each of several of any lengths: a `Written`, or a list.

        Prompts are texts, or tokens as lists or a tensor. How it writes is said by `settings`, or by their names:
        `model.generate("Once upon", temperature=0.8, max_new=50)`. `ends` are the tokens that end a text, and `start`
        the one that a target begins with; by default those that the model's folder names. `progress` is told each step.
        """
        many, rows = self._tokens(prompts)
        if not rows:
            return []
        settings = _settings(settings, changes)
        ends = self.ends(ends)
        max_new = self._check(rows, settings)
        reader, firsts = self.begin(rows, max_new, start)
        device = next(self.parameters()).device
        if settings.beams > 1:
            lines = [Line(self._text(first, settings), ()) for first in firsts]
            found = search(
                reader,
                firsts,
                settings,
                ends=ends,
                max_new=max_new,
                stopped=lambda _, tokens: ends_with_stop(self.tokenizer, tokens, tuple(settings.stop)),
                device=device,
                progress=progress,
            )
            written = [replace(each, text=line.read(each.tokens)) for each, line in zip(found, lines, strict=True)]
        else:
            lines = [Line(self._text(first, settings), ends) for first in firsts]
            steps = write(
                reader, firsts, settings, max_new=max_new, done=lambda row, t: bool(lines[row].add(t)), device=device
            )
            for number, _ in enumerate(steps, 1):
                if progress is not None:
                    progress(number)
            written = [line.written() for line in lines]
        _release(reader)
        return written if many else written[0]

    def stream(
        self,
        prompt: Prompts,
        settings: Settings | None = None,
        *,
        ends: tuple[int, ...] | list[int] | None = None,
        start: int | None = None,
        **changes: Any,
    ) -> Iterator[str]:
        """The text that the model writes behind a prompt, piece by piece as it comes; see `generate`."""
        how = _settings(settings, changes, streamed=True)
        many, rows = self._tokens(prompt)
        if many:
            raise ValueError(f"a stream is of one prompt: got {len(rows)}; use generate for several")
        self._text(rows[0], how, shown=True)  # refuses a model without a tokenizer now, not at the first piece
        max_new, ending = self._check(rows, how), self.ends(ends)

        def pieces() -> Iterator[str]:
            with torch.inference_mode():
                reader, firsts = self.begin(rows, max_new, start)
            line = Line(self._text(firsts[0], how, shown=True), ending)
            device = next(self.parameters()).device
            yield from line.pieces(
                write(reader, firsts, how, max_new=max_new, done=lambda _, t: bool(line.add(t)), device=device)
            )
            _release(reader)

        return pieces()

    def ends(self, given: tuple[int, ...] | list[int] | None = None) -> tuple[int, ...]:
        """The tokens that end a text: those that are given, or that the model's folder names, or none."""
        found = self.named("eos_token_id") if given is None else given
        ends = () if found is None else tuple(found) if isinstance(found, list | tuple) else (found,)
        if any([type(token) is not int for token in ends]):
            raise ValueError(f"tokens that end a text must be whole numbers: got {found!r}; use ends=(token,)")
        return ends

    def start(self, given: int | None = None) -> int:
        """The token that a target begins with."""
        found = self.named("decoder_start_token_id") if given is None else given
        if found is None:
            raise ValueError("a target begins with a token: got none, nor a folder that names one; use start=…")
        return found

    def named(self, key: str) -> Any:
        """What the model's folder says in generation_config.json or config.json; None where it does not."""
        if self.source is None:
            return None
        found = self.source.generation.get(key)
        return self.source.config.get(key) if found is None else found

    def _tokens(self, prompts: Prompts) -> tuple[bool, list[list[int]]]:
        """Whether there may be several prompts, and the tokens of each."""
        if isinstance(prompts, Tensor | np.ndarray):
            if prompts.ndim not in (1, 2):
                raise ValueError(f"prompts are tokens (T,) or (B, T): got shape {tuple(prompts.shape)}; use a list")
            prompts = prompts.tolist()
        if not isinstance(prompts, str | list | tuple):
            raise ValueError(f"prompts are texts, or lists of tokens: got {prompts!r}; use 'a text' or [1, 2]")
        many = not isinstance(prompts, str) and not (prompts and not isinstance(prompts[0], str | list | tuple))
        rows = [self.encode_prompt(prompt) for prompt in (prompts if many else [prompts])]
        for number, row in enumerate(rows):
            if not row:
                raise ValueError(
                    f"a prompt must have a token or more: got {prompts!r}"
                    f"{f', of which number {number} has none' if many else ''}; use the token that begins texts"
                )
        return many, rows

    def encode_prompt(self, prompt: Any, *, begins: bool = True) -> list[int]:
        """The tokens of a text; with `begins` also those that the tokenizer puts around one."""
        if not isinstance(prompt, str):
            return self._checked(prompt)
        if self.tokenizer is None:
            raise ValueError(
                f"text needs a tokenizer: got {prompt!r} for a model without one; use tokens, or a folder with "
                "tokenizer.json"
            )
        try:
            prompt.encode()
        except UnicodeEncodeError as error:
            raise ValueError(f"text must be Unicode: got {prompt!r}; give it in UTF-8") from error
        try:
            found = self.tokenizer.encode(prompt, add_special_tokens=begins)
        except Exception as error:
            if type(error) is not Exception:  # what tokenizers itself raises is no kind of its own
                raise
            raise ValueError(f"text must be of what the tokenizer knows: got {prompt!r:.60}, {error}") from error
        return self._checked(found.ids)

    def _checked(self, tokens: Any) -> list[int]:
        """The tokens of a prompt, checked on the host so that no device has to report an error."""
        rows = [int(token) if isinstance(token, np.integer) else token for token in tokens]
        most = self.config.vocabulary - 1
        for token in rows:
            if type(token) is not int or not 0 <= token <= most:
                raise ValueError(
                    f"tokens must be whole numbers in 0…{most}: got {token!r}; use the tokenizer of this model"
                )
        return rows

    def _text(self, read: list[int], settings: Settings, *, shown: bool = False) -> Text | None:
        """What makes text of new tokens, where the model has a tokenizer; it must where the text is to be `shown`."""
        if self.tokenizer is not None:
            tokenizer = getattr(self.tokenizer, "loaded", self.tokenizer)  # that of a folder is opened when it is used
            return Text(tokenizer, read, tuple(settings.stop))
        if settings.stop:
            raise ValueError(f"strings to stop at need a tokenizer: got stop={settings.stop!r}; use ends=(token,)")
        if shown:
            raise ValueError("a stream of text needs a tokenizer: got a model without one; use generate(tokens)")
        return None

    def _check(self, rows: list[list[int]], settings: Settings) -> int:
        """Check the request, and return how many tokens to write."""
        if not isinstance(settings, Settings):
            raise ValueError(f"settings must be Settings: got {settings!r}; use Settings(…), or names")
        if self.training and self.config.dropout:
            raise ValueError("a model writes without dropout: got one in training; use model.eval()")
        room = self.room(rows)
        if room is not None and room < (settings.max_new or 1):
            longest = max([len(row) for row in rows])
            raise ValueError(
                f"what is read and written must fit the positions that the model has: got a prompt of {longest} tokens "
                f"and max_new={settings.max_new or 1}, where there is room for {max(room, 0)}; shorten one of them"
            )
        return settings.max_new or min(SOME, room or SOME)


class Line:
    """What is being written in one row: its tokens, its text where there is a tokenizer, and why it ends."""

    def __init__(self, text: Text | None, ends: tuple[int, ...]) -> None:
        self.text, self.ends = text, ends
        self.tokens: list[int] = []
        self.piece = ""
        self.reason: Reason | None = None

    def add(self, token: int) -> Reason | None:
        """Take a token; return why the row ends, if it does."""
        self.tokens.append(token)
        self.piece = "" if self.text is None else self.text.add(token)
        if token in self.ends:
            self.reason = "end"
        elif self.text is not None and self.text.stopped:
            self.reason = "stop"
        return self.reason

    def pieces(self, steps: Iterator[dict[int, int]]) -> Iterator[str]:
        """The text as the steps are taken."""
        assert self.text is not None
        for _ in steps:
            if self.piece:
                yield self.piece
        if rest := self.text.end():
            yield rest

    def read(self, tokens: Iterable[int] = ()) -> str | None:
        """The text of all that was added and of these tokens, when no more follow."""
        if self.text is None:
            return None
        for token in tokens:
            self.add(token)
        self.text.end()
        return self.text.given

    def written(self) -> Written:
        return Written(tokens=tuple(self.tokens), reason=self.reason or "length", text=self.read())


class Session:
    """Turns of reading and writing in one row: what was read and written before is not computed again.

    >>> from regard.models import PRESETS, build, vary
    >>> session = Session(build(vary(PRESETS["gpt2"], depth=1, width=8, num_heads=2, vocabulary=50)), capacity=64)
    >>> first = session.generate([1, 2, 3], max_new=4)
    >>> len(session.tokens), session.reader.lengths
    (7, (6,))
    """

    def __init__(self, model: Any, capacity: int) -> None:
        check_whole("capacity", capacity, 1)
        self.model, self.capacity = model, capacity
        with torch.inference_mode():
            self.reader = model.reader(1, capacity)
        self.tokens: list[int] = []  # all that were read or written; the last has not been read yet
        self.turns = 0

    def stream(
        self,
        more: Prompt,
        settings: Settings | None = None,
        *,
        whole: bool = False,
        ends: tuple[int, ...] | list[int] | None = None,
        **changes: Any,
    ) -> Iterator[str]:
        """What the model writes behind all that was said and `more`, piece by piece.

        With `whole` it is the conversation from its beginning, of which the part that is the same as before is kept.
        """
        line, steps = self._turn(more, _settings(settings, changes, streamed=True), whole, ends, shown=True)
        return line.pieces(steps)

    @torch.inference_mode()
    def generate(
        self,
        more: Prompt,
        settings: Settings | None = None,
        *,
        whole: bool = False,
        ends: tuple[int, ...] | list[int] | None = None,
        **changes: Any,
    ) -> Written:
        """`stream` without the pieces: everything that was written, at the end."""
        line, steps = self._turn(more, _settings(settings, changes, streamed=True), whole, ends, shown=False)
        for _ in steps:
            pass
        return line.written()

    def _turn(
        self, more: Prompt, settings: Settings, whole: bool, ends: tuple[int, ...] | list[int] | None, shown: bool
    ) -> tuple[Line, Iterator[dict[int, int]]]:
        """What is written in this turn, and the steps that write it; `tokens` are all that was said before."""
        new = self.model.encode_prompt(
            more.tolist() if isinstance(more, Tensor) else more, begins=whole or not self.tokens
        )
        said = new if whole else self.tokens + new
        if not said:
            raise ValueError(f"a prompt must have a token or more: got {more!r}; use the token that begins texts")
        room = self.capacity - len(said) + 1  # the last that is written need not be read
        if room < (settings.max_new or 1):
            raise ValueError(
                f"a session must hold what is read and written: got {len(said)} tokens and max_new="
                f"{settings.max_new or 1} for a capacity of {self.capacity}; make a larger one"
            )
        max_new = min(self.model._check([said], settings), room)
        read = min(self.reader.lengths[0], len(said) - 1)  # its last token is read again, to know what follows
        same = next((n for n in range(read) if said[n] != self.tokens[n]), read)
        kept = self.reader.keep(same)
        self.reader.refresh()
        self.tokens, self.turns = said, self.turns + 1
        line = Line(self.model._text(said, settings, shown=shown), self.model.ends(ends))
        return line, self._steps(said[kept:], settings, max_new, line)

    def _steps(self, prompt: list[int], settings: Settings, max_new: int, line: Line) -> Iterator[dict[int, int]]:
        turn = self.turns

        def done(_: int, token: int) -> bool:
            if turn != self.turns:
                raise ValueError("a turn ends when the next begins: got a stream of an earlier one; use the latest")
            self.tokens.append(token)
            return bool(line.add(token))

        device = next(self.model.parameters()).device
        earlier = [self.tokens[: len(self.tokens) - len(prompt)]]
        yield from write(self.reader, [prompt], settings, max_new=max_new, done=done, device=device, earlier=earlier)


def _release(reader: Any) -> None:
    """Leave what a reader has recorded to the next, if it has."""
    if hasattr(reader, "release"):
        reader.release()


def _settings(settings: Settings | None, changes: dict[str, Any], *, streamed: bool = False) -> Settings:
    if settings is not None and changes:
        raise ValueError(f"how to write is said by settings or by names: got both, {', '.join(changes)}; use one")
    if unknown := [name for name in changes if name not in Settings.__dataclass_fields__]:
        known = list(Settings.__dataclass_fields__)
        raise ValueError(f"no setting is named {unknown[0]!r}: {nearest(unknown[0], known)}")
    settings = Settings(**changes) if settings is None else settings
    if streamed and isinstance(settings, Settings) and settings.beams > 1:
        raise ValueError(f"beams know the text at the end alone: got beams={settings.beams}; use model.generate")
    return settings
