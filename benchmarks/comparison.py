"""From a contest to rows: regard against each group of its peers."""

from benchmarks.grid_cases import Case
from benchmarks.grid_contest import Contender, contest, ours, planned
from benchmarks.record import Bar, Row, race
from benchmarks.setting import Watch, progress
from benchmarks.timing import Effort


def grouped(contenders: dict[str, Contender], starts: dict[str, tuple[str, ...]]) -> dict[str, list[str]]:
    """The peers of each comparison, by how their names begin."""
    return {group: [name for name in contenders if name.startswith(start)] for group, start in starts.items()}


def compare(
    section: str,
    case: Case,
    contenders: dict[str, Contender],
    groups: dict[str, list[str]],
    bars: dict[str, Bar | None],
    effort: Effort,
    watch: Watch,
    measures: tuple[str, ...] = ("both",),
) -> list[Row]:
    """One row per measure and group of peers; the times stand in the first of a measure."""
    progress(section, case.label)
    rows = []
    for measure, results in contest(case, contenders, measures, effort, watch, case.small()).items():
        for number, (group, peers) in enumerate(groups.items()):
            row = race(section, case.label, measure, results, peers, bars.get(group))
            if row.ratio is None:
                row.against = f"{group}: {row.against}"
            if number:
                row.cells = {name: row.cells[name] for name in ("regard", row.against) if name in row.cells}
            else:
                row.cells = {"chosen": planned(case, measure).chosen, **row.cells}
                row.details = {"left out": ours(case, (measure,))[1]}
            rows.append(row)
    return rows
