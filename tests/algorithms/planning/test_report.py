"""The plan as people read it."""

import pytest
import torch

from regard import Attention, Plan, plan
from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.report import plain, rich_table, si
from regard.attention import Causal, Hard, KeyPadding, Slopes, Strided


def planned(attention: Attention, backward: bool = True, **options) -> Plan:
    q = torch.empty(4, 16, 4096, 64, dtype=torch.bfloat16, device="meta", requires_grad=backward)
    return plan(q, q, q, attention, device="h200", **options)


PLANS = {
    "plain": planned(Attention()),
    "hard": planned(Attention(weighting=Hard())),
    "padded": planned(Attention(mask=Causal() & KeyPadding([1024, 2048, 3072, 4096]))),
    "slopes": planned(Attention(scores=Slopes.geometric(16), mask=~Strided(3)), backward=False),
}


@pytest.mark.parametrize("width", [50, 80, 200])
@pytest.mark.parametrize("name", PLANS)
def test_every_algorithm_has_its_row_and_no_reason_is_cut(name: str, width: int) -> None:
    shown, made = plain(PLANS[name].rich(), width), PLANS[name]
    assert max(len(line) for line in shown.splitlines()) <= width
    # Wrapping puts line breaks and indentation anywhere: compare without white space.
    squeezed = "".join(shown.split())
    for candidate in made.candidates:
        assert sum(candidate.name in line.split() for line in shown.splitlines()) >= 1
        if candidate.refusal is not None:
            assert f"{candidate.name}refused:{''.join(candidate.refusal.split())}" in squeezed
    assert len(made.candidates) == len(PLANNER.algorithms)


def test_the_chosen_one_comes_first_and_alone_is_marked() -> None:
    for made in PLANS.values():
        marked = [line for line in str(made).splitlines() if "▶" in line]
        assert len(marked) == 1
        assert marked[0].split()[1] == made.chosen
        assert marked[0].endswith("chosen")
        rows = [line for line in str(made).splitlines() if line.split()[:1] == ["algorithm"] or line in marked]
        assert rows[1] == marked[0]


def test_the_title_says_what_is_planned() -> None:
    shown = str(PLANS["plain"])
    assert "Attention(scores=Content(beta=None), mask=Everything(), weighting=Softmax())" in shown
    assert "B=4 H=16 G=16 T=4096 S=4096 D=64 E=64 · bfloat16 · h200 · forward and backward" in shown
    assert "forward only" in str(PLANS["slopes"])
    assert "· dropout · log-sum-exp" in plain(planned(Attention(), dropout=0.1, return_lse=True).rich(), width=120)


def test_figures_are_the_costs() -> None:
    made = PLANS["hard"]
    cost = next(candidate.cost for candidate in made.candidates if candidate.name == "reference")
    assert cost is not None
    for figure in (si(cost.flops, "FLOP"), si(cost.bytes, "B"), si(cost.memory, "B")):
        assert figure in str(made)


def test_text_has_no_colour_even_when_forced(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" not in str(PLANS["plain"])


def test_colour_on_a_terminal() -> None:
    from rich.console import Console

    console = Console(force_terminal=True, color_system="truecolor", width=80)
    with console.capture() as captured:
        console.print(rich_table(PLANS["plain"]))
    assert "\x1b[1;32m" in captured.get()


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (0, "0 B"),
        (1, "1 B"),
        (999, "999 B"),
        (999.6, "1 kB"),
        (1000, "1 kB"),
        (1234, "1.23 kB"),
        (10**6, "1 MB"),
        (4.3e12, "4.3 TB"),
        (10**15, "1 PB"),
        (10**22, "10000 EB"),
        (1e-3, "1 mB"),
        (1e-6, "1 µB"),
        (3.1e-4, "310 µB"),
        (2e-12, "0.002 nB"),
    ],
)
def test_units(value: float, shown: str) -> None:
    assert si(value, "B") == shown
