"""What GPUs of a cluster tell each other, and how long it takes: links by data sheet, and what of them is reached."""

from dataclasses import dataclass
from typing import NamedTuple

from regard.checks import check_known

GBIT = 1e9 / 8


@dataclass(frozen=True)
class Links:
    """Of one GPU, one way, in byte/s: to the others of its node, and through its own network card to other nodes."""

    inside: float
    network: float
    node: int = 8

    @property
    def reached_inside(self) -> float:
        return self.inside * INSIDE

    @property
    def reached_network(self) -> float:
        return self.network * NETWORK


# Data sheets: NVLink counts both ways (A100 600, H100 and H200 900, B200 1800 GB/s), half of it is one way. Network:
# one card for each GPU, as in DGX A100 (200 Gb/s) and in DGX H100, H200 and B200 (400 Gb/s). L40S: PCIe 4 ×16.
LINKS = {
    "a100": Links(300e9, 200 * GBIT),
    "h100": Links(450e9, 400 * GBIT),
    "h200": Links(450e9, 400 * GBIT),
    "b200": Links(900e9, 400 * GBIT),
    "l40s": Links(32e9, 200 * GBIT),
}
# What NCCL reaches of a line. Its authors say 370 of 450 GB/s, for what the protocol costs (nccl-tests, issue 212), and
# 46 to 48 GB/s of a card of 400 Gb/s (nccl-tests, issue 290). Measured by them, not here: this project had one GPU.
INSIDE, NETWORK = 370 / 450, 47 / 50
# Seconds of a ring before the first byte, and of each step, inside of a node and between nodes: the table by which NCCL
# itself chooses (its tuning.cc: ring, simple).
BASE, STEP_INSIDE, STEP_NETWORK = 8.4e-6, 3.4e-6, 14e-6
# Multiprocessors that NCCL takes while it sends, one for each of its channels: "24 coll channels" in its own logs of
# nodes of eight A100 or H100 (nccl, issue 1161 lists them). Arithmetic beside it has so many fewer.
CHANNELS = 24


def links_of(machine: str) -> Links:
    """The links of a machine by its name."""
    check_known("machine of a cluster", machine, LINKS)
    return LINKS[machine]


class Group(NamedTuple):
    """GPUs that talk to each other: how many, and how far apart the next is in the order of the cluster."""

    size: int
    stride: int


def ring_seconds(bytes: float, group: Group, links: Links, passes: int = 1) -> float:
    """Seconds of an all-gather or a reduce-scatter of `bytes` in all; an all-reduce makes two passes.

    Each GPU sends (g − 1) / g of the bytes. Where the group leaves a node, those of its members that sit in one node
    use their cards together.

    Worked: 8 GPUs of an H100 node gather 1 GB: 7/8 GB at 370 GB/s are 2.36 ms, and 7 steps of 3.4 µs.
    """
    if group.size == 1:
        return 0.0
    here = max(1, min(group.size, links.node // group.stride)) if group.stride < links.node else 1
    nodes = -(-group.size // here)
    rate = links.reached_inside if here > 1 else float("inf")
    if nodes > 1:
        rate = min(rate, here * links.reached_network)
    steps = (nodes if nodes > 1 else 0) * STEP_NETWORK + (group.size - nodes) * STEP_INSIDE
    return passes * ((group.size - 1) / group.size * bytes / rate + steps) + BASE


def send_seconds(bytes: float, stride: int, links: Links) -> float:
    """Seconds to send bytes to the next GPU of a pipeline."""
    if stride < links.node:
        return bytes / links.reached_inside + STEP_INSIDE
    return bytes / links.reached_network + STEP_NETWORK
