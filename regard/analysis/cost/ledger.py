"""The ledger of a run: every operation with its sizes and the tensors that it reads and writes, for its time."""

import itertools
import math
import weakref
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils._pytree import tree_flatten

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.machines import Machine
from regard.algorithms.planning.problem import Problem, pose
from regard.analysis.cost.masks import written
from regard.analysis.cost.operations import pick
from regard.analysis.prediction.roofline import Access, Operation, Product
from regard.attention import Attention, Causal

# What makes its result without reading the argument that says its size, or that it overwrites: the number of it.
UNREAD = {
    **dict.fromkeys(("zeros_like", "ones_like", "full_like", "new_zeros", "new_ones", "new_full", "rand_like"), 0),
    **dict.fromkeys(("fill_", "zero_", "copy_"), 0),
    **dict.fromkeys(("nll_loss_backward", "nll_loss2d_backward"), 1),
}
# What picks rows or numbers out of its first argument, and reads no others.
PICKS = frozenset({"embedding", "index", "index_select", "gather", "nll_loss_forward", "nll_loss2d_forward"})


@dataclass(eq=False)
class Attended:
    """One call of attention that is priced as a whole: its way back is entered when somebody goes it."""

    back: Operation
    went_back: bool = False


class Entered(NamedTuple):
    """Operations that were entered in a row, with the seconds that the host waited before them and since."""

    operations: list[Operation]
    before: float
    since: float


@dataclass
class Ledger:
    """The operations of a run, in order, for a machine."""

    machine: Machine
    operations: list[Operation] = field(default_factory=list)
    prices: dict[Any, tuple[float, float]] = field(default_factory=dict)  # of attention: on the device, of the host
    waiting: float = 0.0  # seconds of the host since the last kernel: views, nodes of the graph
    nodes: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._numbers: dict[int, tuple[weakref.ref[Any], int]] = {}
        self._unused = itertools.count(1)

    def dispatch(self, phase: str, lists: int = 0) -> None:
        """Let the host take its time for an operation, and on the way back for the node that it belongs to.

        An operation on lists of numbers on the CPU, as optimizers count their steps by, is one for each.
        """
        alone, recorded, node = self.machine.dispatch
        self.waiting += (recorded if phase == "forward" and torch.is_grad_enabled() else alone) * max(1, lists)
        if phase == "backward" and (current := torch._C._current_autograd_node()) is not None:
            number = current._sequence_nr()  # pyright: ignore[reportAttributeAccessIssue]
            if number not in self.nodes:
                self.nodes.add(number)
                self.waiting += node

    def _waited(self) -> float:
        waited, self.waiting = self.waiting, 0.0
        return waited

    def add(
        self, phase: str, module: str, name: str, kind: str, flops: int, func: Any, args: Any, kwargs: Any, out: Any
    ) -> None:
        """Enter an operation as it was called."""
        given = [x for x in tree_flatten((args, kwargs))[0] if isinstance(x, Tensor)]
        made = [x for x in tree_flatten(out)[0] if isinstance(x, Tensor)]
        if not (given or made):
            return
        reads = tuple([Access(self.number(x), _bytes(x)) for x in given])
        changed = written(func, args)
        places = {id(x.untyped_storage()) for x in changed}
        # What is written in place has a new number; lists in place come out of nothing.
        numbers = [(x, self._renumber if id(x.untyped_storage()) in places else self.number) for x in made or changed]
        writes = tuple([Access(number(x), _bytes(x)) for x, number in numbers])
        if name in UNREAD:
            reads = tuple([access for n, access in enumerate(reads) if n != UNREAD[name]])
        if name in PICKS and reads:
            picked = sum(access.bytes for access in writes)
            reads = (reads[0]._replace(bytes=min(reads[0].bytes, picked)), *reads[1:])
        floating = [x.dtype for x in given or made if x.is_floating_point()]
        dtype = max(floating, key=lambda one: one.itemsize, default=torch.int64)
        products = _products(name, args, made) if kind == "product" else ()
        across = kind == "arithmetic" and _adds_across(name, given, made)
        self.operations.append(
            Operation(
                phase=phase,
                module=module,
                name=name,
                kind=kind,
                flops=flops,
                dtype=dtype,
                reads=reads,
                writes=writes,
                products=products,
                mixes_rows=across,
                host=self._waited(),
            )
        )

    def repeat(self, entered: Entered, numbers: dict[int, int]) -> None:
        """Enter operations again for other tensors: `numbers` says which stand for which, all others are new."""
        renamed = dict(numbers)

        def rename(accesses: tuple[Access, ...]) -> tuple[Access, ...]:
            return tuple([one._replace(tensor=renamed.setdefault(one.tensor, next(self._unused))) for one in accesses])

        waited = self._waited() - entered.before
        for n, one in enumerate(entered.operations):
            host = (one.host or 0.0) + (0.0 if n else waited)
            self.operations.append(replace(one, reads=rename(one.reads), writes=rename(one.writes), host=host))
        self.waiting = entered.since

    def attend(self, phase: str, module: str, name: str, problem: Problem) -> Attended:
        """Enter a call of attention by its problem and its algorithm; what going back takes is for later."""
        flags = replace(problem.outline.flags, backward=False, bias_backward=False)
        alone = replace(problem, outline=replace(problem.outline, flags=flags))
        forward, forward_host = self.price(alone, name)
        both, both_host = self.price(problem, name)
        ahead, whole = (PLANNER.named(name).cost(one) for one in (alone, problem))
        inputs, outputs = Access(next(self._unused), int(ahead.bytes)), Access(next(self._unused), 0)
        entered = Operation(
            phase=phase,
            module=module,
            name=f"attend by {name}",
            kind="attention",
            flops=int(ahead.flops),
            dtype=problem.dtype,
            reads=(inputs,),
            writes=(outputs,),
            device=forward,
            host=forward_host + self._waited(),
        )
        self.operations.append(entered)
        back = replace(
            entered,
            phase="backward",
            name=f"attend by {name}, back",
            flops=max(0, int(whole.flops - ahead.flops)),
            reads=(Access(next(self._unused), max(0, int(whole.bytes - ahead.bytes))),),
            device=max(both - forward, 0.0),
            host=max(both_host - forward_host, 0.0),
        )
        return Attended(back)

    def attend_back(self, attended: Attended) -> None:
        """Enter the way back of a call, once."""
        if not attended.went_back:
            attended.went_back = True
            self.operations.append(attended.back)

    def price(self, problem: Problem, name: str) -> tuple[float, float]:
        """Seconds of a call on the device, and of the host's part of it."""
        key = (name, problem.shape, problem.dtype, problem.outline.flags, problem.attention.flatten()[0])
        if key not in self.prices:
            machine = problem.machine
            alone = problem.on_machine(replace(machine, host={})) if machine.kind == "cuda" else problem
            device = float(PLANNER.seconds_by(PLANNER.named(name), alone))
            host = machine.host.get(name, (machine.launch, machine.launch))[problem.backward]
            self.prices[key] = (device, host if machine.kind == "cuda" else 0.0)
        return self.prices[key]

    def sdpa(self, phase: str, module: str, named: dict[str, Any], is_back: bool) -> bool:
        """Enter a call of torch's own kernel, which has no mask or is causal, as the same call of `attend`."""
        q, k, v = (pick(named, word, word[0]) for word in ("query", "key", "value"))
        if q is None or q.ndim != 4 or pick(named, "attn_mask", "attn_bias", "bias") is not None:
            return False
        value = Attention(mask=Causal()) if named.get("is_causal") else Attention()
        q, k, v = (torch.empty(x.shape, dtype=x.dtype, device="meta", requires_grad=is_back) for x in (q, k, v))
        with torch.enable_grad():
            problem = pose(q, k, v, value).on_machine(self.machine)
        attended = self.attend(phase, module, "fused", problem)
        if is_back:
            self.operations.pop()
            self.attend_back(attended)
        return True

    def number(self, x: Tensor) -> int:
        """The number of what a tensor holds now."""
        storage = x.untyped_storage()
        found = self._numbers.get(id(storage))
        return found[1] if found is not None and found[0]() is storage else self._renumber(x)

    def _renumber(self, x: Tensor) -> int:
        storage, number = x.untyped_storage(), next(self._unused)
        self._numbers[id(storage)] = (weakref.ref(storage), number)
        return number


