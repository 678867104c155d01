"""Answers about gaussian heads against brute force: fine sums, all permutations, whole maps, measured outputs."""

import dataclasses
import itertools
import json
import math

import pytest
import torch
from torch import Tensor

from regard.analysis.convolution import heads
from regard.analysis.convolution.heads import (
    assign,
    duplicates,
    ellipses,
    examine,
    merge,
    nearest_kernel,
    prune,
    query_map,
)
from regard.attention import Grid, Hard, Quadratic, Sequence
from regard.layers import GatedMultiHead, Gaussian, GaussianHeads, MultiHead, PositionedMultiHead, PositionHeads, Tables
from regard.layers.convolutional import AttentionConv, Stencil
from tests.refusals import refused

KINDS = ("isotropic", "diagonal", "full")


def random_heads(num_heads: int, kind: str = "full", axes: int = 2) -> Gaussian:
    position = Gaussian(num_heads, axes=axes, kind=kind, dtype=torch.float64)
    with torch.no_grad():
        position.log_precision.add_(torch.randn_like(position.log_precision) / 2)
    return position


def layer_of(position: Gaussian, **options) -> PositionHeads:
    return PositionHeads(5, position, dtype=torch.float64, **options)


def quadratic(centres: list[list[float]], precision: float) -> Quadratic:
    centre = torch.tensor(centres, dtype=torch.float64)
    return Quadratic(centre, torch.full((len(centre),), precision, dtype=torch.float64))


def mass_inside(ellipse: heads.Ellipse, number: int, matrix: Tensor) -> float:
    """The share of exp(−xᵀMx) inside the drawn shape, by a sum over a fine grid; the shape is read from its axes."""
    side = torch.linspace(-12, 12, 1001 if len(matrix) == 2 else 24001, dtype=torch.float64)
    x = torch.cartesian_prod(*[side] * len(matrix)).view(-1, len(matrix))
    density = torch.exp(-((x @ matrix) * x).sum(1))
    half_axes = ellipse.half_axes[number]
    if len(matrix) == 1:
        inside = x[:, 0].abs() <= half_axes[0]
    else:
        rows, columns = x.T
        along = columns * math.cos(ellipse.angle) + rows * math.sin(ellipse.angle)
        across = rows * math.cos(ellipse.angle) - columns * math.sin(ellipse.angle)
        inside = (along / half_axes[0]) ** 2 + (across / half_axes[1]) ** 2 <= 1
    return float(density[inside].sum() / density.sum())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("axes", [1, 2])
def test_an_ellipse_holds_its_mass(kind: str, axes: int):
    position = random_heads(3, kind, axes)
    precision = position.term().precision.detach()
    for ellipse in ellipses(position, (0.3, 0.5, 0.9)):
        matrix = precision[ellipse.head]
        matrix = matrix * torch.eye(axes) if kind == "isotropic" else matrix.diag() if kind == "diagonal" else matrix
        assert ellipse.centre == tuple(position.centre[ellipse.head].tolist())
        assert list(ellipse.half_axes[0]) == sorted(ellipse.half_axes[0], reverse=True)
        assert 0 <= ellipse.angle < math.pi
        for number, mass in enumerate(ellipse.masses):
            assert mass_inside(ellipse, number, matrix.double()) == pytest.approx(mass, abs=3e-3)


def test_an_ellipse_turned_the_other_way_does_not():
    matrix = torch.tensor([[1.0, 0.9], [0.9, 1.0]], dtype=torch.float64)
    (right,) = ellipses(Quadratic(torch.zeros(1, 2, dtype=torch.float64), matrix[None]))
    wrong = dataclasses.replace(right, angle=math.pi - right.angle)
    assert right.angle == pytest.approx(3 * math.pi / 4)  # rows and columns of opposite sign
    assert mass_inside(right, 1, matrix) == pytest.approx(0.9, abs=2e-3)
    assert mass_inside(wrong, 1, matrix) < 0.8


def test_a_line_has_the_interval_of_the_normal_distribution():
    (ellipse,) = ellipses(quadratic([[3.0]], 0.5), [0.6826894921370859])  # unit variance: one standard deviation
    assert ellipse.half_axes[0] == (pytest.approx(1.0),)
    assert (ellipse.centre, ellipse.angle) == ((3.0,), 0.0)


