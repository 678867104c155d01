"""Attention on a grid, side by side with its peers, in one run: `python -m benchmarks.grid --device cuda --out r.json`.

Every contender is first compared with the float64 definition, output and gradients of values, centres, precisions and
tables; one that is wrong is reported as wrong and not timed. A missed bar is a line of the table, not an error.
"""

from typing import Any

from benchmarks.comparison import compare, grouped
from benchmarks.grid_cases import ISOTROPIC, TABLE, Case, draw
from benchmarks.grid_contest import Contender, ours, regard, run_of
from benchmarks.grid_peers import content_peers, layer_peers, table_peers
from benchmarks.record import Bar, Row
from benchmarks.session import Sections, run
from benchmarks.setting import Setting, Watch
from benchmarks.timing import Timing, interleave, over
from regard.algorithms.planning.machines import table_of

TOKENS = 32768  # in every case of the GPU, whatever its grid
OVER_DENSE = {64: Bar("≥", 8.0), 128: Bar("≥", 100.0)}
OVER_FLEX = {64: Bar("≥", 5.0)}
OVER_PLAIN = {64: Bar("≤", 1.6), 128: Bar("≤", 1.6)}
OVER_DENSE_ON_CPU = {48: Bar("≥", 4.0)}
GROWTH = Bar("≤", 1.3)


