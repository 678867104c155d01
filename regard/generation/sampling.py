"""Token by token: what generation asks of a model, how the next token is chosen, and how rows go on until they end."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal, Protocol, runtime_checkable

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.generation.settings import Settings

Reason = Literal["end", "stop", "length"]
Done = Callable[[int, int], bool]  # of a row and the token that was just written in it


@runtime_checkable
class Reader(Protocol):
    """Rows of tokens that a model has read so far; reading more tokens gives the scores of the next one."""

    def read(self, tokens: Int[Tensor, "B T"], lengths: tuple[int, ...] | None = None) -> Float[Tensor, "B V"]:
        """Read on, in each row `lengths` of these tokens or all; the scores of what follows the last of each row."""
        ...

    def reorder(self, index: Int[Tensor, " n"]) -> None:
        """Let row i be what row `index[i]` was; there may be more rows than before, or fewer."""
        ...


@dataclass(frozen=True, kw_only=True)
class Written:
    """What was written in one row, and why it ends: with a token that ends texts, at a string to stop at, or in length.

    `tokens` are the new ones, with the one that ends the text. `score` is the log-probability over length^penalty that
    beams go by.
    """

    tokens: tuple[int, ...]
    reason: Reason
    text: str | None = None
    score: float | None = None


NOT_NUMBERS = "scores of the next token must be finite: got NaN or infinity; check the model's weights, or use float32"


def choose(
    scores: Float[Tensor, "B V"],
    settings: Settings,
    seen: Bool[Tensor, "B V"] | None = None,
    noise: Float[Tensor, "B V"] | None = None,
) -> Int[Tensor, " B"]:
    """One token for each row, or -1 where its scores are not finite; `seen` marks what was read or written before.

    A token is drawn by exponential `noise`: the smallest of noise/p comes first with probability p.

    >>> choose(torch.tensor([[0.1, 2.0, 1.9]]), Settings())
    tensor([1])
    >>> choose(torch.tensor([[0.1, 2.0, 1.9]]), Settings(repetition_penalty=2), torch.tensor([[False, True, False]]))
    tensor([2])
    """
    scores = penalise(scores.float(), settings.repetition_penalty, seen)
    likeliest, tokens = scores.max(1)
    usable = likeliest.isfinite()  # NaN where any score is
    if settings.draws:
        shares = probabilities(scores.where(usable[:, None], 0), settings)
        noise = torch.empty_like(shares).exponential_() if noise is None else noise
        tokens = (shares / noise).argmax(1)
    return tokens.where(usable, -1)


def penalise(
    scores: Float[Tensor, "B V"], penalty: float | int, seen: Bool[Tensor, "B V"] | None
) -> Float[Tensor, "B V"]:
    """Lower the scores of tokens that were seen: positive ones divided by the penalty, negative ones multiplied."""
    if penalty == 1 or seen is None:
        return scores
    return torch.where(seen, torch.where(scores > 0, scores / penalty, scores * penalty), scores)


def probabilities(scores: Float[Tensor, "B V"], settings: Settings) -> Float[Tensor, "B V"]:
    """The probabilities by which tokens are drawn.

    >>> probabilities(torch.tensor([[0.0, 0.0, 1.0]]), Settings(temperature=1, top_k=1))
    tensor([[0., 0., 1.]])
    """
    scores = (scores - scores.amax(1, keepdim=True)) / settings.temperature  # which no temperature makes infinite
    if settings.top_k is not None and settings.top_k < scores.shape[1]:
        scores = scores.masked_fill(scores < scores.topk(settings.top_k).values[:, -1:], -torch.inf)
    if settings.top_p is not None and settings.top_p < 1:
        rising, order = scores.sort(1)
        left_out = rising.softmax(1).cumsum(1) <= 1 - settings.top_p
        left_out[:, -1] = False  # the likeliest stays, whatever the sums were rounded to
        scores = scores.masked_fill(left_out.scatter(1, order, left_out), -torch.inf)
    shares = scores.softmax(1)
    if settings.min_p is not None:
        shares = scores.masked_fill(shares < settings.min_p * shares.amax(1, keepdim=True), -torch.inf).softmax(1)
    return shares


def write(
    reader: Reader,
    prompts: list[list[int]],
    settings: Settings,
    *,
    max_new: int,
    done: Done,
    device: torch.device | str | None = None,
    earlier: list[list[int]] | None = None,
) -> Iterator[dict[int, int]]:
    """Read the prompts, then give at each step the next token of each row that goes on, up to `max_new` of them.

    A token is read when the one after it is asked for: the last of a row has not been. `earlier` is what the reader
    read before. Between the steps, those who ask for them may compute what they like, with gradients.
    """
    chooser = Chooser(len(prompts), settings, device)
    ahead = getattr(reader, "is_ahead", False)
    with torch.inference_mode():
        scores = reader.read(*pad_rows(prompts, device))
        if settings.repetition_penalty != 1:
            chooser.seen = mark_seen(prompts, scores, earlier)
        tokens = chooser(scores)
    rows = list(range(len(prompts)))  # of the reader
    going = set(rows)
    for step in range(max_new):
        fetched, following, last = Fetched(tokens), None, step == max_new - 1
        if ahead and not last:  # while the host waits for these tokens
            with torch.inference_mode():
                following = chooser.after(tokens, reader)
        values = dict(zip(rows, fetched.wait(), strict=True))
        written = {row: token for row, token in values.items() if row in going}
        if min(written.values()) < 0:
            raise ValueError(NOT_NUMBERS)
        going -= {row for row, token in written.items() if done(row, token)}
        yield written
        if not going or last:
            if following is not None:
                reader.rewind()  # pyright: ignore[reportAttributeAccessIssue] - of readers that are ahead
            return
        with torch.inference_mode():
            # A reader that is ahead has recorded a step of so many rows: it goes on with those that ended for a while.
            if len(going) < len(rows) and not (ahead and 2 * len(going) > len(rows)):
                stay = [index for index, row in enumerate(rows) if row in going]
                index = torch.tensor(stay, device=tokens.device)
                rows, tokens = [rows[n] for n in stay], tokens[index]
                following = None if following is None else following[index]
                chooser.keep(index)
                reader.reorder(index)
            tokens = chooser.after(tokens, reader) if following is None else following


class Chooser:
    """Chooses the next token of rows, by what they have seen, and by noise that is every row's own.

    Noise is drawn for all rows that there were at first, so that what one row gets does not depend on when others end.
    """

    def __init__(self, batch: int, settings: Settings, device: torch.device | str | None) -> None:
        self.batch, self.settings = batch, settings
        self.seen: Bool[Tensor, "B V"] | None = None
        self.rows: Tensor | None = None  # that are left, where some are not
        self.generator = None
        if settings.draws:
            self.generator = torch.Generator(device or "cpu")
            # Torch's own random numbers go on as they would, one further: a seed set for all is a seed for this too.
            self.generator.manual_seed(int(torch.randint(2**62, ())) if settings.seed is None else settings.seed)

    def __call__(self, scores: Float[Tensor, "B V"]) -> Int[Tensor, " B"]:
        noise = None
        if self.generator is not None:
            noise = torch.empty(self.batch, scores.shape[1], device=scores.device)
            noise.exponential_(generator=self.generator)
            noise = noise if self.rows is None else noise[self.rows]
        return choose(scores, self.settings, self.seen, noise)

    def after(self, tokens: Int[Tensor, " B"], reader: Reader) -> Int[Tensor, " B"]:
        """What follows these tokens. Those that are no tokens count as the first: whoever fetches them raises."""
        tokens = tokens.clamp(min=0)[:, None]
        if self.seen is not None:
            self.seen = self.seen.scatter(1, tokens, True)
        return self(reader.read(tokens))

    def keep(self, index: Int[Tensor, " n"]) -> None:
        """Go on with these rows alone."""
        self.rows = index if self.rows is None else self.rows[index]
        self.seen = None if self.seen is None else self.seen[index]


class Fetched:
    """Tokens on their way to the host, which does not wait for what the GPU is asked for after them."""

    def __init__(self, tokens: Int[Tensor, " B"]) -> None:
        self.tokens, self.event = tokens, None
        if tokens.is_cuda:
            self.tokens = torch.empty(tokens.shape, dtype=tokens.dtype, pin_memory=True)
            self.tokens.copy_(tokens, non_blocking=True)
            self.event = torch.cuda.Event()
            self.event.record(torch.cuda.current_stream(tokens.device))

    def wait(self) -> list[int]:
        if self.event is not None:
            self.event.synchronize()
        return self.tokens.tolist()


def pad_rows(
    rows: list[list[int]], device: torch.device | str | None = None
) -> tuple[Int[Tensor, "B T"], tuple[int, ...] | None]:
    """Rows of tokens as one tensor, and their lengths where they differ.

    >>> pad_rows([[5, 6], [7]])
    (tensor([[5, 6],
            [7, 0]]), (2, 1))
    """
    lengths = tuple([len(row) for row in rows])
    tokens = torch.tensor([row + [0] * (max(lengths) - len(row)) for row in rows], device=device)
    return tokens, None if len(set(lengths)) == 1 else lengths


def mark_seen(
    prompts: list[list[int]], scores: Float[Tensor, "B V"], earlier: list[list[int]] | None = None
) -> Bool[Tensor, "B V"]:
    """Which tokens of the vocabulary each row has read or written."""
    seen = torch.zeros(scores.shape, dtype=torch.bool)
    for texts in (prompts, earlier or ()):
        for row, tokens in enumerate(texts):
            seen[row, tokens] = True
    return seen.to(scores.device)
