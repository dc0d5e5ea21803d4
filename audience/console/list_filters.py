"""The filters of the list of subscribers: read from the URL, as segment rules, and in words.

A URL has only a name for the text by which the list is searched: no log may have an address.
"""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from werkzeug.datastructures import MultiDict

from audience.access import sessions
from audience.access.audit_log import without_addresses
from audience.access.sites import Site
from audience.console.page import signed_in
from audience.console.wording import short_day
from audience.errors import Refused
from audience.searches.lists import ORDERS

DATES = {
    "created_at": "Created",
    "updated_at": "Changed",
    "last_event_at": "Last event",
    "unsubscribed_at": "Unsubscribed",
}
STATUSES = {"subscribed": "Subscribed", "unsubscribed": "Unsubscribed"}
HAVING = {"last_event_at": "Had an event", "unsubscribed_at": "Unsubscribed at some time"}
GONE = "This search has expired: search again."
TYPED, EVERYBODY = "what was typed", "everybody"

Filters = dict[str, Any]


@dataclass(frozen=True)
class Chip:
    """A filter as a phrase. Its removal takes `names` from the URL, and `tag` from the URL's tags."""

    phrase: str
    names: tuple[str, ...]
    tag: str = ""


def filters(arguments: MultiDict[str, str]) -> Filters:
    """The filters in the URL, without empty and unknown ones."""
    texts = ("status", "field", "value", "segment", "order", "ascending", "kept")
    bounds = tuple(f"{date}{end}" for date in DATES for end in ("", "_from", "_to"))
    stripped = {name: arguments.get(name, "").strip() for name in (*texts, *bounds)}
    chosen: Filters = {name: text for name, text in stripped.items() if text}
    if chosen.get("status", "") not in STATUSES:
        chosen.pop("status", None)
    if chosen.get("order", "") not in ORDERS[1:]:
        chosen.pop("order", None)
    wanted = list(dict.fromkeys(filter(None, map(str.strip, arguments.getlist("tag")))))
    if wanted:
        chosen["tag"] = wanted
    return chosen


def read_search_text(site: Site, chosen: Filters) -> str:
    """The search text that a list's URL names; "" without one. Raises `Refused` if it was deleted."""
    name = chosen.get("kept", "")
    text = sessions.search_text(signed_in().session_id, site.id, name) if name else ""
    if text is None:
        raise Refused(GONE)
    return text


def with_text(site: Site, chosen: Mapping[str, Any], text: str) -> Filters:
    """The filters of a list with another search text, which is stored; with "", without one."""
    others = {name: value for name, value in chosen.items() if name != "kept"}
    return others | ({"kept": sessions.keep_search(signed_in().session_id, site.id, text)} if text else {})


def rules(chosen: Mapping[str, Any]) -> list[Any]:
    """The filters in the URL, but text and segment, as segment rules, of which all must hold. None is
    checked.
    """
    rules: list[Any] = [{"status": chosen["status"]}] if "status" in chosen else []
    rules += [{"tag": tag} for tag in chosen.get("tag", ())]
    rules += [{date: bounds} for date in DATES if (bounds := _bounds(chosen, date))]
    if "field" in chosen:
        value = chosen.get("value")
        rules.append(
            {"field": chosen["field"], "exists": True} if value is None else _is(chosen["field"], value)
        )
    return rules


def as_rules(chosen: Mapping[str, Any], text: Any, segment: Any) -> list[Any]:
    """All filters of a list as segment rules. `text` and `segment` are rules, or None.

    An order by a date adds the rule that the subscriber has that date.
    """
    dated = [{chosen["order"]: {"exists": True}}] if "order" in chosen else []
    return [*rules(chosen), *dated, *filter(None, (segment, text))]


def _is(key: str, text: str) -> Any:
    """The condition that a field has a typed value, as text, number, true or false."""
    readings: list[Any] = [text]
    if text.lower() in ("true", "false"):
        readings.append(text.lower() == "true")
    elif text.lstrip("-").isdecimal() and len(text) < 16:
        readings.append(int(text))
    return {"field": key, "in": readings}


def _bounds(chosen: Mapping[str, Any], date: str) -> dict[str, Any]:
    """The bounds of the field `date` in the filters, by operator; the last day is included."""
    bounds: dict[str, Any] = {}
    days = chosen.get(date, "")
    if days.isdecimal() and len(days) < 9:
        bounds["within_days"] = int(days)
    if f"{date}_from" in chosen:
        bounds["gte"] = chosen[f"{date}_from"]
    if f"{date}_to" in chosen:
        bounds["lt"] = _day_after(chosen[f"{date}_to"])
    return bounds


def _day_after(day: str) -> str:
    """The day after a date: the end of a range that includes it.

    Text that is no date is returned as it is, to be refused later.
    """
    try:
        return (dt.date.fromisoformat(day) + dt.timedelta(days=1)).isoformat()
    except (ValueError, OverflowError):
        return day


def chips(chosen: Mapping[str, Any], segment_names: Mapping[str, str]) -> list[Chip]:
    """The filters as phrases. `segment_names` are by id, as text."""
    return list(_chips(chosen, segment_names))


def _chips(chosen: Mapping[str, Any], segment_names: Mapping[str, str]) -> Iterator[Chip]:
    if "status" in chosen:
        yield Chip(STATUSES[chosen["status"]], ("status",))
    for tag in chosen.get("tag", ()):
        yield Chip(f"Tag is {tag}", (), tag)
    for date, name in DATES.items():
        names = (date, f"{date}_from", f"{date}_to")
        if phrase := _period_phrase(*(chosen.get(name, "") for name in names)):
            yield Chip(f"{name} {phrase}", names)
    if "field" in chosen:
        condition = f"is {chosen['value']}" if "value" in chosen else "has a value"
        yield Chip(f"{chosen['field']} {condition}", ("field", "value"))
    if "segment" in chosen:
        yield Chip(f"In {segment_names.get(chosen['segment'], 'a segment')}", ("segment",))
    if "order" in chosen:
        yield Chip(HAVING[chosen["order"]], ("order", "ascending"))


def in_words(chosen: Mapping[str, Any], text: str, segment_names: Mapping[str, str]) -> list[str]:
    """Each filter of a list as a phrase."""
    phrases = [chip.phrase for chip in _chips(chosen, segment_names)]
    return phrases + ([f"Begins with {text}"] if text else [])


def kept_words(
    chosen: Mapping[str, Any], text: str, segment_names: Mapping[str, str]
) -> tuple[str, dict[str, str]]:
    """The (description of a filter, typed values) for the audit log, both with addresses replaced."""
    typed = {"value": chosen.get("value", ""), "text": text}
    shown = {**chosen, "value": TYPED} if "value" in chosen else chosen
    phrases = [chip.phrase for chip in _chips(shown, segment_names)] + [f"found by {TYPED}"] * bool(text)
    return (
        ", ".join(map(without_addresses, phrases)) or EVERYBODY,
        {name: without_addresses(value) for name, value in typed.items() if value},
    )


def _period_phrase(days: str, first: str, last: str) -> str:
    """A period in words. `days` is a count as text, `first` and `last` are ISO dates; each may be empty."""
    words = [f"in the last {days} days"] if days.isdecimal() else []
    words += [f"from {_day(first)}"] if first else []
    words += [f"to {_day(last)}"] if last else []
    return " ".join(words)


def _day(text: str) -> str:
    """A date in short. Text that is no ISO date is returned as it is."""
    try:
        return short_day(dt.date.fromisoformat(text))
    except ValueError:
        return text
