"""Every example of the OpenAPI document is sent, in order, and answered as the document shows.

With AUDIENCE_RECORD=1 in the environment, `examples.json` gets the answers of the present code.
"""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from audience.api import openapi_examples
from audience.forms import definitions
from audience.operations import site_lane
from tests.described import document, operations, validator
from tests.test_examples import CHANGING

FILE = Path(openapi_examples.__file__).with_name("examples.json")
EXAMPLES = openapi_examples.examples()
HASH = re.compile(r"sha256:[0-9a-f]{64}")  # of a refused address
SECRET = re.compile(r"whsec_[A-Za-z0-9+/=]+")
TRIED = re.compile(r'(?<="milliseconds": )\d+|(?<=-test-)[0-9a-f]+')
TOKEN = re.compile(r"(?<=/)[\w-]{36,44}\.[\w-]{43}")  # of a link
UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


@pytest.fixture
def routes(app):
    """Method and path by the operation's id."""
    listed = operations(document(app))
    return {operation["operationId"]: route for route, operation in listed.items()}


def test_every_operation_has_an_example(app):
    shown = {example["operation"] for example in EXAMPLES}
    assert shown == {operation["operationId"] for operation in operations(document(app)).values()}


def test_every_example_is_answered_as_the_document_shows(client, routes, monkeypatch):
    monkeypatch.setattr(definitions, "check_open", lambda *_: None)  # a form opens without a mail server
    uuids: dict[str, str] = {}
    answers: list[Any] = []
    for example in EXAMPLES:
        sent = json.loads(replaced(json.dumps(example), uuids))
        answers.append(send(client, routes[example["operation"]], sent))
        site_lane.drain(client.site.id, 30)
        texts = json.dumps(example["answer"]), json.dumps(answers[-1])
        uuids |= dict(zip(*(UUID.findall(text) for text in texts), strict=False))
    record(answers)
    for example, answer in zip(EXAMPLES, answers, strict=True):
        assert steady(answer) == steady(example["answer"]), example["operation"]


def replaced(text, uuids):
    return UUID.sub(lambda found: uuids.get(found[0], found[0]), text)


def send(client, route, example):
    """The answer: JSON, or the text of a file."""
    method, path = route[0], route[1].removeprefix("/v1").format_map(example.get("path", {}))
    query = flat(example.get("query", {}))
    if "type" in example:
        headers = {"Content-Type": example["type"]}
        answer = client.send_file(path, example["body"].encode(), query=query, headers=headers)
    else:
        answer = client.call(method, path, example.get("body"), query=query)
    assert answer.status_code in (200, 201), (path, answer.text)
    assert answer.mimetype == example.get("answer_type", "application/json")
    return answer.text if "answer_type" in example else answer.json


def flat(query):
    """Objects as `map[Town]`, and true as text."""
    return {
        name if inner is None else f"{name}[{inner}]": json.dumps(item) if item is True else item
        for name, value in query.items()
        for inner, item in (value.items() if isinstance(value, dict) else [(None, value)])
    }


def steady(answer):
    """An answer without uuids, times, secrets and hashes, which differ from run to run."""
    text = HASH.sub("HASH", UUID.sub("UUID", json.dumps(answer, sort_keys=True)))
    text = TOKEN.sub("TOKEN", TRIED.sub("TRIED", SECRET.sub("SECRET", text)))
    for pattern, name in CHANGING.items():
        text = re.sub(pattern, name, text)
    return text


def record(answers):
    """Stores the answers that are not the recorded ones, and skips the test, if that is asked for."""
    if os.environ.get("AUDIENCE_RECORD"):
        for example, answer in zip(EXAMPLES, answers, strict=True):
            if steady(example["answer"]) != steady(answer):
                example["answer"] = answer
        FILE.write_text(json.dumps(EXAMPLES, indent=1, ensure_ascii=False) + "\n", "utf-8")
        pytest.skip("recorded")


def test_requests_and_answers_have_the_forms_of_the_document(app):
    """A client that is generated from the document can send each request, and read each answer."""
    for operation in operations(document(app)).values():
        body = operation.get("requestBody", {"content": {}})
        parameters = [each for each in operation["parameters"] if "examples" in each]
        [answer] = [each for status, each in operation["responses"].items() if status in ("200", "201")]
        for part in [*body["content"].values(), *answer["content"].values(), *parameters]:
            for example in part.get("examples", {}).values():
                problems = validator(app, part["schema"]).iter_errors(example["value"])
                assert [error.message for error in problems] == [], operation["operationId"]
