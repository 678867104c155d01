"""The numbers of a run, a line of JSON each, which can be read while it goes on."""

import json
import warnings
from pathlib import Path
from typing import Any

from regard.tasks.whole_files import to_disk, whole_file


class Metrics:
    """A file of lines such as `{"step": 10, "loss": 0.5}`.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     metrics = Metrics(Path(folder) / "metrics.jsonl")
    ...     for step in (1, 2, 3):
    ...         metrics.write(step=step, loss=1 / step)
    ...     metrics.rewind(2)
    ...     metrics.read()
    [{'step': 1, 'loss': 1.0}, {'step': 2, 'loss': 0.5}]
    """

    def __init__(self, path: Path) -> None:
        self.path = path

    def write(self, **numbers: Any) -> None:
        """Add a line, at once visible to readers."""
        with self.path.open("a", encoding="utf-8") as file:
            file.write(json.dumps(numbers) + "\n")

    def keep(self) -> None:
        """Wait until all lines would outlive a power cut."""
        to_disk(self.path)

    def read(self) -> list[dict[str, Any]]:
        """All lines up to the first that is damaged, which is told; the last may have been cut off by a kill."""
        if not self.path.is_file():
            return []
        text = self.path.read_text(encoding="utf-8", errors="replace")
        found = []
        for number, line in enumerate(text[: text.rfind("\n") + 1].splitlines(), 1):
            try:
                numbers = json.loads(line)
                if type(numbers["step"]) is not int:
                    raise TypeError
            except (ValueError, KeyError, TypeError, RecursionError):
                warnings.warn(f"line {number} of {self.path} is damaged, and all behind it left out", stacklevel=2)
                break
            found.append(numbers)
        return found

    def rewind(self, step: int) -> None:
        """Forget what came after a step, which is about to come again."""
        kept = [line for line in self.read() if line["step"] <= step]
        with whole_file(self.path) as file:
            file.write("".join(json.dumps(line) + "\n" for line in kept).encode())
