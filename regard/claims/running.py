"""Many claims at once, in processes of one thread each."""

import itertools
import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from regard.claims import experiments
from regard.claims.catalogue import select
from regard.claims.claim import Claim, Judgement, judge

FEW = 4  # claims without a training that are sooner checked here than in processes to be started

Progress = Callable[[int, int | None], None]


@dataclass(frozen=True)
class Wish:
    """What is wanted beside the verdicts: figures too, and experiments read from the runs of this folder."""

    charts: bool = False
    runs: Path | None = None


def judged(claims: Sequence[Claim[Any]], wish: Wish, *, jobs: int, progress: Progress) -> list[Judgement]:
    """The judgements in the order of the claims; what one question's claims share is computed once."""
    questions = grouped(claims)
    found: dict[str, Judgement] = {}
    for judgements in _here(questions, wish) if jobs == 1 or is_short(claims) else _elsewhere(questions, wish, jobs):
        found |= {judgement.id: judgement for judgement in judgements}
        progress(len(found), len(claims))
    return [found[claim.id] for claim in claims]


def is_short(claims: Sequence[Claim[Any]]) -> bool:
    return len(claims) <= FEW and not any(claim.kind == "experiment" for claim in claims)


def grouped(claims: Sequence[Claim[Any]]) -> list[list[str]]:
    """The ids by question, those with a training first, as they take longest."""
    questions = [list(group) for _, group in itertools.groupby(claims, key=lambda claim: question_of(claim.id))]
    questions.sort(key=lambda group: not any(claim.kind == "experiment" for claim in group))
    return [[claim.id for claim in group] for group in questions]


def question_of(name: str) -> str:
    """The question that an id belongs to.

    >>> question_of("nyu.1cfc"), question_of("conv.b2a"), question_of("udl.10")
    ('nyu.1', 'conv.b', 'udl.10')
    """
    document, _, rest = name.partition(".")
    return f"{document}.{re.split(r'(?<=[0-9])(?=[a-z])|(?<=[a-z])(?=[0-9])', rest)[0]}"


def judge_all(names: Sequence[str], wish: Wish) -> list[Judgement]:
    """The judgements of the claims of these ids, by one thread: what they compute is small, and cores are shared."""
    import torch

    threads, token = torch.get_num_threads(), experiments.runs.set(wish.runs)
    torch.set_num_threads(1)
    try:
        return [judge(claim, chart=wish.charts) for claim in select(names)]
    finally:
        torch.set_num_threads(threads)
        experiments.runs.reset(token)


def _here(questions: Sequence[Sequence[str]], wish: Wish) -> Iterator[list[Judgement]]:
    return (judge_all(names, wish) for names in questions)


def _elsewhere(questions: Sequence[Sequence[str]], wish: Wish, jobs: int) -> Iterator[list[Judgement]]:
    with ProcessPoolExecutor(min(jobs, len(questions)), get_context("spawn")) as pool:
        pending = [pool.submit(judge_all, names, wish) for names in questions]
        try:
            for done in as_completed(pending):
                yield done.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
