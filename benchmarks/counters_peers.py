"""The counters: how each is asked, what of its answer is taken, and a process of its own for every question.

A counter that reports multiply-adds is taken times two; one that names its operations is asked for products alone.
"""

import importlib.metadata
import importlib.util
import multiprocessing
import os
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from multiprocessing.connection import Connection
from typing import Any
from unittest import mock

import torch
from torch import Tensor, nn

from benchmarks.counters_models import MODELS

Inputs = tuple[Tensor, ...]
SECONDS = 300.0  # for one question: a compiler has to fit in
LEAVE = 10.0  # to end by itself after its answer

# What is imported before the processes part: they start in no time, and no counter is among it.
PRELOAD = ["benchmarks.counters_peers", "torch._dynamo", "transformers.models.bert.modeling_bert"]
PRELOAD += [f"transformers.models.{name}.modeling_{name}" for name in ("gpt2", "llama", "t5", "vit")]


@dataclass(frozen=True, kw_only=True)
class Count:
    """What a counter says; None where it does not say."""

    parameters: int | None = None
    forward: int | None = None
    backward: int | None = None
    executed: int | None = None  # forward, where it tells it from what is needed
    unknown: tuple[str, ...] = ()  # operations that it says it could not count


@dataclass(frozen=True, kw_only=True)
class Failure:
    """Why there is no count: the type of the error, and its message."""

    kind: str
    message: str = ""


Answer = Count | Failure
Ask = Callable[[nn.Module, Inputs], Count]


@dataclass(frozen=True, kw_only=True)
class Peer:
    """A counter, the distribution and the module that bring it, and the unit of its own numbers."""

    ask: Ask
    distribution: str
    module: str
    unit: str

    @property
    def version(self) -> str:
        if importlib.util.find_spec(self.module.partition(".")[0]) is None:
            return "not installed"
        return importlib.metadata.version(self.distribution)


def regard(module: nn.Module, inputs: Inputs) -> Count:
    from regard.analysis.cost import cost

    found = cost(module, *inputs)
    backward = found.backward.flops if module.training else None
    return Count(
        parameters=int(found.parameters),
        forward=int(found.forward.flops),
        backward=None if backward is None else int(backward),
        executed=int(found.forward.executed),
        unknown=tuple(str(name) for name in found.unknown),
    )


def flop_counter(module: nn.Module, inputs: Inputs) -> Count:
    from torch.utils.flop_counter import FlopCounterMode

    with FlopCounterMode(display=False) as forward:
        out = module(*inputs)
    if not out.requires_grad:
        return Count(forward=forward.get_total_flops())
    with FlopCounterMode(display=False) as backward:
        out.sum().backward()
    return Count(forward=forward.get_total_flops(), backward=backward.get_total_flops())


def profiler(module: nn.Module, inputs: Inputs) -> Count:
    from torch.profiler import ProfilerActivity, profile

    def flops(run: Callable[[], Any]) -> tuple[int, Any]:
        with profile(activities=[ProfilerActivity.CPU], with_flops=True) as record:
            out = run()
        return sum(e.flops for e in record.key_averages() if e.key not in ("aten::add", "aten::mul")), out

    forward, out = flops(lambda: module(*inputs))
    backward = flops(out.sum().backward)[0] if out.requires_grad else None
    return Count(forward=forward, backward=backward)


def torchinfo(module: nn.Module, inputs: Inputs) -> Count:
    from torchinfo import summary

    mode = "train" if module.training else "eval"
    found = summary(module, input_data=list(inputs), verbose=0, mode=mode)
    return Count(parameters=found.total_params, forward=2 * found.total_mult_adds)


def fvcore(module: nn.Module, inputs: Inputs) -> Count:
    from fvcore.nn import FlopCountAnalysis, parameter_count

    found = FlopCountAnalysis(module, inputs)
    products = {name: flops for name, flops in found.by_operator().items() if "norm" not in name}
    return Count(
        parameters=parameter_count(module)[""],
        forward=2 * int(sum(products.values())),
        unknown=tuple(found.unsupported_ops()),
    )


