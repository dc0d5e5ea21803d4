"""Checks that the OpenAPI document describes what tests are answered: the status, and the JSON's form."""

import json
import re
from email.utils import parsedate_to_datetime
from typing import Any

from flask import Flask
from jsonschema_rs import Draft202012Validator
from werkzeug.datastructures import Headers
from werkzeug.exceptions import HTTPException
from werkzeug.test import TestResponse

TWELVE_MONTHS_SECONDS = 365 * 86_400
MAX_BYTES = 2**17  # of an answer whose form is looked at: one of 100,000 keys takes a minute
METHODS = {"get", "post", "put", "patch", "delete"}
_documents: list[Any] = []  # that of the first application: all have the same but for `servers`
_validators: dict[tuple[str, str, int], Draft202012Validator] = {}


def document(app: Flask) -> Any:
    if not _documents:
        _documents.append(app.test_client().get("/api/openapi.json").json)
    return _documents[0]


def operations(document: Any) -> dict[tuple[str, str], Any]:
    """The operations of a document, in its order, by method and path."""
    return {
        (method.upper(), path): item[method]
        for path, item in document["paths"].items()
        for method in item
        if method in METHODS
    }


def path_in_document(rule: str) -> str:
    return re.sub(r"<(?:[^<>]*:)?(\w+)>", r"{\1}", rule.removeprefix("/api"))


def validator(app: Flask, schema: Any) -> Draft202012Validator:
    """The validator of a schema in the document. The schema may refer to the document's components."""
    return Draft202012Validator({**schema, "components": document(app)["components"]})


def check(app: Flask, answer: TestResponse) -> None:
    """Asserts that the document describes an answer. Answers to paths without an operation pass."""
    request = answer.request
    try:
        rule, _ = app.url_map.bind("").match(request.path, request.method, return_rule=True)
    except HTTPException:
        return
    path = path_in_document(rule.rule)
    described = document(app)["paths"].get(path, {}).get(request.method.lower())
    if described is None:
        return
    assert tells_its_end(described, answer.headers), f"{request.method} {path}: docs/compatibility.md"
    status = str(answer.status_code)
    assert status in described["responses"], f"{request.method} {path} is said never to answer {status}"
    if answer.mimetype == "application/json" and len(answer.data) <= MAX_BYTES:
        _check_json(app, (request.method, path, answer.status_code), described["responses"][status], answer)


def tells_its_end(operation: Any, headers: Headers) -> bool:
    """Whether a deprecated operation answers with `Deprecation` (RFC 9745), and with a `Sunset` (RFC 8594) at
    least twelve months later. Other operations must answer with neither.
    """
    since, until = headers.get("Deprecation"), headers.get("Sunset")
    if not operation.get("deprecated"):
        return since is until is None
    if since is None or until is None or not re.fullmatch(r"@[0-9]+", since):
        return False
    return parsedate_to_datetime(until).timestamp() - int(since[1:]) >= TWELVE_MONTHS_SECONDS


def _check_json(app: Flask, key: tuple[str, str, int], response: Any, answer: TestResponse) -> None:
    if key not in _validators:
        if "$ref" in response:
            response = document(app)["components"]["responses"][str(key[2])]
        _validators[key] = validator(app, response["content"]["application/json"]["schema"])
    # Stored by an earlier version, NaN is a number; the validator would take it for null.
    read = json.loads(answer.data, parse_constant=lambda _: 0.5)
    problems = [f"{error.instance_path}: {error.message}" for error in _validators[key].iter_errors(read)]
    assert problems == [], key
