"""Whole networks both ways: the bars of the issue, the error end to end, and what is known of every kind of layer."""

import copy
import math

import pytest
import torch
from torch import Tensor, nn

from regard.analysis import attention_from_network, network_from_attention
from regard.analysis.convolution.networks import _stage, _UnknownError
from regard.attention import Hard
from regard.layers.convolutional import AttentionConv
from tests.refusals import refused

EPS = torch.finfo(torch.float64).eps


def stack() -> nn.Sequential:
    """Five convolutions that differ in everything."""
    return nn.Sequential(
        nn.Conv2d(3, 6, 3, padding=1),
        nn.Conv2d(6, 8, 5, padding=4, dilation=2, padding_mode="replicate"),
        nn.Conv2d(8, 8, (3, 1), stride=(2, 1), padding=(2, 0), groups=4),
        nn.Conv2d(8, 5, 3, stride=2, padding="valid", bias=False),
        nn.Conv2d(5, 4, 3, padding="same", dilation=(1, 2), padding_mode="replicate"),
    ).double()


def network() -> nn.Sequential:
    """A small image classifier."""
    return nn.Sequential(
        nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.MaxPool2d(2)),
        nn.Sequential(nn.Conv2d(8, 12, 3, padding=1, padding_mode="replicate"), nn.BatchNorm2d(12), nn.GELU()),
        nn.Conv2d(12, 12, 3, stride=2, padding=1, groups=3),
        nn.Dropout(0.3),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(12, 5),
    ).double()


def norm_of(x: Tensor) -> float:
    return float(x.norm(dim=1).max())


@torch.no_grad()
def error_of(ours: nn.Module, theirs: nn.Module, x: Tensor) -> float:
    return float((ours(x) - theirs(x)).norm(dim=1).max())


@pytest.mark.parametrize("seed", range(4))
def test_a_stack_of_five_agrees_within_its_certificate_and_comes_back(seed: int):
    torch.manual_seed(seed)
    convolutions, x = stack(), torch.randn(2, 3, 17, 15).double()
    norm = norm_of(x)
    for sharpness in (2.0, 6.0, 20.0, None):
        attention, certificate = attention_from_network(convolutions, sharpness=sharpness, norm=norm)
        assert error_of(attention, convolutions, x) <= certificate.bound()
    assert all(type(layer) is AttentionConv for layer in attention)

    attention, certificate = attention_from_network(convolutions, error=1e-5, norm=norm)
    assert error_of(attention, convolutions, x) <= certificate.bound() <= 1e-5
    assert certificate.bound() > 0.99e-5  # no sharper than the certificate asks for
    assert certificate["0"].heads[0].precision[0] == pytest.approx(certificate.sharpness_for(1e-5), rel=1e-6)

    back, certificate = network_from_attention(attention, norm=norm)
    assert error_of(back, convolutions, x) < 1e-10
    assert error_of(back, attention, x) <= certificate.bound() <= 1.01e-5
    assert [type(layer) for layer in back] == [nn.Conv2d] * 5


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_stack_on_the_device(device: torch.device, dtype: torch.dtype):
    """Both ways where the tensors are; cuDNN's TF32 is outside of every certificate, so it is off."""
    convolutions = stack().to(device, dtype)
    x = torch.randn(2, 3, 17, 15).to(device, dtype)
    with torch.backends.cudnn.flags(allow_tf32=False):
        for options in ({"sharpness": 4.0}, {"sharpness": 12.0}, {"weighting": Hard()}, {"sign": "query − key"}):
            attention, certificate = attention_from_network(convolutions, norm=norm_of(x), **options)
            assert error_of(attention, convolutions, x) <= certificate.bound()
            back, _ = network_from_attention(attention)
            assert error_of(back, convolutions, x) < (1e-4 if dtype == torch.float32 else 1e-10)
            assert next(back.parameters()).device.type == device.type


def test_a_stack_of_hard_heads_is_the_network():
    convolutions, x = stack(), torch.randn(2, 3, 17, 15).double()
    attention, certificate = attention_from_network(convolutions, weighting=Hard(), norm=norm_of(x))
    assert error_of(attention, convolutions, x) < 1e-12
    assert error_of(attention, convolutions, x) <= certificate.bound() < 1e-8


def trained() -> tuple[nn.Sequential, Tensor]:
    """A few steps on noise, enough that batch statistics and weights are nobody's defaults."""
    model, x, labels = network(), torch.randn(16, 3, 12, 12).double(), torch.randint(0, 5, (16,))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(10):
        optimizer.zero_grad()
        nn.functional.cross_entropy(model(x), labels).backward()
        optimizer.step()
    return model.eval(), x


