"""GPU-hours of published runs, predicted on paper: `python -m benchmarks.clusters --out r.json --markdown r.md`.

Each is priced by the best mesh that is found, from data sheets, one measured H200 and what NCCL's authors say that it
reaches; nothing is fitted to these runs. All that were looked at are here, those that miss too.
"""

from typing import NamedTuple

import torch

from benchmarks import record
from benchmarks.record import Bar, Row
from regard.analysis.prediction.architecture import Architecture
from regard.analysis.prediction.cluster import ClusterCost, price_cluster
from regard.analysis.prediction.meshes import Mesh
from regard.models import PRESETS, vary

AIM = Bar("≤", 30)  # per cent
BLOOM = Architecture(name="bloom", depth=70, width=14336, heads=112, hidden=57344, vocabulary=250880, context=2048)


class Run(NamedTuple):
    """A published run. GPUs and batches that the source does not state are said in its name."""

    name: str
    source: str
    architecture: Architecture
    machine: str
    gpus: int
    length: int
    batch: int  # tokens of a step
    tokens: float
    hours: float
    network: float | None = None  # byte/s of a GPU
    mesh: Mesh | None = None


def preset(name: str, **changes: int) -> Architecture:
    return Architecture.of(name, vary(PRESETS[name], **changes) if changes else PRESETS[name])


LLAMA, LLAMA2, LLAMA3 = "LLaMA's paper, table 15", "Llama 2's paper, table 2", "Llama 3's and 3.1's model cards"
M = 1 << 20
RUNS = (
    Run("LLaMA 7B, GPUs assumed", LLAMA, preset("llama-7b"), "a100", 1024, 2048, 4 * M, 1.0e12, 82_432),
    Run("LLaMA 13B, GPUs assumed", LLAMA, preset("llama-13b"), "a100", 1024, 2048, 4 * M, 1.0e12, 135_168),
    Run("LLaMA 33B, GPUs assumed", LLAMA, preset("llama-33b"), "a100", 2048, 2048, 4 * M, 1.4e12, 530_432),
    Run("LLaMA 65B", LLAMA, preset("llama-65b"), "a100", 2048, 2048, 4 * M, 1.4e12, 1_022_362),
    Run("Llama 2 7B, GPUs assumed", LLAMA2, preset("llama-7b"), "a100", 1024, 4096, 4 * M, 2e12, 184_320),
    Run("Llama 2 13B, GPUs assumed", LLAMA2, preset("llama-13b"), "a100", 1024, 4096, 4 * M, 2e12, 368_640),
    Run("Llama 2 70B", LLAMA2, preset("llama2-70b"), "a100", 2048, 4096, 4 * M, 2e12, 1_720_320),
    Run("Llama 3 8B, GPUs and batch assumed", LLAMA3, preset("llama3-8b"), "h100", 2048, 8192, 4 * M, 15e12, 1.3e6),
    Run("Llama 3 70B, GPUs and batch assumed", LLAMA3, preset("llama3-70b"), "h100", 8192, 8192, 16 * M, 15e12, 6.4e6),
    Run("Llama 3.1 405B", LLAMA3, preset("llama3.1-405b"), "h100", 16384, 8192, 16 * M, 15.6e12, 30.84e6),
    Run("BLOOM 176B", "BLOOM's paper", BLOOM, "a100", 384, 2048, 4 * M, 366e9, 1_082_990, 50e9 / 8),
)
# The meshes of Llama 3's paper, table 4, with the utilisation that it reports.
MESHES = ((8192, 64, 0.43), (16384, 128, 0.41))


def priced(run: Run) -> ClusterCost:
    options = {"batch": run.batch // run.length, "length": run.length, "network": run.network, "mesh": run.mesh}
    return price_cluster(run.architecture, run.machine, run.gpus, run.tokens, **options)


def rows() -> list[Row]:
    """Predicted beside published GPU-hours, and the utilisation of published meshes."""
    made = []
    for run in RUNS:
        found = priced(run)
        best = found.estimates[0]
        hours = found.hours(best)
        error = 100 * (hours / run.hours - 1)
        cells = {
            "GPUs": f"{run.gpus} × {run.machine}",
            "predicted hours": round(hours),
            "published hours": round(run.hours),
            "error %": round(error),
            "utilisation": round(best.utilisation, 3),
            "mesh": str(best.mesh),
        }
        details = {"seconds": best.seconds, "memory": best.memory, "sent": best.sent, "mesh": vars(best.mesh)}
        made.append(Row("GPU-hours", run.name, run.source, cells, abs(error), "published", AIM, details, " %"))
    for gpus, replicas, published in MESHES:
        mesh = Mesh(shard=replicas, tensor=8, pipeline=16, chunks=8, checkpoint="selective")
        run = RUNS[9]._replace(gpus=gpus, mesh=mesh)
        best = priced(run).estimates[0]
        error = 100 * (best.utilisation / published - 1)
        cells = {"predicted": round(best.utilisation, 3), "published": published, "error %": round(error)}
        name = f"Llama 3.1 405B on {gpus} × h100, {mesh}"
        made.append(
            Row("utilisation", name, "Llama 3's paper, table 4", cells, abs(error), "published", AIM, None, " %")
        )
    return made


def main(arguments: list[str] | None = None) -> None:
    options = record.parser("benchmarks.clusters", __doc__).parse_args(arguments)
    report = record.machine(torch.device("cpu"), options.commit, "benchmarks.clusters", arguments)
    print(record.write(options, report, rows(), "Published runs, on paper"))


if __name__ == "__main__":
    main()
