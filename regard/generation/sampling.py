"""Token by token: rows that are done leave, the others go on."""

from collections.abc import Callable, Iterator

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from regard.generation.choices import choose, mark
from regard.generation.reader import Reader
from regard.generation.settings import Settings

Done = Callable[[int, int], bool]  # of a row and the token that was just written in it


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
    generator = None
    if settings.draws:
        generator = torch.Generator(device or "cpu")
        # Torch's own random numbers go on as they would, one further: a seed set for all is a seed for this too.
        generator.manual_seed(int(torch.randint(2**62, ())) if settings.seed is None else settings.seed)
    with torch.inference_mode():
        scores = read_prompts(reader, prompts, device)
        seen = None if settings.repetition_penalty == 1 else seen_in(prompts, scores, earlier)
        tokens = choose(scores, settings, seen, generator)
    rows = list(range(len(prompts)))
    for step in range(max_new):
        written = dict(zip(rows, tokens.tolist(), strict=True))
        stay = [place for place, row in enumerate(rows) if not done(row, written[row])]
        yield written
        if not stay or step == max_new - 1:
            return
        with torch.inference_mode():
            seen = None if seen is None else mark(seen, tokens[:, None])
            if len(stay) < len(rows):
                index = torch.tensor(stay, device=tokens.device)
                rows, tokens = [rows[place] for place in stay], tokens[index]
                seen = None if seen is None else seen[index]
                reader.reorder(index)
            tokens = choose(reader.read(tokens[:, None]), settings, seen, generator)


def read_prompts(
    reader: Reader, prompts: list[list[int]], device: torch.device | str | None = None
) -> Float[Tensor, "B V"]:
    """Read prompts of any lengths; the scores of what follows each."""
    return reader.read(*padded(prompts, device))


def padded(
    rows: list[list[int]], device: torch.device | str | None = None
) -> tuple[Int[Tensor, "B T"], tuple[int, ...] | None]:
    """Rows of tokens as one tensor, and their lengths where they differ.

    >>> padded([[5, 6], [7]])
    (tensor([[5, 6],
            [7, 0]]), (2, 1))
    """
    lengths = tuple([len(row) for row in rows])
    tokens = torch.tensor([row + [0] * (max(lengths) - len(row)) for row in rows], device=device)
    return tokens, None if len(set(lengths)) == 1 else lengths


def seen_in(
    prompts: list[list[int]], scores: Float[Tensor, "B V"], earlier: list[list[int]] | None = None
) -> Bool[Tensor, "B V"]:
    seen = torch.zeros(scores.shape, dtype=torch.bool)
    for texts in (prompts, earlier or ()):
        for row, tokens in enumerate(texts):
            seen[row, tokens] = True
    return seen.to(scores.device)
