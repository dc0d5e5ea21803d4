"""The common rules of all requests: paths, bodies, sites, nulls, errors (docs/contract.md, Every request)."""

import io
import json
from dataclasses import replace

import pytest

from audience import stats
from storage.errors import Unavailable
from tests import response_assertions
from tests.api.endpoints import ENDPOINTS, FILES, WITH_BODY, ask, prepare
from tests.client import basic, open_client
from workers.gate import CountingGate

NOWHERE = ["/api", "/api/v1", "/api/v1/nothing", "/api/v2/stats/site", "/api/v1/broadcasts"]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
PATHS = sorted({endpoint.path for endpoint in ENDPOINTS})
MALFORMED = {
    "cut short": b'{"page": 1',
    "two objects": b"{}{}",
    "single quotes": b"{'page': 1}",
    "trailing comma": b'{"page": 1,}',
    "not UTF-8": b'{"email": "\xff"}',
    "UTF-16": '{"page": 1}'.encode("utf-16"),
    "text": b'"text"',
    "number": b"5",
    "boolean": b"true",
    "an array of something": b"[1]",
    "an array of an object": b'[{"page": 1}]',
    "5,000 digits": b'{"page": ' + b"9" * 5000 + b"}",
    "65 levels of objects": b'{"a":' * 64 + b"{}" + b"}" * 64,
    "65 levels of arrays": b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
    "90 levels, alternating": b'{"a":[' * 45 + b"]}" * 45,
    "66 levels, hidden by text": b'{"a":' + b'["]",' * 65 + b"0" + b',"["]' * 65 + b"}",
    "100,000 levels": b'{"a":' * 100_000,
}
EMPTY = {"nothing": b"", "blanks": b" \n", "null": b"null", "an empty array": b"[]", "an empty object": b"{}"}


def send(client, endpoint, data, content_type="application/json", **options):
    query = options.pop("query", endpoint.query or {})
    return client.call(
        endpoint.method, endpoint.path, query=query, data=data, content_type=content_type, **options
    )


def chunked(client, path, data):
    return client.call(
        "POST", path, input_stream=io.BytesIO(data), environ_overrides={"wsgi.input_terminated": True}
    )


@pytest.mark.parametrize("path", NOWHERE)
def test_unknown_paths_are_a_404_in_json(client, path):
    for method in METHODS:
        assert response_assertions.error(client.http.open(path, method=method), 404) == []


@pytest.mark.parametrize("path", PATHS)
def test_another_method_is_a_405_with_allow(client, path):
    allowed = {endpoint.method for endpoint in ENDPOINTS if endpoint.path == path} | FILES.get(path, set())
    for method in set(METHODS) - allowed:
        response = client.http.open(f"/api/v1{path}", method=method)
        response_assertions.error(response, 405)
        assert set(response.headers["Allow"].split(", ")) - {"HEAD"} == allowed


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize("spelling", ["{}/", "{}//", "/{}", "{}"])
def test_trailing_slashes_are_dropped_without_a_redirect(client, endpoint, spelling):
    prepare(client)
    response_assertions.answer(
        ask(client, endpoint._replace(path=spelling.format(endpoint.path))), endpoint.status
    )


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_body_is_a_400(client, endpoint, data):
    assert response_assertions.error(send(client, endpoint, data), 400) == []
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize("data", EMPTY.values(), ids=EMPTY.keys())
def test_an_empty_body_only_lacks_required_fields(client, endpoint, data):
    prepare(client)
    response = send(client, endpoint, data)
    if endpoint.body and endpoint.path != "/fetch/search":
        [field] = response_assertions.error_fields(response)
        assert field == next(iter(endpoint.body))
    else:
        response_assertions.answer(response, endpoint.status)


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=str)
@pytest.mark.parametrize("content_type", [
    None, "", "text/plain", "application/json; charset=utf-8", "application/vnd.api+json", "nonsense",
])  # fmt: skip
def test_a_body_is_json_whatever_its_content_type(client, endpoint, content_type):
    prepare(client)
    data = json.dumps(endpoint.body).encode()
    response_assertions.answer(send(client, endpoint, data, content_type), endpoint.status)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize(("content_type", "data"), [
    ("application/x-www-form-urlencoded", b"a=1"),
    ("application/x-www-form-urlencoded; charset=utf-8", b'{"page": 1}'),
    ("multipart/form-data; boundary=x", b"--x--"),
])  # fmt: skip
def test_a_form_is_a_415(client, endpoint, content_type, data):
    assert response_assertions.error(send(client, endpoint, data, content_type), 415) == []


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_an_empty_form_is_an_absent_body(client, content_type):
    prepare(client)
    for endpoint in ENDPOINTS:
        if not endpoint.body:
            response = ask(client, endpoint, environ_overrides={"CONTENT_TYPE": content_type})
            response_assertions.answer(response, endpoint.status)


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=str)
def test_a_byte_order_mark_and_chunked_bodies_are_accepted(client, endpoint):
    prepare(client)
    data = json.dumps(endpoint.body).encode()
    response_assertions.answer(send(client, endpoint, b"\xef\xbb\xbf" + data), endpoint.status)
    if endpoint.method == "POST":
        response_assertions.answer(chunked(client, endpoint.path, data), endpoint.status)


