"""The server of `regard explore`: it serves the page and answers its requests, and reads no other files."""

import contextlib
import ctypes
import gc
import gzip
import hashlib
import mimetypes
import os
import secrets
import socket
import sys
import threading
import webbrowser
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

import anyio
import torch
import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.requests import Request as HTTPRequest
from starlette.responses import JSONResponse
from starlette.responses import Response as HTTPResponse
from starlette.routing import Route

from regard.explore import api
from regard.explore.api import PAGE, Binary, Endpoint, UnknownEndpoint
from regard.explore.cancellation import Cancelled, run_cancellable
from regard.explore.connections import configure_server
from regard.explore.guard import Guard, is_local, refuse
from regard.explore.workspace import Workspace

SERVED = ("index.html", "icon.svg", "bundle.js", "bundle.css")
MAX_BODY = 12 * 2**20  # bytes of a request: a picture, for the most part
BODY_SECONDS = 20  # in which the body of a request must have arrived
QUICK, HEAVY = 8, 2  # requests that are answered at a time
CORES = torch.get_num_threads()
CLIENT_CLOSED = 499  # status for a response that nobody will read
FIRST, CALM = 100, 15  # tenths of a second: the longest wait for the first screen, and without a request after it
PORTS = 20  # that are tried from the first on, where none was chosen
ARENA_MAX = -8  # M_ARENA_MAX of glibc's malloc.h
IDLE_SECONDS = 3.0  # without a request, after which memory is returned


@dataclass(frozen=True)
class File:
    """A file of the page, as it is sent."""

    data: bytes
    gzipped: bytes
    kind: str
    tag: str


def read_page() -> dict[str, File]:
    """The files of the page by name."""
    found = {}
    for name in SERVED:
        data = (PAGE / name).read_bytes()
        kind = "text/javascript" if name.endswith(".js") else mimetypes.guess_type(name)[0] or "text/plain"
        if kind.startswith("text/"):
            kind += "; charset=utf-8"
        tag = f'"{hashlib.sha256(data).hexdigest()[:24]}"'
        found[name] = File(data, gzip.compress(data, mtime=0), kind, tag)
    found["favicon.ico"] = found["icon.svg"]  # what browsers ask for beside files that name no icon
    return found


