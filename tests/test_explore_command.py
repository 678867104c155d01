"""`regard explore`: it says where it is, serves, and stops when told."""

import json
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request

import pytest
from typer.testing import CliRunner

from regard.cli import app


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_it_prints_its_address_serves_and_stops(tmp_path, host):
    words = [sys.executable, "-m", "regard", "explore", "--no-browser", "--port", "0", "--host", host, "--json"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        assert server.stdout is not None
        address = json.loads(server.stdout.readline())["address"]
        port, token = re.search(r":(\d+)/(.*)", address).groups()
        bare = f"http://127.0.0.1:{port}/"
        if host == "127.0.0.1":
            assert token == ""
            assert b"regard" in urllib.request.urlopen(bare, timeout=30).read()
        else:  # others can reach it: nothing without the token
            assert token.startswith("?token=")
            with pytest.raises(urllib.error.HTTPError, match="401") as refused:
                urllib.request.urlopen(bare, timeout=30)
            refused.value.close()
            known = urllib.request.Request(bare, headers={"Authorization": f"Bearer {token.removeprefix('?token=')}"})
            with urllib.request.urlopen(known, timeout=30) as page:
                assert b"regard" in page.read()
    finally:
        server.send_signal(signal.SIGINT)
        _, said = server.communicate(timeout=30)
    assert server.returncode == 0
    assert said == "Ctrl-C stops it\n"


def test_what_it_cannot_show_is_said(tmp_path):
    result = CliRunner().invoke(app, ["explore", str(tmp_path)])
    assert result.exit_code == 2
    assert str(tmp_path) in "".join(result.stderr.split("\n"))