def test_all_kinds_of_layers_answer_alike():
    position = random_heads(4, "diagonal")
    answers = [
        ellipses(layer)
        for layer in (
            position,
            position.term(),
            layer_of(position),
            PositionedMultiHead(8, position),
            GatedMultiHead(8, position),
        )
    ]
    assert all(answer == answers[0] for answer in answers)


@pytest.mark.parametrize("weighting", [None, Hard()])
def test_a_query_map_is_a_row_of_the_whole_map(weighting):
    layer = layer_of(random_heads(3), weighting=weighting)
    grid = Grid(5, 7, start=(2, -1), step=(1, 2))
    row, column = grid.at(0, 17)
    answer = query_map(layer, grid, (row, column))
    assert answer.shape == (5, 7)
    torch.testing.assert_close(torch.tensor(answer.maps).double().view(3, 35), layer.weights(grid)[0, :, 17].detach())
    assert not torch.equal(torch.tensor(answer.maps).view(3, 35), layer.weights(grid)[0, :, 18])
    line = layer_of(random_heads(2, axes=1))
    maps = torch.tensor(query_map(line, Sequence(9), 4).maps).double()
    torch.testing.assert_close(maps, line.weights(Sequence(9))[0, :, 4].detach(), rtol=1e-6, atol=1e-7)


def test_a_converted_convolution_is_asked_like_its_heads():
    conv = AttentionConv(3, 4, Stencil(size=(3, 3)), sharpness=0.5, weighting=Hard())
    fit = nearest_kernel(conv, bijection=True)
    assert (fit.is_bijection, fit.softness, max(fit.distances)) == (True, (0.0,) * 9, 0.0)
    maps = torch.tensor(query_map(conv, Grid(5, 5), (2, 2)).maps)
    assert torch.equal(maps.amax((1, 2)), torch.ones(9))


def test_a_query_map_needs_memory_of_one_row():
    maps = query_map(GaussianHeads(4, 2), Grid(256, 256), (128, 3)).maps  # the whole map would be 64 GB
    assert torch.tensor(maps).shape == (2, 256, 256)


@pytest.mark.parametrize("far", [1e3, 1e6, 3e38])
def test_a_centre_far_away_gives_numbers(far: float):
    layer = layer_of(random_heads(3, "isotropic"))
    with torch.no_grad():
        layer.position.centre[1] = torch.tensor([far, -far])
    grid = Grid(6, 6)
    x = torch.randn(2, 36, 5, dtype=torch.float64)
    answers = [*ellipses(layer), query_map(layer, grid, (0, 0)), *examine(layer, grid), duplicates(layer, grid)]
    answers += [nearest_kernel(layer, 3), prune(layer, [1], grid, x)[1], merge(layer, [(0, 1)], grid, x)[1]]
    for answer in answers:
        json.loads(answer.json())  # NaN would raise


@pytest.mark.parametrize(("rows", "columns"), [(1, 1), (2, 4), (4, 4), (5, 3), (6, 6), (1, 5), (7, 2)])
@pytest.mark.parametrize("whole", [False, True])
def test_the_assignment_is_the_best_of_all(rows: int, columns: int, whole: bool):
    for _ in range(20):
        costs = torch.randn(rows, columns, dtype=torch.float64) * 3
        costs = costs.round() if whole else costs  # whole numbers have ties
        found = assign(costs.tolist())
        taken = [(row, column) for row, column in enumerate(found) if column is not None]
        assert len({column for _, column in taken}) == len(taken) == min(rows, columns)
        wide = costs if rows <= columns else costs.T
        best = min(
            sum(float(wide[row, column]) for row, column in enumerate(chosen))
            for chosen in itertools.permutations(range(wide.shape[1]), wide.shape[0])
        )
        assert sum(float(costs[pair]) for pair in taken) == pytest.approx(best, abs=1e-12)


def test_the_assignment_is_better_than_taking_the_nearest_first():
    assert assign([[1.0, 2.0], [0.0, 100.0]]) == [1, 0]


@pytest.mark.parametrize(("axes", "dilation"), [(1, 1), (2, 1), (2, (2, 3))])
def test_a_kernel_is_found_again(axes: int, dilation):
    steps = dilation if isinstance(dilation, tuple) else (dilation,) * axes
    taps = list(itertools.product(*[(-step, 0, step) for step in steps]))
    order = torch.randperm(len(taps)).tolist()
    centre = torch.tensor([taps[i] for i in order]) + 0.3 * (torch.rand(len(taps), axes) - 0.5)
    fit = nearest_kernel(Quadratic(centre, torch.full((len(taps),), 20.0)), dilation=dilation)
    assert fit.kernel_size == (3,) * axes
    assert fit.taps == fit.peaks == tuple(taps[i] for i in order)
    assert fit.is_bijection
    assert (fit.surplus, fit.free) == ((), ())
    offsets = torch.tensor(fit.taps) - centre
    assert fit.distances == pytest.approx(offsets.norm(dim=1).tolist(), rel=1e-5)


