"""The page in a real browser: how soon it stands, how fast arcs, heads and numbers follow, whether all can use it.

`python -m benchmarks.explore --out FILE --markdown FILE` makes models of GPT-2's shape with random weights, serves them
as `regard explore` does, and looks at them with chromium. Only this machine's own addresses are used. Where others work
on the machine, the quickest of several times says what the page itself takes; the load stands beside it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from statistics import median
from typing import Any
from urllib.parse import quote

import torch

from benchmarks.record import Bar, Cell, Row
from benchmarks.session import run
from benchmarks.setting import Setting, progress
from regard.explore.requests import STATES
from regard.explore.server import read_page
from regard.models import PRESETS, build, save, vary

ROOT = Path(__file__).parents[1]
FLAGS = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-component-update"
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
MIB = 2**20
WIDTHS = (360, 390, 768, 1024, 1440, 2560)

# When the overview is there, and when a large canvas was painted, on the page's clock.
WATCH = """
window.painted = []; window.stands = null;
const put = CanvasRenderingContext2D.prototype.putImageData;
CanvasRenderingContext2D.prototype.putImageData = function (image, ...rest) {
  put.call(this, image, ...rest);
  if (image.width > 64) requestAnimationFrame(() => setTimeout(() => window.painted.push(performance.now()), 0));
};
new MutationObserver(() => {
  if (window.stands === null && document.querySelector(".maps-overview canvas")) {
    window.stands = 0;
    requestAnimationFrame(() => setTimeout(() => (window.stands = performance.now()), 0));
  }
}).observe(document, { childList: true, subtree: true });
"""
SWITCH = """(key) => new Promise((done) => {
  const count = window.painted.length, start = performance.now();
  document.querySelector(".maps-overview").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const look = () => (window.painted.length > count ? done(window.painted.at(-1) - start) : setTimeout(look, 1));
  look();
})"""
SLIDE = """() => new Promise((done) => {
  const slider = document.querySelector('input[type="range"]');
  const watcher = new MutationObserver((found) => {
    if (!found.some(({ target }) => (target.nodeType === 3 ? target.parentElement : target).closest(".value"))) return;
    watcher.disconnect();
    requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0));
  });
  const all = { subtree: true, characterData: true, childList: true, attributes: true };
  watcher.observe(document.querySelector("main"), all);
  const start = performance.now();
  slider.stepUp();
  slider.dispatchEvent(new Event("input", { bubbles: true }));
})"""

# From the pointer on a token to its arcs on the screen.
POINT = """(token) => new Promise((done) => {
  const arcs = () => [...document.querySelectorAll(".start-arc")].map((one) => one.getAttribute("d")).join();
  const before = arcs(), start = performance.now();
  document.querySelector(`[data-token="${token}"]`).dispatchEvent(new PointerEvent("pointerenter"));
  const look = () => (arcs() === before ? setTimeout(look, 1)
    : requestAnimationFrame(() => setTimeout(() => done(performance.now() - start), 0)));
  look();
})"""


@cache
def model_folder(scale: str, is_deep: bool = False) -> tuple[tempfile.TemporaryDirectory[str], Path]:
    """A decoder of GPT-2's shape, or of 24 narrow layers, and a tokenizer of words w0, w1, …; small for a test."""
    from tokenizers import Tokenizer, models, pre_tokenizers

    kept = tempfile.TemporaryDirectory()
    folder = Path(kept.name) / ("deep" if is_deep else "gpt2-shaped")
    changes: dict[str, Any] = {"depth": 3, "width": 48, "num_heads": 12} if scale == "tiny" else {}
    changes |= {"depth": 24, "width": 96, "num_heads": 12} if is_deep else {}
    torch.manual_seed(0)
    save(build(vary(PRESETS["gpt2"], **changes)).eval(), folder)
    tokenizer = Tokenizer(models.WordLevel({f"w{n}": n for n in range(2000)}, unk_token="w0"))
    tokenizer.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    tokenizer.save(str(folder / "tokenizer.json"))
    return kept, folder


def words(count: int) -> str:
    return " ".join(f"w{37 * n % 1999}" for n in range(count))


