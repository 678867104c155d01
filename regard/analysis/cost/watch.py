"""Watching a run: every operation is counted in the module that called it, forward and backward."""

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch._library.custom_ops import OPDEFS
from torch._ops import HigherOrderOperator
from torch._subclasses.fake_tensor import (
    DataDependentOutputException,
    DynamicOutputShapeException,
    FakeTensor,
    unset_fake_temporarily,
)
from torch.overrides import enable_reentrant_dispatch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten
from torch.utils.flop_counter import flop_registry

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning import recording
from regard.algorithms.planning.cost import Count
from regard.algorithms.planning.problem import Problem, pose
from regard.algorithms.planning.visits import visited
from regard.analysis.cost import masks, operations
from regard.analysis.cost.experts import Experts, deal_out
from regard.analysis.cost.ledger import Attended, Ledger, stored
from regard.analysis.cost.masks import known
from regard.analysis.cost.memory import Allocations
from regard.analysis.cost.operations import Call, Pairs, Products, Wanted, Widths, backward_products, forward_products
from regard.analysis.cost.report import Work
from regard.attention import Attention, Kernel
from regard.attention.captured import own_parts
from regard.attention.masks.mask import has_blocks
from regard.attention.masks.visibility import count_pairs
from regard.attention.value import unflatten

MAX_PAIRS = 1 << 28  # of a mask with tensors that are asked one by one
MAX_COMPARED = 1 << 16  # elements of an argument, to find calls that are alike
ALL_WANTED, NOTHING = Wanted(), Work()


Place = tuple[str, str, str]  # phase, module, operation


@dataclass
class Trace:
    """What was counted: work by place, forward FLOPs of logits and mixing by module; and what could not be."""

    works: dict[Place, Work] = field(default_factory=dict)
    attention: dict[str, Count] = field(default_factory=dict)
    unknown: Counter[str] = field(default_factory=Counter)
    notes: dict[str, None] = field(default_factory=dict)

    def add(self, place: Place, work: Work, attends: bool = False) -> None:
        self.works[place] = self.works.get(place, NOTHING) + work
        if attends and place[0] == "forward":
            self.attention[place[1]] = self.attention.get(place[1], 0) + work.flops


@dataclass
class Scope:
    """A stretch of operations whose need is known from outside: one call of `attend`."""

    backward: Count
    module: str
    was_entered_backward: bool = False


@dataclass
class Site:
    """Where in the forward pass an operation that has a gradient was called."""

    module: str
    share: masks.Share | None = None
    wanted: Wanted = ALL_WANTED
    scope: Scope | None = None
    attended: Attended | None = None


@dataclass
class Deferred:
    """A product whose visible share is known only when its softmax comes."""

    place: Place
    flops: Count
    share: masks.Share


@dataclass(frozen=True)
class Body:
    """What one call of an operator of ours did inside, by operation, and the memory that it took meanwhile."""

    work: dict[str, Work]
    extra: int