def test_two_heads_at_one_tap_are_no_bijection_though_each_gets_a_tap():
    taps = [[row, column] for row in (-1.0, 0.0, 1.0) for column in (-1.0, 0.0, 1.0)]
    fit = nearest_kernel(quadratic([*taps[:8], [0.1, 0.0]], 10.0))
    assert sorted(fit.taps) == sorted(tuple(map(int, tap)) for tap in taps)
    assert max(fit.distances) > 0.9
    assert not fit.is_bijection
    tie = nearest_kernel(quadratic([*taps[:8], [1.0, 0.5]], 10.0))
    assert tie.peaks[8] is None
    assert not tie.is_bijection


@pytest.mark.parametrize("alpha", [0.05, 1.0, 4.0, 12.0])
def test_the_softness_is_that_of_the_infinite_grid(alpha: float):
    """conv.d1: one less θ(α)^−2 for whole centres; for others against a map of a large grid."""
    theta = sum(math.exp(-alpha * n * n) for n in range(-40, 41))
    fit = nearest_kernel(quadratic([[1.0, -1.0], [0.3, 0.45]], alpha), 3)
    assert fit.softness[0] == pytest.approx(1 - theta**-2, abs=1e-14)
    grid = torch.tensor(query_map(quadratic([[0.3, 0.45]], alpha), Grid(81, 81), (40, 40)).maps[0])
    assert fit.softness[1] == pytest.approx(1 - float(grid.max()), abs=1e-6)
    line = nearest_kernel(quadratic([[2.0]], alpha), 5)
    assert line.softness[0] == pytest.approx(1 - 1 / theta, abs=1e-14)
    assert nearest_kernel(layer_of(random_heads(9), weighting=Hard())).softness == (0.0,) * 9


def test_a_tilted_head_peaks_where_its_weight_is_largest_which_may_not_be_the_nearest_pixel():
    matrix = torch.tensor([[[1.0, -0.98], [-0.98, 1.0]]], dtype=torch.float64) * 5
    term = Quadratic(torch.tensor([[0.45, -0.4]], dtype=torch.float64), matrix)
    grid = torch.tensor(query_map(term, Grid(41, 41), (20, 20)).maps[0])
    row, column = divmod(int(grid.argmax()), 41)
    assert nearest_kernel(term, 3).peaks == ((row - 20, column - 20),) != ((0, 0),)


def test_surplus_heads_and_free_taps_are_told():
    fit = nearest_kernel(quadratic([[-1.0], [0.0], [0.2], [1.0], [9.0]], 5.0), 3)
    assert (fit.surplus, fit.free, fit.is_bijection) == ((2, 4), (), False)
    assert fit.taps == ((-1,), (0,), None, (1,), None)
    assert fit.distances[4] is None
    few = nearest_kernel(quadratic([[0.1, 0.0]], 5.0), 3)
    assert few.surplus == ()
    assert len(few.free) == 8
    assert not few.is_bijection


def test_degenerate_heads_are_named():
    sharp, wide, thin = 40.0 * torch.eye(2), 1e-5 * torch.eye(2), torch.tensor([[1e3, 0.0], [0.0, 1e-2]])
    plain = 0.5 * torch.eye(2)
    term = Quadratic(
        torch.tensor([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, -30.0], [0.0, 0.0]]),
        torch.stack([plain, sharp, wide, plain, thin]),
    )
    states = examine(term, Grid(8, 9))
    assert [state.kinds for state in states] == [(), ("one-hot",), ("uniform",), ("border",), ("singular",)]
    assert states[3].outside == 1
    assert states[4].condition == pytest.approx(1e5, rel=1e-4)
    far_but_wide = examine(Quadratic(torch.tensor([[0.0, -30.0]]), torch.tensor([1e-4])), Grid(8, 9))
    assert far_but_wide[0].outside == 1
    assert far_but_wide[0].kinds != ("border",)
    (all_edge,) = examine(Quadratic(torch.zeros(1, 2), torch.tensor([1.0])), Grid(2, 2))
    assert (all_edge.border, all_edge.outside, all_edge.kinds) == (pytest.approx(1), 0, ())


