"""Pooled tokens: means over what is there, pads left out, and where the means stand."""

import itertools
import re

import pytest
import torch
from torch import Tensor

from regard.attention import Grid, Positions, Sequence, pool, pool_positions, pool_real

EXACT = {"rtol": 0, "atol": 1e-14}
NAN = float("nan")
CASES = {
    "a line": (Sequence(6), 2),
    "a short last run": (Sequence(7), 3),
    "longer than the line": (Sequence(5), 9),
    "one by one": (Sequence(5), 1),
    "a grid": (Grid(4, 6), 2),
    "rows and columns": (Grid(5, 7), (2, 3)),
    "columns alone": (Grid(3, 8), (1, 4)),
    "larger than the grid": (Grid(3, 4), 8),
}


def members(positions: Positions, size: int | tuple[int, int]) -> list[list[int]]:
    """The tokens of every run, by going through them all."""
    if isinstance(positions, Sequence):
        groups = [i // size for i in range(positions.n)]
    else:
        rows, columns = size if isinstance(size, tuple) else (size, size)
        wide = -(-positions.w // columns)
        groups = [(r // rows) * wide + c // columns for r in range(positions.h) for c in range(positions.w)]
    return [[i for i, group in enumerate(groups) if group == g] for g in range(max(groups) + 1)]


def by_hand(x: Tensor, runs: list[list[int]], real: Tensor | None) -> Tensor:
    """Means, one run and one row at a time; zeros where no token is real."""
    rows = []
    for b in range(len(x)):
        means = []
        for run in runs:
            kept = [i for i in run if real is None or real[b, i]]
            means.append(x[b, kept].mean(0) if kept else torch.zeros_like(x[b, 0]))
        rows.append(torch.stack(means))
    return torch.stack(rows)


@pytest.mark.parametrize("case", CASES)
def test_means_of_what_is_there(case: str):
    positions, size = CASES[case]
    x = torch.randn(3, positions.count, 5, dtype=torch.float64, requires_grad=True)
    means, where = pool(x, positions, size)
    wanted = by_hand(x, members(positions, size), None)
    torch.testing.assert_close(means, wanted, **EXACT)
    assert where.count == means.shape[1]
    back = torch.randn_like(means)
    one, other = (torch.autograd.grad(y, x, back)[0] for y in (means, wanted))
    torch.testing.assert_close(one, other, **EXACT)


@pytest.mark.parametrize("case", CASES)
def test_pads_are_left_out_of_sum_and_count(case: str):
    positions, size = CASES[case]
    x = torch.randn(3, positions.count, 5, dtype=torch.float64)
    real = torch.rand(3, positions.count) < 0.5
    real[0], real[1] = True, False
    noisy = x.masked_fill(~real[..., None], NAN).requires_grad_()
    means, _ = pool(noisy, positions, size, real)
    runs = members(positions, size)
    torch.testing.assert_close(means, by_hand(x, runs, real), **EXACT)
    assert torch.equal(means[1], torch.zeros_like(means[1]))
    some = torch.tensor([[bool(real[b, run].any()) for run in runs] for b in range(3)])
    assert torch.equal(pool_real(real, positions, size), some)
    gradient = torch.autograd.grad(means.sum(), noisy)[0]
    assert torch.equal(gradient != 0, real[..., None].expand(3, -1, 5))


def test_heads_are_pooled_alike():
    k = torch.randn(2, 3, 35, 4)
    real = torch.rand(2, 35) < 0.7
    means, _ = pool(k, Grid(5, 7), (2, 3), real)
    assert means.shape == (2, 3, 9, 4)
    for g in range(3):
        assert torch.equal(means[:, g], pool(k[:, g], Grid(5, 7), (2, 3), real)[0])


def test_one_token_a_run_changes_nothing():
    x = torch.randn(2, 35, 4)
    means, where = pool(x, Grid(5, 7, start=(2, 3)), 1)
    assert torch.equal(means, x)
    assert repr(where) == repr(Grid(5, 7, start=(2, 3)))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_rounds_the_mean_once(dtype: torch.dtype):
    x = (100 + torch.randn(1, 64, 8)).to(dtype)
    means, _ = pool(x, Sequence(64), 64, torch.arange(64)[None] < 49)
    assert means.dtype == dtype
    exact = x[:, :49].double().mean(1, keepdim=True)
    assert ((means.double() - exact).abs() <= 0.51 * 100 * torch.finfo(dtype).eps).all()


@pytest.mark.parametrize("size", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("start", [0, 5])
@pytest.mark.parametrize("step", [1, 3])
def test_means_stand_in_the_middle_of_their_run(size: int, start: int, step: int):
    """Of whole runs; in the middle of an even one stand two, of which it is the earlier."""
    line = Sequence(4 * size, start, step)
    pooled = pool_positions(line, size)
    for p, run in enumerate(members(line, size)):
        places = [line.at(0, i) for i in run]
        assert pooled.at(0, p) == places[(size - 1) // 2]
        if size % 2:
            assert pooled.at(0, p) == sum(places) / size


def test_positions_of_rows():
    pooled = pool_positions(Sequence(7, torch.tensor([0, 7])), 3)
    assert (pooled.n, pooled.step) == (3, 3)
    assert pooled.start.tolist() == [1, 8]


@pytest.mark.parametrize(("rows", "columns"), [(2, 3), (3, 2), (4, 1)])
def test_positions_of_grids(rows: int, columns: int):
    grid = Grid(5, 8, start=(10, 20), step=(2, 3))
    pooled = pool_positions(grid, (rows, columns))
    assert (pooled.h, pooled.w) == (-(-5 // rows), -(-8 // columns))
    for r, c in itertools.product(range(5 // rows), range(8 // columns)):
        middle = (rows * r + (rows - 1) // 2) * 8 + columns * c + (columns - 1) // 2
        assert pooled.at(0, r * pooled.w + c) == grid.at(0, middle)


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize(
    ("positions", "size", "message"),
    [
        (Sequence(4), 0, "a pool must be a whole number from 1, or two on a grid: got 0; use 2 or (2, 2)"),
        (Sequence(4), 2.0, "a pool must be a whole number from 1, or two on a grid: got 2.0; use 2 or (2, 2)"),
        (Grid(2, 2), (2, 0), "a pool must be a whole number from 1, or two on a grid: got (2, 0); use 2 or (2, 2)"),
        (Grid(2, 2), (2, 2, 2), "a pool must be a whole number from 1, or two on a grid: got (2, 2, 2); use 2 or"),
        (
            Sequence(4),
            (2, 2),
            "a pool of rows and columns is for a grid: got (2, 2) for Sequence(n=4, start=0, step=1); use Grid(h, w)",
        ),
        (
            Sequence(5),
            2,
            "tokens, pads and positions must match: got x (1, 4, 3) for Sequence(n=5, start=0, step=1); give 5 tokens",
        ),
    ],
)
def test_what_cannot_be_pooled(positions: Positions, size, message: str):
    with pytest.raises(ValueError, match=re.escape(message)):
        pool(torch.zeros(1, 4, 3), positions, size)


@pytest.mark.usefixtures("unhooked")
def test_pads_of_other_tokens():
    message = "tokens, pads and positions must match: got x (1, 4, 3), real (1, 5) for Sequence(n=4, start=0, step=1)"
    with pytest.raises(ValueError, match=re.escape(message)):
        pool(torch.zeros(1, 4, 3), Sequence(4), 2, torch.ones(1, 5, dtype=torch.bool))
