"""Figures are read back: what is drawn, where, in which colours, and as which text."""

import io
import itertools
import math
import subprocess
import sys
from xml.etree import ElementTree

import matplotlib
import numpy as np
import pytest
import torch
from matplotlib.figure import Figure
from matplotlib.patches import Ellipse, Rectangle

from regard.analysis.convolution import figures
from regard.analysis.convolution.figures import draw_heads
from regard.analysis.figures import _figure_class
from regard.attention import Quadratic
from regard.checks import MissingExtra
from regard.layers import Gaussian, GaussianHeads, PositionHeads
from tests.refusals import refused


def random_heads(num_heads: int, kind: str = "full", axes: int = 2) -> Gaussian:
    position = Gaussian(num_heads, axes=axes, kind=kind)
    with torch.no_grad():
        position.log_precision.add_(torch.randn_like(position.log_precision) / 2)
    return position


def kernel(centres: list[list[float]], precision: float = 8.0) -> Quadratic:
    return Quadratic(torch.tensor(centres), torch.full((len(centres),), precision))


def svg(figure: Figure) -> ElementTree.Element:
    file = io.StringIO()
    figure.savefig(file, format="svg")
    return ElementTree.fromstring(file.getvalue())


def svg_words(root: ElementTree.Element) -> list[str]:
    return ["".join(text.itertext()) for text in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("kind", ["isotropic", "diagonal", "full"])
def test_the_outline_of_a_drawn_ellipse_has_its_mass_inside(kind: str):
    """Points of the outline, x as column and y as row, lie on xᵀMx = −ln(1−m): centre, size and turn in one."""
    position = random_heads(5, kind)
    centre, precision = position.centre.detach().double(), position.precision.detach().double()
    (panel,) = draw_heads(position, masses=(0.9, 0.5)).axes
    patches = [patch for patch in panel.patches if isinstance(patch, Ellipse)]
    assert len(patches) == 10
    for head, number in itertools.product(range(5), range(2)):
        patch = patches[2 * head + number]
        outline = torch.tensor(patch.get_patch_transform().transform([(math.cos(t), math.sin(t)) for t in range(9)]))
        away = outline[:, [1, 0]] - centre[head]
        matrix = precision[head] if kind == "full" else precision[head] * torch.eye(2)
        square = ((away @ matrix.double()) * away).sum(1)
        torch.testing.assert_close(square, torch.full_like(square, -math.log1p(-(0.5, 0.9)[number])), rtol=1e-5, atol=0)
        assert (patch.get_facecolor()[3] > 0) == (number == 0)  # the smaller is filled


def test_a_panel_for_each_layer_with_every_head_numbered():
    layers = [PositionHeads(4, random_heads(3)), random_heads(12), random_heads(4).term()]
    figure = draw_heads(layers, names=["low", "middle", "high"])
    assert [panel.get_title() for panel in figure.axes] == ["low", "middle", "high"]
    for panel, number in zip(figure.axes, (3, 12, 4), strict=True):
        assert [text.get_text() for text in panel.texts] == [str(head) for head in range(number)]
        query = [patch for patch in panel.patches if isinstance(patch, Rectangle)]
        assert [(patch.get_xy(), patch.get_width(), patch.get_height()) for patch in query] == [((-0.5, -0.5), 1, 1)]
        low, high = panel.get_ylim()
        assert low > high  # rows run downwards
        assert panel.get_xlim() == figure.axes[0].get_xlim()
    assert [text.get_text() for text in figure.legends[0].texts] == ["50 % of the weight", "90 %", "query"]


def test_numbers_of_heads_at_one_place_do_not_overlap():
    (panel,) = draw_heads(kernel([[1.0, 1.0]] * 6, 0.5)).axes
    places = [text.get_position() for text in panel.texts]
    apart = min(math.dist(a, b) for a, b in itertools.combinations(places, 2))
    width = panel.get_xlim()[1] - panel.get_xlim()[0]
    assert apart > 0.9 * figures.BADGE / 3 * width
    assert max(math.dist(place, (1, 1)) for place in places) < 0.2 * width


@pytest.mark.parametrize("far", [20.0, 1e6, 3e38])
def test_a_head_beyond_the_panel_is_an_arrow_at_its_edge(far: float):
    (panel,) = draw_heads(kernel([[0.0, 0.0], [0.0, far], [-far, 0.0]], 0.5)).axes
    assert panel.get_xlim()[1] < 5  # the near head sets the scale
    arrows = [text for text in panel.texts if text.get_text() == ""]
    assert [arrow.xy for arrow in arrows] == [
        pytest.approx((panel.get_xlim()[1], 0)),
        pytest.approx((0, -panel.get_xlim()[1])),
    ]
    (line,) = draw_heads(kernel([[0.0], [far]], 0.5)).axes
    assert len(line.texts) == 1
    draw_heads(kernel([[0.0, far]], 1e-30)).savefig(io.BytesIO())


def test_heads_in_a_line_are_intervals():
    figure = draw_heads([random_heads(3, axes=1), random_heads(5, axes=1)])
    for panel, number in zip(figure.axes, (3, 5), strict=True):
        assert len(panel.lines) == 3 * number  # two intervals and a centre each
    (panel,) = draw_heads(kernel([[2.0]], 0.5), masses=[0.6826894921370859]).axes
    assert panel.lines[0].get_xdata() == pytest.approx([1.0, 3.0])


def test_the_text_of_an_svg_is_text():
    figure = draw_heads([random_heads(3), random_heads(2)])
    found = svg_words(svg(figure))
    assert {"layer 1", "layer 2", "50 % of the weight", "90 %", "query", "0", "1", "2"} <= set(found)
    plain = Figure()
    plain.text(0, 0, "layer 1")
    assert svg_words(svg(plain)) == []  # what matplotlib does by itself


def test_drawing_leaves_no_state_behind():
    before = dict(matplotlib.rcParams)
    svg(draw_heads(GaussianHeads(4, 3)))
    assert dict(matplotlib.rcParams) == before
    program = (
        "import sys\n"
        "import regard.analysis.reach.figures\n"
        "from regard.analysis.convolution.figures import draw_heads\n"
        "from regard.layers import Gaussian\n"
        "assert 'matplotlib' not in sys.modules\n"
        "draw_heads(Gaussian(2))\n"
        "assert 'matplotlib' in sys.modules and 'matplotlib.pyplot' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch):
    for name in ("matplotlib", "matplotlib.figure"):
        monkeypatch.setitem(sys.modules, name, None)  # as if it were not installed
    monkeypatch.setattr("regard.analysis.figures._figure_class", _figure_class.__wrapped__)  # which has kept none
    with pytest.raises(
        MissingExtra, match=r"figures must have matplotlib: got none; use pip install 'regard\[figures\]'"
    ):
        draw_heads(Gaussian(2))


# Machado, Oliveira, Fernandes 2009: how linear red, green and blue look without one kind of cone.
CONES = {
    "all": np.eye(3),
    "no red": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881]]
    ),
    "no blue": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039]]
    ),
}


