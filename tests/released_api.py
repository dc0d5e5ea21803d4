"""What the OpenAPI document of the last release promises to clients, as lines of text.

`python -m tests.released_api` records the lines of the present code in `api/data/released_api.txt`: at a
release. A line that begins with "must " is a demand on requests: no such line may be added. No other line may
be removed.
"""

import json
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from app import create_app
from audience.config import Settings
from schemas.codes import Code
from tests.client import FakeLimiter, FakeProcesses, FakeQueue
from tests.described import operations

RECORDED = Path(__file__).parent / "api" / "data" / "released_api.txt"
DEMAND = "must "


def lines(document: Any) -> set[str]:
    sent = [operation.get("requestBody") for operation in operations(document).values()]
    answered = [operation["responses"] for operation in operations(document).values()]
    return {
        *_of_operations(document),
        *_of_messages(document),
        *_of_schemas(document, sent, _of_request),
        *_of_schemas(document, [*answered, document["webhooks"]], _of_answer),
        *(f"code {code}" for code in Code),
    }


def broken(released: set[str], present: set[str]) -> list[str]:
    """The promises that are no longer kept, and the demands that are new since the release."""
    removed = {line for line in released - present if not line.startswith(DEMAND)}
    subjects = {line.partition(" ")[0] for line in released if not line.startswith(DEMAND)}
    demands = {line for line in present - released if line.startswith(DEMAND)}
    return sorted(removed | {line for line in demands if line.split(" ")[1] in subjects})


def _of_operations(document: Any) -> Iterator[str]:
    for (method, path), operation in operations(document).items():
        subject = f"{method}:{path}"
        yield f"{subject} is {operation['operationId']}"
        yield f"{subject} needs {operation['x-scope']}"
        for reference in operation["parameters"]:
            parameter = _resolved(document, reference)
            name = f"{parameter['in']} {parameter['name']}"
            yield from (f"{subject} takes {name}: {word}" for word in _accepted(parameter["schema"]))
            if parameter.get("required"):
                yield f"{DEMAND}{subject} {name}"
        body = operation.get("requestBody", {"content": {}})
        yield from (f"{subject} takes {_media(each)}" for each in body["content"].items())
        if body.get("required"):
            yield f"{DEMAND}{subject} body"
        for status, answer in operation["responses"].items():
            content = answer.get("content", {})
            yield from (f"{subject} answers {status} {_media(each)}" for each in content.items())


def _of_messages(document: Any) -> Iterator[str]:
    for name, item in document["webhooks"].items():
        message = item["post"]
        yield from (f"message:{name} has header {parameter['name']}" for parameter in message["parameters"])
        yield from (f"message:{name} is {_media(each)}" for each in message["requestBody"]["content"].items())


def _media(content: Any) -> str:
    return f"{content[0]}: {', '.join(_types(content[1]['schema']))}"


def _of_schemas(document: Any, nodes: list[Any], describe: Any) -> Iterator[str]:
    for name in _names(document, nodes):
        yield from describe(name, document["components"]["schemas"][name])


def _of_request(subject: str, schema: Any) -> Iterator[str]:
    for path, value, is_required in _properties(schema):
        yield from (f"{subject} takes {path}: {word}" for word in _accepted(value))
        if is_required:
            yield f"{DEMAND}{subject} {path}"


def _of_answer(subject: str, schema: Any) -> Iterator[str]:
    for path, value, is_required in _properties(schema):
        yield f"{subject} has {path}: {', '.join(_types(value))}"
        if is_required:
            yield f"{subject} always has {path}"


def _properties(schema: Any, before: str = "") -> Iterator[tuple[str, Any, bool]]:
    """Yields (path, schema, whether it is required) of the properties of a schema and of the unnamed schemas
    in it.
    """
    for inner in (*schema.get("anyOf", ()), *([schema["items"]] if "items" in schema else ())):
        yield from _properties(inner, before)
    for name, value in schema.get("properties", {}).items():
        yield f"{before}{name}", value, name in schema.get("required", ())
        yield from _properties(value, f"{before}{name}.")


def _accepted(schema: Any) -> list[str]:
    """The types and values that a schema accepts in a request."""
    inner = [word for each in schema.get("anyOf", ()) for word in _accepted(each)]
    values = [json.dumps(value) for value in schema.get("enum", ())]
    return inner or values or _types(schema)


def _types(schema: Any) -> list[str]:
    if "$ref" in schema:
        return [schema["$ref"].rpartition("/")[2]]
    if "anyOf" in schema:
        return sorted({word for each in schema["anyOf"] for word in _types(each)})
    if "items" in schema:
        return [f"array of {' or '.join(_types(schema['items']))}"]
    types = schema.get("type", "any")
    return sorted(types) if isinstance(types, list) else [types]


def _names(document: Any, nodes: list[Any]) -> set[str]:
    """The schemas to which nodes of the document refer, and those to which they refer."""
    found: set[str] = set()
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if isinstance(node, dict):
            name = str(node.get("$ref", "")).rpartition("/")[2]
            if name and name not in found and name in document["components"]["schemas"]:
                found.add(name)
                waiting.append(document["components"]["schemas"][name])
            elif name:
                waiting.append(document["components"]["responses"].get(name))
            waiting += [value for key, value in node.items() if key not in ("example", "examples")]
        elif isinstance(node, list):
            waiting += node
    return found


def _resolved(document: Any, node: Any) -> Any:
    if "$ref" not in node:
        return node
    _, _, section, name = node["$ref"].split("/")
    return document["components"][section][name]


def recorded() -> set[str]:
    return set(RECORDED.read_text("utf-8").splitlines())


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        application = create_app(Settings(instance=Path(folder)), FakeQueue(), FakeLimiter(), FakeProcesses())
        present = lines(application.test_client().get("/api/openapi.json").json)
    RECORDED.write_text("\n".join(sorted(present)) + "\n", "utf-8")
