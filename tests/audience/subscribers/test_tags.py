"""Tags: names that mean one tag."""

from audience.access import sites
from audience.subscribers import tags
from storage import database


def test_of_names_that_differ_in_case_only_the_first_is_kept(app):
    site = sites.create("Example")
    with database.write():
        ids, _ = tags.ensure(site.id, ("Straße", "STRASSE", "vip", "VIP"), 1)
        assert tags.ensure(site.id, ("strasse", "Vip"), 2) == (ids, [])
    assert sorted(tag.name for tag in tags.list_all(site)) == ["Straße", "vip"]
    assert set(ids) == {"strasse", "vip"}
