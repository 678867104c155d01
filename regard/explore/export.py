"""What a user takes along: a view as one HTML file that opens without a server, and numbers as NumPy's .npz."""

import base64
import binascii
import io
import json
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cache
from importlib.metadata import version
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import Field

from regard.explore.api import PAGE, Binary, Empty, Endpoint, Request, Response, find_endpoint, to_json
from regard.explore.workspace import Workspace

MAX_ANSWERS = 24 * 2**20  # characters of the recorded responses
MAX_LABELS = 1_000_000  # of an axis
Label = Annotated[str, Field(max_length=400)]


class Frame(Response):
    """The file around the saved JSON, in which no `<` may stand; `max_answers` is the most characters of it."""

    before: str
    after: str
    version: str
    max_answers: int


class Array(Request):
    """Numbers in float64, little-endian, as base64; what its axes are called; and the names of its rows and columns."""

    shape: Annotated[tuple[Annotated[int, Field(ge=0)], ...], Field(max_length=8)]
    data: str
    axes: Annotated[tuple[Label, ...], Field(max_length=8)] = ()
    rows: Annotated[tuple[Label, ...], Field(max_length=MAX_LABELS)] = ()
    columns: Annotated[tuple[Label, ...], Field(max_length=MAX_LABELS)] = ()


class NpzRequest(Request):
    """Arrays by name, and what they are of."""

    about: Annotated[str, Field(max_length=2000)] = ""

    arrays: Annotated[
        dict[Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[\w ,.'()-]+$")], Array],
        Field(max_length=100),
    ]


class NpzHeader(Response):
    """The bytes that follow are a file of this type."""

    kind: Literal["application/zip"] = "application/zip"


@cache
def read_bundle() -> tuple[str, str]:
    """The page's script and its style, as `python tools/bundle.py` made them."""
    return (PAGE / "bundle.js").read_text("utf-8"), (PAGE / "bundle.css").read_text("utf-8")


@cache
def _frame() -> Frame:
    script, style = read_bundle()
    before, after = (PAGE / "saved.html").read_text("utf-8").split("{saved}")
    before, after = before.replace("{style}", style), after.replace("{script}", script)
    return Frame(before=before, after=after, version=version("regard"), max_answers=MAX_ANSWERS)


def give_frame(workspace: Workspace, request: Empty) -> Frame:
    """The text of a saved file, but for the state and the responses that are recorded into it."""
    return _frame()


def make_npz(workspace: Workspace, request: NpzRequest) -> Binary:
    """Arrays as a file of numpy.savez: an NpzHeader, then its bytes.

    The names of an array's axes, rows and columns are arrays of text beside it: `map.axes`, `map.rows`, `map.columns`;
    what they are of is one more, `about`.
    """
    found: dict[str, Any] = {"about": np.array(request.about)} if request.about else {}
    for name, array in request.arrays.items():
        try:
            found[name] = np.frombuffer(base64.b64decode(array.data, validate=True), "<f8").reshape(array.shape)
        except (binascii.Error, ValueError) as error:
            raise ValueError(f"{name} must be float64 of shape {array.shape} in base64: {error}") from error
        told = {"axes": array.axes, "rows": array.rows, "columns": array.columns}
        counts = {"axes": len(array.shape), "rows": (*array.shape, 0)[0], "columns": (*array.shape, 0, 0)[1]}
        for what, labels in told.items():
            if labels and len(labels) != counts[what]:
                raise ValueError(
                    f"{name} must have {counts[what]} names of its {what}: got {len(labels)}; name all or none"
                )
            if labels:
                found[f"{name}.{what}"] = np.array(labels, dtype=np.str_)
    file = io.BytesIO()
    np.savez(file, **found)
    return Binary(NpzHeader(), file.getvalue())


def record_answers(workspace: Workspace, requests: Iterable[tuple[str, Mapping[str, Any]]]) -> list[list[Any]]:
    """Endpoints, requests and their responses, as the page's SavedModel looks them up; numbers as base64."""
    answers = []
    for name, request in requests:
        endpoint = find_endpoint(name)
        try:
            response = endpoint.respond(workspace, request)
        except ValueError:
            continue  # the cache may have dropped it since it was asked for; the file says that it is missing
        is_binary = isinstance(response, Binary)
        answers.append([name, request, base64.b64encode(response.pack()).decode() if is_binary else to_json(response)])
    return answers


def make_document(view: str, state: Mapping[str, Any], answers: list[list[Any]]) -> str:
    """The text of a file that shows a view in a state, with these answers."""
    frame = _frame()
    saved = {"view": view, "state": state, "answers": answers, "version": frame.version, "date": f"{date.today()}"}
    data = json.dumps(saved, ensure_ascii=False).replace("<", "\\u003c")
    if len(data) > MAX_ANSWERS:
        raise ValueError(
            f"a saved file must have at most {MAX_ANSWERS >> 20} MB of answers: got {len(data) / 2**20:.0f} MB; "
            "show fewer tokens or heads"
        )
    return frame.before + data + frame.after


ENDPOINTS = (Endpoint("frame", give_frame), Endpoint("npz", make_npz))
