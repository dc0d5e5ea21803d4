"""Deletions of tags: removals that take several turns."""

import pytest

from audience.bulk import tag_deletions
from audience.subscribers import subscribers, tags
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
    real, turns = tag_deletions._strip_some, []

    def once(*arguments):
        turns.append(arguments)
        if len(turns) > 1:
            raise Unavailable("database is locked")
        return real(*arguments)

    monkeypatch.setattr(tag_deletions, "CHUNK_ROWS", 2)
    monkeypatch.setattr(tag_deletions, "_strip_some", once)
    return lambda: monkeypatch.setattr(tag_deletions, "_strip_some", real)


def test_a_removal_that_is_refused_the_lock_is_not_reported_and_goes_on_later(site, interrupted):
    [tag] = tags.list_all(site)
    assert tag_deletions.delete(site, tag.id) == tag
    assert tags.list_all(site) == []
    assert len(tagged(site)) == 3
    interrupted()
    tag_deletions.sweep()
    assert tagged(site) == []


def test_a_new_tag_of_the_same_name_is_not_removed_with_the_old_one(site, client, interrupted):
    [tag] = tags.list_all(site)
    tag_deletions.delete(site, tag.id)
    client.create("p0@example.com", tags="vip")
    interrupted()
    tag_deletions.sweep()
    assert tagged(site) == [0]
    [new] = tags.list_all(site)
    assert new.id != tag.id


def test_a_sweep_without_time_leaves_the_rest_to_the_next(site, interrupted, monkeypatch):
    [tag] = tags.list_all(site)
    tag_deletions.delete(site, tag.id)
    interrupted()
    with monkeypatch.context() as patch:
        patch.setattr(tag_deletions, "SWEEP_SECONDS", 0.0)
        tag_deletions.sweep()
        assert len(tagged(site)) == 3
    tag_deletions.sweep()
    assert tagged(site) == []


def test_a_sweep_removes_the_tags_of_every_site(site, app, interrupted):
    other = open_client(app.test_client())
    other.create("p0@example.com", tags="vip")
    for each in (site, other.site):
        [tag] = tags.list_all(each)
        tag_deletions.delete(each, tag.id)
    assert (len(tagged(site)), tagged(other.site)) == (3, [0])
    interrupted()
    tag_deletions.sweep()
    assert (tagged(site), tagged(other.site)) == ([], [])
