"""Calls of `attend` as programs make them every day, beside the call of torch that each stands for."""

import functools
import random
import statistics
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.nn.functional import scaled_dot_product_attention

from benchmarks.contest import TOLERANCES, distance
from benchmarks.peers import causal_varlen
from benchmarks.record import Bar, Cell, Row, race
from benchmarks.setting import Setting
from benchmarks.timing import Run, Timing, explain
from benchmarks.wall import Contender, Near, clocks, take_turns
from regard import Attention, Plan, attend, plan
from regard.attention import Causal, Documents, KeyPadding, Mask, Padding

PASSES = ("forward", "forward + backward")
LAYERS = 12
SLACK = 8e-6  # seconds that a call may be behind the peer's whatever the ratio
OVERHEAD = Bar("≤", 8)  # µs beyond a bare call
FRESH = Bar("≤", 20)  # µs beyond a value that was there before
DOCUMENTS = (64, 300, 900, 1500, 2100, 2820, 3700, 5000)
DROPOUT = 0.1


@dataclass(frozen=True)
class Case:
    """A self-attention problem, half padded where `mask` makes a value of lengths."""

    name: str
    B: int
    N: int
    mask: Callable[[Any], Mask] | None = None
    numbers: bool = False  # lengths are plain numbers, not a tensor on the device
    causal: bool = False
    H: int = 12
    D: int = 64

    @property
    def label(self) -> str:
        return f"{self.name} {self.B}×{self.N}"

    def value(self, lengths: Any) -> Attention:
        return Attention() if self.mask is None else Attention(mask=self.mask(lengths))


DROPPED = Case("KeyPadding(lengths), dropout 0.1", 16, 512, KeyPadding)


def cases(setting: Setting) -> list[Case]:
    """The padded batches and a picture; on the CPU the longest batch has half the rows."""
    long = Case("Causal() & KeyPadding(lengths)", 8 if setting.on_cuda else 4, 2048, _causal_padding, causal=True)
    found = []
    for N in (128, 512):
        found += [
            Case("KeyPadding(lengths)", 16, N, KeyPadding),
            Case("Padding((numbers))", 16, N, Padding, numbers=True),
            Case("Causal() & KeyPadding(lengths)", 16, N, _causal_padding, causal=True),
        ]
    return [*found, Case("no mask, ViT-B", 32, 197), long]


def _causal_padding(lengths: Any) -> Mask:
    return Causal() & KeyPadding(lengths)


def half_padded(count: int, most: int) -> tuple[int, ...]:
    """Random lengths in 1…most whose mean is half of `most`; the first is `most`.

    >>> lengths = half_padded(16, 512)
    >>> max(lengths), abs(sum(lengths) / 16 - 256) < 3
    (512, True)
    """
    draw = random.Random(0)
    shares = [draw.random() for _ in range(count - 1)]
    wanted = count * most / 2 - most
    for _ in range(8):  # what is cut off at the ends is given to the others
        scale = wanted / sum(shares)
        shares = [min(max(share * scale, 1), most) for share in shares]
    return (most, *[round(share) for share in shares])


class Inputs:
    """q, k, v, the gradient of the output, which is zero at pads, and which tokens are real."""

    def __init__(self, case: Case, setting: Setting) -> None:
        generator = torch.Generator(setting.device).manual_seed(0)
        size = (case.B, case.H, case.N, case.D)
        drawn = [torch.randn(size, generator=generator, device=setting.device).to(setting.dtype) for _ in range(4)]
        self.leaves = drawn[0].requires_grad_(), drawn[1].requires_grad_(), drawn[2].requires_grad_()
        self.numbers = half_padded(case.B, case.N) if case.mask is not None else (case.N,) * case.B
        self.lengths = torch.tensor(self.numbers, device=setting.device)
        self.real = torch.arange(case.N, device=setting.device) < self.lengths[:, None]
        self.grad = drawn[3] * self.real[:, None, :, None]


class Packed(NamedTuple):
    """The same tokens as the variable-length kernel takes them, (tokens, H, D)."""

    leaves: tuple[Tensor, Tensor, Tensor]
    grad: Tensor

    @classmethod
    def of(cls, x: Inputs) -> "Packed":
        q, k, v, grad = (y.detach()[0].transpose(0, 1).contiguous() for y in (*x.leaves, x.grad))
        return cls((q.requires_grad_(), k.requires_grad_(), v.requires_grad_()), grad)


def pass_of(forward: Callable[[], Tensor], x: Inputs | Packed, which: str) -> Run:
    """A forward pass without a graph, or one with it and the way back."""
    if which == "forward":
        return torch.no_grad()(forward)
    return lambda: torch.autograd.grad(forward(), x.leaves, x.grad)


