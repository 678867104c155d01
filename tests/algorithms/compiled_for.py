"""Our Triton kernels compiled for GPUs that are not here: `python -m tests.algorithms.compiled_for 89 101376 decode`.

Prints a line of JSON for every kernel: its name, and the bytes of shared memory that Triton allocates. Tensors are on
the CPU and nothing is launched, but all else is as in a call: what is compiled for is what the host's code asks for.
Needs a process of its own, without Triton's interpreter (`TRITON_INTERPRET`).
"""

import json
import sys
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import torch
import triton
from torch._functorch.aot_autograd import aot_export_joint_simple
from torch._higher_order_ops.triton_kernel_wrap import kernel_side_table, triton_kernel_wrapper_functional
from triton.backends.compiler import GPUTarget
from triton.runtime.jit import JITFunction

from regard.algorithms.kernels import block_sparse, decode, tiled, tiles
from regard.algorithms.kernels.linear import scan
from regard.algorithms.kernels.position import grid_mixing
from regard.algorithms.kernels.tokens import rows, words
from regard.algorithms.planning import kept
from regard.algorithms.planning.machines import TABLES

HALF, SINGLE = torch.bfloat16, torch.float32
N = 512


class Driver:
    """A GPU of some compute capability, as far as the compiler asks."""

    def __init__(self, capability: int) -> None:
        self.target = GPUTarget("cuda", capability, 32)

    def get_current_target(self) -> GPUTarget:
        return self.target

    def get_current_device(self) -> int:
        return 0

    def get_current_stream(self, device: int) -> int:
        return 0


