"""No number of a path, a query or a host is more than the service can answer (a story)."""

import re
from pathlib import Path

import pytest

from audience.searches import searches
from tests.api.endpoints import ENDPOINTS, prepare
from tests.console.browser import signed_in
from tests.console.screens import fill
from tests.depth import sample

NUMBERS = ("0", "-1", "9" * 18, "9" * 19, "9" * 20, "9" * 5000, "²")
LARGE = ("9" * 19, "9" * 5000)
EVERYBODY = searches.SearchRequest(after={}, before={})
CONSOLE = Path("audience/console")
NAMES = re.compile(r'request\.args(?:\.get\("(\w+)"|\["(\w+)"\])|"(\w+)" in request\.args')
MORE_NAMES = ("status", "field", "value", "segment", "order", "ascending", "created_at", "created_at_from",
              "last_event_at_to", "tag", "days", "unit", "to")  # fmt: skip


def routes(app, prefix):
    """(method, rule) of each route that is no file."""
    return [
        (method, rule.rule)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith(prefix) and "static" not in rule.rule
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"})
    ]


def with_number(rule, site, number):
    """The path of a rule with a number for each of its parts but the site and the person."""
    newest, _ = searches.search(site, EVERYBODY, 1)
    path = rule.replace("<site_uuid>", site.uuid).replace("<subscriber_uuid>", newest[0].uuid)
    return re.sub(r"<(?:\w+:)?\w+>", number, path)


@pytest.fixture
def browser(app, client):
    fill(client.site)
    return signed_in(app, "me@example.com", {client.site: "owner"}, administrator=True)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:2]} of {len(number)}")
def test_every_path_of_the_console_takes_every_number(app, client, browser, number):
    walked = 0
    for method, rule in routes(app, "/console"):
        path = with_number(rule, client.site, number).removeprefix("/console")
        if "<" in rule.replace("<site_uuid>", ""):
            answer = browser.get(path) if method == "GET" else browser.post(path)
            assert answer.status_code < 500, (method, rule)
            walked += 1
    assert walked > 30


@pytest.mark.parametrize("number", LARGE, ids=len)
def test_every_query_of_the_console_takes_every_number(app, client, browser, number):
    source = "".join(file.read_text() for file in CONSOLE.glob("*.py"))
    names = {name for found in NAMES.findall(source) for name in found if name} | {*MORE_NAMES}
    assert {"before", "page", "segment"} <= names
    taken = sample(sorted(names), 4)
    for method, rule in routes(app, "/console"):
        if method == "GET":
            path = with_number(rule, client.site, "1").removeprefix("/console")
            for name in taken:
                assert browser.get(f"{path}?{name}={number}").status_code < 500, (path, name)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: f"{number[:2]} of {len(number)}")
def test_every_path_and_query_of_the_api_takes_every_number(app, client, number):
    prepare(client)
    bodies = {(each.method, each.path): each.body for each in ENDPOINTS}
    for method, rule in routes(app, "/api/v1"):
        path = with_number(rule, client.site, number).removeprefix("/api/v1")
        body = bodies.get((method, re.sub(r"<[^>]*>", "1", rule).removeprefix("/api/v1")))
        if "<" in rule:
            assert client.call(method, path, body).status_code < 500, (method, rule)
    for endpoint in ENDPOINTS:
        if endpoint.method == "GET":
            view = app.view_functions[app.url_map.bind("").match(f"/api/v1{endpoint.path}")[0]]
            for name in view.declared.takes().fields if view.declared.takes else ():
                query = (endpoint.query or {}) | {name: number}
                assert client.get(endpoint.path, query=query).status_code < 500, (endpoint, name)


@pytest.mark.parametrize(
    "host", ["127.0.0.1:99999", "localhost:65536", "127.0.0.1:" + "9" * 400, "[::1]:70000"]
)
def test_a_host_whose_port_is_none_is_told_the_right_address(app, client, host):
    for path in ("/console", "/console/sign-in", "/console/nowhere"):
        answer = app.test_client().get(path, headers={"Host": host})
        assert (answer.status_code, "http://127.0.0.1:8000/console" in answer.text) == (421, True)
