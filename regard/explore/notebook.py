"""The views in a notebook: `show` finds the view for a value, a layer, a model, maps or a folder, and makes its widget.

The widget answers its own requests, in the kernel.
"""

import tempfile
import traceback
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from regard.attention import (
    Attention,
    Content,
    Grid,
    Kernel,
    Mask,
    Quadratic,
    RandomFeatures,
    RelativeTable,
    Slopes,
    Softmax,
    Sum,
    Term,
    Weighting,
)
from regard.attention.notation import WEIGHTINGS, parse_mask
from regard.checks import MissingExtra
from regard.explore import export
from regard.explore.api import Binary, explain, find_endpoint, to_json
from regard.explore.requests import STATES, check_state, list_requests
from regard.explore.views.map_models import list_models
from regard.explore.workspace import MODEL, RUN, Workspace
from regard.layers import Gaussian
from regard.tasks.readers import label_tokens

VIEWS = tuple(STATES)
NAME = "shown"  # of what a notebook gives
MAX_KEPT = 512  # requests that a saved file can answer: the latest ones


@dataclass(frozen=True)
class Shown:
    """A view, its first state, and the workspace with what it shows; `keeps` lives as long as the widget."""

    view: str
    state: Mapping[str, Any] = field(default_factory=dict)
    workspace: Workspace = field(default_factory=Workspace)
    keeps: Any = None


def show(thing: Any = None, *inputs: Any, **state: Any) -> Any:
    """A view as a widget: see `regard.show`."""
    made = widget_class()
    found = choose_view(thing, inputs)
    return made(found.view, {**found.state, **state}, found.workspace, found.keeps)


def choose_view(thing: Any, inputs: Sequence[Any]) -> Shown:
    """The view of a thing, and of what is given with it."""
    if thing is None or (isinstance(thing, str) and thing in VIEWS):
        return _refuse_inputs(inputs, Shown(thing or "playground"))
    if isinstance(thing, Mask | Attention):
        return _refuse_inputs(inputs, Shown("patterns", _describe_mechanism(thing)))
    if isinstance(thing, nn.Module):
        return _show_model(thing, inputs)
    if isinstance(thing, Path | str):
        return _refuse_inputs(inputs, _show_folder(Path(thing)))
    return Shown("maps", {"model": NAME}, Workspace(objects={NAME: (_to_layers(thing), _read_labels(inputs))}))


def _refuse_inputs(inputs: Sequence[Any], found: Shown) -> Shown:
    if inputs:
        raise ValueError(f"{found.view} takes no input: got {inputs[0]!r:.60}; give it with a model, or leave it out")
    return found


def _describe_mechanism(thing: Mask | Attention) -> dict[str, Any]:
    """A value in the words of the notation, and where its tokens are."""
    if isinstance(thing, Mask):
        return {"mask": _print_mask(thing)}
    state: dict[str, Any] = {
        "mask": _print_mask(thing.mask),
        "scores": print_scores(thing.scores),
        "weighting": _print_weighting(thing.weighting),
    }
    if thing.heads is not None:
        state["heads"] = thing.heads
    if isinstance(thing.keys, Grid):
        state["grid"] = [thing.keys.h, thing.keys.w]
    elif thing.keys is not None:
        state["tokens"] = thing.keys.count
    return state


def _print_mask(mask: Mask) -> str:
    text = repr(mask)
    parse_mask(text)  # says what a text cannot write
    return text


def print_scores(term: Term) -> str:
    """A sum of terms in words; a learned one by its kind, for its numbers cost nothing.

    >>> print_scores(Content(0.5) + Slopes.geometric(8))
    'content(beta=0.5) + slopes'
    """
    if isinstance(term, Sum):
        return " + ".join(print_scores(one) for one in term.terms)
    if isinstance(term, Content):
        given = {"beta": term.beta, "cap": term.cap}
        options = [f"{name}={float(number)!r}" for name, number in given.items() if number is not None]
        return f"content({', '.join(options)})" if options else "content"
    if isinstance(term, Slopes):
        return "slopes"
    if isinstance(term, Quadratic):
        return ("gaussian", "diagonal_gaussian", "full_gaussian")[term.precision.ndim - 1]
    if isinstance(term, RelativeTable):
        name = "table" if term.axis is None else ("row_table", "column_table")[term.axis]
        return name if term.bound is None else f"{name}(bound={float(term.bound)!r})"
    raise ValueError(f"scores must be terms that can be written: got {term!r:.60}; show its weights(q, k, attention)")


def _print_weighting(weighting: Weighting) -> str:
    if known := [word for word, value in WEIGHTINGS.items() if value.flatten() == weighting.flatten()]:
        return known[0]
    if isinstance(weighting, Softmax):
        return "sink"
    if isinstance(weighting, Kernel) and isinstance(weighting.features, RandomFeatures) and weighting.normalise:
        return f"random_features({len(weighting.features.directions)})"
    raise ValueError(f"a weighting must be one that can be written: got {weighting!r:.60}; show its weights instead")


