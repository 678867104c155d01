"""The server of the page: its files, the questions of its views, and nothing else of the file system."""

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import anyio
import torch
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from regard.explore import api
from regard.explore.api import Binary, Question, Unknown, Unreadable
from regard.explore.desk import Desk
from regard.explore.guard import Guard, said
from regard.explore.work import Cancelled, away

PAGE = Path(__file__).parent / "page"
LARGEST = 12 * 2**20  # bytes of a question: a picture, for the most part
PATIENCE = 20  # seconds in which a question must have come
QUICK, HEAVY = 8, 2  # questions that are answered at a time
CORES = torch.get_num_threads()
GONE = 499  # nobody is there to read it


@dataclass(frozen=True)
class File:
    """A file of the page, as it is sent."""

    data: bytes
    packed: bytes  # by gzip
    kind: str
    tag: str


def page_files() -> dict[str, File]:
    """All files of the page by their paths."""
    found = {}
    for path in sorted(PAGE.rglob("*")):
        if path.is_file() and not path.name.startswith("."):
            data = path.read_bytes()
            kind = "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(path.name)[0] or "text/plain"
            if kind.startswith("text/"):
                kind += "; charset=utf-8"
            tag = f'"{hashlib.sha256(data).hexdigest()[:24]}"'
            found[path.relative_to(PAGE).as_posix()] = File(data, gzip.compress(data, mtime=0), kind, tag)
    return found


class Answers:
    """Answers to questions, away from the event loop: quick ones some at a time, heavy ones fewer."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.quick, self.heavy = anyio.CapacityLimiter(QUICK), anyio.CapacityLimiter(HEAVY)

    async def respond(self, request: Request) -> Response:
        try:
            question = await anyio.to_thread.run_sync(api.question, request.path_params["name"])
        except Unknown as error:
            return said(404, str(error))
        if request.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            return said(415, "a question must be application/json: got another content-type")
        try:
            with anyio.fail_after(PATIENCE):
                body = await _body(request)
        except TimeoutError:
            return said(408, f"a question must have come within {PATIENCE} seconds: got less; ask again")
        except ClientDisconnect:
            return Response(status_code=GONE)
        if body is None:
            return said(413, f"a question must have at most {LARGEST // 2**20} MB: got more; use a smaller picture")
        return await self._answered(question, body, request)

    async def _answered(self, question: Question, body: bytes, request: Request) -> Response:
        limiter = self.heavy if question.heavy else self.quick
        try:
            return await away(partial(self._respond, question, body), partial(_gone, request), limiter)
        except Cancelled:
            return Response(status_code=GONE)

    def _respond(self, question: Question, body: bytes) -> Response:
        # Two threads that wait for each other make small products ten times slower on a busy machine.
        torch.set_num_threads(CORES if question.heavy else 1)
        try:
            reply = question.answer(self.desk, question.read(body))
        except Unreadable as error:
            return said(422, str(error))
        except (ValueError, ImportError) as error:  # an extra that is not installed says what to install
            return said(400, str(error))
        except MemoryError:
            return said(413, "the answer must fit into memory: it does not; ask for fewer tokens")
        headers = {"Cache-Control": "no-store"}
        if isinstance(reply, Binary):
            return Response(reply.packed(), media_type="application/octet-stream", headers=headers)
        return Response(reply.model_dump_json(), media_type="application/json", headers=headers)


async def _body(request: Request) -> bytes | None:
    """The body, or None where it is too large; what is too large is not read to its end."""
    length = request.headers.get("content-length", "")
    if length.isdigit() and int(length) > LARGEST:
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > LARGEST:
            return None
        parts.append(part)
    return b"".join(parts)


async def _gone(request: Request) -> None:
    """Return when the asker has gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


class Pages:
    """The files of the page, from memory."""

    def __init__(self) -> None:
        self.files = page_files()

    async def respond(self, request: Request) -> Response:
        path = request.path_params["path"]
        if path.startswith("api/"):
            raise HTTPException(405, "questions are asked by POST", {"Allow": "POST"})
        file = self.files.get(path or "index.html")
        if file is None:
            return said(404, "the page has no such file")
        headers = {"ETag": file.tag, "Cache-Control": "no-cache", "Vary": "Accept-Encoding"}
        if file.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        if "gzip" in request.headers.get("accept-encoding", ""):
            return Response(file.packed, headers=headers | {"Content-Encoding": "gzip"}, media_type=file.kind)
        return Response(file.data, headers=headers, media_type=file.kind)


async def _described(request: Request) -> Response:
    return JSONResponse(await anyio.to_thread.run_sync(api.described))


def _failed(request: Request, error: Exception) -> Response:
    return said(500, "the server failed, which is a mistake of its own: its terminal says more")


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return JSONResponse({"error": error.detail}, error.status_code, error.headers)


def application(desk: Desk, token: str | None = None) -> Guard:
    """The whole as an ASGI application, which a token guards where others could reach it."""
    answers, pages = Answers(desk), Pages()
    app = Starlette(
        routes=[
            Route("/api", _described, methods=["GET"]),
            Route("/api/{name:path}", answers.respond, methods=["POST"]),
            Route("/{path:path}", pages.respond, methods=["GET"]),
        ],
        exception_handlers={Exception: _failed, HTTPException: _refused},
    )
    return Guard(app, token)
