"""Errors do not echo values, logs contain no personal data (docs/contract.md, Errors)."""

import logging

import pytest

from audience.access import keys
from audience.operations import site_lane
from tests import response_assertions
from tests.api.endpoints import ENDPOINTS, WITH_BODY, ask, prepare
from tests.client import basic
from tests.depth import crossed

MARK = "zqxmarker"
UNUSUAL = [
    MARK,
    {MARK: MARK},
    [MARK],
    [{MARK: MARK}],
    [[MARK]],
    77123456,
    {"email": MARK, "type": MARK, "command": MARK},
]
VALUES = {
    "email": MARK, "uuid": MARK, "key": {MARK: MARK}, "name": {MARK: MARK}, "fields": MARK, "details": MARK,
    "date": MARK, "type": {MARK: MARK}, "command": MARK, "query": [MARK], "page": MARK, "tags": {MARK: MARK},
    "created_at": {"gt": MARK}, "first_name": {MARK: MARK},
}  # fmt: skip


def sentences(response):
    body = response.json
    return [body.get("error", ""), *(each["message"] for each in body.get("errors", []))]


@pytest.mark.parametrize(
    ("endpoint", "value"),
    crossed(WITH_BODY, [*UNUSUAL, VALUES, [VALUES], {**VALUES, "email": "ada@example.com"}], of=3),
    ids=str,
)
def test_a_refusal_never_echoes_the_request(client, endpoint, value):
    for body in ({next(iter(endpoint.body)): value}, VALUES, {MARK: value}):
        response = ask(client, endpoint, body=body, query={MARK: MARK})
        if response.status_code == 422:
            response_assertions.error(response, 422)
        assert not any(MARK in sentence or "77123456" in sentence for sentence in sentences(response))


@pytest.mark.parametrize(("method", "path", "headers", "data"), [
    ("GET", f"/{MARK}", {}, None), ("GET", f"/batch/imports/{MARK}", {}, None), (MARK.upper(), "/stats/site",
    {}, None),
    ("GET", "/stats/site", {"Authorization": basic(MARK, MARK)}, None),
    ("GET", f"/stats/site?site_uuid={MARK}", {}, None), ("GET", f"/stats/site?site_uuid={MARK}&site_uuid=x",
    {}, None),
    ("GET", "/stats/site", {}, f"{{{MARK}"), ("GET", "/stats/site", {}, f'"{MARK}"'),
    ("POST", "/fetch/tags", {"Content-Type": f"multipart/{MARK}"}, MARK),
])  # fmt: skip
def test_no_other_refusal_echoes_the_request(client, method, path, headers, data):
    response = client.http.open(
        f"/api/v1{path}",
        method=method,
        headers={
            "Authorization": basic(client.key.publishable_key, client.key.secret_key),
            "X-Request-Id": MARK,
            **headers,
        },
        data=data,
    )
    response_assertions.error(response, response.status_code)
    assert MARK not in response.text
    assert response.headers["X-Request-Id"] != MARK


def test_every_request_has_an_id_of_its_own(client):
    assert len({client.get("/stats/site").headers["X-Request-Id"] for _ in range(5)}) == 5


def test_no_address_name_or_secret_is_logged(client, caplog, monkeypatch):
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.INFO, "peewee")
    prepare(client)
    for endpoint in ENDPOINTS:
        ask(client, endpoint)
        ask(client, endpoint, headers={"Authorization": basic(client.key.publishable_key, "sk_wrong")})
    client.post(
        "/batch/subscribers", {"subscribers": [{"email": "bob@example.com", "first_name": "Robert"}] * 3}
    )

    def broken(*_):
        raise ValueError("bob@example.com Robert")

    monkeypatch.setattr("audience.subscribers.subscribers.write", broken)
    site_lane.drain(client.site.id, 30)
    assert client.post("/fetch/subscribers", {"email": "ada@example.com"}).status_code == 500
    assert "ValueError" in caplog.text
    secrets = ("example.com", "Robert", client.key.secret_key, "sk_wrong", "pk_")
    assert not [each for each in secrets if each in caplog.text]


def test_a_secret_is_long_and_shown_once(client):
    assert len({keys.create([client.site]).secret_key for _ in range(5)}) == 5
    assert keys.KEY_LENGTH * 5.95 > 190


@pytest.mark.parametrize("key", [
    "room404", "Unauthorized", "not_found", "notFound", "rate-limit", "timeout_at", "INVALIDATED", "v422",
])  # fmt: skip
def test_a_key_that_reads_like_a_status_is_not_in_the_path(client, key):
    for body in ({key: float("inf")}, {"fields": {key: float("inf")}}):
        response = client.post("/fetch/subscribers", {"subscriber": {"email": "ada@example.com", **body}})
        assert response_assertions.error_fields(response) == [
            "subscriber.fields[0]" if "fields" in body else "subscriber[1]"
        ]
