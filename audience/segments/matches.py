"""Why a subscriber is in a segment or not: its rules, each with whether it holds, and the values compared."""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

from audience.access.sites import Site
from audience.segments import segments
from audience.segments.subjects import GROUPS, SUBJECTS
from audience.subscribers import subscribers
from audience.subscribers.subscribers import Subscriber
from schemas.values import NAMES, write_date
from storage import database
from storage.bulk import actions as bulk_actions
from storage.subscribers import events, tags
from storage.subscribers import subscribers as stored
from storage.subscribers.subscribers import DATES

MOST_VALUES = 20
MOST_ALTERNATIVES = 30

Node = Mapping[str, Any]
Matched = dict[str, Any]
COMBINED: dict[str, Callable[[list[bool]], bool]] = {
    "all": all,
    "any": any,
    "not": lambda parts: not parts[0],
}


@database.snapshot()
def match(site: Site, segment_id: str, email: str | None = None, uuid: str | None = None) -> Matched | None:
    """The rules of a segment, with `matches` in each node and the subscriber's `value` in each condition.

    A `value` of many (tags, events, items of a list) has the first 20. Returns None if no subscriber has the
    uuid or, without one, the address. Raises `NotFound` for the segment.
    """
    rules = json.loads(segments.require(site.id, segment_id).rules)
    subscriber = subscribers.find(site, email, uuid)
    if subscriber is None:
        return None
    matched = _condition_results(site.id, [subscriber.id], list(_leaves(rules)))
    return _match_result(rules, iter(matched[subscriber.id]), _Values(site.id, subscriber))


@database.snapshot()
def matching_conditions(site: Site, rules: Node, subscriber_ids: Sequence[int]) -> list[list[Node]]:
    """For each subscriber, those of the first `MOST_ALTERNATIVES` conditions in `any` groups that hold.

    The rules may be unsaved. Raises `Refused` for invalid ones.
    """
    leaves = list(_alternatives(rules))[:MOST_ALTERNATIVES]
    matched = _condition_results(site.id, subscriber_ids, leaves)
    return [
        [leaf for leaf, holds in zip(leaves, matched[subscriber_id], strict=True) if holds]
        for subscriber_id in subscriber_ids
    ]


def members(site_id: int, segment_id: int, uuids: Sequence[str]) -> set[str]:
    """Those of `uuids` whose subscribers are in a segment, in the caller's session. Raises `NotFound`."""
    ids = bulk_actions.ids_by_uuid(site_id, uuids)
    chosen = segments.members(site_id, str(segment_id), ids)
    return {
        subscriber.uuid for subscriber in stored.get_by_ids(site_id, ids).values() if subscriber.id in chosen
    }


def _condition_results(site_id: int, ids: Collection[int], leaves: Sequence[Node]) -> dict[int, list[bool]]:
    """Whether each condition holds, by subscriber id."""
    chosen = segments.members_by_each(site_id, leaves, ids)
    return {subscriber_id: [subscriber_id in some for some in chosen] for subscriber_id in ids}


def _alternatives(node: Node, chosen: bool = False) -> Iterator[Node]:
    """Yields the conditions inside `any` groups, but none inside a `not`.

    `chosen` says whether the node itself is inside an `any` group.
    """
    group = _group(node)
    if group in ("all", "any"):
        for part in _parts(node, group):
            yield from _alternatives(part, chosen or group == "any")
    elif chosen and not group:
        yield node


def _group(node: Node) -> str:
    return next((key for key in GROUPS if key in node), "")


def _parts(node: Node, group: str) -> list[Node]:
    return [node["not"]] if group == "not" else list(node[group])


def _leaves(node: Node) -> Iterator[Node]:
    """Yields the conditions of a rule, in order."""
    if group := _group(node):
        for part in _parts(node, group):
            yield from _leaves(part)
    else:
        yield node


def _match_result(node: Node, holds: Iterator[bool], values: "_Values") -> Matched:
    """The node with `matches` and `value`. `holds` yields whether each condition holds, in order."""
    group = _group(node)
    if not group:
        return {**node, "matches": next(holds), "value": values.read(node)}
    parts = [_match_result(part, holds, values) for part in _parts(node, group)]
    matches = COMBINED[group]([part["matches"] for part in parts])
    return {group: parts[0] if group == "not" else parts, "matches": matches}


class _Values:
    """The values of a subscriber that conditions compare, as JSON."""

    def __init__(self, site_id: int, subscriber: Subscriber) -> None:
        self.site_id, self.subscriber = site_id, subscriber

    def read(self, node: Node) -> Any:
        """The subscriber's value for the subject of a condition."""
        subject, subscriber = next(key for key in SUBJECTS if key in node), self.subscriber
        if subject == "field":
            value = _field(subscriber, node["field"])
            return value[:MOST_VALUES] if isinstance(value, list) else value
        if subject in DATES:
            return write_date(getattr(subscriber, subject))
        others: dict[str, Callable[[], Any]] = {
            "tag": self._tags,
            "event": lambda: self._events(node["event"]),
            "status": lambda: "subscribed" if subscriber.unsubscribed_at is None else "unsubscribed",
            "email": lambda: subscriber.email,
            "email_domain": lambda: subscriber.email_key.partition("@")[2],
        }
        return others[subject]()

    def _tags(self) -> list[str]:
        names = tags.names(self.site_id, self.subscriber.tag_ids)
        return list(islice((names[id_] for id_ in self.subscriber.tag_ids if id_ in names), MOST_VALUES))

    def _events(self, type_: str) -> list[str | None]:
        """The dates of a subscriber's events of a type, newest first."""
        instants = events.newest_of_type(self.site_id, self.subscriber.id, type_, MOST_VALUES)
        return [write_date(at) for at in instants]


def _field(subscriber: Subscriber, key: str) -> Any:
    return getattr(subscriber, key) or None if key in NAMES else subscriber.fields.get(key)
