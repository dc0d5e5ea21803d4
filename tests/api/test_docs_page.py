"""/docs in a real browser: it renders, loads nothing from other servers, and can try a call."""

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import sync_playwright

from audience.api.docs import ASSETS, name_with_hash
from tests.conftest import program
from tests.service import PATIENCE_SECONDS, serving

QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture
def service(tmp_path):
    program("chromium")
    with serving(tmp_path, AUDIENCE_PUBLIC_URL="https://people.example") as running:
        yield running


@pytest.fixture
def page(service):
    """A browser page with its `requested_urls` and `complaints`; only the service is reachable."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program("chromium"), args=QUIET)
        opened: Any = browser.new_page()
        opened.set_default_timeout(PATIENCE_SECONDS * 1000)
        opened.requested_urls, opened.complaints = [], []
        opened.on("request", lambda request: opened.requested_urls.append(request.url))
        opened.on(
            "console",
            lambda message: opened.complaints.append(message.text) if message.type == "error" else None,
        )
        opened.on("pageerror", lambda error: opened.complaints.append(str(error)))
        yield opened
        browser.close()


def execute(page, operation, **parameters):
    """Tries an operation of the page; returns the status and body that the page shows."""
    block = page.locator(f"#operations-{operation}")
    block.locator(".opblock-summary-control").click()
    block.locator(".try-out__btn").click()
    for name, value in parameters.items():
        block.locator(f"tr[data-param-name={name}] input").fill(value)
    block.locator(".execute").click()
    response_text = block.locator(".live-responses-table .response")
    response_text.wait_for()
    return response_text.locator(".response-col_status").inner_text().strip(), response_text.inner_text()


def test_the_page_shows_the_api_and_tries_calls(service, page):
    page.goto(f"http://127.0.0.1:{service.port}/docs")
    page.locator("#operations-tags-listTags").wait_for()
    assert page.locator(".opblock").count() > 10

    status, _ = execute(page, "stats-countSite")
    assert status == "401"
    page.locator("button.authorize").click()
    page.locator("input[name=username]").fill(service.first["publishable_key"])
    page.locator("input[name=password]").fill(service.first["secret_key"])
    page.locator(".auth-btn-wrapper button[type=submit]").click()
    page.locator(".auth-btn-wrapper .btn-done").click()

    assert execute(page, "subscribers-createSubscriber")[0] == "201"
    status, response_text = execute(page, "subscribers-findSubscriber", email="ann@example.com")
    assert status == "200"
    assert re.search(r'"email": "ann@example.com"', response_text)
    status, response_text = execute(page, "subscribers-searchByQuery")
    assert status == "200"
    assert re.search(r'"email": "ann@example.com"', response_text)

    assert {urlsplit(url).netloc for url in page.requested_urls if not url.startswith("data:")} == {
        f"127.0.0.1:{service.port}"
    }
    assert [message for message in page.complaints if "401" not in message] == []


def test_the_page_allows_no_foreign_content(app):
    client = app.test_client()
    for path in ("/docs", *(f"/docs/{name_with_hash(name)}" for name in ASSETS)):
        answer = client.get(path)
        assert answer.status_code == 200
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        answer.close()


@pytest.mark.parametrize("path", ["/docs", "/docs/"])
def test_every_part_of_the_page_is_served(app, path):
    client = app.test_client()
    parts = re.findall(r'(?:href|src)="([^"]+)"', client.get(path).text)
    assert len(parts) == len(ASSETS) + 1
    for part in parts:
        assert client.get(part).status_code == 200, part


@pytest.mark.parametrize(
    "path", ["/docs/index.html", "/docs/..%2f..%2fLICENSE", "/docs/__init__.py", "/docs/a/b"]
)
def test_other_files_are_not_found(app, path):
    answer = app.test_client().get(path)
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
