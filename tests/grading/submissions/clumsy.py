"""Children with mistakes of their own, for a class to survive."""

import os
import signal
from pathlib import Path
from typing import Any

from regard.grading.marking.marking import Mark
from regard.grading.questions.key import Entry
from regard.grading.submissions.work import Marking, Reading


class ClumsyReading(Reading):
    """Ends on a file called crash."""

    def __call__(self, path: Path) -> dict[str, Any]:
        if path.stem == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(path)


class ClumsyMarking(Marking):
    """Fails on the answer `raise`, ends on the answer `end`."""

    def mark(self, entry: Entry, answer: Any) -> Mark:
        if "raise" in str(answer):
            raise KeyError("a mistake")
        if answer == "end":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().mark(entry, answer)