def _show_model(model: nn.Module, inputs: Sequence[Any]) -> Shown:
    heads = [one for one in model.modules() if isinstance(one, Gaussian)]
    if heads and not inputs:
        return _show_heads(heads)
    if not inputs:
        raise ValueError(
            f"a model is shown with what it reads: got {type(model).__name__} alone; give a text or tensors"
        )
    if isinstance(inputs[0], str):
        return _show_text(model, inputs)
    maps = _compute_maps(model, inputs)
    names = {kind: NAME if len(maps) == 1 else f"{NAME}, {kind}" for kind in maps}
    objects = {names[kind]: (list(found), _label_input(model, inputs[0])) for kind, found in maps.items()}
    return Shown("maps", {"model": next(iter(objects))}, Workspace(objects=objects))


def _show_text(model: nn.Module, inputs: Sequence[Any]) -> Shown:
    if not all(isinstance(one, str) for one in inputs) or len(inputs) > 2:
        raise ValueError(
            f"a model reads a text, or a text and a target: got {len(inputs)} inputs; give one or two texts"
        )
    workspace = Workspace(objects={NAME: (model, inputs[0])})
    if NAME not in list_models(workspace)[0]:
        raise ValueError(
            f"a text is for regard's encoders and decoders, with a tokenizer: got {type(model).__name__}; give "
            "tensors, or the maps that it gives"
        )
    return Shown("maps", {"model": NAME, **dict(zip(("text", "target"), inputs, strict=False))}, workspace)


@torch.no_grad()
def _compute_maps(model: nn.Module, inputs: Sequence[Any]) -> dict[str, tuple[Tensor, ...]]:
    """The maps of one pass: of regard's models by `maps`, of Hugging Face's by `output_attentions`."""
    tensors = [one if isinstance(one, Tensor) else torch.as_tensor(one) for one in inputs]
    tensors = [one[None] if one.ndim == 1 else one for one in tensors]
    was_training = model.training
    model.eval()
    try:
        if hasattr(model, "config") and hasattr(model.config, "output_attentions"):
            found = {"self": model(*tensors, output_attentions=True).attentions}
        else:
            found = model(*tensors, maps=True).maps
    except TypeError as error:
        raise ValueError(
            f"a model must give its maps: got {type(model).__name__}, which takes no maps=True ({error}); "
            "give the maps themselves, (L, H, T, S)"
        ) from error
    finally:
        model.train(was_training)
    found = {kind: maps for kind, maps in (found or {}).items() if maps}
    if not found:
        raise ValueError(
            f"a model must have maps to show: got none of {type(model).__name__}; Hugging Face's give them when loaded "
            'with attn_implementation="eager"'
        )
    return {kind: tuple(one[0].float() for one in maps) for kind, maps in found.items()}


def _label_input(model: nn.Module, tokens: Any) -> list[str] | None:
    """Tokens by their letters, where there is a tokenizer, or by their numbers."""
    numbers = torch.as_tensor(tokens)
    if numbers.is_floating_point() or numbers.ndim > 2:
        return None
    ids: list[int] = numbers.reshape(-1, numbers.shape[-1])[0].tolist()
    tokenizer = getattr(model, "tokenizer", None)
    if tokenizer is None:
        return [str(one) for one in ids]
    return label_tokens(tokenizer, ids)


def _show_heads(found: Sequence[Gaussian]) -> Shown:
    """Gaussian heads as the only step of a recording, in a folder that goes when nobody looks any more."""
    from regard.recipes import create_run
    from regard.training import Recording

    sizes = {(one.axes, one.num_heads, one.kind) for one in found}
    if len(sizes) > 1 or found[0].axes != 2:
        raise ValueError(
            f"heads are shown on a grid, as many in each layer: got {len(found)} layers of (axes, heads, kind) "
            f"{', '.join(map(str, sorted(sizes)))}; show one layer"
        )
    keeps = tempfile.TemporaryDirectory(prefix="regard-")
    folder = Path(keeps.name) / NAME
    folder.mkdir()
    create_run(folder, recipe="notebook", config={}, command="regard.show(heads)")
    layers = [(number, one.term()) for number, one in enumerate(found)]
    tensors = {
        f"heads.{number}.{name}": getattr(term, name) for number, term in layers for name in ("centre", "precision")
    }
    Recording(folder / "heads" / "recording").write(0, {name: one.detach().float() for name, one in tensors.items()})
    return Shown("heads", {"run": NAME}, Workspace(single=(folder,)), keeps)


def _show_folder(path: Path) -> Shown:
    name = path.resolve().name
    if (path / RUN).is_file():
        workspace = Workspace(single=(path,))
    elif (path / MODEL).is_file():
        workspace, name = Workspace(folders={name: path}), f"folder:{name}"
    else:
        raise ValueError(
            f"show takes a view ({', '.join(VIEWS)}), or the folder of a run or a model: got {str(path)!r}"
        )
    own = [one for one in list_models(workspace)[0] if one == name or one.startswith(f"{name}/")]
    return Shown("maps", {"model": own[0]}, workspace) if own else Shown("runs", {"run": name}, workspace)


