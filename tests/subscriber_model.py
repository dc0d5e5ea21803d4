"""What changes make of a site's subscribers, in plain Python: the reference for `subscribers.write`."""

import json
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]  # one subscriber, with `tags` as names in their order, and consent as it was `said`
NOT_STORED = ("said", "ignored")  # of a row; `ignored` has the unsubscribes that a later event outweighed
CREATED, UPDATED, UNCHANGED = "created", "updated", "unchanged"
SUPPRESSED, MISSING = "suppressed", "missing"
VISIBLE = ("email", "first_name", "last_name", "fields", "tags", "last_event_at", "unsubscribed_at")
NOBODY: Row = {"first_name": "", "last_name": "", "last_event_at": None, "unsubscribed_at": None,
               "consent_at": None, "consent_number": 0, "consent_kind": 0,
               "unsubscribe_number": None}  # fmt: skip
UNCONFIRMED, SUBSCRIBE, UNSUBSCRIBE, DATED_SUBSCRIBE, DATED_UNSUBSCRIBE = range(1, 6)  # kinds
Event = tuple[int, int, int]  # instant, number, kind
Hash = tuple[str, int, int, int]  # of an address without a subscriber: reason, since, number, kind


def same(value: Any, other: Any) -> bool:
    """Whether two values are the same JSON, in which 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


def shown(row: Row) -> list[Any]:
    """The values of a row by which `updated_at` is decided."""
    return [row[name] for name in VISIBLE]


@dataclass
class SubscriberModel:
    """The subscribers (`people`) and the suppressed addresses (`hashes`) of a site, by key.

    `lifted` are the hashes that the last write removed, by key, as they then were: an earlier row may have
    unsubscribed the address. `accepted_at` is the instant of acceptance, which never goes back.
    """

    people: dict[str, Row] = field(default_factory=dict)
    hashes: dict[str, Hash] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    fields: set[str] = field(default_factory=set)
    lifted: dict[str, Hash] = field(default_factory=dict)
    accepted_at: int = 0
    now: int = 0

    def accept(self, now: int) -> int:
        """The instant of a new acceptance."""
        self.accepted_at = max(now, self.accepted_at)
        return self.accepted_at

    def write(self, changes: list[Row], number: int, now: int, accepted_at: int) -> list[str]:
        """Applies changes, as one transaction with an acceptance `number`. Returns the outcome of each."""
        before = {key: dict(row, fields=dict(row["fields"])) for key, row in self.people.items()}
        dated: set[str] = set()
        self.lifted, self.now = {}, now
        outcomes = [self._apply(change, number, accepted_at, dated) for change in changes]
        for key in {change["key"] for change in changes} & self.people.keys():
            row = self.people[key]
            if key in before and not same(shown(row), shown(before[key])):
                row["updated_at"] = now
        return outcomes

    def move(self, old: str, new: str, email: str, number: int, now: int) -> bool:
        """Gives the subscriber with the key `old` the address `email`, whose key is `new`. Returns False if
        that is impossible.
        """
        row, at = self.people.get(old), self.accept(now)
        taken = new != old and (new in self.people or self.hashes.get(new, ("",))[0] == "erased")
        if row is None or taken:
            return False
        if new != old:
            self.hashes.pop(new, None)
            if row["unsubscribed_at"] is not None:
                since = row["consent_at"] or row["unsubscribed_at"]
                kind = row["consent_kind"]
                kind = UNSUBSCRIBE if kind == UNCONFIRMED and row["unsubscribe_number"] else kind
                self.hashes[old] = ("unsubscribed", since, row["consent_number"], kind)
                row |= {"consent_at": at, "consent_number": number}
        if (row["email"], old) != (email, new):
            del self.people[old]
            self.people[new] = {**row, "email": email, "updated_at": now}
        return True

    def erase(self, key: str, number: int, now: int) -> None:
        row, at = self.people.pop(key, None), self.accept(now)
        since = max(at, row["consent_at"] or 0) if row else at
        self.hashes[key] = ("erased", since, number, UNSUBSCRIBE)

    def _apply(self, change: Row, number: int, accepted_at: int, dated: set[str]) -> str:
        """Applies a change. Returns its outcome. `dated` has the keys of subscribers created by the same
        write.
        """
        key, now = change["key"], self.now
        reason, *known = self.hashes.get(key, ("", 0, 0, UNSUBSCRIBE))
        if key in self.people:
            changed = self._change(self.people[key], change, number, accepted_at)
            if changed and key in dated:
                self.people[key]["updated_at"] = now
            return UPDATED if changed else UNCHANGED
        said = [event for event, _ in events(change, number, accepted_at)]
        if reason == "erased" and not any(is_subscribe(each) and self._counts(each, known) for each in said):
            for each in said:
                if is_unsubscribe(each) and self._counts(each, known):
                    known = [*each]
            self.hashes[key] = ("erased", known[0], known[1], known[2])
            return SUPPRESSED
        if not change["creates"]:
            return MISSING
        if key in self.hashes:
            self.lifted[key] = self.hashes.pop(key)
        dates = change["dates"]
        self.people[key] = row = dict(
            NOBODY, email=change["email"], fields={}, tags=[], created_at=dates.get("created_at", now),
            updated_at=dates.get("updated_at", now), last_event_at=dates.get("last_event_at"), said=[],
            ignored=[],
        )  # fmt: skip
        dated.add(key)
        if reason == "unsubscribed":
            come_in(row, (known[0], known[1], known[2]), now)
        elif change["unconfirmed"]:
            come_in(row, (accepted_at, number, UNCONFIRMED), now)
        self._change(row, change, number, accepted_at)
        return CREATED

    def _counts(self, event: Event, known: list[int]) -> bool:
        return counts(event, (known[0], known[1], known[2]), self.now)

    def _change(self, row: Row, change: Row, number: int, accepted_at: int) -> bool:
        before = dict(row, fields=dict(row["fields"]), tags=list(row["tags"]))
        if change["rewrites_email"]:
            row["email"] = change["email"]
        for name in ("first_name", "last_name"):
            row[name] = "" if name in change["remove_fields"] else change[name] or row[name]
        if change["event_at"] is not None:
            row["last_event_at"] = max(change["event_at"], row["last_event_at"] or change["event_at"])
        for event, shown_at in events(change, number, accepted_at):
            self._say(row, event, min(shown_at, self.now))
        self.fields |= change["fields"].keys()
        row["fields"] |= {
            key: value
            for key, value in change["fields"].items()
            if key not in row["fields"] or not same(value, row["fields"][key])
        }
        for key in change["remove_fields"]:
            row["fields"].pop(key, None)
        self._tag(row, change)
        return not same(shown(row), shown(before))

    def _say(self, row: Row, event: Event, shown_at: int) -> None:
        """Applies a consent event to a row, if it counts; otherwise notes it as ignored."""
        repeats = row["unsubscribed_at"] is not None and row["consent_number"] == event[1]
        if is_unsubscribe(event) and not (repeats and row["unsubscribe_number"]):
            row["unsubscribe_number"] = event[1]
        kept = (row["consent_at"] or 0, row["consent_number"], row["consent_kind"])
        if counts(event, kept, self.now):
            say(row, event, shown_at)
        elif is_unsubscribe(event) and row["unsubscribed_at"] is None:
            row["ignored"] = [*row["ignored"], (event, shown_at)]

    def _tag(self, row: Row, change: Row) -> None:
        for name in change["tags"]:
            self.tags.setdefault(name.casefold(), name)
        removed = {name.casefold() for name in change["remove_tags"]}
        added = [name.casefold() for name in change["tags"] if name.casefold() not in removed]
        row["tags"] = [name for name in dict.fromkeys([*row["tags"], *added]) if name not in removed]


def events(change: Row, number: int, accepted_at: int) -> list[tuple[Event, int]]:
    """The consent events of a change, each with the instant that is shown of it."""
    said: list[tuple[Event, int]] = []
    left_at = change["dates"].get("unsubscribed_at")
    if left_at is not None and not change["consent"]:
        left_at = min(left_at, accepted_at)
        said.append(((left_at, number, DATED_UNSUBSCRIBE), left_at))
    if change["consent"]:
        subscribes, at = change["consent"] == "subscribe", change["consent_at"]
        shown_at = accepted_at if change["at"] is None else min(change["at"], accepted_at)
        if left_at is not None and not subscribes:
            instant = accepted_at if at is None else min(at, accepted_at)
            said.append(((instant, number, DATED_UNSUBSCRIBE), min(left_at, accepted_at)))
        elif at is None:
            said.append(((accepted_at, number, SUBSCRIBE if subscribes else UNSUBSCRIBE), shown_at))
        else:
            kind = DATED_SUBSCRIBE if subscribes else DATED_UNSUBSCRIBE
            said.append(((min(at, accepted_at), number, kind), shown_at))
    return said


def is_unsubscribe(event: Event) -> bool:
    return event[2] in (UNSUBSCRIBE, DATED_UNSUBSCRIBE)


def is_subscribe(event: Event) -> bool:
    return event[2] in (SUBSCRIBE, DATED_SUBSCRIBE)


def counts(event: Event, kept: Event, now: int) -> bool:
    """Whether an event counts over the one that is kept: the later instant does.

    Of equal instants, a dated unsubscribe counts over undated events, and these over a dated subscribe.
    Otherwise the higher number does.
    """
    at = kept[0]
    if at > now and is_unsubscribe(event) and is_subscribe(kept):
        at = now
    if kept[2] == 0 or event[0] != at:
        return kept[2] == 0 or event[0] > at
    place, kept_place = ({DATED_SUBSCRIBE: 0, DATED_UNSUBSCRIBE: 2}.get(each[2], 1) for each in (event, kept))
    return place > kept_place or (place == kept_place and event[1] >= kept[1])


def say(row: Row, event: Event, shown_at: int) -> None:
    """Makes an event the one that counts for a row."""
    row["consent_at"], row["consent_number"], row["consent_kind"] = event
    subscribes = is_subscribe(event)
    if subscribes != (row["unsubscribed_at"] is None):
        row["said"] = [*row["said"], (shown_at, subscribes)]
        row["unsubscribed_at"] = None if subscribes else shown_at


def come_in(row: Row, event: Event, now: int) -> None:
    """Makes a new row unsubscribed by an event, or unconfirmed."""
    say(row, event, min(event[0], now))
    row["unsubscribe_number"] = None if event[2] == UNCONFIRMED else event[1]