def closest(colours, cones: np.ndarray) -> float:
    """The least CIELAB distance of two colours as those eyes see them."""
    rgb = np.array([matplotlib.colors.to_rgb(colour) for colour in colours])
    linear = np.where(rgb > 0.04045, ((rgb + 0.055) / 1.055) ** 2.4, rgb / 12.92) @ cones.T
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    f = np.cbrt(linear.clip(0, 1) @ to_xyz.T / to_xyz.sum(1))
    lab = np.stack([116 * f[:, 1] - 16, 500 * (f[:, 0] - f[:, 1]), 200 * (f[:, 1] - f[:, 2])], 1)
    return min(float(np.linalg.norm(a - b)) for a, b in itertools.combinations(lab, 2))


@pytest.mark.parametrize("cones", CONES)
def test_all_eyes_tell_the_heads_apart(cones: str):
    assert closest(figures.PALETTE, CONES[cones]) > 8  # 2 is just noticeable side by side
    assert closest(matplotlib.colormaps["tab10"].colors[:9], CONES["no green"]) < 8  # the usual colours would not do


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: draw_heads([]), "layers must be one or more: got none"),
        (lambda: draw_heads(Gaussian(2), names=["a", "b"]), "names must be one per layer: got 2 for 1 layers"),
        (lambda: draw_heads(Gaussian(2), reach=0), "reach must be at least one pixel: got reach=0"),
    ],
)
def test_bad_input(call, message: str):
    with refused(message):
        call()
