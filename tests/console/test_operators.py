"""The pages on which owners and administrators give roles."""

import re

import pytest

from audience.access import audit_log, operators, sites
from audience.access.audit_log import COMMAND_LINE, page
from tests.console.browser import signed_in


def roles_of(email):
    return next(roles for each, roles in operators.list_all() if each.email == email)


def test_an_administrator_makes_a_site_and_owns_it(app, site, administrator, owner):
    operators.add("ann@example.com", True, {}, COMMAND_LINE)
    assert "Example" in administrator.get("/sites").text
    sent = administrator.post("/sites", name=" Second ", time_zone="Europe/Oslo")
    made = next(each for each in sites.list_all() if each.name == "Second")
    assert sent.headers["Location"] == f"/console/sites/{made.uuid}"
    assert made.time_zone == "Europe/Oslo"
    assert administrator.get(f"/sites/{made.uuid}").status_code == 200
    given = {each.email: roles.get(made.id) for each, roles in operators.list_all()}
    assert given == {"admin@example.com": "owner", "owner@example.com": None, "ann@example.com": None}
    entry = next(each for each in audit_log.page(None) if each.act == "site made")
    assert (entry.actor, entry.subject) == ("admin@example.com", "Second")
    assert owner.post("/sites", name="Third", time_zone="UTC").status_code == 404


@pytest.mark.parametrize(
    ("name", "zone", "said"), [("", "UTC", "Give the site a name."), ("x", "Mars", "IANA")]
)
def test_a_site_needs_a_name_and_a_zone(site, administrator, name, zone, said):
    refused = administrator.post("/sites", name=name, time_zone=zone)
    assert (refused.status_code, said in refused.text) == (422, True)
    assert len(sites.list_all()) == 1


def test_an_owner_gives_changes_and_takes_roles_on_the_own_site(site, other_site, owner):
    operators.add("bob@example.com", False, {other_site: "viewer"}, COMMAND_LINE)
    for role in ("viewer", "manager", "owner"):
        owner.post(f"/sites/{site.uuid}/operators", email="bob@example.com", role=role)
        assert roles_of("bob@example.com") == {site.id: role, other_site.id: "viewer"}
        assert f">{role}<" in owner.get(f"/sites/{site.uuid}/operators").text
    owner.post(f"/sites/{site.uuid}/operators", email="bob@example.com", role="")
    assert roles_of("bob@example.com") == {other_site.id: "viewer"}
    assert (
        owner.post(f"/sites/{other_site.uuid}/operators", email="bob@example.com", role="owner").status_code
        == 404
    )


def test_an_unknown_role_or_operator_is_refused_on_the_page(site, owner):
    unknown = owner.post(f"/sites/{site.uuid}/operators", email="eve@example.com", role="owner")
    assert (unknown.status_code, "no operator with this address" in unknown.text) == (404, True)
    wrong = owner.post(f"/sites/{site.uuid}/operators", email="owner@example.com", role="king")
    assert (wrong.status_code, wrong.text.count("king")) == (422, 0)
    assert roles_of("owner@example.com") == {site.id: "owner"}


def test_the_last_owner_and_the_last_administrator_stay(site, owner, administrator):
    refused = owner.post(f"/sites/{site.uuid}/operators", email="owner@example.com", role="")
    assert (refused.status_code, operators.LAST_OWNER in refused.text) == (422, True)
    for path in ("/operators/administrator", "/operators/remove"):
        refused = administrator.post(path, email="admin@example.com")
        assert (refused.status_code, operators.LAST_ADMINISTRATOR in refused.text) == (422, True)
    refused = administrator.post("/operators/remove", email="owner@example.com")
    assert (refused.status_code, operators.LAST_OWNER in refused.text) == (422, True)


def test_an_administrator_gives_a_new_site_its_owner(administrator):
    site = sites.create("New")
    fields = {"email": "admin@example.com", "site": site.uuid, "role": "owner"}
    assert administrator.post("/operators/role", **fields).status_code == 303
    assert roles_of("admin@example.com") == {site.id: "owner"}
    assert page(site)[0].actor == "admin@example.com"
    assert administrator.post("/operators/role", **(fields | {"site": "x"})).status_code in (303, 404)


def test_an_administrator_makes_another_one(app, administrator):
    operators.add("bob@example.com", False, {}, COMMAND_LINE)
    administrator.post("/operators/administrator", email="bob@example.com", administrator="1")
    assert operators.get("bob@example.com").administrator
    administrator.post("/operators/administrator", email="bob@example.com")
    assert not operators.get("bob@example.com").administrator


def test_the_screens_and_the_tabs_keep_their_place_on_the_pages_of_the_instance(app, site, other_site):
    browser = signed_in(app, "ann@example.com", {site: "viewer", other_site: "owner"}, administrator=True)
    tabs = {}
    for path in (f"/sites/{other_site.uuid}/settings", "/sites", "/operators", "/audit-log", "/backups"):
        page = browser.get(f"{path}?of={other_site.uuid}").text
        assert f'href="/console/sites/{other_site.uuid}/subscribers"' in page, path
        nav = page.partition('aria-label="Settings"')[2].partition("</nav>")[0]
        tabs[path] = re.findall(r">([^<]+)</a>", nav)
    assert len(set(map(tuple, tabs.values()))) == 1
    assert len(tabs["/sites"]) == 12
    assert f"/sites/{site.uuid}/subscribers" in browser.get("/sites?of=x").text


@pytest.mark.parametrize("path", ["/sites", "/sites/{site.uuid}/settings", "/sites/{site.uuid}/keys"])
def test_a_name_that_is_too_long_is_refused_and_not_cut(app, site, path):
    browser = signed_in(app, "ann@example.com", {site: "owner"}, administrator=True)
    sent = {"name": "x" * 201, "time_zone": "UTC", "scope": "full"}
    refused = browser.post(path.format(site=site), **sent)
    assert (refused.status_code, "Shorten the name" in refused.text) == (422, True)
    assert [each.name for each in sites.list_all()] == ["Example"]


def test_the_site_that_a_page_of_the_instance_was_reached_from_stays(app, site, other_site):
    browser = signed_in(app, "adam@example.com", {site: "owner", other_site: "owner"}, administrator=True)
    for number in range(audit_log.PAGE_ROWS + 1):
        audit_log.record(COMMAND_LINE, f"act {number}.")
    log = browser.get(f"/audit-log?of={other_site.uuid}").text
    [older] = re.findall(r'href="/console([^"]+)" rel="next"', log)
    assert f"/sites/{other_site.uuid}/subscribers" in browser.get(older.replace("&amp;", "&")).text
    made = browser.post(
        f"/operators/administrator?of={other_site.uuid}", email="adam@example.com", administrator="1"
    )
    assert f"of={other_site.uuid}" in made.headers["Location"]
    forms = re.findall(
        r'action="(/console/operators[^"]*)"', browser.get(f"/operators?of={other_site.uuid}").text
    )
    assert forms
    assert all(f"of={other_site.uuid}" in each for each in forms)
