"""docs/compatibility.md: nothing that the last release promised to clients is gone."""

import copy

import pytest

from tests import described
from tests.described import document
from tests.released_api import broken, lines, recorded

HOW = "Keep it, or deprecate it first: docs/compatibility.md"


def test_the_api_keeps_what_the_last_release_promised(app):
    assert broken(recorded(), lines(document(app))) == [], HOW


@pytest.fixture
def changed(app):
    return copy.deepcopy(document(app))


def schema(changed, name):
    return changed["components"]["schemas"][name]


def remove_operation(changed):
    del changed["paths"]["/v1/fetch/tags"]["get"]


def remove_parameter(changed):
    operation = changed["paths"]["/v1/fetch/tags"]["get"]
    operation["parameters"] = [each for each in operation["parameters"] if each.get("name") != "cursor"]


def require_parameter(changed):
    schema = {"type": "string"}
    added = {"in": "query", "name": "new", "required": True, "schema": schema}
    changed["paths"]["/v1/fetch/tags"]["get"]["parameters"].append(added)


def need_more(changed):
    changed["paths"]["/v1/fetch/tags"]["get"]["x-scope"] = "full"


def remove_answer(changed):
    del schema(changed, "SubscriberAttributes")["properties"]["email"]


def answer_null(changed):
    schema(changed, "SubscriberAttributes")["properties"]["email"]["type"] = ["string", "null"]


def leave_out(changed):
    schema(changed, "SubscriberAttributes")["required"].remove("email")


def refuse_value(changed):
    schema(changed, "SubscriberCommand")["properties"]["command"]["enum"].remove("add_tag")


def require_value(changed):
    schema(changed, "NewTag")["properties"]["new"] = {"type": "string"}
    schema(changed, "NewTag").setdefault("required", []).append("new")


@pytest.mark.parametrize(
    "change",
    [
        remove_operation, remove_parameter, require_parameter, need_more, remove_answer, answer_null,
        leave_out, refuse_value, require_value,
    ],
    ids=lambda change: change.__name__,
)  # fmt: skip
def test_what_breaks_clients_is_found(app, changed, change):
    released = lines(document(app))
    assert broken(released, lines(changed)) == []
    change(changed)
    assert broken(released, lines(changed)) != []


def test_a_code_that_is_gone_is_found(app):
    present = lines(document(app))
    assert broken(present, present - {"code required"}) == ["code required"]


def test_what_is_new_breaks_nothing(app, changed):
    tags = changed["paths"]["/v1/fetch/tags"]
    changed["paths"]["/v1/fetch/labels"] = copy.deepcopy(tags)
    tags["get"]["parameters"].append({"in": "query", "name": "new", "schema": {"type": "string"}})
    schema(changed, "SubscriberAttributes")["properties"]["new"] = {"type": "string"}
    schema(changed, "NewTag")["properties"]["new"] = {"type": "string"}
    schema(changed, "SubscriberCommand")["properties"]["command"]["enum"].append("new")
    assert broken(lines(document(app)), lines(changed)) == []


DAY = "@1764288000"  # 28 November 2025


@pytest.mark.parametrize(("headers", "is_told"), [
    ({"Deprecation": DAY, "Sunset": "Sat, 28 Nov 2026 00:00:00 GMT"}, True),
    ({"Deprecation": DAY, "Sunset": "Fri, 27 Nov 2026 00:00:00 GMT"}, False),
    ({"Deprecation": DAY}, False), ({"Sunset": "Sat, 28 Nov 2026 00:00:00 GMT"}, False), ({}, False),
    ({"Deprecation": "true", "Sunset": "Sat, 28 Nov 2026 00:00:00 GMT"}, False),
])  # fmt: skip
def test_every_answer_of_a_deprecated_operation_tells_its_end(client, monkeypatch, headers, is_told):
    app, changed = client.http.application, copy.deepcopy(document(client.http.application))
    changed["paths"]["/v1/fetch/tags"]["get"]["deprecated"] = True
    answer = client.get("/fetch/tags")
    monkeypatch.setattr(described, "_documents", [changed])
    answer.headers.update(headers)
    if is_told:
        described.check(app, answer)
    else:
        with pytest.raises(AssertionError, match=r"docs/compatibility\.md"):
            described.check(app, answer)


def test_no_other_answer_has_these_headers(client):
    answer = client.get("/fetch/tags")
    answer.headers["Deprecation"] = DAY
    with pytest.raises(AssertionError, match=r"docs/compatibility\.md"):
        described.check(client.http.application, answer)
