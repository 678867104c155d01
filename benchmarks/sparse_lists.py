"""What it takes to list the blocks that FlexAttention visits: by regard's algebra, and by torch from a dense map."""

import functools
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from benchmarks.record import Bar, Cell, Row
from benchmarks.setting import Setting, Watch, progress
from benchmarks.sparse_cases import CAUSAL_WINDOW_256, GLOBAL, SPARSE
from benchmarks.sparse_peers import Predicate, predicate
from benchmarks.timing import Result, Run, Timing, explain, interleave, synchronize
from regard.attention import Attention, Causal, KeyPadding, Mask

SOON = Bar("≤", 5.0)  # milliseconds of the wall clock
LITTLE = Bar("≤", 50.0)  # megabytes
SIZE = 128  # FlexAttention's block
PAIR = 12  # bytes that torch holds for each pair of tokens, about
MOST = {"cuda": 80e9, "cpu": 4e9}  # bytes of such pairs beyond which torch is not asked

Lists = list[Tensor]  # for queries: numbers of blocks in part, which, numbers of full ones, which; the same for keys


@dataclass(frozen=True, eq=False)
class Problem:
    """A mask over N tokens in each of B rows, and the predicate that a user of FlexAttention writes."""

    name: str
    mask: Mask
    predicate: Predicate
    N: int
    B: int
    device: torch.device

    @property
    def label(self) -> str:
        return f"{self.name} B{self.B} N{self.N}"


Maker = Callable[[Problem], Lists]


def lists(setting: Setting) -> list[Row]:
    """Two rows for each mask, one of time and one of memory. On the CPU both tell, and bind nobody."""
    watch, rows = setting.watch("sparse lists"), []
    N = setting.pick(full=16384, tiny=500) if setting.on_cuda else setting.pick(full=16384, quick=4096, tiny=500)
    # A GPU has room for the dense map of the whole, and torch compiles for each size anew.
    checked = problems(N if setting.on_cuda else 1000, setting.device)
    for small, problem in zip(checked, problems(N, setting.device), strict=True):
        progress("lists", problem.label)
        rows += rows_of(problem, small, setting, watch)
    return rows