def test_a_trained_network_both_ways():
    model, x = trained()
    before = copy.deepcopy(model.state_dict())
    attention, certificate = attention_from_network(model, error=1e-4, norm=norm_of(x), example=x[:1])
    assert list(certificate) == ["0.0", "1.0", "2"]
    assert error_of(attention, model, x) <= certificate.bound() <= 1e-4
    assert all(torch.equal(tensor, before[name]) for name, tensor in model.state_dict().items())
    assert type(model[2]) is nn.Conv2d

    back, certificate = network_from_attention(attention, norm=norm_of(x), example=x[:1])
    assert error_of(back, model, x) < 1e-10
    assert error_of(back, attention, x) <= certificate.bound() <= 1.01e-4
    assert not [module for module in back.modules() if isinstance(module, AttentionConv)]


def test_the_converted_network_learns_on():
    model, x = trained()
    attention, _ = attention_from_network(model, sharpness=3.0)
    attention.train()
    before = nn.functional.cross_entropy(attention(x), torch.zeros(16).long())
    optimizer = torch.optim.Adam(attention.parameters(), lr=0.01)
    for _ in range(5):
        optimizer.zero_grad()
        nn.functional.cross_entropy(attention(x), torch.zeros(16).long()).backward()
        optimizer.step()
    assert nn.functional.cross_entropy(attention(x), torch.zeros(16).long()) < before
    moved = [module.position.centre.grad for module in attention.modules() if isinstance(module, AttentionConv)]
    assert all(gradient.abs().max() > 0 for gradient in moved)


class Residual(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 3, 3, padding=1)
        self.again = self.conv  # one module in two places

    def forward(self, x: Tensor) -> Tensor:
        return self.again(self.conv(x).relu()) + x


def test_any_module_is_converted_and_what_was_shared_stays_shared():
    model, x = Residual().double(), torch.randn(1, 3, 6, 6).double()
    attention, certificate = attention_from_network(model, norm=1.0)
    assert attention.conv is attention.again
    assert type(attention.conv) is AttentionConv
    assert error_of(attention, model, x) < 1e-12
    assert list(certificate) == ["conv", "again"]
    assert certificate.bound() is None
    assert certificate.reason == "Residual '' has no bound of ours"
    with refused(
        "an error end to end needs a chain of known layers: Residual '' has no bound of ours; give a sharpness"
    ):
        attention_from_network(model, error=1e-3, norm=1.0)
    twice = nn.Sequential(model, model)
    assert error_of(attention_from_network(twice)[0], twice, x) < 1e-12


def test_a_lone_convolution_is_a_network():
    conv, x = nn.Conv1d(2, 3, 3).double(), torch.randn(1, 2, 7).double()
    attention, certificate = attention_from_network(conv, norm=norm_of(x))
    assert type(attention) is AttentionConv
    assert error_of(attention, conv, x) <= certificate.bound()


# Every kind of layer with a bound of ours, and the shape it takes.
LAYERS = {
    "relu": (nn.ReLU(), (4, 6, 6)),
    "relu6": (nn.ReLU6(), (4, 6, 6)),
    "leaky": (nn.LeakyReLU(2.5), (4, 6, 6)),
    "gelu": (nn.GELU(), (4, 6, 6)),
    "gelu by tanh": (nn.GELU(approximate="tanh"), (4, 6, 6)),
    "silu": (nn.SiLU(), (4, 6, 6)),
    "tanh": (nn.Tanh(), (4, 6, 6)),
    "norm": (nn.BatchNorm2d(4), (4, 6, 6)),
    "norm in a line": (nn.BatchNorm1d(4, affine=False), (4, 9)),
    "mean": (nn.AvgPool2d(3, stride=2, padding=1), (4, 6, 6)),
    "sum": (nn.AvgPool2d((1, 2), divisor_override=1), (4, 6, 6)),
    "mean in a line": (nn.AvgPool1d(3), (4, 9)),
    "maximum": (nn.MaxPool2d(2), (16, 6, 6)),
    "maximum in a line": (nn.MaxPool1d(3), (16, 9)),
    "adaptive mean": (nn.AdaptiveAvgPool2d((2, 3)), (4, 6, 6)),
    "adaptive maximum": (nn.AdaptiveMaxPool2d(1), (16, 6, 6)),
    "flatten": (nn.Flatten(), (4, 6, 6)),
    "pad": (nn.ReplicationPad2d(2), (4, 6, 6)),
    "linear": (nn.Linear(12, 7), (12,)),
}


