"""The views in a notebook: a widget that answers its own questions, in the kernel."""

import traceback
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

from regard.checks import MissingExtra
from regard.explore import bundle, files
from regard.explore.api import Binary, Unknown, Unreadable, plain, question
from regard.explore.desk import Desk
from regard.explore.showing import shown

KEPT = 512  # questions that a saved file answers: the latest


@cache
def _answering() -> ThreadPoolExecutor:
    """One thread for all widgets: what was cancelled before it began is never begun."""
    return ThreadPoolExecutor(1, "regard")


@cache
def widget_class() -> type[Any]:
    """The class of the widget, made when it is wanted: anywidget is needed in notebooks alone."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise MissingExtra("show", "anywidget", "explore") from error

    class Regard(anywidget.AnyWidget):
        """A view of regard: its name, its state, which both sides may change, and the desk that answers it."""

        _esm = bundle.script()
        _css = bundle.style()
        view = traitlets.Unicode().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)
        place = traitlets.Unicode("notebook").tag(sync=True)

        def __init__(self, view: str, state: Mapping[str, Any], desk: Desk, keeps: Any = None) -> None:
            super().__init__(view=view, state=dict(state))
            self.desk, self._keeps = desk, keeps
            self._waiting: dict[Any, Future[None]] = {}
            self._asked: dict[str, tuple[str, Mapping[str, Any]]] = {}
            self.on_msg(lambda _, content, buffers: self._heard(content))

        def _heard(self, content: Mapping[str, Any]) -> None:
            number = content.get("id")
            if content.get("cancel"):
                found = self._waiting.pop(number, None)
                if found is not None:
                    found.cancel()
                return
            self._waiting[number] = _answering().submit(self._answer, number, content)

        def _answer(self, number: Any, content: Mapping[str, Any]) -> None:
            reply, buffers = answered(self.desk, content)
            if "error" not in reply and content["name"] != "bundle":
                latest = content["name"], content.get("asked") or {}
                self._asked.pop(repr(latest), None)
                self._asked[repr(latest)] = latest
                while len(self._asked) > KEPT:
                    self._asked.pop(next(iter(self._asked)))
            self._waiting.pop(number, None)
            self.send({"id": number, **reply}, buffers=buffers)

        def save(self, path: Path | str) -> None:
            """Write the view as one HTML file, which opens without a server and knows what was asked so far."""
            if not self._asked:
                raise ValueError("a view is saved with the answers that it got: got none yet; show it first, in a cell")
            answers = files.recorded(self.desk, list(self._asked.values()))
            Path(path).write_text(files.document(self.view, self.state, answers), "utf-8")

    return Regard


def answered(desk: Desk, content: Mapping[str, Any]) -> tuple[dict[str, Any], list[bytes] | None]:
    """The reply to a message, or its error; and the bytes of numbers."""
    try:
        one = question(str(content.get("name")))
        reply = one.answer(desk, one.read(content.get("asked") or {}))
    except Unknown as error:
        return {"error": str(error), "status": 404}, None
    except Unreadable as error:
        return {"error": str(error), "status": 422}, None
    except (ValueError, ImportError) as error:  # an extra that is not installed says what to install
        return {"error": str(error), "status": 400}, None
    except MemoryError:
        return {"error": "the answer must fit into memory: it does not; ask for fewer tokens", "status": 413}, None
    except Exception as error:
        # The view must hear of it, or it would wait for ever; the notebook shows where it happened.
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}", "status": 500}, None
    return ({}, [reply.packed()]) if isinstance(reply, Binary) else ({"reply": plain(reply)}, None)


def show(thing: Any = None, *inputs: Any, **state: Any) -> Any:
    """A view as a widget: see `regard.show`."""
    made = widget_class()
    found = shown(thing, inputs)
    return made(found.view, {**found.state, **state}, Desk(found.shelf), found.keeps)
