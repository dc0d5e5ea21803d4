"""Signing in: the first link, one-time links, passwords, cookies, throttling."""

import hashlib
import logging
import threading

import pytest

from audience.access import operators, passwords, sessions, sign_in, sites
from audience.access.audit_log import COMMAND_LINE
from audience.errors import Refused
from audience.operations import first_site
from storage import database
from storage.access import operators as stored_operators
from storage.errors import Unavailable
from tests.conftest import REAL_COST
from tests.console.browser import SET_UP, alert, open_browser, signed_in
from tests.console.conftest import PASSWORD

MINUTE, DAY = 60_000, 86_400_000
FORM = {"email": "ann@example.com", "password": PASSWORD}
CLIENTS = 6


def everyone():
    return [operator for operator, _ in operators.list_all()]


@pytest.fixture
def first(app):
    """The site that a new instance has."""
    return sites.create(first_site.NAME)


def test_the_first_link_makes_an_owner_with_a_password_and_names_the_site(app, browser, first):
    assert "Name of your list" in browser.get("/first").text
    response = browser.set_up()
    assert (response.status_code, response.headers["Location"]) == (303, "/console")
    overview = browser.get("")
    assert (overview.status_code, overview.headers["Location"]) == (303, f"/console/sites/{first.uuid}")
    [(operator, roles)] = operators.list_all()
    assert operator.administrator
    assert (operator.email, roles) == (SET_UP["email"], {first.id: "owner"})
    site = sites.get(first.id)
    assert (site.name, site.time_zone) == (SET_UP["name"], SET_UP["time_zone"])
    assert open_browser(app).post("/sign-in", **SET_UP).status_code == 303


def test_a_site_that_has_a_name_keeps_it(browser, site):
    page = browser.get("/first").text
    assert "Your e-mail address" in page
    assert "Name of your list" not in page
    assert browser.set_up().status_code == 303
    assert sites.get(site.id) == site


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"email": "no address"}, operators.NO_ADDRESS),
        ({"password": "short"}, passwords.TOO_SHORT),
        ({"password": "first@example.com"}, passwords.OWN_ADDRESS),
        ({"name": " "}, sites.NO_NAME),
        ({"time_zone": "Mars/Olympus"}, sites.TIME_ZONE),
    ],
)
def test_what_is_wrong_in_the_first_form_changes_nothing_and_the_link_stays_valid(
    browser, first, fields, said
):
    link = {"token": sign_in.console_link()[1]}
    response = browser.set_up(**link, **fields)
    assert (response.status_code, alert(response)) == (422, said)
    assert f'value="{link["token"]}"' in response.text
    assert (SET_UP | fields)["password"] not in response.text.replace((SET_UP | fields)["email"], "")
    assert (everyone(), sites.get(first.id)) == ([], first)
    assert browser.set_up(**link).status_code == 303


def test_the_first_form_tells_all_that_is_wrong_at_once(browser, first):
    link = {"token": sign_in.console_link()[1]}
    wrong = {"email": "no address", "password": "short", "name": " ", "time_zone": "Mars/Olympus"}
    page = browser.set_up(**link, **wrong).text
    for sentence in (operators.NO_ADDRESS, passwords.TOO_SHORT, sites.NO_NAME, sites.TIME_ZONE):
        assert sentence in page
    assert browser.set_up(**link).status_code == 303


def test_a_first_link_that_is_used_up_says_so_before_anything_is_typed(app, browser, site):
    browser.set_up()
    page = open_browser(app).get("/first").text
    assert "used up" in page
    assert 'href="/console/sign-in"' in page
    assert "<form" not in page


def test_the_first_operator_of_an_older_version_gets_an_address(browser, first):
    with database.write(database.SHARED):
        stored_operators.add(email="", email_key=None, administrator=True, created_at=1)
    assert browser.set_up().status_code == 303
    assert [operator.email for operator in everyone()] == [SET_UP["email"]]
    assert sign_in.console_link()[0] == sessions.SIGN_IN


def test_the_first_link_of_an_older_version_is_too_old(browser, site):
    token = sessions.new_link(None, sessions.SIGN_IN)
    assert alert(browser.post("/link", token=token)) == sessions.SPENT
    assert everyone() == []


def test_before_anybody_can_sign_in_the_page_says_how_to_begin(browser, site, first):
    assert "audience console" in browser.get("/sign-in").text
    browser.set_up()
    browser.post("/sign-out")
    assert "audience console" not in browser.get("/sign-in").text


