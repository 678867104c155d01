"""What is kept, what is on the workspace, and where the server listens."""

import json
import shutil
import socket
import threading
from pathlib import Path

import pytest

from regard.explore.server import address_of, bind
from regard.explore.workspace import SHIPPED, Cache, Workspace, open_workspace

FACTS = {
    "recipe": "reversal",
    "config": {},
    "command": "regard train reversal",
    "started": "2026-01-01T00:00:00+00:00",
    "smoke": False,
    "data": "",
    "device": "cpu",
    "version": 1,
}


def a_run(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(json.dumps(FACTS))
    return folder


def a_model(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "config.json").write_text("{}")
    return folder


def test_the_longest_unused_goes_first():
    kept, made = Cache(max_bytes=10), []

    def get(key, size):
        return kept.get(key, lambda: (made.append(key) or key.upper(), size))

    assert [get("a", 4), get("b", 4), get("a", 4)] == ["A", "B", "A"]
    assert get("c", 4) == "C"  # b was used longest ago
    assert kept.size == 8
    get("a", 4)
    assert made == ["a", "b", "c"]
    get("b", 4)
    assert made == ["a", "b", "c", "b"]


def test_what_is_too_large_for_all_is_kept_until_the_next():
    kept = Cache(max_bytes=10)
    kept.get("a", lambda: ("A", 4))
    kept.get("large", lambda: ("L", 50))
    assert kept.size == 50
    kept.get("b", lambda: ("B", 4))
    assert kept.size == 4
    kept.clear()
    assert kept.size == 0


def together(count, work):
    threads = [threading.Thread(target=work, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(10)
        assert not thread.is_alive()


def test_what_many_ask_for_is_made_once():
    kept, made, found = Cache(), [], []
    barrier = threading.Barrier(8)

    def make():
        made.append(1)
        threading.Event().wait(0.05)
        return "value", 1

    def work(number):
        barrier.wait(5)
        found.append(kept.get("key", make))

    together(8, work)
    assert (made, found) == ([1], ["value"] * 8)


def test_what_fails_is_made_by_the_next_who_waits():
    """An asker who leaves while he makes a value takes it with him; those who wait must not."""
    kept, made, found, failed = Cache(), [], [], []
    inside = threading.Lock()

    def make():
        assert inside.acquire(blocking=False), "two make it at once"
        try:
            made.append(1)
            threading.Event().wait(0.02)
            if len(made) < 3:
                raise RuntimeError("gone")
            return "value", 1
        finally:
            inside.release()

    def work(number):
        threading.Event().wait(0.005 * number)
        try:
            found.append(kept.get("key", make))
        except RuntimeError:
            failed.append(number)

    together(8, work)
    assert (len(made), len(failed), found) == (3, 2, ["value"] * 6)


def test_other_keys_do_not_wait():
    kept, other = Cache(), threading.Event()

    def slow():
        assert kept.get("fast", lambda: (other.set() or "fast", 1)) == "fast"
        return "slow", 1

    assert kept.get("slow", slow) == "slow"
    assert other.is_set()


def test_the_shelf_has_what_comes_with_the_package():
    assert {"reversal", "language", "digits-gaussian"} <= set(Workspace().runs())


def test_runs_appear_and_go_while_the_shelf_stands(tmp_path):
    workspace = Workspace((tmp_path / "runs",))
    assert workspace.runs() == {}
    a_run(tmp_path / "runs" / "one")
    assert workspace.run("one").folder == tmp_path / "runs" / "one"
    shutil.rmtree(tmp_path / "runs" / "one")
    with pytest.raises(ValueError, match=r"^no run is called 'one': there is none$"):
        workspace.run("one")


def test_a_name_that_comes_again_gets_a_number(tmp_path):
    first, second = a_run(tmp_path / "a" / "run"), a_run(tmp_path / "b" / "run")
    taken = a_run(tmp_path / "c" / "run (2)")
    workspace = Workspace((tmp_path / "c", tmp_path / "b", tmp_path / "a"), single=(first,))
    found = {name: run.folder for name, run in workspace.runs().items()}
    assert found == {"run": first, "run (2)": taken, "run (3)": second}
    workspace = open_workspace([a_model(tmp_path / "d" / "gpt2"), a_model(tmp_path / "e" / "gpt2")], tmp_path / "none")
    assert list(workspace.folders) == ["gpt2", "gpt2 (2)"]


@pytest.mark.parametrize("name", ["../two", "/etc", "", "one/../one", "ONE", "one\x00", "one (2)", "x" * 10_000])
def test_a_name_is_no_path(tmp_path, name):
    a_run(tmp_path / "two")
    a_run(tmp_path / "runs" / "one")
    workspace = Workspace((tmp_path / "runs",), folders={"model": tmp_path})
    with pytest.raises(ValueError, match="no run is called") as raised:
        workspace.run(name)
    assert repr(name)[:50] in str(raised.value)
    assert str(raised.value).endswith((": there is one", ": did you mean one?"))
    assert len(str(raised.value)) < 150
    with pytest.raises(ValueError, match=r"no folder is called .* there is model"):
        workspace.folder(name)


def test_a_broken_run_hides_no_other_and_says_why(tmp_path, monkeypatch):
    a_run(tmp_path / "good")
    a_run(tmp_path / "headless")
    (tmp_path / "headless" / "result.json").write_text('{"numbers": {}, "headline": 5}')
    single = a_run(tmp_path / "elsewhere" / "damaged")
    (single / "run.json").write_text("{")
    shut = a_run(tmp_path / "shut") / "run.json"
    read = Path.read_text

    def refusing(path, *args, **more):
        if path == shut:
            raise PermissionError(f"no access to {path}")
        return read(path, *args, **more)

    monkeypatch.setattr(Path, "read_text", refusing)
    found, wrong = Workspace((tmp_path,), (single,)).scan_runs()
    assert list(found) == ["good"]
    assert wrong.keys() == {"headless", "damaged", "shut"}
    assert "got 5 for 'headline'" in wrong["headless"]
    assert str(tmp_path) not in "".join(wrong.values())


def test_what_is_named_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    runs = Path("runs")
    own, elsewhere, model = a_run(runs / "own"), a_run(Path("other/run")), a_model(Path("models/gpt2"))
    workspace = open_workspace([Path("own"), elsewhere, Path("other"), model], runs)
    assert workspace.single == (own, elsewhere)
    assert workspace.roots == (Path("other"), runs, SHIPPED)
    assert workspace.folder("gpt2") == model
    assert list(workspace.runs())[:2] == ["own", "run"]
    assert open_workspace([runs], runs).roots == (runs, SHIPPED)
    Path("empty").mkdir()
    for nothing in ("empty", "none"):
        with pytest.raises(ValueError, match=f"got '{nothing}', which is none of these; see regard runs"):
            open_workspace([Path(nothing)], runs)


def test_a_free_port_is_found():
    with bind("127.0.0.1", 0) as any_port:
        first = any_port.getsockname()[1]
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", first))
        taken.listen()
        with bind("127.0.0.1", None, first=first) as found:
            assert found.getsockname()[1] != first
        with pytest.raises(ValueError, match=f"cannot listen at 127.0.0.1:{first}: .*; use another --port"):
            bind("127.0.0.1", first)
    with pytest.raises(ValueError, match=r"cannot listen at 192\.0\.2\.1:0: .*; use another --port"):
        bind("192.0.2.1", None)


def test_the_address_can_be_opened():
    name = socket.gethostname()
    assert address_of("localhost", 80, None) == "http://localhost:80/"
    assert address_of("0.0.0.0", 80, "t") == address_of("::", 80, "t") == f"http://{name}:80/?token=t"
