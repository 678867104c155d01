"""The page as its users meet it: a real server, a real browser, and nothing else of the network.

Playwright keeps an event loop running in the tests' thread: a test that needs one of its own runs it in a thread.
"""

import json
import os
import time
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote
from weakref import WeakKeyDictionary

import pytest

from regard.explore.server import make_application
from regard.explore.workspace import SHIPPED, Workspace
from tests.explore.browser import FLAGS, found, missing
from tests.explore.running import running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Page

PATIENCE = 60_000  # milliseconds, on a machine that is busy with other tests
ON_THE_WAY: "WeakKeyDictionary[Page, set[Any]]" = WeakKeyDictionary()  # requests without an answer yet
AT_REST = """() => new Promise((done) => requestAnimationFrame(() => setTimeout(() =>
  done([!!document.querySelector("main h1"), document.querySelectorAll("main .waiting").length]), 20)))"""
GRAVE = ("serious", "critical")  # of axe's words
LOOKS: "WeakKeyDictionary[Page, Look]" = WeakKeyDictionary()  # of the test that uses a page now


@dataclass(frozen=True)
class Server:
    """A server that runs: tests may put runs into `runs`, folders of models into `folders`, and ask."""

    url: str
    workspace: Workspace
    runs: Path
    folders: dict[str, Path]

    def ask(self, name: str, asked: dict[str, Any] | None = None) -> Any:
        """The reply over HTTP: JSON's values, or the head and the bytes of numbers."""
        body, headers = json.dumps(asked or {}).encode(), {"Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}api/{name}", body, headers, method="POST")
        with urllib.request.urlopen(request, timeout=60) as response:
            data = response.read()
            is_binary = response.headers["Content-Type"].startswith("application/octet-stream")
        if not is_binary:
            return json.loads(data)
        start = 4 + int.from_bytes(data[:4], "little")
        return json.loads(data[4:start]), data[start:]


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The application on a port of this machine, with what comes with the package."""
    runs, folders = tmp_path_factory.mktemp("runs"), dict[str, Path]()
    workspace = Workspace((runs, SHIPPED), folders=folders)
    with running(make_application(workspace)) as port:
        yield Server(f"http://127.0.0.1:{port}/", workspace, runs, folders)


@pytest.fixture(scope="session")
def browser() -> "Iterator[Browser]":
    """Debian's chromium."""
    reason = missing()
    if reason is not None:
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=found(), args=list(FLAGS))
        yield chromium
        chromium.close()


@dataclass
class Shared:
    """A window that is made once for many tests, and given to each as if it were new."""

    page: "Page | None" = None

    def take(
        self, look: "Look", width: int = 1280, height: int = 900, dark: bool = False, reduced: bool = False
    ) -> "Page":
        if self.page is None:
            self.page = look.window()
            look.contexts.pop()  # which would close it with the test
        elif LOOKS.pop(self.page, None):  # of a view that the same test has left
            self._forget(self.page, look.url)
        page, LOOKS[self.page] = self.page, look
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(
            color_scheme="dark" if dark else "light", reduced_motion="reduce" if reduced else "no-preference"
        )
        return page

    def leave(self, is_broken: bool) -> None:
        """Forget what a test may have left; a page that broke is not used again."""
        page, self.page = self.page, None
        if page is None:
            return
        look = LOOKS.pop(page, None)
        if look is None:  # the test opened no view here
            self.page = page
            return
        if is_broken or page.is_closed():
            page.context.close()
            return
        self._forget(page, look.url)
        self.page = page

    def _forget(self, page: "Page", url: str) -> None:
        page.evaluate("() => { localStorage.clear(); sessionStorage.clear(); }")
        page.unroute_all()
        page.context.clear_cookies()
        page.context.clear_permissions()
        page.goto(f"{url}icon.svg")  # of the same site, which the browser opens without a new process
        page.mouse.move(0, 0)
        session = page.context.new_cdp_session(page)
        session.send("Page.resetNavigationHistory")
        session.detach()
        ON_THE_WAY[page].clear()


@dataclass
class Look:
    """Opens views, each in place of the last in the shared window, and notes what a user would call broken.

    A window of its own, which `window()` makes, takes as long as a test.

    `forgiven` holds parts of messages that a test provokes: `look.forgiven.append("status of 400")`.
    """

    browser: "Browser"
    url: str
    shared: Shared = field(default_factory=Shared)
    forgiven: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    contexts: "list[BrowserContext]" = field(default_factory=list)

    def __call__(
        self,
        view: str,
        state: dict[str, Any] | None = None,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        reduced: bool = False,
    ) -> "Page":
        """The page of a view in a state, once it has come to rest."""
        page = self.shared.take(self, width, height, dark, reduced)
        page.goto(f"{self.url}#{view}" + (f"?{quote(json.dumps(state))}" if state else ""))
        settle(page)
        return page

    def window(
        self,
        *,
        width: int = 1280,
        height: int = 900,
        dark: bool = False,
        reduced: bool = False,
        touch: bool = False,
    ) -> "Page":
        """An empty page of a new window; with `touch` that of a phone, which has fingers and no pointer."""
        context = self.browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce" if reduced else "no-preference",
            has_touch=touch,
            is_mobile=touch,
        )
        self.contexts.append(context)
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        self._watch(page)
        return page

    def _watch(self, page: "Page") -> None:
        ON_THE_WAY[page], LOOKS[page] = set(), self

        def note(wrong: str) -> None:
            if page in LOOKS:  # not between two tests
                LOOKS[page].wrong.append(wrong)

        def failed(request: Any) -> None:
            ON_THE_WAY[page].discard(request)
            # A question that was overtaken is aborted by the page itself.
            if not (request.failure == "net::ERR_ABORTED" and "/api/" in request.url):
                note(f"request failed: {request.method} {request.url}: {request.failure}")

        def asked(request: Any) -> None:
            ON_THE_WAY[page].add(request)
            if not request.url.startswith((self.url, "data:", "blob:")):
                note(f"request to another host: {request.url}")

        def said(message: Any) -> None:
            if message.type in ("error", "warning"):
                note(f"console {message.type}: {message.text} ({message.location.get('url', '')})")

        page.on("request", asked)
        page.on("requestfinished", lambda request: ON_THE_WAY[page].discard(request))
        page.on("requestfailed", failed)
        page.on("console", said)
        page.on("pageerror", lambda error: note(f"page error: {error.stack or error.message}"))

    def end(self) -> list[str]:
        """Close all windows but the shared one; what was wrong and not forgiven."""
        for context in self.contexts:
            context.close()
        return [one for one in self.wrong if not any(part in one for part in self.forgiven)]


