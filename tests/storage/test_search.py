"""Search finds the same subscribers with any index."""

import pytest

from audience import clock
from storage import database
from storage.searches import searches
from storage.searches.searches import Filters
from storage.subscribers.subscribers import DATES
from tests.stored_people import person, store

SUBSCRIBERS = 30


@pytest.fixture
def stored(client):
    """Subscribers updated in a different order than created; some unsubscribed, some with events."""
    at = clock.now_ms()
    created = [
        person(
            f"p{number}@example.com",
            created_at=at + number // 3,
            updated_at=at + number * 7 % SUBSCRIBERS,
            last_event_at=at + number if number % 2 else None,
            unsubscribed_at=at - number if number % 3 else None,
        )
        for number in range(SUBSCRIBERS)
    ]
    store(client.site.id, created)
    return at, created


@pytest.mark.parametrize("many", [1, 10, SUBSCRIBERS + 1])
@pytest.mark.parametrize("date", DATES)
@pytest.mark.parametrize("offset", [0, 7])
def test_few_and_many_matches_have_the_same_order(client, stored, monkeypatch, many, date, offset):
    at, created = stored
    monkeypatch.setattr(searches, "MANY", many)
    after, before = at - 20, at + 20
    with database.session():
        filters = Filters(after={date: after}, before={date: before})
        page = searches.search(client.site.id, filters, 9, offset)
    matching = [
        each for each in created if (value := each.dates.get(date)) is not None and after < value < before
    ]
    wanted = sorted(matching, key=lambda each: (each.dates["created_at"], created.index(each)), reverse=True)
    assert wanted
    assert [each.email_key for each in page] == [each.key for each in wanted][offset : offset + 9]
