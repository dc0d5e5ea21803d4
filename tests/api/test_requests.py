"""The common rules of all requests: paths, sites, nulls, errors (docs/contract.md, Every request)."""

import random
import re
from urllib.parse import parse_qsl

import pytest

from audience.api.request_data import pairs
from audience.subscribers import stats
from storage.errors import Unavailable
from tests import response_assertions
from tests.api.endpoints import ENDPOINTS, FILES, ask, prepare
from tests.client import basic, open_client
from tests.depth import crossed
from tests.rows import each_row

NOWHERE = ["/api", "/api/v1", "/api/v1/nothing", "/api/v2/stats/site", "/api/v1/broadcasts"]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
PATHS = sorted({endpoint.path for endpoint in ENDPOINTS})


def one_id(path):
    return re.sub(r"\d+", "1", path)


@pytest.mark.parametrize("path", NOWHERE)
def test_unknown_paths_are_a_404_in_json(client, path):
    for method in METHODS:
        assert response_assertions.error(client.http.open(path, method=method), 404) == []


@pytest.mark.parametrize("path", PATHS)
def test_another_method_is_a_405_with_allow(client, path):
    allowed = {row.method for row in ENDPOINTS if one_id(row.path) == one_id(path)} | FILES.get(path, set())
    for method in set(METHODS) - allowed:
        response = client.http.open(f"/api/v1{path}", method=method)
        response_assertions.error(response, 405)
        assert set(response.headers["Allow"].split(", ")) - {"HEAD"} == allowed


@pytest.mark.parametrize(
    ("endpoint", "spelling"), crossed(ENDPOINTS, ["{}/", "{}//", "/{}", "{}"], of=3), ids=str
)
def test_trailing_slashes_are_dropped_without_a_redirect(prepared_client, endpoint, spelling):
    response_assertions.answer(
        ask(prepared_client, endpoint._replace(path=spelling.format(endpoint.path))), endpoint.status
    )


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
def test_sites_that_contradict_each_other_are_a_400(prepared_client, endpoint):
    client, here = prepared_client, prepared_client.site.uuid
    there = open_client(client.http).site.uuid
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


@pytest.mark.parametrize("path", ["/batch/imports/{}", "/fetch/tags/{}"])
@each_row("id_", ["0", "-1", "x", "1.0", "1e3", "9" * 18, "9" * 19, "9" * 5000, "%00", "%ff", "1%2f2"])
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


def test_a_query_is_read_as_the_standard_library_reads_it():
    chance = random.Random(7)
    pieces = [
        "a",
        "=",
        "==",
        "&",
        "&&",
        "+",
        "%",
        "%2",
        "%2B",
        "%40",
        "%FF",
        "%26",
        "[",
        "é",
        "",
        "?site_uuid=",
        ";",
    ]
    for _ in range(3_000):
        query = "".join(chance.choices(pieces, k=chance.randrange(9)))
        assert pairs(query) == parse_qsl(query, True, errors="werkzeug.url_quote")
