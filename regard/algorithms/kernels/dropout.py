"""Which weights are kept, by a seed: the same draws in the same order whenever they are asked for again.

Every draw is a hash of counters in whole tensors, so that all threads take part; one draw of torch's generator, which
is the seed, decides all of them. A weight has 16 bits, so p is drawn in steps of 2⁻¹⁶, and the weights that are kept
are scaled by the p that is drawn: their mean is exact.
"""

import torch
from torch import Tensor

STEPS = 1 << 16  # of p
WORD = 1 << 32
CPU = torch.device("cpu")


def new_seed(device: torch.device) -> Tensor:
    """A seed by torch's generator, () of int64: `torch.manual_seed` repeats it, and so does a checkpoint."""
    return torch.randint((1 << 63) - 1, (), dtype=torch.int64, device=device)


class Draws:
    """Draws of who is kept at a dropout of p, one after the other."""

    def __init__(self, p: float, seed: Tensor) -> None:
        # At least one step is kept, as p < 1 says.
        self.dropped = min(round(p * STEPS), STEPS - 1)
        self.scale = STEPS / (STEPS - self.dropped)  # of what is kept
        self.seed, self.count = int(seed), 0

    def keep(self, shape: torch.Size, dtype: torch.dtype) -> Tensor:
        """1 where a weight is kept and 0 where it is dropped, in the next draw."""
        self.count += 1
        lanes = _words(-(-shape.numel() // 2), _mixed(self.seed, self.count)).view(torch.int16)
        lanes = lanes[: shape.numel()].view(shape)
        return torch.ge(lanes, self.dropped - STEPS // 2, out=torch.empty(shape, dtype=dtype, device=CPU))


def _words(count: int, key: int) -> Tensor:
    """Random words of 32 bits: counters from one half of the key by steps of the other, which are odd, and three rounds
    of x(2x + 1), whose upper half is added to the lower.
    """
    start, step = _signed(key % WORD), _signed(key // WORD | 1)
    x = torch.add(start, torch.arange(count, dtype=torch.int32, device=CPU), alpha=step)
    upper = torch.empty_like(x)
    for _ in range(3):
        x.addcmul_(x, x, value=2)
        torch.bitwise_right_shift(x, 16, out=upper)
        x.add_(upper)
    return x


def _mixed(seed: int, count: int) -> int:
    """A key of 64 bits for one draw (splitmix64)."""
    x = (seed + count * 0x9E3779B97F4A7C15) % (1 << 64)
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 % (1 << 64)
    x = (x ^ (x >> 27)) * 0x94D049BB133111EB % (1 << 64)
    return x ^ (x >> 31)


def _signed(word: int) -> int:
    return word - WORD if word >= WORD // 2 else word
