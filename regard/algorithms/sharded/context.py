"""Which tokens of a sequence this process holds, and how those of all processes become one sequence again."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch import distributed as dist

from regard.algorithms.sharded.exchange import Gathered
from regard.checks import check_whole

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup
    from torch.distributed.device_mesh import DeviceMesh


@dataclass(frozen=True, eq=False)
class Context:
    """Sequences of `tokens` tokens, of which process `rank` of `count` holds a part.

    Balanced, a sequence is cut into 2·count chunks, and process r holds the r-th and the r-th from the end: under a
    causal mask all of them have the same work, while of `count` chunks in order the last has nearly all. Where queries
    attend to other tokens than themselves, `memory` is how many these are; they are cut in the same way.

    Without a `group` it is a plan: `Context.of` takes a group or one dimension of a device mesh.

    >>> Context(16, count=2, rank=0).runs(), Context(16, count=2, rank=1, balanced=False).runs()
    ((range(0, 4), range(12, 16)), (range(8, 16),))
    """

    tokens: int
    count: int
    rank: int = 0
    group: "ProcessGroup | None" = None
    balanced: bool = True
    memory: int | None = None
    route: str | None = None  # "ring" or "gathered"; None: whichever is cheaper
    link: float | None = None  # bytes per second that a process receives; None: as the device's data sheet says

    def __post_init__(self) -> None:
        check_whole("count", self.count, 1)
        for name in ("tokens", "memory"):
            n = getattr(self, name)
            if n is None:
                continue
            check_whole(name, n, 1)
            if n < self.count:
                raise ValueError(
                    f"each process needs a token: got {name}={n} for {self.count} processes; use fewer processes"
                )
        if not 0 <= self.rank < self.count:
            raise ValueError(f"rank must lie in 0…{self.count - 1}: got rank={self.rank}; use that of the group")

    @classmethod
    def of(
        cls,
        where: "ProcessGroup | DeviceMesh",
        tokens: int,
        *,
        balanced: bool = True,
        memory: int | None = None,
        route: str | None = None,
        link: float | None = None,
    ) -> "Context":
        """The part of this process in a group, or in a mesh of one dimension such as `mesh["context"]`."""
        from torch.distributed.device_mesh import DeviceMesh

        if isinstance(where, DeviceMesh):
            if where.ndim != 1:
                raise ValueError(
                    f"tokens are cut along one dimension of a mesh: got {where}; use mesh['context'] of the whole"
                )
            where = where.get_group()
        return cls(tokens, dist.get_world_size(where), dist.get_rank(where), where, balanced, memory, route, link)

    def runs(self, rank: int | None = None, *, memory: bool = False) -> tuple[range, ...]:
        """The tokens of a process, this one's unless told, in runs of neighbours; with `memory` those attended to."""
        rank = self.rank if rank is None else rank
        n = self.num_keys if memory else self.tokens
        chunks = 2 * self.count if self.balanced else self.count
        numbers = (rank, chunks - 1 - rank) if self.balanced else (rank,)
        runs = [range(number * n // chunks, (number + 1) * n // chunks) for number in numbers]
        if len(runs) == 2 and runs[0].stop == runs[1].start:
            runs = [range(runs[0].start, runs[1].stop)]
        return tuple([run for run in runs if run])

    @property
    def key(self) -> tuple[Any, ...]:
        """All that a choice may depend on: the same for every process."""
        return self.tokens, self.memory, self.count, self.balanced, self.route, self.link

    @property
    def num_keys(self) -> int:
        """How many tokens are attended to."""
        return self.tokens if self.memory is None else self.memory

    def held(self, rank: int | None = None, *, memory: bool = False) -> int:
        """How many tokens a process holds, this one unless told."""
        return sum([len(run) for run in self.runs(rank, memory=memory)])

    def indices(self, device: torch.device | str | None = None) -> Tensor:
        """The place of each of this process's tokens in the sequence: what positions are made from.

        >>> Context(8, count=2, rank=0).indices()
        tensor([0, 1, 6, 7])
        """
        return torch.cat([torch.arange(run.start, run.stop, device=device) for run in self.runs()])

    def split(self, x: Tensor, dim: int = 1) -> Tensor:
        """The tokens of this process, of a tensor that every process has whole.

        >>> Context(8, count=2, rank=1).split(torch.arange(8)[None])
        tensor([[2, 3, 4, 5]])
        """
        if x.shape[dim] != self.tokens:
            raise ValueError(
                f"x must have the {self.tokens} tokens of the sequence along dimension {dim}: "
                f"got shape {tuple(x.shape)}; tokens that are split already need no split"
            )
        return torch.cat([x.narrow(dim, run.start, len(run)) for run in self.runs()], dim)

    def join(self, x: Tensor, dim: int = 1, *, memory: bool = False) -> Tensor:
        """The tokens of all processes in their order; going back each gets the sum of what all say of its own.

        Every process calls it, with tensors that are alike but for their number of tokens.
        """
        self.check_group()
        if x.shape[dim] != self.held(memory=memory):
            raise ValueError(
                f"x must have this process's {self.held(memory=memory)} tokens along dimension {dim}: "
                f"got shape {tuple(x.shape)}; give each process its own part, as split does"
            )
        runs = [self.runs(rank, memory=memory) for rank in range(self.count)]
        joined: Any = Gathered.apply(x.movedim(dim, 0), runs, self.group)
        return joined.movedim(0, dim)

    def check_group(self) -> None:
        """Raise unless there are processes to speak with."""
        if self.group is None and self.count > 1:
            raise ValueError(
                f"the parts are on {self.count} processes: got a Context without a group; "
                "use Context.of(mesh['context'], tokens)"
            )
