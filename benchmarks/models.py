"""Whole models beside transformers' with the same weights: decoding token by token, and a padded batch.

`python -m benchmarks.models --out FILE --markdown FILE` runs on the CPU with the threads that torch has; both models
have random weights of the published sizes, and their results are compared before they are timed.
"""

import time
from typing import Any

import torch
import transformers
from torch import Tensor

from benchmarks import record
from benchmarks.generation import as_ours
from benchmarks.record import Bar, Row
from benchmarks.timing import Effort, Run, Timing, interleave
from regard.algorithms.kernels.products import multiply

CPU = torch.device("cpu")
EFFORT = Effort(seconds=60, rounds=(7, 9), slice=0.5)
PROMPT, NEW = 32, 65


def decoding(ours: Any, theirs: Any, batch: int) -> list[Row]:
    """Greedy tokens behind a short prompt, without the time to the first of them.

    The limit is the time to read all weights that are multiplied, once for each token, at the rate of the product of
    the largest matrix, the embedding, with a vector, which is the fastest read here; it is timed in the same rounds,
    for the memory of a shared machine is not equally fast at all times. Beside it the products of one token alone: what
    is above that limit in them no model that multiplies in this way can save.
    """
    tokens = torch.randint(50257, (batch, PROMPT), generator=torch.Generator().manual_seed(0))
    ones = torch.ones_like(tokens)

    def regard(count: int) -> Tensor:
        return torch.tensor([row.tokens for row in ours.generate(tokens, max_new=count, ends=())])

    def transformers_(count: int) -> Tensor:
        options = {"max_new_tokens": count, "min_new_tokens": count, "do_sample": False, "pad_token_id": 0}
        with torch.inference_mode():
            return theirs.generate(tokens, attention_mask=ones, **options)[:, PROMPT:]

    if not regard(NEW).equal(transformers_(NEW)):
        raise ValueError("both must write the same tokens: got different ones")
    weights = sum([p.nbytes for name, p in ours.named_parameters() if "positions" not in name])
    matrix, vector = ours.embedding.weight.detach(), torch.ones(1, ours.config.block.width)
    runs: dict[str, Run] = {
        "regard": lambda: regard(NEW),
        "regard, first": lambda: regard(1),
        "transformers": lambda: transformers_(NEW),
        "transformers, first": lambda: transformers_(1),
        "products": _products(ours, batch),
        "read": lambda: [multiply(vector, matrix) for _ in range(NEW - 1)],
    }
    found = _rounds(runs)
    mine, peer = (_between(found[name], found[f"{name}, first"]) for name in ("regard", "transformers"))
    alone, limit = (
        Timing(tuple([scale * seconds / (NEW - 1) for seconds in found[name].samples]))
        for name, scale in (("products", 1), ("read", weights / matrix.nbytes))
    )
    case, measure = f"gpt2 B{batch}", "seconds per token"
    cells: dict[str, Any] = {
        "regard": mine,
        "transformers": peer,
        "products alone": alone,
        "bytes over bandwidth": limit,
        "regard tokens/s": round(batch / mine.median, 1),
        "transformers tokens/s": round(batch / peer.median, 1),
        "GB/s": round(weights / limit.median / 1e9, 1),
    }
    bars = (Bar("≥", 1.3), Bar("≥", 85)) if batch == 1 else (None, None)
    return [
        Row("decoding", case, measure, cells, peer.over(mine), "transformers", bars[0]),
        Row("decoding, limit", case, measure, cells, 100 * limit.over(mine), "the memory", bars[1], None, " %"),
    ]


def _products(model: Any, batch: int) -> Run:
    """The products of every token but the first, and nothing else."""
    layers = [module for module in model.modules() if isinstance(module, torch.nn.Linear)]
    products = [(layer.weight, layer.bias) for layer in layers] + [(model.embedding.weight, None)]
    inputs = {weight.shape[1]: torch.randn(batch, 1, weight.shape[1]) for weight, _ in products}

    @torch.inference_mode()
    def run() -> None:
        for _ in range(NEW - 1):
            for weight, bias in products:
                multiply(inputs[weight.shape[1]], weight, bias)

    return run


def _rounds(runs: dict[str, Run], count: int = 9) -> dict[str, Timing]:
    """All in turns. `interleave` would leave out the long ones, that are eight times as long as the shortest."""
    samples: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(count):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            samples[name].append(time.perf_counter() - start)
    return {name: Timing(tuple(seconds)) for name, seconds in samples.items()}


def _between(all_of_them: Timing, first: Timing) -> Timing:
    """Seconds for each token after the first, round by round."""
    pairs = zip(all_of_them.samples, first.samples, strict=True)
    return Timing(tuple([(long - short) / (NEW - 1) for long, short in pairs]))


def padded(ours: Any, theirs: Any, tokens: int) -> Row:
    """16 rows of evenly spread lengths, half of all places pads."""
    lengths = torch.linspace(1, tokens - 1, 16).round().long()
    words = torch.randint(30522, (16, tokens), generator=torch.Generator().manual_seed(0))
    real = torch.arange(tokens) < lengths[:, None]

    def regard() -> Tensor:
        with torch.inference_mode():
            return ours(words, lengths=lengths).hidden

    def transformers_() -> Tensor:
        with torch.inference_mode():
            return theirs(words, attention_mask=real.long()).last_hidden_state

    torch.testing.assert_close(regard()[real], transformers_()[real], rtol=1e-4, atol=1e-4)
    runs: dict[str, list[Run]] = {"regard": [regard], "transformers": [transformers_]}
    found = interleave(runs, CPU, EFFORT)
    share = float(real.float().mean())
    case = f"bert-base B16 N{tokens}, {share:.0%} real"
    return record.race("padded batch", case, "forward", found, ["transformers"], Bar("≥", 1.7))


def main() -> None:
    options = record.parser("benchmarks.models", __doc__).parse_args()
    torch.manual_seed(0)
    transformers.logging.set_verbosity_error()
    report = record.machine(CPU, options.commit, "benchmarks.models") | {"transformers": transformers.__version__}
    theirs = transformers.GPT2LMHeadModel(transformers.GPT2Config()).eval()
    rows = [row for batch in (1, 8) for row in decoding(as_ours(theirs, CPU), theirs, batch)]
    theirs = transformers.BertModel(transformers.BertConfig()).eval()
    rows += [padded(as_ours(theirs, CPU), theirs, tokens) for tokens in (128, 512)]
    print(record.write(options, report, rows, "Whole models, side by side"))


if __name__ == "__main__":
    main()
