"""A training step on a mesh of GPUs, on paper: memory of each, bytes sent, and the time.

The order of the cluster, innermost first: tensor, context, shard, data, pipeline. What is assumed:

- Products, attention and passes over memory take what they take on one GPU (`roofline`, `Algorithm.seconds`), compiled.
- tensor: two all-reduces of the residual stream in each layer, forward, and two backward, which nothing hides; norms
  and residuals are split along the tokens.
- shard: parameters are gathered for the forward and for the backward pass of every micro-batch, gradients scattered
  after it (FSDP); with a pipeline, the optimizer alone is sharded (ZeRO-1): once per step. Hidden behind arithmetic as
  far as that lasts.
- data: gradients are added up once per step, hidden behind the backward pass of the last micro-batch.
- context: keys and values go round, hidden behind attention.
- pipeline: one forward, one backward, interleaved in `chunks` parts of each stage: (p − 1) / chunks micro-batches idle.
- Parameters are in bfloat16; gradients, the master copy and Adam's moments in float32: 2 + 4 + 12 bytes.
- What is hidden still takes multiprocessors from arithmetic: `CHANNELS` of them for as long as it sends.
- No failures, no restarts, no evaluation, no loading of data: published GPU-hours hold all of these.
"""

import functools
import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from regard.algorithms.catalogue import PLANNER
from regard.algorithms.planning.machines import Machine
from regard.algorithms.planning.problem import pose
from regard.analysis.prediction.architecture import Architecture
from regard.analysis.prediction.links import CHANNELS, Group, Links, ring_seconds, send_seconds
from regard.analysis.prediction.roofline import Product, peak_rate, product_seconds
from regard.attention import Attention, Causal

HALF = torch.bfloat16
RESERVED = 4e9  # bytes of a GPU that are not ours: its context, the libraries' workspaces, gaps
CHECKPOINTS = ("none", "selective", "full")  # what is computed again on the way back


@dataclass(frozen=True, kw_only=True)
class Mesh:
    """How GPUs divide the work, and what one does with its share."""

    data: int = 1
    shard: int = 1
    tensor: int = 1
    pipeline: int = 1
    context: int = 1
    micro: int = 1  # sequences in one micro-batch
    checkpoint: str = "none"
    chunks: int = 1  # parts of a stage that are interleaved

    @property
    def gpus(self) -> int:
        return self.data * self.shard * self.tensor * self.pipeline * self.context

    @property
    def replicas(self) -> int:
        """Groups that see other sequences."""
        return self.data * self.shard

    def group(self, name: str) -> Group:
        """The GPUs along one of its sides."""
        order = ("tensor", "context", "shard", "data", "pipeline")
        inner = order[: order.index(name)]
        return Group(getattr(self, name), math.prod([getattr(self, one) for one in inner]))

    def __str__(self) -> str:
        sides = ("data", "shard", "tensor", "pipeline", "context")
        return ", ".join([f"{name} {getattr(self, name)}" for name in sides if getattr(self, name) > 1]) or "one GPU"


@dataclass(frozen=True, kw_only=True, eq=False)
class Job:
    """What is trained: a decoder on sequences of a length, so many in a step. One equals itself alone: layers of it are
    priced once.
    """

    architecture: Architecture
    machine: Machine
    links: Links
    length: int
    batch: int  # sequences of all GPUs together

    @property
    def tokens(self) -> int:
        return self.length * self.batch


@dataclass(frozen=True)
class Estimate:
    """A step on a mesh: bytes of each GPU, bytes that it sends, and seconds, which add up to the step's."""

    mesh: Mesh
    memory: dict[str, float]
    sent: dict[str, float]
    seconds: dict[str, float]
    utilisation: float

    @property
    def step(self) -> float:
        return sum(self.seconds.values())

    @property
    def bytes(self) -> float:
        return sum(self.memory.values())


@dataclass(frozen=True)
class Work:
    """Seconds of one layer, or of the head, on one GPU for one micro-batch."""

    forward: float
    backward: float
    attention: float  # of the forward pass


