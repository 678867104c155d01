"""Training in several processes: the mesh that they form, and what they do together.

A mesh has a dimension of each kind. `data` copies the model, `shard` splits its weights, gradients and moments (FSDP2)
and `context` splits the sequences of a batch. Every process takes its rows of the batch along `data` and `shard`.
"""

import hashlib
import inspect
import os
import signal
import time
import uuid
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any, TypeVar

import torch
import torch.distributed as dist
from torch import Tensor, nn
from torch.distributed.device_mesh import DeviceMesh
from torch.distributed.rendezvous import rendezvous

from regard.models.block import Block
from regard.training.batches import mix_seed
from regard.training.recomputation import find_blocks
from regard.training.settings import Mesh, Settings
from regard.training.task import Share
from regard.training.whole_batch import WholeDraws, share_batch_norms

AGAIN = 0.05  # seconds until a process looks again whether all others have joined
LONGEST = timedelta(minutes=30)  # that processes wait for one: the first evaluates and measures alone
GONE = ("connection closed", "connection reset", "broken pipe", "connection refused", "timed out", "socket")

Found = TypeVar("Found")


class Lost(ValueError):  # noqa: N818 - named by what happened
    """A process that the others waited for is gone."""


class Ended(Lost):
    """The first process has ended, and has said why."""


class Terminated(KeyboardInterrupt):
    """`torchrun` ends this process."""


