"""What a view may ask: typed questions and answers, the same over HTTP, in a notebook and in a saved file."""

import importlib
import json
import struct
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.json_schema import JsonSchemaMode, models_json_schema

from regard.explore.desk import Desk

VIEWS = ("shelves", "playground", "maps", "grid", "mechanisms", "statements", "courses", "files")  # with QUESTIONS
LONGEST = 12  # places that an error names


class Asked(BaseModel):
    """The base of all that is asked: no unknown field, no NaN."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class Reply(BaseModel):
    """The base of all answers."""

    model_config = ConfigDict(frozen=True)


@dataclass(frozen=True)
class Binary:
    """An answer of numbers: a head that says what they are, and their bytes, little-endian.

    On the wire: the head's length (uint32), the head as JSON with spaces up to a whole number of 8 bytes, the bytes.
    """

    head: Reply
    data: bytes

    def packed(self) -> bytes:
        head = self.head.model_dump_json().encode()
        head += b" " * (-(len(head) + 4) % 8)
        return struct.pack("<I", len(head)) + head + self.data


class Unknown(ValueError):  # noqa: N818 - named by what is wrong with the question
    """A question that nobody answers."""


class Unreadable(ValueError):  # noqa: N818 - named by what is wrong with the question
    """A question of another form than its type."""


@dataclass(frozen=True)
class Question:
    """A question by its name, and the function that answers it, `answer(desk, asked)`, whose annotations are its types.

    A `heavy` one computes for long, and waits for others of its kind, while quick ones go past.
    """

    name: str
    answer: Callable[[Desk, Any], BaseModel | Binary]
    heavy: bool = False

    @property
    def asked(self) -> type[Asked]:
        return typing.get_type_hints(self.answer)["asked"]

    @property
    def reply(self) -> Any:
        """The type of the answer; Binary for numbers, whose head is in the docstring."""
        return typing.get_type_hints(self.answer)["return"]

    @property
    def about(self) -> str:
        return (self.answer.__doc__ or "").strip()

    def read(self, body: bytes | Mapping[str, Any]) -> Asked:
        """What is asked, if it is of this question's type."""
        try:
            if isinstance(body, bytes):
                return self.asked.model_validate_json(body)
            return self.asked.model_validate(body)
        except ValidationError as error:
            found = error.errors(include_url=False, include_context=False, include_input=False)[:LONGEST]
            wrong = [f"{'.'.join(map(str, one['loc'])) or 'it':.80}: {one['msg']:.200}" for one in found]
            raise Unreadable(f"{self.name} is asked otherwise: {'; '.join(wrong)}") from error


@cache
def questions() -> dict[str, Question]:
    """All questions, by their names."""
    modules = [importlib.import_module(f"regard.explore.{name}") for name in VIEWS]
    return {question.name: question for module in modules for question in module.QUESTIONS}


def question(name: str) -> Question:
    found = questions().get(name)
    if found is None:
        raise Unknown(f"nobody answers {name!r:.60}; there is {', '.join(questions())}")
    return found


def described() -> dict[str, Any]:
    """All questions in the form of OpenAPI 3.1."""
    paths = {}
    models: list[tuple[type[BaseModel], JsonSchemaMode]] = []
    for one in questions().values():
        models.append((one.asked, "validation"))
        if one.reply is not Binary:
            models.append((one.reply, "serialization"))
    schema_of, found = models_json_schema(models, ref_template="#/components/schemas/{model}")
    for one in questions().values():
        asked = schema_of[one.asked, "validation"]
        is_binary = one.reply is Binary
        kind = "application/octet-stream" if is_binary else "application/json"
        content = {} if is_binary else {"schema": schema_of[one.reply, "serialization"]}
        paths[f"/api/{one.name}"] = {
            "post": {
                "summary": one.about.partition("\n")[0],
                "description": one.about,
                "operationId": one.name,
                "requestBody": {"required": True, "content": {"application/json": {"schema": asked}}},
                "responses": {
                    "200": {"description": "the answer", "content": {kind: content}},
                    **{code: _failure(why) for code, why in FAILURES.items()},
                },
            }
        }
    from importlib.metadata import version

    return {
        "openapi": "3.1.0",
        "info": {"title": "regard explore", "version": version("regard")},
        "paths": paths,
        "components": {"schemas": found["$defs"]},
    }


FAILURES = {
    "400": "what is asked cannot be, and why",
    "404": "nobody answers that",
    "413": "what is asked is too large",
    "415": "the body is no JSON",
    "422": "what is asked has another form",
}


def _failure(why: str) -> dict[str, Any]:
    error = {"type": "object", "properties": {"error": {"type": "string"}}, "required": ["error"]}
    return {"description": why, "content": {"application/json": {"schema": error}}}


def plain(reply: BaseModel) -> Any:
    """A reply as JSON's values."""
    return json.loads(reply.model_dump_json())
