"""Exact shapes of the API's responses (docs/contract.md, Every request and Errors)."""

import re
from typing import Any

from werkzeug.test import TestResponse

from schemas.codes import REQUEST_CODES, VALUE_CODES

DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z")
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
DIGITS = re.compile(r"[0-9]+")
WORDS = {  # words by which some clients recognize a status; only errors of that status may contain them
    401: ("401", "unauthorized"),
    403: ("403", "forbidden"),
    404: ("404", "not found"),
    429: ("429", "rate limit"),
    0: ("timeout",),
    422: ("422", "validation", "invalid"),
}
REPORT_TYPE = re.compile(r"Reporting::Reports::[A-Za-z]+Report|LeavingReport")
CHART_STYLES = {"count", "line_chart", "column_chart", "area_chart"}
STATUSES = {"receiving", "queued", "running", "finished", "failed"}


def keys(value: Any, *names: str) -> None:
    assert type(value) is dict
    assert sorted(value) == sorted(names)


def text(value: Any, pattern: re.Pattern[str]) -> None:
    """Asserts that a value is a text that matches a pattern."""
    assert type(value) is str
    assert pattern.fullmatch(value), value


def date(value: Any, null: bool = False) -> None:
    if not (null and value is None):
        text(value, DATE)


def resource(value: Any, type_: str, *attributes: str) -> dict[str, Any]:
    """Checks `{"id", "type", "attributes"}`; returns the attributes."""
    keys(value, "id", "type", "attributes")
    text(value["id"], DIGITS)
    assert value["type"] == type_
    found: dict[str, Any] = value["attributes"]
    keys(found, *attributes)
    return found


def subscriber(value: Any) -> dict[str, Any]:
    attributes = resource(
        value, "visitors", "uuid", "email", "fields", "cached_tag_ids", "unsubscribed_at", "navigation_url",
        "first_name", "last_name", "created_at", "updated_at", "last_event_at",
    )  # fmt: skip
    text(attributes["uuid"], UUID)
    assert type(attributes["email"]) is str
    assert type(attributes["fields"]) is dict
    assert type(attributes["cached_tag_ids"]) is list
    for tag_id in attributes["cached_tag_ids"]:
        text(tag_id, DIGITS)
    for name in ("first_name", "last_name"):
        assert attributes[name] is None or type(attributes[name]) is str
        assert attributes["fields"].get(name) == attributes[name]
    date(attributes["created_at"])
    date(attributes["updated_at"])
    date(attributes["unsubscribed_at"], null=True)
    date(attributes["last_event_at"], null=True)
    path = f"/console/sites/{UUID.pattern}/subscribers/{attributes['uuid']}"
    assert re.search(f"{path}$", attributes["navigation_url"])
    return attributes


def field(value: Any) -> dict[str, Any]:
    attributes = resource(value, "visitors-fields", "name", "key", "whitelisted", "created_at")
    assert type(attributes["name"]) is type(attributes["key"]) is str
    assert attributes["whitelisted"] is None
    date(attributes["created_at"])
    return attributes


def tag(value: Any) -> dict[str, Any]:
    attributes = resource(value, "tags", "name", "created_at", "discarded_at", "site_id")
    assert type(attributes["name"]) is str
    assert attributes["discarded_at"] is None
    assert type(attributes["site_id"]) is int
    assert 0 <= attributes["site_id"] < 2**31
    date(attributes["created_at"])
    return attributes


def segment(value: Any) -> dict[str, Any]:
    attributes = resource(value, "segments", "name", "description", "rules", "created_at", "updated_at")
    assert type(attributes["name"]) is type(attributes["description"]) is str
    assert type(attributes["rules"]) is dict
    date(attributes["created_at"])
    date(attributes["updated_at"])
    return attributes


