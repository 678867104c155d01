"""Cells, strides and unions: every algorithm that is willing, predicted and measured, beside dense and flex peers."""

from typing import Any

from benchmarks.grid_contest import COMPILED, Contender, contest, planned, willing
from benchmarks.grid_planning import NEAR, PATIENCE, detail, predictions
from benchmarks.record import Cell, Row, race
from benchmarks.setting import Setting, Watch, progress
from benchmarks.sparse_cases import GLOBAL, SPARSE, Case, cell_cases
from benchmarks.sparse_peers import mask_peers
from benchmarks.timing import Timing
from regard import Plan

FAR = {"cuda": 30.0, "cpu": 10.0}  # times the choice's predicted time beyond which a candidate is not tried
SAMPLE = (GLOBAL, SPARSE)
SECONDS = {"cuda": {"full": 400.0, "quick": 60.0}, "cpu": {"full": 300.0, "quick": 120.0, "tiny": 90.0}}
COMPILES = COMPILED | {"merged"}  # it asks for sums of exponentials, which the compiled kernel gives


def cells(setting: Setting) -> list[Row]:
    """Two rows per problem and measure: the choice against the best of regard, and regard against its peers."""
    rows, watch = [], Watch(setting.pick(**SECONDS[setting.device.type]))
    measures = setting.pick(full=("inference", "both"), quick=("both",))
    for case in cell_cases(setting):
        for measure in measures:
            if watch.past():
                rows.append(Row("cells", case.label, measure, {}, against="out of time", bar=NEAR))
                continue
            progress("cells", case.label, measure)
            rows += rows_of(case, measure, setting, watch)
    return rows + predictions(rows, lambda row, _: row.measure)


def rows_of(case: Case, measure: str, setting: Setting, watch: Watch) -> list[Row]:
    made = planned(case, measure)
    ours, left_out = tried(case, made, measure, setting)
    results = contest(case, ours | _peers(case), (measure,), setting.glance, watch, case.small())[measure]
    own = {name.removeprefix("regard "): result for name, result in results.items() if name in ours}
    times = {name: result for name, result in own.items() if isinstance(result, Timing)}
    best = min(times, key=lambda name: times[name].median) if times else "none ran"
    ratio = times[made.chosen].over(times[best]) if made.chosen in times else None
    timed: list[dict[str, Any]] = [detail(case, made, name, times) | {"kind": case.pattern.name} for name in own]
    shown: dict[str, Cell] = {"chosen": made.chosen, **own}
    shown |= {f"{entry['algorithm']} predicted ms": 1e3 * entry["predicted_s"] for entry in timed}
    row = Row("cells", case.label, measure, shown, ratio, best, NEAR, {"timed": timed, "left out": left_out})
    peers = {name: result for name, result in results.items() if name not in ours}
    outside = race("cells", case.label, measure, {"regard": own.get(made.chosen, "not timed"), **peers}, [*peers], None)
    del outside.cells["regard"]  # it stands under its own name in the row above
    return [row, outside]


def tried(case: Case, made: Plan, measure: str, setting: Setting) -> tuple[dict[str, Contender], dict[str, str]]:
    """The algorithms that are timed, and why the others are not."""
    contenders, left_out = willing(case, measure, FAR[case.device.type])
    predicted = {candidate.name: candidate.seconds or 0.0 for candidate in made.candidates}
    for full_name, contender in list(contenders.items()):
        name = full_name.removeprefix("regard ")
        compiles = setting.on_cuda and name in COMPILES and name != made.chosen  # the choice is waited for
        contenders[full_name] = contender._replace(compiles=compiles)
        if predicted[name] > PATIENCE[case.device.type]:
            left_out[name] = f"would take {predicted[name]:.1f} s a call"
        elif compiles and not _is_sample(case, name, setting):
            left_out[name] = "compiles: tried in a sample of cases"
    return {name: one for name, one in contenders.items() if name.removeprefix("regard ") not in left_out}, left_out


def _is_sample(case: Case, name: str, setting: Setting) -> bool:
    """Whether a kernel is compiled although nobody chose it; a union compiles one for each of its parts."""
    return setting.scale == "full" or (case.pattern in SAMPLE and name in COMPILED)


def _peers(case: Case) -> dict[str, Contender]:
    """Sdpa with the whole map, and FlexAttention for the sample, while there is time."""
    peers = mask_peers(case.device, flex_compiles=True)
    if case.pattern not in SAMPLE:
        peers.pop("flex", None)
    return peers