@functools.lru_cache(maxsize=4096)
def layer_work(job: Job, tensor: int, context: int, micro: int) -> Work:
    """Arithmetic and memory of one layer for one micro-batch, by the sides of a mesh that it depends on."""
    a, machine = job.architecture, job.machine
    tokens = micro * job.length // context
    gates = 2 if a.gated else 1
    shapes = (
        (a.width, (a.inner + 2 * a.of_keys) // tensor),  # queries, keys and values
        (a.inner // tensor, a.width),
        (a.width, gates * a.hidden // tensor),
        (a.hidden // tensor, a.width),
    )
    forward = sum(_linear(machine, tokens, k, n) for k, n in shapes)
    backward = sum(_linear_back(machine, tokens, k, n) for k, n in shapes)
    ahead, behind = _attention(job, tensor, micro)
    # Two norms with the residual added: two tensors read, two written; rotated queries and keys; the activation.
    row = 8 * a.width / tensor + 2 * (a.inner + a.of_keys) / tensor + (gates + 1) * a.hidden / tensor
    passes = 2 * tokens * row / machine.bandwidth
    return Work(forward + ahead / context + passes, backward + behind / context + 2 * passes, ahead / context)


def _linear(machine: Machine, tokens: int, k: int, n: int) -> float:
    moved = 2 * (tokens * (k + n) + k * n) / machine.bandwidth
    return max(product_seconds(Product(1, tokens, n, k), machine, HALF), moved) + machine.kernel


def _linear_back(machine: Machine, tokens: int, k: int, n: int) -> float:
    """The gradients of the input and of the weight, added up in float32."""
    moved = 2 * (tokens * (k + n) + k * n) / machine.bandwidth
    of_input = max(product_seconds(Product(1, tokens, k, n), machine, HALF), moved)
    of_weight = max(product_seconds(Product(1, n, k, tokens), machine, HALF), moved + 8 * k * n / machine.bandwidth)
    return of_input + of_weight + 2 * machine.kernel


def _attention(job: Job, tensor: int, micro: int) -> tuple[float, float]:
    """Seconds of causal attention forward, and on the way back, of the heads of one GPU over the whole length."""
    a, length, machine = job.architecture, job.length, replace(job.machine, host={})
    heads, groups = max(1, a.heads // tensor), max(1, (a.groups or a.heads) // tensor)
    times = []
    for grad in (False, True):
        q = torch.empty(micro, heads, length, a.head_width, dtype=HALF, device="meta", requires_grad=grad)
        k = torch.empty(micro, groups, length, a.head_width, dtype=HALF, device="meta")
        with torch.enable_grad():
            problem = pose(q, k, k, Attention(mask=Causal())).on_machine(machine)
        times.append(float(PLANNER.seconds_by(PLANNER.named("fused"), problem)))
    return times[0], times[1] - times[0]


def head_work(job: Job, mesh: Mesh) -> Work:
    """The scores of all words and their loss."""
    a, machine = job.architecture, job.machine
    tokens, words = mesh.micro * job.length // mesh.context, a.vocabulary // mesh.tensor
    forward = _linear(machine, tokens, a.width, words) + 2 * tokens * words / machine.bandwidth
    backward = _linear_back(machine, tokens, a.width, words) + 4 * tokens * words / machine.bandwidth
    return Work(forward, backward, 0.0)


def estimate(job: Job, mesh: Mesh) -> Estimate | str:
    """The step on a mesh, or why there is none."""
    a = job.architecture
    reason = _misfit(job, mesh)
    if reason is not None:
        return reason
    memory = memory_of(job, mesh)
    over = sum(memory.values()) + RESERVED - job.machine.capacity
    if job.machine.capacity and over > 0:
        return f"needs {over / 1e9:.0f} GB more than a GPU has"
    layers = -(-a.depth // mesh.pipeline)
    micros = job.batch // (mesh.replicas * mesh.micro)
    layer, head = layer_work(job, mesh.tensor, mesh.context, mesh.micro), head_work(job, mesh)
    again = {"none": 0.0, "selective": 0.0, "full": layer.forward}[mesh.checkpoint]
    if mesh.checkpoint == "selective":  # norms and the activation: passes over memory
        tokens = mesh.micro * job.length // mesh.context
        again = 2 * tokens * (4 * a.width + 3 * a.hidden) / mesh.tensor / job.machine.bandwidth
    slot = _slot(a.depth, mesh.pipeline, layer.forward + layer.backward + again, head.forward + head.backward)
    sent, exposed, hidden = _communication(job, mesh, layer, layers, micros, again)
    arithmetic = micros * slot
    held = _parameters(job, mesh) / mesh.shard
    parts = {
        "arithmetic": arithmetic,
        "shared processors": hidden * CHANNELS / job.machine.processors,
        **exposed,
        "pipeline idle": (mesh.pipeline - 1) / mesh.chunks * (slot + exposed["tensor"] / micros),
        "optimizer": 30 * held / job.machine.bandwidth,  # reads 4 + 12, writes 12 + 2
    }
    utilisation = a.flops(job.length) * job.tokens / (sum(parts.values()) * mesh.gpus * peak_rate(job.machine, HALF))
    return Estimate(mesh, memory, sent, {name: value for name, value in parts.items() if value > 0}, utilisation)


def _misfit(job: Job, mesh: Mesh) -> str | None:
    a = job.architecture
    if a.heads % mesh.tensor or (a.groups or a.heads) % mesh.tensor or mesh.tensor > job.links.node:
        return "tensor must divide the heads, and stay in a node"
    if job.batch % (mesh.replicas * mesh.micro):
        return "the batch must be divided among data, shard and micro-batches"
    if mesh.pipeline > a.depth or mesh.chunks > -(-a.depth // mesh.pipeline):
        return "a stage needs a layer"
    if job.length % (mesh.context * mesh.tensor):
        return "the length must be divided"
    return None


def _slot(depth: int, stages: int, layer: float, head: float) -> float:
    """Seconds of the slowest stage, layers dealt out as well as they can be; the head is the last stage's."""
    most = -(-depth // stages)
    while True:
        room = most * layer - head
        if (stages - 1) * most + max(0, math.floor(room / layer + 1e-9)) >= depth:
            return max(most * layer, head)
        last = max(0, depth - (stages - 1) * most)
        longer = last * layer + head
        if longer < (most + 1) * layer:
            return longer
        most += 1


def _parameters(job: Job, mesh: Mesh) -> float:
    """Parameters of one GPU before they are sharded: those of the fuller end of a pipeline."""
    a = job.architecture
    tables = a.table * (1 if a.tied or mesh.pipeline > 1 else 2)
    return (-(-a.depth // mesh.pipeline) * a.layer + tables) / mesh.tensor


def memory_of(job: Job, mesh: Mesh) -> dict[str, float]:
    """Bytes of one GPU; of a pipeline the first stage, which holds as many micro-batches as there are stages."""
    a = job.architecture
    count, layers = _parameters(job, mesh), -(-a.depth // mesh.pipeline)
    tokens = mesh.micro * job.length / mesh.context
    # What a layer keeps for the way back, in numbers for each token: the inputs of norms and of products, queries, keys
    # and values, the output of attention, and of the feed-forward what goes into the activation and what comes out.
    gates = 2 if a.gated else 1
    kept = 4 * a.width + 2 * a.inner + 2 * a.of_keys + (gates + 1) * a.hidden
    whole = kept
    if mesh.checkpoint == "selective":
        kept -= 2 * a.width + a.hidden
    if mesh.checkpoint == "full":
        kept = a.width
    micros = job.batch // (mesh.replicas * mesh.micro)
    flight = min(micros, mesh.pipeline) if mesh.pipeline > 1 else 1
    if mesh.chunks > 1:
        flight *= 1 + (mesh.pipeline - 1) / (mesh.pipeline * mesh.chunks)
    activations = 2 * tokens * kept / mesh.tensor * layers * flight
    if mesh.checkpoint == "full":
        activations += 2 * tokens * whole / mesh.tensor
    sharded = mesh.shard if mesh.pipeline == 1 else 1
    gathered = 2 * 2 * a.layer / mesh.tensor if sharded > 1 else 0.0  # a layer in use, and the next
    return {
        "parameters": 2 * count / sharded + gathered,
        "gradients": 4 * count / sharded + gathered,
        "optimizer": 12 * count / mesh.shard,
        "activations": activations,
        "logits": 6 * tokens * a.vocabulary / mesh.tensor,
    }


def _communication(
    job: Job, mesh: Mesh, layer: Work, layers: int, micros: int, again: float
) -> tuple[dict[str, float], dict[str, float], float]:
    """Bytes that one GPU sends in a step and the seconds that nothing hides, by side of the mesh; the seconds that
    something does.
    """
    a, links = job.architecture, job.links
    tokens = mesh.micro * job.length / mesh.context
    stream = 2 * tokens * a.width
    sent: dict[str, float] = {}
    exposed: dict[str, float] = {}
    total = 0.0  # of what may be hidden
    passes = 3 if mesh.checkpoint == "full" else 2  # forward, backward, and forward again
    one = ring_seconds(stream, mesh.group("tensor"), links, passes=2)
    exposed["tensor"] = micros * layers * passes * 2 * one
    sent["tensor"] = micros * layers * passes * 2 * 2 * _share(mesh.tensor) * stream
    ring = mesh.group("context")
    keys = 2 * 2 * tokens * mesh.context * a.of_keys / mesh.tensor  # of the whole length
    round_trip = ring_seconds(keys, ring, links)
    exposed["context"] = micros * layers * 3 * max(0.0, round_trip - layer.attention)
    total += micros * layers * 3 * round_trip
    sent["context"] = micros * layers * 3 * _share(mesh.context) * keys
    weights = 2 * a.layer / mesh.tensor
    count = _parameters(job, mesh)
    shard, data = mesh.group("shard"), mesh.group("data")
    if mesh.pipeline == 1:
        gather, scatter = ring_seconds(weights, shard, links), ring_seconds(2 * weights, shard, links)
        behind = gather + scatter if mesh.shard > 1 else 0.0
        waits = max(0.0, gather - layer.forward) + max(0.0, behind - layer.backward - again)
        exposed["shard"] = micros * layers * waits
        total += micros * layers * (gather + behind)
        sent["shard"] = micros * layers * _share(mesh.shard) * 4 * weights
    else:
        exposed["shard"] = ring_seconds(6 * count, shard, links)  # gradients scattered, parameters gathered
        sent["shard"] = _share(mesh.shard) * 6 * count
    gradients = 4 * count / mesh.shard
    added = ring_seconds(gradients, data, links, passes=2)
    exposed["data"] = max(0.0, added - layers * (layer.backward + again))
    total += added
    sent["data"] = 2 * _share(mesh.data) * gradients
    if mesh.pipeline > 1:
        stride = mesh.group("pipeline").stride
        hop = send_seconds(stream / mesh.tensor, stride, links)
        exposed["pipeline"] = 2 * (micros + mesh.pipeline - 1) * mesh.chunks * hop
        sent["pipeline"] = 2 * micros * mesh.chunks * stream / mesh.tensor
    waited = exposed["context"] + exposed["data"] + (exposed["shard"] if mesh.pipeline == 1 else 0.0)
    return {name: value for name, value in sent.items() if value > 0}, exposed, max(0.0, total - waited)


def _share(size: int) -> float:
    return (size - 1) / size


def meshes(job: Job, gpus: int) -> Iterator[Mesh]:
    """All meshes of so many GPUs that are worth a look."""
    pipelines = [p for p in (1, 2, 4, 5, 6, 7, 8, 10, 12, 14, 16, 18, 20, 32) if p <= job.architecture.depth]
    tensors, contexts = _powers(min(job.links.node, gpus)), _powers(max(1, job.length // 4096))
    for tensor, pipeline, context in itertools.product(tensors, pipelines, contexts):
        rest, left = divmod(gpus, tensor * pipeline * context)
        if left:
            continue
        shards = [n for n in range(1, rest + 1) if rest % n == 0]
        chunkings = (1, 2, 4) if pipeline > 1 else (1,)
        for shard, micro, checkpoint, chunks in itertools.product(shards, (1, 2, 4, 8), CHECKPOINTS, chunkings):
            yield Mesh(
                data=rest // shard,
                shard=shard,
                tensor=tensor,
                pipeline=pipeline,
                context=context,
                micro=micro,
                checkpoint=checkpoint,
                chunks=chunks,
            )


def _powers(most: int) -> list[int]:
    return [2**n for n in range(most.bit_length()) if 2**n <= most]


def best_meshes(job: Job, gpus: int, count: int = 5) -> list[Estimate]:
    """The quickest, one for each division into tensor, pipeline and context."""
    found: dict[tuple[int, ...], Estimate] = {}
    for mesh in meshes(job, gpus):
        made = estimate(job, mesh)
        if isinstance(made, str):
            continue
        key = (mesh.tensor, mesh.pipeline, mesh.context)
        if key not in found or made.step < found[key].step:
            found[key] = made
    return sorted(found.values(), key=lambda one: one.step)[:count]