def report(value: Any) -> dict[str, Any]:
    attributes = resource(
        value, "reports", "name", "report_type", "chart_style", "segment_id", "settings", "created_at",
        "updated_at",
    )  # fmt: skip
    assert type(attributes["name"]) is str
    text(attributes["report_type"], REPORT_TYPE)
    assert attributes["chart_style"] in CHART_STYLES
    if attributes["segment_id"] is not None:
        text(attributes["segment_id"], DIGITS)
    assert type(attributes["settings"]) is dict
    date(attributes["created_at"])
    date(attributes["updated_at"])
    return attributes


def report_data(value: Any) -> dict[str, Any]:
    """Checks a report's four keys, in `report_data` and at the top level; returns `data`."""
    names = ("data", "chart_style", "report_type", "report_name")
    keys(value, "report_data", *names)
    assert value["report_data"] == {name: value[name] for name in names}
    text(value["report_type"], REPORT_TYPE)
    assert value["chart_style"] in CHART_STYLES
    data: dict[str, Any] = value["data"]
    if value["chart_style"] == "count":
        keys(data, "value")
        assert type(data["value"]) is int
        return data
    keys(data, "points")
    for point in data["points"]:
        keys(point, "x", "y", "g")
        assert (type(point["x"]), type(point["y"]), type(point["g"])) == (str, int, str)
    return data


def import_(value: Any) -> dict[str, Any]:
    counts = ("total", "processed", "created", "updated", "unchanged", "failed", "suppressed")
    dates = ("created_at", "started_at", "finished_at")
    away = ("unsubscribed", "stay_unsubscribed")
    attributes = resource(value, "imports", "status", *counts, *away, *dates)
    assert attributes["status"] in STATUSES
    assert all(type(attributes[name]) is int for name in counts)
    date(attributes["created_at"])
    date(attributes["started_at"], null=True)
    date(attributes["finished_at"], null=True)
    return attributes


def errors(value: Any, status: int) -> list[tuple[str, str]]:
    """Checks a list of `{"field", "message"}`; returns the pairs."""
    assert type(value) is list
    for each in value:
        keys(each, "field", "message", "code")
        assert each["code"] in VALUE_CODES
        assert type(each["field"]) is str
        wording(each["message"], status)
    return [(each["field"], each["message"]) for each in value]


def wording(sentence: Any, status: int) -> None:
    """Checks that a message is a sentence, and has no word by which clients recognize another status."""
    assert type(sentence) is str
    assert len(sentence) > 8
    assert sentence.endswith(".") or "Send" in sentence
    for owner, words in WORDS.items():
        for word in words:
            assert owner == status or word not in sentence.lower(), f"{status}: {sentence}"


def answer(response: TestResponse, status: int = 200) -> Any:
    """The JSON of a successful response."""
    assert response.status_code == status, response.text
    assert response.content_type == "application/json"
    assert response.headers["X-Request-Id"]
    return response.json


def error(response: TestResponse, status: int) -> list[tuple[str, str]]:
    """Checks an error with this status and its wording; returns its `errors`."""
    assert response.status_code == status, response.text
    assert response.content_type == "application/json"
    assert response.headers["X-Request-Id"] not in response.text
    body: Any = response.json
    further = {"asks", "suggestion", "upload"} if "asks" in body else set()
    assert set(body) <= {"error", "code", "errors", "columns", "values", "unknown", "did_you_mean"} | further
    wording(body["error"], status)
    assert (
        body["code"] in VALUE_CODES
        if status == 422 and body["code"] not in REQUEST_CODES
        else REQUEST_CODES[body["code"]][0] == status
    )
    assert ("Retry-After" in response.headers) == (status in (429, 503))
    assert ("WWW-Authenticate" in response.headers) == (status == 401)
    assert ("Allow" in response.headers) == (status == 405)
    pairs = errors(body.get("errors", []), status)
    assert ("errors" in body) == bool(pairs)
    return pairs


def error_fields(response: TestResponse, status: int = 422) -> list[str]:
    return [field for field, _ in error(response, status)]


def tally(value: Any, *further: str) -> list[tuple[str, str]]:
    """Checks the counts of a batch response; returns its errors."""
    keys(value, "results", "failed", "errors", *further)
    assert type(value["results"]) is type(value["failed"]) is int
    return errors(value["errors"], 200)
