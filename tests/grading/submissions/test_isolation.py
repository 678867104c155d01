"""A child may take too long, too much, crash or shout: it is ended and told of, and the others go on."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from regard.grading.submissions.isolation import Isolation, Limits, Outcome
from tests.grading.submissions.deeds import Deed

ROOT = Path(__file__).parents[3]


def session(pid: int) -> list[str]:
    """The state of all processes of this session, zombies too."""
    states = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            after = stat.read_text().rpartition(")")[2].split()
        except (FileNotFoundError, ProcessLookupError):
            continue
        if int(after[3]) == pid:
            states.append(after[0])
    return states


def test_every_misdeed_is_ended_and_told_of(tmp_path: Path):
    refused = {
        ("hoard",): "needed more than 64 MiB of memory",
        ("shout",): "its result is larger than 4 MiB",
        ("crash", int(signal.SIGSEGV)): "its process was ended by SIGSEGV, as when memory runs out",
        ("crash", int(signal.SIGKILL)): "its process was ended by SIGKILL, as when memory runs out",
        ("err",): "failed with KeyError: 'no such key', which is a mistake of regard's: please report it",
        ("leave",): "failed with SystemExit: 3, which is a mistake of regard's: please report it",
        (
            "write",
            str(tmp_path / "x"),
        ): "failed with OSError: [Errno 27] File too large, which is a mistake of regard's: please report it",
    }
    tasks = [("say", "first"), *refused, ("about",), ("say", "last")]
    slow = [("sleep",), ("spin",), ("stop",)]
    with Isolation(Limits(seconds=60, memory=64)) as isolation:
        pid = isolation._helper.pid
        late = [outcome for _, outcome in isolation.run(Deed(), slow, jobs=3, limits=Limits(seconds=0.5))]
        found = dict(isolation.run(Deed(), tasks, jobs=3))
        assert len(session(pid)) == 1  # the helper: each child has been waited for
    assert session(pid) == []
    assert late == [Outcome(refused="took longer than 0.5 s")] * 3
    assert [found[n + 1] for n in range(len(refused))] == [Outcome(refused=reason) for reason in refused.values()]
    assert [found[0].result, found[len(tasks) - 1].result] == [
        {"word": word, "warmed": True} for word in ("first", "last")
    ]
    about = found[len(tasks) - 2].result
    assert (about["threads"], about["files"], about["torch"]) == (1, 3, True)
    assert not (tmp_path / "x").read_bytes()


TASKS = [("say", "hello"), ("sleep",), ("spin",)]


def interrupted(isolation: Isolation) -> None:
    with isolation:
        for _, outcome in isolation.run(Deed(), TASKS, jobs=3):
            assert outcome == Outcome(result={"word": "hello", "warmed": True})
            assert len(session(isolation._helper.pid)) == 3
            signal.raise_signal(signal.SIGINT)


def test_ctrl_c_leaves_nothing_behind():
    isolation = Isolation(Limits(seconds=50))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it
    try:
        with pytest.raises(KeyboardInterrupt):
            interrupted(isolation)
    finally:
        signal.signal(signal.SIGINT, before)
    assert session(isolation._helper.pid) == []


def test_a_killed_caller_leaves_nothing_behind():
    """The helper lives in a session of its own, which a signal to its caller does not reach."""
    program = f"""
import sys, types
for name in ("regard", "regard.grading", "regard.grading.submissions"):  # the caller needs no torch
    sys.modules[name] = types.ModuleType(name)
    sys.modules[name].__path__ = ["{ROOT}/" + name.replace(".", "/")]
from regard.grading.submissions.isolation import Isolation, Limits
from tests.grading.submissions.deeds import Deed
with Isolation(Limits(seconds=50)) as isolation:
    print(isolation._helper.pid, flush=True)
    for number, outcome in isolation.run(Deed(), {TASKS}, jobs=3):
        print(outcome, flush=True)
"""
    caller = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, env=os.environ | {"PYTHONPATH": str(ROOT)}
    )
    assert caller.stdout is not None
    pid = int(caller.stdout.readline())
    assert "hello" in caller.stdout.readline()
    assert len(session(pid)) == 3
    caller.kill()
    caller.communicate()
    deadline = time.monotonic() + 20
    while (left := session(pid)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert left == []


def test_a_helper_that_cannot_work_says_so():
    with Isolation() as isolation:
        os.kill(isolation._helper.pid, signal.SIGKILL)
        with pytest.raises(RuntimeError, match="ended early, with exit code -9"):
            list(isolation.run(Deed(), [("say", "x")]))
        with pytest.raises(ValueError, match="jobs must be 1 to 256: got 0; use as many as there are cores"):
            list(isolation.run(Deed(), [], jobs=0))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"seconds": 0}, "seconds must be more than 0 and at most 3600: got 0; use 10"),
        ({"seconds": float("nan")}, "seconds must be more than 0 and at most 3600: got nan; use 10"),
        ({"memory": 1}, "memory must be 16 to 1048576 MiB: got 1; use 512"),
    ],
)
def test_limits_that_limit_nothing(limits, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        Limits(**limits)