def test_a_get_spends_nothing(browser, site):
    token = sign_in.console_link()[1]
    for _ in range(2):
        assert browser.get("/first").status_code == 200
        assert browser.get(f"/first?token={token}").status_code == 200
    assert browser.set_up(token=token).status_code == 303


def test_a_link_is_valid_once(app, browser, site):
    token = sign_in.console_link()[1]
    assert browser.set_up(token=token).status_code == 303
    response = open_browser(app).set_up(token=token)
    assert (response.status_code, alert(response)) == (422, sessions.SPENT)


def test_two_first_links_never_make_two_owners(app, browser, site):
    tokens = [sign_in.console_link()[1] for _ in range(2)]
    assert browser.set_up(token=tokens[0]).status_code == 303
    response = open_browser(app).set_up(token=tokens[1])
    assert (response.status_code, alert(response)) == (422, sign_in.NOT_THE_FIRST)
    assert len(everyone()) == 1


def test_a_first_password_is_hashed_while_others_may_write(browser, site, monkeypatch):
    hash_password, seen = passwords.hash_password, []

    def watched(password):
        seen.append(database.database.is_closed() or not database.database.in_transaction())
        return hash_password(password)

    monkeypatch.setattr(passwords, "hash_password", watched)
    assert browser.set_up(token=sign_in.console_link()[1]).status_code == 303
    assert seen == [True]


def test_a_wrong_first_link_costs_no_hash(browser, site, monkeypatch):
    monkeypatch.setattr(passwords, "hash_password", lambda _: 1 / 0)
    assert alert(browser.set_up(token="wrong")) == sessions.SPENT


