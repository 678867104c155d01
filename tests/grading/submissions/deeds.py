"""Work that goes wrong in every way, for a helper process to survive."""

import os
import signal
import sys
import time
from pathlib import Path
from typing import Any


class Deed:
    """Does what its task says; warmed up, it knows that it was."""

    warmed = False

    def warm(self) -> None:
        import torch  # noqa: F401 - as counting does; its threads must not be started

        type(self).warmed = True

    def __call__(self, task: Any) -> Any:
        return getattr(self, task[0])(*task[1:])

    def say(self, word: str) -> dict[str, Any]:
        return {"word": word, "warmed": self.warmed}

    def about(self) -> dict[str, Any]:
        """What a child has and may: the helper's threads, its own open files, whether it can write."""
        threads = Path(f"/proc/{os.getppid()}/status").read_text().split("Threads:")[1].split()[0]
        files = len(os.listdir("/proc/self/fd")) - 1
        return {"threads": int(threads), "files": files, "torch": "torch" in sys.modules, "pid": os.getpid()}

    def write(self, path: str) -> None:
        Path(path).write_text("x")

    def sleep(self) -> None:
        time.sleep(60)

    def spin(self) -> None:
        while True:
            pass

    def hoard(self) -> int:
        return len([bytearray(1 << 20) for _ in range(4096)])

    def shout(self) -> str:
        return "x" * (8 << 20)

    def crash(self, number: int) -> None:
        os.kill(os.getpid(), number)

    def stop(self) -> None:
        os.kill(os.getpid(), signal.SIGSTOP)

    def leave(self) -> None:
        sys.exit(3)

    def err(self) -> None:
        raise KeyError("no such key")
