"""What changes make of a site's subscribers, in plain Python: the reference for `subscribers.write`."""

import json
from dataclasses import dataclass, field
from typing import Any

Row = dict[str, Any]  # one subscriber, with `tags` as names in their order, and consent as it was `said`
CREATED, UPDATED, UNCHANGED = "created", "updated", "unchanged"
SUPPRESSED, MISSING = "suppressed", "missing"
VISIBLE = ("email", "first_name", "last_name", "fields", "tags", "last_event_at", "unsubscribed_at")
NOBODY: Row = {"first_name": "", "last_name": "", "last_event_at": None, "unsubscribed_at": None,
               "consent_at": None, "consent_number": 0}  # fmt: skip


def same(value: Any, other: Any) -> bool:
    """As JSON, in which 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True) == json.dumps(other, sort_keys=True)


def shown(row: Row) -> list[Any]:
    return [row[name] for name in VISIBLE]


@dataclass
class SubscriberModel:
    """`people` by key; `hashes` are (reason, since, number) of addresses without a subscriber.

    `overtaken` are those of the last write who had left, and said so by an older word than what counts.
    """

    people: dict[str, Row] = field(default_factory=dict)
    hashes: dict[str, tuple[str, int, int]] = field(default_factory=dict)
    tags: dict[str, str] = field(default_factory=dict)
    fields: set[str] = field(default_factory=set)
    overtaken: list[Row] = field(default_factory=list)

    def write(self, changes: list[Row], number: int, now: int) -> list[str]:
        before = {key: dict(row, fields=dict(row["fields"])) for key, row in self.people.items()}
        dated: set[str] = set()
        self.overtaken = []
        outcomes = [self._apply(change, number, now, dated) for change in changes]
        for key in {change["key"] for change in changes} & self.people.keys():
            row = self.people[key]
            if key in before and not same(shown(row), shown(before[key])):
                row["updated_at"] = now
        return outcomes

    def move(self, old: str, new: str, email: str, now: int) -> bool:
        """Gives the person at the key `old` the address `email`, whose key is `new`, if that is possible."""
        row = self.people.get(old)
        taken = new != old and (new in self.people or self.hashes.get(new, ("", 0, 0))[0] == "erased")
        if row is None or taken:
            return False
        if new != old:
            self.hashes.pop(new, None)
            if row["unsubscribed_at"] is not None:
                since = row["consent_at"] or row["unsubscribed_at"]
                self.hashes[old] = ("unsubscribed", since, row["consent_number"])
        if (row["email"], old) != (email, new):
            del self.people[old]
            self.people[new] = {**row, "email": email, "updated_at": now}
        return True

    def erase(self, key: str, number: int, now: int) -> None:
        row = self.people.pop(key, None)
        since = max(now, row["updated_at"], row["consent_at"] or 0) if row else now
        self.hashes[key] = ("erased", since, number)

    def _apply(self, change: Row, number: int, now: int, dated: set[str]) -> str:
        key = change["key"]
        reason, since, left = self.hashes.get(key, ("", 0, 0))
        if key in self.people:
            changed = self._change(self.people[key], change, number)
            if changed and key in dated:
                self.people[key]["updated_at"] = now
            return UPDATED if changed else UNCHANGED
        erased = reason == "erased" and not (
            change["consent"] == "subscribe" and counts(change["at"], number, change["dated"], since, left)
        )
        if erased or not change["creates"]:
            return SUPPRESSED if erased else MISSING
        self.hashes.pop(key, None)
        dates = change["dates"]
        self.people[key] = row = dict(
            NOBODY, email=change["email"], fields={}, tags=[], created_at=dates.get("created_at", now),
            updated_at=dates.get("updated_at", now), last_event_at=dates.get("last_event_at"),
        )  # fmt: skip
        row["said"] = [(since if reason == "unsubscribed" else change["at"], False)]
        if reason != "unsubscribed" and not change["unconfirmed"]:
            row["said"] = []
        dated.add(key)
        if reason == "unsubscribed":
            row |= {"unsubscribed_at": since, "consent_at": since, "consent_number": left}
        elif change["unconfirmed"]:
            row |= {
                "unsubscribed_at": change["at"],
                "consent_at": change["at"],
                "consent_number": number,
            }
        self._change(row, change, number)
        return CREATED

    def _change(self, row: Row, change: Row, number: int) -> bool:
        before = dict(row, fields=dict(row["fields"]), tags=list(row["tags"]))
        if change["rewrites_email"]:
            row["email"] = change["email"]
        for name in ("first_name", "last_name"):
            row[name] = "" if name in change["remove_fields"] else change[name] or row[name]
        if change["event_at"] is not None:
            row["last_event_at"] = max(change["event_at"], row["last_event_at"] or change["event_at"])
        if "unsubscribed_at" in change["dates"]:
            self._say(row, "unsubscribe", change["dates"]["unsubscribed_at"], number, True)
        if change["consent"]:
            self._say(row, change["consent"], change["at"], number, change["dated"])
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

    def _say(self, row: Row, word: str, at: int, number: int, dated: bool) -> None:
        if counts(at, number, dated, row["consent_at"], row["consent_number"]):
            say(row, word, at, number)
        elif word == "unsubscribe" and row["unsubscribed_at"] is not None:
            self.overtaken.append(row)

    def _tag(self, row: Row, change: Row) -> None:
        for name in change["tags"]:
            self.tags.setdefault(name.casefold(), name)
        removed = {name.casefold() for name in change["remove_tags"]}
        added = [name.casefold() for name in change["tags"] if name.casefold() not in removed]
        row["tags"] = [name for name in dict.fromkeys([*row["tags"], *added]) if name not in removed]


def counts(at: int, number: int, dated: bool, last_at: int | None, last_number: int) -> bool:
    return number >= last_number and not (dated and last_at is not None and at <= last_at)


def say(row: Row, word: str, at: int, number: int) -> None:
    row["consent_at"] = at if row["consent_at"] is None else max(at, row["consent_at"])
    row["consent_number"] = number
    if (word == "subscribe") != (row["unsubscribed_at"] is None):
        row["said"] = [*row["said"], (at, word == "subscribe")]
        row["unsubscribed_at"] = None if word == "subscribe" else at