def test_sixty_four_levels_are_accepted(client):
    deep = b'{"subscriber": {"email": "a@example.com", "deep": ' + b"[" * 62 + b"]" * 62 + b"}}"
    created = client.call("POST", "/fetch/subscribers", data=deep)
    value = response_assertions.subscriber(response_assertions.answer(created, 201)["data"])["fields"]["deep"]
    assert json.dumps(value) == "[" * 62 + "]" * 62


@pytest.mark.parametrize(("path", "body", "max_bytes"), [
    ("/fetch/search", b"{}", 2**20),
    ("/batch/subscribers", b'{"subscribers": [{"email": "a@example.com"}]}', 8 * 2**20),
    ("/batch/events", b'{"events": [{"email": "a@example.com", "type": "visit"}]}', 8 * 2**20),
    ("/fetch/commands", b'{"command": {"email": "a@example.com", "command": "subscribe"}}', 8 * 2**20),
])  # fmt: skip
def test_a_body_over_the_limit_is_a_413_chunked_or_not(client, path, body, max_bytes):
    for send in (lambda data: client.call("POST", path, data=data),
                 lambda data: chunked(client, path, data)):  # fmt: skip
        response_assertions.answer(send(body.ljust(max_bytes)))
        assert response_assertions.error(send(body.ljust(max_bytes + 1)), 413) == []


def test_large_bodies_that_would_wait_to_be_parsed_are_a_503_while_small_ones_are_read(app, client):
    gate = CountingGate(1)
    app.extensions["audience"] = replace(app.extensions["audience"], parse_gate=gate)
    small = b'{"subscribers": [{"email": "a@example.com"}]}'
    large = small.ljust(2**20 + 1)
    response_assertions.error(client.call("POST", "/batch/subscribers", data=b"{".ljust(2**20 + 1)), 400)
    response_assertions.answer(client.call("POST", "/batch/subscribers", data=large))
    assert gate.enter()
    refused = client.call("POST", "/batch/subscribers", data=large)
    response_assertions.error(refused, 503)
    assert int(refused.headers["Retry-After"]) > 0
    response_assertions.answer(client.call("POST", "/batch/subscribers", data=small))
    gate.leave()
    response_assertions.answer(client.call("POST", "/batch/subscribers", data=large))


class Untouched:
    def read(self, *_):
        raise AssertionError("the body was read")


@pytest.mark.parametrize("credentials", ["", basic("pk", "sk")])
@pytest.mark.parametrize("length", ["10", str(2**40)])
def test_no_body_is_read_before_the_key_is_checked(client, credentials, length):
    environ = {"wsgi.input": Untouched(), "CONTENT_LENGTH": length, "wsgi.input_terminated": True}
    response = client.call(
        "POST", "/fetch/search", headers={"Authorization": credentials}, environ_overrides=environ
    )
    response_assertions.error(response, 401)


@pytest.mark.parametrize(("status", "faults"), [
    (404, {"path", "credentials", "form", "json", "site", "scope", "value"}),
    (405, {"method", "credentials", "form", "json", "site", "scope", "value"}),
    (401, {"credentials", "form", "json", "site", "scope", "value"}),
    (403, {"scope", "form", "json", "site", "value"}),
    (415, {"form", "json", "site", "value"}),
    (400, {"json", "site", "value"}),
    (401, {"site", "value"}),
    (422, {"value"}),
])  # fmt: skip
def test_the_order_of_refusals(client, app, status, faults):
    caller = open_client(app.test_client(), "read" if "scope" in faults else "full")
    response = caller.call(
        "PUT" if "method" in faults else "POST",
        "/nothing" if "path" in faults else "/fetch/fields",
        data=b"{" if "json" in faults else b'{"field": 5}',
        content_type="multipart/form-data" if "form" in faults else "application/json",
        query={"site_uuid": client.site.uuid} if "site" in faults else {},
        headers={"Authorization": "Basic x"} if "credentials" in faults else {},
    )
    response_assertions.error(response, status)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_sites_that_contradict_each_other_are_a_400(client, other_client, endpoint):
    here, there = client.site.uuid, other_client.site.uuid
    prepare(client)
    body = endpoint.body or {}
    query = [*(endpoint.query or {}).items()]
    for sites, in_body, status in [
        ([here, here], here.upper(), endpoint.status),
        ([here, there], here, 400),
        ([here], there, 400),
        ([f"{here}?site_uuid={there}"], here, 400),
    ]:
        response = client.http.open(
            f"/api/v1{endpoint.path}",
            method=endpoint.method,
            query_string="&".join(
                f"{key}={value}" for key, value in [*query, *(("site_uuid", s) for s in sites)]
            ),
            json={**body, "site_uuid": in_body},
            headers={"Authorization": basic(client.key.publishable_key, client.key.secret_key)},
        )
        assert response.status_code == status
        if endpoint.method == "DELETE":
            break


