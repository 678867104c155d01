"""Children with mistakes of their own, for a class to survive."""

import os
import signal
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from regard.grading.submissions.work import Marking, Reading


class ClumsyReading(Reading):
    """Ends on a file called crash."""

    def __call__(self, path: Path) -> dict[str, Any]:
        if path.stem == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(path)


class ClumsyMarking(Marking):
    """Fails on the answer `raise`, ends on the answer `end`."""

    def __call__(self, answers: Mapping[str, Any]) -> dict[str, Any]:
        if "raise" in str(answers):
            raise KeyError("a mistake")
        if "end" in answers.values():
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(answers)
