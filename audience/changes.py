"""What is asked to become of a person, and what that makes of one (contract section 2).

Amending costs what the change costs, however much the person has.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from audience import addresses, tags
from storage.subscribers import DATES, Person

NAMES = ("first_name", "last_name")


class Consent(StrEnum):
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """What is to become of one person. `at` is when it was asked for, in milliseconds.

    `dates` come from a file: all of them count for someone whom this creates, `unsubscribed_at` for everyone.
    """

    email: str
    key: str
    at: int
    first_name: str = ""
    last_name: str = ""
    fields: Mapping[str, Any] = field(default_factory=dict)
    remove_fields: Sequence[str] = ()
    tags: Sequence[str] = ()
    remove_tags: Sequence[str] = ()
    consent: Consent | None = None
    event_at: int | None = None
    dates: Mapping[str, int] = field(default_factory=dict)
    creates: bool = True
    rewrites_email: bool = False


def change(item: Mapping[str, Any], at: int) -> Change:
    """The change that an item of the wire asks for. Raises `addresses.MalformedAddress`."""
    command = item.get("command")
    return Change(
        email=item["email"].strip(),
        key=addresses.identity(item["email"]),
        at=at,
        first_name=item.get("first_name", ""),
        last_name=item.get("last_name", ""),
        fields=item.get("fields", {}),
        tags=item.get("tags", ()),
        remove_tags=item.get("remove_tags", ()),
        consent=Consent(command) if command else None,
        dates={name: min(item[name], at) for name in DATES if name in item},
    )


def amend(person: Person, each: Change) -> bool:
    """Makes the change but for the tags; whether anything that shows is another than before."""
    columns, fields = _amend_columns(person, each), _amend_fields(person, each)
    return columns or fields


def _amend_columns(person: Person, each: Change) -> bool:
    before = _columns(person)
    if each.rewrites_email:
        person.email = each.email
    person.first_name = each.first_name or person.first_name
    person.last_name = each.last_name or person.last_name
    for key in set(NAMES).intersection(each.remove_fields):
        setattr(person, key, "")
    if each.event_at is not None:
        known = each.event_at if person.last_event_at is None else person.last_event_at
        person.last_event_at = max(each.event_at, known)
    if "unsubscribed_at" in each.dates:
        _consent(person, Consent.UNSUBSCRIBE, each.dates["unsubscribed_at"])
    if each.consent is not None:
        _consent(person, each.consent, each.at)
    return _columns(person) != before


def _columns(person: Person) -> tuple[Any, ...]:
    return person.email, person.first_name, person.last_name, person.last_event_at, person.unsubscribed_at


def _amend_fields(person: Person, each: Change) -> bool:
    given = {
        key: value
        for key, value in each.fields.items()
        if key not in person.fields or not same(value, person.fields[key])
    }
    person.fields.update(given)
    taken = [key for key in each.remove_fields if person.fields.pop(key, None) is not None]
    return bool(given or taken)


def _consent(person: Person, consent: Consent, at: int) -> None:
    """What was said later counts. Said again, it keeps its first date, and is the later word all the same."""
    if person.consent_at is not None and at < person.consent_at:
        return
    person.consent_at = at
    if consent is Consent.SUBSCRIBE:
        person.unsubscribed_at = None
    elif person.unsubscribed_at is None:
        person.unsubscribed_at = at


def retag(borne: dict[int, None], each: Change, tag_ids: Mapping[str, int]) -> bool:
    """Gives and takes the change's tags, `borne` by id in order; whether any is new or gone."""
    removed = {tag_ids.get(tags.name_key(name)) for name in each.remove_tags}
    given = {tag_ids[tags.name_key(name)]: None for name in each.tags}
    new = {tag_id: None for tag_id in given if tag_id not in borne and tag_id not in removed}
    taken = [tag_id for tag_id in removed if tag_id in borne]
    borne.update(new)
    for tag_id in taken:
        del borne[tag_id]
    return bool(new or taken)


def same(value: Any, before: Any) -> bool:
    """Equal as JSON: in Python 1, 1.0 and True are equal, as custom values they are not."""
    if value != before or isinstance(value, str):
        return bool(value == before)
    return json.dumps(value, sort_keys=True) == json.dumps(before, sort_keys=True)