def test_the_state_is_measured_over_all_queries_or_those_asked_for():
    layer, grid = layer_of(random_heads(4)), Grid(5, 6)
    maps = layer.weights(grid)[0].detach()
    states = examine(layer, grid)
    edge = torch.ones(5, 6, dtype=torch.bool)
    edge[1:-1, 1:-1] = False
    torch.testing.assert_close(torch.tensor([s.peak for s in states]).double(), maps.amax(2).amin(1))
    torch.testing.assert_close(
        torch.tensor([s.from_uniform for s in states]).double(), (maps - 1 / 30).abs().sum(2).amax(1) / 2
    )
    torch.testing.assert_close(
        torch.tensor([s.border for s in states]).double(), maps[..., edge.flatten()].sum(2).amin(1)
    )
    middle = examine(layer, grid, queries=Grid(1, 1, start=(2, 3)))
    assert [s.peak for s in middle] == pytest.approx(maps[:, 15].amax(1).tolist())
    assert examine(layer_of(random_heads(2, axes=1)), Sequence(130))[0].outside < 1


def test_duplicates_by_complete_linkage_do_not_chain():
    """Neighbours in a chain are alike; its ends are not, and complete linkage keeps them apart."""
    chain = quadratic([[0.0, 0.0], [0.0, 0.1], [0.0, 0.2], [3.0, 0.0]], 0.5)
    grid = Grid(7, 7)
    answer = duplicates(chain, grid, tolerance=0.06)
    near, far = answer.distances[0][1], answer.distances[0][2]
    assert near < 0.06 < far
    assert answer.classes in (((0, 1),), ((1, 2),))
    assert duplicates(chain, grid, tolerance=far + 1e-9).classes == ((0, 1, 2),)
    assert duplicates(chain, grid, tolerance=near / 2).classes == ()
    maps = layer_of(random_heads(4)).weights(grid).detach()  # any maps: the definition
    tv = (maps[0, 0] - maps[0, 1]).abs().sum(-1).max() / 2
    assert float(heads.variation(maps[0])[:, 0, 1].max()) == pytest.approx(float(tv))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("project", [True, False])
def test_merging_equal_heads_changes_nothing(kind: str, project: bool):
    layer = layer_of(random_heads(6, kind), project=project)
    with torch.no_grad():
        for parameter in layer.position.parameters():
            parameter[4] = parameter[1]
            parameter[5] = parameter[1]
            parameter[3] = parameter[0]
    before = {name: parameter.clone() for name, parameter in layer.state_dict().items()}
    grid, x = Grid(6, 5), torch.randn(2, 30, 5, dtype=torch.float64)
    classes = duplicates(layer, grid, tolerance=1e-12).classes
    assert classes == ((0, 3), (1, 4, 5))
    merged, change = merge(layer, classes, grid, x)
    assert type(merged) is type(layer)
    assert merged.num_heads == merged.position.num_heads == 3
    assert float((merged(x, grid) - layer(x, grid)).detach().abs().max()) < 1e-12
    assert change.bound < 1e-12
    assert change.max_relative < 1e-12
    assert sorted(map(sorted, change.heads)) == [[0, 3], [1, 4, 5], [2]]
    assert all(torch.equal(before[name], parameter) for name, parameter in layer.state_dict().items())
    dropped, _ = prune(layer, [3, 4, 5])  # the negative control: without adding their weights it is another layer
    assert float((dropped(x, grid) - layer(x, grid)).detach().abs().max()) > 1e-2


def test_a_layer_with_fewer_heads_learns_and_keeps_what_was_frozen():
    layer = GaussianHeads(5, 4)
    layer.position.centre.requires_grad_(False)
    state = torch.get_rng_state()
    small, _ = prune(layer, [1])
    assert torch.equal(state, torch.get_rng_state())
    assert isinstance(small, GaussianHeads)
    assert not small.position.centre.requires_grad
    small(torch.randn(1, 12, 5), Grid(3, 4)).sum().backward()
    assert small.value.weight.grad.shape == (5, 15)
    with torch.no_grad():
        small.value.weight.zero_()
        small.position.log_precision.zero_()
    assert bool((layer.value.weight != 0).all())
    assert bool((layer.position.log_precision != 0).all())
    fresh = GaussianHeads(5, 3)
    fresh.load_state_dict(small.state_dict())


