"""All that decides how a training goes on: weights, the optimizer's moments, random numbers."""

from typing import Any

import torch
from torch import Tensor, nn

from regard.training.checkpoint import Checkpoint
from regard.training.task import device_of

Tensors = dict[str, dict[str, Tensor]]


def snapshot(model: nn.Module, optimizer: torch.optim.Optimizer) -> tuple[Tensors, dict[str, Any]]:
    """Tensors and facts for `Checkpoints.save`: the model, the optimizer, and the state of torch's random numbers.

    A tensor that two places of a model share is written once.
    """
    state = optimizer.state_dict()
    moments: dict[str, Tensor] = {}
    scalars: dict[str, Any] = {}
    for number, entries in state["state"].items():
        for name, value in entries.items():
            (moments if isinstance(value, Tensor) else scalars)[f"{number}.{name}"] = value
    random = {"cpu": torch.get_rng_state()}
    if (device := device_of(model)).type == "cuda":
        random["cuda"] = torch.cuda.get_rng_state(device)
    tensors = {"model": weights_of(model), "optimizer": moments, "random": random}
    return tensors, {"optimizer": {"groups": state["param_groups"], "scalars": scalars}}


def restore(checkpoint: Checkpoint, model: nn.Module, optimizer: torch.optim.Optimizer) -> None:
    """Put everything back where `snapshot` took it from; a model of other names or shapes is an error."""
    restore_model(checkpoint, model)
    optimizer.load_state_dict(_optimizer_state(checkpoint))
    random = checkpoint.tensors["random"]
    torch.set_rng_state(random["cpu"])
    if "cuda" in random and (device := device_of(model)).type == "cuda":
        torch.cuda.set_rng_state(random["cuda"], device)


def restore_model(checkpoint: Checkpoint, model: nn.Module) -> None:
    """The weights alone."""
    ours, theirs = weights_of(model), checkpoint.tensors["model"]
    if wrong := sorted(ours.keys() ^ theirs.keys()):
        raise ValueError(f"{checkpoint.path} must hold this model: got {wrong[0]!r} in one of the two alone")
    for name, tensor in ours.items():
        if tensor.shape != theirs[name].shape or tensor.dtype != theirs[name].dtype:
            found = f"{tuple(theirs[name].shape)} {theirs[name].dtype}"
            raise ValueError(f"{name} must be {tuple(tensor.shape)} {tensor.dtype}: got {found} in {checkpoint.path}")
    with torch.no_grad():
        for name, tensor in ours.items():
            tensor.copy_(theirs[name])


def weights_of(model: nn.Module) -> dict[str, Tensor]:
    """Parameters and buffers that are saved, each once: of two names of one tensor the first."""
    kept = model.state_dict(keep_vars=True)
    found: dict[int, str] = {}
    for name, tensor in kept.items():
        found.setdefault(id(tensor), name)
    return {name: kept[name].detach() for name in found.values()}


def _optimizer_state(checkpoint: Checkpoint) -> dict[str, Any]:
    facts = checkpoint.facts["optimizer"]
    state: dict[int, dict[str, Any]] = {}
    for name, value in (checkpoint.tensors["optimizer"] | facts["scalars"]).items():
        number, _, key = name.partition(".")
        state.setdefault(int(number), {})[key] = value
    return {"state": state, "param_groups": facts["groups"]}
