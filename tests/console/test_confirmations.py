"""What asks before it acts, and what a page says after it did."""

import pytest

from audience.access import operators
from audience.access.audit_log import COMMAND_LINE
from tests.console.browser import signed_in
from tests.console.screens import fill

NEW_PASSWORD = "another heron in the reeds"


@pytest.fixture
def bob(app, site):
    operators.add("bob@example.com", False, {site: "viewer"}, COMMAND_LINE)
    return {"email": "bob@example.com"}


def said_after(browser, response):
    """The line at the top of the page that an act leads to."""
    assert response.status_code == 303
    page = browser.get(response.headers["Location"].removeprefix("/console")).text
    return page.partition('role="status" class="note">')[2].partition("<")[0]


def test_an_act_on_operators_leaves_its_line(site, owner, administrator, bob):
    path = f"/sites/{site.uuid}/operators"
    assert "role was given" in said_after(owner, owner.post(path, **bob, role="manager"))
    assert "role was removed" in said_after(owner, owner.post(path, **bob, role=""))
    on_site = bob | {"site": site.uuid}
    for given, act, said in [
        (on_site | {"role": "viewer"}, "role", "role was given"),
        (on_site | {"role": ""}, "role", "role was removed"),
        (bob | {"administrator": "1"}, "administrator", "is an administrator now"),
        (bob, "administrator", "no longer an administrator"),
        (bob, "remove", "was removed"),
    ]:
        assert said in said_after(administrator, administrator.post(f"/operators/{act}", **given))


def test_who_takes_the_own_role_is_asked_first_and_told_why_they_are_signed_out(app, site, owner):
    ann = signed_in(app, "ann@example.com", {site: "owner"})
    path = f"/sites/{site.uuid}/operators"
    shown = ann.get(path).text
    assert shown.count("This is your own role.") == 1
    assert "<summary" in shown.partition('value="ann@example.com"')[0]
    gone = ann.post(path, email="ann@example.com", role="")
    assert gone.headers["Location"] == "/console/sign-in?done=own-role"
    assert "You changed your own role" in said_after(ann, gone)


def test_an_act_on_the_own_account_leaves_its_line(app, site, owner):
    assert "address was saved" in said_after(owner, owner.post("/account/email", email="o@example.com"))
    changed = owner.post("/account/password", password=NEW_PASSWORD)
    assert "password was set" in said_after(owner, changed)


def test_a_page_that_asks_says_nothing_was_done(owner, site):
    fill(site)
    asked = owner.post(f"/sites/{site.uuid}/subscribers/chosen", act="erase", all="1")
    assert "Erase 6 subscribers" in asked.text
    assert 'role="status"' not in asked.text


def test_nothing_but_these_lines_is_shown(owner):
    assert 'role="status"' not in owner.get("/account?done=You+won").text
