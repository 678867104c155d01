"""What an algorithm is: it refuses what it would not compute exactly, says what it costs, and runs."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, ClassVar

import torch
from torch import Tensor

from regard.algorithms.planning.cost import Cost
from regard.algorithms.planning.problem import Problem
from regard.algorithms.planning.recording import machine_for
from regard.attention import Content
from regard.attention.positions.sizes import most

HAS_TRITON = find_spec("triton") is not None  # asked once: a compiler cannot follow the question
Run = Callable[[Tensor, Tensor, Tensor, tuple[Any, ...]], tuple[Tensor, Tensor | None]]
TRITON = 80  # the capability from which on it uses matrix units; below, products are number by number
BFLOAT16 = 80  # the capability from which on GPUs have it


class Algorithm(ABC):
    """One exact way to compute attention. All that it may know of a call is in the problem."""

    name: ClassVar[str]
    any_length: ClassVar[bool] = True  # one graph of a compiler serves all lengths
    any_device: ClassVar[bool] = False  # nothing but what torch has for every device, and no float64
    takes_cap: ClassVar[bool] = False  # it computes Content(cap=…)
    is_definition: ClassVar[bool] = False  # it asks the value for every logit, whoever wrote its class
    is_operator: ClassVar[bool] = False  # a compiled graph goes through Python to call its kernel

    @abstractmethod
    def refuses(self, problem: Problem) -> str | None:
        """Why this algorithm would not be exact, or not run, for the problem; None when it would."""

    @abstractmethod
    def cost(self, problem: Problem) -> Cost:
        """What it takes, in numbers, or in formulas where sizes are symbols; for problems that it does not refuse."""

    def expected(self, problem: Problem) -> Cost:
        """What it is likely to take, where the cost is what it takes at most: of data, or of pieces cut short."""
        return self.cost(problem)

    def seconds(self, problem: Problem) -> float:
        """Predicted time: by the table of the machine, unless it knows better."""
        return predicted(problem, self.name, self.expected(problem), problem.dtype)

    def joins_sink(self, problem: Problem) -> bool:
        """Whether it joins a sink itself; else the planner does, by the log-sum-exp."""
        return False

    @abstractmethod
    def run(self, problem: Problem, q: Tensor, k: Tensor, v: Tensor) -> tuple[Tensor, Tensor | None]:
        """The output (B, H, T, E) in the type of v, and where the problem wants it the log-sum-exp (B, H, T)."""

    def shortcut(self, problem: Problem) -> Run | None:
        """What `run` does for all problems of this outline, without dropout, given q, k, v and the value's tensors in
        place of the problem: where there is little to do, to pose it is most of the work. It holds no tensor.
        """
        return None


def refusal(algorithm: Algorithm, problem: Problem) -> str | None:
    """Why the algorithm would not be exact, or not run; of a device that is neither a CPU nor a CUDA GPU too."""
    if problem.machine.kind == "other" and not algorithm.any_device:
        return "is written for CPUs and CUDA GPUs"
    if problem.cap is not None and not algorithm.takes_cap:
        return "has no soft cap"
    if not algorithm.is_definition:
        content = problem.attention.content
        if content is not None and type(content) is not Content:
            return told("knows what Content() says, not {}()", type(content).__name__)
        if problem.outline.flags.learns_elsewhere:
            return "gives gradients to fields: a score term learns from what is none of its own"
    return algorithm.refuses(problem)


def predicted(problem: Problem, name: str, cost: Cost, dtype: torch.dtype) -> float:
    """Launches, arithmetic and memory, one after the other, and the host's price of a call, which a GPU's queue hides.

    A kernel overlaps arithmetic and memory; their sum is at most twice the truth.
    """
    machine = problem.machine
    arithmetic = cost.flops / (machine.rate(dtype) * machine.share(name))
    device = cost.launches * machine.launch + arithmetic + cost.bytes / machine.bandwidth
    host = machine.host.get(name, (0.0, 0.0))[1 if problem.backward else 0]
    return most(host, device) if problem.on_cuda else host + device


def told(reason: str, *details: object) -> str:
    """A refusal with its details in place of {}; without them while a compiler is at work, which knows no such text."""
    return reason if torch.compiler.is_compiling() else reason.format(*details)


def refuses_softmax(problem: Problem) -> str | None:
    """Why an algorithm that computes a softmax takes no other weighting."""
    if problem.softmax:
        return None
    return told("computes a softmax, not {}()", type(problem.attention.weighting).__name__)


def refuses_cap(problem: Problem) -> str | None:
    """Why our kernels, which compute in float32 and in units of β, take no cap that is so small or so large."""
    if problem.cap is None or all([1e-18 <= cap <= 1e18 for cap in (problem.cap, problem.cap / problem.beta)]):
        return None
    return "takes caps from 1e-18 to 1e18, and of as many times beta"


def refuses_bfloat16(problem: Problem) -> str | None:
    """Why no kernel of torch takes the type on an older GPU."""
    if problem.on_cuda and problem.dtype == torch.bfloat16 and problem.machine.capability < BFLOAT16:
        return "sdpa has no kernel for bfloat16 below compute capability 8.0; it has one for float16"
    return None


def runs_triton(device: torch.device) -> bool:
    """Whether this device runs our Triton kernels, or stands in for one that does while a cost is counted."""
    machine = machine_for(device)
    if machine is not None:
        return HAS_TRITON and machine.capability >= TRITON
    if device.type != "cuda" or torch.version.hip is not None or not HAS_TRITON:
        return False
    return 10 * torch.cuda.get_device_properties(device).major >= TRITON


def refuses_triton(problem: Problem) -> str | None:
    """Why a Triton kernel does not run; a plan for another machine takes Triton for granted there."""
    if not problem.on_cuda:
        return "its kernel is for CUDA GPUs"
    if problem.machine.capability < TRITON:
        return told("Triton has matrix units from compute capability 8.0 on: got {}", problem.machine.capability / 10)
    if torch.version.cuda is not None and not HAS_TRITON:
        return "its kernel needs Triton, which this torch came without"
    return None