def _to_layers(thing: Any) -> list[Tensor]:
    """Maps as (H, T, S) for each layer, from one tensor or array, or one for each layer."""
    several = isinstance(thing, list | tuple) and all(isinstance(one, Tensor | np.ndarray) for one in thing) and thing
    if not several and not isinstance(thing, Tensor | np.ndarray):
        raise ValueError(
            "show takes a view's name, an Attention or a mask, a layer, a model with its input, maps, or a folder: got "
            f"{type(thing).__name__}"
        )
    found = [torch.as_tensor(one).detach().float() for one in (thing if several else [thing])]
    if several:
        found = [one[0] if one.ndim == 4 and len(one) == 1 else one for one in found]
        layers = [one[None] if one.ndim == 2 else one for one in found]
    else:
        layers = list(found[0][(None,) * max(0, 4 - found[0].ndim)]) if 2 <= found[0].ndim <= 4 else []
    if not layers or any(one.ndim != 3 or not one.numel() for one in layers):
        raise ValueError(
            f"maps must be (T, S), (H, T, S), (L, H, T, S), or a list with one for each layer: "
            f"got {[tuple(one.shape) for one in found]}; take one of the batch"
        )
    return layers


def _read_labels(inputs: Sequence[Any]) -> list[str] | None:
    if not inputs:
        return None
    given = inputs[0]
    if len(inputs) > 1 or not isinstance(given, Sequence):
        raise ValueError(f"maps are shown with the names of their tokens: got {inputs!r:.60}; give one list of words")
    return given.split() if isinstance(given, str) else [str(one) for one in given]


@cache
def _executor() -> ThreadPoolExecutor:
    """One thread for all widgets: what was cancelled before it began is never begun."""
    return ThreadPoolExecutor(1, "regard")


@cache
def widget_class() -> type[Any]:
    """The class of the widget, made when it is first used: only notebooks need anywidget."""
    try:
        import anywidget
        import traitlets
    except ImportError as error:
        raise MissingExtra("show", "anywidget", "explore") from error

    class Regard(anywidget.AnyWidget):
        """A view of regard: its name, its state, which both sides may change, and the workspace that answers it."""

        _esm, _css = export.read_bundle()
        view = traitlets.Unicode().tag(sync=True)
        state = traitlets.Dict().tag(sync=True)
        place = traitlets.Unicode("notebook").tag(sync=True)

        def __init__(self, view: str, state: Mapping[str, Any], workspace: Workspace, keeps: Any = None) -> None:
            check_state(view, state)
            super().__init__(view=view, state=dict(state))
            self.workspace, self._keeps = workspace, keeps
            self._waiting: dict[Any, Future[None]] = {}
            self._requests: dict[str, tuple[str, Mapping[str, Any]]] = {}
            self.on_msg(lambda _, content, buffers: self._receive(content))

        @traitlets.validate("state")
        def _check_state(self, proposal: Any) -> Any:
            check_state(self.view, proposal["value"])
            return proposal["value"]

        def _receive(self, content: Mapping[str, Any]) -> None:
            number = content.get("id")
            if content.get("cancel"):
                found = self._waiting.pop(number, None)
                if found is not None:
                    found.cancel()
                return
            self._waiting[number] = _executor().submit(self._answer, number, content)

        def _answer(self, number: Any, content: Mapping[str, Any]) -> None:
            response, buffers = answer(self.workspace, content)
            if "error" not in response and content["name"] not in ("frame", "npz"):
                latest = content["name"], content.get("request") or {}
                self._requests.pop(repr(latest), None)
                self._requests[repr(latest)] = latest
                while len(self._requests) > MAX_KEPT:
                    self._requests.pop(next(iter(self._requests)))
            self._waiting.pop(number, None)
            self.send({"id": number, **response}, buffers=buffers)

        def save(self, path: Path | str) -> None:
            """Write the view as one HTML file, which opens without a server; it holds what was asked so far, too."""
            state, requests = list_requests(self.workspace, self.view, self.state)
            once = {repr(one): one for one in [*self._requests.values(), *requests]}
            answers = export.record_answers(self.workspace, list(once.values()))
            Path(path).write_text(export.make_document(self.view, state, answers), "utf-8")

    return Regard


def answer(workspace: Workspace, content: Mapping[str, Any]) -> tuple[dict[str, Any], list[bytes] | None]:
    """The response to a message, or its error; and the bytes of numbers."""
    try:
        response = find_endpoint(str(content.get("name"))).respond(workspace, content.get("request") or {})
    except (ValueError, ImportError, MemoryError) as error:
        status, why = explain(error)
        return {"error": why, "status": status}, None
    except Exception as error:
        # The view must hear of it, or it would wait for ever; the notebook shows the traceback.
        traceback.print_exc()
        return {"error": f"{type(error).__name__}: {error}", "status": 500}, None
    return ({}, [response.pack()]) if isinstance(response, Binary) else ({"response": to_json(response)}, None)