class Watch(TorchDispatchMode):
    """The mode under which a module runs; `read` makes a number or a polynomial of a size, `read_pairs` of a count."""

    supports_higher_order_operators = True

    def __init__(self, read: Callable[[int], Count] = int, read_pairs: Callable[[int], Count] = int) -> None:
        super().__init__()
        self.trace, self.read, self.read_pairs = Trace(), read, read_pairs
        self.is_symbolic = read is not int
        self.takes_apart = 0  # how many operators of ours are running, one inside the other
        self.products = 0  # that were seen so far
        self.in_ours: Site | None = None  # of the operator of ours that is taken apart in the backward pass
        self.phase = "forward"
        self.stack: list[str] = []
        self.parts: list[str] = []  # what the products of `attend` are for, told by its recorder
        self.scopes: list[Scope] = []
        self.sites: dict[int, Site] = {}
        self.all_scopes: list[Scope] = []
        self.deferred: list[Deferred] = []
        self.bodies: dict[Any, Body] = {}
        self.experts = Experts()
        self.memory: Allocations | None = None  # follows storages, if somebody asks for it
        self.ledger: Ledger | None = None  # enters operations, if somebody asks for their time
        self.attending: list[Attended] = []  # the calls of `attend` that run, priced as a whole

    def sizes(self, x: Tensor) -> tuple[Count, ...]:
        return tuple([self.read(n) for n in x.shape])

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if isinstance(func, HigherOrderOperator):
            return self._run_higher_order(func, args, kwargs)
        if func is torch.ops.prim.device.default:
            return func(*args, **kwargs)
        name = f"{func.namespace}.{func._schema.name.split('::')[1]}"
        if func.namespace == "regard":
            return self._run_ours(func, name, args, kwargs)
        is_product = name in operations.PRODUCTS or name in operations.FUSED
        if not is_product and operations.kind(func) == "unknown":
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        out = self._run(func, args, kwargs)
        if self.memory is not None:
            self.memory.track(out)
        if self.ledger is not None and self.phase in ("forward", "backward", "step") and not self.attending:
            self.ledger.dispatch(self.phase, operations.count_numbers(args) if self.phase == "step" else 0)
        if self.phase == "step" and self.ledger is not None and operations.kind(func) != "free":
            self.ledger.add("step", "", name.removeprefix("aten."), "arithmetic", 0, func, args, kwargs, out)
        if self.phase not in ("forward", "backward"):
            return out
        with unset_fake_temporarily():  # what is known of masks is real
            self._count(name, func, args, kwargs, out)
        return out

    def _run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run on fake tensors, and on contents too where everything that goes in is known."""
        if func is torch.ops.aten._grouped_mm.default and isinstance(args[0], FakeTensor):
            return operations.make_grouped(*args, **kwargs)
        contents = masks.known_arguments(func, args, kwargs)
        try:
            out = func(*args, **kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException):
            if contents is not None:
                return masks.fake_with_contents(masks.compute(func, contents))
            # Our operators ask whether something rare happens: a bias that hides all of a row. So do distributions.
            if args[0].dtype == torch.bool and (self.takes_apart or masks.asks_to_redraw(args[0])):
                return False
            if (selected := self._select(func, args)) is None:
                raise
            return selected
        if contents is None:
            masks.forget_contents(func, args)
            if self.phase == "building":
                masks.follow_noise(func, args, out)
        else:  # of a scope, which is known from outside, and of what fills caches, uncounted, no mask is read
            is_read = not self.scopes and self.phase != "filling"
            masks.keep_contents(func, args, out, contents, masks.MAX_BYTES if is_read else masks.MAX_BYTES_UNREAD)
        self._deal_out(func, args, out)
        return out

    def _deal_out(self, func: Any, args: tuple[Any, ...], out: Any) -> None:
        """Assume a choice of experts that depends on data, where there is none."""
        routing = self.experts.route(func, args, self.stack[-1] if self.stack else "")
        if routing is None:
            return
        chosen = out[1] if isinstance(out, tuple) else out
        if known(chosen) is None and not self.is_symbolic:  # no formula depends on which they are
            with unset_fake_temporarily():
                masks.remember(chosen, deal_out(routing, chosen.shape))

    def _select(self, func: Any, args: tuple[Any, ...]) -> Any:
        """Rows of something unknown that a known mask chooses; None where the operation is not that."""
        if func is torch.ops.aten.masked_select.default and (mask := known(args[1])) is not None:
            shape = torch.broadcast_shapes(args[0].shape, mask.shape)
            with unset_fake_temporarily():
                mask = mask.expand(shape)
            func, args = torch.ops.aten.index.Tensor, (args[0].expand(shape), [mask])
        if func is not torch.ops.aten.index.Tensor:
            return None
        indices: list[Tensor | None] = []
        with unset_fake_temporarily():
            for index in args[1]:
                value = None if index is None else known(index)
                if value is None and index is not None:
                    return None
                is_mask = value is not None and value.dtype == torch.bool
                indices += list(value.nonzero(as_tuple=True)) if is_mask else [value]  # pyright: ignore[reportOptionalMemberAccess]
        return func(args[0], masks.fake_with_contents(indices))

    def _count(self, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        site, is_again = self._site()
        short = name.removeprefix("aten.")
        if name in operations.PRODUCTS:
            flops, what = operations.PRODUCTS[name](Call(args, kwargs, out, self.sizes)), "product"
            products = Products.all_needed(flops)
            if name == "aten._grouped_mm" and self.phase == "forward" and args[1].ndim == 3:
                self.experts.observe(args[0].shape[0], masks.weight_of(args[1]))
            if name in operations.MATRICES and (self.phase == "forward" or is_again):
                routing = self.experts.met_by_all(*args[-2:])
                every = masks.follow_product(name, args, out)
                site.share = every if routing is None else masks.Share(*routing.share())
        elif name in operations.FUSED:
            products = self._count_fused(name, operations.bind_arguments(func, args, kwargs), site)
            what = "product"
        else:
            products, what = Products.all_needed(0), operations.kind(func)
            if what == "unknown":
                self.trace.unknown[str(func)] += 1
            if self.phase == "forward" or is_again:
                masks.follow_roles(func, short, args, kwargs, out)
                if short in masks.FILLS and not self.scopes and masks.fills_unknown(short, args):
                    self._assume_visible(name)
            if short.startswith("_fft"):
                self.trace.notes["Fourier transforms are not matrix products: they count as elementwise"] = None
        self.products += what == "product"
        if what != "free":
            part = self.parts[-1] if self.parts and what == "product" else None
            share = site.share if name in operations.MATRICES and not self.parts else None
            attends = name in operations.FUSED or part == "mixing"
            self._add(site, is_again, part or short, what, products, (args, kwargs, out), share, attends)
            self._enter(name, what, products.executed, site, func, args, kwargs, out)

    def _enter(
        self, name: str, what: str, flops: Count, site: Site, func: Any, args: Any, kwargs: dict[str, Any], out: Any
    ) -> None:
        """Enter an operation for its time, unless it belongs to a call of `attend`, which has a price."""
        if self.ledger is None:
            return
        if self.attending or site.attended is not None:
            if self.phase == "backward" and site.attended is not None:
                self.ledger.attend_back(site.attended)
            return
        if name in operations.FUSED:
            named = operations.bind_arguments(func, args, kwargs)
            is_back = name in operations.BACKWARD | operations.RAGGED_BACKWARD
            if self.ledger.sdpa(self.phase, site.module, named, is_back):
                return
        short = name.removeprefix("aten.")
        self.ledger.add(self.phase, site.module, short, what, int(flops), func, args, kwargs, out)

    def _site(self) -> tuple[Site, bool]:
        """Where the present operation belongs, and whether it repeats what was done in the forward pass."""
        if self.in_ours is not None:
            return self.in_ours, torch.is_grad_enabled()
        scope = self.scopes[-1] if self.scopes else None
        node = torch._C._current_autograd_node() if self.phase == "backward" else None
        made = self.sites.get(node._sequence_nr()) if node is not None else None  # pyright: ignore[reportAttributeAccessIssue]
        is_again = node is not None and torch.is_grad_enabled()  # a checkpoint is filled
        if node is not None and not is_again:
            if made is not None and made.scope is not None:
                made.scope.was_entered_backward = True
            return made or Site(""), False
        module = self.stack[-1] if self.stack else made.module if made is not None else ""
        attended = self.attending[-1] if self.attending else made.attended if made is not None else None
        site = Site(module, scope=scope or (made.scope if made is not None else None), attended=attended)
        # The first operation after a node of the graph was made is that node's own.
        self.sites.setdefault(torch.autograd._get_sequence_nr() - 1, site)  # pyright: ignore[reportPrivateImportUsage]
        return site, is_again

    def _add(
        self,
        site: Site,
        is_again: bool,
        name: str,
        what: str,
        products: Products,
        touched: Any,
        share: masks.Share | None = None,
        attends: bool = False,
    ) -> None:
        """Add what an operation needs, executes and moves; of a share what it needs is known at the end alone."""
        place, needed = (self.phase, site.module, name), products.needed
        if is_again or site.scope is not None:
            needed = 0
        elif share is not None:
            self.deferred.append(Deferred(place, needed, share))
            needed = 0
        work = Work(needed)
        if not self.is_symbolic:  # whole blocks of kernels are no polynomial
            tensors = [x for x in tree_flatten(touched)[0] if isinstance(x, Tensor)]
            elements = stored(max(tensors, key=Tensor.numel)) if what == "arithmetic" and tensors else 0
            moved = sum([x.element_size() * stored(x) for x in tensors])
            work = Work(needed, products.executed, elements, moved)
        self.trace.add(place, work, attends)

    def _count_fused(self, name: str, named: dict[str, Any], site: Site) -> Products:
        """Fused attention: forward it needs two products over its visible pairs, backward those that are wanted."""
        if name in operations.RAGGED | operations.RAGGED_BACKWARD:
            found = operations.ragged_pairs(named, self.sizes)
        else:
            mask = None if site.scope is not None else operations.pick(named, "attn_mask", "attn_bias", "bias")
            pairs, widths = operations.dense_pairs(named, mask, self.sizes, name, self.read_pairs)
            found = pairs, widths, not isinstance(mask, Tensor) or masks.is_understood(mask)
        q, k, v = (operations.pick(named, word, word[0]) for word in ("query", "key", "value"))
        return self._products(name, name in operations.FORWARD | operations.RAGGED, (q, k, v), found, site)

    def _products(
        self, name: str, is_forward: bool, operands: Any, found: tuple[Pairs, Widths, bool], site: Site
    ) -> Products:
        """Those of so many pairs; what a forward pass is given says which gradients its backward pass is to find."""
        pairs, widths, is_known = found
        if not is_known:
            self._assume_visible(name)
        if not is_forward:
            return backward_products(pairs, *widths, site.wanted)
        site.wanted = Wanted.by(*operands)
        return forward_products(pairs, *widths)

    def _assume_visible(self, name: str) -> None:
        if not self.scopes and not self.parts and self.phase != "backward":
            self.trace.notes[f"{name}: the mask's contents are not known, all pairs count as visible"] = None

    def add_products(self, name: str, products: Products, tensors: tuple[Tensor, ...]) -> None:
        """Count a call that is not taken apart."""
        self._add(*self._site(), name, "arithmetic", products, tensors)

    def _run_ours(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Count what an operator of ours does inside, once for all calls that are alike."""
        outer = self.in_ours
        if self.phase == "backward" and outer is None:
            self.in_ours = self._site()[0]
        site = self.in_ours or Site(self.stack[-1] if self.stack else "")
        # Inside of a scope nothing but execution is counted, so that it can be counted again without a run.
        key = _call_key(self.phase, name, args, kwargs) if self.scopes or site.scope is not None else None
        self.takes_apart += 1
        try:
            if key is not None and key in self.bodies:
                return self._repeat(self.bodies[key], site, func, args, kwargs)
            before, peak, seen = dict(self.trace.works), 0, self.products
            if self.memory is not None:
                peak, self.memory.peak = self.memory.peak, self.memory.live
            # The gradient of a bias is taken by a transform inside of the operator, which must reach the mode again.
            with enable_reentrant_dispatch(), torch.no_grad(), self:
                out = OPDEFS[name.replace(".", "::")]._init_fn(*args, **kwargs)
            if self.products == seen and func._overloadpacket in flop_registry:
                self._count_kernel(func, args, kwargs, out)
            extra = 0
            if self.memory is not None:
                extra = max(0, self.memory.peak - self.memory.live)
                self.memory.peak = max(peak, self.memory.peak)
            if key is not None:
                works = self.trace.works.items()
                done = {at[2]: now - before.get(at, NOTHING) for at, now in works if now != before.get(at)}
                self.bodies[key] = Body(done, extra)
            return out
        finally:
            self.in_ours = outer
            self.takes_apart -= 1

    def _count_kernel(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        """Count a kernel of ours, which does not run on tensors without contents, by the formula of its operator."""
        if self.phase not in ("forward", "backward"):
            return
        name = self.parts[-1] if self.parts else func._schema.name.split("::")[1]
        products = Products.all_needed(flop_registry[func._overloadpacket](*args, **kwargs, out_val=out))
        self._add(*self._site(), name, "product", products, (args, kwargs, out), attends=bool(self.parts))

    def _repeat(self, body: Body, site: Site, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Count a call again whose body is known."""
        out = func(*args, **kwargs)
        for name, work in body.work.items():
            self.trace.add((self.phase, site.module, name), work)
        if self.memory is not None:
            self.memory.track(out)
            self.memory.peak = max(self.memory.peak, self.memory.live + body.extra)
        return out

    def _run_higher_order(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        site, is_again = self._site()
        out = func(*args, **kwargs)
        if self.memory is not None:
            self.memory.track(out)
        name = str(func)
        if name not in ("flex_attention", "flex_attention_backward"):
            self.trace.unknown[name] += 1
            return out
        forward = name == "flex_attention"
        block_mask = args[4 if forward else 9]
        with unset_fake_temporarily():
            found = operations.flex_pairs(args[:3], block_mask, self.sizes, self.read_pairs)
        products = self._products(name, forward, args[:3], found, site)
        self._add(site, is_again, name, "arithmetic", products, (args[:3], out), attends=True)
        return out

    @contextmanager
    def scope(self, forward: Count, backward: Count) -> Iterator[None]:
        """Operations that need `forward` and `backward` FLOPs, whatever they execute."""
        module = self.stack[-1] if self.stack else ""
        scope = Scope(backward, module)
        self.all_scopes.append(scope)
        if self.phase == "forward":
            self.trace.add(("forward", module, "attend"), Work(forward), attends=True)
        self.scopes.append(scope)
        try:
            yield
        finally:
            self.scopes.pop()

    def attend(self, name: str, problem: Problem) -> AbstractContextManager[None]:
        """Enter one call of `attend`, whose time the machine's table says: by this algorithm, or by the one that a
        machine which is not here would choose. The operations of what it runs in have no price of their own. It is
        planned now: where the call is entered tensors have no contents, by which cells are told apart.
        """
        if self.ledger is None or self.phase not in ("forward", "backward"):
            return nullcontext()
        machine = self.ledger.machine
        there = problem.on_machine(machine)
        if machine.name != problem.machine.name:
            name = PLANNER.choose(there).name
        return self._attending(self.ledger.attend(self.phase, self.stack[-1] if self.stack else "", name, there))

    @contextmanager
    def _attending(self, attended: Attended) -> Iterator[None]:
        self.attending.append(attended)
        try:
            yield
        finally:
            self.attending.pop()

    def finish(self) -> Trace:
        """Settle what could only be known at the end."""
        for product in self.deferred:
            visible, pairs = self.read_pairs(product.share.visible), self.read_pairs(product.share.pairs)
            self.trace.add(product.place, Work(exactly(product.flops * visible, pairs)), product.share.attends)
        for scope in self.all_scopes:
            if scope.was_entered_backward:
                self.trace.add(("backward", scope.module, "attend"), Work(scope.backward))
        self.trace.notes |= dict.fromkeys(self.experts.notes())
        self.deferred, self.all_scopes = [], []
        return self.trace


def exactly(dividend: Count, divisor: Count) -> Count:
    """A quotient that is whole."""
    if divisor == 1:
        return dividend
    if isinstance(dividend, int):
        quotient, rest = divmod(dividend, divisor)
        assert rest == 0
        return quotient
    return dividend / divisor


def _call_key(phase: str, name: str, args: Any, kwargs: Any) -> Any:
    """What calls that are alike share: sizes, types and known contents; None where that is too much to compare."""
    parts: list[Any] = [phase, name]
    for x in tree_flatten((args, kwargs))[0]:
        if not isinstance(x, Tensor):
            parts.append(repr(x))
            continue
        value = known(x)
        if value is not None and value.numel() > MAX_COMPARED:
            return None
        with unset_fake_temporarily():
            contents = None if value is None else str(value.tolist())
        parts.append((tuple(x.shape), x.stride(), x.dtype, x.requires_grad, contents))
    return tuple(parts)


def attend_recorder(watch: Watch) -> recording.Call:
    """What `regard.algorithms.planning.recording` asks before each call of `attend`: the algorithm and its scope.

    Scores with content need the products over their visible pairs, whatever algorithm computes them. Positions alone,
    and features, need what their algorithm computes. Where sizes are symbols nobody asks what is executed, and the
    simplest algorithm runs.
    """

    def call(
        name: str, q: Tensor, k: Tensor, v: Tensor, attention: Attention
    ) -> tuple[str, AbstractContextManager[None]]:
        if watch.scopes or watch.attending:  # a part of a call that is counted already
            return name, nullcontext()
        priced = watch.attend(name, pose(q, k, v, attention))
        if attention.content is None or isinstance(attention.weighting, Kernel):
            return name, _together(priced, recording.part("mixing"))
        visible, is_known = visible_pairs(q, k, v, attention)
        if not is_known:
            note = f"attend by {name}: the mask's contents are not known, hidden pairs may be counted"
            watch.trace.notes[note] = None
        pairs = watch.read_pairs(visible)
        D, E = watch.sizes(q)[-1], watch.sizes(v)[-1]
        both = Pairs(pairs, pairs)
        back = backward_products(both, D, E, Wanted.by(q, k, v, *attention.flatten()[1]))
        scope = watch.scope(forward_products(both, D, E).needed, back.needed)
        return "reference" if watch.is_symbolic else name, _together(priced, scope)

    return call


@contextmanager
def _together(*contexts: AbstractContextManager[None]) -> Iterator[None]:
    """Enter contexts in their order."""
    with ExitStack() as stack:
        for context in contexts:
            stack.enter_context(context)
        yield


def visible_pairs(q: Tensor, k: Tensor, v: Tensor, attention: Attention) -> tuple[int, bool]:
    """Pairs of all rows and heads that may attend, and whether every mask could be asked."""
    problem = pose(q, k, v, attention)
    structure, tensors = attention.mask.flatten()
    places = problem.places
    if not tensors and places.is_static and not own_parts(structure):
        return visited(problem), True
    values = [value for value in map(known, tensors) if value is not None]
    few = q.shape[2] * k.shape[2] * q.shape[0] <= MAX_PAIRS
    if len(values) < len(tensors) or not places.is_static or not few:
        return visited(problem), not tensors and places.is_static and has_blocks(attention.mask, places)
    return count_pairs(unflatten(values, structure), places, q.shape[0], q.shape[1]), True
