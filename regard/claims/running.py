"""Many claims at once, in processes of one thread each."""

import itertools
import re
import signal
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import active_children, get_context
from pathlib import Path

from regard.claims import experiments
from regard.claims.catalogue import select
from regard.claims.claim import Claim, Judgement, judge

FEW = 4  # this many claims without a training are checked here sooner than processes start

Progress = Callable[[int, int | None], None]


def judge_claims(
    claims: Sequence[Claim],
    *,
    charts: bool = False,
    runs: tuple[Path, ...] = (experiments.SHIPPED,),
    jobs: int = 1,
    progress: Progress,
) -> list[Judgement]:
    """Judge claims, in their order, with charts if asked for; experiments read the first folder that has their run.

    What one question's claims share is computed once: a process takes all of them.
    """
    is_short = len(claims) <= FEW and not any(claim.kind == "experiment" for claim in claims)
    progress(0, len(claims))
    questions, found = grouped(claims), {}
    if jobs == 1 or is_short:
        groups = (judge_all(names, charts, runs) for names in questions)
    else:
        groups = _judge_in_processes(questions, charts, runs, jobs)
    for judgements in groups:
        found |= {judgement.id: judgement for judgement in judgements}
        progress(len(found), len(claims))
    return [found[claim.id] for claim in claims]


def grouped(claims: Sequence[Claim]) -> list[list[str]]:
    """The ids by question: a short one first, to show progress soon, then those with a training, which take longest."""
    questions = [list(group) for _, group in itertools.groupby(claims, key=lambda claim: question_of(claim.id))]
    questions.sort(key=lambda group: not any(claim.kind == "experiment" for claim in group))
    return [[claim.id for claim in group] for group in [*questions[-1:], *questions[:-1]]]


def question_of(name: str) -> str:
    """The question that an id belongs to.

    >>> question_of("nyu.1cfc"), question_of("conv.b2a"), question_of("udl.10")
    ('nyu.1', 'conv.b', 'udl.10')
    """
    document, _, rest = name.partition(".")
    return f"{document}.{re.split(r'(?<=[0-9])(?=[a-z])|(?<=[a-z])(?=[0-9])', rest)[0]}"


def judge_all(
    names: Sequence[str], charts: bool = False, runs: tuple[Path, ...] = (experiments.SHIPPED,)
) -> list[Judgement]:
    """Judge the claims of these ids in one thread: what they compute is small, and cores are shared."""
    from regard.training import limit_threads

    token = experiments.runs.set(runs)
    try:
        with limit_threads(1):
            return [judge(claim, chart=charts) for claim in select(names)]
    finally:
        experiments.runs.reset(token)


def _judge_in_processes(
    questions: Sequence[Sequence[str]], charts: bool, runs: tuple[Path, ...], jobs: int
) -> Iterator[list[Judgement]]:
    others = active_children()
    with ProcessPoolExecutor(min(jobs, len(questions)), get_context("spawn")) as pool:
        with _deaf_to_interrupts():
            pending = [pool.submit(judge_all, names, charts, runs) for names in questions]
            workers = [process for process in active_children() if process not in others]
        try:
            for done in as_completed(pending):
                yield done.result()
        except BaseException:  # nobody waits for the rest, such as after Ctrl-C
            pool.shutdown(wait=False, cancel_futures=True)
            for process in workers:
                process.terminate()
            raise


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
    """Let processes that start inside ignore Ctrl-C, which a terminal sends to all: this process ends them."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # only the main thread may say so; a thread of a server is asked by nobody's keyboard
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)
