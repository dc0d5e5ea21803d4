"""Errors take two forms: JSON for programs, a short page for people, depending on the path."""

from errno import EDQUOT, EFBIG, EIO, ENOENT, ENOSPC, EROFS

import pytest

from app import create_routes
from audience.http.access import public
from storage.errors import DiskFault, Unavailable, Unfinished
from tests.response_assertions import wording

JSON_PATHS = ["/api", "/api/nowhere", "/api/v1/nowhere", "/readyz/x", "/metrics/x"]
PAGE_PATHS = ["/no", "/nowhere", "/x.html", "/apis"]
RAISED = [
    (Unavailable("ann@example.com"), 503),
    (Unfinished("ann@example.com"), 503),
    (DiskFault("ann@example.com"), 503),
    *((OSError(number, "ann@example.com"), 503) for number in (ENOSPC, EDQUOT, EFBIG, EIO, EROFS)),
    (OSError(ENOENT, "ann@example.com"), 500),
    (RuntimeError("ann@example.com"), 500),
]


@pytest.fixture(scope="module")
def every_route():
    """Routes that raise, beside the others."""
    routes = create_routes()

    def fail(number):
        raise RAISED[number][0]

    for prefix in ("/api/v1", ""):
        routes.add_url_rule(f"{prefix}/broken/<int:number>", f"{prefix}broken", public(fail))
    return routes


@pytest.fixture
def http(app):
    return app.test_client()


def assert_json(response, status):
    assert (response.status_code, response.mimetype) == (status, "application/json")
    assert response.json.keys() == {"error", "code"}
    wording(response.json["error"], status)


def assert_page(response, status):
    assert (response.status_code, response.content_type) == (status, "text/html; charset=utf-8")
    assert f"<title>{status} " in response.text
    assert "/docs/api" not in response.text
    policy = response.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
    assert "unsafe" not in policy
    assert response.headers["X-Content-Type-Options"] == "nosniff"
    assert response.headers["Referrer-Policy"] == "no-referrer"
    assert response.headers["X-Request-Id"]
    assert response.headers["Cache-Control"] == "no-store"
    assert "ann@" not in response.text


@pytest.mark.parametrize("path", JSON_PATHS)
def test_an_unknown_api_path_is_a_404_in_json(http, path):
    assert_json(http.get(path), 404)


@pytest.mark.parametrize("path", PAGE_PATHS)
@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])
def test_any_other_unknown_path_is_a_404_page(http, path, method):
    response = http.open(path, method=method)
    assert_page(response, 404)
    assert "Not found: " in response.text


@pytest.mark.parametrize("path", ["/api/openapi.json", "/readyz", "/metrics"])
def test_another_method_is_a_405_in_json(http, path):
    response = http.post(path)
    assert_json(response, 405)
    assert "GET" in response.headers["Allow"]


def test_another_method_is_a_405_page(http):
    response = http.post("/docs")
    assert_page(response, 405)
    assert "GET" in response.headers["Allow"]


@pytest.mark.parametrize("number", range(len(RAISED)))
def test_an_unexpected_error_takes_the_form_of_its_path(http, number):
    status = RAISED[number][1]
    as_json, page = http.get(f"/api/v1/broken/{number}"), http.get(f"/broken/{number}")
    assert_json(as_json, status)
    assert_page(page, status)
    wait = "5" if status == 503 else None
    assert [response.headers.get("Retry-After") for response in (as_json, page)] == [wait, wait]


@pytest.mark.parametrize("path", ["/api/v1/nowhere", "/nowhere", "/broken/0", "/api/v1/broken/0"])
def test_head_returns_the_headers_of_get_without_a_body(http, path):
    head, get = http.head(path), http.get(path)
    assert head.data == b""
    assert (head.status_code, head.content_type) == (get.status_code, get.content_type)
    assert set(head.headers.keys()) == set(get.headers.keys())
