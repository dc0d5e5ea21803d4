"""Whatever the request, the response follows docs/contract.md, and stored data stays readable."""

import json
from urllib.parse import quote

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audience.operations import site_lane
from audience.subscribers import stats
from tests import response_assertions
from tests.api.endpoints import ENDPOINTS
from tests.client import basic
from tests.depth import examples, sample

KEYS = st.sampled_from([
    "email", "uuid", "site_uuid", "page", "created_at", "unsubscribed_at", "gt", "lt", "tags", "remove_tags",
    "fields",
    "first_name", "command", "query", "key", "value", "subscriber", "subscribers", "events", "type",
    "details", "date",
    "unique", "tag", "field", "name", "segment_id", "plan", "", "?", "_schema", "a[b]", "\x00", "\ud800",
])  # fmt: skip
TEXTS = st.sampled_from([
    "ada@example.com", "new@example.com", "a@b", "", " ", "\x00", "\ud800", "a,b", "2026-01-01",
    "0001-01-01T00:00+14:00",
    "9999-12-31T23:59:59-14:00", "$tag", "$subscribe", "subscribe", "add_field", "change_email", "a=b", "1",
    "%2540",
    "\u202eada@example.com", "[]", "null", "K" * 300, "ada@" + "ü" * 70 + ".example", "ada@xn--a.example",
    "ʼ@ß.ß",
]) | st.text(max_size=5)  # fmt: skip
NUMBERS = st.sampled_from(
    [0, 1, -1, 2**31, 2**63 - 1, 2**63, -(2**64), 10**400, 1e308, float("nan"), float("inf"), -0.0, 0.1]
)
SCALARS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=12
)  # fmt: skip
COMMAND = st.fixed_dictionaries(
    {"command": st.sampled_from(["add_tag", "add_tag_via_event", "remove_tag", "add_field", "remove_field",
    "subscribe",
                                 "unsubscribe", "change_email"])},
    optional={"email": TEXTS, "uuid": TEXTS, "query": VALUES},
)  # fmt: skip
EVENT = st.fixed_dictionaries(
    {"email": TEXTS, "type": TEXTS}, optional={"details": VALUES, "fields": VALUES, "date": TEXTS}
)  # fmt: skip
SUBSCRIBER = st.fixed_dictionaries(
    {"email": TEXTS}, optional={"tags": VALUES, "fields": VALUES, "first_name": SCALARS, "command": TEXTS,
    "plan": VALUES}
)  # fmt: skip
BODIES = {
    "/fetch/commands": st.fixed_dictionaries({"command": COMMAND | st.lists(COMMAND, max_size=4)}),
    "/batch/events": st.fixed_dictionaries({"events": EVENT | st.lists(EVENT, max_size=4)}),
    "/batch/subscribers": st.fixed_dictionaries({"subscribers": st.lists(SUBSCRIBER, max_size=4)}),
    "/fetch/subscribers": st.fixed_dictionaries({"subscriber": SUBSCRIBER}) | SUBSCRIBER,
    "/fetch/search": st.dictionaries(
        KEYS, VALUES | st.dictionaries(st.sampled_from(["gt", "lt"]), TEXTS), max_size=4
    ),
}
quietly = settings(deadline=None, max_examples=examples(100), suppress_health_check=[*HealthCheck])


@pytest.fixture
def check(prepared_client, settings):
    """Checks that a response follows docs/contract.md, and that all is readable if anything was written."""
    beside = apsw.Connection(str(settings.instance / "audience.db"))
    seen = None

    def check(response):
        nonlocal seen
        assert response.status_code in (200, 201, 400, 401, 404, 422), response.text
        if response.status_code >= 400:
            response_assertions.error(response, response.status_code)
        site_lane.drain(prepared_client.site.id, 30)
        written = beside.pragma("data_version")
        if written != seen:
            stored_is_readable(prepared_client)
        seen = written

    yield check
    beside.close()


def stored_is_readable(client):
    stored = response_assertions.answer(client.get("/fetch/search"))["data"]
    for each in stored:
        found = response_assertions.subscriber(each)
        for same in (
            client.get("/fetch/subscribers", query={"uuid": found["uuid"]}),
            client.get("/fetch/subscribers", {"email": found["email"]}),
        ):
            assert response_assertions.answer(same)["data"] == each
    assert client.counts()[0] == len(stored)
    assert stats.for_site(client.site) == stats.recount(client.site)
    assert all(
        each["attributes"]["status"] == "finished" for each in client.get("/batch/imports").json["data"]
    )


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_any_body(prepared_client, check, endpoint):
    @quietly
    @given(BODIES.get(endpoint.path, VALUES) | st.dictionaries(KEYS, VALUES, max_size=4) | VALUES)
    def holds(body):
        data = json.dumps(body).encode()
        check(prepared_client.call(endpoint.method, endpoint.path, query=endpoint.query or {}, data=data))

    holds()


@pytest.mark.parametrize("endpoint", sample(ENDPOINTS, 3), ids=str)
def test_any_query(prepared_client, check, endpoint):
    parameters = st.tuples(KEYS | st.sampled_from(["created_at[gt]", "tags[]", "email[x]", "page[]"]), TEXTS)

    @quietly
    @given(st.lists(parameters, max_size=4))
    def holds(query):
        text = "&".join(
            "=".join(quote(part.encode(errors="surrogatepass")) for part in each) for each in query
        )
        key = prepared_client.key
        response = prepared_client.http.open(
            f"/api/v1{endpoint.path}?{text}",
            method=endpoint.method,
            headers={"Authorization": basic(key.publishable_key, key.secret_key)},
            json=endpoint.body,
        )
        check(response)

    holds()


@pytest.mark.parametrize("endpoint", sample(ENDPOINTS, 3), ids=str)
def test_any_octets(prepared_client, check, endpoint):
    @quietly
    @given(st.binary(max_size=40) | st.text('[]{}",:0123e.-\\untrfalse ', max_size=20).map(str.encode))
    def holds(data):
        check(prepared_client.call(endpoint.method, endpoint.path, query=endpoint.query or {}, data=data))

    holds()
