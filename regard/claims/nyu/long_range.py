"""Question 4, decided by runs: recurrent models at long range."""

from regard.claims.chart import Lines
from regard.claims.claim import BORNE_OUT, Finding, Findings, View, claim
from regard.claims.ist.reversal import asked, curve, lengths, percent, run

KINDS = {"attention": "with attention", "plain": "without"}
Range = tuple[float, float]


def draw() -> Lines:
    """Letters given the true ones before them, and strings written freely, against the length."""
    found = run()
    return Lines(
        title=f"Reversal by an LSTM encoder-decoder [{found.source}]",
        x=lengths(found),
        y={
            f"{words}, {name}": curve(found, kind, metric)
            for metric, words in (("forced", "letters"), ("strings", "strings"))
            for kind, name in KINDS.items()
        },
        x_label="length of the string",
        y_label="right",
    )


@claim(
    "nyu.4lr",
    BORNE_OUT,
    document={"attention": None},
    twin={"plain": (-0.03, 0.03)},
    recipe="reversal",
    view=View("runs", "See how the reversal was trained", {"run": "reversal"}),
    chart=draw,
)
def fall(plain: Range = (0.05, 1.0), attention: Range | None = (-0.02, 0.02)) -> Findings:
    """The part of letters that is lost from the shortest strings to the longest; whole strings; what is asked."""
    found = run()
    at, rows = lengths(found), {kind: curve(found, kind, "forced") for kind in KINDS}
    lost = {kind: row[0] - row[-1] for kind, row in rows.items()}
    for kind, said in (("plain", plain), ("attention", attention)):
        if said is None or found.is_changed:  # of other settings only that more is lost without
            continue
        shown = f"LSTM {KINDS[kind]}: {percent(*rows[kind])} % of letters at lengths {', '.join(map(str, at))}"
        shown += f", {percent(lost[kind])} points lost [{found.source}]"
        yield Finding(kind, said[0] <= lost[kind] <= said[1], shown)
    more = lost["plain"] - lost["attention"]
    yield Finding("without", more > 0, f"without attention {percent(more)} points more are lost [{found.source}]")
    a, b = (curve(found, kind, "strings")[-1] for kind in KINDS)
    shown = f"whole strings of {at[-1]} written freely: {percent(a)} % with attention, {percent(b)} % without"
    yield Finding("strings", a > b, f"{shown} [{found.source}]")
    if attention is not None:
        yield asked()
