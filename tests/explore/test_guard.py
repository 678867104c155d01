"""Who may ask: the page itself, on this machine or with the token."""

import pytest

from regard.explore.guard import HEADERS, is_local
from regard.explore.server import make_application
from regard.explore.workspace import Workspace
from tests.explore.running import asked, request, running, sent

TOKEN = "a-token-of-the-tests"


@pytest.fixture(scope="module")
def port(server):
    return int(server.url.rstrip("/").rpartition(":")[2])


@pytest.fixture(scope="module")
def guarded():
    with running(make_application(Workspace(), TOKEN)) as port:
        yield port


@pytest.mark.parametrize(
    ("host", "local"),
    [
        ("127.0.0.1", True),
        ("127.8.9.10", True),
        ("localhost", True),
        ("::1", True),
        ("[::1]", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.0.3", False),
        ("2130706433", False),
        ("localhost.example.org", False),
        ("127.0.0.1.example.org", False),
        ("", False),
    ],
)
def test_local_hosts(host, local):
    assert is_local(host) is local


@pytest.mark.parametrize("host", ["localhost", "LocalHost:8421", "127.0.0.1", "[::1]:8421", "[::1]"])
def test_own_hosts_are_answered(port, host):
    assert request(port, headers={"Host": host}).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8421",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "[::1]evil.example",
        "[::1",
        "localhost:80:80",
        "localhost@evil.example",
        "evil.example#localhost",
        "192.168.1.2",
        "0.0.0.0",
        "",
        "\xff\xfe",
    ],
)
@pytest.mark.parametrize("target", ["/", "/api/example"])
def test_foreign_hosts_are_refused(port, host, target):
    """A name that was pointed at this machine, which is how DNS rebinding reaches a local server."""
    answer = request(port, target, "POST" if "api" in target else "GET", b"{}", {"Host": host})
    assert answer.status in (400, 403)  # h11 itself refuses what is no host at all
    assert answer.status == 400 or "use localhost" in answer.error


def test_two_hosts_and_no_host_are_refused(port):
    own = f"Host: 127.0.0.1:{port}\r\n"
    assert sent(port, f"GET / HTTP/1.1\r\n{own}Host: evil.example\r\n\r\n".encode()).status == 400
    assert sent(port, b"GET / HTTP/1.1\r\n\r\n").status == 400
    assert sent(port, b"GET / HTTP/1.0\r\n\r\n").status == 403
    absolute = sent(port, b"GET http://127.0.0.1/ HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n")
    assert absolute.status == 403


