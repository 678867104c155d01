"""Images as tokens, one for each patch of pixels."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from regard.checks import check_whole


class Patches(nn.Module):
    """Cut an image into patches of `size` × `size` pixels, side by side, and project each to a token.

        y_p = W · patch_p + b        channels·size² → C, patches in raster order

    >>> import torch
    >>> Patches(16, 768)(torch.randn(2, 3, 224, 224)).shape
    torch.Size([2, 196, 768])

    Dosovitskiy et al., *An Image is Worth 16×16 Words*, ICLR 2021, equation 1: their E is `conv.weight`, a convolution
    whose stride is its size.
    """

    def __init__(self, size: int, width: int, channels: int = 3) -> None:
        super().__init__()
        for name, number in (("size", size), ("width", width), ("channels", channels)):
            check_whole(name, number, 1)
        self.conv = nn.Conv2d(channels, width, size, size)

    def forward(self, images: Float[Tensor, "B channels h w"]) -> Float[Tensor, "B T C"]:
        channels, size = self.conv.in_channels, self.conv.kernel_size[0]
        if images.ndim != 4 or images.shape[1] != channels or images.shape[2] % size or images.shape[3] % size:
            raise ValueError(
                f"images must be (B, {channels}, h, w) with h and w multiples of {size}: got shape "
                f"{tuple(images.shape)}; resize or crop them"
            )
        if images.is_cuda:
            images = images.contiguous(memory_format=torch.channels_last)  # so that tokens need no transposed copy
        return self.conv(images).flatten(2).mT  # (B, C, h/size, w/size) → (B, C, T) → (B, T, C)