@contextmanager
def serving(*given: Path) -> Iterator[tuple[int, int, float]]:
    """The command as a user starts it: its port, its process, and the seconds until it said where it is."""
    with tempfile.TemporaryDirectory() as runs:
        command = [sys.executable, "-m", "regard", "explore", "--no-browser", "--port", "0", "--runs", runs]
        start = time.perf_counter()
        process = subprocess.Popen([*command, *map(str, given)], stdout=subprocess.PIPE, text=True, cwd=ROOT)
        try:
            assert process.stdout is not None
            found = re.search(r":(\d+)/", process.stdout.readline())
            seconds = time.perf_counter() - start
            if found is None:
                raise ValueError("the server must say where it is: got another line")
            yield int(found[1]), process.pid, seconds
        finally:
            process.terminate()
            process.wait(10)


@contextmanager
def window() -> Iterator[Any]:
    """A page of a fresh browser that notes when it paints."""
    from playwright.sync_api import sync_playwright

    program = next((path for path in map(shutil.which, BROWSERS) if path), None)
    if program is None:
        raise ValueError(f"the page is measured in a browser: got none of {', '.join(BROWSERS)}; install chromium")
    with sync_playwright() as playwright:
        flags = [f"--{flag}" for flag in FLAGS.split()]
        browser = playwright.chromium.launch(executable_path=program, args=flags)
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(120_000)
        page.add_init_script(WATCH)
        yield page
        browser.close()


def ask(port: int, name: str, asked: dict[str, Any]) -> bytes:
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(f"http://127.0.0.1:{port}/api/{name}", json.dumps(asked).encode(), headers)
    with urllib.request.urlopen(request, timeout=300) as response:
        return response.read()


