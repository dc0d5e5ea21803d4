"""/docs/api has every operation of the OpenAPI document with all that it says of it, and needs no script."""

import gzip
import re

import html5lib
import pytest

from schemas.codes import REQUEST_CODES, VALUE_CODES
from tests.described import document, operations

MAX_BYTES = 80_000  # packed, with its style sheet
LANGUAGES = ("curl", "python", "javascript", "php")


@pytest.fixture
def text(app):
    return app.test_client().get("/docs/api").text


@pytest.fixture
def tree(text):
    return html5lib.parse(text, namespaceHTMLElements=False)


def article(tree, name):
    [found] = tree.iterfind(f".//article[@id='{name}']")
    return found


def inner_text(node):
    return "".join(node.itertext())


def test_every_operation_is_on_the_page(app, tree):
    for (method, path), operation in operations(document(app)).items():
        shown = article(tree, operation["operationId"])
        words = inner_text(shown)
        assert inner_text(shown.find(".//h3")) == operation["summary"]
        assert inner_text(shown.find(".//p[@class='route']")) == f"{method} {path}"
        assert f"Scope of the key: {operation['x-scope']}" in words
        for parameter in operation["parameters"]:
            name = parameter.get("name") or parameter["$ref"].rpartition("/")[2]
            assert re.search(rf"\n{re.escape(name)}(\n| required)", words), (operation["operationId"], name)
        links = {link.get("href") for link in shown.iterfind(".//p[@class='statuses']/a")}
        refused = {status for status, each in operation["responses"].items() if "$ref" in each}
        assert links == {f"#error-{status}" for status in refused}
        for language in LANGUAGES:
            assert shown.find(f".//figure[@class='in {language}']//code") is not None


def test_the_properties_of_bodies_and_answers_are_on_the_page(tree):
    created = inner_text(article(tree, "createSubscriber"))
    for words in (
        "subscriber.email required",
        "subscriber.tags",
        "data.attributes.uuid\n",
        "date-time",
    ):
        assert words in created
    searched = inner_text(article(tree, "search"))
    for words in (
        "per_page\ninteger, 1 to 500",
        "created_at.gt",
        "data[].attributes.email\n",
        "meta.links_note may be absent",
    ):
        assert words in searched
    rule = article(tree, "Rule")
    assert "anniversary_in_next_days" in inner_text(rule)
    assert {link.text for link in rule.iterfind(".//small/a")} == {"Rule"}
    assert "rules required\nRule" in inner_text(article(tree, "previewSegment"))


def test_messages_to_webhooks_are_on_the_page(tree):
    sent = inner_text(article(tree, "webhook_message"))
    for words in ("webhook-signature\n", "data[].attributes.changed", "410"):
        assert words in sent


def test_every_code_of_an_error_is_on_the_page_with_its_remedy(tree):
    rows = [
        [inner_text(cell) for cell in row]
        for row in tree.iterfind(".//tr")
        if len(row) == 2 and row[0].tag == "td"
    ]
    remedies = VALUE_CODES | {code: remedy for code, (_, remedy) in REQUEST_CODES.items()}
    assert [code for code, remedy in remedies.items() if [code, remedy.replace("`", "")] not in rows] == []


def test_each_link_within_the_page_leads_somewhere(text):
    ids = re.findall(r' id="([^"]*)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]*)"', text)) <= set(ids)


def test_what_the_document_says_is_text(text):
    assert "<script" not in text
    assert "&lt;code&gt;" not in text
    assert "`" not in re.sub(r"(?s)<pre>.*?</pre>", "", text)


def test_the_page_is_small(app):
    packed = app.test_client().get("/docs/api", headers={"Accept-Encoding": "gzip"})
    style = app.test_client().get("/docs/static/reference.css")
    assert len(packed.data) + len(gzip.compress(style.data)) < MAX_BYTES


def test_requests_begin_with_the_public_address(settings, app):
    object.__setattr__(settings, "public_url", "https://people.example/audience")
    text = app.test_client().get("/docs/api").text
    assert "https://people.example/audience/api/v1/fetch/tags" in text
    assert 'href="/audience/api/openapi.json"' in text
    assert 'href="/audience/docs/static/reference.css?v=' in text
    assert "127.0.0.1:8000/api" not in text


def test_the_page_allows_no_foreign_content(app):
    client = app.test_client()
    for path in ("/docs/api", "/docs/static/reference.css", "/docs/static/icon.png"):
        answer = client.get(path)
        assert answer.status_code == 200
        policy = answer.headers["Content-Security-Policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; style-src 'self'; ")
        assert "unsafe" not in policy
        assert answer.headers["X-Content-Type-Options"] == "nosniff"


@pytest.mark.parametrize("path", ["/docs/api", "/docs/api/"])
def test_every_part_of_the_page_is_served(app, path):
    client = app.test_client()
    parts = re.findall(r'<link rel="[a-z]+" href="([^"]+)"', client.get(path).text)
    assert len(parts) == 2
    for part in [*parts, "/api/openapi.json"]:
        assert client.get(part).status_code == 200, part


@pytest.mark.parametrize(
    "path", ["/docs/index.html", "/docs/..%2f..%2fLICENSE", "/docs/static/__init__.py", "/docs/a/b"]
)
def test_other_files_are_not_found(app, path):
    answer = app.test_client().get(path)
    assert (answer.status_code, answer.mimetype) == (404, "text/html")
