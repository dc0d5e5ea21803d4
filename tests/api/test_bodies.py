"""Every endpoint reads its body alike: JSON, of bounded length, whatever says what it is."""

import gzip
import io
import json
import tracemalloc
import zlib
from dataclasses import replace

import pytest

from audience.api.request_data import PARSING
from audience.protocols import RateWindow
from tests import response_assertions
from tests.api.endpoints import ENDPOINTS, WITH_BODY, ask
from tests.client import basic
from tests.depth import crossed
from workers.gate import CountingGate

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
FORMS = {
    "application/x-www-form-urlencoded": b"a=1",
    "application/x-www-form-urlencoded; charset=utf-8": b'{"page": 1}',
    "multipart/form-data; boundary=x": b"--x--",
}
OF_JSON = (
    None, "", "text/plain", "application/json; charset=utf-8", "application/vnd.api+json", "nonsense",
)  # fmt: skip
EMPTY = {"nothing": b"", "blanks": b" \n", "null": b"null", "an empty array": b"[]", "an empty object": b"{}"}


def send(client, endpoint, data, content_type="application/json", **options):
    query = options.pop("query", endpoint.query or {})
    return client.call(
        endpoint.method, endpoint.path, query=query, data=data, content_type=content_type, **options
    )


class Untouched:
    def read(self, *_):
        raise AssertionError("the body was read")


def chunked(client, path, data):
    return client.call(
        "POST", path, input_stream=io.BytesIO(data), environ_overrides={"wsgi.input_terminated": True}
    )


@pytest.mark.parametrize("data", MALFORMED.values(), ids=MALFORMED)
def test_a_malformed_body_is_a_400(client, data):
    for endpoint in ENDPOINTS:
        assert response_assertions.error(send(client, endpoint, data), 400) == [], endpoint
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize(("endpoint", "empty"), crossed(ENDPOINTS, EMPTY, of=4), ids=str)
def test_an_empty_body_only_lacks_required_fields(prepared_client, endpoint, empty):
    response = send(prepared_client, endpoint, EMPTY[empty])
    if endpoint.body and endpoint.path != "/fetch/search":
        [field] = response_assertions.error_fields(response)
        assert field == next(iter(endpoint.body))
    else:
        response_assertions.answer(response, endpoint.status)


@pytest.mark.parametrize(("endpoint", "content_type"), crossed(WITH_BODY, OF_JSON, of=5), ids=str)
def test_a_body_is_json_whatever_its_content_type(prepared_client, endpoint, content_type):
    data = json.dumps(endpoint.body).encode()
    response_assertions.answer(send(prepared_client, endpoint, data, content_type), endpoint.status)


PACKED = {
    "gzip": gzip.compress(b'{"page": 1}'),
    "x-gzip": gzip.compress(b"{}"),
    "GZIP": b"\x1f\x8b" + b"{[" * 40,
    "deflate": zlib.compress(b'{"page": 1}'),
    "br": b"\x0b\x05\x80{}\x03",
    "zstd": b"\x28\xb5\x2f\xfd",
    "compress": b"\x1f\x9d\x90",
    "identity, gzip": b"no JSON",
    " br , gzip ": b"{",
}


@pytest.mark.parametrize("endpoint", WITH_BODY[:2], ids=str)
def test_a_packed_body_is_a_415_that_says_what_is_taken(client, endpoint, subtests):
    for coding, data in PACKED.items():
        with subtests.test(coding):
            response = send(client, endpoint, data, headers={"Content-Encoding": coding})
            assert response_assertions.error(response, 415) == []
            assert response.headers["Accept-Encoding"] == "identity"
            assert "Content-Encoding" in response.json["error"]
    assert client.counts() == (0, 0, 0)


@pytest.mark.parametrize("coding", [*PACKED, "identity", "utf-8", "", "gzipped", "aws-chunked"])
def test_json_as_it_stands_is_read_whatever_coding_is_named(client, coding):
    headers = {"Content-Encoding": coding}
    for data in (b'{"page": 1}', b"", b"null"):
        response_assertions.answer(client.call("POST", "/fetch/search", data=data, headers=headers))


@pytest.mark.parametrize("coding", ["identity", "utf-8", "", "gzipped", "aws-chunked"])
def test_another_coding_is_ignored(client, coding):
    response = client.call("POST", "/fetch/search", data=b"{", headers={"Content-Encoding": coding})
    assert response_assertions.error(response, 400) == []
    assert "Accept-Encoding" not in response.headers


