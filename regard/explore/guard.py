"""Who may use the server: only its own page, under a known host name, and with a token where others could reach it."""

import hmac
import re
from ipaddress import ip_address
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import JSONResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def is_local(host: str) -> bool:
    """Whether only this machine can reach a server that is bound to this host.

    >>> is_local("127.0.0.1"), is_local("localhost"), is_local("::1"), is_local("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


class Guard:
    """Middleware that refuses requests before they reach the application.

    Without a token, the Host must be this machine's own name, so that no other name can be pointed at the server (DNS
    rebinding). With a token, it must come in a cookie, in `Authorization: Bearer`, or once in the address, which sets
    the cookie.
    """

    def __init__(self, app: ASGIApp, token: str | None = None) -> None:
        self.app, self.token = app, token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self.app(scope, receive, send)
            return  # there are no websockets
        refusal = self._check_host_and_origin(scope)

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        await (self.app if refusal is None else refusal)(scope, receive, send_with_headers)

    def _check_host_and_origin(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        host = headers.get("host", "")
        if self.token is None and not is_local(_host_name(host)):
            return refuse(403, f"the host must be this machine's own name: got {host!r:.80}; use localhost")
        origin = headers.get("origin")
        foreign = headers.get("sec-fetch-site") in ("cross-site", "same-site")
        # Another site may link to the page; API requests must come from the page itself.
        is_link = origin is None and headers.get("sec-fetch-mode") == "navigate" and scope["method"] == "GET"
        if (origin is not None and origin.partition("://")[2] != host) or (foreign and not is_link):
            return refuse(
                403, f"requests must come from the page itself: got the origin {origin or 'of another site'!r:.80}"
            )
        return None if self.token is None else self._check_token(scope, headers)

    def _check_token(self, scope: Scope, headers: Headers) -> Response | None:
        assert self.token is not None
        host = headers.get("host", "")
        query = parse_qsl(scope["query_string"].decode("latin-1"))
        for name, value in query:
            if name == "token" and _is_token(value, self.token) and scope["method"] == "GET":
                rest = urlencode([(key, value) for key, value in query if key != "token"])
                path = "/" + scope["path"].lstrip("/\\")  # two slashes would lead to another host
                response = RedirectResponse(path + (f"?{rest}" if rest else ""), 303)
                # Lax, so that a link in a mail opens the page; other sites cannot send it with the POSTs of the API.
                response.set_cookie(_cookie_name(host), self.token, httponly=True, samesite="lax", path="/")
                return response
        kind, _, bearer = headers.get("authorization", "").partition(" ")
        known = cookie_parser(headers.get("cookie", "")).get(_cookie_name(host), "")
        if _is_token(known, self.token) or (kind == "Bearer" and _is_token(bearer, self.token)):
            return None
        return refuse(401, "this server needs its token: open the address that it printed, with ?token=…")


def refuse(status: int, error: str) -> JSONResponse:
    """A response with the reason of a refusal."""
    return JSONResponse({"error": error}, status)


def _host_name(host: str) -> str:
    """The host without its port: `[::1]:80` is `[::1]`; empty where it has another form."""
    found = re.fullmatch(r"(\[[^]]*\]|[^][:]*)(:\d*)?", host)
    return "" if found is None else found[1].lower()


def _cookie_name(host: str) -> str:
    """Includes the port: browsers share cookies between ports, and two servers of a machine have their own tokens."""
    return f"regard-{host.rpartition(':')[2]}" if re.search(r":\d+$", host) else "regard"


def _is_token(given: str, token: str) -> bool:
    return hmac.compare_digest(given.encode(), token.encode())