@pytest.mark.parametrize("appended", ["?site_uuid={}", "%3Fsite_uuid={}", "%3Fsite_uuid%3D{}"])
def test_a_site_after_a_second_question_mark_is_accepted(client, other_client, appended):
    prepare(client)

    def find(uuid):
        return client.http.get(
            f"/api/v1/fetch/subscribers?email=ada@example.com{appended.format(uuid)}",
            headers={"Authorization": basic(client.key.publishable_key, client.key.secret_key)},
        )

    result = response_assertions.answer(find(client.site.uuid))["data"]
    assert response_assertions.subscriber(result)["email"] == "ada@example.com"
    response_assertions.error(find(other_client.site.uuid), 401)


@pytest.mark.parametrize("name", ["email", "uuid", "page", "created_at", "tags"])
def test_a_null_and_an_empty_parameter_are_absent(client, name):
    prepare(client)
    plain = response_assertions.answer(client.get("/fetch/search"))
    assert response_assertions.answer(client.get("/fetch/search", {name: None})) == plain
    assert response_assertions.answer(client.get("/fetch/search", query={name: ""})) == plain
    response_assertions.answer(client.get("/stats/site", {"site_uuid": None}))
    response_assertions.answer(client.get("/stats/site", {"site_uuid": ""}))


def test_an_empty_array_is_accepted_as_an_empty_object(client):
    created = client.post("/fetch/subscribers", {"subscriber": {"email": "a@example.com", "fields": []}})
    assert response_assertions.subscriber(response_assertions.answer(created, 201)["data"])["fields"] == {}
    assert response_assertions.error_fields(client.post("/fetch/subscribers", {"subscriber": []})) == [
        "subscriber.email"
    ]
    assert response_assertions.error_fields(client.post("/fetch/fields", {"field": []})) == ["field.key"]
    assert response_assertions.error_fields(client.post("/fetch/tags", {"tag": []})) == ["tag.name"]
    assert (
        len(
            response_assertions.answer(client.post("/fetch/search", {"created_at": [], "updated_at": []}))[
                "data"
            ]
        )
        == 1
    )
    event = {"email": "a@example.com", "type": "visit", "fields": [], "details": []}
    assert (
        response_assertions.tally(
            response_assertions.answer(client.post("/batch/events", {"events": [event]}))
        )
        == []
    )


def test_the_last_duplicate_key_wins(client):
    data = b'{"tag": {"name": "first"}, "tag": {"name": "second", "name": "third"}}'
    assert (
        response_assertions.answer(client.call("POST", "/fetch/tags", data=data), 201)["data"]["attributes"][
            "name"
        ]
        == "third"
    )


def test_unknown_keys_are_ignored(client):
    body = {"field": {"key": "plan", "colour": "red"}, "page": "x", "junk": {"a": [1]}}
    response_assertions.answer(client.post("/fetch/fields", body, query={"more": "1", "field": "2"}), 201)


@pytest.mark.parametrize("path", ["/batch/imports/{}", "/fetch/tags/{}"])
@pytest.mark.parametrize(
    "id_", ["0", "-1", "x", "1.0", "1e3", "9" * 18, "9" * 19, "9" * 5000, "%00", "%ff", "1%2f2"]
)
def test_an_unknown_id_is_a_404(client, path, id_):
    method = "GET" if "imports" in path else "DELETE"
    response_assertions.error(client.call(method, path.format(id_)), 404)


def test_an_answer_is_never_html_and_never_cached(client, monkeypatch):
    def broken(_):
        raise RuntimeError("ada@example.com")

    monkeypatch.setattr(stats, "for_site", broken)
    response = client.get("/stats/site")
    assert response_assertions.error(response, 500) == []
    assert "ada" not in response.text
    assert response.headers["Cache-Control"] == "no-store"


def test_an_unavailable_database_is_a_503(client, monkeypatch):
    def fail_unavailable(_):
        raise Unavailable("database is locked")

    monkeypatch.setattr(stats, "for_site", fail_unavailable)
    assert response_assertions.error(client.get("/stats/site"), 503) == []