@dataclass(frozen=True)
class Processes:
    """One process among those that train together; alone, everything here does nothing.

    >>> Processes(Mesh(data=2, context=2), torch.device("cpu"), rank=3).part
    (1, 2)
    """

    mesh: Mesh
    device: torch.device
    rank: int = 0

    @staticmethod
    def of(mesh: str | None, device: torch.device | str) -> "Processes":
        """The processes that `torch.distributed` knows, along `data` unless the settings say otherwise."""
        count = dist.get_world_size() if dist.is_initialized() else 1
        wanted = Mesh(data=count) if mesh is None else Mesh.read(mesh)
        if wanted.count != count:
            raise ValueError(
                f"mesh must have a place for each process: got mesh={mesh} of {wanted.count} for {count}; use torchrun "
                f"--nproc-per-node {wanted.count} -m regard, or --set training.mesh=none for {count} along data"
            )
        return Processes(wanted, torch.device(device), dist.get_rank() if dist.is_initialized() else 0)

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    @property
    def is_alone(self) -> bool:
        return self.mesh.count == 1

    @property
    def is_plain(self) -> bool:
        """Whether this is one process with a whole model."""
        return self.is_alone and not self.is_sharded

    @property
    def is_sharded(self) -> bool:
        return "shard" in self.mesh.named and dist.is_initialized()

    @property
    def parts(self) -> int:
        """Into how many parts a batch is split."""
        return self.mesh.data * self.mesh.shard

    @property
    def part(self) -> tuple[int, int] | None:
        """Which part of a batch it takes, of how many; None: all of it."""
        return None if self.parts == 1 else (self.rank // self.mesh.context, self.parts)

    def prepare(self, model: nn.Module) -> nn.Module:
        """The model with its weights split along `shard`, and batch norms over whole batches."""
        if self.parts > 1:
            share_batch_norms(model)
        if not self.is_sharded:
            return model
        from torch.distributed.fsdp import fully_shard

        for number, parameter in model.named_parameters():
            if parameter.ndim == 0:
                raise ValueError(f"shard splits rows: got {number}, a single number; use data, or give it a row")
        for unit in _find_units(model):
            fully_shard(unit, mesh=self._weights)
        fully_shard(model, mesh=self._weights)
        return model

    @cached_property
    def _weights(self) -> DeviceMesh:
        """The mesh of the weights: copies, and parts of each. A single copy has nobody to exchange gradients with."""
        ranks = torch.arange(self.mesh.count).view(self.mesh.data, self.mesh.shard, self.mesh.context)
        ranks, copies = ranks.movedim(1, 2).reshape(-1, self.mesh.shard), self.mesh.data * self.mesh.context
        if copies == 1:
            return DeviceMesh(self.device.type, ranks[0], mesh_dim_names=("shard",))
        return DeviceMesh(self.device.type, ranks, mesh_dim_names=("copies", "shard"))

    @cached_property
    def context_group(self) -> dist.ProcessGroup:
        """The processes that share the sequences of this one's rows."""
        ranks = torch.arange(self.mesh.count).view(self.parts, self.mesh.context)
        return DeviceMesh(self.device.type, ranks, mesh_dim_names=("rows", "context")).get_group("context")

    def wrap(self, model: nn.Module, leaves_out: bool = False) -> nn.Module:
        """What is called in a step, so that gradients are means over all processes; some weights may have none."""
        if self.is_alone or self.is_sharded:
            return model
        from torch.nn.parallel import DistributedDataParallel

        known = inspect.signature(DistributedDataParallel).parameters
        renamed = "forward_sync_buffers" in known  # by torch 2.13
        options: dict[str, Any] = {"forward_sync_buffers" if renamed else "broadcast_buffers": False}
        return DistributedDataParallel(
            model, gradient_as_bucket_view=True, find_unused_parameters=leaves_out, **options
        )

    def synchronise(self, model: Any, now: bool) -> AbstractContextManager[None]:
        """Exchange gradients in this backward pass, or only add them up."""
        if self.is_sharded:
            getattr(model, "_orig_mod", model).set_requires_gradient_sync(now)
        elif not self.is_alone and not now:
            return getattr(model, "_orig_mod", model).no_sync()
        return nullcontext()

    def seed(self, seed: int) -> int:
        """A seed of this process's own."""
        return seed if self.is_alone else mix_seed(seed, self.rank)

    def weigh(self, loss: Tensor, weight: float | Tensor | None) -> Tensor:
        """The loss of this part, whose mean over all parts is that of the whole batch; several kinds are added up."""
        if weight is not None and not self.is_alone:
            own = torch.as_tensor(weight, device=self.device).float()
            loss = own / self.mean(own.clone()) * loss
        return loss.sum() if loss.ndim else loss

    def mean(self, value: Tensor) -> Tensor:
        """The mean over all processes; it may be computed in place."""
        if not self.is_alone:
            dist.all_reduce(value)
            value /= self.mesh.count
        return value

    def by_first(self, find: Callable[[], Found]) -> Found:
        """What the first process finds; its error ends all of them."""
        if self.is_alone:
            return find()
        if not self.is_first:
            said: list[Any] = [None, None]
            dist.broadcast_object_list(said)
            if said[1] is not None:
                raise Ended(f"the first process must go on: got {said[1]}")
            return said[0]
        try:
            found = find()
        except BaseException as error:
            dist.broadcast_object_list([None, str(error) or type(error).__name__])
            raise
        dist.broadcast_object_list([found, None])
        return found

    @contextmanager
    def hold(self, context: AbstractContextManager[Any]) -> Iterator[None]:
        """A context of the first process; where it cannot begin, none of them does."""
        with ExitStack() as stack:
            self.by_first(lambda: stack.enter_context(context) and None)
            yield

    def gather(self, kept: Any) -> list[Any]:
        """What each process has."""
        found = [kept] * self.mesh.count
        if not self.is_alone:
            dist.all_gather_object(found, kept)
        return found

    @contextmanager
    def explain(self, last: Callable[[], str]) -> Iterator[None]:
        """Say what was saved when a process is gone."""
        try:
            with warnings.catch_warnings():
                # FSDP2 warns of blocks that return views, which must not be changed in place; ours are not.
                warnings.filterwarnings("ignore", "FSDP2-wrapped module .* returned a view tensor")
                yield
        except (RuntimeError, Terminated) as error:
            is_gone = isinstance(error, dist.DistError | Terminated) or any(word in str(error).lower() for word in GONE)
            if self.is_alone or not is_gone:
                raise
            first = str(error).partition("\n")[0] or "torchrun ends the others"
            raise Lost(
                f"all processes of a training must live: got one that is gone ({first}); {last()}; go on from it with "
                "regard resume, in any number of processes"
            ) from error


def _find_units(model: nn.Module) -> list[nn.Module]:
    """The blocks of a model, whose weights are gathered one after the other.

    Blocks whose weights are used outside of them (shared, or for the memory of a decoder) stay with the model's own.
    """
    holders: dict[int, int] = {}
    for module in model.modules():
        for parameter in module.parameters(recurse=False):
            holders[id(parameter)] = holders.get(id(parameter), 0) + 1

    def is_apart(block: nn.Module) -> bool:
        has_memory = isinstance(block, Block) and block.cross is not None
        return not has_memory and all(holders[id(one)] == 1 for one in block.parameters())

    return find_blocks(model, is_apart)


class Draws:
    """The random numbers of the steps.

    On the CPU each process draws those of the whole batch and takes its rows, so that a training is the same in any
    number of processes. Elsewhere, in compiled models and for parts of sequences each draws its own, from a seed of
    each step.
    """

    def __init__(self, processes: Processes, settings: Settings) -> None:
        self.processes, self.base, self.recompute = processes, settings.seed + 3, settings.execution.recompute
        is_eager = processes.device.type == "cpu" and not settings.execution.compiled
        self.exact = is_eager and processes.mesh.context == 1
        self.is_drawing = True  # until a step has shown that nothing is drawn

    def begin(self, step: int) -> None:
        if not (self.processes.is_alone or self.exact):
            torch.manual_seed(self.processes.seed(mix_seed(self.base, step)))

    def again(self, share: Share | None) -> AbstractContextManager[Any]:
        """Draw in a backward pass, where blocks are computed again: what they have drawn before."""
        is_whole = self.recompute and self.exact and self.is_drawing
        return WholeDraws(share) if is_whole and share is not None else nullcontext()

    @contextmanager
    def take(self, share: Share | None) -> Iterator[None]:
        """Draw in the forward pass of a batch, of which this process has a share."""
        if share is None or not self.exact:
            yield
            return
        before = torch.get_rng_state()
        if self.is_drawing:
            with WholeDraws(share):
                yield
        else:  # intercepting every operation takes time that a model without dropout need not spend
            yield
        drawn = not torch.get_rng_state().equal(before)
        if drawn and not self.is_drawing:
            warnings.warn("random numbers are drawn now: those of this step were not of the whole batch", stacklevel=2)
        self.is_drawing = drawn


@contextmanager
def join_processes(device: str = "cpu") -> Iterator[str]:
    """Join the processes that `torchrun` started, and give this one its device; alone, do nothing.

    >>> with join_processes("cpu") as device:
    ...     device
    'cpu'
    """
    if not dist.is_torchelastic_launched() or dist.is_initialized():
        yield device
        return
    is_cuda = torch.device(device).type == "cuda"
    own = f"cuda:{os.environ['LOCAL_RANK']}" if is_cuda else device
    if is_cuda:
        torch.cuda.set_device(own)
    store, rank, count = next(rendezvous("env://", timeout=LONGEST))
    store = dist.PrefixStore(agree(store, rank, count), store)  # pyright: ignore[reportPrivateImportUsage]
    backend = "cpu:gloo,cuda:nccl" if is_cuda else "gloo"
    dist.init_process_group(backend, store=store, rank=rank, world_size=count, timeout=LONGEST)
    before = signal.signal(signal.SIGTERM, _end)
    try:
        yield own
        dist.barrier()
    finally:
        signal.signal(signal.SIGTERM, before)
        dist.destroy_process_group()


def agree(store: Any, rank: int, count: int) -> str:
    """A name that the processes of one start agree on, and no other start has had.

    `torchrun` keeps its store when it starts processes again, with the addresses of those that are gone. Each writes a
    name of its own and reads those of all, until all have said that they read the same: who reads a name from before
    reads again.
    """
    store.set(f"joins/{rank}", uuid.uuid4().hex)
    while True:
        names = b" ".join([store.get(f"joins/{one}") for one in range(count)])
        agreed = hashlib.sha256(names).hexdigest()
        store.set(f"{agreed}/{rank}", "")
        if store.check([f"{agreed}/{one}" for one in range(count)]):
            return agreed
        time.sleep(AGAIN)


def _end(signum: int, frame: Any) -> None:
    """When one process is gone `torchrun` sends SIGTERM to the others, which must still tell what was saved."""
    raise Terminated


def is_restarted() -> bool:
    """Whether `torchrun` has started these processes again."""
    return int(os.environ.get("TORCHELASTIC_RESTART_COUNT", 0)) > 0


def may_restart() -> bool:
    """Whether `torchrun` would start these processes again."""
    return int(os.environ.get("TORCHELASTIC_MAX_RESTARTS", 0)) > 0
