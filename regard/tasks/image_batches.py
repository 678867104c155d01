"""A batch of images, each moved and mirrored at random."""

import torch
from jaxtyping import Shaped
from torch import Tensor
from torch.nn.functional import pad as padded

from regard.checks import check_whole


def augment(
    images: Shaped[Tensor, "B C h w"], generator: torch.Generator, *, pad: int = 4, flip: bool = True
) -> Shaped[Tensor, "B C h w"]:
    """Each image in a frame of `pad` zeros, cut to its size at a random place, and half of them mirrored.

        y[b, c, i, j] = x[b, c, i + u_b, j' + v_b],  u_b, v_b uniform on −pad…pad,  j' = j or w − 1 − j

    with zeros outside: of normalised images, zero is the mean colour. One gather does it for the batch, where it lies;
    a generator of the CPU gives the same on every device.

    >>> x = torch.arange(1.0, 5).view(1, 1, 2, 2)
    >>> augment(x, torch.Generator().manual_seed(1), pad=0).tolist() in (x.tolist(), x.flip(3).tolist())
    True
    """
    check_whole("pad", pad, 0)
    if images.ndim != 4:
        raise ValueError(f"images must be (B, C, h, w): got {tuple(images.shape)}")
    B, C, h, w = images.shape
    move = torch.randint(2 * pad + 1, (2, B, 1), generator=generator, device=generator.device).to(images.device)
    mirror = torch.randint(2, (B, 1), generator=generator, device=generator.device).to(images.device)
    rows, columns = (torch.arange(n, device=images.device) for n in (h, w))
    if flip:
        columns = torch.where(mirror == 1, w - 1 - columns, columns)
    rows, columns = rows + move[0], columns + move[1]  # (B, h) and (B, w), in the frame
    places = (rows[:, :, None] * (w + 2 * pad) + columns[:, None]).view(B, 1, h * w)
    framed = padded(images, (pad, pad, pad, pad)).flatten(2)
    return framed.gather(2, places.expand(B, C, h * w)).view(B, C, h, w)
