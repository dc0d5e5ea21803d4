"""What holds for every request: paths, bodies, sites, nulls, the error table (contract section 1)."""

import io
import json

import pytest

from audience import stats
from storage.errors import Unavailable
from tests import shapes
from tests.api.endpoints import ENDPOINTS, FILES, WITH_BODY, ask, prepare
from tests.door import basic, open_door

NOWHERE = ["/", "/api", "/api/v1", "/api/v1/nothing", "/api/v2/stats/site", "/api/v1/broadcasts", "/x.html"]
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


def send(door, endpoint, data, content_type="application/json", **options):
    query = options.pop("query", endpoint.query or {})
    return door.call(
        endpoint.method, endpoint.path, query=query, data=data, content_type=content_type, **options
    )


def chunked(door, path, data):
    return door.call(
        "POST", path, input_stream=io.BytesIO(data), environ_overrides={"wsgi.input_terminated": True}
    )


@pytest.mark.parametrize("path", NOWHERE)
def test_unknown_paths_are_a_404_in_json(door, path):
    for method in METHODS:
        assert shapes.error(door.client.open(path, method=method), 404) == []


@pytest.mark.parametrize("path", PATHS)
def test_another_method_is_a_405_with_allow(door, path):
    allowed = {endpoint.method for endpoint in ENDPOINTS if endpoint.path == path} | FILES.get(path, set())
    for method in set(METHODS) - allowed:
        response = door.client.open(f"/api/v1{path}", method=method)
        shapes.error(response, 405)
        assert set(response.headers["Allow"].split(", ")) - {"HEAD"} == allowed


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize("spelling", ["{}/", "{}//", "/{}", "{}"])
def test_slashes_that_trail_are_dropped_without_a_redirect(door, endpoint, spelling):
    prepare(door)
    shapes.answer(ask(door, endpoint._replace(path=spelling.format(endpoint.path))), endpoint.status)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED.keys())
def test_a_malformed_body_is_a_400(door, endpoint, data):
    assert shapes.error(send(door, endpoint, data), 400) == []
    assert door.counts() == (0, 0, 0)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize("data", EMPTY.values(), ids=EMPTY.keys())
def test_an_empty_body_lacks_what_is_required_and_nothing_else(door, endpoint, data):
    prepare(door)
    response = send(door, endpoint, data)
    if endpoint.body and endpoint.path != "/fetch/search":
        [field] = shapes.error_fields(response)
        assert field == next(iter(endpoint.body))
    else:
        shapes.answer(response, endpoint.status)


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=str)
@pytest.mark.parametrize("content_type", [
    None, "", "text/plain", "application/json; charset=utf-8", "application/vnd.api+json", "nonsense",
])  # fmt: skip
def test_a_body_is_json_whatever_its_content_type(door, endpoint, content_type):
    prepare(door)
    data = json.dumps(endpoint.body).encode()
    shapes.answer(send(door, endpoint, data, content_type), endpoint.status)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize(("content_type", "data"), [
    ("application/x-www-form-urlencoded", b"a=1"),
    ("application/x-www-form-urlencoded; charset=utf-8", b'{"page": 1}'),
    ("multipart/form-data; boundary=x", b"--x--"),
])  # fmt: skip
def test_a_form_is_a_415(door, endpoint, content_type, data):
    assert shapes.error(send(door, endpoint, data, content_type), 415) == []


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_an_empty_form_is_no_body(door, content_type):
    prepare(door)
    for endpoint in ENDPOINTS:
        if not endpoint.body:
            response = ask(door, endpoint, environ_overrides={"CONTENT_TYPE": content_type})
            shapes.answer(response, endpoint.status)


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=str)
def test_a_byte_order_mark_and_chunks_are_read_over(door, endpoint):
    prepare(door)
    data = json.dumps(endpoint.body).encode()
    shapes.answer(send(door, endpoint, b"\xef\xbb\xbf" + data), endpoint.status)
    if endpoint.method == "POST":
        shapes.answer(chunked(door, endpoint.path, data), endpoint.status)


def test_sixty_four_levels_are_read(door):
    deep = b'{"subscriber": {"email": "a@example.com", "deep": ' + b"[" * 62 + b"]" * 62 + b"}}"
    created = door.call("POST", "/fetch/subscribers", data=deep)
    value = shapes.subscriber(shapes.answer(created, 201)["data"])["fields"]["deep"]
    assert json.dumps(value) == "[" * 62 + "]" * 62


def test_a_body_over_the_limit_is_a_413_chunked_or_not(door):
    most = 8 * 2**20
    for sent in (lambda data: door.call("POST", "/fetch/search", data=data),
                 lambda data: chunked(door, "/fetch/search", data)):  # fmt: skip
        shapes.answer(sent(b"{}".ljust(most)))
        assert shapes.error(sent(b"{".ljust(most + 1)), 413) == []


def test_a_body_that_ends_early_is_a_400(door):
    response = door.call("POST", "/fetch/search", data=b"{}", environ_overrides={"CONTENT_LENGTH": "100"})
    assert shapes.error(response, 400) == []


class Untouched:
    def read(self, *_):
        raise AssertionError("the body was read")


@pytest.mark.parametrize("credentials", ["", basic("pk", "sk")])
@pytest.mark.parametrize("length", ["10", str(2**40)])
def test_no_body_is_read_before_the_key_is_good(door, credentials, length):
    sent = {"wsgi.input": Untouched(), "CONTENT_LENGTH": length, "wsgi.input_terminated": True}
    response = door.call(
        "POST", "/fetch/search", headers={"Authorization": credentials}, environ_overrides=sent
    )
    shapes.error(response, 401)


