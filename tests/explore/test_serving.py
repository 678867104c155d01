"""`regard explore` as a process: it says where it is, keeps others out, and ends when told."""

import json
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from urllib.parse import urlsplit

import pytest


@contextmanager
def exploring(*options: str):
    """The process, and the address that it printed."""
    command = [sys.executable, "-m", "regard", "explore", "--no-browser", "--json", "--port", "0", *options]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            line = process.stdout.readline()
            assert line, process.communicate()[1]
            yield process, urlsplit(json.loads(line)["address"])
        finally:
            process.kill()


def test_a_server_for_others_asks_for_its_token_and_ends_by_ctrl_c(tmp_path):
    with exploring("--host", "0.0.0.0", "--runs", str(tmp_path / "none")) as (process, address):
        here = f"http://127.0.0.1:{address.port}/"
        token = address.query.removeprefix("token=")
        assert len(token) > 30
        with pytest.raises(urllib.error.HTTPError, match="401") as refused:
            urllib.request.urlopen(here, timeout=10)
        refused.value.close()
        with urllib.request.urlopen(urllib.request.Request(here, headers=bearer(token)), timeout=10) as page:
            assert b"regard is starting" in page.read()
        headers = bearer(token) | {"Content-Type": "application/json"}
        asked = urllib.request.Request(f"{here}api/runs", b"{}", headers)
        with urllib.request.urlopen(asked, timeout=30) as reply:
            assert {"reversal", "language"} <= {run["name"] for run in json.load(reply)["runs"]}
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
        assert process.returncode == 0
        assert time.monotonic() - began < 5
        assert "Traceback" not in said
        assert "Ctrl-C stops it" in said


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
