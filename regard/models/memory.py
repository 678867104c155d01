"""Where the weights of a model lie, so that they are read as fast as memory goes."""

import mmap

import torch
from torch import Tensor, nn

HUGE = 2 << 20  # bytes of a huge page


def settle(model: nn.Module, device: torch.device | str) -> None:
    """Give a model that has no memory, on the device "meta", memory of undefined contents.

    On a CPU large weights lie in huge pages, where the system has them: a processor that reads every weight for every
    token then looks up a five-hundredth of the addresses.
    """
    for owner in model.modules():
        for name, old in list(owner.named_parameters(recurse=False)):
            if torch.device(device).type == "cpu":
                new = _memory(old.nbytes).view(old.dtype).view(old.shape)
            else:
                new = torch.empty_like(old, device=device)
            setattr(owner, name, nn.Parameter(new, old.requires_grad))


def _memory(count: int) -> Tensor:
    """Bytes of the CPU, in huge pages where they are worth it and to be had."""
    if count < HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return torch.empty(count, dtype=torch.uint8, device="cpu")
    area = mmap.mmap(-1, count + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)  # what is not written is not taken
    skipped = -torch.frombuffer(area, dtype=torch.uint8).data_ptr() % HUGE
    area.madvise(mmap.MADV_HUGEPAGE, skipped, count // HUGE * HUGE)  # of the last one perhaps little would be written
    return torch.frombuffer(area, dtype=torch.uint8, count=count, offset=skipped)  # which keeps the area alive
