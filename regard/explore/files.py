"""A view as one file, that opens without a server: the page's modules and styles, the state, and recorded answers."""

import base64
import json
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from importlib.metadata import version
from typing import Any

from regard.explore import bundle
from regard.explore.api import Asked, Binary, Question, Reply, plain, question
from regard.explore.desk import Desk

LARGEST = 24 * 2**20  # characters of what is recorded
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'"
)
BEFORE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>regard</title>
<style>
{style}
</style>
</head>
<body class="regard saved">
<noscript>This file draws itself by a script, and needs JavaScript for that.</noscript>
<script type="application/json" id="regard-saved">"""
AFTER = """</script>
<script type="module">
{script}</script>
</body>
</html>
"""


class BundleAsked(Asked):
    """Nothing."""


class BundleReply(Reply):
    """The file around what is saved: `before` and `after` the JSON, in which no `<` may stand; at most so `largest`."""

    before: str
    after: str
    version: str
    largest: int


def around(desk: Desk, asked: BundleAsked) -> BundleReply:
    """What a saved file consists of, except for the state and the answers that are recorded into it."""
    return _around()


@cache
def _around() -> BundleReply:
    return BundleReply(
        before=BEFORE.format(policy=POLICY, style=bundle.style()),
        after=AFTER.format(script=bundle.script("saved.js")),
        version=version("regard"),
        largest=LARGEST,
    )


def recorded(desk: Desk, wanted: Iterable[tuple[str, Mapping[str, Any]]]) -> list[list[Any]]:
    """Questions, what is asked, and the answers, as the page's SavedModel looks them up; numbers as base64."""
    answers = []
    for name, asked in wanted:
        one = question(name)
        try:
            reply = one.answer(desk, one.read(asked))
        except ValueError:
            continue  # what was computed may be gone since it was asked; the file says that it is not there
        is_binary = isinstance(reply, Binary)
        answers.append([name, asked, base64.b64encode(reply.packed()).decode() if is_binary else plain(reply)])
    return answers


def document(view: str, state: Mapping[str, Any], answers: list[list[Any]]) -> str:
    """The text of a file that shows a view in a state, with these answers."""
    file = _around()
    saved = {"view": view, "state": state, "answers": answers, "version": file.version, "date": f"{date.today()}"}
    data = json.dumps(saved, ensure_ascii=False).replace("<", "\\u003c")
    if len(data) > LARGEST:
        raise ValueError(
            f"a saved file must have at most {LARGEST >> 20} MB of answers: got {len(data) / 2**20:.0f} MB; "
            "show fewer tokens or heads"
        )
    return file.before + data + file.after


QUESTIONS = (Question("bundle", around),)
