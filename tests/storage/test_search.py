"""Search gives the same people whichever index it takes."""

import pytest

from audience import clock
from storage import database, subscribers
from storage.subscribers import Filters, Person

PEOPLE = 30


@pytest.fixture
def people(door):
    """Updated in another order than created; some unsubscribed, some with events."""
    at = clock.now()
    made = [
        Person(
            0,
            f"{number:036}",
            f"p{number}@example.com",
            f"p{number}@example.com",
            created_at=at + number // 3,
            updated_at=at + number * 7 % PEOPLE,
            last_event_at=at + number if number % 2 else None,
            unsubscribed_at=at - number if number % 3 else None,
        )
        for number in range(PEOPLE)
    ]
    with database.write():
        subscribers.save(door.site.id, made)
    return at, made


@pytest.mark.parametrize("many", [1, 10, PEOPLE + 1])
@pytest.mark.parametrize("date", subscribers.DATES)
@pytest.mark.parametrize("offset", [0, 7])
def test_few_or_many_matches_come_in_the_same_order(door, people, monkeypatch, many, date, offset):
    at, made = people
    monkeypatch.setattr(subscribers, "MANY", many)
    after, before = at - 20, at + 20
    with database.session():
        filters = Filters(after={date: after}, before={date: before})
        found = subscribers.search(door.site.id, filters, 9, offset)
    matching = [
        each for each in made if (value := getattr(each, date)) is not None and after < value < before
    ]
    wanted = sorted(matching, key=lambda each: (each.created_at, made.index(each)), reverse=True)
    assert wanted
    assert [each.email_key for each in found] == [each.email_key for each in wanted][offset : offset + 9]