@pytest.mark.parametrize(("status", "faults"), [
    (404, {"path", "credentials", "form", "json", "site", "scope", "value"}),
    (405, {"method", "credentials", "form", "json", "site", "scope", "value"}),
    (401, {"credentials", "form", "json", "site", "scope", "value"}),
    (415, {"form", "json", "site", "scope", "value"}),
    (400, {"json", "site", "scope", "value"}),
    (401, {"site", "scope", "value"}),
    (403, {"scope", "value"}),
    (422, {"value"}),
])  # fmt: skip
def test_the_order_of_refusals(door, app, status, faults):
    caller = open_door(app.test_client(), "read" if "scope" in faults else "full")
    response = caller.call(
        "PUT" if "method" in faults else "POST",
        "/nothing" if "path" in faults else "/fetch/fields",
        data=b"{" if "json" in faults else b'{"field": 5}',
        content_type="multipart/form-data" if "form" in faults else "application/json",
        query={"site_uuid": door.site.uuid} if "site" in faults else {},
        headers={"Authorization": "Basic x"} if "credentials" in faults else {},
    )
    shapes.error(response, status)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_sites_that_contradict_each_other_are_a_400(door, stranger, endpoint):
    here, there = door.site.uuid, stranger.site.uuid
    prepare(door)
    body = endpoint.body or {}
    query = [*(endpoint.query or {}).items()]
    for sites, in_body, status in [
        ([here, here], here.upper(), endpoint.status),
        ([here, there], here, 400),
        ([here], there, 400),
        ([f"{here}?site_uuid={there}"], here, 400),
    ]:
        response = door.client.open(
            f"/api/v1{endpoint.path}",
            method=endpoint.method,
            query_string="&".join(
                f"{key}={value}" for key, value in [*query, *(("site_uuid", s) for s in sites)]
            ),
            json={**body, "site_uuid": in_body},
            headers={"Authorization": basic(door.key.publishable_key, door.key.secret_key)},
        )
        assert response.status_code == status
        if endpoint.method == "DELETE":
            break


@pytest.mark.parametrize("appended", ["?site_uuid={}", "%3Fsite_uuid={}", "%3Fsite_uuid%3D{}"])
def test_a_second_question_mark_is_cut_and_names_the_site(door, stranger, appended):
    prepare(door)

    def find(uuid):
        return door.client.get(
            f"/api/v1/fetch/subscribers?email=ada@example.com{appended.format(uuid)}",
            headers={"Authorization": basic(door.key.publishable_key, door.key.secret_key)},
        )

    found = shapes.answer(find(door.site.uuid))["data"]
    assert shapes.subscriber(found)["email"] == "ada@example.com"
    shapes.error(find(stranger.site.uuid), 401)


@pytest.mark.parametrize("name", ["email", "uuid", "page", "created_at", "tags"])
def test_a_null_and_an_empty_parameter_are_absent(door, name):
    prepare(door)
    plain = shapes.answer(door.get("/fetch/search"))
    assert shapes.answer(door.get("/fetch/search", {name: None})) == plain
    assert shapes.answer(door.get("/fetch/search", query={name: ""})) == plain
    shapes.answer(door.get("/stats/site", {"site_uuid": None}))
    shapes.answer(door.get("/stats/site", {"site_uuid": ""}))


def test_where_an_object_is_expected_an_empty_array_means_one(door):
    created = door.post("/fetch/subscribers", {"subscriber": {"email": "a@example.com", "fields": []}})
    assert shapes.subscriber(shapes.answer(created, 201)["data"])["fields"] == {}
    assert shapes.error_fields(door.post("/fetch/subscribers", {"subscriber": []})) == ["subscriber.email"]
    assert shapes.error_fields(door.post("/fetch/fields", {"field": []})) == ["field.key"]
    assert shapes.error_fields(door.post("/fetch/tags", {"tag": []})) == ["tag.name"]
    assert len(shapes.answer(door.post("/fetch/search", {"created_at": [], "updated_at": []}))["data"]) == 1
    event = {"email": "a@example.com", "type": "visit", "fields": [], "details": []}
    assert shapes.tally(shapes.answer(door.post("/batch/events", {"events": [event]}))) == []


def test_the_last_of_equal_keys_counts(door):
    data = b'{"tag": {"name": "first"}, "tag": {"name": "second", "name": "third"}}'
    assert (
        shapes.answer(door.call("POST", "/fetch/tags", data=data), 201)["data"]["attributes"]["name"]
        == "third"
    )


def test_unknown_keys_are_ignored(door):
    body = {"field": {"key": "plan", "colour": "red"}, "page": "x", "junk": {"a": [1]}}
    shapes.answer(door.post("/fetch/fields", body, query={"more": "1", "field": "2"}), 201)


@pytest.mark.parametrize("path", ["/batch/imports/{}", "/fetch/tags/{}"])
@pytest.mark.parametrize(
    "id_", ["0", "-1", "x", "1.0", "1e3", "9" * 18, "9" * 19, "9" * 5000, "%00", "%ff", "1%2f2"]
)
def test_an_id_that_names_nothing_is_a_404(door, path, id_):
    method = "GET" if "imports" in path else "DELETE"
    shapes.error(door.call(method, path.format(id_)), 404)


def test_an_answer_is_never_html_and_never_cached(door, monkeypatch):
    def broken(_):
        raise RuntimeError("ada@example.com")

    monkeypatch.setattr(stats, "site", broken)
    response = door.get("/stats/site")
    assert shapes.error(response, 500) == []
    assert "ada" not in response.text
    assert response.headers["Cache-Control"] == "no-store"


def test_a_database_that_is_away_is_a_503(door, monkeypatch):
    def away(_):
        raise Unavailable("database is locked")

    monkeypatch.setattr(stats, "site", away)
    assert shapes.error(door.get("/stats/site"), 503) == []
