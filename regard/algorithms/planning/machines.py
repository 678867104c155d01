"""What machines can do: the tables that every choice is made from. Nothing here is measured at run time.

Those of a CPU and of an H200 are fitted to what `python -m benchmarks.planner_regret` measured, by its `--fit`. Other
GPUs have the ceilings that their vendor publishes, of which they are taken to reach what an H200 does, and machines
without a table share one that is enough to rank algorithms. `regard calibrate` writes a table for one machine to a
file, which is read where it is named.
"""

import json
import math
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import torch

KINDS = ("cpu", "cuda", "other")
SOURCES = {
    "measured": "measured on {}",
    "calibrated": "measured by `regard calibrate` on {}",
    "published": "published ceilings of {}, not measured",
    "generic": "a generic table for {}, not measured",
}


@dataclass(frozen=True, kw_only=True)
class Machine:
    """Rates of one machine: matrix products by type (FLOP/s), memory (byte/s), the price of one launch (s), and by
    algorithm the host's price of a call, whatever its size: forward, and forward and backward (s).
    """

    name: str
    kind: str  # one of `KINDS`; "other" uses only what torch has for every device
    source: str = "measured"  # one of `SOURCES`
    where: str = ""  # what was measured, or whose ceilings they are
    capability: int = 0  # of a CUDA GPU: 90 for 9.0
    shared: int = 0  # bytes of shared memory that a program on a CUDA GPU may take
    processors: int = 1  # that take one tile of a matrix product each: the multiprocessors of a GPU
    capacity: float = 0.0  # bytes of memory; 0 where nobody said
    half: float
    single: float
    double: float
    bandwidth: float
    launch: float
    kernel: float = 0.0  # what the smallest kernel takes on the device, when the host is ahead of it (s)
    # The host of a GPU: an operation of torch, views too; one whose graph is recorded; a node of the way back (s).
    dispatch: tuple[float, float, float] = (0.0, 0.0, 0.0)
    # Fused attention in half precision, forward and on the way back: FLOP/s of products, pairs/s of the softmax beside.
    fused: tuple[tuple[float, float], tuple[float, float]] | None = None
    efficiency: dict[str, float]
    host: dict[str, tuple[float, float]] = field(default_factory=dict)
    error: float | None = None  # the factor by which half of the predictions for its own problems are off at most

    def rate(self, dtype: torch.dtype) -> float:
        """Peak of matrix products in this type."""
        if dtype == torch.float64:
            return self.double
        return self.single if dtype == torch.float32 else self.half

    def share(self, algorithm: str) -> float:
        """Of the rate, that this algorithm's products reach."""
        found = self.efficiency.get(algorithm)
        if found is None:
            raise ValueError(
                f"each table of planning/machines.py must say what share an algorithm reaches: got none of "
                f"{algorithm!r} in {self.name!r}; add it"
            )
        return found

    @property
    def is_measured(self) -> bool:
        return self.source in ("measured", "calibrated")

    @property
    def basis(self) -> str:
        """Where the numbers come from.

        >>> table("t4").basis
        'published ceilings of a T4, not measured'
        """
        error = "" if self.error is None else f", half of the predictions within {self.error:.2f}×"
        return SOURCES[self.source].format(self.where) + error

    @property
    def dtype(self) -> torch.dtype:
        """The type in which it usually computes: half precision on a GPU, bfloat16 from capability 8.0 on."""
        if self.kind == "cpu":
            return torch.float32
        return torch.bfloat16 if self.capability >= 80 else torch.float16