@dataclass
class Offline:
    """Opens saved files, one in place of the other, in a window without a network; `wrong` is of the last of them."""

    page: "Page"
    wrong: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        def said(message: Any) -> None:
            if message.type in ("error", "warning"):
                self.wrong.append(message.text)

        def asked(request: Any) -> None:
            if not request.url.startswith(("file:", "data:", "blob:")):
                self.wrong.append(request.url)

        self.page.on("console", said)
        self.page.on("pageerror", lambda error: self.wrong.append(error.message))
        self.page.on("request", asked)

    def __call__(self, path: Path, *, dark: bool = False) -> "Page":
        self.page.goto("about:blank")
        self.wrong.clear()
        self.page.emulate_media(color_scheme="dark" if dark else "light")
        self.page.goto(path.as_uri())
        self.page.locator("footer").wait_for()
        self.page.wait_for_function("() => !document.querySelector('.waiting')")
        assert self.wrong == []
        return self.page


@pytest.fixture(scope="session")
def offline(browser: "Browser") -> Iterator[Offline]:
    """`offline(path)` opens a file that was saved, once it has come to rest."""
    context = browser.new_context(offline=True)
    context.set_default_timeout(PATIENCE)
    yield Offline(context.new_page())
    context.close()


@pytest.fixture(scope="session")
def shared(browser: "Browser") -> Shared:
    return Shared()


@pytest.fixture
def look(browser: "Browser", server: Server, shared: Shared) -> Iterator[Look]:
    """`look(view, state)` opens a view; the test fails on errors of the page and on requests to other hosts."""
    looking = Look(browser, server.url, shared)
    yield looking
    wrong = looking.end()
    shared.leave(is_broken=bool(looking.wrong))
    assert not wrong, "\n".join(wrong)


def settle(page: "Page") -> None:
    """Wait until the view stands, and waits for nothing: an answer may lead to the next question."""
    until = time.monotonic() + PATIENCE / 1000
    calm = 0
    while calm < 2:
        stands, waits = page.evaluate(AT_REST)
        calm = 0 if waits or ON_THE_WAY[page] else calm + 1
        if not stands and calm:
            page.wait_for_selector("main h1", timeout=2_000)  # nothing comes any more that could bring it later
        assert time.monotonic() < until, f"the view still waits: {page.url}, {[one.url for one in ON_THE_WAY[page]]}"


def outlast(page: "Page", milliseconds: int) -> None:
    """Wait until what the page itself has put off for less time than this has happened, on a machine of any speed."""
    page.evaluate("(time) => new Promise((done) => setTimeout(done, time))", milliseconds)


def until(page: "Page", holds: "Callable[[], object]") -> None:
    """Wait for what a locator shows, or a handler of the test has heard, and for nothing longer."""
    end = time.monotonic() + PATIENCE / 1000
    while not holds():
        assert time.monotonic() < end, f"it did not come: {page.url}"
        page.wait_for_timeout(10)


@pytest.fixture(scope="session")
def settled() -> "Callable[[Page], None]":
    """`settled(page)` waits until nothing is awaited any more."""
    return settle


@pytest.fixture(scope="session")
def violations() -> "Callable[[Page], list[str]]":
    """`violations(page)` is what axe-core calls serious or worse, in a line each."""
    pytest.importorskip("axe_playwright_python", reason="needs axe-playwright-python; use pip install -e '.[dev]'")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()

    def run(page: "Page") -> list[str]:
        if not page.evaluate("() => 'axe' in window"):
            session = page.context.new_cdp_session(page)  # the page's own policy allows no foreign script
            session.send("Runtime.evaluate", {"expression": axe})
            session.detach()
        found = page.evaluate("() => axe.run({ resultTypes: ['violations'] })")["violations"]
        return [
            f"{one['id']} ({one['impact']}): {one['help']}: {node['html'][:200]} {node.get('failureSummary', '')[:300]}"
            for one in found
            if one["impact"] in GRAVE
            for node in one["nodes"][:3]
        ]

    return run


@pytest.fixture(scope="session")
def shot(pytestconfig: pytest.Config) -> "Callable[[Page, str], Path]":
    """`shot(page, name)` keeps a picture of the page in build/screenshots, or where $SCREENSHOTS says."""
    folder = Path(os.environ.get("SCREENSHOTS", pytestconfig.rootpath / "build" / "screenshots"))

    def take(page: "Page", name: str) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        page.screenshot(path=folder / f"{name}.png", full_page=True, animations="disabled")
        return folder / f"{name}.png"

    return take
