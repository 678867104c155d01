"""Clusters on paper, by hand: links, memory, what is sent, meshes; and published runs."""

import json
import re

import pytest
from typer.testing import CliRunner

from regard.algorithms.planning.machines import TABLES
from regard.analysis.cost import cost
from regard.analysis.prediction.architecture import Architecture
from regard.analysis.prediction.cluster import price_cluster, read_cluster
from regard.analysis.prediction.links import BASE, STEP_INSIDE, STEP_NETWORK, Group, links_of, ring_seconds
from regard.analysis.prediction.meshes import Job, Mesh, estimate, layer_work, memory_of
from regard.commands.app import app
from regard.models import PRESETS, build, vary

H100 = links_of("h100")
SMALL = Architecture(name="small", depth=4, width=256, heads=4, hidden=1024, vocabulary=1000, context=512)


def job(architecture: Architecture = SMALL, batch: int = 64) -> Job:
    return Job(architecture=architecture, machine=TABLES["h100"], links=H100, length=architecture.context, batch=batch)


def test_a_ring_inside_of_a_node_and_between_nodes():
    """370 GB/s of NVLink; 8 cards of 47 GB/s are 376, of which NVLink leaves 370; one card alone 47."""
    inside = 7 / 8 * 1e9 / 370e9 + 7 * STEP_INSIDE + BASE
    assert ring_seconds(1e9, Group(8, 1), H100) == pytest.approx(inside)
    two_nodes = 15 / 16 * 1e9 / 370e9 + 2 * STEP_NETWORK + 14 * STEP_INSIDE + BASE
    assert ring_seconds(1e9, Group(16, 1), H100) == pytest.approx(two_nodes)
    alone = 3 / 4 * 1e9 / 47e9 + 4 * STEP_NETWORK + BASE
    assert ring_seconds(1e9, Group(4, 8), H100) == pytest.approx(alone)
    assert ring_seconds(1e9, Group(1, 8), H100) == 0


def test_parameters_and_flops_are_those_that_are_counted():
    """Of matrices: norms and biases are left out. A causal map has its diagonal, (N + 1) / 2 of N."""
    config = vary(PRESETS["llama3-8b"], depth=2, width=64, num_heads=4, num_groups=2, hidden=128, vocabulary=512)
    found = Architecture.of("small", config)
    counted = cost(build(config), *config.inputs(1, 32))
    norms = (2 * 2 + 1) * 64
    assert found.parameters == counted.parameters - norms
    assert found.flops(33) * 32 == counted.forward.flops + counted.backward.flops


def test_memory_by_hand():
    """2 bytes of parameters, 4 of gradients, 12 of the optimizer; sharded, a layer in use and the next are whole."""
    alone = memory_of(job(), Mesh(micro=1))
    count = 4 * (4 * 256**2 + 2 * 256 * 1024) + 1000 * 256
    assert (alone["parameters"], alone["gradients"], alone["optimizer"]) == (2 * count, 4 * count, 12 * count)
    kept = 4 * 256 + 4 * 256 + 2 * 1024  # numbers of a token in a layer
    assert alone["activations"] == 2 * 512 * kept * 4
    assert alone["logits"] == 6 * 512 * 1000
    sharded = memory_of(job(), Mesh(shard=8))
    layers = 2 * 2 * SMALL.layer
    assert sharded["parameters"] == 2 * count / 8 + layers
    assert sharded["optimizer"] == 12 * count / 8
    again = memory_of(job(), Mesh(checkpoint="full"))
    assert again["activations"] == 2 * 512 * (4 * 256 + kept)


def test_what_is_sent_by_hand():
    made = estimate(job(), Mesh(data=2, tensor=2, micro=4))
    assert not isinstance(made, str)
    stream, micros = 2 * 4 * 512 * 256, 64 // 2 // 4
    assert made.sent["tensor"] == micros * 4 * 4 * 2 * 0.5 * stream  # 4 layers, 4 all-reduces, two passes of half
    assert made.sent["data"] == pytest.approx(2 * 0.5 * 4 * (4 * SMALL.layer + SMALL.table) / 2)
    assert set(made.sent) == {"tensor", "data"}


def test_a_pipeline_idles():
    plain, deep = (estimate(job(), Mesh(data=data, pipeline=p)) for data, p in ((4, 1), (1, 4)))
    assert not isinstance(plain, str)
    assert not isinstance(deep, str)
    assert "pipeline idle" not in plain.seconds
    work = layer_work(job(), tensor=1, context=1, micro=1)
    assert deep.seconds["pipeline idle"] >= 3 * (work.forward + work.backward)


@pytest.mark.parametrize(
    ("mesh", "says"),
    [
        (Mesh(tensor=3), "tensor must divide the heads"),
        (Mesh(data=7), "the batch must be divided"),
        (Mesh(pipeline=8), "a stage needs a layer"),
    ],
)
def test_a_mesh_that_does_not_fit_says_why(mesh: Mesh, says: str):
    assert says in str(estimate(job(), mesh))
    with pytest.raises(ValueError, match=f"the mesh must fit: got .*{says}"):
        price_cluster(SMALL, "h100", mesh.gpus, 1e9, batch=64, mesh=mesh)


