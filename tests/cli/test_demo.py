"""`audience demo`: a site to look around in."""

import json
import re

import pytest

from audience import addresses, clock, demo, sites, stats
from storage import database
from tests.door import Door

DAY = 86_400_000
RESERVED = re.compile(r"@([a-z]+\.)?(example\.(com|net|org)|[a-z]+\.example)$")  # RFC 2606


@pytest.fixture
def shown(type_):
    result = type_("demo", "--people", "1200", "--json")
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


@pytest.fixture
def owner(app, shown):
    key = sites.NewKey(shown["publishable_key"], shown["secret_key"], "full")
    return Door(app.test_client(), sites.named(shown["site_uuid"]), key)


def everyone(owner):
    people, page = [], 1
    while found := owner.post("/fetch/search", {"page": page}).json["data"]:
        people += [person["attributes"] for person in found]
        page += 1
    return people


def test_the_site_has_as_many_people_as_asked_for_and_its_counts_are_right(owner, shown):
    assert list(shown) == ["base_url", "site_uuid", "publishable_key", "secret_key"]
    users, _, unsubscribers = owner.counts()
    assert users == 1200
    assert 30 < unsubscribers < 200
    assert stats.recount(owner.site) == stats.site(owner.site)


def test_its_people_are_believable_and_nobodys(owner):
    people = everyone(owner)
    assert len({person["email"] for person in people}) == 1200
    assert all(RESERVED.search(person["email"]) for person in people)
    assert all(addresses.identity(person["email"]) == person["email"] for person in people)
    assert {"plan", "city", "source", "seats"} <= people[0]["fields"].keys()
    assert len({person["fields"]["plan"] for person in people}) == 3
    assert sum(bool(person["cached_tag_ids"]) for person in people) > 600
    assert {tag["attributes"]["name"] for tag in owner.get("/fetch/tags").json["data"]} >= {
        "newsletter",
        "vip",
    }


def test_its_history_goes_back_90_days_and_is_in_order(owner):
    with database.session():
        rows = database.rows(
            "SELECT created_at, updated_at, last_event_at, unsubscribed_at FROM subscribers ORDER BY id"
        )
        events = database.rows(
            "SELECT e.occurred_at, s.created_at, s.last_event_at FROM events e "
            "JOIN subscribers s ON s.id = e.subscriber_id"
        )
    now = clock.now()
    created = [row[0] for row in rows]
    assert created == sorted(created)
    assert 80 * DAY < now - created[0] <= 90 * DAY + 60_000
    assert len({at // DAY for at in created}) > 60
    for row in rows:
        assert row[0] <= row[1] <= now
        assert all(at is None or row[0] <= at <= row[1] for at in row[2:])
    assert len(events) > 1200
    assert all(since <= at <= last for at, since, last in events)


def test_people_come_more_and_more(owner):
    with database.session():
        created = [found[0] for found in database.rows("SELECT created_at FROM subscribers")]
    middle = clock.now() - 45 * DAY
    assert sum(at > middle for at in created) > sum(at < middle for at in created)


def test_cut_off_it_takes_the_site_away_again(app, settings):
    def interrupt(step, done, total):
        if step == "Inventing":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        demo.create(settings.instance, 1000, interrupt)
    assert sites.every() == []
