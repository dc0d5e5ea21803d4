"""Pages far down a list, by whatever it is filtered, are those of the whole list."""

import random

import pytest

from audience.subscribers import tags as tag_names
from storage import database
from storage.access.sites import add_to_counters
from storage.searches import searches
from storage.searches.searches import Filters
from storage.segments.nodes import Condition
from storage.segments.rules import Finder
from storage.subscribers import tags
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
            tags.add_to_counters(site_id, {ids[name]: len(tagged)})
        add_to_counters(site_id, len(people), 0)


def filters_of(site_id):
    with database.session():
        ids = tags.ids(site_id, TAGS)
        has_tag = Finder(site_id).members(Condition("tag", "is", "common")).condition
        at_domain = Finder(site_id).members(Condition("email_domain", "is", "example.com")).condition
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
        Filters(rules=[at_domain]),
    ]


def shown(site_id, filters, limit, offset):
    with database.session():
        return [person.uuid for person in searches.search(site_id, filters, limit, offset)]


@pytest.mark.parametrize("number", range(11))
def test_a_far_page_is_that_of_the_whole_list(site_id, number):
    filters = filters_of(site_id)[number]
    wanted = shown(site_id, filters, 10**6, 0)
    for offset in [*range(0, PEOPLE + 40, 10), 25, 10**6]:
        assert shown(site_id, filters, 11, offset) == wanted[offset : offset + 11]


def test_tags_that_exclude_each_other_are_not_looked_for_among_all(site_id, monkeypatch):
    monkeypatch.setattr(searches, "PAGE_ROWS", 10)
    with database.session():
        ids = tags.ids(site_id, TAGS)
        common, apart, half = ids["common"], ids["apart"], ids["half"]
        assert searches._plan(site_id, Filters(tag_ids=[common, apart])).tag == apart
        assert searches._plan(site_id, Filters(tag_ids=[common, half])).tag is None
