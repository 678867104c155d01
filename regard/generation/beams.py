"""Beam search: several texts at a time, the best of which are extended."""

from collections.abc import Callable
from dataclasses import dataclass, field

import torch
from jaxtyping import Float
from torch import Tensor

from regard.generation.sampling import NOT_NUMBERS, Reader, Reason, Written, mark_seen, pad_rows, penalise
from regard.generation.settings import Settings

Stopped = Callable[[int, list[int]], bool]  # of a row and what was written in it


@dataclass
class Beam:
    """A text that is extended: its tokens, its log-probability, and the beam of the step before that it continues."""

    tokens: list[int]
    score: float
    parent: int = 0


@dataclass
class Row:
    """One prompt: the beams that are followed, best first, and the finished texts, best first."""

    number: int
    prompt: list[int]
    running: list[Beam] = field(default_factory=list)
    finished: list[Written] = field(default_factory=list)
    open: bool = True


def search(
    reader: Reader,
    prompts: list[list[int]],
    settings: Settings,
    *,
    ends: tuple[int, ...],
    max_new: int,
    stopped: Stopped,
    device: torch.device | str | None = None,
    progress: Callable[[int], None] | None = None,
) -> list[Written]:
    """The best text of each row.

    At each step the continuations of all beams of a row are ranked by log-probability. Of the first `beams`, those that
    end are kept as finished; the best that don't end are followed. A row is done when it has as many finished texts as
    beams, and the best beam, at its present length, would not be among them.
    """
    rows = [Row(number, prompt, [Beam([], 0.0)]) for number, prompt in enumerate(prompts)]
    going = rows
    scores = reader.read(*pad_rows(prompts, device))
    if settings.beams > scores.shape[1]:
        raise ValueError(
            f"beams must differ in their first token: got beams={settings.beams} for a vocabulary of "
            f"{scores.shape[1]}; use {scores.shape[1]} or fewer"
        )
    for step in range(1, max_new + 1):
        ranked = _rank(scores, going, settings, keep=max(2, 1 + len(ends)) * settings.beams)
        for row, candidates in zip(going, ranked, strict=True):
            _advance(row, candidates, settings, ends, step, step == max_new, stopped)
        before = going
        going = [row for row in going if row.open]
        if progress is not None:
            progress(step)
        if not going or step == max_new:
            break
        each = 1 if step == 1 else settings.beams
        firsts = {row.number: number * each for number, row in enumerate(before)}
        index = [firsts[row.number] + beam.parent for row in going for beam in row.running]
        tokens = torch.tensor([[beam.tokens[-1]] for row in going for beam in row.running])
        reader.reorder(torch.tensor(index, device=scores.device))
        scores = reader.read(tokens.to(scores.device))
    return [row.finished[0] for row in rows]


def _rank(scores: Float[Tensor, "n V"], rows: list[Row], settings: Settings, keep: int) -> list[list[Beam]]:
    """For each row its best continuations, by the sum of log-probabilities."""
    scores = scores.float().log_softmax(1)
    if settings.repetition_penalty != 1:
        texts = [row.prompt + beam.tokens for row in rows for beam in row.running]
        scores = penalise(scores, settings.repetition_penalty, mark_seen(texts, scores))
    V = scores.shape[1]
    so_far = torch.tensor([[beam.score] for row in rows for beam in row.running], device=scores.device)
    together = (scores + so_far).view(len(rows), -1)  # (n, V) → (rows, beams·V)
    best = together.topk(min(keep, together.shape[1]))
    if best.values[:, 0].isnan().any():
        raise ValueError(NOT_NUMBERS)
    return [
        [
            Beam([*row.running[index // V].tokens, index % V], value, index // V)
            for value, index in zip(values, indices, strict=True)
        ]
        for row, values, indices in zip(rows, best.values.tolist(), best.indices.tolist(), strict=True)
    ]


def _advance(
    row: Row,
    candidates: list[Beam],
    settings: Settings,
    ends: tuple[int, ...],
    step: int,
    last: bool,
    stopped: Stopped,
) -> None:
    """Finish the candidates that end, follow the others, and close the row where no beam can be expected to win."""
    penalty = 1 if settings.length_penalty is None else settings.length_penalty
    going: list[Beam] = []
    for rank, beam in enumerate(candidates):
        reason: Reason | None = None
        if beam.tokens[-1] in ends:
            reason = "end"
        elif stopped(row.number, beam.tokens):
            reason = "stop"
        elif last:
            reason = "length"
        if reason is None:
            going.append(beam)
        elif rank < settings.beams:
            score = beam.score / step**penalty
            row.finished.append(Written(tokens=tuple(beam.tokens), reason=reason, score=score))
    row.finished = sorted(row.finished, key=lambda written: -(written.score or 0.0))[: settings.beams]
    row.running = going[: settings.beams]
    while going and len(row.running) < settings.beams:  # all others ended: the same again, which can't be best
        row.running.append(Beam(going[0].tokens, -1e9, going[0].parent))
    if not going:
        row.open = False
    elif len(row.finished) == settings.beams:
        worst = row.finished[-1].score
        assert worst is not None
        row.open = going[0].score / step**penalty > worst
