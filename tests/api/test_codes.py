"""Each error has a code, and each of `errors`, from one published list (docs/errors.md)."""

import re

import pytest

from schemas.codes import REQUEST_CODES, VALUE_CODES, Code
from tests.api.sent_files import errors, import_file
from tests.client import basic
from tests.response_assertions import WORDS

ERASED = "ada@example.com"


def codes(response):
    return response.json["code"], [each["code"] for each in response.json.get("errors", [])]


def statuses_read_in(code):
    """Those whose words are in a code."""
    said = code.replace("_", " ")
    return {status or 408 for status, words in WORDS.items() if any(word in said for word in words)}


def test_no_code_reads_like_another_status():
    assert [code for code, (status, _) in REQUEST_CODES.items() if statuses_read_in(code) - {status}] == []


def test_no_code_of_a_value_reads_like_a_status():
    assert [code for code in VALUE_CODES if statuses_read_in(code)] == []


def test_every_code_is_of_a_request_or_of_a_value():
    assert sorted([*REQUEST_CODES, *VALUE_CODES]) == sorted(Code)


@pytest.mark.parametrize(("method", "path", "body", "code"), [
    ("GET", "/nothing", None, "path_not_found"),
    ("PUT", "/stats/site", None, "method_not_allowed"),
    ("POST", "/fetch/subscribers", b"{", "body_not_json"),
    ("POST", "/fetch/subscribers", b"[1]", "body_not_object"),
    ("POST", "/fetch/subscribers", b"[" * 65 + b"]" * 65, "body_out_of_bounds"),
    ("DELETE", "/fetch/tags/9", None, "tag_not_found"),
    ("GET", "/batch/imports/9", None, "import_not_found"),
    ("GET", "/fetch/subscribers/0198c6d0-0000-7000-8000-000000000000/events", None, "subscriber_not_found"),
])  # fmt: skip
def test_the_code_of_a_request(client, method, path, body, code):
    keys = basic(client.key.publishable_key, client.key.secret_key)
    response = client.http.open(f"/api/v1{path}", method=method, data=body, headers={"Authorization": keys})
    assert codes(response) == (code, [])


def test_there_is_one_code_for_whatever_is_wrong_with_a_key(client):
    for sent in (basic("pk_x", "sk_x"), basic(client.key.publishable_key, "sk_x"), "Bearer x"):
        answer = client.http.get("/api/v1/stats/site", headers={"Authorization": sent})
        assert (answer.status_code, *codes(answer)) == (401, "unauthorized", [])


@pytest.mark.parametrize(("subscriber", "code"), [
    ({}, "required"), ({"email": "ada"}, "malformed_address"), ({"email": [1]}, "wrong_type"),
    ({"email": "a@example.com", "first_name": "\0"}, "unstorable"),
    ({"email": "a@example.com", "fields": {"é" * 101: 1}}, "malformed_key"),
    ({"email": "a@example.com", "tags": {"a": 1}}, "wrong_type"),
    ({"email": "a@example.com", "tags": ["x" * 256]}, "too_long"),
])  # fmt: skip
def test_the_code_of_a_value_and_of_an_item(client, subscriber, code):
    created = client.post("/fetch/subscribers", {"subscriber": subscriber})
    assert created.status_code == 422
    assert codes(created)[1] == [code]
    batch = client.post("/batch/subscribers", {"subscribers": [subscriber]})
    assert (batch.status_code, [each["code"] for each in batch.json["errors"]]) == (200, [code])


def test_an_erased_address_has_its_code_at_each_door(client):
    client.post("/fetch/subscribers", {"email": ERASED})
    client.delete("/fetch/subscribers", query={"email": ERASED})
    assert codes(client.post("/fetch/subscribers", {"email": ERASED})) == (
        "erased_address",
        ["erased_address"],
    )
    command = {"command": "add_tag", "email": ERASED, "query": "vip"}
    run = client.post("/fetch/commands", {"command": [command]})
    event = client.post("/batch/events", {"events": [{"type": "x", "email": ERASED}]})
    for answer in (run, event):
        assert [each["code"] for each in answer.json["errors"]] == ["erased_address"]


def test_unknown_names_have_a_code(client):
    search = client.get("/fetch/search", {"created_at": {"after": "2026-01-01"}})
    assert codes(search) == ("validation_failed", ["unknown_key"])
    search = client.get("/fetch/search", {"created_at": "2026-01-01"})
    assert codes(search) == ("validation_failed", ["wrong_type"])


def test_refused_rows_have_a_code_beside_the_older_one(client):
    import_file(client, "email,plan\nada,pro\n,pro\nbob@example.com,a,b\n")
    assert [(row["error_code"], row["code"]) for row in errors(client)] == [
        ("invalid_email", "malformed_address"), ("missing_email", "required"), ("ragged_row", "ragged_row"),
    ]  # fmt: skip


def test_a_corrected_file_of_refused_rows_makes_no_field_of_the_code(client):
    import_file(client, "email,plan\nada,pro\n")
    text = client.get("/batch/imports/1/errors.csv").text
    import_file(client, re.sub(r"sha256:\w+", "ada@example.com", text))
    assert client.find("ada@example.com")["attributes"]["fields"] == {"plan": "pro"}


def test_a_column_of_that_name_stays_the_only_one(client):
    import_file(client, "email,code\nada,B4\n")
    text = client.get("/batch/imports/1/errors.csv").text
    assert text.splitlines()[0] == "email,code,row_number,error_code,error_message"
    import_file(client, re.sub(r"sha256:\w+", "ada@example.com", text))
    assert client.find("ada@example.com")["attributes"]["fields"] == {"code": "B4"}


def test_a_batch_that_is_sent_again_has_the_codes_of_the_first_answer(client):
    client.post("/fetch/subscribers", {"email": ERASED})
    client.delete("/fetch/subscribers", query={"email": ERASED})
    sent = {"subscribers": [{"email": ERASED}, {"email": "ada"}]}
    answers = [
        client.call("POST", "/batch/subscribers", sent, headers={"Idempotency-Key": "a"}) for _ in "12"
    ]
    assert [[each["code"] for each in answer.json["errors"]] for answer in answers] == [
        ["erased_address", "malformed_address"]
    ] * 2


def test_the_codes_of_conditions_and_of_repeated_keys(client):
    client.post("/fetch/segments", {"segment": {"name": "A", "rules": {"tag": "a"}}})
    patch = {"segment": {"name": "B"}}
    changed = client.call("PATCH", "/fetch/segments/1", patch, headers={"If-Match": '"other"'})
    assert (changed.status_code, *codes(changed)) == (412, "record_changed", [])
    key = {"Idempotency-Key": "a"}
    client.call("POST", "/fetch/tags", {"tag": {"name": "a"}}, headers=key)
    reused = client.call("POST", "/fetch/tags", {"tag": {"name": "b"}}, headers=key)
    assert (reused.status_code, *codes(reused)) == (422, "idempotency_key_reused", [])
