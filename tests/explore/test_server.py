"""The server against those who mean it ill, those who are slow, and those who leave."""

import gzip
import json
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from regard.explore import api, connections
from regard.explore import server as serving
from regard.explore.api import Binary, Empty, Endpoint, Response
from regard.explore.cancellation import Cancelled, check_cancelled
from regard.explore.server import PAGE, Answers, make_application
from regard.explore.workspace import Workspace
from tests.explore.running import JSON, answered, asked, connected, request, running, sent


class Nothing(Response):
    """A response of the tests."""


REPLY = Nothing()


@pytest.fixture(scope="module")
def app():
    return make_application(Workspace())


@pytest.fixture(scope="module")
def port(app):
    with running(app) as port:
        yield port


@pytest.fixture(scope="module")
def answers(app) -> Answers:
    return app.app.routes[1].endpoint.__self__


@pytest.fixture
def answer_by(monkeypatch):
    """A question of the test, which a function without arguments answers."""

    def put(name, work, heavy=True):
        def answer(workspace: Workspace, request: Empty) -> Nothing:
            """A question of the tests."""
            return work() or REPLY

        monkeypatch.setitem(api._endpoints_of("export"), name, Endpoint(name, answer, heavy))

    return put


def waited(holds, seconds=5.0):
    until = time.monotonic() + seconds
    while not holds() and time.monotonic() < until:
        time.sleep(0.005)
    return holds()


@pytest.fixture
def opened():
    """What is closed at the end."""
    with ExitStack() as stack:
        yield stack


@pytest.fixture
def sends(opened):
    """Questions whose answers are not waited for."""

    def send(port: int, name: str) -> socket.socket:
        client = opened.enter_context(connected(port))
        client.sendall(
            f"POST /api/{name} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            "Content-Length: 2\r\nConnection: close\r\n\r\n{}".encode()
        )
        return client

    return send


class Endless:
    """Work that goes on until nobody waits for it, and knows what became of it."""

    def __init__(self) -> None:
        self.began, self.stopped = threading.Event(), threading.Event()

    def __call__(self) -> None:
        self.began.set()
        until = time.monotonic() + 20
        try:
            while time.monotonic() < until:
                check_cancelled()
                time.sleep(0.005)
        except Cancelled:
            self.stopped.set()
            raise


TARGETS = [
    "/../server.py",
    "/../../../../../../etc/passwd",
    "/%2e%2e/server.py",
    "/%2e%2e%2fserver.py",
    "/..%2f..%2f..%2fetc%2fpasswd",
    "/%252e%252e%252fserver.py",
    "/views/../../server.py",
    "/views/%2e%2e/%2e%2e/server.py",
    "/..\\server.py",
    "/..%5cserver.py",
    "/%c0%ae%c0%ae%c0%afserver.py",
    "/%ef%bc%8e%ef%bc%8e/server.py",
    "/..%00/server.py",
    "/index.html%00.js",
    "/\x00",
    "//etc/passwd",
    "//server.py",
    "/etc/passwd",
    "/./index.html",
    "/index.html/",
    "/index.html/../bundle.js",
    "/INDEX.HTML",
    "/views",
    "/views/",
    "/.git/config",
    "/~root/",
    "/C:/boot.ini",
    "/file:///etc/passwd",
    "/%ff%fe",
    "/" + "a" * 20_000,
    "/" + "../" * 5_000,
    "/?path=../server.py#",
    "/api/../server.py",
    "/api/%2e%2e%2fserver.py",
    "/api/",
    "http://127.0.0.1/../server.py",
    "file:///etc/passwd",
    "..",
    "*",
]


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: ascii(target[:40]))
def test_no_path_leads_out_of_the_page(port, target):
    for method in ("GET", "POST", "OPTIONS"):
        answer = request(port, target, method, headers=JSON)
        if target.startswith("/?") and method == "GET":
            assert answer.body == (PAGE / "index.html").read_bytes()
        else:
            assert answer.status in (400, 404, 405), method
            assert b"root:" not in answer.body
            assert b"import" not in answer.body


def test_the_files_are_those_of_the_folder(port):
    files = serving.read_page()
    assert set(files) == {"index.html", "icon.svg", "favicon.ico", "bundle.js", "bundle.css"}
    assert files["favicon.ico"] is files["icon.svg"]
    kinds = {".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8", ".svg": "image/svg+xml"}
    for name, file in serving.read_page().items():
        answer = request(port, f"/{name}")
        assert answer.status == 200
        assert answer.headers["content-type"] == kinds.get(Path(name).suffix, answer.headers["content-type"])
        assert answer.body == file.data


