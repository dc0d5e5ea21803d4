"""Random histories of changes give what the model says, whatever stands together in one batch."""

import json
import random
from collections import Counter
from typing import Any

import pytest

from audience import addresses, clock
from audience.access import site_keys, sites
from audience.changes.changes import Acceptance, Change, Consent
from audience.erasures import erasures
from audience.subscribers import subscribers
from storage import database
from storage.access import site_counters
from storage.access import sites as stored_sites
from storage.subscribers import field_values
from storage.subscribers import subscribers as stored
from tests.depth import examples
from tests.storage.segment_oracle import instant, number
from tests.subscriber_model import NOT_STORED, SubscriberModel

GROUPS, HISTORIES = 6, examples(20)  # each group on an instance of its own
EMAILS = ["ann@a.example", "Ann@A.example", "bob@b.example", "cy@bücher.example", "dan@a.example"]
TAGS = ["vip", "VIP", "new", "old"]
VALUES = ["pro", "Pro", "", 1, 1.0, True, [1, "a"], [1, "A", None], {"a": {"b": 1}}, {}, "2026-03-01", "7"]
COLUMNS = ("email", "first_name", "last_name", "fields", "created_at", "updated_at", "last_event_at",
           "unsubscribed_at", "consent_at", "consent_number", "consent_kind",
           "unsubscribe_number")  # fmt: skip
FIRST = 1_790_000_000_000


def some(chance, values, most):
    return [chance.choice(values) for _ in range(chance.randint(0, most))]


def rarely(chance, value, otherwise):
    return value if chance.random() < 0.2 else otherwise


def a_change(chance, now):
    """The keywords of a `Change`; about a quarter say something of consent."""
    email = chance.choice(EMAILS)
    earlier = now - chance.randrange(4)
    dates = {name: now - chance.randrange(5) for name in some(chance, ["created_at", "updated_at",
             "last_event_at", "unsubscribed_at"], 2)}  # fmt: skip
    dated = rarely(chance, True, False)
    fields = {key: chance.choice(VALUES) for key in some(chance, ["plan", "city", "age"], 2)}
    return {
        "email": email,
        "key": addresses.identity(email),
        "at": earlier if dated else now,
        "first_name": chance.choice(["", "", "A", "B"]) if fields else "",
        "last_name": chance.choice(["", "", "C"]),
        "fields": fields,
        "remove_fields": []
        if fields
        else rarely(chance, some(chance, ["plan", "city", "first_name"], 2), []),
        "tags": some(chance, TAGS, 2),
        "remove_tags": rarely(chance, some(chance, TAGS, 2), []),
        "consent": rarely(chance, chance.choice(list(Consent)), ""),
        "unconfirmed": rarely(chance, True, False),
        "event_at": rarely(chance, earlier, None),
        "dates": rarely(chance, dates, {}),
        "creates": rarely(chance, False, True),
        "rewrites_email": rarely(chance, True, False),
        "consent_at": earlier if dated else None,
    }


