"""A story: what a browser meets at the root of the service."""

import gzip
import re

import pytest


def test_the_root_leads_to_the_description(app):
    response = app.test_client().get("/")
    assert (response.status_code, response.headers["Location"]) == (302, "/docs")
    assert response.headers["Vary"] == "Accept"


def test_the_root_leads_a_browser_to_the_console(app):
    accept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"
    response = app.test_client().get("/", headers={"Accept": accept})
    assert (response.status_code, response.headers["Location"]) == (302, "/console")
    for other in ("*/*", "application/json", ""):
        led = app.test_client().get("/", headers={"Accept": other})
        assert led.headers["Location"] == "/docs", other


def test_there_is_an_icon(app):
    response = app.test_client().get("/favicon.ico")
    assert (response.status_code, response.mimetype) == (200, "image/png")
    assert response.data.startswith(b"\x89PNG")


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/api", "/favicon.ico", "/healthz", "/api/openapi.json"])
def test_head_answers_the_head_of_get(app, path):
    get, head = app.test_client().get(path), app.test_client().head(path)
    assert head.status_code == get.status_code
    assert head.data == b""
    assert head.content_length == get.content_length


def test_head_of_an_endpoint_works(client):
    assert client.call("HEAD", "/fetch/tags").status_code == 200
    assert client.call("HEAD", "/fetch/tags").data == b""


def test_the_assets_are_packed_and_have_the_version_of_their_content(app):
    browser = app.test_client()
    names = re.findall(r'(?:src|href)="(/docs/static/[^"]+)"', browser.get("/docs").text)
    assert len(names) == 2
    for name in names:
        assert re.search(r"\?v=[0-9a-f]{8,}$", name)
        plain = browser.get(name)
        packed = browser.get(name, headers={"Accept-Encoding": "gzip, br"})
        assert plain.headers["Cache-Control"] == "public, max-age=31536000, immutable"
        if ".png?" not in name:
            assert "Accept-Encoding" in plain.headers["Vary"]
            assert packed.headers["Content-Encoding"] == "gzip"
            assert len(packed.data) < len(plain.data)
            assert gzip.decompress(packed.data) == plain.data


def test_the_description_is_packed(app):
    browser = app.test_client()
    plain = browser.get("/api/openapi.json")
    packed = browser.get("/api/openapi.json", headers={"Accept-Encoding": "gzip"})
    assert (packed.headers["Content-Encoding"], packed.headers["Vary"]) == ("gzip", "Accept-Encoding")
    assert len(packed.data) < len(plain.data) / 5
    assert gzip.decompress(packed.data) == plain.data


def test_the_root_is_below_the_public_url(settings, app):
    object.__setattr__(settings, "public_url", "https://people.example/audience")
    assert app.test_client().get("/").headers["Location"] == "/audience/docs"
    led = app.test_client().get("/", headers={"Accept": "text/html"})
    assert led.headers["Location"] == "/audience/console"