def position(setting: Setting) -> list[Row]:
    """The layer: 9 gaussian heads mix a width of 400, and are projected to it; forward and backward."""
    watch, rows, cases = setting.watch("grid position"), [], []
    sizes = [16, 32, 64, 128] if setting.on_cuda else setting.pick(full=[16, 32], tiny=[6])
    for side in sizes:
        case = _case(setting, side, H=9, E=400 if setting.on_cuda else 32, shared=True, projections=1)
        cases.append(case)
        contenders = ours(case, ("both",))[0] | layer_peers(setting.device)
        groups = grouped(contenders, {"dense": ("dense", "paper"), "separable": ("separable",)})
        bars = {"dense": OVER_DENSE.get(side) if setting.on_cuda else None}
        rows += _rows("position", case, contenders, groups, bars, setting, watch)
        _add_floor(rows, case)
    return [*rows, _growth(cases[len(cases) // 2 - 1], cases[-1], setting)]  # from 32×32 of four


def _add_floor(rows: list[Row], case: Case) -> None:
    """What no way can beat, and the bandwidth that regard reached: cells of the case's first row.

    The traffic is that of the mixed heads (B, N, H·C), written, read for the projection and for its weights, and on the
    way back written and read again, and of input, output and their gradients.
    """
    ceilings = table_of(case.device)
    tokens, width = case.B * case.N, case.H * case.E
    flops = 3 * 2.0 * tokens * width * case.E
    traffic = 1.0 * case.dtype.itemsize * tokens * (5 * width + 4 * case.E)
    row = next(row for row in rows if row.case == case.label)
    ours = row.cells["regard"]
    row.cells["projection floor ms"] = 1e3 * flops / ceilings.rate(case.dtype)
    row.cells["traffic floor ms"] = 1e3 * traffic / ceilings.bandwidth
    row.cells["regard GB/s"] = traffic / ours.median / 1e9 if isinstance(ours, Timing) else None


def _growth(small: Case, large: Case, setting: Setting) -> Row:
    """Regard's time at the largest grid over that at a smaller one, for as many tokens, measured in turns."""
    names = [f"{case.h}×{case.w}" for case in (small, large)]
    runs = {
        name: [run_of(regard()(case, draw(case, seed)), "both") for seed in range(3 if setting.on_cuda else 1)]
        for name, case in zip(names, (small, large), strict=True)
    }
    times = interleave(runs, setting.device, setting.effort if setting.on_cuda else setting.glance)
    first, last = names
    bar = GROWTH if setting.on_cuda else None
    return Row("position", f"growth to {last}", "both", dict(times), over(times[last], times[first]), first, bar)


def table(setting: Setting) -> list[Row]:
    """Bounded tables over whole offsets, position alone, 8 heads of 64, one batch; forward and backward."""
    watch, rows = setting.watch("grid table"), []
    for side in [64, 32] if setting.on_cuda else setting.pick(full=[32, 16], tiny=[6]):
        E = 64 if setting.on_cuda else 16
        case = _case(setting, side, kind=TABLE, H=8, E=E, B=8 if setting.on_cuda else 2)
        contenders = ours(case, ("both",))[0] | table_peers(setting.device)
        groups = grouped(contenders, {"flex": ("flex",), "dense": ("dense",)})
        bars = {"flex": OVER_FLEX.get(side) if setting.on_cuda else None}
        rows += _rows("table", case, contenders, groups, bars, setting, watch)
    return rows


def content(setting: Setting) -> list[Row]:
    """Content plus gaussian heads, 8 of 64, forward: without a graph, and with one where the precision is fixed."""
    watch, rows = setting.watch("grid content"), []
    measures = ("inference", "forward")
    for side in [64, 128, 32] if setting.on_cuda else setting.pick(full=[32, 16], tiny=[6]):
        E = 64 if setting.on_cuda else 16
        case = _case(setting, side, H=8, E=E, content=True, learned_precision=False)
        contenders = ours(case, measures)[0] | content_peers(setting.device)
        groups = grouped(contenders, {"plain": ("plain",), "flex": ("flex",), "sdpa + bias": ("sdpa",)})
        bars = {"plain": OVER_PLAIN.get(side) if setting.on_cuda else None}
        found = _rows("content", case, contenders, groups, bars, setting, watch, measures)
        rows += [_over_plain(row) if row.against.startswith("plain") else row for row in found]
    return rows


def _over_plain(row: Row) -> Row:
    """Positions cost something: the bar is on regard's time over the plain one's."""
    ratio = over(row.cells.get("regard"), row.cells.get(row.against))
    row.ratio = row.ratio if ratio is None else ratio
    return row


def on_cpu(setting: Setting) -> list[Row]:
    """The whole layer with both projections, float32, against its dense form; forward and backward."""
    watch, rows = setting.watch("grid cpu"), []
    for side in setting.pick(full=[16, 32, 48], tiny=[6]):
        case = _case(setting, side, H=9, E=64, B=4, shared=True, projections=2)
        contenders = ours(case, ("both",))[0] | layer_peers(setting.device)
        groups = grouped(contenders, {"dense": ("dense", "paper"), "separable": ("separable",)})
        rows += _rows("cpu", case, contenders, groups, {"dense": OVER_DENSE_ON_CPU.get(side)}, setting, watch)
    return rows


def _case(setting: Setting, side: int, *, kind: str = ISOTROPIC, B: int | None = None, **options: Any) -> Case:
    tokens = TOKENS if setting.on_cuda else 2048
    rows = max(1, tokens // side**2) if B is None else B
    return Case(kind=kind, B=rows, h=side, w=side, dtype=setting.dtype, device=setting.device, **options)


def _rows(
    section: str,
    case: Case,
    contenders: dict[str, Contender],
    groups: dict[str, list[str]],
    bars: dict[str, Bar | None],
    setting: Setting,
    watch: Watch,
    measures: tuple[str, ...] = ("both",),
) -> list[Row]:
    effort = setting.effort if setting.on_cuda or section == "cpu" else setting.glance
    return compare(section, case, contenders, groups, bars, effort, watch, measures)


GPU_SECTIONS: Sections = {"position": position, "table": table, "content": content}
CPU_SECTIONS: Sections = {"cpu": on_cpu, **GPU_SECTIONS}


def main(words: list[str] | None = None) -> None:
    run("benchmarks.grid", "Attention on a grid", __doc__, {"cuda": GPU_SECTIONS, "cpu": CPU_SECTIONS}, words)


if __name__ == "__main__":
    main()