def planned(x: Inputs, value: Attention, which: str, dropout: float = 0.0) -> Plan:
    with torch.set_grad_enabled(which != "forward"):
        return plan(*x.leaves, value, dropout=dropout)


def wrong(ours: Callable[[], Tensor], peer: Callable[[], Tensor], x: Inputs) -> str | None:
    """None when output and gradients of both are equal at the real tokens."""
    return differs(results(ours, x), results(peer, x), x)


def results(forward: Callable[[], Tensor], x: Inputs | Packed) -> list[Tensor]:
    """Output and gradients, (B, H, T, D)."""
    out = forward()
    found = [out.detach(), *torch.autograd.grad(out, x.leaves, x.grad)]
    return [y.transpose(0, 1)[None] for y in found] if isinstance(x, Packed) else found


def differs(got: list[Tensor], wanted: list[Tensor], x: Inputs) -> str | None:
    """What of it is further from the peer's than the roundings of both."""
    real = x.real[:, None, :, None]
    for part, a, b in zip(("output", "dq", "dk", "dv"), got, wanted, strict=True):
        off = distance(a * real, (b * real).double())
        if off > 2 * TOLERANCES[x.grad.dtype]:
            return f"wrong: {part} {off:.1e} from the peer's"
    return None


def wrong_dropout(dropped: Callable[[], Tensor], exactly: Callable[[], Tensor], x: Inputs) -> str | None:
    """None when weights are dropped, with that probability, and the others grow for it.

    For independent values Σ aⱼbⱼvⱼ/(1−p) lies off Σ aⱼvⱼ by √(p/(1−p)) of its norm, in directions of its own.
    """
    real = x.real[:, None, :, None]
    a, b = ((run() * real).detach().double() for run in (dropped, exactly))
    along, off = float((a * b).sum() / b.square().sum()), distance(a, b)
    wanted = (DROPOUT / (1 - DROPOUT)) ** 0.5
    if abs(along - 1) > 0.05 or abs(off / wanted - 1) > 0.25:
        return f"wrong: {along:.2f} of the mean, off by {off:.2f}, where dropout has 1.00 and {wanted:.2f}"
    return None


def overhead(setting: Setting, causal: bool) -> list[Row]:
    """The host's price of a call so small that nothing else counts."""
    case = Case("Causal()" if causal else "default value", 1, 16)
    x = Inputs(case, setting)
    value = Attention(mask=Causal()) if causal else Attention()
    ours = (lambda: attend(*x.leaves, value)) if causal else (lambda: attend(*x.leaves))
    bare = functools.partial(scaled_dot_product_attention, *x.leaves, is_causal=causal)
    failed = wrong(ours, bare, x)
    rows = []
    for which in PASSES:
        contenders = {name: Contender(pass_of(run, x, which)) for name, run in {"regard": ours, "sdpa": bare}.items()}
        chosen = planned(x, value, which).chosen
        for clock, cells in timed(contenders, ["sdpa"], failed, "regard", setting):
            row = Row("overhead", case.label, f"{which}, {clock}", {"algorithm": chosen, **cells}, bar=OVERHEAD)
            row.unit, row.against = " µs", "sdpa"
            row.ratio = _beyond(cells.get("regard"), cells.get("sdpa"))
            rows.append(row)
    return rows


def padded(setting: Setting, case: Case) -> list[Row]:
    """One value for all calls, a new one each, and a new one each twelve, beside sdpa with a ready mask."""
    x = Inputs(case, setting)
    values = Values(case.value, x.numbers, None if case.numbers else setting.device)
    prepared = values.make(x.numbers if case.numbers else x.lengths)
    peers = {name: _sdpa(x, mask) for name, mask in ready_masks(case, x).items()}
    ours = lambda: attend(*x.leaves, prepared)  # noqa: E731 - it stands beside those of the peers
    failed = wrong(ours, next(iter(peers.values())), x)
    bar = 1.0 if case.N >= 2048 else 0.9
    rows = []
    for which in PASSES:
        contenders = {name: Contender(pass_of(run, x, which)) for name, run in peers.items()}
        contenders["prepared"] = Contender(pass_of(ours, x, which))
        if case.mask is not None:
            contenders["fresh"] = Contender(pass_of(lambda: attend(*x.leaves, values.next()), x, which), values.stock)
            if setting.on_cuda or case.N < 512:  # minutes on a CPU
                contenders["twelve layers"] = Contender(_layers(values, x, which), values.stock, LAYERS)
        for clock, found in timed(contenders, list(peers), failed, "prepared", setting):
            measure = f"{which}, {clock}"
            cells: dict[str, Cell] = {"algorithm": planned(x, prepared, which).chosen, **found}
            rows.append(beside("padding", case.label, measure, cells, "prepared", list(peers), bar))
            if case.mask is not None:
                rows.append(later(case, measure, cells))
    return rows


