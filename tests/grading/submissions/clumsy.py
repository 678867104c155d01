"""Children with mistakes of their own, for a class to survive."""

import os
import signal
from typing import Any

from regard.grading.marking.marking import Mark
from regard.grading.questions.key import Entry
from regard.grading.submissions.work import Marking, Reading, Task


class ClumsyReading(Reading):
    """Ends on a file called crash."""

    def __call__(self, task: Task) -> dict[str, Any]:
        if task.path.stem == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().__call__(task)


class ClumsyMarking(Marking):
    """Fails on the answer `raise`, ends on the answer `end`, and on a file called crash."""

    def __call__(self, task: Task) -> dict[str, Any]:
        ClumsyReading(self.asked, self.others)(task)
        return super().__call__(task)

    def mark(self, entry: Entry, answer: Any) -> Mark:
        if "raise" in str(answer):
            raise KeyError("a mistake")
        if answer == "end":
            os.kill(os.getpid(), signal.SIGKILL)
        return super().mark(entry, answer)