def problems(N: int, device: torch.device) -> list[Problem]:
    lengths = torch.tensor([N, N // 2, N // 3 + 5, 1], device=device)
    found = [
        Problem(pattern.name, pattern.mask, predicate(pattern, N), N, 1, device)
        for pattern in (CAUSAL_WINDOW_256, GLOBAL, SPARSE)
    ]
    padded = Causal() & KeyPadding(lengths)
    return [
        *found,
        Problem("causal & key padding", padded, lambda b, h, i, j: (j <= i) & (j < lengths[b]), N, 4, device),
    ]


def rows_of(problem: Problem, small: Problem, setting: Setting, watch: Watch) -> list[Row]:
    found: dict[str, Cell] = {}
    for name, maker in MAKERS.items():
        # torch compiles for minutes here, and a quick run has not so many.
        late = maker is by_compiled_torch and (setting.pick(full=False, quick=True, tiny=False) or watch.past(0.5))
        verdict = "out of time" if late else _unavailable(maker, problem) or check(maker, small)
        if verdict is not None:
            found[name] = verdict
    sound = {name: maker for name, maker in MAKERS.items() if name not in found}
    runs: dict[str, list[Run]] = {name: [functools.partial(_finished, maker, problem)] for name, maker in sound.items()}
    # The clock of the wall: the host is as busy as the device.
    times: dict[str, Result] = interleave(runs, torch.device("cpu"), setting.glance)
    cells: dict[str, Cell] = {name: found[name] if name in found else times[name] for name in MAKERS}
    ours = cells["regard"]
    soon = 1e3 * ours.median if isinstance(ours, Timing) else None
    cells["blocks"] = _visited(problem) if "regard" in sound else None
    row = Row("lists", problem.label, "time", cells, soon, "wall clock", unit=" ms")
    if not setting.on_cuda:
        return [row]
    row.bar = SOON
    peaks: dict[str, Cell] = {name: found[name] if name in found else _peak(sound[name], problem) for name in MAKERS}
    little = peaks["regard"]
    reached = little if isinstance(little, float) else None
    return [row, Row("lists", problem.label, "peak MB", peaks, reached, "memory", LITTLE, unit=" MB")]


def _finished(maker: Maker, problem: Problem) -> None:
    maker(problem)
    synchronize(problem.device)


def _unavailable(maker: Maker, problem: Problem) -> str | None:
    """Why this is not asked at this size."""
    size = PAIR * problem.B * problem.N**2
    if maker is by_compiled_torch and problem.device.type != "cuda":
        return "takes minutes to compile for a CPU"
    if maker is by_torch and size > MOST[problem.device.type]:
        return f"dense: {size / 1e9:.0f} GB of maps"
    return None


def by_regard(problem: Problem) -> Lists:
    from regard.algorithms.kernels.block_lists import list_blocks
    from regard.algorithms.kernels.flex import SIZE

    places = Attention(mask=problem.mask).places(problem.N, problem.N)
    facts, count = problem.mask.facts(places), -(-problem.N // SIZE)
    some, every = problem.mask.blocks(places, SIZE, problem.device)
    sizes = (problem.B if facts.rows else 1, 1, count, count)
    return list_blocks(some.expand(sizes).contiguous(), every.expand(sizes).contiguous())


def by_torch(problem: Problem, compile: bool = False) -> Lists:
    from torch.nn.attention.flex_attention import create_block_mask

    N, device = problem.N, str(problem.device)
    made = create_block_mask(problem.predicate, problem.B, None, N, N, device=device, _compile=compile)
    queries = (made.kv_num_blocks, made.kv_indices, made.full_kv_num_blocks, made.full_kv_indices)
    keys = (made.q_num_blocks, made.q_indices, made.full_q_num_blocks, made.full_q_indices)
    return [x for x in (*queries, *keys) if x is not None]


def by_compiled_torch(problem: Problem) -> Lists:
    return by_torch(problem, compile=True)


MAKERS: dict[str, Maker] = {
    "regard": by_regard,
    "create_block_mask": by_torch,
    "create_block_mask, compiled": by_compiled_torch,
}


def check(maker: Maker, problem: Problem) -> str | None:
    """None where the lists are right: every block with a visible pair, and as full only those that are.

    More may be visited than need be.
    """
    try:
        got = maker(problem)
    except Exception as error:  # a peer's failure is a result, not the end of the run
        return explain(error)
    some, every = _truth(problem)
    for side, by in ((got[:4], "query"), (got[4:], "key")):
        part, full = blocks_of(*side[:2]), blocks_of(*side[2:])
        wanted, whole = (x.mT if by == "key" else x for x in (some, every))
        if bool((wanted & ~(part | full)).any()):
            return f"wrong: the lists by {by} block leave out visible pairs"
        if bool((full & ~whole).any()):
            return f"wrong: the lists by {by} block call full what is not"
        if bool((part & full).any()):
            return f"wrong: the lists by {by} block name a block twice"
    return None


def blocks_of(counts: Tensor, numbers: Tensor) -> Tensor:
    """Lists as a map: True at the first `counts` of the `numbers` of each line."""
    named = torch.arange(numbers.shape[-1], device=numbers.device) < counts[..., None]
    return torch.zeros_like(named).scatter(-1, numbers.long(), named)


def _truth(problem: Problem) -> tuple[Tensor, Tensor]:
    """Which blocks hold a visible pair, and which nothing else, from the dense map of the mask."""
    B, N = problem.B, problem.N
    rows, head, tokens = (torch.arange(n, device=problem.device) for n in (B, 1, N))
    places = Attention(mask=problem.mask).places(N, N)
    seen = problem.mask.slab(rows, head, tokens, tokens, places).expand(B, 1, N, N)
    return _any(seen), ~_any(~seen)


def _any(seen: Tensor) -> Tensor:
    N = seen.shape[-1]
    count = -(-N // SIZE)
    padded = torch.nn.functional.pad(seen, (0, count * SIZE - N, 0, count * SIZE - N))
    return padded.unflatten(-1, (count, SIZE)).unflatten(-3, (count, SIZE)).any(-1).any(-2)


def _visited(problem: Problem) -> str:
    """How many of all blocks the lists name."""
    part, _, full, _ = by_regard(problem)[:4]
    blocks = -(-problem.N // SIZE)
    return f"{int(part.sum() + full.sum())} of {problem.B * blocks**2}"


def _peak(maker: Maker, problem: Problem) -> float:
    """Megabytes on the device beyond what was there."""
    torch.cuda.empty_cache()
    torch.cuda.reset_peak_memory_stats(problem.device)
    before = torch.cuda.memory_allocated(problem.device)
    maker(problem)
    return (torch.cuda.max_memory_allocated(problem.device) - before) / 1e6
