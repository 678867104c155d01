"""How well a loop uses its machine: model FLOPs utilisation, in loops of one's own and in transformers' Trainer."""

import time
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from regard.algorithms.planning.machines import table, table_of
from regard.analysis.cost.count import cost, count_inputs
from regard.analysis.prediction.roofline import peak_rate


class Utilisation:
    """Needed FLOPs of a step over what the machine's peak would do in the time that it took.

    The FLOPs are counted once, on tensors without contents or `real` ones, from the module and the inputs of one step;
    `devices` is how many machines share it. The peak is the data sheet's of the type in which the model multiplies, or
    the table's where there is no sheet.

    >>> meter = Utilisation(nn.Linear(64, 64), (torch.ones(8, 64),), device="h100", dtype=torch.bfloat16)
    >>> meter.flops, meter.peak  # forward, and the gradient of the weight
    (131072, 989000000000000.0)
    >>> meter.of(1e-6) == 131072 / 989e6
    True
    """

    def __init__(
        self,
        module: nn.Module,
        inputs: tuple[Any, ...] = (),
        keywords: dict[str, Any] | None = None,
        *,
        device: str | None = None,
        dtype: torch.dtype | None = None,
        devices: int = 1,
        real: bool = False,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        if devices < 1:
            raise ValueError(f"devices must be 1 or more: got {devices}; count all processes")
        parameters = list(module.parameters())
        here = parameters[0].device if parameters else torch.device("cpu")
        machine = table(device) if device is not None else table_of(here)
        used = dtype or _type_of(module, here)
        counted = cost(module, *inputs, optimizer=None, device=device, real=real, **(keywords or {}))
        self.flops = int(counted.forward.flops) + int(counted.backward.flops)
        self.tokens = count_inputs((inputs, keywords or {}))[0]
        self.peak = devices * peak_rate(machine, used)
        self.machine, self.clock = machine.name, clock
        self.last: float | None = None

    def of(self, seconds: float, steps: int = 1) -> float:
        """The utilisation of steps that took so long."""
        if not seconds > 0:
            raise ValueError(f"seconds must be above 0: got {seconds}; measure a whole step")
        return steps * self.flops / (seconds * self.peak)

    def step(self, steps: int = 1) -> float | None:
        """Call it after every step, or every few, on a device that is waited for: the utilisation since the last call.

        The first call only starts the clock.
        """
        now = self.clock()
        last, self.last = self.last, now
        return None if last is None else self.of(now - last, steps)


def _type_of(module: nn.Module, device: torch.device) -> torch.dtype:
    """The type in which products are taken: autocast's, or the parameters'."""
    if device.type != "meta" and torch.is_autocast_enabled(device.type):
        return torch.get_autocast_dtype(device.type)
    return next((p.dtype for p in module.parameters() if p.is_floating_point()), torch.float32)


def trainer_callback(**options: Any) -> Any:
    """A callback for `transformers.Trainer` that adds `mfu` and `tokens_per_second` to what it logs.

    `trainer.add_callback(trainer_callback())`. The first batch is counted without contents; `options` are those of
    `Utilisation`.
    """
    from transformers import TrainerCallback

    class UtilisationCallback(TrainerCallback):
        """Counts the FLOPs of one batch, and reads the clock whenever the trainer logs."""

        def __init__(self) -> None:
            self.meter: Utilisation | None = None
            self.at = 0

        def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            batch = next(iter(kwargs["train_dataloader"]))
            dtype = torch.bfloat16 if args.bf16 else torch.float16 if args.fp16 else None
            chosen = {"dtype": dtype, "devices": args.world_size} | options
            self.meter = Utilisation(kwargs["model"], (), dict(batch), **chosen)
            self.accumulated, self.at = args.gradient_accumulation_steps * args.world_size, state.global_step
            self.meter.last = self.meter.clock()

        def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
            logs, steps = kwargs.get("logs"), state.global_step - self.at
            if self.meter is None or logs is None or steps < 1 or "loss" not in logs:
                return
            before = self.meter.last
            found = self.meter.step(steps * self.accumulated)
            assert before is not None
            assert self.meter.last is not None
            logs["mfu"] = found
            logs["tokens_per_second"] = steps * self.accumulated * self.meter.tokens / (self.meter.last - before)
            self.at = state.global_step

    return UtilisationCallback()
