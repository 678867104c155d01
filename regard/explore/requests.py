"""What each view knows as its state, and what it asks in a state: with it a script saves a view without a browser.

The requests are those of the page's own export to HTML; tests compare them.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from regard.checks import nearest
from regard.explore.api import PAGE, Binary, find_endpoint, to_json
from regard.explore.workspace import Workspace

# The first states of the views, by name, and the values of what has few: the page reads the same files.
STATES: dict[str, dict[str, Any]] = json.loads((PAGE / "states.json").read_text("utf-8"))
CHOICES: dict[str, dict[str, list[str]]] = json.loads((PAGE / "choices.json").read_text("utf-8"))
KEPT = {"maps": ("pictures",)}  # that a view puts into its state itself
HARD = 100  # the last place of the playground's slider
PLAYGROUND = ("x", "tokens", "heads", "out")
MOST, NEAR, WHOLE = 512, 40, 6 * 2**20  # of the maps view: cells a side, tokens of a part, bytes of all heads
FOLLOWED = 4096  # tokens up to which the receptive field is computed

Request = tuple[str, dict[str, Any]]
Ask = Callable[[str, Mapping[str, Any]], Any]


def check_state(view: str, state: Mapping[str, Any]) -> None:
    """Refuse what a view would ignore."""
    known = (*STATES[view], *KEPT.get(view, ()))
    for name, value in state.items():
        if name not in known:
            hint = nearest(name, known, f"it has {', '.join(known)}")
            raise ValueError(f"the state of {view} must have names that it knows: got {name!r}; {hint}")
        choices = CHOICES.get(view, {}).get(name)
        if choices is not None and value not in choices:
            raise ValueError(
                f"{name} of {view} must be one of {', '.join(filter(None, choices))}: got {value!r}; "
                f"{nearest(str(value), choices)}"
            )


def list_requests(workspace: Workspace, view: str, state: Mapping[str, Any]) -> tuple[dict[str, Any], list[Request]]:
    """The requests of a view in a state, and the state in which the saved file shows their responses."""

    def ask(name: str, request: Mapping[str, Any]) -> Any:
        response = find_endpoint(name).respond(workspace, request)
        return response if isinstance(response, Binary) else to_json(response)

    whole = {**STATES[view], **state}
    requests = list(LISTED[view](ask, whole))
    settled: dict[str, Any] = {"run": whole["run"]} if view == "runs" else {}  # a saved file shows no other run
    if view == "playground" and whole["noise"] is not None:
        settled["deeper"] = True  # where noise is shown
    return {**state, **settled}, requests


def _list_start(ask: Ask, state: dict[str, Any]) -> Iterator[Request]:
    yield "start", {"text": state["text"]}


def _list_playground(ask: Ask, state: dict[str, Any]) -> Iterator[Request]:
    """All places of the slider: 0 is β = 0, then from 0.01 to 100 by equal factors, the last is hard."""
    problem = ask("example", {})["problem"] if state["problem"] is None else state["problem"]
    noise = state["noise"]
    yield "example", {}
    for beta, hard in [(state["beta"], state["hard"]), *[_place(place) for place in range(HARD + 1)]]:
        yield (
            "playground",
            {
                **{name: problem.get(name) for name in PLAYGROUND},
                "beta": None if hard else beta,
                "hard": hard,
                "mask": state["mask"],
                "head": min(state["head"], len(problem["heads"]) - 1),
                "noise": None if hard else noise,
            },
        )


def _place(place: int) -> tuple[float | None, bool]:
    if place == HARD:
        return None, True
    return (0.0 if place == 0 else float(f"{10 ** (-2 + 4 * (place - 1) / 98):.4g}")), False


def _list_maps(ask: Ask, state: dict[str, Any]) -> Iterator[Request]:
    models = ask("models", {})["models"]
    yield "models", {}
    sides = [state, *([{**STATES["maps"], **state["other"]}] if state["other"] else [])]
    requests = [_request_maps(models, side, state.get("pictures", {})) for side in sides]
    found = [ask("maps", request) for request in requests]
    names = [kind["name"] for kind in found[0]["kinds"] if all(_kind(maps, kind["name"]) for maps in found)]
    name = next((one for one in (state["kind"], "cross") if one in names), names[0])
    first = _kind(found[0], name)
    chosen = [state["layer"], state["head"]]
    layer, head = first["telling"] if chosen == [None, None] else [one or 0 for one in chosen]
    for request, maps in zip(requests, found, strict=True):
        key, layers = {"key": maps["key"], "kind": name}, _kind(maps, name)["layers"]
        yield "maps", request
        yield "overview", key
        if maps["pictured"]:
            yield "picture", {"key": maps["key"]}
        if maps["predicts"]:
            yield "next", {"model": request["model"], "text": request["text"]}
        is_whole = not state["near"] and sum(4 * one["heads"] * one["rows"] * one["columns"] for one in layers) <= WHOLE
        every = [(number, index) for number, one in enumerate(layers) for index in range(one["heads"])]
        for number, index in every if is_whole else [(layer, head)]:
            yield "tile", {**key, "layer": number, "head": index, **_part(layers[number], state), "most": MOST}
            yield "facts", {**key, "layer": number, "head": index}
        if state["pin"]:
            rows = [state["pin"][0], state["pin"][0] + 1]
            yield "tile", {**key, "layer": layer, "head": head, "rows": rows, "most": 4096}


def _request_maps(models: list[dict[str, Any]], side: Mapping[str, Any], pictures: Mapping[str, str]) -> dict[str, Any]:
    """The request for the maps of one side, as the page makes it."""
    groups = [one for one in models if one["group"] in ("Notebook", "Model folders")]
    groups += [one for one in models if one["group"] == "Shipped"]
    one = next((model for model in models if model["name"] == side["model"]), (groups or models)[0])
    request = {"model": one["name"]}
    if side["step"] is not None and side["step"] in one["steps"]:
        return {**request, "step": side["step"]}
    if one["takes"] == "image":
        if side["picture"] in pictures:
            return {**request, "picture": pictures[side["picture"]]}
        return {**request, "image": max(0, min(one["images"] - 1, side["image"]))}
    if one["takes"] == "nothing":
        return request
    text = next(text for text in (side["text"], *one["examples"], "") if text is not None)
    return {**request, "text": text, **({"target": side["target"]} if one["takes"] == "pair" else {})}


def _kind(maps: Mapping[str, Any], name: str) -> Any:
    return next((kind for kind in maps["kinds"] if kind["name"] == name), None)


def _part(layer: Mapping[str, int], state: Mapping[str, Any]) -> dict[str, list[int]]:
    """Which rows and columns of a head are asked for, where not all are."""
    sizes = layer["rows"], layer["columns"]
    near = state["near"] or ([0, 0] if state["show"] == "lines" and max(sizes) > MOST else None)
    if near is None:
        return {}
    first = [max(0, min(at, size - NEAR)) for at, size in zip(near, sizes, strict=True)]
    return {name: [at, at + NEAR] for name, at in zip(("rows", "columns"), first, strict=True)}


def _list_heads(ask: Ask, state: dict[str, Any]) -> Iterator[Request]:
    trainings = ask("recorded", {})["trainings"]
    yield "recorded", {}
    wanted = [
        one
        for one in trainings
        if state["run"] in (None, one["run"])
        and (None in (state["run"], state["training"]) or one["training"] == state["training"])
    ]
    if not wanted:
        raise ValueError(f"a run must have recorded heads: got {state['run']!r}, {state['training']!r}; use another")
    one = {name: wanted[0][name] for name in ("run", "training")}
    yield "heads", one
    record = ask("heads", one)
    header, numbers = record.header, np.frombuffer(record.data, "<f4")
    count = len(header.steps) * header.layers * header.heads
    shape = len(header.steps), header.layers, header.heads, -1
    centres, precisions = (
        numbers[: 2 * count].reshape(shape),
        numbers[2 * count : (2 + header.entries) * count].reshape(shape),
    )
    steps = [at for at, step in enumerate(header.steps) if state["step"] is None or step <= state["step"]]
    at, middle = max(steps, default=0), header.side // 2
    for layer in range(header.layers):
        moved = {head: state["moved"].get(f"{layer}.{head}") for head in range(header.heads)}
        yield (
            "kernel",
            {
                "centres": [moved[head][:2] if moved[head] else centres[at, layer, head].tolist() for head in moved],
                "precisions": [
                    moved[head][2:] if moved[head] else precisions[at, layer, head].tolist() for head in moved
                ],
                "h": header.side,
                "w": header.side,
                "query": state["query"] or [middle, middle],
                "values": {**one, "layer": layer} if state["values"] == "trained" and wanted[0]["has_values"] else None,
            },
        )


def _list_patterns(ask: Ask, state: dict[str, Any]) -> Iterator[Request]:
    names = ("scores", "weighting", "tokens", "grid", "batch", "heads", "groups", "width", "device", "backward")
    rest = {**{name: state[name] for name in names}, "dtype": state["dtype"] or None}
    masks = [state["mask"], *([state["second"]] if state["second"].strip() else [])]
    here, *others = masks[::-1] if len(masks) > 1 and state["shown"] else masks
    mechanism, grid = {"mask": here, **rest}, state["grid"]
    yield "presets", {}
    yield "mechanism", mechanism
    for other in others:
        yield "mechanism", {"mask": other, **rest}
    few = {"tokens": state["tokens"] if grid else min(state["tokens"], FOLLOWED), "grid": grid}
    if grid and grid[0] * grid[1] > FOLLOWED:
        few["grid"] = [min(side, math.isqrt(FOLLOWED)) for side in grid]
    count = few["grid"][0] * few["grid"][1] if grid else few["tokens"]
    output = state["output"] if state["output"] is not None and state["output"] < count else None
    yield "pattern", {"mask": here, "tokens": state["tokens"], "grid": grid, "block": state["block"]}
    yield "plan", mechanism
    growth = {name: value for name, value in mechanism.items() if name != "tokens"}
    if ask("mechanism", mechanism)["length"] is None:  # a mask with lengths of its own does not grow
        yield "growth", {**growth, "grid": grid and [1, 1]}
    more = {"layers": state["layers"], "residual": state["residual"], "output": output}
    yield "reach", {"masks": masks[: state["layers"]], **few, **more}


def _list_claims(ask: Ask, state: dict[str, Any]) -> Iterator[Request]:
    yield "catalogue", {}
    yield "claim", {"id": state["claim"], "run": False}


def _list_runs(ask: Ask, state: dict[str, Any]) -> Iterator[Request]:
    runs = ask("runs", {})["runs"]
    yield "runs", {}
    own = sorted((run for run in runs if not run["is_shipped"]), key=lambda run: run["started"], reverse=True)
    if state["run"] is None:
        state["run"] = next(run["name"] for run in [*own, *[run for run in runs if run["is_shipped"]]])
    for name in dict.fromkeys([state["run"], *state["compared"]]):
        yield "curves", {"run": name, "after": {}}
        yield "report", {"run": name}
    text = ask("report", {"run": state["run"]}).get("html") or ""
    for figure in re.findall(r'data-figure="([^"]+)"', text):
        yield "figure", {"run": state["run"], "name": figure}


LISTED: dict[str, Callable[[Ask, dict[str, Any]], Iterator[Request]]] = {
    "start": _list_start,
    "playground": _list_playground,
    "maps": _list_maps,
    "heads": _list_heads,
    "patterns": _list_patterns,
    "claims": _list_claims,
    "runs": _list_runs,
}
