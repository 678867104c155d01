"""A server in a thread of the tests, and requests to it that no client library would send."""

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from typing import Any

import uvicorn

from regard.explore.connections import configure_server

JSON = {"Content-Type": "application/json"}


@contextmanager
def running(app: Any) -> Iterator[int]:
    """An ASGI application that answers at the port that is given."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(configure_server(app, log_config=None, timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        until = time.monotonic() + 20
        while not server.started:
            assert thread.is_alive(), "the server ended before it started"
            assert time.monotonic() < until, "the server did not start in 20 seconds"
            time.sleep(0.01)
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(20)


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]  # their names in small letters
    body: bytes

    @property
    def error(self) -> str:
        return json.loads(self.body)["error"]


class _Recorded:
    """Bytes in the form of the socket that `http.client` reads from."""

    def __init__(self, data: bytes) -> None:
        self.data = data

    def makefile(self, mode: str) -> BytesIO:
        return BytesIO(self.data)


def request(
    port: int, target: str = "/", method: str = "GET", body: bytes = b"", headers: Mapping[str, str] | None = None
) -> Answer:
    """The answer to one request, whose target and headers are sent as they are."""
    given = {"Host": f"127.0.0.1:{port}", "Connection": "close", **(headers or {})}
    if body:
        given.setdefault("Content-Length", str(len(body)))
    lines = [f"{method} {target} HTTP/1.1", *(f"{name}: {value}" for name, value in given.items())]
    return sent(port, "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body)


def asked(port: int, name: str, body: bytes = b"{}", **headers: str) -> Answer:
    """The answer to one question."""
    return request(port, f"/api/{name}", "POST", body, JSON | headers)


def sent(port: int, data: bytes) -> Answer:
    """The answer to these bytes."""
    with connected(port) as client:
        with suppress(BrokenPipeError, ConnectionResetError):  # refused before its end, for a reason that can be read
            client.sendall(data)
        return answered(client)


def answered(client: socket.socket) -> Answer:
    """What the server sends until it closes, or says that it is all."""
    data = b""
    while True:
        try:
            part = client.recv(65536)
        except ConnectionResetError:
            part = b""
        data += part
        found = _parsed(data)
        if found is not None or not part:
            break
    assert found is not None, f"no whole answer came, but {data[:200]!r}"
    return found


def connected(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), timeout=20)


def _parsed(data: bytes) -> Answer | None:
    response = http.client.HTTPResponse(_Recorded(data))  # type: ignore[arg-type]
    try:
        with response:
            response.begin()
            return Answer(
                response.status, {name.lower(): value for name, value in response.getheaders()}, response.read()
            )
    except (http.client.HTTPException, ValueError):
        return None
