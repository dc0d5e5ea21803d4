"""Random requests to two sites: each answer is what the plain model of `tests/subscriber_model.py` says.

At the end, so is the whole site: people, events, tags, fields, counts and segments. The judge that knows less
(`tests/stories/invariant.py`) finds nothing wrong, nor in a history through every interface.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import pytest

from audience import addresses, clock
from audience.operations import site_lane
from schemas.values import write_date
from tests.stories import doors
from tests.stories.doors import JudgedClient, open_judged
from tests.stories.invariant import assert_holds
from tests.subscriber_model import CREATED, MISSING, SUPPRESSED, SubscriberModel, same
from tests.torture import judged
from tests.torture.application import opened_application

SHORT, LONG, UNIT = 40, 4_000, "histories of 25 steps"
STEPS = 25
FIRST = 1_790_000_000_000
EMAILS = (
    "ann@a.example",
    "Ann@A.example",
    "bob@b.example",
    "cy@bücher.example",
    "dan@a.example",
    " eve@b.example ",
)
TAGS = ("vip", "VIP", "new", "a b")
KEYS = ("plan", "city", "age")
VALUES = ("pro", "Pro", "", 1, 1.5, True, [1, "a"], {"a": {"b": None}}, "2026-03-01")
UNCHANGED = {
    "first_name": "", "last_name": "", "fields": {}, "remove_fields": [], "tags": [], "remove_tags": [],
    "consent": "", "unconfirmed": False, "event_at": None, "dates": {}, "creates": True,
    "rewrites_email": False, "consent_at": None,
}  # fmt: skip


class SiteUnderTest:
    """A site and its model. Each step is done to both."""

    def __init__(self, client: JudgedClient, chance: Random) -> None:
        self.client, self.chance, self.model = client, chance, SubscriberModel()
        self.now, self.number = FIRST, 0
        self.events: Counter[str] = Counter()  # by key of the address

    def step(self) -> None:
        self.now += self.chance.choice([0, 1, 5, 1_000])
        acts = (self.create, self.batch, self.command, self.command, self.event, self.erase, self.move,
                self.add_tag, self.delete_tag, self.add_field, self.find)  # fmt: skip
        self.chance.choice(acts)()

    def change(self, email: str, **asked: Any) -> dict[str, Any]:
        email = email.strip()
        return UNCHANGED | {"email": email, "key": addresses.identity(email), "at": self.now} | asked

    def write(self, *changes: dict[str, Any]) -> list[str]:
        self.number += 1
        return self.model.write(list(changes), self.number, self.now, self.model.accept(self.now))

    def some(self) -> dict[str, Any]:
        """Random values that a request may set."""
        chance = self.chance
        said: dict[str, Any] = {"email": chance.choice(EMAILS)}
        if chance.random() < 0.5:
            said["fields"] = {key: chance.choice(VALUES) for key in chance.sample(KEYS, chance.randint(0, 2))}
        if chance.random() < 0.4:
            said["first_name"] = chance.choice(["", "A", "B"])
        if chance.random() < 0.4:
            said["tags"] = chance.sample(TAGS, chance.randint(0, 2))
        if chance.random() < 0.2:
            said["remove_tags"] = chance.sample(TAGS, 1)
        return said

    def create(self) -> None:
        said = self.some()
        answer = self.client.post("/fetch/subscribers", {"subscriber": said})
        [outcome] = self.write(self.change(**said, rewrites_email=True))
        assert answer.status_code == (422 if outcome == SUPPRESSED else 201), (said, answer.text)
        if outcome != SUPPRESSED:
            self.compare(answer.json["data"], addresses.identity(said["email"]))  # type: ignore[index]

    def batch(self) -> None:
        items = [self.some() for _ in range(self.chance.randint(1, 5))]
        for item in items:
            if self.chance.random() < 0.3:
                item["command"] = self.chance.choice(["subscribe", "unsubscribe"])
        answer: Any = self.client.post("/batch/subscribers", {"subscribers": items}).json
        site_lane.drain(self.client.site.id, 30)
        self.client.judge.empty()
        changes = [
            self.change(**{name: value for name, value in item.items() if name != "command"},
                        consent=item.get("command", "")) for item in items
        ]  # fmt: skip
        outcomes = Counter(self.write(*changes))
        state: Any = self.client.get(f"/batch/imports/{answer['import_id']}").json
        counted = state["data"]["attributes"]
        assert (counted["created"], counted["updated"], counted["unchanged"], counted["suppressed"]) == (
            outcomes[CREATED], outcomes["updated"], outcomes["unchanged"], outcomes[SUPPRESSED]
        ), (items, counted)  # fmt: skip

    def command(self) -> None:
        chance, email = self.chance, self.chance.choice(EMAILS)
        tag, key, value = chance.choice(TAGS), chance.choice(KEYS), chance.choice(VALUES)
        commands: list[tuple[str, Any, dict[str, Any]]] = [
            ("add_tag", tag, {"tags": [tag]}),
            ("add_tag_via_event", tag, {"tags": [tag], "event_at": self.now}),
            ("remove_tag", tag, {"remove_tags": [tag], "creates": False}),
            ("add_field", {"key": key, "value": value}, {"fields": {key: value}}),
            ("remove_field", key, {"remove_fields": [key], "creates": False}),
            ("subscribe", None, {"consent": "subscribe"}),
            ("unsubscribe", None, {"consent": "unsubscribe"}),
        ]
        name, query, asked = chance.choice(commands)
        command = {"command": name, "email": email} | ({} if query is None else {"query": query})
        answer: Any = self.client.post("/fetch/commands", {"command": command}).json
        [outcome] = self.write(self.change(email, **asked))
        done = outcome not in (SUPPRESSED, MISSING)
        assert (answer["results"], answer["failed"]) == (int(done), int(not done)), (command, answer)
        self.events[addresses.identity(email.strip())] += done and name == "add_tag_via_event"

    def event(self) -> None:
        said: Any = {name: value for name, value in self.some().items() if name in ("email", "fields")}
        type_ = self.chance.choice(["seen", "seen", "$subscribe", "$unsubscribe"])
        at = self.now - self.chance.choice([0, 1, 10_000])
        dated = self.chance.random() < 0.5
        item = {**said, "type": type_} | ({"date": write_date(at)} if dated else {})
        answer: Any = self.client.post("/batch/events", {"events": [item]}).json
        at = at if dated else self.now
        consent = type_.removeprefix("$") if type_.startswith("$") else ""
        [outcome] = self.write(
            self.change(**said, at=at, event_at=at, consent=consent, consent_at=at if dated else None)
        )
        assert (answer["results"], answer["failed"]) == (
            int(outcome != SUPPRESSED),
            int(outcome == SUPPRESSED),
        ), answer
        self.events[addresses.identity(said["email"].strip())] += outcome != SUPPRESSED

    def erase(self) -> None:
        if self.chance.random() < 0.5:
            return
        email = self.chance.choice(EMAILS)
        assert self.client.delete("/fetch/subscribers", query={"email": email}).json == {"data": None}
        key = addresses.identity(email.strip())
        self.number += 1
        self.model.erase(key, self.number, self.now)
        del self.events[key]

    def move(self) -> None:
        old, new = self.chance.choice(EMAILS).strip(), self.chance.choice(EMAILS).strip()
        command = {"command": "change_email", "email": old, "query": new}
        answer: Any = self.client.post("/fetch/commands", {"command": command}).json
        self.number += 1
        moved = self.model.move(addresses.identity(old), addresses.identity(new), new, self.number, self.now)
        assert answer["results"] == int(moved), (command, answer)
        if moved and addresses.identity(old) != addresses.identity(new):
            self.events[addresses.identity(new)] = self.events.pop(addresses.identity(old), 0)

    def add_tag(self) -> None:
        tag = self.chance.choice(TAGS)
        assert self.client.post("/fetch/tags", {"tag": {"name": tag}}).status_code == 201
        self.model.tags.setdefault(tag.casefold(), tag)

    def delete_tag(self) -> None:
        listed: Any = self.client.get("/fetch/tags").json
        if listed["data"] and self.chance.random() < 0.5:
            tag = self.chance.choice(listed["data"])
            assert self.client.delete(f"/fetch/tags/{tag['id']}").status_code == 200
            key = tag["attributes"]["name"].casefold()
            del self.model.tags[key]
            for row in self.model.people.values():
                row["tags"] = [each for each in row["tags"] if each != key]

    def add_field(self) -> None:
        key = self.chance.choice(KEYS)
        assert self.client.post("/fetch/fields", {"field": {"key": key}}).status_code == 201
        self.model.fields.add(key)

    def find(self) -> None:
        email = self.chance.choice(EMAILS)
        self.compare(self.client.find(email), addresses.identity(email.strip()))

    def compare(self, found: dict[str, Any] | None, key: str) -> None:
        row = self.model.people.get(key)
        if found is None or row is None:
            assert (found, row) == (None, None), key
            return
        shown = found["attributes"]
        names = {name: row[name] for name in ("first_name", "last_name") if row[name]}
        assert same(shown["fields"], row["fields"] | names), (shown, row)
        for name in ("unsubscribed_at", "last_event_at"):
            assert shown[name] == (None if row[name] is None else write_date(row[name])), (name, shown, row)
        assert shown["email"] == row["email"]
        tags = {each["id"]: each["attributes"]["name"].casefold() for each in self.listed("/fetch/tags")}
        assert [tags[each] for each in shown["cached_tag_ids"]] == row["tags"], (shown, row)

    def listed(self, path: str, **query: Any) -> list[Any]:
        answer: Any = self.client.get(path, query=query).json
        listed: list[Any] = answer["data"]
        return listed

    def check(self) -> None:
        people = self.model.people
        found = {each["attributes"]["email"]: each for each in self.listed("/fetch/search")}
        assert found.keys() == {row["email"] for row in people.values()}
        for key, row in people.items():
            self.compare(found[row["email"]], key)
            uuid = found[row["email"]]["attributes"]["uuid"]
            assert len(self.listed(f"/fetch/subscribers/{uuid}/events")) == self.events[key], key
        left = sum(row["unsubscribed_at"] is not None for row in people.values())
        assert self.client.counts() == (len(people), len(people) - left, left)
        assert {each["attributes"]["key"] for each in self.listed("/fetch/fields")} == self.model.fields
        assert {each["attributes"]["name"] for each in self.listed("/fetch/tags")} == set(
            self.model.tags.values()
        )
        self.check_segments()
        assert_holds(self.client.judge, doors.found(self.client))

    def check_segments(self) -> None:
        people = self.model.people.values()
        asked: list[tuple[dict[str, Any], Callable[[dict[str, Any]], bool]]] = [
            ({"status": "unsubscribed"}, lambda row: row["unsubscribed_at"] is not None),
            ({"tag": "VIP"}, lambda row: "vip" in row["tags"]),
            ({"not": {"tag": "new"}}, lambda row: "new" not in row["tags"]),
            ({"field": "plan", "exists": True}, lambda row: "plan" in row["fields"]),
            ({"email_domain": "a.example"}, lambda row: row["email"].lower().endswith("@a.example")),
        ]
        for rules, holds in asked:
            answer: Any = self.client.post(
                "/fetch/segments/preview", {"segment": {"name": "x", "rules": rules}}
            ).json
            expected = sum(map(holds, people))
            assert f'"user_count": {expected},' in json.dumps(answer), (rules, expected, answer)


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_application() as (app, settings):

        def attack(number: int, chance: Random) -> None:
            with pytest.MonkeyPatch.context() as patch:
                sites = [SiteUnderTest(open_judged(app.test_client()), chance) for _ in range(2)]
                patch.setattr(clock, "now_ms", lambda: max(site.now for site in sites))
                for _ in range(STEPS):
                    site = chance.choice(sites)
                    site.now = max(each.now for each in sites)
                    site.step()
                for site in sites:
                    site.check()
            judged.live(app, settings, chance, doors.STEPS, 1)

        yield attack