def ptflops(backend: str, module: nn.Module, inputs: Inputs) -> Count:
    from ptflops import get_model_complexity_info

    named = {f"x{i}": x for i, x in enumerate(inputs)}
    macs, parameters = get_model_complexity_info(
        Named(module),
        (1,),
        as_strings=False,
        print_per_layer_stat=False,
        input_constructor=lambda _: named,  # pyright: ignore[reportArgumentType]
        backend=backend,
    )
    if macs is None or parameters is None:  # it prints its errors and returns nothing
        raise NoAnswer(f"ptflops ({backend}) returned None")
    return Count(parameters=int(parameters), forward=2 * int(macs))


class NoAnswer(Exception):  # noqa: N818 - what the counter did, as the table says it
    """A counter that returned nothing."""


class Named(nn.Module):
    """A module whose inputs are given by name, as ptflops insists."""

    def __init__(self, module: nn.Module) -> None:
        super().__init__()
        self.module = module
        self.training = module.training

    def forward(self, **inputs: Tensor) -> Tensor:
        return self.module(*inputs.values())


def thop(module: nn.Module, inputs: Inputs) -> Count:
    from thop import profile

    macs, parameters, *_ = profile(module, inputs=inputs, verbose=False)
    return Count(parameters=int(parameters), forward=2 * int(macs))


def calflops(module: nn.Module, inputs: Inputs) -> Count:
    from calflops import calculate_flops

    trains = module.training  # it turns it off
    quiet: dict[str, Any] = {"print_results": False, "print_detailed": False, "output_as_string": False}
    _, macs, parameters = calculate_flops(module, args=list(inputs), **quiet)
    backward = None
    if trains:
        _, both, _ = calculate_flops(module, args=list(inputs), include_backPropagation=True, **quiet)
        backward = 2 * int(both) - 2 * int(macs)
    return Count(parameters=int(parameters), forward=2 * int(macs), backward=backward)


def flops_profiler(package: str, module: nn.Module, inputs: Inputs) -> Count:
    """DeepSpeed's profiler, or what was cut out of it as a package of its own."""
    get_model_profile = importlib.import_module(package).get_model_profile
    options = {"print_profile": False, "detailed": False, "warm_up": 0, "as_string": False}
    _, macs, parameters = get_model_profile(module, args=list(inputs), **options)
    return Count(parameters=int(parameters), forward=2 * int(macs))


def torchprofile(module: nn.Module, inputs: Inputs) -> Count:
    from torchprofile import profile_macs

    return Count(forward=2 * int(profile_macs(module, inputs)))  # pyright: ignore[reportArgumentType]


def torch_flops(module: nn.Module, inputs: Inputs) -> Count:
    from torch_flops import TorchFLOPsByFX

    counter = TorchFLOPsByFX(module)
    # It reads CUDA's memory at every step, with or without CUDA.
    nothing = mock.Mock(return_value=0)
    with mock.patch.multiple(torch.cuda, reset_peak_memory_stats=nothing, max_memory_allocated=nothing):
        counter.propagate(*inputs)
    return Count(forward=counter.print_total_flops(show=False))


def torchscan(total: str, module: nn.Module, inputs: Inputs) -> Count:
    """By its own formulas of modules, or by the operators that it sees."""
    from torchscan import crawl_module

    found = crawl_module(module, args=inputs)
    totals = found["totals"]
    return Count(
        parameters=_known(totals["parameters"]),
        forward=_known(totals[total]),
        unknown=tuple(one["message"] for one in found["diagnostics"] if one["metric"] in (total, "flops")),
    )


def _known(metric: Any) -> int | None:
    return None if metric["known_value"] is None else int(metric["known_value"])


def flopth(module: nn.Module, inputs: Inputs) -> Count:
    macs, parameters = importlib.import_module("flopth").flopth(module, inputs=inputs, bare_number=True)
    return Count(parameters=int(parameters), forward=2 * int(macs))