def test_what_the_browser_has_is_not_sent_again(port):
    plain = request(port, "/bundle.js")
    packed = request(port, "/bundle.js", headers={"Accept-Encoding": "br, gzip"})
    assert packed.headers["content-encoding"] == "gzip"
    assert gzip.decompress(packed.body) == plain.body
    assert len(packed.body) < len(plain.body)
    assert plain.headers["etag"] == packed.headers["etag"]
    assert plain.headers["vary"] == "Accept-Encoding"
    again = request(port, "/bundle.js", headers={"If-None-Match": plain.headers["etag"]})
    assert (again.status, again.body) == (304, b"")
    assert request(port, "/bundle.js", headers={"If-None-Match": '"other"'}).status == 200


@pytest.mark.parametrize("method", ["GET", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "CONNECT", "BREW"])
def test_questions_are_asked_by_post_alone(port, method):
    answer = request(port, "/api/example", method)
    assert answer.status == 405
    assert "POST" in answer.headers["allow"]


@pytest.mark.parametrize(
    "kind",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "application/jsonx"],
)
def test_what_a_form_can_send_is_refused(port, kind):
    answer = request(port, "/api/example", "POST", b"{}", {"Content-Type": kind})
    assert answer.status == 415
    assert "application/json" in answer.error
    assert (
        request(port, "/api/example", "POST", b"{}", {"Content-Type": "Application/JSON; charset=utf-8"}).status == 200
    )


