"""Values print as they are written, move between devices, and survive being taken apart."""

import copy
import dataclasses
import pickle

import pytest
import torch

from regard.attention import (
    Attention,
    Bias,
    Causal,
    Content,
    Dense,
    Everything,
    Grid,
    Hard,
    KeyPadding,
    Padding,
    Places,
    Sequence,
    Slopes,
    Softmax,
    Strided,
    Sum,
    Window,
)
from regard.attention.value import Value, unflatten

LENGTHS, FLAGS = torch.tensor([2, 3]), torch.ones(2, 4, dtype=torch.bool)
BIAS = Bias(torch.zeros(4, 3, 3))

PRINTED = {
    "Attention(scores=Content(beta=None), mask=Everything(), weighting=Softmax())": Attention(),
    "Attention(scores=Content(beta=0.5), mask=Causal(), weighting=Hard())": Attention(Content(0.5), Causal(), Hard()),
    "Content(beta=None) + Bias(float32[4, 3, 3])": Content() + BIAS,
    "Content(beta=None) + Bias(float32[4, 3, 3]) + Slopes(float32[4])": Content() + (BIAS + Slopes.geometric(4)),
    "Causal() & Window(before=3, after=1)": Causal() & Window(3, 1),
    "(Causal() | Strided(stride=2)) & Window(before=3, after=0)": (Causal() | Strided(2)) & Window(3),
    "(Causal() & Window(before=1, after=0) | Strided(stride=2))": Causal() & Window(1) | Strided(2),
    "~Causal()": ~Causal(),
    "~(Causal() & Strided(stride=2))": ~(Causal() & Strided(2)),
    "~(Causal() | Strided(stride=2))": ~(Causal() | Strided(2)),
    "~~Causal()": ~~Causal(),
    "KeyPadding((2, 3))": KeyPadding([2, 3]),
    "KeyPadding(int64[2])": KeyPadding(LENGTHS),
    "Padding(bool[2, 4])": Padding(FLAGS),
    "Dense(bool[2, 4])": Dense(FLAGS),
    "Sequence(n=4, start=1, step=2)": Sequence(4, 1, 2),
    "Sequence(n=4, start=int64[2], step=1)": Sequence(4, start=LENGTHS),
    "Grid(h=2, w=3, start=(0, 0), step=(1, 1))": Grid(2, 3),
}


@pytest.mark.parametrize("text", PRINTED)
def test_repr(text: str):
    assert repr(PRINTED[text]) == text


def test_positions_print_only_when_given():
    value = Attention(queries=Sequence(2, start=3))
    assert repr(value).endswith("weighting=Softmax(), queries=Sequence(n=2, start=3, step=1))")


@pytest.mark.parametrize(
    "text", [text for text, value in PRINTED.items() if "[" not in text and not isinstance(value, Attention)]
)
def test_what_holds_no_tensor_prints_as_python_that_makes_it(text: str):
    names = {kind.__name__: kind for kind in (Causal, Window, Strided, KeyPadding, Sequence, Grid, Content)}
    assert repr(eval(text, names)) == text


ALL = [*PRINTED.values(), Attention(Content() + BIAS, Causal() & ~KeyPadding(LENGTHS), Softmax(), Sequence(3, LENGTHS))]


@pytest.mark.parametrize("value", ALL, ids=repr)
def test_a_value_survives_being_taken_apart(value: Value):
    structure, tensors = value.flatten()
    again = unflatten(tensors, structure)
    assert repr(again) == repr(value)
    assert again.flatten()[0] == structure
    assert all(mine is other for mine, other in zip(again.flatten()[1], tensors, strict=True))


def test_two_classes_of_one_name_are_kept_apart():
    """A notebook may define a class twice, or call its own mask `Causal`."""

    def define(number: int) -> type:
        @dataclasses.dataclass(frozen=True, eq=False)
        class Twice(Value):
            field: int = number

        return Twice

    first, second = define(1), define(2)
    for kind in (first, second):
        structure, tensors = kind().flatten()
        assert type(unflatten(tensors, structure)) is kind


def test_an_unhashable_number_in_the_structure_is_kept():
    structure, _ = Attention(Content(0.1 + 0.2)).flatten()
    assert unflatten([], structure).content.beta == 0.1 + 0.2