@pytest.mark.parametrize("coding", ["gzip", "br"])
def test_json_that_is_out_of_bounds_or_no_object_stays_a_400(client, coding):
    for data in (MALFORMED["65 levels of objects"], MALFORMED["text"]):
        response = client.call("POST", "/fetch/search", data=data, headers={"Content-Encoding": coding})
        assert response_assertions.error(response, 400) == []


@pytest.mark.parametrize(("content_type", "data"), FORMS.items())
def test_a_form_is_a_415(client, content_type, data):
    for endpoint in ENDPOINTS:
        response = send(client, endpoint, data, content_type)
        assert response_assertions.error(response, 415) == [], endpoint
        assert "Content-Type: application/json" in response.json["error"], endpoint


@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_an_empty_form_is_an_absent_body(prepared_client, content_type):
    for endpoint in ENDPOINTS:
        if not endpoint.body:
            response = ask(prepared_client, endpoint, environ_overrides={"CONTENT_TYPE": content_type})
            response_assertions.answer(response, endpoint.status)


@pytest.mark.parametrize("endpoint", WITH_BODY, ids=str)
def test_a_byte_order_mark_and_chunked_bodies_are_accepted(prepared_client, endpoint):
    data = json.dumps(endpoint.body).encode()
    response_assertions.answer(send(prepared_client, endpoint, b"\xef\xbb\xbf" + data), endpoint.status)
    if endpoint.method == "POST":
        response_assertions.answer(chunked(prepared_client, endpoint.path, data), endpoint.status)


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


@pytest.mark.parametrize(
    ("size", "is_alone", "has_place"),
    [(2**17, False, False), (2**17 + 1, True, False), (2**20, True, False), (2**20 + 1, True, True)],
)
def test_what_a_large_body_becomes_is_there_once_at_a_time(app, client, size, is_alone, has_place):
    """Until the form is loaded, which the rate limit comes before."""
    gate, seen = CountingGate(1), []

    class Watching:
        def hit(self, *_):
            seen.append((PARSING.locked(), not gate.enter()))
            return 0

        def window(self, *_):
            return RateWindow(9, 8, 60)

    services = app.extensions["audience"]
    limited = replace(services.settings, rate_limit_batch="9/minute")
    app.extensions["audience"] = replace(services, parse_gate=gate, limiter=Watching(), settings=limited)
    body = b'{"subscribers": [{"email": "a@example.com"}]}'.ljust(size)
    response_assertions.answer(client.call("POST", "/batch/subscribers", data=body))
    assert seen == [(is_alone, has_place)]
    assert not PARSING.locked()


def test_a_large_body_is_in_memory_once(client):
    body = b"[" + b"[]," * 2**21 + b"1]"
    environ = {
        "wsgi.input": io.BytesIO(body),
        "CONTENT_LENGTH": str(len(body)),
        "wsgi.input_terminated": True,
    }
    tracemalloc.start()
    try:
        response = client.call("POST", "/batch/subscribers", environ_overrides=environ)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert response_assertions.error(response, 400) == []
    assert peak < len(body) * 1.5


@pytest.mark.parametrize("credentials", ["", basic("pk", "sk")])
@pytest.mark.parametrize("length", ["10", str(2**40)])
def test_no_body_is_read_before_the_key_is_checked(client, credentials, length):
    environ = {"wsgi.input": Untouched(), "CONTENT_LENGTH": length, "wsgi.input_terminated": True}
    response = client.call(
        "POST", "/fetch/search", headers={"Authorization": credentials}, environ_overrides=environ
    )
    response_assertions.error(response, 401)


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


def test_the_last_duplicate_key_that_names_nobody_wins(client):
    data = b'{"field": {"key": "first"}, "field": {"key": "second", "key": "third"}}'
    created = response_assertions.answer(client.call("POST", "/fetch/fields", data=data), 201)
    assert response_assertions.field(created["data"])["key"] == "third"


def test_unknown_keys_are_ignored(client):
    body = {"field": {"key": "plan", "colour": "red"}, "page": "x", "junk": {"a": [1]}}
    response_assertions.answer(client.post("/fetch/fields", body, query={"more": "1", "field": "2"}), 201)