@pytest.mark.parametrize("links", [1, CLIENTS])
def test_of_many_at_once_one_becomes_the_first(app, site, links):
    tokens = [sign_in.console_link()[1] for _ in range(links)]
    ready, statuses = threading.Barrier(CLIENTS), []

    def follow(number):
        browser = open_browser(app)
        ready.wait(30)
        statuses.append(browser.set_up(token=tokens[number % links]).status_code)

    threads = [threading.Thread(target=follow, args=(number,)) for number in range(CLIENTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(statuses) == [303] + [422] * (CLIENTS - 1)
    assert len(everyone()) == 1


def test_a_link_lasts_a_quarter_of_an_hour(browser, site, later):
    token = sign_in.console_link()[1]
    later(15 * MINUTE)
    assert alert(browser.set_up(token=token)) == sessions.SPENT


def test_a_link_of_a_later_sign_in_lasts_as_long(browser, ann, later):
    token = sign_in.console_link("ann@example.com")[1]
    later(15 * MINUTE)
    assert alert(browser.post("/link", token=token)) == sessions.SPENT


def test_later_links_sign_in_the_only_administrator_or_whom_they_name(app, browser, site, ann):
    operators.add("admin@example.com", True, {}, COMMAND_LINE)
    browser.follow_link("admin@example.com")
    assert "admin@example.com" in browser.get("/account").text
    browser.follow_link("ann@example.com")
    assert "Ann@example.com" in browser.get("/account").text
    operators.add("second@example.com", True, {}, COMMAND_LINE)
    with pytest.raises(Refused, match="--as"):
        sign_in.console_link()[1]


def test_a_new_link_replaces_the_one_before(browser, ann):
    first = sign_in.console_link("ann@example.com")[1]
    sign_in.console_link("ann@example.com")[1]
    assert alert(browser.post("/link", token=first)) == sessions.SPENT


def test_no_token_is_logged_or_stored(browser, site, caplog):
    caplog.set_level(logging.DEBUG)
    token = sign_in.console_link()[1]
    assert f"#{token}" in sessions.link("http://localhost:8000", sessions.FIRST, token)
    browser.get("/first")
    browser.set_up(token=token + "x")
    browser.set_up(token=token)
    assert browser.is_signed_in()
    with database.session():
        queries = ("SELECT * FROM one_time_links", "SELECT * FROM sessions", "SELECT * FROM audit_log")
        stored = repr([database.rows(query) for query in queries])
    logged = "".join(repr(vars(record)) for record in caplog.records)
    assert "/console/first" in logged
    assert token not in logged + stored
    assert browser.token not in logged + stored


def test_a_password_signs_in(browser, ann, site):
    response = browser.post("/sign-in", **FORM)
    assert (response.status_code, response.headers["Location"]) == (303, "/console")
    assert browser.is_signed_in()


@pytest.mark.parametrize(
    "changed", [{"password": PASSWORD + " "}, {"email": "bob@example.com"}, {"email": "x"}, {"password": ""}]
)
def test_one_wording_and_one_run_for_every_wrong_sign_in(browser, ann, changed, monkeypatch):
    runs = []
    real = hashlib.scrypt

    def counted(*words, **options):
        runs.append(1)
        return real(*words, **options)

    monkeypatch.setattr("audience.access.passwords.hashlib.scrypt", counted)
    response = browser.post("/sign-in", **(FORM | changed))
    assert (response.status_code, alert(response)) == (422, sign_in.WRONG)
    assert len(runs) == 1
    assert not browser.is_signed_in()


def test_the_password_is_stored_as_scrypt_with_a_salt(app, monkeypatch):
    monkeypatch.setattr(passwords, "COST", REAL_COST)
    for email in ("ann@example.com", "bob@example.com"):
        token = operators.add(email, False, {}, COMMAND_LINE)
        sign_in.set_password_with_link(token, PASSWORD, "")
    hashes = {operator.password_hash for operator in everyone()}
    assert len(hashes) == 2
    for stored in hashes:
        salt, _, digest = stored.partition("$")
        run = hashlib.scrypt(PASSWORD.encode(), salt=bytes.fromhex(salt), n=2**14, r=8, p=5, maxmem=2**26)
        assert digest == run.hex()


def test_a_third_at_the_same_time_is_told_to_come_back(browser, ann, monkeypatch):
    monkeypatch.setattr(passwords, "WAIT_SECONDS", 0.01)
    assert all(passwords._runs.acquire(blocking=False) for _ in range(2))
    try:
        response = browser.post("/sign-in", **FORM)
    finally:
        passwords._runs.release(2)
    assert (response.status_code, alert(response)) == (503, passwords.BUSY)
    assert browser.post("/sign-in", **FORM).status_code == 303


def test_a_link_to_set_a_password_lasts_three_days_and_signs_in(app, browser, site, later):
    token = operators.add("ann@example.com", False, {site: "viewer"}, COMMAND_LINE)
    later(3 * DAY - MINUTE)
    assert browser.get("/password").status_code == 200
    assert browser.post("/password", token=token, password=PASSWORD).status_code == 303
    assert browser.is_signed_in()
    assert open_browser(app).post("/sign-in", **FORM).status_code == 303
    assert alert(open_browser(app).post("/password", token=token, password=PASSWORD)) == sessions.SPENT
    late = operators.reset("ann@example.com", COMMAND_LINE)
    later(3 * DAY)
    assert alert(open_browser(app).post("/password", token=late, password=PASSWORD)) == sessions.SPENT


@pytest.mark.parametrize(
    ("password", "sentence"),
    [
        ("elevenchars", passwords.TOO_SHORT),
        ("password2026", passwords.COMMON),
        ("QWERTYuiop1234567890"[:20], passwords.COMMON),
        ("x" * 1001, passwords.TOO_LONG),
    ],
)
def test_a_bad_password_is_refused_and_the_link_stays_valid(browser, site, password, sentence):
    token = operators.add("ann@example.com", False, {site: "viewer"}, COMMAND_LINE)
    response = browser.post("/password", token=token, password=password)
    assert (response.status_code, alert(response)) == (422, sentence)
    assert password not in response.text
    assert browser.post("/password", token=token, password=PASSWORD).status_code == 303


def test_a_sign_in_link_sets_no_password_and_the_other_way_round(browser, ann):
    assert alert(
        browser.post("/password", token=sign_in.console_link("ann@example.com")[1], password=PASSWORD)
    )
    token = operators.reset("ann@example.com", COMMAND_LINE)
    assert alert(browser.post("/link", token=token)) == sessions.SPENT


@pytest.mark.parametrize(
    "target",
    ["https://evil.example/console", "//evil.example/console", "/console//evil.example", "/consoleevil",
     "/console\\evil", "/docs", "javascript:alert(1)", "/console/\n", "", "/console/../docs", "/console/..",
     "/console/./account", "/console/%2e%2e/docs", "/console/%2E./docs", "/console/.%2e",
     "/console/%252e%252e/docs", "/console/%5c%5cevil.example", "/console/%5C..",
     "/console/%255cevil", "/console/%2f/evil.example",
     "/console/a%2F..%2f..", "/console/%0d%0aX:y", "/console/a%0", "/console/%c3%a9%25",
     "//[", "//[/console", "//[a]/console", "///console", "////console", " /console", "/console/..;/docs",
     "/console/.;a=b/docs", "console"],
)  # fmt: skip
def test_a_redirect_after_sign_in_stays_in_the_console(browser, ann, target):
    assert browser.post("/sign-in", **FORM, next=target).headers["Location"] == "/console"


def test_after_sign_in_one_gets_where_one_wanted_to_go(browser, ann, site):
    response = browser.get(f"/sites/{site.uuid}?period=month")
    assert response.status_code == 303
    page = browser.http.get(response.headers["Location"], base_url=browser.origin)
    assert f'value="/console/sites/{site.uuid}?period=month"' in page.text
    target = f"/console/sites/{site.uuid}?period=month"
    assert browser.post("/sign-in", **FORM, next=target).headers["Location"] == target


def test_tries_are_counted_before_the_password_is_looked_at(app, browser, ann):
    limiter = app.extensions["audience"].limiter
    for _ in range(30):
        limiter.hit("30/minute", "sign-in", "127.0.0.1")
    response = browser.post("/sign-in", **FORM)
    assert response.status_code == 429
    assert response.headers["Retry-After"] == "60"
    assert not browser.is_signed_in()
    assert browser.follow_link("ann@example.com").status_code == 303


def test_tries_are_counted_by_network_of_ipv6(app, browser, ann):
    def tries(number, address):
        form = {"email": f"p{number}@example.com", "password": PASSWORD}
        browser.http.environ_base["REMOTE_ADDR"] = address
        return browser.post("/sign-in", **form).status_code

    statuses = [tries(number, f"2001:db8::{number:x}") for number in range(31)]
    assert statuses == [422] * 30 + [429]
    assert tries(99, "2001:db8:0:1::1") == 422


def test_a_name_that_is_guessed_from_everywhere_gets_one_try_a_minute(app, browser, ann):
    limiter = app.extensions["audience"].limiter
    for _ in range(20):
        limiter.hit("20/hour", "sign-in name", "ann@example.com")
    assert browser.post("/sign-in", **(FORM | {"email": "ANN@example.com "})).status_code == 303
    assert open_browser(app).post("/sign-in", **FORM).status_code == 429
    assert open_browser(app).follow_link("ann@example.com").status_code == 303


@pytest.mark.parametrize(
    "email", ["ＡＮＮ@example.com", "ann＠example.com", "𝐚nn@example.com", " Ann@EXAMPLE.com"]
)
def test_attempts_are_counted_by_name_however_it_is_spelled(app, browser, site, ann, email):
    limiter = app.extensions["audience"].limiter
    for _ in range(21):
        browser.post("/sign-in", email="ann@example.com", password="wrong, all of them")
        limiter.counts = {key: count for key, count in limiter.counts.items() if key[0] != "sign-in"}
    assert browser.post("/sign-in", email=email, password=PASSWORD).status_code == 429


def test_a_later_sign_in_lands_on_the_site_used_last(app, site, other_site):
    browser = signed_in(app, "ann@example.com", {site: "viewer", other_site: "viewer"})

    def lands():
        browser.post("/sign-out")
        assert browser.follow_link("ann@example.com").headers["Location"] == "/console"
        return browser.get("").headers["Location"]

    assert lands() == f"/console/sites/{site.uuid}"
    browser.get(f"/sites/{other_site.uuid}/segments")
    assert lands() == f"/console/sites/{other_site.uuid}"
    operators.set_role("ann@example.com", other_site, None, COMMAND_LINE)
    assert lands() == f"/console/sites/{site.uuid}"


def test_a_site_is_shown_while_nobody_can_note_that_it_was(app, site, monkeypatch):
    browser = signed_in(app, "ann@example.com", {site: "viewer"})

    def fail(*_):
        raise Unavailable("no")

    monkeypatch.setattr(sessions, "_refused_at", -MINUTE)  # put back afterwards
    monkeypatch.setattr(stored_operators, "put_last_site", fail)
    assert browser.get(f"/sites/{site.uuid}").status_code == 200
