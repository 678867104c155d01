"""`price_cluster`: what training a decoder on many GPUs takes, on paper, by the best few meshes."""

import json
from dataclasses import asdict, dataclass, replace
from typing import Any

from regard.algorithms.planning.machines import table
from regard.algorithms.planning.report import si
from regard.analysis.prediction.architecture import Architecture
from regard.analysis.prediction.links import INSIDE, NETWORK, links_of
from regard.analysis.prediction.meshes import RESERVED, Estimate, Job, Mesh, best_meshes, estimate
from regard.analysis.tables import Printed, new_table, stack, write_csv
from regard.checks import check_whole

BATCH = 1 << 22  # tokens in a step, where nobody says: 4 M, as of LLaMA and Llama 2


@dataclass(frozen=True)
class ClusterCost(Printed):
    """A training run on so many GPUs, by mesh, the quickest first."""

    job: Job
    gpus: int
    tokens: float
    estimates: tuple[Estimate, ...]

    def hours(self, one: Estimate) -> float:
        """GPU-hours of the whole run."""
        return one.step * self.tokens / self.job.tokens * self.gpus / 3600

    @property
    def notes(self) -> list[str]:
        """What the numbers rest on."""
        machine, links = self.job.machine, self.job.links
        return [
            f"{machine.name}: {machine.basis}; {machine.half / 1e12:.0f} TFLOP/s, {machine.bandwidth / 1e12:.2f} TB/s, "
            f"{machine.capacity / 1e9:.0f} GB less {RESERVED / 1e9:.0f}",
            f"links of a GPU, one way: {links.inside / 1e9:.0f} GB/s in a node of {links.node}, "
            f"{links.network / 1e9:.0f} GB/s to others (data sheets); reached {INSIDE:.0%} and {NETWORK:.0%} (NCCL)",
            "bfloat16, gradients and Adam in float32; tensor collectives wait, others hide behind arithmetic",
            "no failures, restarts or evaluation: what a run takes that never stops",
        ]

    def json(self) -> str:
        """All of it."""
        found = []
        for one in self.estimates:
            derived = {"step": one.step, "bytes": one.bytes, "gpu_hours": self.hours(one)}
            found.append(asdict(one) | derived | {"tokens_per_second": self.job.tokens / one.step})
        architecture = self.job.architecture
        about = {
            "model": asdict(architecture) | {"parameters": architecture.parameters},
            "machine": self.job.machine.name,
            "links": asdict(self.job.links),
            "gpus": self.gpus,
            "tokens": self.tokens,
            "batch": self.job.batch,
            "length": self.job.length,
        }
        return json.dumps(about | {"meshes": found, "notes": self.notes}, indent=1)

    def csv(self) -> str:
        """A line per mesh."""
        sides = list(asdict(Mesh()))
        rows: list[list[Any]] = [[*sides, "bytes", "step", "utilisation", "gpu_hours"]]
        rows += [
            [*asdict(one.mesh).values(), one.bytes, one.step, one.utilisation, self.hours(one)]
            for one in self.estimates
        ]
        return write_csv(rows)

    def rich(self) -> Any:
        """The meshes; of the best its memory, what it sends and where its time goes; what is assumed."""
        job, best = self.job, self.estimates[0]
        steps = self.tokens / job.tokens
        head = (
            f"{job.architecture.name}, {job.architecture.parameters / 1e9:.1f} G parameters, on {self.gpus} × "
            f"{job.machine.name}: {si(self.tokens, '')} tokens, {steps:,.0f} steps of {job.batch} × {job.length}"
        )
        shown = new_table(padding=2)
        for title in ("mesh", "micro", "again"):
            shown.add_column(title, no_wrap=title != "mesh")
        for title in ("memory", "step", "utilisation", "GPU-hours", "days"):
            shown.add_column(title, justify="right", no_wrap=True)
        for one in self.estimates:
            days = self.hours(one) / self.gpus / 24
            cells = [
                f"{one.bytes / 1e9:.0f} GB",
                si(one.step, "s"),
                f"{one.utilisation:.1%}",
                f"{self.hours(one):,.0f}",
            ]
            again = "" if one.mesh.checkpoint == "none" else one.mesh.checkpoint
            shown.add_row(str(one.mesh), str(one.mesh.micro), again, *cells, f"{days:.1f}")
        lines = [
            "memory of a GPU: " + ", ".join([f"{name} {size / 1e9:.1f} GB" for name, size in best.memory.items()]),
            "sent by a GPU in a step: "
            + (", ".join([f"{name} {si(size, 'B')}" for name, size in best.sent.items()]) or "nothing"),
            "a step: " + ", ".join([f"{name} {share / best.step:.1%}" for name, share in best.seconds.items()]),
            f"{job.tokens / best.step / self.gpus:,.0f} tokens/s of a GPU",
        ]
        notes = [(note, "dim") for note in self.notes]
        return stack((head, "bold"), "", shown, "", ("the first mesh", "bold"), *lines, *notes)


def price_cluster(
    architecture: Architecture,
    machine: str,
    gpus: int,
    tokens: float,
    *,
    batch: int | None = None,
    length: int | None = None,
    network: float | None = None,
    mesh: Mesh | None = None,
    count: int = 5,
) -> ClusterCost:
    """What it takes to train on `tokens` in all: the best few meshes of so many GPUs, or the given one.

    `batch` is the sequences of one step, by default of 4 M tokens; `length` those of one sequence, by default the
    model's context; `network` the byte/s of a GPU's own card, by default that of the machine's usual node.

    >>> small = Architecture(name="small", depth=4, width=256, heads=4, hidden=1024, vocabulary=1000, context=512)
    >>> found = price_cluster(small, "h100", 8, 1e9, batch=64)
    >>> found.estimates[0].mesh.gpus
    8
    """
    check_whole("gpus", gpus, 1)
    if not tokens >= 1:
        raise ValueError(f"tokens must be 1 or more: got {tokens}; use 15e12")
    links = links_of(machine.lower())
    if network is not None:
        if not network > 0:
            raise ValueError(f"network must be byte/s above 0: got {network}; use 50e9")
        links = replace(links, network=network)
    length = length or architecture.context
    batch = batch or max(1, BATCH // length)
    job = Job(architecture=architecture, machine=table(machine), links=links, length=length, batch=batch)
    if mesh is not None:
        found = estimate(job, mesh)
        if isinstance(found, str):
            raise ValueError(f"the mesh must fit: got {mesh}, {found}; use another, or none to have the best found")
        return ClusterCost(job, mesh.gpus, tokens, (found,))
    best = best_meshes(job, gpus, count)
    if not best:
        raise ValueError(
            f"{architecture.name} must fit on {gpus} × {machine}: got no mesh of them that holds it and divides "
            f"{job.batch} sequences; use more GPUs, or another batch"
        )
    return ClusterCost(job, gpus, tokens, tuple(best))


def read_cluster(text: str) -> tuple[int, str]:
    """How many of which machine.

    >>> read_cluster("1024xh200")
    (1024, 'h200')
    """
    number, _, machine = text.partition("x")
    if not number.isdigit() or int(number) < 1 or not machine:
        raise ValueError(f"a cluster is a number of machines: got {text!r}; use 1024xh200")
    return int(number), machine.lower()
