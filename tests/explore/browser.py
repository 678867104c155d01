"""Which browser tests of the page use, and what to install if there is none: `python -m tests.explore.browser`."""

import importlib.util
import shutil
import sys

# The first has no windows, which cost the others a third of their time.
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",  # there is none for root, and the page comes from this machine
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",  # containers give it 64 MB
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--force-color-profile=srgb",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",  # a page reaches this machine alone
)


def found() -> str | None:
    """The browser's program, where there is one."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


def missing() -> str | None:
    """What keeps the tests from a browser, and what to do about it; None where nothing does."""
    if importlib.util.find_spec("playwright") is None:
        return "tests of the page need playwright: got none; use pip install -e '.[dev]'"
    if found() is None:
        return f"tests of the page need a browser: got none of {', '.join(NAMES)}; use apt-get install chromium"
    return None


if __name__ == "__main__":
    sys.exit(missing())
