"""Who gets to see which page, and from where it may be sent."""

import re
from dataclasses import replace
from typing import Any

import pytest
from werkzeug.routing import Rule

from app import create_routes
from audience.access import operators, sessions
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.console.blueprints import HEADERS
from audience.console.page import FORGED, NOT_FOUND, OLD_FORM
from audience.console.sign_in import inside
from audience.forms import forms
from audience.http.access import check_scopes
from audience.imports import imports
from audience.links.links import Links
from audience.looks import looks
from audience.reports import reports
from audience.searches import searches
from audience.segments import segments
from audience.sign_ups import sign_ups
from audience.webhooks import webhooks
from tests.console.browser import ORIGIN, SET_UP, open_browser, signed_in
from tests.console.screens import fill

UNKNOWN = "00000000-0000-4000-8000-000000000000"
HTTPS = "https://people.example"
HTTPS_COOKIE = "__Secure-audience_console"
ROLES = operators.ROLES
EVERYWHERE = ("anyone", "operator")
MATRIX_ROLES = (*ROLES, "administrator")
LISTS: dict[str, Any] = {
    "segment": segments.list_all, "report": reports.list_all, "number:webhook": webhooks.list_all,
    "number:import": imports.newest, "number:action": bulk_actions.newest,
    "number:sign_up": sign_ups.list_page, "number:form": forms.list_all,
}  # fmt: skip


def pages(app):
    """(method, rule, role) of every page of the console, from the map of routes."""
    return [
        (method, rule.rule, app.view_functions[rule.endpoint].role)
        for rule in app.url_map.iter_rules()
        if rule.rule.startswith("/console")
        for method in sorted(rule.methods - {"HEAD", "OPTIONS"})
    ]


def filled(rule, site):
    path = rule.removeprefix("/console").replace("<site_uuid>", site.uuid).replace("<kind>", "address")
    if "<subscriber_uuid>" in path:
        everybody = searches.SearchRequest(after={}, before={})
        newest = [each.uuid for each in searches.search(site, everybody, 1)[0]]
        path = path.replace("<subscriber_uuid>", newest[0] if newest else UNKNOWN)
    for name, listed in LISTS.items():
        if f"<{name}_id>" in path and (found := listed(site)):
            path = path.replace(f"<{name}_id>", str(found[0].id))
    return re.sub(r"<(?:\w+:)?\w+>", "1", path)


def send(browser, method, path):
    return browser.get(path) if method == "GET" else browser.post(path)


def lets_in(role, needed, is_own):
    if needed in EVERYWHERE:
        return True
    if needed == "administrator":
        return role == "administrator"
    return is_own and role in ROLES and ROLES.index(role) >= ROLES.index(needed)


@pytest.mark.parametrize("role", MATRIX_ROLES)
def test_every_page_for_every_role_on_the_own_and_on_another_site(app, site, other_site, role):
    roles = {} if role == "administrator" else {site: role}
    operators.add("other@example.com", False, {site: "owner", other_site: "owner"}, Actor("test"))
    operators.add("admin@example.com", True, {}, Actor("test"))
    browser = signed_in(app, "me@example.com", roles, role == "administrator")
    fill(site)
    fill(other_site)
    seen = set()
    for method, rule, needed in pages(app):
        if rule in ("/console/sign-out", "/console/<path:rest>") or "static" in rule or "session_id" in rule:
            continue
        for where, is_own in ((site, True), (other_site, False)):
            response = send(browser, method, filled(rule, where))
            refused = response.status_code == 404 and NOT_FOUND in response.text
            assert refused != lets_in(role, needed, is_own), (method, rule, role, is_own)
            assert response.status_code < 500
            seen.add(needed)
    assert seen >= {"anyone", "operator", "viewer", "owner", "administrator"}


def test_no_site_no_right_and_no_page_look_the_same(app, site, other_site):
    browser = signed_in(app, "me@example.com", {site: "viewer"})
    paths = (f"/sites/{other_site.uuid}", f"/sites/{UNKNOWN}", f"/sites/{site.uuid}/operators", "/nowhere",
             f"/sites/{UNKNOWN}/subscribers/{UNKNOWN}", "/operators", "/sites/x")  # fmt: skip
    answers = {(response.status_code, response.data) for response in map(browser.get, paths)}
    assert len(answers) == 1
    assert answers.pop()[0] == 404


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_whoever_is_not_signed_in_gets_the_sign_in_page_known_or_not(app, browser, site, method):
    fill(site)
    known = [filled(rule, site) for verb, rule, role in pages(app) if role != "anyone" and verb == method]
    for path in (*known, f"/sites/{UNKNOWN}", f"/sites/{site.uuid}/subscribers/{UNKNOWN}", "/x/y/z"):
        response = send(browser, method, path)
        assert response.status_code == 303, path
        assert response.headers["Location"].partition("?")[0] == "/console/sign-in"
        assert response.data.count(b"sign-in") == response.data.count(b"/console/sign-in")


