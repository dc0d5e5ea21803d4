"""An instance made by commit 71d380e opens, is migrated, and keeps its contents."""

from pathlib import Path

import pytest

from app import open_instance
from audience import events, imports, keys, reports, segments, sites, stats, subscribers, tags
from audience.errors import Refused
from storage import database

DUMP = Path(__file__).parent / "data" / "instance_71d380e.sql"


@pytest.fixture
def site(settings):
    settings.instance.joinpath("pepper").write_bytes(b"p" * 32)
    database.open(settings.database)
    with database.session():
        database.database.connection().execute(DUMP.read_text("utf-8"))
    database.close()
    open_instance(settings)
    [site] = sites.list_all()
    yield site
    database.close()


def test_its_migrations_are_known(site):
    assert database.unlike() == ([], [])


def test_its_site_and_key_are_listed(site):
    [key] = keys.list_all(site)
    assert (site.name, site.time_zone) == ("Example", "Europe/Berlin")
    assert (key.scope, key.revoked_at, key.expires_at) == ("full", None, None)


def test_its_subscriber_is_found(site):
    ann = subscribers.find(site, email="ann@example.com")
    assert ann is not None
    assert (ann.email, ann.first_name, ann.last_name) == ("Ann@example.com", "Ann", "Lee")
    assert ann.fields == {"plan": "pro", "age": 42}
    assert [tag.name for tag in tags.list_all(site) if tag.id in ann.tag_ids] == ["Berlin", "vip"]
    assert [event.type for event in events.for_subscriber(site, ann)] == ["visit"]
    assert stats.for_site(site) == stats.recount(site) == stats.Counts(2, 0)
    assert stats.miscounted(site) == []


def test_its_waiting_import_is_applied(site):
    assert [each.status for each in imports.newest(site)] == ["queued", "finished"]
    imports.drain(site.id, 5)
    assert subscribers.find(site, email="dee@example.com")


def test_its_segment_and_report_work(site):
    assert segments.counts(site, "1") == stats.Counts(1, 0)
    assert len(reports.list_all(site)) == 10
    assert reports.run(site, "10").data


def test_its_erased_address_stays_suppressed(site):
    with pytest.raises(Refused):
        subscribers.create(site, {"email": "bob@example.com"})
