"""Masks by their picture: each predicate drawn, composed, and asked what it knows from sizes alone."""

import pytest
import torch

from regard.attention import (
    Attention,
    Causal,
    Dense,
    Everything,
    KeyPadding,
    Mask,
    Padding,
    Sequence,
    Strided,
    Window,
)


def drawn(mask: Mask, T: int = 5, S: int = 5, **positions) -> str:
    """The first row and head of the batch, `#` where a query may attend, a line per query."""
    places = Attention(mask=mask, **positions).places(T, S)
    index = (torch.zeros(1, dtype=torch.long), torch.zeros(1, dtype=torch.long), torch.arange(T), torch.arange(S))
    allowed = mask.slab(*index, places).expand(1, 1, T, S)[0, 0]
    return " ".join("".join("#" if seen else "." for seen in row) for row in allowed.tolist())


PICTURES = {
    "everything": (Everything(), "##### ##### ##### ##### #####"),
    "causal": (Causal(), "#.... ##... ###.. ####. #####"),
    "window of one before": (Window(1), "#.... ##... .##.. ..##. ...##"),
    "window both ways": (Window(1, 2), "###.. ####. .#### ..### ...##"),
    "window of oneself": (Window(0), "#.... .#... ..#.. ...#. ....#"),
    "strided": (Strided(2), "#.#.# .#.#. #.#.# .#.#. #.#.#"),
    "every place": (Strided(1), "##### ##### ##### ##### #####"),
    "key padding": (KeyPadding([2]), "##... ##... ##... ##... ##..."),
    "padding": (Padding([2]), "##... ##... ..... ..... ....."),
    "no token": (Padding([0]), "..... ..... ..... ..... ....."),
    "map": (Padding(torch.tensor([[True, False, True, False, False]])), "#.#.. ..... #.#.. ..... ....."),
    "opposite map": (
        KeyPadding.from_padding_mask(torch.tensor([[True, False, False, False, True]])),
        ".###. .###. .###. .###. .###.",
    ),
    "dense": (Dense(torch.eye(5).bool()), "#.... .#... ..#.. ...#. ....#"),
    "dense with sizes of one": (Dense(torch.eye(5).bool()[None, None]), "#.... .#... ..#.. ...#. ....#"),
    "and": (Causal() & Window(1, 1), "#.... ##... .##.. ..##. ...##"),
    "or": (Window(0) | KeyPadding([1]), "#.... ##... #.#.. #..#. #...#"),
    "not": (~Causal(), ".#### ..### ...## ....# ....."),
    "not twice": (~~Causal(), "#.... ##... ###.. ####. #####"),
    "local and strided": (Causal() & (Window(1) | Strided(3)), "#.... ##... .##.. #.##. .#.##"),
    "neither": (~(Causal() | Strided(2)), ".#.#. ..#.# ...#. ....# ....."),
}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures(name: str):
    mask, picture = PICTURES[name]
    assert drawn(mask) == picture


def test_causal_aligns_the_last_query_with_the_last_key():
    assert drawn(Causal(), T=2, S=5) == "####. #####"
    assert drawn(Causal(), T=5, S=2) == ".. .. .. #. ##"
    assert drawn(Causal(), T=1, S=5) == "#####"


def test_positions_move_a_window():
    assert drawn(Window(1), T=2, S=5, queries=Sequence(2, start=1)) == "##... .##.."
    assert drawn(Window(2, 1), T=2, S=5, queries=Sequence(2, start=4), keys=Sequence(5, step=2)) == ".##.. ..##."
    assert drawn(Causal(), T=2, S=3, queries=Sequence(2, start=torch.tensor([1]))) == "##. ###"


def test_a_list_is_a_size_and_a_tensor_is_data():
    assert KeyPadding([2, 3]).lengths == KeyPadding((2, 3)).lengths == (2, 3)
    assert KeyPadding(torch.tensor([2, 3])).lengths is None


FULL = [
    (Causal(), {}, 1, 5, True),
    (Causal(), {}, 2, 5, False),
    (Causal(), {"queries": Sequence(2, start=4)}, 2, 5, True),
    (Causal(), {"queries": Sequence(2, start=torch.tensor([9]))}, 2, 5, False),
    (Window(4, 4), {}, 5, 5, True),
    (Window(4, 3), {}, 5, 5, False),
    (Strided(1), {}, 5, 5, True),
    (Window(4, 4) & Everything(), {}, 5, 5, True),
    (Window(4, 4) & Causal(), {}, 5, 5, False),
    (Window(4, 4) | Causal(), {}, 5, 5, True),
    (~Causal(), {}, 5, 5, False),
]


@pytest.mark.parametrize(("mask", "positions", "T", "S", "full"), FULL, ids=str)
def test_a_mask_knows_from_sizes_whether_it_hides_anything(mask: Mask, positions: dict, T: int, S: int, full: bool):
    assert mask.is_full(Attention(mask=mask, **positions).places(T, S)) == full
    assert not full or "." not in drawn(mask, T, S, **positions)


def test_conjuncts_are_the_parts_of_an_intersection():
    either = Causal() | Strided(2)
    mask = Causal() & (Everything() & Window(1)) & either
    assert [repr(part) for part in mask.conjuncts] == [
        "Causal()",
        "Window(before=1, after=0)",
        "(Causal() | Strided(stride=2))",
    ]
