"""The name and the time zone of a site, changed on its page."""

from audience.access import sites
from audience.access.audit_log import page


def test_an_owner_renames_the_site_and_sets_its_time_zone(site, owner):
    path = f"/sites/{site.uuid}/settings"
    assert owner.post(path, name=" The Letter ", time_zone="Europe/Paris").status_code == 303
    now = sites.get_by_uuid(site.uuid)
    assert (now.name, now.time_zone) == ("The Letter", "Europe/Paris")
    assert {entry.act for entry in page(site)} >= {"site renamed", "time zone set"}
    entries = page(site)
    owner.post(path, name="The Letter", time_zone="Europe/Paris")
    assert page(site) == entries


def test_a_wrong_time_zone_changes_nothing(site, owner):
    refused = owner.post(f"/sites/{site.uuid}/settings", name="Other", time_zone="Mars/Olympus")
    assert (refused.status_code, "IANA" in refused.text) == (422, True)
    assert sites.get_by_uuid(site.uuid) == site
    assert owner.post(f"/sites/{site.uuid}/settings", name=" ", time_zone="UTC").status_code == 422
