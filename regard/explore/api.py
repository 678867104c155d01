"""What a view may ask: typed requests and responses, the same over HTTP, in a notebook and in a saved file."""

import importlib
import json
import struct
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from regard.explore.workspace import Workspace

PAGE = Path(__file__).parent / "page"  # what the browser gets
MODULES = (  # of regard.explore; each has ENDPOINTS; those of the first screen, which import little, come first
    "views.start",
    "views.runs",
    "views.playground",
    "views.maps",
    "views.heads",
    "views.patterns",
    "views.claims",
    "export",
)
MAX_ERRORS = 12  # that one message lists


class Request(BaseModel):
    """The base of all requests: no unknown field, no NaN."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Empty(Request):
    """A request without fields."""


class Response(BaseModel):
    """The base of all responses; `model_validate` takes the fields from an object with attributes of their names."""

    model_config = ConfigDict(frozen=True, from_attributes=True)


@dataclass(frozen=True)
class Binary:
    """A response of numbers: a header that says what they are, and their bytes, little-endian.

    On the wire: the header's length (uint32), the header as JSON with spaces up to a multiple of 8 bytes, the bytes.
    """

    header: Response
    data: bytes

    def pack(self) -> bytes:
        header = self.header.model_dump_json().encode()
        header += b" " * (-(len(header) + 4) % 8)
        return struct.pack("<I", len(header)) + header + self.data


class UnknownEndpoint(ValueError):  # noqa: N818 - named by what is wrong with the request
    """A request for an endpoint that does not exist."""


class InvalidRequest(ValueError):  # noqa: N818 - named by what is wrong with the request
    """A request that does not match its endpoint's type."""


@dataclass(frozen=True)
class Endpoint:
    """An endpoint by its name, and the function that answers it; its annotations are the types, its docstring the docs.

    A `heavy` one computes for long: it waits for others of its kind, while quick ones go past.
    """

    name: str
    answer: Callable[[Workspace, Any], BaseModel | Binary]
    heavy: bool = False

    @property
    def request_type(self) -> type[Request]:
        return typing.get_type_hints(self.answer)["request"]

    @property
    def response_type(self) -> Any:
        """Binary for numbers; the docstring names the type of the header."""
        return typing.get_type_hints(self.answer)["return"]

    def parse(self, body: bytes | Mapping[str, Any]) -> Request:
        """The request, if it has this endpoint's type."""
        try:
            if isinstance(body, bytes):
                return self.request_type.model_validate_json(body)
            return self.request_type.model_validate(body)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)[:MAX_ERRORS]
            wrong = [f"{'.'.join(map(str, one['loc'])) or 'body':.80}: {one['msg']:.200}" for one in found]
            raise InvalidRequest(f"the request to {self.name} is not valid: {'; '.join(wrong)}") from error

    def respond(self, workspace: Workspace, body: bytes | Mapping[str, Any]) -> BaseModel | Binary:
        """The response to a request, which is checked first."""
        return self.answer(workspace, self.parse(body))


@cache
def _endpoints_of(module: str) -> dict[str, Endpoint]:
    return {endpoint.name: endpoint for endpoint in importlib.import_module(f"regard.explore.{module}").ENDPOINTS}


def endpoints() -> dict[str, Endpoint]:
    """All endpoints by name."""
    return {name: endpoint for module in MODULES for name, endpoint in _endpoints_of(module).items()}


def find_endpoint(name: str) -> Endpoint:
    """The endpoint of this name; modules behind its own are not imported for it."""
    found = next((own[name] for own in map(_endpoints_of, MODULES) if name in own), None)
    if found is None:
        raise UnknownEndpoint(f"there is no endpoint {name!r:.60}; use one of {', '.join(endpoints())}")
    return found


def explain(error: ValueError | ImportError | MemoryError) -> tuple[int, str]:
    """The status and the words that tell the asker what to change; an ImportError says which extra to install."""
    if isinstance(error, MemoryError):
        return 413, "the response must fit into memory: it does not; ask for fewer tokens"
    return {UnknownEndpoint: 404, InvalidRequest: 422}.get(type(error), 400), str(error)


def to_json(response: BaseModel) -> Any:
    """A response as JSON's values."""
    return json.loads(response.model_dump_json())


ERRORS = {
    "400": "the request is well-formed, but what it asks for is impossible; the message says why",
    "404": "there is no such endpoint",
    "413": "the request or its response is too large",
    "415": "the body is not JSON",
    "422": "the request does not match the schema",
}


def describe_api() -> dict[str, Any]:
    """All endpoints in the form of OpenAPI 3.1."""
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = []
    for endpoint in endpoints().values():
        models.append((endpoint.request_type, "validation"))
        if endpoint.response_type is not Binary:
            models.append((endpoint.response_type, "serialization"))
    schema_of, found = models_json_schema(models, ref_template="#/components/schemas/{model}")
    message = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
    failures = {
        code: {"description": why, "content": {"application/json": {"schema": message}}} for code, why in ERRORS.items()
    }
    paths = {}
    for endpoint in endpoints().values():
        schema = schema_of[endpoint.request_type, "validation"]
        if endpoint.response_type is Binary:
            content = {"application/octet-stream": {}}
        else:
            content = {"application/json": {"schema": schema_of[endpoint.response_type, "serialization"]}}
        about = (endpoint.answer.__doc__ or "").strip()
        paths[f"/api/{endpoint.name}"] = {
            "post": {
                "summary": about.partition("\n")[0],
                "description": about,
                "operationId": endpoint.name,
                "requestBody": {"required": True, "content": {"application/json": {"schema": schema}}},
                "responses": {"200": {"description": "the response", "content": content}, **failures},
            }
        }
    return {
        "openapi": "3.1.0",
        "info": {"title": "regard explore", "version": version("regard")},
        "paths": paths,
        "components": {"schemas": found["$defs"]},
    }