def compile_for(capability: int, room: int) -> None:
    """Compile what is called, and launch nothing; say what each kernel needs."""
    triton.runtime.driver.set_active(Driver(capability))  # pyright: ignore[reportArgumentType]
    run: Any = JITFunction.run

    def compile_only(kernel: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
        compiled = run(kernel, *args, grid=grid, warmup=True, **options)
        print(json.dumps({"kernel": kernel.fn.__name__, "shared": compiled.metadata.shared}), flush=True)

    JITFunction.run = compile_only  # pyright: ignore[reportAttributeAccessIssue]
    for module in (tiles, scan, grid_mixing):
        module.shared_memory = lambda _: room  # pyright: ignore[reportAttributeAccessIssue]
    rows.INTERPRETED = True  # which lets tensors on the CPU in
    machine = replace(TABLES["cuda"], capability=capability, shared=room)
    scan.table_of = lambda _: machine  # pyright: ignore[reportAttributeAccessIssue]


def run_tiled(width: int, dtype: torch.dtype) -> None:
    """Causal, windows, documents, and gaussians on a grid."""
    q = torch.randn(1, 4, N, width, dtype=dtype)
    for spec, given in (
        (tiled.Spec(1.0, None, 0), tiled.Given()),
        (tiled.Spec(1.0, None, 0, cap=30.0), tiled.Given()),
        (tiled.Spec(1.0, -100, 0), tiled.Given()),
        (tiled.Spec(1.0, None, 0), tiled.Given(spans=torch.zeros(2, 1, N, dtype=torch.int32))),
        (tiled.Spec(1.0, term=3, axes=2, full=True, grids=(32, 32, *[1.0] * 6)), tiled.Given(theta=torch.zeros(4, 5))),
    ):
        out, lse = tiled.forward(q, q, q, given, spec)
        tiled.backward(q, None, q, q, q, given, out, lse, spec, given.theta is not None)


def run_decode(width: int, dtype: torch.dtype) -> None:
    """A query alone, and as many of a group as a tile holds."""
    k = torch.randn(2, 1, N, width, dtype=dtype)
    for heads in (1, 64):
        q = torch.randn(2, heads, 1, width, dtype=dtype)
        for work in (decode.Work(1.0), decode.Work(1.0, cap=30.0)):
            decode.attend_few(q, k, k, work, torch.tensor([5, 6]))


def run_blocks(width: int, dtype: torch.dtype) -> None:
    q, n = torch.randn(1, 4, N, width, dtype=dtype), N // block_sparse.SIZE
    counts, numbers = torch.zeros(1, 1, n, dtype=torch.int32), torch.zeros(1, 1, n, n, dtype=torch.int32)
    bits, real = torch.zeros(n * n, 2, block_sparse.SIZE, 4, dtype=torch.int32), torch.ones(1, 1, N, dtype=torch.uint8)
    decided = block_sparse.Decided([counts, numbers] * 4, numbers, bits, real, real)
    out, lse = block_sparse.forward(q, q, q, decided, 1.0)
    block_sparse.backward(q, q, q, out, lse, q, None, decided, 1.0)


def run_grid(side: int, dtype: torch.dtype) -> None:
    maps, v = torch.randn(4, side, side, dtype=dtype), torch.randn(1, 2, side * side, 64, dtype=dtype)
    out, between = grid_mixing._forward(maps, maps, v)
    grid_mixing._gradients(out.contiguous(), maps, maps, v, between)


def run_scan(width: int, dtype: torch.dtype) -> None:
    """Few heads, whose sequences are cut, and many."""
    options = scan.Sizes.options

    def on_gpu(sizes: Any, kernel: str, q: Any, v: Any) -> dict[str, Any]:
        about = [SimpleNamespace(dtype=x.dtype, itemsize=x.itemsize, shape=x.shape, device=x.device) for x in (q, v)]
        about[1].is_cuda = True
        return options(sizes, kernel, *about)  # pyright: ignore[reportArgumentType]

    scan.Sizes.options = on_gpu  # pyright: ignore[reportAttributeAccessIssue]
    for count in (1, 64):
        q = torch.randn(count, 4, N, width, dtype=dtype, requires_grad=True)
        out, _ = scan.attended(q, q, q, None, None, None, "Elu", True, False)
        out.sum().backward()
    scan.Sizes.options = options


def run_rows(width: int, dtype: torch.dtype) -> None:
    """All forms, of few rows and of a tile."""
    matrix = torch.empty(4 * N, 8 * width, dtype=dtype)
    norm = rows.Norm(matrix[0], matrix[1], 1e-5, False)
    for count in (1, rows.FEW, rows.MOST_ROWS):
        x, bias = torch.empty(count, 8 * width, dtype=dtype), matrix.new_empty(4 * N)
        add = matrix.new_empty(count, 4 * N)
        with torch.no_grad():
            rows.project(x, (matrix,) * 3, (bias, None, bias), norm=norm)
            rows.project(x, (matrix,) * 2, (bias, bias), norm=norm, activation="silu", gated=True)
            rows.project(x, (matrix,), (None,), add=add)
    q, cache = torch.empty(2, 4, 1, width, dtype=dtype), torch.empty(2, 4, N, width, dtype=dtype)
    wave = torch.empty(2, 1, 1, width // 2)
    rows.enter(q, q, q, wave, wave, torch.zeros(2, dtype=torch.int64), cache, cache)
    words.judge(torch.empty(4, 50304, dtype=dtype), torch.zeros(4, dtype=torch.int64), 50257, 0.1, -100, True)


def run_graphs(width: int, dtype: torch.dtype) -> None:
    """What a compiler sees of the short kernels: nodes of its graph, and which tensors they write."""
    x = torch.randn(2, N, 4 * width, dtype=dtype, requires_grad=True)
    maps = torch.randn(4, 16, 16, requires_grad=True)
    tiled._suits_graphs = grid_mixing._suits_graphs = lambda *_: True  # as if tensors were on a GPU

    def attended(x: torch.Tensor) -> tuple[torch.Tensor]:
        q = x.unflatten(2, (4, width)).transpose(1, 2)
        return (tiled._operator(q, q, q, None, None, None, None, None, *tiled._flat(tiled.Spec(1.0, None, 0)))[0],)

    def mixed(maps: torch.Tensor, x: torch.Tensor) -> tuple[torch.Tensor]:
        narrow, v = maps.detach().to(dtype), x[:, :256, None].transpose(1, 2)
        return (grid_mixing._operator(maps, maps, narrow, narrow, v)[0],)

    for call, tensors in ((attended, (x,)), (mixed, (maps, x))):
        graph = aot_export_joint_simple(call, tensors, trace_joint=True).graph
        assert not [node for node in graph.nodes if "regard" in str(node.target)], "an operator stayed"
        for node in graph.nodes:
            if node.target is triton_kernel_wrapper_functional:
                kernel: Any = kernel_side_table.get_kernel(node.kwargs["kernel_idx"])
                written = sorted(node.kwargs["tensors_to_clone"])
                print(json.dumps({"kernel": kernel.fn.__name__, "written": written}), flush=True)


CALLS = {
    "graphs": (run_graphs, [(64, HALF)]),
    "tiled": (run_tiled, [(64, HALF), (128, HALF), (256, HALF)]),
    "decode": (run_decode, [(width, dtype) for dtype in (HALF, SINGLE) for width in (64, 128, 256)]),
    "blocks": (run_blocks, [(64, HALF), (128, HALF), (256, HALF), (64, SINGLE), (128, SINGLE), (256, SINGLE)]),
    "grid": (run_grid, [(16, HALF), (64, HALF), (128, HALF)]),
    "rows": (run_rows, [(width, dtype) for dtype in (HALF, SINGLE) for width in (96, 256)]),
    "scan": (run_scan, [(width, dtype) for dtype in (HALF, SINGLE) for width in (64, 128)]),
}


def main(capability: int, room: int, kernels: str, widest: int) -> None:
    compile_for(capability, room)
    run, cases = CALLS[kernels]
    for width, dtype in cases:
        if width <= widest:
            kept.forget()
            run(width, dtype)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
