"""What machines can do: the shipped tables that every choice is made from. Nothing here is measured at run time.

A table is fitted to what `python -m benchmarks.planner_regret` measured, by its `--fit`. A machine without a table of
its own takes the one of its kind, which is enough to rank algorithms.
"""

from dataclasses import dataclass, field

import torch


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Rates of one machine: matrix products by type (FLOP/s), memory (byte/s), the price of one launch (s), and by
    algorithm the host's price of a call, whatever its size: forward, and forward and backward (s).
    """

    name: str
    kind: str
    half: float
    single: float
    double: float
    bandwidth: float
    launch: float
    efficiency: dict[str, float]
    host: dict[str, tuple[float, float]] = field(default_factory=dict)

    def rate(self, dtype: torch.dtype) -> float:
        """Peak of matrix products in this type."""
        if dtype == torch.float64:
            return self.double
        return self.single if dtype == torch.float32 else self.half


# efficiency: the share of `rate` that each algorithm's matrix products reach at 4k tokens, forward and backward.
TABLES = {
    table.name: table
    for table in (
        Machine(
            name="cpu",
            kind="cpu",
            half=0.2e12,
            single=0.25e12,
            double=0.12e12,
            bandwidth=13e9,
            launch=8e-6,
            efficiency={
                "reference": 0.3,
                "decode": 0.3,  # refused: a name that every table has
                "fused": 0.45,
                "tiled": 0.01,
                "masked": 0.75,
                "banded": 0.58,
                "augmented": 0.7,
                "packed": 0.79,
                "gather": 1.0,
                "convolution": 0.04,
                "separable": 0.5,
                "toeplitz": 0.8,
                "shared": 0.6,
                "blockwise": 0.24,
                "linear": 0.9,
                "chunked": 0.65,
            },
            host={
                "reference": (140e-6, 220e-6),
                "fused": (20e-6, 110e-6),
                "masked": (35e-6, 40e-6),
                "banded": (100e-6, 600e-6),
                "convolution": (170e-6, 900e-6),
                "separable": (200e-6, 300e-6),
                "toeplitz": (200e-6, 800e-6),
                "shared": (100e-6, 230e-6),
                "blockwise": (200e-6, 390e-6),
                "linear": (20e-6, 90e-6),
                "chunked": (160e-6, 500e-6),
            },
        ),
        Machine(
            name="h200",
            kind="cuda",
            half=771e12,
            single=50e12,
            double=60e12,
            bandwidth=4.27e12,
            launch=5e-6,
            efficiency={
                "reference": 0.05,
                "decode": 0.65,
                "fused": 0.65,
                "tiled": 0.58,
                "masked": 0.28,
                "banded": 0.2,
                "augmented": 0.6,
                "packed": 0.5,
                "gather": 1.0,
                "convolution": 0.05,
                "separable": 0.4,
                "toeplitz": 0.8,
                "shared": 0.6,
                "blockwise": 0.4,
                "flex": 0.3,
                "linear": 0.33,
                "chunked": 0.4,
            },
            # Fitted to planner-regret-h200.json; of convolution, toeplitz and gather that has none: as if separable.
            host={
                "reference": (940e-6, 2100e-6),
                "decode": (45e-6, 45e-6),
                "fused": (40e-6, 310e-6),
                "tiled": (60e-6, 400e-6),
                "masked": (165e-6, 560e-6),
                "banded": (83e-6, 570e-6),
                "augmented": (300e-6, 1800e-6),
                "packed": (99e-6, 550e-6),
                "gather": (320e-6, 2100e-6),
                "convolution": (320e-6, 2100e-6),
                "separable": (320e-6, 2100e-6),
                "toeplitz": (320e-6, 2100e-6),
                "shared": (360e-6, 2700e-6),
                "blockwise": (60e-6, 330e-6),
                "flex": (350e-6, 1170e-6),
                "linear": (370e-6, 1500e-6),
                "chunked": (130e-6, 400e-6),
                "partitioned": (700e-6, 800e-6),
            },
        ),
    )
}


def table(device: str) -> Machine:
    """The table of a name, or of a kind of device: `h200`, `cuda`, `cpu`."""
    if device in TABLES:
        return TABLES[device]
    if device == "cuda":
        return TABLES["h200"]
    raise ValueError(f"no table for device {device!r}: use one of cuda, {', '.join(TABLES)}")


def table_of(device: torch.device) -> Machine:
    """The table of the machine that holds a tensor."""
    if device.type == "cuda":
        name = torch.cuda.get_device_properties(device).name.lower()
        for key, machine in TABLES.items():
            if key in name:
                return machine
    return table("cpu" if device.type in ("cpu", "meta") else device.type)