def stored(x: Tensor) -> int:
    """Elements that lie in memory: repeated ones count once."""
    return math.prod([size for size, step in zip(x.shape, x.stride(), strict=True) if step])


def _bytes(x: Tensor) -> int:
    return x.element_size() * stored(x)


def _adds_across(name: str, given: list[Tensor], made: list[Tensor]) -> bool:
    """Whether the last dimension stays, and others are added up."""
    if name not in ("sum", "mean", "embedding_dense_backward") or not given or not made:
        return False
    x, y = given[0], made[0]
    return name.startswith("embedding") or (y.numel() < x.numel() and y.ndim > 0 and y.shape[-1] == x.shape[-1])


def _products(name: str, args: tuple[Any, ...], made: list[Tensor]) -> tuple[Product, ...]:
    """The matrix products of an operation; none where only its FLOPs are known."""
    first = 1 if name.startswith(("addmm", "_addmm", "baddbmm", "addbmm")) else 0
    if name in ("convolution", "_convolution", "cudnn_convolution", "convolution_overrideable"):
        return (_convolved(made[0], args[1]),)
    if name == "convolution_backward":
        batch, m, n, k, _ = _convolved(args[0], args[2])
        by_input, by_weight = Product(batch, m, k, n), Product(batch, n, k, m)
        return tuple([one for one, is_wanted in zip((by_input, by_weight), args[10], strict=False) if is_wanted])
    if len(args) < first + 2 or not all(isinstance(x, Tensor) for x in args[first : first + 2]):
        return ()
    a, b = args[first], args[first + 1]
    odd = "" if all(_is_aligned(x) for x in (a, b)) else "read"
    odd = odd or ("" if all(_is_aligned(x) for x in made[:1]) else "written")
    if name == "_grouped_mm":
        groups = b.shape[0] if b.ndim == 3 else 1
        return (Product(groups, -(-a.shape[-2] // groups), b.shape[-1], a.shape[-1], odd),)
    if a.ndim != b.ndim or a.ndim not in (2, 3):
        return ()
    return (Product(a.shape[0] if a.ndim == 3 else 1, a.shape[-2], b.shape[-1], a.shape[-1], odd),)


def _convolved(out: Tensor, weight: Tensor) -> Product:
    """A convolution as a product: positions by channels, over the taps."""
    positions = out.numel() // max(out.shape[1], 1)
    return Product(1, positions, out.shape[1], math.prod(weight.shape[1:]))


def _is_aligned(x: Tensor) -> bool:
    """Whether rows, or columns, are contiguous and start at multiples of 16 bytes."""
    steps = sorted(x.stride()[-2:])
    return steps[0] <= 1 and steps[-1] * x.element_size() % 16 == 0