def test_a_page_without_a_role_does_not_start():
    app = create_routes()
    app.view_functions["bare"] = lambda: ""
    app.url_map.add(Rule("/console/bare", endpoint="bare"))
    with pytest.raises(RuntimeError, match="/console/bare declares no role"):
        check_scopes(app)


def every_post(app, site):
    return [
        (filled(rule, site), role)
        for method, rule, role in pages(app)
        if method == "POST" and rule != "/console/<path:rest>"
    ]


@pytest.mark.parametrize("token", [None, "", "x", "ü", "other"])
def test_every_post_needs_the_token_of_its_session(app, site, administrator, token):
    browser = signed_in(app, "me@example.com", {site: "owner"}, administrator=True)
    other = sessions.csrf_token(administrator.token)
    fields = {} if token is None else {"csrf": other if token == "other" else token}
    posts = [(path, role) for path, role in every_post(app, site) if role != "anyone"]
    assert len(posts) > 8
    for path, _ in posts:
        response = browser.send(path, fields, Origin=ORIGIN)
        assert (response.status_code, OLD_FORM in response.text) == (403, True), path
    assert browser.is_signed_in()


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "null"},
        {"Origin": "http://localhost:9000"},
        {"Origin": "https://localhost:8000"},
        {"Origin": "http://evil.example"},
        {"Origin": ORIGIN, "Sec_Fetch_Site": "same-site"},
        {"Origin": ORIGIN, "Sec_Fetch_Site": "cross-site"},
        {"Origin": ORIGIN, "Sec_Fetch_Site": "none"},
        {"Origin": "null", "Sec_Fetch_Site": "same-origin"},
    ],
)
def test_every_post_must_come_from_the_console_itself(app, site, headers):
    browser = signed_in(app, "me@example.com", {site: "owner"}, administrator=True)
    fields = {"csrf": sessions.csrf_token(browser.token)}
    for path, _ in every_post(app, site):
        response = browser.send(path, fields, **headers)
        assert (response.status_code, FORGED in response.text) == (403, True), path
    assert browser.is_signed_in()


@pytest.mark.parametrize("headers", [{"Origin": ORIGIN, "Sec_Fetch_Site": "same-origin"},
                                     {"Sec_Fetch_Site": "same-origin"}])  # fmt: skip
def test_a_post_of_the_console_itself_is_taken(browser, site, headers):
    browser.set_up()
    fields = {"csrf": sessions.csrf_token(browser.token)}
    fields |= {"email": "me@example.com", "present": SET_UP["password"]}
    assert browser.send("/account/email", fields, **headers).status_code == 303


def test_a_script_sends_the_token_as_a_header(browser, site):
    browser.set_up()
    token = sessions.csrf_token(browser.token)
    fields = {"email": "me@example.com", "present": SET_UP["password"]}
    sent = browser.send("/account/email", fields, Origin=ORIGIN, X_CSRF_Token=token)
    assert sent.status_code == 303


def test_pages_carry_their_headers(app, browser, site):
    browser.set_up()
    for path in ("/sign-in", "/account", "/nowhere", f"/sites/{site.uuid}"):
        headers = browser.get(path).headers
        assert {name: headers[name] for name in HEADERS} == HEADERS
        assert headers["Cache-Control"] == "no-store"
    policy = HEADERS["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    for path in ("/sign-in", "/account"):
        page = browser.get(path).text
        assert not re.search(r"<style|\bstyle=|<script(?! src)| on\w+=", page)


def test_static_files_are_cached_for_a_year_and_compressed(browser):
    path = re.findall(r'src="/console(/static/[^"]+)"', browser.get("/link").text)[0]
    plain = browser.get(path)
    assert plain.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    gzip = {"Accept-Encoding": "gzip"}
    packed = browser.http.get(f"/console{path}", base_url=ORIGIN, headers=gzip)
    assert packed.headers["Content-Encoding"] == "gzip"
    assert packed.headers["Vary"] == "Accept-Encoding"
    assert browser.get(f"{path}x").headers["Cache-Control"] == "no-store"
    for wrong in (path.replace("/static/", "/static/0"), "/static/page.py", "/static/..%2fpage.py"):
        assert browser.get(wrong).status_code in (303, 404), wrong


@pytest.mark.parametrize(
    "host",
    ["localhost", "localhost:8000", "localhost:9000", "127.0.0.1:8000", "[::1]:8000", "LOCALHOST:8000"],
)
def test_the_console_answers_on_loopback_under_any_port(app, host):
    assert app.test_client().get("/console/sign-in", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "localhost.evil.example",
        "127.0.0.1.evil.example",
        "192.0.2.1:8000",
        "[::2]",
        "",
        "a b",
    ],
)
def test_the_console_names_its_address_under_any_other(app, host):
    for path in ("/console", "/console/sign-in", "/console/nowhere"):
        response = app.test_client().get(path, headers={"Host": host})
        assert response.status_code == 421
        assert "http://127.0.0.1:8000/console" in response.text
        assert "evil" not in response.text