FOREIGN = [
    {"Origin": "http://evil.example"},
    {"Origin": "null"},
    {"Origin": "http://127.0.0.1:1"},
    {"Origin": "http://127.0.0.1.evil.example"},
    {"Origin": ""},
    {"Origin": "file://"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-site", "Sec-Fetch-Mode": "no-cors"},
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"},  # a form, which is no link
    {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Origin": "https://evil.example"},
]


@pytest.mark.parametrize("headers", FOREIGN, ids=str)
def test_foreign_pages_may_not_ask(port, headers):
    answer = asked(port, "example", **headers)
    assert answer.status == 403
    assert "requests must come from the page itself" in answer.error
    assert (headers.get("Origin") or "another site") in answer.error


def test_a_foreign_page_may_link_but_not_load(port):
    link = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert request(port, "/", headers=link).status == 200
    assert (
        request(port, "/bundle.js", headers={"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}).status == 403
    )


def test_the_page_itself_may_ask(port):
    own = {"Origin": f"http://127.0.0.1:{port}", "Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
    assert asked(port, "example", **own).status == 200
    assert asked(port, "example").status == 200  # a program of this machine says nothing of where it comes from


@pytest.mark.parametrize(
    ("target", "method", "headers", "status"),
    [
        ("/", "GET", {}, 200),
        ("/bundle.js", "GET", {}, 200),
        ("/api", "GET", {}, 200),
        ("/none", "GET", {}, 404),
        ("/", "DELETE", {}, 405),
        ("/api/example", "GET", {}, 405),
        ("/api/example", "POST", {}, 415),
        ("/api/nobody", "POST", {"Content-Type": "application/json"}, 404),
        ("/api/example", "POST", {"Content-Type": "application/json"}, 200),
        ("/api/playground", "POST", {"Content-Type": "application/json"}, 422),
        ("/", "GET", {"Host": "evil.example"}, 403),
        ("/", "GET", {"Origin": "null"}, 403),
    ],
)
def test_every_response_has_the_headers_of_safety(port, target, method, headers, status):
    answer = request(port, target, method, b"{}" if method == "POST" else b"", headers)
    assert answer.status == status
    for name, value in HEADERS.items():
        assert answer.headers[name.lower()] == value
    assert "server" not in answer.headers
    if status >= 400:
        assert answer.error


def test_the_policy_allows_nothing_from_elsewhere():
    rules = dict(rule.strip().split(" ", 1) for rule in HEADERS["Content-Security-Policy"].split(";"))
    assert rules["default-src"] == "'none'"
    assert not any(word in value for value in rules.values() for word in ("unsafe", "*", "http"))


def test_nothing_is_answered_without_the_token(guarded):
    for target, method in (
        ("/", "GET"),
        ("/bundle.js", "GET"),
        ("/api", "GET"),
        ("/none", "GET"),
        ("/api/example", "POST"),
    ):
        answer = request(guarded, target, method, headers={"Content-Length": "0"})
        assert answer.status == 401, target
        assert "?token=" in answer.error
        assert TOKEN not in str(answer)


def test_the_token_in_the_address_becomes_a_cookie(guarded):
    answer = request(guarded, f"/?view=maps&token={TOKEN}&x=%26")
    assert (answer.status, answer.headers["location"]) == (303, "/?view=maps&x=%26")
    pair, *flags = answer.headers["set-cookie"].split("; ")
    assert pair == f"regard-{guarded}={TOKEN}"
    assert {flag.lower() for flag in flags} == {"httponly", "samesite=lax", "path=/"}
    for others in ("other=1", 'prefs={"a":1}', "a=b c", "expires=1", "\xe9=1"):  # of whatever else runs on this machine
        assert request(guarded, "/", headers={"Cookie": f"{others}; {pair}"}).status == 200, others
    assert asked(guarded, "example", Cookie=pair).status == 200


@pytest.mark.parametrize("target", ["//evil.example/", "/\\evil.example/", "///evil.example"])
def test_the_redirect_stays_here(guarded, target):
    answer = request(guarded, f"{target}?token={TOKEN}")
    assert answer.status == 303
    assert answer.headers["location"].startswith("/evil.example")


def test_the_bearer_of_the_token_may_ask_and_others_not(guarded):
    assert asked(guarded, "example", Authorization=f"Bearer {TOKEN}").status == 200
    wrong = [
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer "},
        {"Authorization": ""},
        {"Authorization": TOKEN},
        {"Cookie": f"regard-{guarded}="},
        {"Cookie": f"regard-{guarded}={TOKEN}x"},
        {"Cookie": f"regard-{guarded}=\xff; =;;,"},
        {"Cookie": f"Regard-{guarded}={TOKEN}"},
        {"Cookie": f"regard-1={TOKEN}"},
    ]
    for headers in wrong:
        assert asked(guarded, "example", **headers).status == 401, headers
    for query in (f"token={TOKEN}x", "token=", f"Token={TOKEN}", "token", f"x=token={TOKEN}", "%ff=%fe&&;="):
        assert request(guarded, f"/?{query}").status == 401, query
    assert request(guarded, f"/api/example?token={TOKEN}", "POST", b"{}").status == 401  # a form cannot bring it


def test_a_foreign_page_may_not_ask_with_the_cookie(guarded):
    known = {"Cookie": f"regard-{guarded}={TOKEN}"}
    assert asked(guarded, "example", Origin="http://evil.example", **known).status == 403
    assert asked(guarded, "example", **known).status == 200
    elsewhere = {"Host": "workstation:8421", "Cookie": f"regard-8421={TOKEN}"}
    assert request(guarded, "/", headers=elsewhere).status == 200
