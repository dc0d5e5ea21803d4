"""The documentation is complete: every endpoint, setting and check is listed."""

import re
from dataclasses import fields
from pathlib import Path

from audience.api.doc_tables import default_text
from audience.config import Settings
from audience.operations.probes import PROBES
from bench.__main__ import BENCHES

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
ENDPOINTS = (ROOT / "docs" / "endpoints.md").read_text("utf-8")
MAX_README_LINES = 150
MAX_FIGURES_LINES = 110
MAX_SCALING_WORDS = 900
QUOTING = ("postgresql", "scaling")
FIGURE = re.compile(r"(?<![\d.,])\d[\d.,]* (?:requests/s|µs|ms|s|[GMK]B)\b|(?<![\d.,])\d?\.\d\d(?!\d)")
BENCH = re.compile(r"(?<![-.])\bbench\.((?:more\.)?[a-z_]+)")


def test_the_readme_is_short():
    assert len(README.splitlines()) <= MAX_README_LINES


def test_the_page_on_scaling_is_short():
    assert len((ROOT / "docs" / "scaling.md").read_text("utf-8").split()) <= MAX_SCALING_WORDS


def test_the_page_of_figures_is_short_and_names_every_bench():
    page = (ROOT / "docs" / "performance.md").read_text("utf-8")
    assert len(page.splitlines()) <= MAX_FIGURES_LINES
    assert [bench for bench in BENCHES if f"`bench.{bench}`" not in page] == []


def test_figures_that_name_their_page_are_on_it():
    figures = {*FIGURE.findall((ROOT / "docs" / "performance.md").read_text("utf-8"))}
    for page in QUOTING:
        paragraphs = (ROOT / "docs" / f"{page}.md").read_text("utf-8").split("\n\n")
        quoted = {
            figure for text in paragraphs if "(performance.md#" in text for figure in FIGURE.findall(text)
        }
        assert quoted, page
        assert quoted - figures == set(), page


def test_every_bench_that_is_named_is_there():
    pages = [ROOT / "Makefile", *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.md")]
    named = {name for page in pages for name in BENCH.findall(page.read_text("utf-8"))}
    assert "more.compared" in named
    assert [name for name in named if not (ROOT / "bench" / f"{name.replace('.', '/')}.py").exists()] == []


def test_env_example_lists_every_setting_with_its_default():
    rows = re.findall(
        r"^# (.+)\n# AUDIENCE_(\w+)=(.*)$", (ROOT / ".env.example").read_text("utf-8"), re.MULTILINE
    )
    assert rows == [
        (item.metadata["meaning"], item.name.upper(), default_text(item)) for item in fields(Settings)
    ]


def path_of(rule):
    path = rule.removeprefix("/api/v1").replace("<letters:name>", "{letters}")
    return re.sub(r"<[^>]+>", "{id}", path)


def test_the_endpoints_page_lists_every_endpoint_with_its_scope(app):
    routes = {
        (method, path_of(rule.rule), scope)
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if (scope := getattr(app.view_functions[rule.endpoint], "scope", "public")) != "public"
    }
    table = re.findall(r"^\| (`[A-Z].*) (/\S+)` \|.*\| (\w+) \|$", ENDPOINTS, re.MULTILINE)
    listed = {
        (method, path, scope) for methods, path, scope in table for method in re.findall(r"[A-Z]+", methods)
    }
    assert listed == routes


def test_the_endpoints_page_lists_every_public_route(app):
    routes = {
        re.sub(r"<(?:[^>]*:)?(\w+)>", r"{\1}", rule.rule)
        for rule in app.url_map.iter_rules()
        if getattr(app.view_functions[rule.endpoint], "scope", None) == "public"
        and not rule.endpoint.startswith("pages.")
    }
    assert set(re.findall(r"^\| `GET (/\S*)` \| [^|]+ \|$", ENDPOINTS, re.MULTILINE)) == routes


def test_the_page_about_pages_names_every_route_of_them(app):
    routes = {
        re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule)
        for rule in app.url_map.iter_rules()
        if rule.endpoint.startswith("pages.") and not rule.rule.startswith("/preferences/<token>/")
    }
    page = (ROOT / "docs" / "pages.md").read_text("utf-8")
    assert set(re.findall(r"^\| `(/\S*)`", page, re.MULTILINE)) == routes


def test_the_calls_of_the_endpoints_page_are_of_endpoints_that_it_lists():
    table = re.findall(r"^\| (`[A-Z].*) (/\S+)` \|", ENDPOINTS, re.MULTILINE)
    calls = re.findall(r"audience api ([A-Z]+) (/\S+?)(?: .*)?$", ENDPOINTS, re.MULTILINE)
    assert calls
    for method, path in calls:
        called = re.sub(r"/\d+", "/{id}", path)
        assert any(method in methods and called == listed for methods, listed in table), (method, path)


def test_every_check_is_documented():
    page = (ROOT / "docs" / "health.md").read_text("utf-8")
    assert [probe.name for probe in PROBES if probe.ready and f"`{probe.name}`" not in page] == []
