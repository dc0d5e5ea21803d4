"""Changes to subscribers, as items of a request ask for them."""

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import orjson

from audience import addresses
from audience.sources import OPERATOR, Source
from schemas.values import DATES, NAMES, WholeDay, compact_json, trim
from storage.subscribers.subscribers import are_plain

Item = Mapping[str, Any]  # one item of a request: a subscriber to import, an event


UNSUBSCRIBED_BY = "unsubscribed_by"  # a key of `dates`: the instant that orders `unsubscribed_at`


class Consent(StrEnum):
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"


class Outcome(StrEnum):
    CREATED = "created"
    UPDATED = "updated"
    UNCHANGED = "unchanged"
    SUPPRESSED = "suppressed"
    MISSING = "missing"


class Change(NamedTuple):
    """A change to one subscriber, requested at `at`; None means when it was accepted. Instants are in
    milliseconds.

    An existing subscriber takes only `unsubscribed_at` of `dates`; no date is later than the acceptance.
    `unconfirmed` creates the subscriber unsubscribed, and leaves an existing one unchanged. `known` is what
    may be changed of an existing subscriber: a member of `OnExisting`, or empty for everything.

    `consent_at` is the instant that orders the consent; None means the acceptance. `reason` is the client's
    reason for the consent, or empty. With `if_unset`, names and custom values are only set where the
    subscriber has none.
    """

    key: str
    email: str
    first_name: str = ""
    last_name: str = ""
    fields: Mapping[str, Any] = {}
    tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    consent: str = ""
    unconfirmed: bool = False
    dates: Mapping[str, int] = {}
    known: str = ""
    at: int | None = None
    remove_fields: Sequence[str] = ()
    event_at: int | None = None
    creates: bool = True
    rewrites_email: bool = False
    consent_at: int | None = None
    reason: str = ""
    if_unset: bool = False


class Acceptance(NamedTuple):
    """The transaction that accepted changes: its number in the site's order, and its instant in milliseconds.

    Neither ever goes back within the site.
    """

    number: int
    at: int
    source: Source = OPERATOR


def change_from_item(item: Item, at: int | None = None, time_zone: str = "UTC") -> Change:
    """The change that a validated item requests. Raises `addresses.MalformedAddress`.

    `time_zone`, the site's, tells when the day of an unsubscribe without a time ends.
    """
    email = item["email"]
    values: list[Any] = [
        addresses.identity_of_new(email),
        trim(email),
        *[item.get(name, "") for name in NAMES],
        item.get("fields", {}),
        item.get("tags", ()),
        item.get("remove_tags", ()),
        item.get("command", ""),
        item.get("unconfirmed", False),
        {} if item.keys().isdisjoint(DATES) else _dates(item, time_zone),
        item.get("known", ""),
        at,
    ]
    return Change(*values)


def _dates(item: Item, time_zone: str) -> dict[str, int]:
    dates = {name: int(item[name]) for name in DATES if name in item}
    if isinstance(day := item.get("unsubscribed_at"), WholeDay):
        dates[UNSUBSCRIBED_BY] = consent_instant(day, Consent.UNSUBSCRIBE, time_zone)
    return dates


def consent_instant(at: int, consent: str, time_zone: str) -> int:
    """The instant, in milliseconds, that orders the consent event of a date.

    For a date without a time, it is the end of that day, in the site's time zone, for an unsubscribe, and the
    beginning for a subscribe.
    """
    if not isinstance(at, WholeDay):
        return at
    leaves = consent == Consent.UNSUBSCRIBE
    try:
        day = dt.datetime.combine(at.date, dt.time(), ZoneInfo(time_zone)) + dt.timedelta(days=leaves)
        return round(day.timestamp() * 1000) - leaves
    except (OverflowError, ValueError):  # the first or last days of the calendar
        return at


def json_equal(value: Any, before: Any) -> bool:
    """Whether two values are the same JSON. Unlike in Python, 1, 1.0 and true differ."""
    if value is before or value != before or type(value) is str:
        return bool(value == before)
    if type(value) is not type(before) or type(value) in (int, bool):
        return type(value) is type(before)
    return json.dumps(value, sort_keys=True) == json.dumps(before, sort_keys=True)


def values_text(values: Mapping[str, Any], before: str) -> str:
    """The JSON text of custom values. `before` is the text from which they were read."""
    try:
        exact = before == "{}" or are_plain(values)
        return orjson.dumps(values).decode() if exact else compact_json(values)
    except TypeError:  # integers beyond 64 bit
        return compact_json(values)