@pytest.fixture
def public(app):
    """Sets the public URL."""

    def put(url):
        services = app.extensions["audience"]
        app.extensions["audience"] = replace(services, settings=replace(services.settings, public_url=url))

    return put


def test_over_https_the_cookie_is_bound_to_the_host(app, public, site):
    public(f"{HTTPS}/")
    browser = open_browser(app, HTTPS, HTTPS_COOKIE)
    cookie = browser.set_up().headers["Set-Cookie"]
    assert cookie.startswith(f"{HTTPS_COOKIE}=")
    assert cookie.partition("; ")[2] == "Secure; HttpOnly; Path=/console; SameSite=Lax"
    assert browser.is_signed_in()
    assert open_browser(app, "http://localhost:8000").get("/sign-in").status_code == 200
    for host in ("people.example:8000", "people.example:80", "other.example"):
        assert app.test_client().get("/console/sign-in", headers={"Host": host}).status_code == 421


def test_under_the_own_address_of_a_sites_pages_there_is_no_console(app, public, site, manager):
    public(HTTPS)
    sent = {"name": "", "home": "", "imprint": "", "privacy": "", "language": "", "accent": ""}
    looks.change(site, sent | {"base_url": "https://mail.example"}, b"", False, Actor("x"), HTTPS)
    http, own = app.test_client(), {"Host": "mail.example"}
    for path in ("/console", "/console/sign-in", "/console/x/y", f"/console/sites/{site.uuid}"):
        answer = http.get(path, headers=own)
        assert (answer.status_code, "people.example" in answer.text) == (404, False)
    assert http.get("/console/sign-in", headers={"Host": "people.example"}).status_code == 200
    assert http.get("/unsubscribe/x", headers=own).status_code == 404
    url = Links(site, HTTPS).urls("0199f0a2-6a39-4f0a-9c3e-2f60d1c7a58b", "a@b.example")["unsubscribe"]
    assert url.startswith("https://mail.example/unsubscribe/")


@pytest.mark.parametrize(
    "base_url", ["https://mail.example", "https://mail.example:443", "http://mail.example."]
)
@pytest.mark.parametrize("host", ["mail.example", "mail.example.", "MAIL.example:443", "mail.example:8000"])
def test_the_own_address_of_a_sites_pages_names_no_console(app, public, site, base_url, host):
    public(HTTPS)
    sent = {"name": "", "home": "", "imprint": "", "privacy": "", "language": "", "accent": ""}
    looks.change(site, sent | {"base_url": base_url}, b"", False, Actor("x"), HTTPS)
    of_operators = ("/console/sign-in", "/", "/api/openapi.json", "/docs", "/docs/console", "/docs/api")
    for path in (*of_operators, "/unsubscribe/broken", "/nothing"):
        answer = app.test_client().get(path, headers={"Host": host})
        assert (answer.status_code, "people.example" in answer.text) == (404, False), path
        assert "/docs" not in answer.text or answer.is_json, path
    assert app.test_client().get("/favicon.ico", headers={"Host": host}).status_code == 200
    for path in ("/docs", "/docs/console", "/docs/api"):
        assert app.test_client().get(path, headers={"Host": "people.example"}).status_code == 200, path
    for path in ("/unsubscribe/broken", "/api/openapi.json"):
        assert "people.example" in app.test_client().get(path, headers={"Host": "people.example"}).text


def test_behind_a_proxy_the_host_header_and_the_public_url_say_that_it_is_https(app, public, site):
    public(HTTPS)
    browser = open_browser(app, "http://people.example", HTTPS_COOKIE)
    fields = {"token": sessions.new_link(None, "first")} | SET_UP
    assert browser.send("/first", fields, Origin="http://people.example").status_code == 403
    assert "Secure" in browser.send("/first", fields, Origin=HTTPS).headers["Set-Cookie"]


def test_plain_http_is_answered_on_loopback_only(app, public):
    public("http://people.example")
    response = app.test_client().get("/console/sign-in", headers={"Host": "people.example"})
    assert response.status_code == 421
    assert "http://localhost:8000/console" in response.text


def test_below_a_path_every_link_has_it(app, public, site):
    public(f"{HTTPS}/people/")
    browser = open_browser(app, HTTPS, HTTPS_COOKIE)
    assert browser.get("/x").headers["Location"].startswith("/people/console/sign-in")
    followed = browser.set_up()
    assert followed.headers["Location"] == "/people/console"
    assert "; Path=/people/console; " in followed.headers["Set-Cookie"]
    token = followed.headers["Set-Cookie"].partition("=")[2].partition(";")[0]
    browser.http.set_cookie(HTTPS_COOKIE, token, domain="people.example")  # the proxy takes the path off
    links = re.findall(r'(?:href|src|action)="([^"]*)"', browser.get("/account").text)
    assert links
    assert all(each.startswith(("/people/console", "/people/docs", "#")) for each in links)
    with app.test_request_context():
        assert inside("/console/account") == "/people/console/account"