# efficiency: the share of `rate` that each algorithm's matrix products reach at 4k tokens, forward and backward.
TABLES: dict[str, Machine] = {
    table.name: table
    for table in (
        Machine(
            name="cpu",
            kind="cpu",
            where="two threads of Intel Xeon and AMD EPYC",
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
            where="an H200",
            capability=90,
            shared=232_448,
            processors=132,
            capacity=150e9,
            half=771e12,
            single=50e12,
            double=60e12,
            bandwidth=4.27e12,
            launch=5e-6,
            kernel=1.8e-6,
            dispatch=(10.4e-6, 13.7e-6, 10.2e-6),  # `ceilings` of prediction-h200.json; hosts differ by half
            # Widths of 64 and 128 at 16384 tokens in attention-h200.json, one equation each.
            fused=((1152e12, 3.41e12), (771e12, 2.16e12)),
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
                "decode": (75e-6, 75e-6),
                "fused": (45e-6, 310e-6),
                "tiled": (65e-6, 430e-6),
                "masked": (145e-6, 430e-6),
                "banded": (83e-6, 570e-6),
                "augmented": (300e-6, 1800e-6),
                "packed": (99e-6, 550e-6),
                "gather": (320e-6, 2100e-6),
                "convolution": (710e-6, 2100e-6),
                "separable": (330e-6, 2100e-6),
                "toeplitz": (670e-6, 2100e-6),
                "shared": (360e-6, 2700e-6),
                "blockwise": (80e-6, 445e-6),
                "flex": (350e-6, 1170e-6),
                "linear": (370e-6, 1500e-6),
                "chunked": (130e-6, 400e-6),
                "partitioned": (700e-6, 800e-6),
            },
        ),
    )
}

# FLOP/s of dense matrix products in half, single and double precision, and byte/s, as the vendor's data sheets say.
CEILINGS = {
    "a100": (312e12, 19.5e12, 19.5e12, 2.04e12),
    "h100": (989e12, 67e12, 67e12, 3.35e12),
    "h200": (989e12, 67e12, 67e12, 4.8e12),
    "b200": (2250e12, 75e12, 37e12, 8e12),
    "l40s": (362e12, 91.6e12, 1.43e12, 0.864e12),
    "t4": (65e12, 8.1e12, 0.25e12, 0.32e12),
}


def _published(name: str, where: str, capability: int, shared: int, processors: int, capacity: float) -> Machine:
    """A GPU that reaches of its published ceilings what an H200 reaches of its own, algorithm by algorithm."""
    known = TABLES["h200"]
    rates = (known.half, known.single, known.double, known.bandwidth)
    reached = [
        float(f"{ceiling * rate / own:.3g}")
        for ceiling, rate, own in zip(CEILINGS[name], rates, CEILINGS["h200"], strict=True)
    ]
    half, single, double, bandwidth = reached
    assert known.fused is not None
    of_half = CEILINGS[name][0] / CEILINGS["h200"][0]
    forward, backward = ((of_half * products, of_half * softmax) for products, softmax in known.fused)
    return replace(
        known,
        name=name,
        source="published",
        where=where,
        capability=capability,
        shared=shared,
        processors=processors,
        capacity=capacity,
        half=half,
        single=single,
        double=double,
        bandwidth=bandwidth,
        fused=(forward, backward),
    )


TABLES |= {
    "a100": _published("a100", "an A100 of 80 GB", 80, 166_912, 108, 80e9),
    "h100": _published("h100", "an H100 SXM", 90, 232_448, 132, 80e9),
    "b200": _published("b200", "a B200", 100, 232_448, 148, 180e9),
    "l40s": _published("l40s", "an L40S", 89, 101_376, 142, 48e9),
    "t4": _published("t4", "a T4", 75, 65_536, 40, 16e9),
    # Of any CUDA GPU: rates in the middle of those above, and the least that those from 8.0 on have.
    "cuda": replace(
        TABLES["h200"],
        name="cuda",
        source="generic",
        where="CUDA GPUs",
        capability=80,
        shared=101_376,
        capacity=0.0,
        half=150e12,
        single=20e12,
        double=1e12,
        bandwidth=1e12,
        fused=None,
    ),
    # Of whatever else torch computes on, such as Apple's GPUs.
    "other": replace(
        TABLES["h200"],
        name="other",
        kind="other",
        source="generic",
        where="devices that are neither CPUs nor CUDA GPUs",
        capability=0,
        shared=0,
        processors=1,
        capacity=0.0,
        half=10e12,
        single=5e12,
        double=0.1e12,
        bandwidth=0.2e12,
        launch=10e-6,
        kernel=0.0,
        dispatch=(0.0, 0.0, 0.0),
        fused=None,
        efficiency={name: share for name, share in TABLES["h200"].efficiency.items() if name != "flex"},
    ),
}


