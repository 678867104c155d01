"""What the operators of ours execute inside, found out once for calls that are alike."""

from dataclasses import dataclass
from typing import Any

from torch import Tensor
from torch._subclasses.fake_tensor import unset_fake_temporarily
from torch.utils._pytree import tree_flatten

from regard.algorithms.planning.cost import Count
from regard.analysis.cost.known import known
from regard.analysis.cost.tally import Trace

MOST = 1 << 16  # elements whose contents are compared


@dataclass(frozen=True)
class Body:
    """Of one call: what each operation inside did, executed, elementwise, bytes and calls; and the memory it took."""

    work: dict[str, tuple[Count, Count, Count, int]]
    extra: int


class Bodies:
    """The bodies that are known, by operator, phase, sizes, types and what is known of contents."""

    def __init__(self) -> None:
        self.found: dict[Any, Body] = {}

    def key(self, phase: str, name: str, args: Any, kwargs: Any) -> Any:
        """What calls that are alike share; None where that is too much to compare."""
        parts: list[Any] = [phase, name]
        for x in tree_flatten((args, kwargs))[0]:
            if not isinstance(x, Tensor):
                parts.append(repr(x))
                continue
            value = known(x)
            if value is not None and value.numel() > MOST:
                return None
            with unset_fake_temporarily():
                contents = None if value is None else str(value.tolist())
            parts.append((tuple(x.shape), x.stride(), x.dtype, x.requires_grad, contents))
        return tuple(parts)

    def begin(self, trace: Trace, memory: Any) -> Any:
        """What was counted before a body runs."""
        work = {key: (t.executed, t.elementwise, t.bytes, t.calls) for key, t in trace.tallies.items()}
        if memory is None:
            return work, 0
        peak, memory.peak = memory.peak, memory.live
        return work, peak

    def end(self, alike: Any, before: Any, trace: Trace, memory: Any) -> None:
        """Remember what the body did, if calls can be alike."""
        work, peak = before
        extra = 0
        if memory is not None:
            extra = max(0, memory.peak - memory.live)
            memory.peak = max(peak, memory.peak)
        if alike is None:
            return
        done = {}
        for key, t in trace.tallies.items():
            now, then = (t.executed, t.elementwise, t.bytes, t.calls), work.get(key, (0, 0, 0, 0))
            if now != then:
                done[key[2]] = tuple(a - b for a, b in zip(now, then, strict=True))
        self.found[alike] = Body(done, extra)
