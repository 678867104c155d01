"""Where the weights of a model lie, so that they are read as fast as memory goes."""

import mmap

import torch
from torch import Tensor, nn

from regard.layers import MultiHead

HUGE = 2 << 20  # bytes of a huge page
APART = 64  # bytes, from one weight to the next


def settle(model: nn.Module, device: torch.device | str) -> None:
    """Give a model that has no memory, on the device "meta", memory of undefined contents.

    On a CPU all weights lie in one piece, in huge pages where the system has them: a processor that reads every weight
    for every token then looks up a five-hundredth of the addresses. Those of queries, keys and values follow each other
    everywhere, so that one product reads all three.
    """
    device = torch.device(device)
    groups = _groups(model)
    sizes = [-(-sum([owner.get_parameter(name).nbytes for owner, name in group]) // APART) * APART for group in groups]
    whole = _memory(sum(sizes)) if device.type == "cpu" else None
    at = 0
    for group, size in zip(groups, sizes, strict=True):
        piece = torch.empty(size, dtype=torch.uint8, device=device) if whole is None else whole[at : at + size]
        at += size
        for owner, name in group:
            old = owner.get_parameter(name)
            new = piece[: old.nbytes].view(old.dtype).view(old.shape)
            setattr(owner, name, nn.Parameter(new, old.requires_grad))
            piece = piece[old.nbytes :]


def _groups(model: nn.Module) -> list[list[tuple[nn.Module, str]]]:
    """All parameters, those together that are to follow each other."""
    together: list[list[tuple[nn.Module, str]]] = []
    for layer in model.modules():
        if isinstance(layer, MultiHead):
            three: tuple[nn.Module, ...] = (layer.query, layer.key, layer.value)
            together.append([(each, "weight") for each in three])
            together.append([(each, "bias") for each in three if each.bias is not None])
    placed = {place for group in together for place in group}
    alone = [
        [(layer, name)]
        for layer in model.modules()
        for name, _ in layer.named_parameters(recurse=False)
        if (layer, name) not in placed
    ]
    return [group for group in together if group] + alone


def _memory(count: int) -> Tensor:
    """Bytes of the CPU, in huge pages where they are worth it and to be had."""
    if count < HUGE or not hasattr(mmap, "MADV_HUGEPAGE"):
        return torch.empty(count, dtype=torch.uint8, device="cpu")
    area = mmap.mmap(-1, count + HUGE, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    area.madvise(mmap.MADV_HUGEPAGE)
    whole = torch.frombuffer(area, dtype=torch.uint8)  # which keeps the area alive
    skipped = -whole.data_ptr() % HUGE
    return whole[skipped : skipped + count]


def beside(tensors: list[Tensor]) -> Tensor | None:
    """All of them as one tensor without a copy; None where they don't follow each other in memory.

    >>> first, second = torch.arange(6).view(3, 2).split([2, 1])
    >>> beside([first, second]).shape, beside([second, first])
    (torch.Size([3, 2]), None)
    """
    if not tensors or any([not tensor.is_contiguous() or tensor.is_meta for tensor in tensors]):
        return None
    first, at = tensors[0], tensors[0].data_ptr()
    storage = first.untyped_storage().data_ptr()
    for tensor in tensors:
        alike = tensor.dtype == first.dtype and tensor.shape[1:] == first.shape[1:]
        if not alike or tensor.untyped_storage().data_ptr() != storage or tensor.data_ptr() != at:
            return None
        at += tensor.nbytes
    shape = (sum([len(tensor) for tensor in tensors]), *first.shape[1:])
    return first.detach().as_strided(shape, first.stride())