@pytest.mark.parametrize("value", ALL, ids=repr)
def test_on_moves_every_tensor(value: Value):
    meta = value.on(torch.device("meta"))
    assert all(tensor.is_meta for tensor in meta.flatten()[1])
    assert len(meta.flatten()[1]) >= len(value.flatten()[1])


def test_on_is_the_value_itself_when_nothing_moves():
    value = Attention(Content() + BIAS, Causal() & Dense(FLAGS), queries=Sequence(2, LENGTHS))
    assert value.on(torch.device("cpu")) is value


def test_on_keeps_the_gradient():
    bias = torch.zeros(3, 3, requires_grad=True)
    (moved,) = Attention(Content() + Bias(bias)).on(torch.device("cpu")).flatten()[1]
    assert moved is bias


@pytest.mark.parametrize("value", ALL, ids=repr)
def test_values_are_frozen_copied_and_pickled(value: Value):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(value, type(value).__match_args__[0] if type(value).__match_args__ else "field", None)
    assert repr(copy.deepcopy(value)) == repr(pickle.loads(pickle.dumps(value))) == repr(value)


def test_replace_changes_one_field():
    value = dataclasses.replace(Attention(Content(2.0)), mask=Causal())
    assert repr(value) == "Attention(scores=Content(beta=2.0), mask=Causal(), weighting=Softmax())"


def test_sums_are_flat_and_know_their_content():
    total = (BIAS + Content(2.0)) + (Slopes.geometric(4) + BIAS)
    assert isinstance(total, Sum)
    assert [type(term).__name__ for term in total.terms] == ["Bias", "Content", "Slopes", "Bias"]
    value = Attention(total)
    assert value.content is total.parts[1]
    assert [type(term).__name__ for term in value.biases] == ["Bias", "Slopes", "Bias"]
    assert Attention(BIAS).content is None


def test_beta_is_one_over_the_root_of_the_width_unless_given():
    assert Content().scale(16) == 0.25
    assert Content(beta=3.0).scale(16) == 3.0


def test_slopes_are_those_of_the_paper():
    """For 8 heads: 1/2, 1/4, …, 1/256; for 4: every second of them."""
    assert Slopes.geometric(8).slopes.tolist() == [2.0**-n for n in range(1, 9)]
    assert Slopes.geometric(4).slopes.tolist() == [2.0**-n for n in (2, 4, 6, 8)]


def test_positions():
    assert [Sequence(3, start=5, step=2).at(0, i) for i in range(3)] == [5, 7, 9]
    rows = Sequence(3, start=torch.tensor([1, 10]))
    assert rows.at(torch.tensor([[0], [1]]), torch.arange(3)).tolist() == [[1, 2, 3], [10, 11, 12]]
    assert [Grid(2, 3, start=(1, 0), step=(2, 5)).at(0, i) for i in (0, 2, 3)] == [(1, 0), (1, 10), (3, 0)]
    assert (Sequence(7).count, Grid(2, 3).count) == (7, 6)


@pytest.mark.parametrize(
    ("value", "T", "S", "offset"),
    [
        (Attention(), 4, 4, 0),
        (Attention(), 2, 7, -5),
        (Attention(), 7, 2, 5),
        (Attention(queries=Sequence(2)), 2, 7, 0),
        (Attention(keys=Sequence(7, start=3)), 2, 7, -5),
        (Attention(keys=Sequence(7, step=2)), 2, 7, -10),
        (Attention(queries=Sequence(2, start=9), keys=Sequence(7, start=4)), 2, 7, -5),
    ],
    ids=str,
)
def test_without_positions_the_last_query_stands_at_the_last_key(value: Attention, T: int, S: int, offset: int):
    """The offset is δ = key − query of the first pair."""
    assert value.places(T, S).offset(0, 0, 0, value) == offset


def test_a_grid_stands_for_both_sides():
    for value in (Attention(queries=Grid(2, 3)), Attention(keys=Grid(2, 3))):
        places = value.places(6, 6)
        assert isinstance(places, Places)
        assert places.queries is places.keys


def test_everything_hides_nothing():
    assert Everything().facts(Attention().places(3, 4)).full
    assert Attention(mask=Everything() & Everything()).mask.conjuncts == ()
