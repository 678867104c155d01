"""Bad input raises before any arithmetic, saying what is required, what came, and what to do."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

from regard import attend, plan, weights
from regard.attention import (
    And,
    Attention,
    Bias,
    Causal,
    Content,
    Dense,
    Documents,
    Elu,
    Grid,
    Hard,
    Kernel,
    KeyPadding,
    Mask,
    Not,
    OffsetMask,
    Own,
    Padding,
    Places,
    Prefix,
    RandomFeatures,
    RelativeTable,
    Relu,
    Sequence,
    Slopes,
    Strided,
    Sum,
    Term,
    Window,
)
from regard.attention.masks.mask import Pair

ARITHMETIC = ("mm", "matmul", "softmax", "exp", "attention", "slabs", "mul", "sum")


class NoArithmetic(TorchDispatchMode):
    """Fails the test as soon as an operator computes something of the attention."""

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple = (), kwargs: dict | None = None) -> Any:
        name = func._schema.name.split("::")[1]
        assert not any(part in name.split("_") for part in ARITHMETIC), f"{name} ran before the input was refused"
        return func(*args, **(kwargs or {}))


def tensors(q: tuple = (2, 4, 6, 8), k: tuple = (2, 2, 6, 8), v: tuple = (2, 2, 6, 5), **options) -> tuple:
    return tuple(torch.zeros(*size, **options) for size in (q, k, v))


def attended(attention: Attention | Callable[[], Attention] = Attention, inputs: tuple | None = None, **options):
    """A call of `attend` that is bad in what is given here, and good in the rest."""
    return lambda: attend(
        *(inputs or tensors()), attention if isinstance(attention, Attention) else attention(), **options
    )


def masked(make: Callable[[], Any], **options) -> Callable[[], Any]:
    return attended(lambda: Attention(mask=make()), **options)


def scored(make: Callable[[], Any], weighting: Any = None, **options) -> Callable[[], Any]:
    return attended(lambda: Attention(scores=make(), weighting=weighting), **options)


def placed(make: Callable[[], dict[str, Any]], mask: Any = None) -> Callable[[], Any]:
    return attended(lambda: Attention(mask=mask, **make()))


def flags(*sizes: int) -> Tensor:
    return torch.ones(*sizes, dtype=torch.bool)


@dataclass(frozen=True, eq=False)
class Silent(Mask):
    """Answers with this, whatever it is asked."""

    answer: Any

    def allows(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return self.answer


@dataclass(frozen=True, eq=False)
class Mute(Term):
    """Answers with this, whatever it is asked."""

    answer: Any

    def at(self, b: Any, h: Any, i: Any, j: Any, places: Places) -> Any:
        return self.answer


Q, K, V = tensors()
SLOPES = Slopes.geometric(4)
RANDOM = Kernel(RandomFeatures.draw(4, 8))

# name: the call, and what the message must hold: the requirement and the offending value.
BAD: dict[str, tuple[Callable[[], Any], tuple[str, ...]]] = {
    "q without heads": (attended(inputs=(Q[0], K, V)), ("q must be (B, H, T, D)", "(4, 6, 8)")),
    "k of five dimensions": (attended(inputs=(Q, K[None], V)), ("k must be (B, G, S, D)", "(1, 2, 2, 6, 8)")),
    "v of one dimension": (attended(inputs=(Q, K, V[0, 0, 0])), ("v must be (B, G, S, E)", "(5,)")),
    "whole numbers": (attended(inputs=(Q.long(), K, V)), ("q must be floating point", "torch.int64")),
    "boolean values": (attended(inputs=(Q, K, V.bool())), ("v must be floating point", "torch.bool")),
    "a mask alone": (attended(Causal), ("must be an Attention", "Attention(mask=Causal())")),
    "scores alone": (attended(Content), ("must be an Attention", "Attention(scores=Content(beta=None))")),
    "widths differ": (attended(inputs=tensors(k=(2, 2, 6, 7))), ("one width", "8", "7")),
    "lengths of k and v differ": (attended(inputs=tensors(v=(2, 2, 7, 5))), ("one length", "6", "7")),
    "heads of k and v differ": (attended(inputs=tensors(v=(2, 4, 6, 5))), ("number of heads", "2", "4")),
    "batches differ": (attended(inputs=tensors(k=(3, 2, 6, 8))), ("one batch size", "2", "3")),
    "batch of v differs": (attended(inputs=tensors(v=(1, 2, 6, 5))), ("one batch size", "1")),
    "heads do not divide": (
        attended(inputs=tensors(k=(2, 3, 6, 8), v=(2, 3, 6, 5))),
        ("must divide", "H=4", "G=3"),
    ),
    "no queries": (attended(inputs=tensors(q=(2, 4, 0, 8))), ("at least one", "(2, 4, 0, 8)")),
    "no keys": (attended(inputs=tensors(k=(2, 2, 0, 8), v=(2, 2, 0, 5))), ("at least one", "(2, 2, 0, 8)")),
    "no rows": (attended(inputs=tensors((0, 4, 6, 8), (0, 2, 6, 8), (0, 2, 6, 5))), ("at least one", "(0, 4, 6, 8)")),
    "no key heads": (attended(inputs=tensors(k=(2, 0, 6, 8), v=(2, 0, 6, 5))), ("at least one", "(2, 0, 6, 8)")),
    "types differ": (attended(inputs=(Q, K.double(), V)), ("one type", "torch.float32", "torch.float64")),
    "devices differ": (attended(inputs=(Q, K, V.to("meta"))), ("one device", "cpu", "meta")),
    "dropout of 1": (attended(dropout=1.0), ("dropout", "1.0")),
    "negative dropout": (attended(dropout=-0.1), ("dropout", "-0.1")),
    "dropout of nan": (attended(dropout=float("nan")), ("dropout", "nan")),
    "log-sum-exp of hard": (attended(Attention(weighting=Hard()), return_lse=True), ("log-sum-exp", "return_lse=True")),
    "log-sum-exp of a kernel": (
        attended(Attention(weighting=Kernel(Elu())), return_lse=True),
        ("Kernel(Elu()) has no log-sum-exp", "return_lse=True"),
    ),
    "a kernel with beta": (
        attended(Attention(Content(0.5), weighting=Kernel(Elu()))),
        ("Kernel(Elu()) has no β", "Content(beta=0.5)"),
    ),
    "a kernel with a negative beta": (
        attended(Attention(Content(-0.5), weighting=Kernel(Relu()))),
        ("has no β", "Content(beta=-0.5)"),
    ),
    "random features with beta of zero": (
        attended(Attention(Content(0.0), weighting=RANDOM)),
        ("β must be positive", "Content(beta=0.0)"),
    ),
    "random features with a negative beta": (
        attended(Attention(Content(-1.0), weighting=RANDOM)),
        ("β must be positive", "Content(beta=-1.0)"),
    ),
    "random features of another width": (
        attended(inputs=tensors(q=(2, 4, 6, 7), k=(2, 2, 6, 7)), attention=Attention(weighting=RANDOM)),
        ("width 8", "D=7"),
    ),
    "double random features": (
        attended(lambda: Attention(weighting=Kernel(RandomFeatures(torch.zeros(4, 8, dtype=torch.float64))))),
        ("at most torch.float32", "torch.float64"),
    ),
    "a kernel with slopes": (
        attended(Attention(Content() + SLOPES, weighting=Kernel(Elu()))),
        ("no logits to add to", "Slopes(float32[4])"),
    ),
    "a kernel without content": (
        scored(lambda: SLOPES, weighting=Kernel(Elu())),
        ("no logits to add to", "Slopes(float32[4])"),
    ),
    "infinite beta": (lambda: Content(beta=float("inf")), ("beta must be finite", "inf", "Hard()")),
    "beta of nan": (lambda: Content(beta=float("nan")), ("beta must be finite", "nan")),
    "content twice": (scored(lambda: Content() + Content(0.5)), ("Content once", "Content(beta=0.5)")),
    "boolean bias": (lambda: Bias(flags(6, 6)), ("floating point", "torch.bool", "Dense")),
    "integer bias": (lambda: Bias(torch.ones(6, 6, dtype=torch.long)), ("floating point", "torch.int64")),
    "bias of other sizes": (scored(lambda: Bias(torch.zeros(6, 7))), ("(T, S)", "T=6", "(6, 7)")),
    "bias of other heads": (scored(lambda: Bias(torch.zeros(3, 6, 6))), ("H=4", "(3, 6, 6)")),
    "bias of one dimension": (scored(lambda: Bias(torch.zeros(6))), ("(T, S)", "(6,)")),
    "bias of key heads": (scored(lambda: Bias(torch.zeros(2, 6, 6))), ("H=4", "(2, 6, 6)")),
    "double bias": (
        scored(lambda: Content() + Bias(torch.zeros(6, 6, dtype=torch.float64))),
        ("at most torch.float32", "torch.float64"),
    ),
    "slopes of other heads": (scored(lambda: Slopes(torch.ones(2))), ("one slope per head", "(2,)", "H=4")),
    "slopes per row": (scored(lambda: Slopes(torch.ones(2, 4))), ("one slope per head", "(2, 4)")),
    "integer slopes": (lambda: Slopes(torch.ones(4, dtype=torch.long)), ("floating point", "torch.int64")),
    "slopes on a grid": (
        attended(lambda: Attention(scores=Content() + SLOPES, queries=Grid(2, 3))),
        ("in a line", "Grid(h=2, w=3", "Sequence"),
    ),
    "float mask": (lambda: Dense(torch.ones(6, 6)), ("Dense must be boolean", "torch.float32", ".bool()")),
    "whole mask": (lambda: Dense(torch.ones(6, 6, dtype=torch.uint8)), ("Dense must be boolean", "torch.uint8")),
    "a padding map for a dense one": (masked(lambda: Dense(flags(2, 6))), ("(T, S)", "(2, 6)", "KeyPadding")),
    "dense of other heads": (masked(lambda: Dense(flags(5, 6, 6))), ("H=4", "(5, 6, 6)")),
    "dense of five dimensions": (masked(lambda: Dense(flags(1, 2, 4, 6, 6))), ("(T, S)", "(1, 2, 4, 6, 6)")),
    "dense transposed": (masked(lambda: Dense(flags(6, 5)), inputs=tensors(q=(2, 4, 5, 8))), ("T=5", "(6, 5)")),
    "dense inside a composition": (masked(lambda: Causal() & ~Dense(flags(2, 6))), ("(T, S)", "(2, 6)")),
    "negative window": (lambda: Window(-1), ("before", "-1")),
    "window that reaches back": (lambda: Window(1, -2), ("after", "-2")),
    "stride of zero": (lambda: Strided(0), ("stride", "stride=0")),
    "causal on a grid": (placed(lambda: {"queries": Grid(2, 3)}, Causal()), ("in a line", "Grid(h=2, w=3")),
    "length too large": (masked(lambda: KeyPadding([6, 7])), ("0…S=6", "7", "row 1")),
    "negative length": (masked(lambda: Padding([-1, 6])), ("0…S=6", "-1", "row 0")),
    "length in a tensor too large": (masked(lambda: Padding(torch.tensor([9, 6]))), ("0…S=6", "9", "row 0")),
    "negative length in a tensor": (masked(lambda: KeyPadding(torch.tensor([6, -3]))), ("0…S=6", "-3", "row 1")),
    "length in a composition": (masked(lambda: Causal() & ~KeyPadding([6, 7])), ("0…S=6", "7", "row 1")),
    "too few lengths": (masked(lambda: KeyPadding([6])), ("(B,) = (2,)", "(1,)")),
    "too many lengths": (masked(lambda: Padding(torch.tensor([6, 6, 6]))), ("(B,) = (2,)", "(3,)")),
    "map of other length": (masked(lambda: KeyPadding(flags(2, 7))), ("(B, S) = (2, 6)", "(2, 7)")),
    "lengths as floats": (lambda: KeyPadding(torch.tensor([2.0, 3.0])), ("whole numbers", "torch.float32", ".long()")),
    "a float in a list": (lambda: KeyPadding([2.5, 3]), ("whole numbers", "2.5")),
    "a flag in a list": (lambda: Padding([True, False]), ("whole numbers", "True")),
    "map of floats": (lambda: Padding(torch.ones(2, 6)), ("boolean map", "torch.float32", "(2, 6)")),
    "map of three dimensions": (lambda: KeyPadding(flags(2, 1, 6)), ("(B, S)", "(2, 1, 6)")),
    "one flag per row": (lambda: KeyPadding(flags(2)), ("lengths", "(B,)", "torch.bool", "(2,)")),
    "one length without rows": (lambda: KeyPadding(torch.tensor(3)), ("(B,)", "()")),
    "padding mask of lengths": (lambda: KeyPadding.from_padding_mask(torch.tensor([1, 2])), ("boolean", "torch.int64")),
    "padding mask of floats": (lambda: Padding.from_padding_mask(torch.ones(2, 6)), ("boolean", "torch.float32")),
    "padding of two sequences": (
        masked(lambda: Padding([5, 5]), inputs=tensors(q=(2, 4, 3, 8))),
        ("T = S", "T=3", "S=6", "KeyPadding"),
    ),
    "fewer tokens than none": (lambda: Sequence(-3), ("n must be at least 0", "n=-3", "number of tokens")),
    "step of zero": (lambda: Sequence(3, step=0), ("step", "step=0")),
    "start of floats": (lambda: Sequence(3, start=torch.zeros(2)), ("whole number", "torch.float32")),
    "start per token": (lambda: Sequence(3, start=torch.zeros(2, 3).long()), ("shape (B,)", "(2, 3)")),
    "start of other rows": (placed(lambda: {"queries": Sequence(6, start=torch.arange(3))}), ("per row", "3", "B=2")),
    "key start of other rows": (placed(lambda: {"keys": Sequence(6, start=torch.arange(1))}), ("keys", "1", "B=2")),
    "queries at other places": (placed(lambda: {"queries": Sequence(5)}), ("queries", "n=5", "6")),
    "keys at other places": (placed(lambda: {"keys": Sequence(7, start=2)}), ("keys", "n=7", "6")),
    "grid of other size": (placed(lambda: {"queries": Grid(2, 2)}), ("queries", "h=2, w=2", "6")),
    "grid without rows": (lambda: Grid(0, 3), ("positive", "h=0")),
    "grid without steps": (lambda: Grid(2, 3, step=(1, 0)), ("positive", "step=(1, 0)")),
    "forced and refused": (attended(Attention(weighting=Hard()), algorithm="fused"), ("'fused' refuses", "Hard()")),
    "weights of bad sizes": (lambda: weights(Q, K[..., :7]), ("one width", "8", "7")),
    "weights of a bad mask": (lambda: weights(Q, K, Attention(mask=KeyPadding([6, 7]))), ("0…S=6", "7", "row 1")),
    "weights of a double bias": (
        lambda: weights(Q, K, Attention(Content() + Bias(torch.zeros(6, 6, dtype=torch.float64)))),
        ("at most torch.float32", "torch.float64"),
    ),
    "q in a list": (attended(inputs=([[1.0]], K, V)), ("q needs a tensor", "list")),
    "q in an array": (attended(inputs=(Q.numpy(), K, V)), ("q needs a tensor", "ndarray")),
    "no values": (attended(inputs=(Q, K, None)), ("v needs a tensor", "NoneType")),
    "positions without values": (attended(Attention(SLOPES), inputs=(None, None, [1.0])), ("v needs a tensor", "list")),
    "weights of lists": (lambda: weights([1.0], K), ("q needs a tensor", "list")),  # pyright: ignore[reportArgumentType]
    "plan of nothing": (lambda: plan(Q, K, None), ("v needs a tensor", "NoneType")),  # pyright: ignore[reportArgumentType]
    "sparse queries": (attended(inputs=(Q.to_sparse(), K, V)), ("q must be a dense tensor", "torch.sparse_coo")),
    "sparse values": (attended(inputs=(Q, K, V.to_sparse())), ("v must be a dense tensor", "torch.sparse_coo")),
    "numbers of 8 bits": (
        attended(inputs=tuple(x.to(torch.float8_e4m3fn) for x in (Q, K, V))),
        ("q must be floating point, of 16 bits or more", "torch.float8_e4m3fn"),
    ),
    "an algorithm that is no name": (attended(algorithm=3), ("algorithm must be one that is known", "3", "use one of")),
    "prepared in a dict": (attended(prepared={}), ("prepared must be a Prepared", "{}")),
    "lengths without numbers": (
        masked(lambda: KeyPadding(torch.zeros(2, dtype=torch.int64, device="meta"))),
        ("must hold numbers", "meta tensor (2,)"),
    ),
    "complex lengths": (
        lambda: KeyPadding(torch.zeros(2, dtype=torch.complex64)),
        ("whole numbers", "torch.complex64"),
    ),
    "complex starts": (
        lambda: Sequence(3, start=torch.zeros(2, dtype=torch.complex64)),
        ("whole number", "torch.complex64"),
    ),
    "starts that are flags": (lambda: Sequence(3, start=flags(2)), ("whole number", "torch.bool")),
    "masks joined with none": (masked(lambda: And(Causal(), None)), ("And joins two masks", "NoneType")),  # pyright: ignore[reportArgumentType]
    "nothing inverted": (masked(lambda: Not(None)), ("Not inverts a mask", "NoneType")),  # pyright: ignore[reportArgumentType]
    "directions in a list": (lambda: RandomFeatures([[1.0]]), ("RandomFeatures needs a tensor", "list")),  # pyright: ignore[reportArgumentType]
    "a share of a direction": (lambda: RandomFeatures.draw(1.5, 3), ("F must be a whole number", "F=1.5")),  # pyright: ignore[reportArgumentType]
    "a bound that is text": (lambda: RelativeTable(torch.zeros(4, 5), bound="3"), ("bound must be positive", "'3'")),  # pyright: ignore[reportArgumentType]
    "slopes of no heads": (lambda: Slopes.geometric(0), ("num_heads must be a whole number from 1", "num_heads=0")),
    "shares by name": (lambda: Kernel(Elu(), normalise="no"), ("normalise must be True or False", "'no'")),  # pyright: ignore[reportArgumentType]
    "beta beyond floating point": (lambda: Content(10**400), ("beta must be finite", "1000")),
    "a mask without return": (
        masked(lambda: Silent(None)),
        ("must answer by booleans", "Silent", "None", "use return"),
    ),
    "a mask of numbers": (masked(lambda: Silent(0.5)), ("must answer by booleans", "0.5")),
    "a mask that reads other queries": (
        masked(lambda: Silent(flags(3, 1))),
        ("for rows, heads, queries and keys (2, 4, 6, 6)", "(3, 1)", "x[h, j]"),
    ),
    "a term without return": (scored(lambda: Content() + Mute(None)), ("must answer by real numbers", "None")),
    "a term of words": (scored(lambda: Content() + Mute("0.5")), ("must answer by real numbers", "'0.5'")),
    "a term that ignores its indices": (scored(lambda: Content() + Mute(torch.ones(6, 6))), ("(1, 1, 1, 1)", "(6, 6)")),
    "a sum of tensors": (lambda: Sum((torch.ones(6, 6),)), ("tuple of score terms", "Bias")),  # pyright: ignore[reportArgumentType]
    "a sparse bias": (lambda: Bias(torch.zeros(6, 6).to_sparse()), ("Bias needs a dense tensor", "torch.sparse_coo")),
    "a table along no axis": (lambda: RelativeTable(torch.zeros(4, 5), axis=torch.ones(2)), ("axis is 0", "1.")),  # pyright: ignore[reportArgumentType]
    "documents of complex lengths": (lambda: Documents(torch.zeros(2, dtype=torch.complex64)), ("whole", "complex64")),
    "prefixes of complex lengths": (lambda: Prefix(torch.zeros(2, dtype=torch.complex64)), ("whole", "complex64")),
    "a prefix beyond all positions": (lambda: Prefix(1 << 70), ("a whole number from 0", str(1 << 70))),
    "documents without an end": (lambda: Documents(ids=torch.zeros(6).long(), most=1 << 70), ("most", str(1 << 70))),
    "a start beyond all offsets": (lambda: Sequence(6, start=-(1 << 70)), ("between −2^62 and 2^62", str(1 << 70))),
    "a grid beyond all offsets": (lambda: Grid(6, 6, step=(1 << 61, 1)), ("between −2^62 and 2^62", str(1 << 61))),
    "features by the dozen": (lambda: Kernel(Own(torch.relu, "12")), ("num_features must be a whole number", "'12'")),  # pyright: ignore[reportArgumentType]
    "a seed of words": (lambda: RandomFeatures.draw(4, 8, seed="0"), ("seed must be a number", "'0'")),  # pyright: ignore[reportArgumentType]
    "pads in a list": (lambda: KeyPadding.from_padding_mask([True]), ("a padding mask needs a boolean tensor", "list")),  # pyright: ignore[reportArgumentType]
    "dropout in a tensor": (attended(dropout=torch.zeros(2)), ("dropout", "tensor([0., 0.])")),
    "a list of algorithms": (attended(algorithm=["fused"]), ("algorithm must be one that is known", "['fused']")),
    "half a log-sum-exp": (attended(return_lse=0.5), ("return_lse must be True or False", "0.5")),
    "keys that are none, and not read": (
        attended(Attention(SLOPES), inputs=(Q, [1.0], V)),
        ("k needs a tensor", "list"),
    ),
    "weights of keys that are none": (lambda: weights(Q, 3), ("k needs a tensor", "int")),  # pyright: ignore[reportArgumentType]
    "weights of keys of one dimension": (lambda: weights(Q, K[0, 0, 0]), ("k must be (B, G, S, D)", "(8,)")),
    "plan with a dict": (lambda: plan(Q, K, V, prepared={}), ("prepared must be a Prepared", "{}")),  # pyright: ignore[reportArgumentType]
    "plan of bad sizes": (lambda: plan(Q, K[..., :7], V), ("one width", "8", "7")),
    "plan of bad dropout": (lambda: plan(Q, K, V, dropout=2.0), ("dropout", "2.0")),
}


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("name", BAD)
def test_bad_input_is_refused_before_any_arithmetic(name: str):
    call, fragments = BAD[name]
    with NoArithmetic(), pytest.raises(ValueError) as error:
        call()
    message = str(error.value)
    missing = [fragment for fragment in fragments if fragment not in message]
    assert not missing, message


def message_of(name: str) -> str:
    with pytest.raises(ValueError) as error:
        BAD[name][0]()
    return str(error.value)


NOT_FORCED = [name for name in BAD if name != "forced and refused"]  # whose message is the algorithm's own reason


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("name", NOT_FORCED)
def test_the_message_says_what_is_required_and_what_came(name: str):
    requirement, got, rest = message_of(name).partition(": got ")
    assert requirement
    assert got
    assert rest


@pytest.mark.usefixtures("unhooked")
def test_the_message_says_what_to_do():
    silent = [message for message in map(message_of, NOT_FORCED) if "; " not in message.partition(": got ")[2]]
    assert silent == []


@pytest.mark.gpu
def test_a_bias_on_another_device_is_refused():
    """A map over pairs is large: it is not moved behind the caller's back."""
    q = torch.zeros(1, 1, 6, 8, device="cuda")
    for value in (Attention(Content() + Bias(torch.zeros(6, 6))), Attention(mask=Dense(flags(6, 6)))):
        with pytest.raises(ValueError, match=r"on the device of q: got cpu and cuda:0"):
            attend(q, q, q, value)


def test_a_good_call_would_have_been_stopped_by_the_check():
    """`NoArithmetic` does see the arithmetic of each algorithm."""
    for name, value in (
        ("reference", Attention()),
        ("fused", Attention()),
        ("packed", Attention(mask=Padding([2, 6]))),
        ("blockwise", Attention(mask=Causal())),
        ("linear", Attention(weighting=Kernel(Elu()))),
        ("chunked", Attention(mask=Causal(), weighting=Kernel(Elu()))),
    ):
        with NoArithmetic(), pytest.raises(AssertionError, match="ran before"):
            attend(Q, K, V, value, algorithm=name)


OWNERS = {"allows": (Mask, 5), "at": (Term, 5), "join": (Pair, 2), "holds": (OffsetMask, 1)}


@pytest.mark.usefixtures("unhooked")
@pytest.mark.parametrize("name", OWNERS)
def test_a_part_that_a_new_kind_forgot_is_named(name: str):
    owner, num_arguments = OWNERS[name]
    with pytest.raises(NotImplementedError, match=rf"must define {name}\("):
        getattr(owner(), name)(*[None] * num_arguments)
