"""Pages far down a list are the same from a bookmark as from its beginning, whatever changes in between."""

import random

import pytest

from audience.subscribers import tags as tag_names
from storage import database
from storage.access.sites import count
from storage.searches import bookmarks, searches
from storage.searches.searches import Filters
from storage.segments.nodes import Condition, Events
from storage.segments.rules import compile
from storage.subscribers import subscribers, tags
from storage.subscribers.subscribers import Subscriber
from tests.stored_people import store_rows

PEOPLE = 230
TAGS = {
    "common": lambda each: each % 5,
    "rare": lambda each: not each % 9,
    "apart": lambda each: not each % 5,
    "half": lambda each: each % 2,
}


@pytest.fixture
def site_id(client, monkeypatch):
    """A site with people of few dates, most of them with one tag and few with another."""
    monkeypatch.setattr(bookmarks, "STEP", 10)
    monkeypatch.setattr(searches, "STEP", 10)
    monkeypatch.setattr(searches, "FAR", 20)
    monkeypatch.setattr(searches, "FEW", 30)
    add(client.site.id, range(PEOPLE))
    return client.site.id


def add(site_id, numbers):
    chance = random.Random(5)
    people = [
        Subscriber(
            0, f"{number:036}", f"p{number}@example.com", f"p{number}@example.com",
            created_at=chance.randrange(9), updated_at=number, last_event_at=number or None,
        )
        for number in numbers
    ]  # fmt: skip
    with database.write():
        ids, _ = tag_names.ensure(site_id, TAGS, 1)
        known = store_rows(site_id, people)
        for name, has in TAGS.items():
            tagged = [(site_id, ids[name], each) for each in known.values() if has(each)]
            tags.link(tagged)
            tags.count(site_id, {ids[name]: len(tagged)})
        count(site_id, len(people), 0)


def filters_of(site_id):
    with database.session():
        ids = tags.ids(site_id, TAGS)
        has_tag = compile(Condition("tag", "is", "common"), site_id)
    return [
        Filters(),
        Filters(before={"created_at": 6}),
        Filters(after={"created_at": 2}, before={"created_at": 8}),
        Filters(tag_ids=[ids["common"]]),
        Filters(tag_ids=[ids["common"]], before={"updated_at": 200}),
        Filters(tag_ids=[ids["common"], ids["rare"]]),
        Filters(tag_ids=[ids["rare"]], after={"last_event_at": 3}),
        Filters(tag_ids=[ids["common"], ids["apart"]]),
        Filters(tag_ids=[ids["common"], ids["half"]], before={"updated_at": 200}),
        Filters(rules=[has_tag]),
        Filters(rules=[compile(Condition("email_domain", "is", "example.com"), site_id)]),
    ]


def shown(site_id, filters, offset):
    with database.session():
        return [person.uuid for person in searches.search(site_id, filters, 11, offset)]


def whole(site_id, filters, monkeypatch):
    with monkeypatch.context() as patch, database.session():
        patch.setattr(searches, "FAR", 10**9)
        return [person.uuid for person in searches.search(site_id, filters, 10**6, 0)]


@pytest.mark.parametrize("number", range(11))
def test_a_page_from_a_bookmark_is_that_of_the_whole_list(site_id, monkeypatch, number):
    filters = filters_of(site_id)[number]
    wanted = whole(site_id, filters, monkeypatch)
    for offset in [*range(0, PEOPLE + 40, 10), 40, 20, 25, 200, 10**6]:
        assert shown(site_id, filters, offset) == wanted[offset : offset + 11]


@pytest.mark.parametrize("write", [
    lambda site_id: add(site_id, [PEOPLE + 1]),
    lambda site_id: subscribers.delete(site_id, [7]),
    lambda site_id: database.execute("UPDATE subscribers SET created_at = 20 WHERE site_id = ?", [site_id]),
    lambda site_id: database.execute("DELETE FROM subscriber_tags WHERE site_id = ?", [site_id]),
])  # fmt: skip
@pytest.mark.parametrize("number", [0, 3])
def test_whatever_is_written_is_seen_at_once(site_id, monkeypatch, write, number):
    filters = filters_of(site_id)[number]
    for _ in range(3):
        shown(site_id, filters, 150)
    with database.write():
        write(site_id)
    wanted = whole(site_id, filters, monkeypatch)
    assert [shown(site_id, filters, 150) for _ in range(3)] == [wanted[150:161]] * 3


def test_bookmarks_from_before_a_change_do_not_outlive_it(site_id, monkeypatch):
    step = searches.SearchPage.step

    def changed_meanwhile(page, mark):
        """Another request sees the change before this one has kept its bookmarks."""
        found = step(page, mark)
        if mark is None:
            add(site_id, range(PEOPLE, PEOPLE + 40))
            shown(site_id, Filters(), 150)
        return found

    shown(site_id, Filters(), 150)
    with monkeypatch.context() as patch:
        patch.setattr(searches.SearchPage, "step", changed_meanwhile)
        shown(site_id, Filters(), 150)
    wanted = whole(site_id, Filters(), monkeypatch)
    assert [shown(site_id, Filters(), 150) for _ in range(2)] == [wanted[150:161]] * 2


def test_tags_that_exclude_each_other_are_not_looked_for_among_all(site_id, monkeypatch):
    monkeypatch.setattr(searches, "PAGE_ROWS", 10)
    with database.session():
        ids = tags.ids(site_id, TAGS)
        common, apart, half = ids["common"], ids["apart"], ids["half"]
        assert searches._plan(site_id, Filters(tag_ids=[common, apart])).tag == apart
        assert searches._plan(site_id, Filters(tag_ids=[common, half])).tag is None


def test_only_a_list_that_stays_as_it_is_gets_bookmarks(site_id, monkeypatch):
    made = []
    monkeypatch.setattr(searches.SearchPage, "step", lambda *_: made.append(1))
    for number in range(3):
        add(site_id, [PEOPLE + number])
        shown(site_id, Filters(), 150)
    assert not made
    shown(site_id, Filters(), 150)
    assert made


@pytest.mark.parametrize(("rule", "gets"), [
    (Condition("status", "is", "subscribed"), True),
    (Condition("tag", "is", "common"), False),
    (Condition("field", "exists", True, "plan"), False),
    (Events("visit", 1, None), False),
])  # fmt: skip
def test_no_rule_that_reads_other_tables_whole_is_asked_for_every_bookmark(site_id, monkeypatch, rule, gets):
    made = []
    monkeypatch.setattr(searches.SearchPage, "step", lambda *_: made.append(1))
    for _ in range(2):
        with database.session():
            compiled = compile(rule, site_id)
        shown(site_id, Filters(rules=[compiled]), 150)
    assert bool(made) == gets
