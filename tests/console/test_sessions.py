"""Sessions of operators: how long they last, what ends them, and their cookie."""

import pytest

from audience.access import operators, sessions
from audience.access.audit_log import COMMAND_LINE
from tests.console.browser import COOKIE, open_browser, signed_in
from tests.console.conftest import PASSWORD

MINUTE, HOUR, DAY = 60_000, 3_600_000, 86_400_000
FORM = {"email": "ann@example.com", "password": PASSWORD}


def test_a_new_password_ends_every_other_session(app, ann, site):
    here, there = open_browser(app), open_browser(app)
    for each in (here, there):
        each.post("/sign-in", **FORM)
    wrong = here.post("/account/password", current="not it at all", password="another heron in the reeds")
    assert (wrong.status_code, there.is_signed_in()) == (422, True)
    assert (
        here.post("/account/password", current=PASSWORD, password="another heron in the reeds").status_code
        == 303
    )
    assert (here.is_signed_in(), there.is_signed_in()) == (True, False)


def test_reset_removal_and_a_change_of_role_end_sessions_at_once(app, site):
    acts = (
        lambda email: operators.reset(email, COMMAND_LINE),
        lambda email: operators.set_role(email, site, "support", COMMAND_LINE),
        lambda email: operators.set_administrator(email, True, COMMAND_LINE),
        lambda email: operators.remove(email, COMMAND_LINE),
    )
    operators.add("admin@example.com", True, {}, COMMAND_LINE)
    for number, act in enumerate(acts):
        browser = signed_in(app, f"p{number}@example.com", {site: "viewer"})
        assert browser.is_signed_in()
        act(f"p{number}@example.com")
        assert not browser.is_signed_in()


def test_signing_in_makes_a_new_session_and_ends_the_old_one(browser, ann):
    browser.post("/sign-in", **FORM)
    old = browser.token
    browser.post("/sign-in", **FORM)
    assert browser.token != old
    assert sessions.find(old) is None
    assert len(sessions.list_of(ann.id)) == 1


def test_signing_out_ends_the_session(browser, ann):
    browser.post("/sign-in", **FORM)
    token = browser.token
    assert browser.post("/sign-out").headers["Location"] == "/console/sign-in"
    assert sessions.find(token) is None
    assert browser.token == ""


@pytest.mark.parametrize(
    ("remember", "idle", "whole"), [({}, 2 * HOUR, 12 * HOUR), ({"remember": "1"}, 7 * DAY, 30 * DAY)]
)
def test_a_session_ends_when_idle_and_in_any_case(browser, ann, later, remember, idle, whole):
    browser.post("/sign-in", **FORM, **remember)
    later(idle - 5 * MINUTE)
    assert browser.is_signed_in()
    later(idle)
    assert not browser.is_signed_in()
    browser.post("/sign-in", **FORM, **remember)
    passed = 0
    while passed + idle // 2 < whole:
        later(idle // 2)
        passed += idle // 2
        assert browser.is_signed_in()
    later(idle // 2)
    assert not browser.is_signed_in()


def test_the_last_use_is_written_at_most_every_five_minutes(browser, ann, later):
    browser.post("/sign-in", **FORM)
    used = [sessions.list_of(ann.id)[0].used_at]
    for _ in range(3):
        later(2 * MINUTE)
        browser.is_signed_in()
        used.append(sessions.list_of(ann.id)[0].used_at)
    assert used[0] == used[1] == used[2] < used[3]


def test_ones_own_sessions_are_listed_and_ended(app, ann, owner):
    here, there = open_browser(app), open_browser(app)
    for each in (here, there):
        each.post("/sign-in", **FORM)
    other = sessions.find(there.token)
    theirs = sessions.find(owner.token)
    assert other is not None
    assert theirs is not None
    assert here.get("/account").text.count("/end") == 1
    assert here.post(f"/account/sessions/{theirs.id}/end").status_code == 404
    assert here.post(f"/account/sessions/{other.id}/end").status_code == 303
    assert (here.is_signed_in(), there.is_signed_in(), owner.is_signed_in()) == (True, False, True)


def test_the_cookie_on_loopback_names_the_port(browser, ann):
    cookie = browser.post("/sign-in", **FORM).headers["Set-Cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    assert cookie.partition("; ")[2] == "HttpOnly; Path=/console; SameSite=Lax"
    remembered = browser.post("/sign-in", **FORM, remember="1").headers["Set-Cookie"]
    assert "Max-Age=2592000" in remembered


def test_the_cookie_goes_to_no_page_for_people(browser, ann):
    assert browser.post("/sign-in", **FORM).status_code == 303
    assert browser.is_signed_in()
    assert browser.http.get_cookie(COOKIE, path="/") is None
