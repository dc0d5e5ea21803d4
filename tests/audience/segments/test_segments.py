"""Segments: the ids and beginnings that people type, and what keeps a segment."""

import threading

import pytest

from audience.access import sites
from audience.errors import NotFound, Refused
from audience.reports import reports
from audience.searches import searches
from audience.segments import segments
from audience.subscribers.stats import Counts
from storage import database
from storage.searches import lists as subscriber_lists
from tests.client import open_client

COUNT = "Reporting::Reports::VisitorCountReport"
VIP = {"tag": "vip"}


@pytest.fixture
def client(app):
    return open_client(app.test_client())


@pytest.mark.parametrize("text", ["1", "0" * 17 + "1", "9" * 18])
def test_an_id_is_up_to_eighteen_digits(text):
    assert segments.is_id(text)


@pytest.mark.parametrize("text", ["", " 1", "1 ", "+1", "-1", "1.0", "1e3", "١", "１", "²", "9" * 19, "1\n"])
def test_nothing_else_is_an_id(text, app):
    assert not segments.is_id(text)
    with pytest.raises(NotFound):
        segments.get(sites.create("Example"), text)


@pytest.mark.parametrize(("text", "number"), [
    ("ann", 1), ("ANN@EXAMPLE", 1), ("nn", 0), ("", 4), ("50%", 1), ("5_", 0), ("5", 1), ("*", 0),
    ("[a-z]", 0), ("\\", 0), ("o'", 1), ("'", 0), ("shop.ex", 1), ("strasse", 1), ("éva str", 1),
    ("éva x", 0),
])  # fmt: skip
@pytest.mark.parametrize("most_found", [0, 10_000])
def test_a_beginning_is_text_and_no_pattern(client, monkeypatch, most_found, text, number):
    monkeypatch.setattr(subscriber_lists, "MOST_FOUND", most_found)
    for email in ("ann@example.com", "50%off@shop.example", "o'neil@example.com"):
        client.create(email)
    client.create("eva@example.com", first_name="Éva", last_name="Straße")
    with database.session():
        chosen = segments.beginning(client.site.id, text)
        assert subscriber_lists.count(client.site.id, chosen, "created_at", 100) == number


def test_a_segment_is_kept_by_the_last_report_that_uses_it_and_by_no_other_site(client, app):
    other = open_client(app.test_client()).site
    segment, others = (segments.create(site, {"name": "VIP", "rules": VIP}) for site in (client.site, other))
    item = {"name": "VIPs", "report_type": COUNT, "segment_id": str(segment.id)}
    first, second = (reports.create(client.site, item) for _ in range(2))
    for used in (first, second):
        with pytest.raises(Refused):
            segments.delete(client.site, str(segment.id))
        reports.delete(client.site, str(used.id))
    assert segments.delete(client.site, str(segment.id)) == segment
    assert segments.list_all(other) == [others]


def test_a_saved_segment_follows_the_tag_that_comes_later(client):
    segment = segments.create(client.site, {"name": "VIP", "rules": VIP})
    assert segments.counts(client.site, str(segment.id)) == Counts(0, 0)
    client.create("ann@example.com", tags="VIP")
    assert segments.count(client.site, VIP) == 1
    counts, sample = segments.preview(client.site, VIP)
    assert counts == Counts(1, 0)
    assert [each.email for each in sample] == ["ann@example.com"]


def test_a_page_of_a_segment_is_of_one_instant(client, monkeypatch):
    """Nobody is shown as subscribed who was added unsubscribed between two statements."""
    client.create("ann@example.com")
    segment = segments.create(client.site, {"name": "All", "rules": {"status": "subscribed"}})
    members = segments.members

    def add_unsubscribed():
        client.create("bob@example.com")
        client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "bob@example.com"}})

    def members_before_a_write(*arguments):
        chosen = members(*arguments)
        writer = threading.Thread(target=add_unsubscribed)
        writer.start()
        writer.join()
        return chosen

    monkeypatch.setattr(segments, "members", members_before_a_write)
    query = searches.SearchRequest(after={}, before={}, segment_id=str(segment.id))
    assert [row.email for row in searches.search(client.site, query, 1)[0]] == ["ann@example.com"]
    assert client.counts() == (2, 1, 1)
