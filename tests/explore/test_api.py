"""The endpoints as they are described: the description is valid, and the server keeps to it."""

import json
import struct
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from regard.explore import api
from regard.explore.api import Binary, Endpoint, InvalidRequest, Request, Response, UnknownEndpoint
from regard.explore.workspace import Workspace
from tests.budget import examples


class Width(Request):
    """A number."""

    width: int
    more: float = 0.0


class Double(Response):
    """Twice as much."""

    width: int


def doubled(workspace: Workspace, request: Width) -> Double:
    """Twice the width.

    And more about it.
    """
    return Double(width=2 * request.width)


def test_an_endpoint_has_the_types_of_its_function():
    endpoint = Endpoint("doubled", doubled)
    assert (endpoint.request_type, endpoint.response_type) == (Width, Double)
    assert endpoint.answer(Workspace(), endpoint.parse(b'{"width": 3}')).width == 6
    assert endpoint.parse({"width": 3}) == endpoint.parse(b'{"width": 3}')


@pytest.mark.parametrize(
    ("body", "said"),
    [
        (b'{"width": "x"}', "the request to doubled is not valid: width: "),
        (b"{}", "width: Field required"),
        (b'{"width": 1, "wide": 2}', "wide: Extra inputs are not permitted"),
        (b'{"width": 1, "more": NaN}', "more: "),
        (b"[1]", "body: "),
        ({"width": 1, "more": float("inf")}, "more: Input should be a finite number"),
    ],
)
def test_what_has_another_form_is_told_where(body, said):
    with pytest.raises(InvalidRequest) as raised:
        Endpoint("doubled", doubled).parse(body)
    assert said in str(raised.value)


def test_an_error_names_a_few_places():
    with pytest.raises(InvalidRequest) as raised:
        Endpoint("doubled", doubled).parse({f"wrong{number}": 0 for number in range(1000)})
    assert str(raised.value).count(";") == api.MAX_ERRORS - 1


@pytest.mark.parametrize("width", [0, 7, 10**6, 10**12])
def test_numbers_lie_as_typed_arrays_want_them(width):
    data = struct.pack("<3d", 1.0, -2.5, 3.25)
    packed = Binary(Double(width=width), data).pack()
    (length,) = struct.unpack_from("<I", packed)
    assert (4 + length) % 8 == 0
    assert json.loads(packed[4 : 4 + length]) == {"width": width}
    assert struct.unpack_from("<3d", packed, 4 + length) == (1.0, -2.5, 3.25)
    assert len(packed) == 4 + length + len(data)


def test_every_endpoint_has_one_name_and_says_what_it_is():
    import importlib

    modules = [importlib.import_module(f"regard.explore.{name}") for name in api.MODULES]
    names = [endpoint.name for module in modules for endpoint in module.ENDPOINTS]
    assert len(names) == len(set(names))
    for endpoint in api.endpoints().values():
        assert (endpoint.answer.__doc__ or "").strip().endswith("."), endpoint.name
        assert issubclass(endpoint.request_type, Request)
        assert endpoint.response_type is Binary or issubclass(endpoint.response_type, Response | Request), endpoint.name
    with pytest.raises(UnknownEndpoint, match="there is no endpoint 'none'; use one of start, "):
        api.find_endpoint("none")


def test_every_type_says_what_it_is():
    """A reader of the description sees the docstrings."""
    for name, schema in api.describe_api()["components"]["schemas"].items():
        if schema.get("type") == "object":
            assert schema.get("description"), name


@pytest.fixture(scope="module")
def schema(server):
    import schemathesis

    return schemathesis.openapi.from_url(f"{server.url}api")


def test_the_description_is_valid(schema, server):
    schema.validate()
    described = server_json(server)
    assert described == json.loads(json.dumps(api.describe_api()))
    assert set(described["paths"]) == {f"/api/{name}" for name in api.endpoints()}
    assert described["openapi"] == "3.1.0"


def server_json(server) -> Any:
    import urllib.request

    with urllib.request.urlopen(f"{server.url}api") as response:
        return json.load(response)


@pytest.fixture(scope="module")
def sensible(server) -> dict[str, list[Any]]:
    """For fields of these names, values that there are; random ones would seldom come past the first check."""
    models = server.ask("models")["models"]
    presets = server.ask("presets")["presets"]
    letters = next(one for one in models if one["takes"] == "letters")
    maps = server.ask("maps", {"model": letters["name"], "text": "abcab"})
    recorded = server.ask("recorded")["trainings"]
    return {
        "run": [*server.workspace.runs()],
        "training": [one["training"] for one in recorded],
        "name": ["training.svg", "course.svg"],
        "model": [one["name"] for one in models],
        "text": ["abcab", "dd", "ROMEO:"],
        "target": ["", "bacba"],
        "picture": [None],
        "key": [maps["key"]],
        "kind": [one["name"] for one in maps["kinds"]],
        **{name: sorted({one[name] for one in presets}) for name in ("mask", "scores", "weighting")},
        "grid": [None, None, [4, 6]],
        "id": ["udl.1a", "nyu.1e", "ist.1c"],  # which are judged in no time
        "question": ["conv.a1", "nyu.1a"],
        "answer": ["N_h", "0", "1/2"],
        "tokens": [1, 7, 24, 64],
        **{name: [0, 1, 2, 3] for name in ("layer", "head", "image", "step", "row", "query", "index")},
        **{name: [1, 2, 8] for name in ("batch", "heads", "width", "layers")},
    }


def made_sensible(data: st.DataObject, value: Any, sensible: dict[str, list[Any]]) -> Any:
    """What is asked, with such values in the place of random ones, for the most part."""
    if isinstance(value, dict):
        return {
            key: data.draw(st.sampled_from(sensible[key]))
            if key in sensible and isinstance(one, str | int | None) and not isinstance(one, bool) and wanted(data)
            else made_sensible(data, one, sensible)
            for key, one in value.items()
        }
    return [made_sensible(data, one, sensible) for one in value] if isinstance(value, list) else value


def wanted(data: st.DataObject) -> bool:
    return data.draw(st.integers(0, 9)) > 0


@pytest.mark.parametrize("name", sorted(api.endpoints()))
def test_answers_keep_to_the_description(name, schema, sensible):
    from schemathesis import GenerationMode, checks

    kept = [checks.not_a_server_error, checks.status_code_conformance]
    if api.find_endpoint(name).response_type is not Binary:  # whose bytes are taken for text by the others
        kept += [checks.content_type_conformance, checks.response_schema_conformance]
    operation = schema[f"/api/{name}"]["POST"]
    meant = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    wrong = operation.as_strategy(generation_mode=GenerationMode.NEGATIVE)
    many = examples(90) // 5 if api.find_endpoint(name).request_type.model_fields else 2

    @hypothesis.settings(max_examples=many, suppress_health_check=list(hypothesis.HealthCheck))
    @hypothesis.given(meant | meant | wrong, st.data())
    def holds(case, data):
        case.body = made_sensible(data, case.body, sensible)
        response = case.call_and_validate(checks=kept, timeout=60)
        if api.find_endpoint(name).response_type is Binary and response.status_code == 200:
            (length,) = struct.unpack_from("<I", response.content)
            assert json.loads(response.content[4 : 4 + length])

    holds()