async def send_file(request: HTTPRequest, files: Mapping[str, File]) -> HTTPResponse:
    """A file of the page, from memory."""
    path = request.path_params["path"]
    if path.startswith("api/"):
        raise HTTPException(405, "the API takes POST requests only", {"Allow": "POST"})
    file = files.get(path or "index.html")
    if file is None:
        return refuse(404, "the page has no such file")
    headers = {"ETag": file.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
    if file.tag in request.headers.get("if-none-match", ""):
        return HTTPResponse(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return HTTPResponse(file.gzipped, headers=headers | {"Content-Encoding": "gzip"}, media_type=file.kind)
    return HTTPResponse(file.data, headers=headers, media_type=file.kind)


class Answers:
    """Answers API requests in threads: several quick ones at a time, fewer heavy ones."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.quick, self.heavy = anyio.CapacityLimiter(QUICK), anyio.CapacityLimiter(HEAVY)

    async def respond(self, request: HTTPRequest) -> HTTPResponse:
        try:
            endpoint = await anyio.to_thread.run_sync(api.find_endpoint, request.path_params["name"])
        except UnknownEndpoint as error:
            return refuse(*api.explain(error))
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return refuse(415, "the content-type must be application/json: got another one")
        try:
            with anyio.fail_after(BODY_SECONDS):
                body = await _read_body(request)
        except TimeoutError:
            return refuse(408, f"a request must arrive within {BODY_SECONDS} seconds: got only part of it; try again")
        except ClientDisconnect:
            return HTTPResponse(status_code=CLIENT_CLOSED)
        if body is None:
            return refuse(413, f"a request must have at most {MAX_BODY // 2**20} MB: got more; use a smaller picture")

        async def disconnected() -> None:
            while (await request.receive())["type"] != "http.disconnect":
                pass

        limiter = self.heavy if endpoint.heavy else self.quick
        try:
            return await run_cancellable(partial(self._compute, endpoint, body), disconnected, limiter)
        except Cancelled:
            return HTTPResponse(status_code=CLIENT_CLOSED)

    def _compute(self, endpoint: Endpoint, body: bytes) -> HTTPResponse:
        # Two threads that wait for each other make small products ten times slower on a busy machine.
        torch.set_num_threads(CORES if endpoint.heavy else 1)
        try:
            response = endpoint.respond(self.workspace, body)
        except (ValueError, ImportError, MemoryError) as error:
            return refuse(*api.explain(error))
        headers = {"Cache-Control": "no-store"}
        if isinstance(response, Binary):
            return HTTPResponse(response.pack(), media_type="application/octet-stream", headers=headers)
        return HTTPResponse(response.model_dump_json(), media_type="application/json", headers=headers)


async def _read_body(request: HTTPRequest) -> bytes | None:
    """The body, or None where it is too large; the rest of a body that is too large is not read."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > MAX_BODY:
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MAX_BODY:
            return None
        parts.append(part)
    return b"".join(parts)


def make_application(workspace: Workspace, token: str | None = None) -> Guard:
    """The ASGI application: page, API and guard; with a token it may be reached from other machines."""

    async def describe(request: HTTPRequest) -> HTTPResponse:
        return JSONResponse(await anyio.to_thread.run_sync(api.describe_api))

    def fail(request: HTTPRequest, error: Exception) -> HTTPResponse:
        return refuse(500, "the server failed because of a bug in regard: its terminal shows the traceback")

    def explain(request: HTTPRequest, error: Exception) -> HTTPResponse:
        assert isinstance(error, HTTPException)
        return JSONResponse({"error": error.detail}, error.status_code, error.headers)

    app = Starlette(
        routes=[
            Route("/api", describe, methods=["GET"]),
            Route("/api/{name:path}", Answers(workspace).respond, methods=["POST"]),
            Route("/{path:path}", partial(send_file, files=read_page()), methods=["GET"]),
        ],
        exception_handlers={Exception: fail, HTTPException: explain},
    )
    return Guard(app, token)


def serve(
    workspace: Workspace, *, host: str, port: int | None, open_browser: bool, announce: Callable[[str], None]
) -> None:
    """Serve until interrupted; `announce` gets the address once it can be opened."""
    use_one_arena()
    token = None if is_local(host) else secrets.token_urlsafe(24)
    listening = bind(host, port)
    address = address_of(host, listening.getsockname()[1], token)
    config = configure_server(
        make_application(workspace, token),
        log_level="warning",
        timeout_keep_alive=20,
        timeout_graceful_shutdown=2,
        limit_concurrency=400,
        backlog=256,
    )
    server = uvicorn.Server(config)

    def greet() -> None:
        api.find_endpoint("start")  # what the first screen needs is imported before the address is said
        while not server.started:
            if server.should_exit:
                return
            threading.Event().wait(0.01)
        announce(address)
        if open_browser and has_screen():
            webbrowser.open(address)
        calm = 0
        for _ in range(FIRST):
            threading.Event().wait(0.1)
            calm = 0 if server.server_state.tasks or not count_requests() else calm + 1
            if calm >= CALM:
                break
        api.endpoints()  # imports all views before they are opened

    def count_requests() -> int:
        return server.server_state.total_requests

    threading.Thread(target=greet, daemon=True).start()
    threading.Thread(
        target=return_memory_when_idle, args=(count_requests, lambda: server.should_exit), daemon=True
    ).start()
    with contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again when all is closed
        server.run(sockets=[listening])


def has_screen() -> bool:
    """Whether a browser could open a window; without one, a text browser would take over the terminal."""
    return sys.platform in ("win32", "darwin") or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))


def address_of(host: str, port: int, token: str | None) -> str:
    """The address to open.

    >>> address_of("127.0.0.1", 8421, None), address_of("::1", 80, "abc")
    ('http://127.0.0.1:8421/', 'http://[::1]:80/?token=abc')
    """
    is_any = host in ("0.0.0.0", "::")
    name = socket.gethostname() if is_any else f"[{host}]" if ":" in host else host
    return f"http://{name}:{port}/" + ("" if token is None else f"?token={token}")


def bind(host: str, port: int | None, first: int = 8421) -> socket.socket:
    """A socket bound to a port, or to the first free one from `first` on where none is chosen."""
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
                raise ValueError(
                    f"cannot listen at {host}:{number}: {error.strerror or error}; use another --port"
                ) from error
            continue
        listening.set_inheritable(True)
        return listening
    raise AssertionError


def use_one_arena() -> None:
    """Make all threads allocate from one arena: glibc never returns the ends of the others to the system."""
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is not None:
        mallopt(ARENA_MAX, 1)


def return_memory() -> None:
    """Collect cycles, and return freed memory to the system, which the C library would keep."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)  # glibc only
    if trim is not None:
        trim(0)


def return_memory_when_idle(count_requests: Callable[[], int], is_stopped: Callable[[], bool]) -> None:
    """Return memory once after every spell of requests."""
    seen = returned = count_requests()
    while not is_stopped():
        threading.Event().wait(IDLE_SECONDS)
        if count_requests() == seen != returned:
            return_memory()
            returned = seen
        seen = count_requests()
