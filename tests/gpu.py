"""The tests that compute attention, on the GPU, in several processes: `python tests/gpu.py --out results.json`.

FlexAttention compiles a kernel for each kind of problem, which one process would do for an hour; so the tests are dealt
out to `--shards` processes, and of the pairs of moves one in `--one-in` is run.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

# Left out: what computes no attention on the GPU, and what would compile a kernel for every example.
LEFT_OUT = "not any_moves and not report and not bad_input and not visits and not test_flex"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--one-in", type=int, default=40)
    parser.add_argument("--seconds", type=float, default=1800, help="after which a process is ended")
    parser.add_argument("--commit", default="")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        records = [Path(folder) / f"{shard}.jsonl" for shard in range(options.shards)]
        runs = [start(options, shard, record) for shard, record in enumerate(records)]
        deadline = time.monotonic() + options.seconds
        ended = [finish(run, deadline) for run in runs]
        lines = [json.loads(line) for record in records if record.exists() for line in record.read_text().splitlines()]
    failed = [line for line in lines if line["outcome"] == "failed"]
    report = {
        "device": torch.cuda.get_device_name(),
        "torch": torch.__version__,
        "commit": options.commit,
        "command": " ".join(sys.argv),
        "passed": sum(line["outcome"] == "passed" for line in lines),
        "failed": len(failed),
        "skipped": sum(line["outcome"] == "skipped" for line in lines),
        "processes cut off": sum(code is None for code in ended),
        "tests": lines,
    }
    options.out.parent.mkdir(parents=True, exist_ok=True)
    options.out.write_text(json.dumps(report, indent=1))
    for line in failed:
        print("FAILED", line["test"], line["why"][-600:])
    print(f"{report['passed']} passed, {report['failed']} failed, {report['skipped']} skipped")
    sys.exit(bool(failed or None in ended or not lines))


def start(options: argparse.Namespace, shard: int, record: Path) -> subprocess.Popen:
    command = [sys.executable, "-m", "pytest", "-q", "--device", "cuda", "-k", LEFT_OUT, "--record", str(record)]
    command += ["--one-in", str(options.one_in), "--shard", f"{shard}/{options.shards}"]
    command += ["tests/algorithms"]
    command += [f"tests/{part}/test_on_cuda.py" for part in ("analysis/cost", "models", "training")]
    command += ["tests/integrations/test_half_precision.py"]
    return subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def finish(run: subprocess.Popen, deadline: float) -> int | None:
    """The exit code, or None for a process that had to be ended."""
    try:
        return run.wait(max(0.0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        run.kill()
        return None


if __name__ == "__main__":
    main()