def later(case: Case, measure: str, cells: dict[str, Cell]) -> Row:
    """What a new value costs beyond one that was there; judged where the clock is fine enough to tell."""
    shown = {name: cells[name] for name in ("fresh", "prepared", "twelve layers") if name in cells}
    row = Row("padding, fresh lengths", case.label, measure, shown, against="prepared", bar=FRESH, unit=" µs")
    fresh, prepared = cells.get("fresh"), cells.get("prepared")
    row.ratio = _beyond(fresh, prepared)
    if isinstance(fresh, Timing) and isinstance(prepared, Timing):
        noise = 1e6 * max(fresh.spread * fresh.median, prepared.spread * prepared.median) / 2
        row.cells["noise µs"] = noise
        if noise > FRESH.threshold:
            row.bar, row.against = None, "prepared; too noisy to judge"
    return row


def dropped(setting: Setting, case: Case = DROPPED) -> list[Row]:
    """Training with dropout on the weights of a padded batch."""
    x = Inputs(case, setting)
    value = Attention(mask=KeyPadding(x.lengths))
    masks = ready_masks(case, x)
    exactly = _sdpa(x, masks["sdpa boolean"])
    ours = lambda: attend(*x.leaves, value, dropout=DROPOUT)  # noqa: E731
    failed = wrong(lambda: attend(*x.leaves, value), exactly, x) or wrong_dropout(ours, exactly, x)
    runs = {name: _sdpa(x, mask, DROPOUT) for name, mask in masks.items()} | {"prepared": ours}
    contenders = {name: Contender(pass_of(run, x, PASSES[1])) for name, run in runs.items()}
    rows = []
    for clock, found in timed(contenders, list(masks), failed, "prepared", setting):
        chosen = planned(x, value, PASSES[1], DROPOUT).chosen
        cells: dict[str, Cell] = {"algorithm": chosen, **found}
        measure = f"{PASSES[1]}, {clock}"
        rows.append(beside("dropout", case.label, measure, cells, "prepared", list(masks), 0.9))
    return rows


def documents(setting: Setting) -> list[Row]:
    """Eight documents in one row, causal: beside FlexAttention, and the variable-length kernel on the same tokens."""
    numbers = DOCUMENTS
    case = Case("eight documents, causal", 1, sum(numbers), H=16 if setting.on_cuda else 2)
    x = Inputs(case, setting)
    peers = document_peers(setting, x, numbers)
    values = Values(document_value, numbers, None)
    wanted = [results(forward, side) for forward, side in peers.values()]
    failed, chosen, ours = None, {}, None
    try:
        prepared = document_value(numbers)
        ours = lambda: attend(*x.leaves, prepared)  # noqa: E731
        got = results(ours, x)
        failed = next((text for one in wanted if (text := differs(got, one, x)) is not None), None)
        chosen = {which: planned(x, prepared, which).chosen for which in PASSES}
    except Exception as error:  # the peers are still worth their times
        failed = explain(error)
    rows = []
    for which in PASSES:
        contenders = {name: Contender(pass_of(forward, side, which)) for name, (forward, side) in peers.items()}
        if failed is None and ours is not None:
            contenders["prepared"] = Contender(pass_of(ours, x, which))
            contenders["fresh"] = Contender(pass_of(lambda: attend(*x.leaves, values.next()), x, which), values.stock)
        for clock, found in timed(contenders, list(peers), failed, "prepared", setting):
            cells: dict[str, Cell] = {"algorithm": chosen.get(which), **found}
            bar = 0.95 if setting.on_cuda else 5.0
            rows.append(beside("documents", case.label, f"{which}, {clock}", cells, "prepared", list(peers), bar))
    return rows


def document_value(lengths: tuple[int, ...]) -> Attention:
    """Tokens of one document see each other, and none after themselves."""
    return Attention(mask=Causal() & Documents(lengths))


Peer = tuple[Callable[[], Tensor], Inputs | Packed]


