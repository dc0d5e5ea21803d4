"""The pages on which owners and administrators give roles."""

import pytest

from audience import audit_log, operators, sites
from audience.audit_log import COMMAND_LINE, page


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
