"""Start the server, say where it is, open a browser, and stop when told."""

import contextlib
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable

import uvicorn

from regard.explore.api import questions
from regard.explore.desk import Desk
from regard.explore.guard import is_local
from regard.explore.server import application
from regard.explore.tidying import share, tidying

PORTS = 20  # that are tried from the one wanted on, where nobody said which


def serve(desk: Desk, *, host: str, port: int | None, opens: bool, told: Callable[[str], None]) -> None:
    """Serve until interrupted; `told` hears the address once it can be opened."""
    share()
    token = None if is_local(host) else secrets.token_urlsafe(24)
    listening = bound(host, port)
    app = application(desk, token)
    address = address_of(host, listening.getsockname()[1], token)
    config = uvicorn.Config(
        app,
        log_level="warning",
        ws="none",
        access_log=False,
        server_header=False,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=2,
        limit_concurrency=400,
        backlog=256,
    )
    server = uvicorn.Server(config)
    threading.Thread(target=_ready, args=(server, address, opens, told), daemon=True).start()
    asked, stopped = lambda: server.server_state.total_requests, lambda: server.should_exit
    threading.Thread(target=tidying, args=(asked, stopped), daemon=True).start()
    with contextlib.suppress(KeyboardInterrupt):  # which uvicorn raises again when all is closed
        server.run(sockets=[listening])


def _ready(server: uvicorn.Server, address: str, opens: bool, told: Callable[[str], None]) -> None:
    """Say where it is as soon as it answers, and have all questions imported before the first is asked."""
    while not server.started:
        if server.should_exit:
            return
        threading.Event().wait(0.01)
    told(address)
    if opens and has_screen():
        webbrowser.open(address)
    questions()


def has_screen() -> bool:
    """Whether a browser has something to open on; in a terminal alone one of text would take the terminal."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def address_of(host: str, port: int, token: str | None) -> str:
    """What to open.

    >>> address_of("127.0.0.1", 8421, None), address_of("::1", 80, "abc")
    ('http://127.0.0.1:8421/', 'http://[::1]:80/?token=abc')
    """
    everywhere = host in ("0.0.0.0", "::")
    name = socket.gethostname() if everywhere else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + ("" if token is None else f"?token={token}")


def bound(host: str, port: int | None, first: int = 8421) -> socket.socket:
    """A socket at a port, or at the first free one of a few where none is wanted in particular."""
    tried = [port] if port is not None else [*range(first, first + PORTS), 0]
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    for number in tried:
        listening = socket.socket(family, socket.SOCK_STREAM)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, number))
        except OSError as error:
            listening.close()
            if number == tried[-1]:
                raise ValueError(f"cannot listen at {host}:{number}: {error.strerror or error}; use --port") from error
            continue
        listening.set_inheritable(True)
        return listening
    raise AssertionError