MACS, FLOPS = "multiply-adds", "FLOPs"
MACS_TOO, FLOPS_TOO = f"{MACS} +", f"{FLOPS} +"  # with some elementwise operations, not told apart
PEERS: dict[str, Peer] = {
    "regard": Peer(ask=regard, distribution="regard", module="regard", unit=FLOPS),
    "torch flop_counter": Peer(ask=flop_counter, distribution="torch", module="torch", unit=FLOPS),
    "torch profiler": Peer(ask=profiler, distribution="torch", module="torch", unit=FLOPS),
    "torchinfo": Peer(ask=torchinfo, distribution="torchinfo", module="torchinfo", unit=MACS_TOO),
    "fvcore": Peer(ask=fvcore, distribution="fvcore", module="fvcore", unit=MACS),
    "ptflops pytorch": Peer(ask=partial(ptflops, "pytorch"), distribution="ptflops", module="ptflops", unit=MACS_TOO),
    "ptflops aten": Peer(ask=partial(ptflops, "aten"), distribution="ptflops", module="ptflops", unit=MACS_TOO),
    "thop": Peer(ask=thop, distribution="thop", module="thop", unit=MACS_TOO),
    "calflops": Peer(ask=calflops, distribution="calflops", module="calflops", unit=MACS),
    "torchprofile": Peer(ask=torchprofile, distribution="torchprofile", module="torchprofile", unit=MACS_TOO),
    "torch-flops": Peer(ask=torch_flops, distribution="torch-flops", module="torch_flops", unit=FLOPS_TOO),
    "torchscan modules": Peer(
        ask=partial(torchscan, "module_flops"), distribution="torchscan", module="torchscan", unit=FLOPS_TOO
    ),
    "torchscan operators": Peer(
        ask=partial(torchscan, "operator_flops"), distribution="torchscan", module="torchscan", unit=FLOPS
    ),
    "flops-profiler": Peer(
        ask=partial(flops_profiler, "flops_profiler.profiler"),
        distribution="flops-profiler",
        module="flops_profiler",
        unit=MACS,
    ),
    "deepspeed": Peer(
        ask=partial(flops_profiler, "deepspeed.profiling.flops_profiler"),
        distribution="deepspeed",
        module="deepspeed",
        unit=MACS,
    ),
    "flopth": Peer(ask=flopth, distribution="flopth", module="flopth", unit=MACS),
}


def ask(peer: Peer, name: str) -> Answer:
    """One counter on one model, in this process; what it raises is its answer."""
    model = MODELS[name]
    if peer.version == "not installed":
        return Failure(kind="not installed")
    module, inputs = model.make()
    with warnings.catch_warnings(), torch.set_grad_enabled(model.trains):
        warnings.simplefilter("ignore")
        try:
            return peer.ask(module, inputs)
        except (Exception, SystemExit) as error:  # whatever a counter of others raises is shown
            message = re.sub(r"0x[0-9a-f]+", "0x…", " ".join(str(error).split()))
            return Failure(kind=type(error).__name__, message=message[:300])


def ask_alone(peer: Peer, name: str, seconds: float = SECONDS) -> Answer:
    """One counter on one model in a fresh process: what it patches or breaks is gone with it."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(PRELOAD)
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_answer, args=(peer, name, sender))
    process.start()
    sender.close()
    try:
        answered = receiver.poll(seconds)
        answer = receiver.recv() if answered else Failure(kind="timeout", message=f"after {seconds:g} s")
    except EOFError:
        process.join()
        return Failure(kind="process died", message=f"exit code {process.exitcode}")
    process.join(LEAVE if answered else 0)
    process.kill()
    process.join()
    return answer


def _answer(peer: Peer, name: str, sender: Connection) -> None:
    with open(os.devnull, "w") as nowhere:
        for stream in (1, 2):  # below Python: compilers and kernels print too
            os.dup2(nowhere.fileno(), stream)
        torch.set_num_threads(1)
        sender.send(ask(peer, name))