def stretched(module: nn.Module, shape: tuple[int, ...], size: float) -> tuple[float, float]:
    """The most that random inputs and small moves of them are stretched."""
    norms = moves = 0.0
    for seed in range(60):
        torch.manual_seed(seed)
        x = size * torch.randn(4, *shape).double()
        step = 10.0 ** -(seed % 5) * torch.randn(4, *shape).double()
        with torch.no_grad():
            y, moved = module(x), module(x + step)
        norms = max(norms, norm_of(y) / norm_of(x))
        moves = max(moves, norm_of(moved - y) / norm_of(step))
    return norms, moves


@pytest.mark.parametrize("name", LAYERS)
def test_no_layer_stretches_more_than_it_is_said_to(name: str):
    module, shape = LAYERS[name]
    module = copy.deepcopy(module).double().eval()
    if isinstance(module, nn.BatchNorm2d | nn.BatchNorm1d):
        module.running_mean.normal_()
        module.running_var.uniform_(0.1, 2)
    stage = _stage(name, module, torch.zeros(1, *shape).double(), flat=len(shape) == 1, eps=EPS)
    for size in (0.3, 3.0, 1e4):
        norms, moves = stretched(module, shape, size)
        assert moves <= stage.lipschitz * (1 + 1e-6)  # a move of 1e-4 at 1e4 loses eight digits
        assert norms <= (stage.growth + stage.offset / size) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("module", "shape"),
    [(nn.MaxPool2d(2), (4, 2, 2)), (nn.MaxPool1d(3), (5, 3)), (nn.AdaptiveMaxPool2d(1), (9, 3, 3))],
)
def test_a_maximum_stretches_pixels_as_much_as_it_is_said_to(module: nn.Module, shape: tuple[int, ...]):
    """The negative control: a slope of 1, right channel by channel, is refuted where each pixel has its own channel."""
    pixels = torch.eye(shape[0]).double()[:, : math.prod(shape[1:])]
    x = pixels.unflatten(1, shape[1:])[None]
    stage = _stage("maximum", module, x, flat=False, eps=EPS)
    assert norm_of(x) == 1
    assert norm_of(module(x) - module(0 * x)) == pytest.approx(stage.lipschitz)
    assert stage.lipschitz > 1.5


@pytest.mark.parametrize(
    ("layers", "reason"),
    [
        ([nn.BatchNorm2d(2)], "BatchNorm2d '1' in training has no bound of ours"),
        ([nn.Dropout()], "Dropout '1' in training has no bound of ours"),
        ([nn.Softmax(1)], "Softmax '1' has no bound of ours"),
        ([nn.Linear(4, 4)], "Linear '1' has no bound of ours"),  # of the last axis of an image, which is no channel
        ([nn.ReLU(), nn.Flatten()], "Flatten '2' depends on the image's size: give an example"),
        (
            [nn.Sequential(nn.AdaptiveAvgPool2d(1))],
            "AdaptiveAvgPool2d '1.0' depends on the image's size: give an example",
        ),
        ([nn.BatchNorm2d(2, track_running_stats=False).eval()], "without running statistics depends on the batch"),
    ],
)
def test_layers_without_a_bound_are_named(layers: list[nn.Module], reason: str):
    _, certificate = attention_from_network(nn.Sequential(nn.Conv2d(2, 2, 3), *layers), norm=1.0)
    assert certificate.bound() is None
    assert reason in certificate.reason


def test_an_example_gives_sizes_though_the_network_is_in_training():
    model = nn.Sequential(nn.Conv2d(2, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(3 * 16, 2)).double()
    x = torch.randn(3, 2, 6, 6).double()
    attention, certificate = attention_from_network(model, sharpness=5.0, norm=norm_of(x), example=x)
    assert error_of(attention, model, x) <= certificate.bound()
    assert certificate.stages[2].lipschitz == 4.0


def test_a_stage_of_which_nothing_is_known_raises_inside():
    with pytest.raises(_UnknownError, match="Sigmoid 'last' has no bound"):
        _stage("last", nn.Sigmoid(), None, flat=False, eps=EPS)


def test_networks_that_cannot_be_converted():
    with refused("network must have a layer to convert: got ReLU without any"):
        attention_from_network(nn.ReLU())
    with refused("network must have a layer to convert: got Sequential without any"):
        network_from_attention(nn.Sequential(nn.Conv2d(1, 1, 3)))
    with refused("layer '1': padding_mode must be 'zeros' (visible pads) or 'replicate' (no pads): got 'circular'"):
        attention_from_network(nn.Sequential(nn.ReLU(), nn.Conv2d(1, 1, 3, padding=1, padding_mode="circular")))
    with refused("give a sharpness, or an error with its norm: got sharpness=None, error=0.1, norm=None"):
        attention_from_network(nn.Conv2d(1, 1, 3), error=0.1)
