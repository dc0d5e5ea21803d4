"""Tags: names that mean one tag, and removals that take several turns."""

import pytest

from audience.access import sites
from audience.subscribers import subscribers, tags
from storage import database
from storage.errors import Unavailable
from tests.client import open_client


@pytest.fixture
def site(client):
    for number in range(5):
        client.create(f"p{number}@example.com", tags="vip")
    return client.site


def tagged(site):
    """The numbers of those who have a tag."""
    found = [subscribers.find(site, f"p{number}@example.com") for number in range(5)]
    return [number for number, each in enumerate(found) if each and each.tag_ids]


@pytest.fixture
def interrupted(monkeypatch):
    """Removes two at a time, and is refused the lock after the first two."""
    real, turns = tags._strip_some, []

    def once(*arguments):
        turns.append(arguments)
        if len(turns) > 1:
            raise Unavailable("database is locked")
        return real(*arguments)

    monkeypatch.setattr(tags, "CHUNK_ROWS", 2)
    monkeypatch.setattr(tags, "_strip_some", once)
    return lambda: monkeypatch.setattr(tags, "_strip_some", real)


def test_of_names_that_differ_in_case_only_the_first_is_kept(app):
    site = sites.create("Example")
    with database.write():
        ids, _ = tags.ensure(site.id, ("Straße", "STRASSE", "vip", "VIP"), 1)
        assert tags.ensure(site.id, ("strasse", "Vip"), 2) == (ids, [])
    assert sorted(tag.name for tag in tags.list_all(site)) == ["Straße", "vip"]
    assert set(ids) == {"strasse", "vip"}


def test_a_removal_that_is_refused_the_lock_is_not_reported_and_goes_on_later(site, interrupted):
    [tag] = tags.list_all(site)
    assert tags.delete(site, tag.id) == tag
    assert tags.list_all(site) == []
    assert len(tagged(site)) == 3
    interrupted()
    tags.sweep()
    assert tagged(site) == []


def test_a_new_tag_of_the_same_name_is_not_removed_with_the_old_one(site, client, interrupted):
    [tag] = tags.list_all(site)
    tags.delete(site, tag.id)
    client.create("p0@example.com", tags="vip")
    interrupted()
    tags.sweep()
    assert tagged(site) == [0]
    [new] = tags.list_all(site)
    assert new.id != tag.id


def test_a_sweep_without_time_leaves_the_rest_to_the_next(site, interrupted, monkeypatch):
    [tag] = tags.list_all(site)
    tags.delete(site, tag.id)
    interrupted()
    with monkeypatch.context() as patch:
        patch.setattr(tags, "SWEEP_SECONDS", 0.0)
        tags.sweep()
        assert len(tagged(site)) == 3
    tags.sweep()
    assert tagged(site) == []


def test_a_sweep_removes_the_tags_of_every_site(site, app, interrupted):
    other = open_client(app.test_client())
    other.create("p0@example.com", tags="vip")
    for each in (site, other.site):
        [tag] = tags.list_all(each)
        tags.delete(each, tag.id)
    assert (len(tagged(site)), tagged(other.site)) == (3, [0])
    interrupted()
    tags.sweep()
    assert (tagged(site), tagged(other.site)) == ([], [])
