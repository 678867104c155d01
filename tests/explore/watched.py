"""A server that is asked for files in all ways, in a process whose every opening of a file is watched.

`python -m tests.explore.watched FOLDER` prints, as JSON, what was opened outside of what may be read, and how many of
the hostile requests were answered by what status. FOLDER has `runs`, which is served, and `canary`, which is not.
"""

import json
import os
import sys
import sysconfig
from collections import Counter
from pathlib import Path
from typing import Any

from regard.explore import api
from regard.explore.server import PAGE, make_application
from regard.explore.workspace import SHIPPED, Workspace
from tests.explore.running import asked, request, running

NAMES = (
    "../canary",
    "../../etc/passwd",
    "/etc/passwd",
    "..\\canary",
    "%2e%2e/canary",
    "run/../../canary",
    "run/run.json",
    "canary\x00",
    "file:///etc/passwd",
    "~/.bashrc",
    "{canary}",
)


def smallest(schema: dict[str, Any], schemas: dict[str, Any], text: str) -> Any:
    """Something of a schema, with this text wherever one may stand."""
    if "$ref" in schema:
        return smallest(schemas[schema["$ref"].rpartition("/")[2]], schemas, text)
    for several in ("anyOf", "oneOf"):
        if several in schema:
            kinds = sorted(schema[several], key=lambda one: one.get("type") != "string")
            return smallest(kinds[0], schemas, text)
    if "enum" in schema or "const" in schema:
        return schema.get("const", schema.get("enum", [None])[0])
    kind = schema.get("type")
    if kind == "object":
        return {name: smallest(one, schemas, text) for name, one in schema.get("properties", {}).items()}
    if kind == "array":
        inner = schema.get("prefixItems") or [schema.get("items", {})] * max(1, schema.get("minItems", 1))
        return [smallest(one, schemas, text) for one in inner]
    return {"string": text, "integer": schema.get("minimum", 1), "number": 1.0, "boolean": False}.get(str(kind))


def main(folder: Path) -> None:
    workspace = Workspace((folder / "runs", SHIPPED), folders={"model": folder / "runs" / "run"})
    described = api.describe_api()
    schemas = described["components"]["schemas"]
    watching, opened = [False], Counter[str]()

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if (
            watching[0]
            and event in ("open", "os.listdir", "os.scandir")
            and isinstance(args[0], str | bytes | os.PathLike)
        ):
            opened[os.path.realpath(os.fsdecode(args[0]))] += 1

    sys.addaudithook(watch)
    statuses = Counter[int]()
    with running(make_application(workspace)) as port:
        for watching[0], names in ((False, NAMES[:1]), (True, NAMES)):  # first what is imported where it is used
            asked_before = set[tuple[str, bytes]]()
            for name in names:
                for target in (f"/{name}", f"//{name}", f"/views/{name}", f"/api/{name}"):
                    statuses[request(port, target.replace("\x00", "%00").replace("\\", "%5c")).status] += 1
                for path, item in described["paths"].items():
                    schema = item["post"]["requestBody"]["content"]["application/json"]["schema"]
                    body = json.dumps(smallest(schema, schemas, name)).encode()
                    if (path, body) in asked_before:  # it takes no text
                        continue
                    asked_before.add((path, body))
                    answer = asked(port, path.removeprefix("/api/"), body)
                    assert b"a secret" not in answer.body, (path, body)
                    statuses[answer.status] += 1
    code = [Path(sysconfig.get_paths()[name]) for name in ("stdlib", "platstdlib", "purelib", "platlib")]
    told = PAGE.parents[2] / "regard.egg-info"  # of the version
    allowed = [folder / "runs", PAGE.parents[1], SHIPPED, told, *code, Path("/proc"), Path("/sys"), Path("/dev")]
    foreign = [path for path in opened if not any(Path(path).is_relative_to(one.resolve()) for one in allowed)]
    print(json.dumps({"foreign": foreign, "own": len(opened) - len(foreign), "statuses": statuses}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
