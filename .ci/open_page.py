"""Start the page by the given command, open it, compare some numbers, stop it by Ctrl-C; exit 0 if all of it worked."""

import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request


def main(words: list[str]) -> None:
    """Every request must be answered within a minute."""
    begun = time.monotonic()
    server = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, start_new_session=True)
    try:
        address = _address(server)
        printed = time.monotonic()
        page = _read(address)
        assert "regard" in page, page
        example = json.loads(_read(address + "api/example", b"{}"))["problem"]
        numbers = json.loads(_read(address + "api/playground", json.dumps(example).encode()))
        (first, *_) = numbers["merged"]
        assert [round(value, 8) for value in first] == [-6.04664898, 3.77781072, -0.75731086], first
        runs = json.loads(_read(address + "api/runs", b"{}"))
        assert {"reversal", "digits-gaussian", "language"} <= {run["name"] for run in runs["runs"]}, runs
        answered = time.monotonic()
        print(f"{address} was printed after {printed - begun:.1f} s, and answered {answered - printed:.1f} s later")
    finally:
        os.killpg(server.pid, signal.SIGINT)
        server.wait(30)


def _address(server: subprocess.Popen[str]) -> str:
    assert server.stdout is not None
    for line in server.stdout:
        print(line, end="")
        if found := re.search(r"http://\S+", line):
            return found[0]
    raise SystemExit("the page was not opened")


def _read(address: str, body: bytes | None = None) -> str:
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=60) as response:
        return response.read().decode()


if __name__ == "__main__":
    main(sys.argv[1:])