@pytest.mark.parametrize("project", [True, False])
def test_the_bounds_hold_and_are_attained(project: bool):
    layer, grid = layer_of(random_heads(4), project=project), Grid(5, 6)
    _, pruned = prune(layer, [1])
    _, merged = merge(layer, [(0, 2)], grid)
    _, anywhere = merge(layer, [(0, 2)])
    assert merged.bound <= anywhere.bound
    for seed in range(5):
        x = torch.randn(2, 30, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))
        for _, change in (prune(layer, [1], grid, x), prune(layer, [0, 3], grid, x), merge(layer, [(0, 2)], grid, x)):
            assert 0 < change.largest <= change.limit
            assert change.mean_relative > 0
    blocks = layer.value.weight.detach().unflatten(1, (4, -1)).transpose(0, 1)
    blocks = layer.out.weight.detach() @ blocks if project else blocks
    (kept, moved), worst = merged.heads[[len(group) for group in merged.heads].index(2)], {}
    for head in (1, moved):
        worst[head] = torch.linalg.svd(blocks[head]).Vh[0]
    constant = worst[1].expand(1, 30, 5)  # every mean of it is itself
    assert prune(layer, [1], grid, constant)[1].largest == pytest.approx(pruned.bound)
    maps = layer.weights(grid)[0].detach()
    apart = maps[moved] - maps[kept]
    signs = apart[apart.abs().sum(1).argmax()].sign()
    assert merge(layer, [(0, 2)], grid, signs[None, :, None] * worst[moved])[1].largest == pytest.approx(merged.bound)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: nearest_kernel(Gaussian(9), 4),
            "kernel_size must be odd along each of 2 axes, to have a centre: got 4",
        ),
        (lambda: nearest_kernel(Gaussian(9), (3, 3, 3)), "kernel_size must be odd along each of 2 axes"),
        (lambda: nearest_kernel(Gaussian(9), 3, 0), "dilation must be at least 1 along each of 2 axes: got 0"),
        (lambda: nearest_kernel(Gaussian(10), 3, bijection=True), "more heads asked for than taps, got 10 and 9"),
        (lambda: nearest_kernel(Gaussian(8), bijection=True), "fewer heads than taps, got 8 and 9"),
        (lambda: ellipses(Gaussian(1), (0.5, 1.0)), "masses must lie between 0 and 1: got masses=(0.5, 1.0)"),
        (lambda: ellipses(Gaussian(1), ()), "masses must lie between 0 and 1: got masses=()"),
        (lambda: ellipses(quadratic([[0.0]], -1.0)), "precision must be positive: got -1.0 in head 0"),
        (lambda: ellipses(quadratic([[math.nan]], 1.0)), "centres must be finite: got [[nan]]"),
        (lambda: ellipses(MultiHead(8, 2)), "heads must be Gaussian or Quadratic: got MultiHead("),
        (lambda: ellipses(PositionHeads(8, Tables(2, 3))), "heads must be Gaussian or Quadratic: got PositionHeads("),
        (lambda: query_map(Gaussian(1), Grid(3, 3), 4), "query must have a number for each axis: got query=4 on Grid("),
        (lambda: query_map(Gaussian(1), Sequence(3), 1), "is for Grid positions"),
        (lambda: examine(Gaussian(1, axes=1), Sequence(3, torch.tensor([0]))), "must be the same for every row"),
        (lambda: prune(GaussianHeads(4, 2), [2]), "heads must be distinct and below 2: got [2]"),
        (lambda: prune(GaussianHeads(4, 2), [0, 1]), "a layer must keep a head: got all 2 to prune"),
        (lambda: merge(GaussianHeads(4, 3), [(0, 1), (1, 2)]), "heads must be distinct and below 3: got [0, 1, 1, 2]"),
        (lambda: prune(GatedMultiHead(4, Gaussian(2)), [0]), "layer must be PositionHeads with a Gaussian position"),
        (lambda: prune(PositionHeads(4, Tables(2, 3)), [0]), "layer must be PositionHeads with a Gaussian position"),
        (lambda: prune(GaussianHeads(4, 2), [0], None, torch.zeros(1, 4, 4)), "x must come with its positions"),
    ],
)
@pytest.mark.usefixtures("unhooked")
def test_bad_input(call, message: str):
    with refused(message):
        call()