def document_peers(setting: Setting, x: Inputs, numbers: tuple[int, ...]) -> dict[str, Peer]:
    """What torch has for documents; the CPU has a dense mask alone."""
    ids = torch.repeat_interleave(torch.arange(len(numbers)), torch.tensor(numbers)).to(setting.device)
    if not setting.on_cuda:
        mask = (ids[:, None] == ids).tril()
        return {"sdpa, dense mask": (_sdpa(x, mask), x)}
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention
    from torch.nn.attention.varlen import varlen_attn

    blocks = create_block_mask(
        lambda b, h, i, j: (ids[i] == ids[j]) & (i >= j), None, None, len(ids), len(ids), device=str(setting.device)
    )
    by_flex: Any = torch.compile(flex_attention, fullgraph=True)
    offsets = torch.tensor((0, *numbers), device=setting.device).cumsum(0).int()
    by_varlen: Any = functools.partial(varlen_attn, **causal_varlen())
    packed, longest = Packed.of(x), max(numbers)
    return {
        "flex, ready block mask": (lambda: by_flex(*x.leaves, block_mask=blocks), x),
        "varlen, packed": (lambda: by_varlen(*packed.leaves, offsets, offsets, longest, longest), packed),
    }


class Values:
    """Values of lengths that nobody has seen before: the same ones in another order, so that the work is the same.

    Lengths are tensors on the device, or plain numbers where there is none.
    """

    def __init__(self, make: Callable[[Any], Attention], numbers: tuple[int, ...], device: torch.device | None) -> None:
        self.make, self.numbers, self.device = make, numbers, device
        self.waiting: Iterator[Any] = iter(())

    def stock(self, count: int) -> None:
        orders: list[Any] = [tuple(random.sample(self.numbers, len(self.numbers))) for _ in range(count)]
        if self.device is not None:
            orders = [torch.tensor(order, device=self.device) for order in orders]
        self.waiting = iter(orders)

    def next(self) -> Attention:
        return self.make(next(self.waiting))


def _layers(values: Values, x: Inputs, which: str) -> Run:
    """Twelve layers of one batch: all forward, then all back."""

    def forward() -> None:
        value = values.next()
        with torch.no_grad():
            for _ in range(LAYERS):
                attend(*x.leaves, value)

    def both() -> None:
        value = values.next()
        outs = [attend(*x.leaves, value) for _ in range(LAYERS)]
        while outs:
            torch.autograd.grad(outs.pop(), x.leaves, x.grad)

    return forward if which == "forward" else both


def ready_masks(case: Case, x: Inputs) -> dict[str, Tensor | None]:
    """A user's ready mask for sdpa, of pad keys (B, 1, 1, S), and whole where it is causal: boolean and additive."""
    if case.mask is None:
        return {"sdpa": None}
    allowed = x.real[:, None, None, :]
    if case.causal:
        allowed = allowed & torch.ones(case.N, case.N, dtype=torch.bool, device=allowed.device).tril()
    added = torch.zeros(allowed.shape, dtype=x.grad.dtype, device=allowed.device).masked_fill(~allowed, -torch.inf)
    return {"sdpa boolean": allowed, "sdpa additive": added}


def _sdpa(x: Inputs, mask: Tensor | None, dropout: float = 0.0) -> Callable[[], Tensor]:
    return lambda: scaled_dot_product_attention(*x.leaves, attn_mask=mask, dropout_p=dropout)


def beside(
    section: str, case: str, measure: str, cells: dict[str, Cell], ours: str, peers: list[str], bar: float | None
) -> Row:
    """The best peer's time over ours. A bar below 1 is also met by so few microseconds that they are the host's."""
    row = race(section, case, measure, cells, peers, None if bar is None else Bar("≥", bar), ours)
    peer = cells.get(row.against)
    if row.ratio is not None and bar is not None and bar < 1 and isinstance(peer, Timing):
        row.bar = Near("≥", bar, peer.median, SLACK)
    return row


def timed(
    contenders: dict[str, Contender], peers: list[str], failed: str | None, ours: str, setting: Setting
) -> Iterator[tuple[str, dict[str, Cell]]]:
    """The times by each clock. Where ours is wrong its peers alone are timed, and it has the reason."""
    running = {name: one for name, one in contenders.items() if failed is None or name in peers}
    times = take_turns(running, setting.device, setting.effort) | ({} if failed is None else {ours: failed})
    for clock in clocks(setting.device):
        yield clock, {name: found if isinstance(found, str) else found.on(clock) for name, found in times.items()}


def _beyond(one: Cell, other: Cell) -> float | None:
    """Microseconds from the other to the one, turn by turn; the median of that."""
    if not isinstance(one, Timing) or not isinstance(other, Timing):
        return None
    return 1e6 * statistics.median(a - b for a, b in zip(one.samples, other.samples, strict=False))
