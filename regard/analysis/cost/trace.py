"""Watching a run: every operation is counted in the module that called it, forward, backward and again."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch._guards import detect_fake_mode
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
from torch.utils._pytree import tree_flatten, tree_map_only

from regard.algorithms.planning.cost import Count
from regard.analysis.cost import attention, masks
from regard.analysis.cost.bodies import Bodies, Body
from regard.analysis.cost.kinds import kind
from regard.analysis.cost.known import Values, known, remember, small
from regard.analysis.cost.products import (
    EVERYTHING,
    NONE,
    PRODUCTS,
    Call,
    Products,
    Wanted,
    backward_products,
    forward_products,
)
from regard.analysis.cost.tally import Tally, Trace


@dataclass
class Site:
    """Where in the forward pass an operation that has a gradient was called."""

    module: str
    share: masks.Share | None = None
    wanted: Wanted = EVERYTHING
    scope: "Scope | None" = None


@dataclass
class Scope:
    """A stretch of operations whose need is known from outside: one call of `attend`."""

    backward: Count
    module: str
    was_entered_backward: bool = False


@dataclass
class Deferred:
    """A product whose visible share is known only when its softmax comes."""

    tally: Tally
    flops: Count
    share: masks.Share


class Watch(TorchDispatchMode):
    """The mode under which a module runs; `read` makes a number or a polynomial of a size, `read_pairs` of a count."""

    supports_higher_order_operators = True

    def __init__(self, read: Callable[[int], Count] = int, read_pairs: Callable[[int], Count] = int) -> None:
        super().__init__()
        self.trace, self.read, self.read_pairs = Trace(), read, read_pairs
        self.is_symbolic = read is not int
        self.takes_apart = 0
        self.in_ours: Site | None = None  # of the operator of ours that is taken apart on the way back
        self.phase = "forward"
        self.stack: list[str] = []
        self.parts: list[str] = []  # what the products of `attend` are for, told by its recorder
        self.scopes: list[Scope] = []
        self.sites: dict[int, Site] = {}
        self.all_scopes: list[Scope] = []
        self.deferred: list[Deferred] = []
        self.values = Values()
        self.bodies = Bodies()
        self.memory: Any = None  # follows storages, if somebody asks for it

    def sizes(self, x: Tensor) -> tuple[Count, ...]:
        return tuple([self.read(n) for n in x.shape])

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if isinstance(func, HigherOrderOperator):
            return self._higher_order(func, args, kwargs)
        if func is torch.ops.prim.device.default:
            return func(*args, **kwargs)
        name = f"{func.namespace}.{func._schema.name.split('::')[1]}"
        if func.namespace == "regard":
            return self._ours(func, name, args, kwargs)
        if not _is_known(name, func):
            with self:
                result = func.decompose(*args, **kwargs)
            if result is not NotImplemented:
                return result
        out = self._run(func, args, kwargs)
        if self.memory is not None:
            self.memory.saw(out)
        if self.phase not in ("forward", "backward"):
            return out
        with unset_fake_temporarily():  # what is known of masks is real
            self._count(name, func, args, kwargs, out)
        return out

    def _run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """On fake tensors, and where everything that goes in is known on contents too."""
        contents = self.values.contents(func, args, kwargs)
        try:
            out = func(*args, **kwargs)
        except (DataDependentOutputException, DynamicOutputShapeException):
            # Our operators ask whether something rare happens, a bias that hides all of a row; torch's truncated normal
            # distribution whether a number lies outside.
            if contents is None and args[0].dtype == torch.bool and (self.takes_apart or _is_initialising()):
                return False
            if contents is None:
                if (out := self._selected(func, args)) is None:
                    raise
                return out
            real = self.values.compute(func, contents)
            return tree_map_only(Tensor, _faked, real)
        if contents is None:
            self.values.spoil(func, args, kwargs)
        elif small(out) and any(isinstance(x, FakeTensor) for x in tree_flatten(out)[0]):
            self.values.keep(func, args, out, self.values.compute(func, contents))
        return out

    def _selected(self, func: Any, args: tuple[Any, ...]) -> Any:
        """Rows of something unknown that a known mask chooses; None where it is not that."""
        if func is torch.ops.aten.masked_select.default and (mask := known(args[1])) is not None:
            shape = torch.broadcast_shapes(args[0].shape, mask.shape)
            with unset_fake_temporarily():
                mask = mask.expand(shape)
            func, args = torch.ops.aten.index.Tensor, (args[0].expand(shape), [mask])
        if func is not torch.ops.aten.index.Tensor:
            return None
        places: list[Tensor | None] = []
        with unset_fake_temporarily():
            for index in args[1]:
                value = None if index is None else known(index)
                if value is None and index is not None:
                    return None
                is_mask = value is not None and value.dtype == torch.bool
                places += list(value.nonzero(as_tuple=True)) if is_mask else [value]  # pyright: ignore[reportOptionalMemberAccess]
        return func(args[0], [None if x is None else _faked(x) for x in places])

    def _count(self, name: str, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        site, is_again = self._site()
        short = name.removeprefix("aten.")
        if name in PRODUCTS:
            products, what = PRODUCTS[name](Call(args, kwargs, out, self.sizes)), "product"
            if name in MATRICES and (self.phase == "forward" or is_again):
                site.share = masks.product(name, args, out)
        elif name in FUSED:
            products, what = self._fused(name, attention.bound(func, args, kwargs), site), "product"
        else:
            products, what = NONE, kind(func)
            if what == "unknown":
                self.trace.unknown[str(func)] += 1
            if self.phase == "forward" or is_again:
                self._follow(func, short, args, kwargs, out)
            if short.startswith("_fft"):
                self.trace.notes["Fourier transforms are no matrix products: they count as elementwise"] = None
        if what != "free":
            tally = self._tally(site, self.parts[-1] if self.parts and what == "product" else short)
            share = site.share if name in MATRICES and not self.parts else None
            attends = name in FUSED or (what == "product" and bool(self.parts) and self.parts[-1] == "mixing")
            self._add(tally, products, share, site, is_again, attends)
            self._add_traffic(tally, what, args, kwargs, out)

    def _follow(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], out: Any) -> None:
        masks.follow(func, name, args, kwargs, out)
        if name in masks.FILLS and not self.scopes and masks.fills_unknown(name, args):
            self._assume(f"aten.{name}")

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
        site = Site(module, scope=scope or (made.scope if made is not None else None))
        # The first operation after a node of the graph was made is that node's own.
        self.sites.setdefault(torch.autograd._get_sequence_nr() - 1, site)  # pyright: ignore[reportPrivateImportUsage]
        return site, is_again

    def _tally(self, site: Site, name: str) -> Tally:
        tally = self.trace.tally(self.phase, site.module, name)
        tally.calls += 1
        return tally

    def _add(
        self,
        tally: Tally,
        products: Products,
        share: masks.Share | None,
        site: Site,
        is_again: bool,
        is_attention: bool = False,
    ) -> None:
        if not self.is_symbolic:  # whole blocks of kernels are no polynomial
            tally.executed = tally.executed + products.executed
        if is_again or site.scope is not None:
            return
        if share is None:
            tally.needed = tally.needed + products.needed
            if is_attention:
                tally.attention = tally.attention + products.needed
        else:
            self.deferred.append(Deferred(tally, products.needed, share))

    def _add_traffic(self, tally: Tally, what: str, args: Any, kwargs: Any, out: Any) -> None:
        if self.is_symbolic:
            return
        tensors = [x for x in tree_flatten((args, kwargs, out))[0] if isinstance(x, Tensor)]
        for x in tensors:
            tally.bytes = tally.bytes + x.element_size() * self._numel(x)
        if what == "arithmetic" and tensors:
            tally.elementwise = tally.elementwise + self._numel(max(tensors, key=Tensor.numel))

    def _numel(self, x: Tensor) -> int:
        """Elements that lie in memory: repeated ones count once."""
        count = 1
        for size, step in zip(x.shape, x.stride(), strict=True):
            count *= size if step else 1
        return count

    def _fused(self, name: str, named: dict[str, Any], site: Site) -> Products:
        if name in attention.RAGGED | attention.RAGGED_BACKWARD:
            pairs, widths, is_known = attention.ragged_pairs(named, self.sizes)
            if not is_known:
                self._assume(name)
        else:
            pairs, widths = attention.dense_pairs(named, self.sizes, name, self.read_pairs)
            mask = attention.first(named, "attn_mask", "attn_bias", "bias")
            if isinstance(mask, Tensor) and not masks.is_understood(mask):
                self._assume(name)
        if name in attention.FORWARD | attention.RAGGED:
            q, k, v = (attention.first(named, word, word[0]) for word in ("query", "key", "value"))
            site.wanted = Wanted.by(q, k, v)
            return forward_products(pairs, *widths)
        return backward_products(pairs, *widths, site.wanted)

    def _assume(self, name: str) -> None:
        if not self.scopes and not self.parts and self.phase != "backward":
            self.trace.notes[f"{name}: the mask's contents are not known, all pairs count as visible"] = None

    def add_products(self, name: str, products: Products, tensors: tuple[Tensor, ...]) -> None:
        """Tell of a call that is counted whole."""
        site, is_again = self._site()
        tally = self._tally(site, name)
        self._add(tally, products, None, site, is_again)
        self._add_traffic(tally, "arithmetic", tensors, {}, ())

    def _ours(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """An operator of ours: what it does inside is counted, once for all calls that are alike."""
        outer = self.in_ours
        if self.phase == "backward" and outer is None:
            self.in_ours = self._site()[0]
        site = self.in_ours or Site(self.stack[-1] if self.stack else "")
        # Inside of a scope nothing but execution is counted, so that it can be counted again without a run.
        alike = self.bodies.key(self.phase, name, args, kwargs) if self.scopes or site.scope is not None else None
        self.takes_apart += 1
        try:
            if alike is not None and alike in self.bodies.found:
                return self._repeat(self.bodies.found[alike], site, func, args, kwargs)
            before = self.bodies.begin(self.trace, self.memory)
            # The gradient of a bias is taken by a transform inside of the operator, which must reach the mode again.
            with enable_reentrant_dispatch(), torch.no_grad(), self:
                out = OPDEFS[name.replace(".", "::")]._init_fn(*args, **kwargs)
            self.bodies.end(alike, before, self.trace, self.memory)
            return out
        finally:
            self.in_ours = outer
            self.takes_apart -= 1

    def _repeat(self, body: Body, site: Site, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        out = func(*args, **kwargs)
        for name, (executed, elementwise, bytes, calls) in body.work.items():
            tally = self.trace.tally(self.phase, site.module, name)
            tally.executed, tally.elementwise = tally.executed + executed, tally.elementwise + elementwise
            tally.bytes, tally.calls = tally.bytes + bytes, tally.calls + calls
        if self.memory is not None:
            self.memory.saw(out)
            self.memory.peak = max(self.memory.peak, self.memory.live + body.extra)
        return out

    def _higher_order(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        site, is_again = self._site()
        out = func(*args, **kwargs)
        if self.memory is not None:
            self.memory.saw(out)
        name = str(func)
        if name not in ("flex_attention", "flex_attention_backward"):
            self.trace.unknown[name] += 1
            return out
        forward = name == "flex_attention"
        block_mask = args[4 if forward else 9]
        with unset_fake_temporarily():
            pairs, widths, is_known = attention.flex_pairs(args[:3], block_mask, self.sizes, self.read_pairs)
        if not is_known:
            self._assume(name)
        if forward:
            site.wanted = Wanted.by(*args[:3])
            products = forward_products(pairs, *widths)
        else:
            products = backward_products(pairs, *widths, site.wanted)
        tally = self._tally(site, name)
        self._add(tally, products, None, site, is_again, is_attention=True)
        self._add_traffic(tally, "arithmetic", args[:3], {}, out)
        return out

    @contextmanager
    def scope(self, forward: Count, backward: Count) -> Iterator[None]:
        """Operations whose need is known: they are executed, and need that much on the way there and back."""
        module = self.stack[-1] if self.stack else ""
        scope = Scope(backward, module)
        self.all_scopes.append(scope)
        if self.phase == "forward":
            tally = self.trace.tally("forward", module, "attend")
            tally.needed, tally.attention = tally.needed + forward, tally.attention + forward
        self.scopes.append(scope)
        try:
            yield
        finally:
            self.scopes.pop()

    def finish(self) -> Trace:
        """Settle what could only be known at the end."""
        for product in self.deferred:
            visible, pairs = self.read_pairs(product.share.visible), self.read_pairs(product.share.pairs)
            needed = exactly(product.flops * visible, pairs)
            product.tally.needed = product.tally.needed + needed
            if product.share.attends:
                product.tally.attention = product.tally.attention + needed
        for scope in self.all_scopes:
            if scope.was_entered_backward:
                tally = self.trace.tally("backward", scope.module, "attend")
                tally.needed = tally.needed + scope.backward
        self.deferred, self.all_scopes = [], []
        return self.trace


FUSED = attention.FORWARD | attention.BACKWARD | attention.RAGGED | attention.RAGGED_BACKWARD
MATRICES = frozenset({"aten.mm", "aten.bmm", "aten.baddbmm", "aten.addmm"})


def exactly(dividend: Count, divisor: Count) -> Count:
    """A quotient that is whole."""
    if divisor == 1:
        return dividend
    if isinstance(dividend, int):
        quotient, rest = divmod(dividend, divisor)
        assert rest == 0
        return quotient
    return dividend / divisor


def _is_known(name: str, func: Any) -> bool:
    return name in PRODUCTS or name in FUSED or kind(func) != "unknown"


def _is_initialising() -> bool:
    """Whether torch's own filling of parameters asks."""
    frame = sys._getframe()
    while frame is not None and frame.f_code.co_filename != torch.nn.init.__file__:
        frame = frame.f_back
    return frame is not None


def _faked(real: Tensor) -> Tensor:
    """A fake tensor of known contents."""
    mode = detect_fake_mode()
    assert mode is not None
    fake = mode.from_tensor(real)
    remember(fake, real)
    return fake