def test_a_model_that_no_mesh_holds_says_so():
    big = Architecture.of("llama3-70b", PRESETS["llama3-70b"])
    with pytest.raises(ValueError, match="llama3-70b must fit on 8 × h100: got no mesh of them"):
        price_cluster(big, "h100", 8, 1e9)
    assert "GB more than a GPU has" in str(estimate(job(big, 512), Mesh(data=8)))


# Published GPU-hours: LLaMA's and Llama 2's papers (A100, batches of 4 M tokens), and Llama 3.1's model card (H100; the
# mesh and the 16 M tokens are its paper's). benchmarks/clusters.py has all that were looked at.
PUBLISHED = [
    ("llama-65b", "a100", 2048, 2048, 4, 1.4e12, 1_022_362),
    ("llama2-70b", "a100", 2048, 4096, 4, 2e12, 1_720_320),
    ("llama3.1-405b", "h100", 16384, 8192, 16, 15.6e12, 30_840_000),
]


@pytest.mark.parametrize(("name", "machine", "gpus", "length", "millions", "tokens", "hours"), PUBLISHED)
def test_published_runs_are_predicted_within_thirty_per_cent(
    name: str, machine: str, gpus: int, length: int, millions: int, tokens: float, hours: int
):
    architecture = Architecture.of(name, PRESETS[name])
    found = price_cluster(architecture, machine, gpus, tokens, batch=(millions << 20) // length, length=length)
    assert found.hours(found.estimates[0]) == pytest.approx(hours, rel=0.3)
    assert found.estimates[0].bytes < TABLES[machine].capacity


def test_a_cluster_is_read():
    assert read_cluster("8xA100") == (8, "a100")
    for text in ("h200", "0xh200", "1024"):
        with pytest.raises(ValueError, match=f"a cluster is a number of machines: got '{text}'; use 1024xh200"):
            read_cluster(text)


def test_the_command_prints_and_draws_meshes(tmp_path):
    plot = tmp_path / "meshes.svg"
    words = ["cost", "llama3.2-1b", "--cluster", "16xh100", "--tokens", "1e12", "--at", "N=8192"]
    found = CliRunner().invoke(app, [*words, "--json", "--plot", str(plot)])
    assert found.exit_code == 0, found.stderr
    made = json.loads(found.stdout)
    best = made["meshes"][0]
    assert best["gpu_hours"] == min(mesh["gpu_hours"] for mesh in made["meshes"])
    assert best["gpu_hours"] == pytest.approx(best["step"] * 1e12 / (made["batch"] * 8192) * 16 / 3600)
    assert "seconds of a step" in plot.read_text()
    shown = CliRunner().invoke(app, words)
    assert re.search(r"sent by a GPU in a step: .*no failures", " ".join(shown.stdout.split()))
    lines = CliRunner().invoke(app, [*words, "--csv"]).stdout.splitlines()
    assert lines[0].endswith("bytes,step,utilisation,gpu_hours")


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["gpt2", "--cluster", "8xh100"], "--cluster prices a whole training: got no --tokens; add --tokens 15e12"),
        (["gpt2", "--cluster", "8xt4", "--tokens", "1e9"], "machine of a cluster"),
        (["vit-base", "--cluster", "8xh100", "--tokens", "1e9"], "clusters are for decoders: got vit-base"),
        (["gpt2", "--cluster", "8xh100", "--tokens", "1e9", "--decode", "3"], "whole training: got --decode too"),
        (["gpt2", "--network", "200"], "--network is of a --cluster: got --network too"),
        (["gpt2", "--tokens", "1.5"], "must be a whole number from 1, such as 1024 or 15e12: got '1.5'"),
    ],
)
def test_the_command_says_what_is_wrong(words: list[str], says: str):
    found = CliRunner().invoke(app, ["cost", *words])
    assert found.exit_code == 2
    assert says in re.sub(r"[│╭╰─╮╯\s]+", " ", found.stderr)


def test_sizes_are_read_from_a_configuration(tmp_path):
    sizes = {"num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4, "vocab_size": 100}
    file = tmp_path / "config.json"
    file.write_text(json.dumps(sizes | {"intermediate_size": 128, "hidden_act": "silu"}))
    found = Architecture.read(tmp_path)
    assert (found.depth, found.hidden, found.gated, found.tied) == (2, 128, True, False)
    file.write_text(json.dumps(sizes | {"n_routed_experts": 8}))
    with pytest.raises(ValueError, match=r"clusters are for dense decoders: got .*, with n_routed_experts"):
        Architecture.read(file)
    file.write_text("{}")
    with pytest.raises(ValueError, match="must have num_hidden_layers or n_layer"):
        Architecture.read(file)
