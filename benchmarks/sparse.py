"""Sparse and linear attention, side by side with peers: `python -m benchmarks.sparse --device cuda --out r.json`.

Every contender is first compared with the float64 definition, output and gradients; one that is wrong is reported as
wrong and not timed. A missed bar is a line of the table, not an error.
"""

from importlib.util import find_spec

from benchmarks.comparison import compare, grouped
from benchmarks.grid_cases import draw, num_sets
from benchmarks.grid_contest import ours, planned, regard, run_of, verdict
from benchmarks.record import Bar, Cell, Row
from benchmarks.session import Sections, run
from benchmarks.setting import Setting, progress
from benchmarks.sparse_cases import (
    CAUSAL,
    CAUSAL_WINDOW,
    CAUSAL_WINDOW_256,
    CAUSAL_WINDOW_1024,
    EVERYTHING,
    OWN,
    PREFIX,
    WINDOW,
    Case,
    line,
)
from benchmarks.sparse_cells import cells
from benchmarks.sparse_decode import decode
from benchmarks.sparse_lists import lists
from benchmarks.sparse_peers import linear_peers, mask_peers
from benchmarks.timing import Timing, interleave, over
from regard.algorithms.planning.machines import table_of

OVER_SDPA = Bar("≥", 12.0)
OVER_FLEX = Bar("≥", 1.0)
LIKE_FLEX = Bar("≥", 0.95)  # where nothing is known that it is not told
OVER_CAUSAL = Bar("≥", 10.0)
GROWTH = Bar("≤", 1.25)  # time over that of linear growth
Barred = tuple[Case, Bar | None]