def table(device: str) -> Machine:
    """The table of a name such as `h200`, or of a file of `regard calibrate`, whose name ends in .json.

    `cuda` is the GPU that is here, or any where there is none.
    """
    if isinstance(device, str) and device.endswith(".json"):
        return read_table(Path(device))
    name = str(device).lower()
    if name == "cuda" and torch.cuda.is_available():
        return table_of(torch.device("cuda"))
    if name in TABLES:
        return TABLES[name]
    raise ValueError(
        f"no table for device {device!r}: use one of {', '.join(TABLES)}, or a file of `regard calibrate`, x.json"
    )


def table_of(device: torch.device) -> Machine:
    """The table of the machine that holds a tensor: by the GPU's name, or the one of its kind."""
    if device.type in ("cpu", "meta"):
        return TABLES["cpu"]
    if device.type != "cuda" or torch.version.hip is not None:
        return TABLES["other"]
    gpu = torch.cuda.get_device_properties(device)
    words = gpu.name.lower().replace("-", " ").split()
    if "mig" not in words:  # a slice of a GPU
        for name in CEILINGS:
            if name in words:
                return TABLES[name]
    generic = TABLES["cuda"]
    return replace(
        generic,
        capability=10 * gpu.major + gpu.minor,
        shared=getattr(gpu, "shared_memory_per_block_optin", generic.shared),
        processors=getattr(gpu, "multi_processor_count", generic.processors),
        capacity=float(getattr(gpu, "total_memory", generic.capacity)),
    )


def to_json(machine: Machine, about: dict[str, Any]) -> str:
    """A table, with what is known of it, as `read_table` takes it."""
    return json.dumps({"table": asdict(machine), **about}, indent=1, ensure_ascii=False)


def read_table(path: Path) -> Machine:
    """The table in a file of `regard calibrate`, by the file's name."""
    advice = "write one by `regard calibrate`"
    try:
        found = json.loads(path.read_text())
    except FileNotFoundError:
        raise ValueError(f"the file of a table must exist: got {path}; {advice}") from None
    except (OSError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"a table must be a JSON file: got {path}, {error}; {advice}") from None
    values: Any = found.get("table") if isinstance(found, dict) else None
    names = [one.name for one in fields(Machine)]
    kinds = {"efficiency": dict, "host": dict, "capability": int, "shared": int, "processors": int, "where": str}
    fits = isinstance(values, dict) and set(values) == set(names)
    fits = fits and all([isinstance(values[name], kind) for name, kind in kinds.items()])
    fits = fits and _has_sizes(values["dispatch"], 3) and _is_of_passes(values["fused"])
    if not fits or values["kind"] not in KINDS or values["source"] not in SOURCES:
        raise ValueError(f"a table must have {', '.join(names)}: got {path}, which has not; {advice}")
    prices = [pair for pair in values["host"].values() if isinstance(pair, list) and len(pair) == 2]
    numbers = [values[name] for name in ("half", "single", "double", "bandwidth", "launch")]
    numbers += [*values["efficiency"].values(), *[price for pair in prices for price in pair]]
    numbers += [rate for pair in values["fused"] or () for rate in pair]
    if len(prices) < len(values["host"]) or not all([_is_positive(number) for number in numbers]):
        raise ValueError(f"the rates and prices of a table must be positive numbers: got {path}, where not; {advice}")
    if set(values["efficiency"]) != set(TABLES[values["kind"]].efficiency):
        raise ValueError(f"a table must name the algorithms of this release: got {path}, which names others; {advice}")
    host = {name: tuple(pair) for name, pair in values["host"].items()}
    fused = values["fused"] and tuple([tuple(one) for one in values["fused"]])
    dispatch = tuple(values["dispatch"])
    return Machine(**values | {"name": path.stem, "host": host, "fused": fused, "dispatch": dispatch})


def _has_sizes(values: object, count: int) -> bool:
    return isinstance(values, list) and len(values) == count


def _is_of_passes(values: Any) -> bool:
    """Whether these are two numbers for each pass, or none."""
    return values is None or (_has_sizes(values, 2) and all([_has_sizes(pair, 2) for pair in values]))


def _is_positive(number: object) -> bool:
    return isinstance(number, int | float) and not isinstance(number, bool) and 0 < number < math.inf