def resident(pid: int) -> float:
    """MiB of a process that are in memory."""
    found = re.search(r"VmRSS:\s*(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024 if found else 0.0


def private() -> float:
    """MiB that the browser's processes for pages have for themselves, the largest of them."""
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        try:
            if b"--type=renderer" in (place / "cmdline").read_bytes():
                parts = re.findall(r"Private_\w+:\s*(\d+)", (place / "smaps_rollup").read_text())
                found.append(sum(map(int, parts)) / 1024)
        except OSError:
            continue  # it has ended, or is somebody else's
    return max(found, default=0.0)


def load() -> dict[str, Cell]:
    """How busy the machine is with other work: processes that wait for a core, over the last minute."""
    return {"load": round(os.getloadavg()[0], 1)}


def opened(page: Any, port: int, count: int, model: str = "gpt2-shaped") -> dict[str, float]:
    """Seconds of opening the maps of so many tokens: of the pass, and from its answer to the overview on the screen."""
    state = {"model": f"folder:{model}", "text": words(count)}
    page.goto("about:blank")
    page.goto(f"http://127.0.0.1:{port}/#maps?{quote(json.dumps(state))}")
    page.wait_for_function("() => window.stands > 0")
    entries = page.evaluate("() => performance.getEntriesByType('resource').map((one) => one.toJSON())")
    maps = next(entry for entry in entries if entry["name"].endswith("/api/maps"))
    stands = page.evaluate("() => window.stands")
    return {"pass": (maps["responseEnd"] - maps["startTime"]) / 1e3, "shown": (stands - maps["responseEnd"]) / 1e3}


def maps(setting: Setting) -> list[Row]:
    """Overview, switching and memory at 256 and 1,024 tokens, after the model was loaded."""
    rows = []
    _, folder = model_folder(setting.scale)
    with serving(folder) as (port, pid, _), window() as page:
        ask(port, "maps", {"model": "folder:gpt2-shaped", "text": words(8)})
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable")
        for count, most in ((256, 0.3), (1024, 1.5)):
            progress("maps of", count, "tokens")
            case = f"12 × 12 heads of {count} tokens"
            times = [opened(page, port, count - n) for n in range(setting.pick(full=3, tiny=1))]
            cells: dict[str, Cell] = {"pass s": median(one["pass"] for one in times)}
            cells["with the pass s"] = median(sum(one.values()) for one in times)
            shown = median(one["shown"] for one in times)
            rows.append(Row("maps", case, "overview", cells, shown, "", Bar("≤", most), times, " s"))
            taken = switched(page, 8, 2 if setting.scale == "tiny" else 8)
            cells = {"median ms": median(taken), "heads": len(taken)}
            rows.append(
                Row("maps", case, "switching heads, slowest", cells, max(taken), "", Bar("≤", 100), taken, " ms")
            )
            heap = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
            cells = {"JS heap MiB": heap["JSHeapUsedSize"] / MIB, "server MiB": resident(pid)}
            rows.append(Row("maps", case, "memory of the page", cells, private(), "", Bar("≤", 400), None, " MiB"))
    return rows


def deep(setting: Setting) -> list[Row]:
    """All heads of 24 layers on the screen, after their maps have arrived."""
    progress("24 layers of 12 heads")
    _, folder = model_folder(setting.scale, is_deep=True)
    count = setting.pick(full=512, tiny=64)
    with serving(folder) as (port, _, _), window() as page:
        ask(port, "maps", {"model": "folder:deep", "text": words(8)})
        times = [opened(page, port, count - n, "deep") for n in range(setting.pick(full=5, tiny=1))]
    shown = [one["shown"] for one in times]
    cells: dict[str, Cell] = {"median s": median(shown), "pass s": median(one["pass"] for one in times), **load()}
    case = f"24 × 12 heads of {count} tokens"
    return [Row("deep", case, "overview after the maps", cells, min(shown), "", Bar("≤", 0.5), times, " s")]


def arcs(setting: Setting) -> list[Row]:
    """From the pointer on a token of Start to its arcs."""
    progress("arcs")
    times, slow = repeated("", ".start-arc", POINT, setting.pick(full=40, tiny=3))
    cells: dict[str, Cell] = {"median ms": median(times), "p95 ms": slow, **load()}
    return [Row("arcs", "a token of Start", "pointer to arcs", cells, min(times), "", Bar("≤", 50), times, " ms")]


def views(setting: Setting) -> list[Row]:
    """What axe finds in every view, in light and in dark, and whether any width has to be scrolled sideways."""
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text()
    rows = []
    with serving() as (port, _, _), window() as page:
        session = page.context.new_cdp_session(page)
        for view in STATES:
            progress("view", view)
            url, found, wide = f"http://127.0.0.1:{port}/#{view}", list[str](), list[str]()
            for scheme in ("light", "dark"):
                page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
                rest(page, url, 1280)
                session.send("Runtime.evaluate", {"expression": axe})
                report = page.evaluate("() => axe.run({ resultTypes: ['violations'] })")["violations"]
                found += [f"{scheme}: {one['id']}: {node['html'][:200]}" for one in report for node in one["nodes"]]
            for width in setting.pick(full=WIDTHS, tiny=WIDTHS[:1]):
                rest(page, url, width)
                over = page.evaluate("() => document.documentElement.scrollWidth - innerWidth")
                wide += [f"{width}: {over}"] if over > 0 else []
            rows.append(Row("views", view, "axe, light and dark", {}, len(found), "", Bar("≤", 0), found, " findings"))
            rows.append(Row("views", view, "360 to 2560 pixels", {}, len(wide), "", Bar("≤", 0), wide, " overflow"))
    return rows


def rest(page: Any, url: str, width: int) -> None:
    """Open a view anew and wait until it asks for nothing any more."""
    page.set_viewport_size({"width": width, "height": 844 if width < 700 else 900})
    page.goto("about:blank")
    page.goto(url, wait_until="load")
    page.wait_for_selector("main .panel")
    page.wait_for_timeout(300)
    page.wait_for_function("() => !document.querySelector('main .waiting')")
    page.wait_for_timeout(300)  # for what moves into its place


def switched(page: Any, right: int, down: int) -> list[float]:
    """Milliseconds from each key to the next head on the screen; none was looked at before."""
    page.wait_for_function("() => window.painted.length > 0")
    taken = []
    for key in ["ArrowRight"] * right + ["ArrowDown"] * down:
        page.wait_for_timeout(60)
        taken.append(page.evaluate(SWITCH, key))
    return taken


def playground(setting: Setting) -> list[Row]:
    """From a move of the slider to numbers on the screen."""
    progress("playground")
    times, slow = repeated("#playground", ".value", SLIDE, setting.pick(full=40, quick=20, tiny=3))
    cells: dict[str, Cell] = {"median ms": median(times), "moves": len(times)}
    measure = "to numbers on the screen, p95"
    return [Row("playground", "a move of the slider", measure, cells, slow, "", Bar("≤", 50), times, " ms")]


def repeated(view: str, stands: str, script: str, count: int) -> tuple[list[float], float]:
    """Milliseconds of a script on a view, on one token after the other where it takes one, sorted; the 95th of 100."""
    with serving() as (port, _, _), window() as page:
        page.goto(f"http://127.0.0.1:{port}/{view}")
        page.wait_for_selector(stands)
        page.wait_for_timeout(1000)
        times = []
        for n in range(count):
            times.append(page.evaluate(script, 2 + n % 6))
            page.wait_for_timeout(30)
    times.sort()
    return times, times[int(0.95 * (len(times) - 1))]


def start(setting: Setting) -> list[Row]:
    """From the command to the address, and from there to Start with the arcs of its first token."""
    progress("start")
    said, stood, again = [], [], []
    for _ in range(setting.pick(full=5, tiny=1)):
        with window() as page, serving() as (port, _, seconds):
            for times in (stood, again):
                page.goto("about:blank")
                begin = time.perf_counter()
                page.goto(f"http://127.0.0.1:{port}/")
                page.wait_for_selector(".start-arc")
                times.append(time.perf_counter() - begin)
            said.append(seconds)
    cells: dict[str, Cell] = {"median s": median(stood), "second visit s": min(again), "command s": min(said), **load()}
    case = "the address of a server that has just started, to arcs"
    return [Row("start", case, "wall", cells, min(stood), "", Bar("≤", 1), stood, " s")]


def weight(setting: Setting) -> list[Row]:
    """All files that the page loads, as they are sent."""
    progress("weight")
    loaded = set()
    with serving() as (port, _, _), window() as page:
        page.on("request", lambda request: loaded.add(request.url.partition(f":{port}/")[2].partition("#")[0]))
        page.goto(f"http://127.0.0.1:{port}/")
        page.wait_for_selector(".start-arc")
    sent = {name: file for name, file in read_page().items() if name in {path or "index.html" for path in loaded}}
    size = sum(len(file.gzipped) for file in sent.values()) / 1000
    return [Row("weight", f"{len(sent)} files", "compressed", {}, size, "", Bar("≤", 400), sorted(sent), " kB")]


def clients(setting: Setting) -> list[Row]:
    """Fifty people who switch heads for a minute, and the memory after it."""
    rows = []
    _, folder = model_folder(setting.scale)
    seconds = setting.pick(full=60, quick=15, tiny=2)
    for count in (256, 1024):
        progress("clients at", count, "tokens")
        with serving(folder) as (port, pid, _):
            reply = json.loads(ask(port, "maps", {"model": "folder:gpt2-shaped", "text": words(count)}))
            layers = reply["kinds"][0]["layers"]
            time.sleep(8)  # until the server has tidied up after the pass
            before, most = resident(pid), 0.0
            command = [
                sys.executable,
                "-m",
                "benchmarks.explore_clients",
                str(port),
                reply["key"],
                str(len(layers)),
                "12",
            ]
            process = subprocess.Popen(
                [*command, "--seconds", str(seconds)], stdout=subprocess.PIPE, text=True, cwd=ROOT
            )
            while process.poll() is None:
                most = max(most, resident(pid))
                time.sleep(0.1)
            assert process.stdout is not None
            found = json.loads(process.stdout.read())
            time.sleep(setting.pick(full=20, tiny=8))
            after = resident(pid)
        case = f"50 clients, {seconds} s, {count} tokens"
        cells = {"tiles": found["tiles"], "p50 ms": 1e3 * found["p50"], "errors": found["errors"]}
        rows.append(Row("clients", case, "a tile, p99", cells, 1e3 * found["p99"], "", Bar("≤", 300), found, " ms"))
        rows.append(Row("clients", case, "errors", {}, found["errors"], "", Bar("≤", 0), found["wrong"], ""))
        memory: dict[str, Cell] = {"before MiB": before, "most MiB": most, "after MiB": after}
        rows.append(Row("clients", case, "memory 20 s after", memory, after / before, "before", Bar("≤", 1.05)))
    return rows


SECTIONS = {
    "start": start,
    "arcs": arcs,
    "weight": weight,
    "playground": playground,
    "maps": maps,
    "deep": deep,
    "views": views,
    "clients": clients,
}


def main(words: list[str] | None = None) -> None:
    run("benchmarks.explore", "The page", __doc__, {"cpu": SECTIONS}, words)


if __name__ == "__main__":
    main()