def window_cases(setting: Setting) -> list[Barred]:
    """With the bar over sdpa on the CPU, over FlexAttention on the GPU. Tiny sizes prove nothing, and have none."""
    if setting.on_cuda:
        N = setting.pick(full=16384, tiny=2048)
        bar = setting.pick(full=OVER_FLEX, tiny=None)
        like = setting.pick(full=LIKE_FLEX, tiny=None)
        windows = [(line(setting, CAUSAL_WINDOW_256, N), bar), (line(setting, CAUSAL_WINDOW_1024, N), None)]
        return [*windows, (line(setting, OWN, N), like), (line(setting, PREFIX, N // 2, B=4), like)]
    N, bar = setting.pick(full=8192, tiny=256), setting.pick(full=OVER_SDPA, tiny=None)
    H = setting.pick(full=8, tiny=2)
    return [(line(setting, pattern, N, H=H), bar) for pattern in (CAUSAL_WINDOW, WINDOW)]


def window(setting: Setting) -> list[Row]:
    """Windows, and on the GPU a mask that nothing is known of and a prefix, against sdpa given the same mask, and
    FlexAttention given a block mask; regard's other ways beside.
    """
    watch, rows = setting.watch("sparse window"), []
    measures = ("inference", "forward", "both") if setting.on_cuda else ("both",)
    for case, bar in window_cases(setting):
        own, _ = ours(case, measures)
        if setting.on_cuda:
            own.pop("regard reference", None)  # it fits without gradients, and nothing else would beside it
        # What bears a bar compiles first, and is waited for; without one there is time for it in a full run alone.
        contenders = {"regard": own.pop("regard")} | mask_peers(setting.device, flex_compiles=bar is None) | own
        if bar is None and setting.scale != "full":
            contenders = {name: one for name, one in contenders.items() if not one.compiles}
        groups = grouped(contenders, {"flex": ("flex",), "sdpa + mask": ("sdpa + mask",)})
        groups = {group: peers for group, peers in groups.items() if peers}
        bars = {"flex" if setting.on_cuda else "sdpa + mask": bar}
        rows += compare("window", case, contenders, groups, bars, setting.effort, watch, measures)
    return rows


def growth_cases(setting: Setting) -> list[tuple[Case, Case]]:
    """A window and causal linear attention, at one length and at four times it."""
    N, H = setting.pick(full=4096, tiny=128), None if setting.scale != "tiny" else 2
    pattern, rows = (CAUSAL_WINDOW_256, 8) if setting.on_cuda else (CAUSAL_WINDOW, 1)
    return [
        (line(setting, pattern, N, H=H), line(setting, pattern, 4 * N, H=H)),
        (line(setting, CAUSAL, N, rows, H, linear=True), line(setting, CAUSAL, 4 * N, rows, H, linear=True)),
    ]


def growth(setting: Setting) -> list[Row]:
    """Regard's time at four times the length over four times its time, forward and backward, measured in turns."""
    return [growth_row(small, large, setting) for small, large in growth_cases(setting)]


def growth_row(small: Case, large: Case, setting: Setting) -> Row:
    progress("growth", large.label)
    bar = setting.pick(full=GROWTH, tiny=None)
    found = [verdict("regard", regard(), case, case.small()) for case in (small, large)]
    wrong = next((text for text in found if text is not None), None)
    name = f"to {large.label}"
    if wrong is not None:
        return Row("growth", name, "both", {"regard": wrong}, None, f"N{small.N}", bar)
    names = {f"N{case.N}": case for case in (small, large)}
    runs = {
        label: [run_of(regard()(case, draw(case, seed)), "both") for seed in range(num_sets(case))]
        for label, case in names.items()
    }
    times = interleave(runs, setting.device, setting.effort)
    ratio = over(times[f"N{large.N}"], times[f"N{small.N}"])
    ratio = None if ratio is None else ratio * small.N / large.N
    chosen: Cell = " → ".join(dict.fromkeys(planned(case, "both").chosen for case in (small, large)))
    return Row("growth", name, "both", {"chosen": chosen, **times}, ratio, f"N{small.N}, linear", bar)


def linear_cases(setting: Setting) -> list[Barred]:
    """Causal, with the bar on the CPU, and without an order."""
    if setting.on_cuda:
        N = setting.pick(full=16384, tiny=2048)
        return [(line(setting, pattern, N, B=8, linear=True), None) for pattern in (CAUSAL, EVERYTHING)]
    N, H = setting.pick(full=8192, tiny=256), setting.pick(full=8, tiny=2)
    bar = setting.pick(full=OVER_CAUSAL, tiny=None)
    return [
        (line(setting, CAUSAL, N, H=H, linear=True), bar),
        (line(setting, EVERYTHING, N, H=H, linear=True), None),
    ]


def linear(setting: Setting) -> list[Row]:
    """Linear attention against the softmax of sdpa, which is another function of the same sizes."""
    watch, rows = setting.watch("sparse linear"), []
    measures = ("forward", "both") if setting.on_cuda else ("both",)
    for case, bar in linear_cases(setting):
        contenders = ours(case, measures)[0] | linear_peers(setting.device)
        starts = {"sdpa": ("sdpa",)} | ({"fla": ("flash-linear-attention",)} if find_spec("fla") else {})
        groups = grouped(contenders, starts)
        found = compare("linear", case, contenders, groups, {"sdpa": bar}, setting.effort, watch, measures)
        rows += [_with_floor(row, case) for row in found]
    return rows


def _with_floor(row: Row, case: Case) -> Row:
    """The time that q, k, v and o once across the bus would take, and the bandwidth that this makes of regard's."""
    ours = row.cells.get("regard")
    if "chosen" not in row.cells or not isinstance(ours, Timing):
        return row
    traffic = 4.0 * case.B * case.H * case.N * case.E * case.dtype.itemsize
    row.cells["q, k, v, o once: ms"] = 1e3 * traffic / table_of(case.device).bandwidth
    row.cells["q, k, v, o once: GB/s"] = traffic / ours.median / 1e9
    return row


# Bars first: what comes last may be cut off by a limit from outside.
SECTIONS: Sections = {
    "window": window,
    "lists": lists,
    "growth": growth,
    "linear": linear,
    "cells": cells,
    "decode": decode,
}


def main(words: list[str] | None = None) -> None:
    run("benchmarks.sparse", "Sparse and linear attention", __doc__, {"cuda": SECTIONS, "cpu": SECTIONS}, words)


if __name__ == "__main__":
    main()
