"""Files of JSON: arrays and lines, and text that cannot be stored."""

import json

import pytest

from tests.api.sent_files import LINES, ask, errors, import_file
from tests.response_assertions import error

ARRAY = "application/json"
PEOPLE = [{"email": "ann@example.com", "ok": True}, {"email": "bob@example.com", "ok": False}]
HALF = r"\ud800"


@pytest.mark.parametrize("kind", [ARRAY, LINES])
@pytest.mark.parametrize("text", [json.dumps(PEOPLE), "\n " + json.dumps(PEOPLE, indent=2) + "\n"])
def test_an_array_is_asked_about_and_imported(client, kind, text):
    body = ask(client, text, kind)
    error(body, 422)
    assert [column["name"] for column in body.json["columns"]] == ["email", "ok"]
    assert {value["value"] for value in body.json["columns"][1]["values"]} == {"true", "false"}
    told = {"consent_column": "ok", "subscribed": "true", "unsubscribed": "false"}
    query = {"upload": body.json["upload"], "dry_run": "1", **told}
    answer = client.call("POST", "/batch/imports", query=query)
    assert answer.json["meta"]["format"] == "json"
    assert import_file(client, text, kind, query=told)["created"] == 2
    assert client.find("ann@example.com")["attributes"]["unsubscribed_at"] is None
    assert client.find("bob@example.com")["attributes"]["unsubscribed_at"] is not None


def test_a_row_of_an_array_that_cannot_be_read_is_refused_alone(client):
    text = json.dumps([1, {"email": "no"}, *PEOPLE])
    assert import_file(client, text, ARRAY)["failed"] == 2
    assert [row["error_code"] for row in errors(client)] == ["invalid_json", "invalid_email"]


@pytest.mark.parametrize(
    "text",
    [json.dumps(PEOPLE[0]), "[", json.dumps(PEOPLE)[:-1], json.dumps(PEOPLE) * 2,
     json.dumps(PEOPLE) + " " * 70_000 + "x", "email,ok\n"],
)  # fmt: skip
def test_what_is_no_array_is_refused_whole(client, text):
    error(ask(client, text, ARRAY, {"consent": "subscribed"}), 422)
    assert client.get("/batch/imports").json == {"data": []}


@pytest.mark.parametrize("kind", [ARRAY, LINES])
@pytest.mark.parametrize(
    "row",
    [
        {"email": "x@example.com", "ok": "\ud800"}, {"email": "x@example.com", "\udc00": "yes"},
        {"email": "\ud800x@example.com"}, {"email": "x@example.com", "ok": {"a": ["\ud83d"]}}, "\ud800",
        {"email": "x@example.com", "command": "\ud83dunsubscribe"},
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "query", [{"consent": "subscribed"}, {"consent_column": "ok", "subscribed": ["true", "false"]}]
)
def test_a_row_with_half_a_character_is_refused_alone(client, kind, row, query):
    rows = [PEOPLE[0], row, {**PEOPLE[1], "face": "\U0001f600", "path": "\\ud800"}]
    text = json.dumps(rows) if kind == ARRAY else "".join(json.dumps(each) + "\n" for each in rows)
    body = ask(client, text, kind)
    error(body, 422)
    assert "ok" in [column["name"] for column in body.json["columns"]]
    assert import_file(client, text, kind, query=query)["created"] == 2
    code = "invalid_text" if isinstance(row, dict) else "invalid_json"
    newest = client.get("/batch/imports").json["data"][0]["id"]
    assert [each["error_code"] for each in errors(client, newest)] == [code]
    values = client.find("bob@example.com")["attributes"]["fields"]
    assert (values["face"], values["path"]) == ("\U0001f600", "\\ud800")


def test_a_doubled_key_with_half_a_character_is_refused(client):
    line = f'{{"email":"x@example.com","email":"y{HALF}@example.com"}}\n'
    assert import_file(client, line + json.dumps(PEOPLE[0]) + "\n", LINES)["created"] == 1
    assert [each["error_code"] for each in errors(client)] == ["invalid_text"]


@pytest.mark.parametrize("kind", [ARRAY, LINES])
@pytest.mark.parametrize(
    "pairs",
    [
        '"unsubscribed_at": "2024-01-02", "unsubscribed_at": null', '"state": "unsubscribed", "state": "ok"',
        '"command": "unsubscribe", "command": null', '"data": {"subscribed": false, "subscribed": true}',
        '"ok": [{"at": "2024-01-02", "at": ""}]', '"unsubscribed_at": "", "unsubscribed_at": "2024-01-02"',
    ],
)  # fmt: skip
def test_a_key_with_two_values_refuses_its_row(client, kind, pairs):
    rows = [f'{{"email": "x@example.com", {pairs}}}', '{"email": "ann@example.com", "ok": 1, "ok": 1}']
    text = f"[{','.join(rows)}]" if kind == ARRAY else "".join(f"{row}\n" for row in rows)
    assert import_file(client, text, kind)["created"] == 1
    [refused] = errors(client)
    assert refused["error_code"] == "invalid_json"
    assert "several times" in refused["error_message"]
    assert refused.get("unsubscribed_at") in (None, '["2024-01-02",null]', '["","2024-01-02"]')
    assert [column["name"] for column in ask(client, text, kind).json["columns"]] == ["email", "ok"]