class History:
    """A site and its model, to which the same happens."""

    def __init__(self, chance, monkeypatch, instance):
        self.site, self.model, self.chance, self.instance = (
            sites.create("x"),
            SubscriberModel(),
            chance,
            instance,
        )
        self.now, self.waiting = FIRST, []
        monkeypatch.setattr(clock, "now_ms", lambda: self.now)

    def step(self):
        self.now += self.chance.choice([-3, 0, 1, 2, 5])
        act = self.chance.choice(
            [self.write, self.write, self.write, self.wait, self.drain, self.move, self.erase]
        )
        act()

    def take(self):
        with database.write():
            return site_counters.take_acceptance_number(self.site.id, self.now)

    def taken(self):
        """The number and the instant of the newest acceptance."""
        query = "SELECT accepted, accepted_at FROM site_counters WHERE site_id = ?"
        with database.session():
            number, self.model.accepted_at = database.row(query, (self.site.id,))
        return number, self.model.accepted_at

    def batch(self):
        return [a_change(self.chance, self.now) for _ in range(self.chance.randint(1, 6))]

    def write(self):
        self.apply(self.batch(), *self.take())

    def wait(self):
        self.waiting.append((self.batch(), *self.take()))

    def drain(self):
        if self.waiting:
            self.apply(*self.waiting.pop(0))

    def apply(self, changes, number, accepted_at):
        with database.write():
            outcomes = subscribers.write(
                self.site.id, [Change(**change) for change in changes], Acceptance(number, accepted_at)
            ).outcomes
        assert outcomes == self.model.write(changes, number, self.now, accepted_at)

    def move(self):
        old, new = (addresses.identity(self.chance.choice(EMAILS)) for _ in range(2))
        with database.write():
            accepted = subscribers.accept_now(self.site.id)
            problem = subscribers.change_email(self.site.id, old, new, accepted)
        self.taken()
        assert (problem is None) == self.model.move(old, new, new, accepted.number, self.now)

    def erase(self):
        if self.chance.random() < 0.5:
            return
        key = addresses.identity(self.chance.choice(EMAILS))
        erasures.erase(self.site, self.instance, email=key)
        self.model.erase(key, self.taken()[0], self.now)

    def check(self):
        with database.session():
            names = dict(database.rows("SELECT id, name_key FROM tags WHERE site_id = ?", (self.site.id,)))
            people = {
                key: {name: getattr(row, name) for name in COLUMNS}
                | {"tags": [names[each] for each in row.tag_ids]}
                for key, row in stored.get_by_keys(
                    self.site.id, [addresses.identity(each) for each in EMAILS]
                ).items()
            }
            self.check_people(people, names)
            self.check_lists(people)
            self.check_values()
            self.check_consents()

    def check_people(self, people, names):
        assert people.keys() == self.model.people.keys()
        for key, row in people.items():
            expected = {
                name: value for name, value in self.model.people[key].items() if name not in NOT_STORED
            }
            assert json.dumps(row, sort_keys=True) == json.dumps(expected, sort_keys=True), key
        linked = database.rows(
            "SELECT s.email_key, t.tag_id FROM subscriber_tags t "
            "JOIN subscribers s ON s.id = t.subscriber_id "
            "WHERE t.site_id = ?", (self.site.id,),
        )  # fmt: skip
        assert Counter((key, names[tag]) for key, tag in linked) == Counter(
            (key, tag) for key, row in people.items() for tag in row["tags"]
        )
        bearers = database.rows(
            "SELECT name_key, bearers FROM tags WHERE site_id = ? AND bearers <> 0", (self.site.id,)
        )
        assert dict(bearers) == Counter(tag for row in people.values() for tag in row["tags"])

    def check_lists(self, people):
        read = database.rows
        site = (self.site.id,)
        left = sum(row["unsubscribed_at"] is not None for row in people.values())
        assert stored_sites.counters(self.site.id) == (len(people), left)
        hashes = {site_keys.address_hash(self.site.id, key): row for key, row in self.model.hashes.items()}
        stored_hashes = read(
            "SELECT address_hash, reason, since, number, kind FROM suppressions WHERE site_id = ?", site
        )
        assert {each[0]: tuple(each[1:]) for each in stored_hashes} == hashes
        assert dict(read("SELECT name_key, name FROM tags WHERE site_id = ?", site)) == self.model.tags
        assert {
            key for (key,) in read("SELECT key FROM custom_fields WHERE site_id = ?", site)
        } == self.model.fields

    def check_values(self):
        read, site = database.rows, (self.site.id,)
        people = dict(read("SELECT id, email_key FROM subscribers WHERE site_id = ?", site))
        fields = dict(read("SELECT id, key FROM custom_fields WHERE site_id = ?", site))
        assert Counter(
            (people[id_], fields[field_id], kind, folded, label, *rest)
            for (field_id, folded, label, kind, *rest), ids in field_values.all_sets(self.site.id)
            if field_id != field_values.DOMAIN_ID
            for id_ in ids
        ) == Counter(
            (key, name, *each)
            for key, row in self.model.people.items()
            for name, value in row["fields"].items()
            for each in compared(value)
        )
        people = Counter(key.partition("@")[2] for key in self.model.people)
        assert field_values.counts(self.site.id, field_values.DOMAIN) == people

    def check_consents(self):
        said = database.rows(
            "SELECT s.email_key, c.at, c.subscribed FROM consent_changes c "
            "JOIN subscribers s ON s.id = c.subscriber_id WHERE c.site_id = ? ORDER BY c.id",
            (self.site.id,),
        )
        for key, row in self.model.people.items():
            assert [(at, bool(yes)) for other, at, yes in said if other == key] == row["said"], key
        assert {key for key, _, _ in said} <= self.model.people.keys()


def compared(value):
    """(kind, folded, label, number, instant) of a value, as segments compare it."""
    members = value if isinstance(value, list) else value.values() if isinstance(value, dict) else [value]
    rows: set[tuple[Any, ...]] = set()
    for each in members:
        if isinstance(each, bool):
            rows.add((2, str(each).lower(), "", None, None))
        elif isinstance(each, int | float):
            rows.add((1, repr(each), "", each, None))
        elif isinstance(each, str):
            folded = each.casefold()
            rows.add((0, folded, "" if folded == each else each, number(each), instant(each)))
    return rows or {(3, "", "", None, None)}


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_history_gives_what_the_model_says(app, monkeypatch, tmp_path, group):
    for seed in range(group * HISTORIES, (group + 1) * HISTORIES):
        history = History(random.Random(seed), monkeypatch, tmp_path)
        for _ in range(30):
            history.step()
        history.check()
