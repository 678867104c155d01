"""A teacher's own questions, and a folder of submissions from the honest to the hostile."""

import os
from pathlib import Path

QUESTIONS = """
[[question]]
id = "q.1"
text = "How many parameters have three linear maps of width D, with biases?"
kind = "formula"
points = 4
symbols = { D = "positive" }
answer = "3D² + 3D"
[question.parts]
weights = "3D²"
biases = "3D"
[[question.mistake]]
answer = "3D² + 3"
name = "a bias vector counted as one number"

[[question]]
id = "q.2"
text = "How does <b>attention</b> grow?"
kind = "order"
points = 2
symbols = { N = "positive", D = "positive" }
answer = "Θ(N²D)"

[[question]]
id = "q.3"
text = "One third?"
kind = "number"
points = 1
answer = "1/3"

[[question]]
id = "q.4"
text = "Both of them."
[[question.part]]
id = "yes"
text = "Is it so?"
kind = "truth"
answer = true
points = 1
[[question.part]]
id = "letter"
text = "Which?"
kind = "choice"
choices = { a = "this", b = "that" }
answer = "b"
points = 1
"""

RIGHT = """
name = "Ada"
q.1 = '3D^2 + 3D'
q.2 = 'O(N^2 D)'
q.3 = 0.333
q.4.yes = true
q.4.letter = 'b'
"""
EVIL = """
name = "=cmd|' /C calc'!A0 <script>alert(1)</script> \\u001b[2J"
q.1 = '<script>alert("x")</script>'
q.2 = "{0.__class__.__init__.__globals__}"
q.3 = "__import__('os').system('touch pwned')"
"""
TOWER = "q.1 = '9^9^9^9^9^9^9'\nq.2 = 'N^(D^(N^(D^N)))'\nq.3 = '10^10^10^10'\n"
STRINGS = "q.1 = '%s%n{}{0!r}'\nq.2 = '../../../../etc/passwd'\nq.3 = 'file:///etc/passwd'\n"
SHADOW = "raise SystemExit('the code of a student ran')\n"  # as sympy.py, lark.py, … where somebody grades


def fill(folder: Path) -> None:
    """Submissions by the name of what is the matter with them."""
    deep = "[" * 5000 + "]" * 5000
    files: dict[str, str | bytes] = {
        "Ada L": RIGHT,
        "bob": "name = 'Bob'\nq.1 = '3D(D) + 3'\nq.2 = 'O(N^2)'\nq.9 = 1",
        "carol": "q.1 = '3 + 3D²'\n[q.4]\nyes = 'no'\nletter = 'b'",
        "clumsy": f"q.2 = 'raise'\nq.3 = 'end'\nq.4.yes = 'raise'{RIGHT.partition('q.2')[0]}",
        "crash": RIGHT,
        "deep": f"q.1 = {deep}",
        "dots": "q.1 = 1\nq.1 = 2",
        "evil": EVIL,
        "keys": "q.1 = '3D²'\n" + "\n".join([f"k{n} = 1" for n in range(5000)]),
        "large": b"(" * 10_000_000,
        "latin": "name = 'Zoë'\nq.1 = 1".encode("latin-1"),
        "lists": f"q.1 = '3D^2 + 3D'\nq.3 = 0x{'f' * 6000}\nq.4 = []",
        "long": "q.1 = '" + "(" * 200_000 + "'",
        "nul": b"q.1 = 'a\0b'",
        "strings": STRINGS,
        "tower": TOWER,
        "unsure": "q.1 = '3D² + 3D'\nq.2 = 'much'\nq.4.yes = 'perhaps'\nq.4.letter = 'b'",
        "utf16": "q.1 = '3D²'".encode("utf-16"),
    }
    files |= {f"{'x' * 150}{end}": RIGHT for end in "ab"}
    for name, data in files.items():
        (folder / f"{name}.toml").write_bytes(data if isinstance(data, bytes) else data.encode())
    (folder / "folder.toml").mkdir()
    (folder / "folder.toml" / "inner.toml").write_text(RIGHT)
    (folder / "link.toml").symlink_to("/etc/hostname")
    os.mkfifo(folder / "pipe.toml")
    (folder / "notes.txt").write_text("not a submission")
    for module in ("sympy", "lark", "torch", "mpmath", "regard"):
        (folder / f"{module}.py").write_text(SHADOW)