BODIES = {
    "nothing": b"",
    "no JSON": b"{]",
    "two of them": b"{} {}",
    "no object": b"[]",
    "null": b"null",
    "NaN": b'{"x": [[NaN]]}',
    "Infinity": b'{"beta": Infinity}',
    "too large a number": b'{"beta": 1e999}',
    "an endless integer": b'{"query": ' + b"9" * 100_000 + b"}",
    "deep": b"[" * 200_000,
    "deep inside": b'{"x": ' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "no text": b'{"mask": "\xff\xfe"}',
    "half a surrogate": b'{"mask": "\\ud800"}',
    "unknown fields": b'{"__proto__": 1, "path": "/etc/passwd"}',
    "a long name": b'{"' + b"n" * 1_000_000 + b'": 1}',
    "many unknown fields": json.dumps({f"n{number}": 0 for number in range(20_000)}).encode(),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_what_is_no_question_is_refused(port, body):
    answer = asked(port, "playground", body)
    assert answer.status == 422
    assert answer.error.startswith("the request to playground is not valid: ")
    assert len(answer.body) < 8_000


def test_an_unknown_question_names_the_known(port):
    answer = asked(port, "a" * 5_000)
    assert answer.status == 404
    assert "playground" in answer.error
    assert len(answer.error) < 3_000


def test_too_large_a_question_is_not_read(port, monkeypatch):
    monkeypatch.setattr(serving, "MAX_BODY", 2**20)
    head = "POST /api/playground HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    said = sent(port, f"{head}Content-Length: {10**15}\r\n\r\n".encode())  # none of it comes
    assert said.status == 413
    assert "at most 1 MB" in said.error
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    streamed = sent(port, f"{head}Transfer-Encoding: chunked\r\n\r\n".encode() + chunk * 18)
    assert streamed.status == 413
    for length in ("-1", "1e3", "1, 2", "9" * 30, "\xb2"):
        assert sent(port, f"{head}Content-Length: {length}\r\n\r\n{{}}".encode("latin-1")).status == 400, length
    assert asked(port, "example").status == 200


def test_headers_without_an_end_are_refused(port):
    assert sent(port, b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 200_000).status == 400


def test_slow_clients_stop_nobody(port, monkeypatch, opened):
    monkeypatch.setattr(serving, "BODY_SECONDS", 0.6)
    head = "POST /api/playground HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n"
    clients = [opened.enter_context(connected(port)) for _ in range(40)]
    for number, client in enumerate(clients):
        client.sendall(f"{head}\r\n{{".encode() if number % 2 else head.encode())
    for _ in range(3):
        for number, client in enumerate(clients):
            client.sendall(b" " if number % 2 else b"X: 1\r\n")
        began = time.monotonic()
        assert request(port, "/").status == 200
        assert asked(port, "example").status == 200
        assert time.monotonic() - began < 1
    for client in clients[1::2]:
        answer = answered(client)
        assert answer.status == 408
        assert "within 0.6 seconds" in answer.error


def test_a_client_without_headers_is_let_go(port, monkeypatch, opened):
    monkeypatch.setattr(connections, "HEADER_SECONDS", 0.4)
    silent, slow, again = [opened.enter_context(connected(port)) for _ in range(3)]
    slow.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n")
    again.sendall(b"GET /icon.svg HTTP/1.1\r\nHost: localhost\r\n\r\n")
    assert answered(again).status == 200  # and the connection stays open
    again.sendall(b"GET /icon.svg HTTP/1.1\r\n")
    assert [client.recv(100) for client in (silent, slow, again)] == [b"", b"", b""]
    assert request(port, "/").status == 200


def test_work_stops_when_its_asker_leaves(port, answer_by, answers, sends):
    work = Endless()
    answer_by("endless", work)
    client = sends(port, "endless")
    assert work.began.wait(5)
    assert asked(port, "example").status == 200  # a quick question goes past
    client.close()
    assert work.stopped.wait(5)
    assert waited(lambda: answers.heavy.borrowed_tokens == 0)


def test_a_question_whose_asker_left_the_queue_never_runs(port, answer_by, answers, sends):
    works, ran = [Endless() for _ in range(serving.HEAVY)], []
    for number, work in enumerate(works):
        answer_by(f"endless{number}", work)
    answer_by("left", lambda: ran.append("left"))
    answer_by("stayed", lambda: ran.append("stayed"))
    first, *_ = [sends(port, f"endless{number}") for number in range(serving.HEAVY)]
    assert all(work.began.wait(5) for work in works)
    left, stayed = sends(port, "left"), sends(port, "stayed")
    assert waited(lambda: answers.heavy.statistics().tasks_waiting == 2)
    left.close()
    assert waited(lambda: answers.heavy.statistics().tasks_waiting == 1)
    first.close()
    assert answered(stayed).status == 200
    assert ran == ["stayed"]


def test_a_server_that_ends_stops_its_work(answer_by, sends):
    work = Endless()
    answer_by("endless", work)
    with running(make_application(Workspace())) as port:
        sends(port, "endless")
        assert work.began.wait(5)
    assert work.stopped.wait(5)


def test_a_mistake_of_the_server_says_nothing_of_its_inside(port, answer_by):
    def fails() -> None:
        raise RuntimeError("a secret")

    answer_by("fails", fails)
    answer = asked(port, "fails")
    assert answer.status == 500
    assert b"secret" not in answer.body
    assert "bug in regard" in answer.error
    assert "content-security-policy" in answer.headers
    assert asked(port, "example").status == 200


def test_refusals_are_told_with_their_reason(port, answer_by):
    def refuses() -> None:
        raise ValueError("width must be even: got 7; use 8")

    def fills() -> None:
        raise MemoryError

    answer_by("refuses", refuses)
    answer_by("fills", fills)
    refused = asked(port, "refuses")
    assert (refused.status, refused.error) == (400, "width must be even: got 7; use 8")
    assert asked(port, "fills").status == 413


def test_numbers_come_as_they_were_packed(port, monkeypatch):
    packed = Binary(REPLY, bytes(range(256)))

    def answer(workspace: Workspace, request: Empty) -> Binary:
        """A question of the tests."""
        return packed

    monkeypatch.setitem(api._endpoints_of("export"), "numbers", Endpoint("numbers", answer))
    found = asked(port, "numbers")
    assert found.headers["content-type"] == "application/octet-stream"
    assert found.headers["cache-control"] == "no-store"
    assert found.body == packed.pack()


def test_one_connection_serves_many_questions(port):
    """What is refused early must not be taken for the next question."""
    first = "POST /api/example HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain\r\nContent-Length: 40\r\n\r\n"
    smuggled = "GET /bundle.js HTTP/1.1\r\nHost: localhost\r\n\r\n"[:40].ljust(40)
    last = (
        "POST /api/example HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}"
    )
    with connected(port) as client:
        client.sendall(first.encode())
        assert answered(client).status == 415
        client.sendall((smuggled + last).encode())
        answer = answered(client)
        assert answer.status == 200
        assert "heads" in json.loads(answer.body)["problem"]


def test_no_request_opens_a_file_that_nobody_named(tmp_path):
    run = tmp_path / "runs" / "run"
    run.mkdir(parents=True)
    (run / "run.json").write_text("{}")
    (tmp_path / "canary").mkdir()
    for name in ("run.json", "config.json"):
        (tmp_path / "canary" / name).write_text('{"recipe": "a secret"}')
    command = [sys.executable, "-m", "tests.explore.watched", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, cwd=Path(__file__).parents[2])
    assert done.returncode == 0, done.stderr[-3000:]
    found = json.loads(done.stdout)
    assert found["foreign"] == []
    assert found["own"] > 0  # the watch sees what is opened
    assert not [status for status in found["statuses"] if int(status) >= 500]


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
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=60)
        assert process.returncode == 0
        assert "Traceback" not in said
        assert "Ctrl-C stops it" in said


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}
