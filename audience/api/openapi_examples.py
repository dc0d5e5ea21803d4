"""The examples of the OpenAPI document, from `examples.json`: each is a request with its answer. A test sends
them in that order to a new site, and compares the answers.

An example has the `operation` (its id) and a `summary`; `path`, `query` and `body` of the request; `answer`.
If the body or answer is not JSON, `type` or `answer_type` has its media type.
"""

import json
from collections.abc import Iterator
from importlib.resources import files
from typing import Any

JSON = "application/json"


def examples() -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads((files("audience.api") / "examples.json").read_text("utf-8"))
    return listed


def add_to(document: dict[str, Any]) -> dict[str, Any]:
    """Adds the examples to the operations of a document. Returns the document."""
    operations = {
        operation["operationId"]: (operation, item.get("parameters", []))
        for item in document["paths"].values()
        for operation in item.values()
        if "operationId" in operation
    }
    for example in examples():
        operation, in_path = operations[example["operation"]]
        for part, value in values(operation, in_path, example):
            part.setdefault("examples", {})[example["summary"]] = {"value": value}
    return document


def values(operation: Any, in_path: Any, example: Any) -> Iterator[tuple[dict[str, Any], Any]]:
    """Yields the parts of an operation, such as a parameter, each with the example's value for it."""
    sent = {"path": example.get("path", {}), "query": example.get("query", {})}
    for parameter in [*in_path, *operation["parameters"]]:
        if parameter.get("name") in sent.get(parameter.get("in"), {}):
            yield parameter, sent[parameter["in"]][parameter["name"]]
    if "body" in example:
        yield operation["requestBody"]["content"][example.get("type", JSON)], example["body"]
    [answer] = [answer for status, answer in operation["responses"].items() if status in ("200", "201")]
    yield answer["content"][example.get("answer_type", JSON)], example["answer"]
