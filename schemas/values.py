"""Values that forms and the domain share. Free of marshmallow, so that every room may import it."""

import datetime as dt
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from dateutil.parser import isoparser

NAMES = ("first_name", "last_name")  # plain text columns of a subscriber
DATES = ("created_at", "updated_at", "last_event_at", "unsubscribed_at")
VALUES_SAMPLE_SIZE = 10_000  # newest subscribers among whom common values are counted
DATE = "Send an ISO 8601 date or date-time, such as 2026-08-21 or 2026-08-21T02:08:30Z."

EPOCH = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)
MILLISECOND = dt.timedelta(milliseconds=1)
ISO_PARSER = isoparser(sep="T")
# Stricter than isoparse, which would also read `+8` as a month and ` 8` as a minute.
DATE_TIME = re.compile(r"(\d{4}[\dW-]*)(?:[T ]([\d:.,]+) ?(Z|[+-][\d:]+)?)?", re.ASCII)
LOST_PLUS = re.compile(r"(:\d\d(?:\.\d+)?) (\d\d:?\d\d)$")  # a `+` in a query string is a blank


class CommandName(StrEnum):
    ADD_TAG = "add_tag"
    ADD_TAG_VIA_EVENT = "add_tag_via_event"
    REMOVE_TAG = "remove_tag"
    ADD_FIELD = "add_field"
    REMOVE_FIELD = "remove_field"
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"
    CHANGE_EMAIL = "change_email"


@dataclass(frozen=True)
class FieldError:
    """One refused value: its path in the request (`subscribers[3].email`), and what to send."""

    field: str
    message: str


def read_date(text: str) -> int:
    """An ISO 8601 date or date-time in milliseconds since 1970; midnight and UTC unless given.

    Raises `ValueError` with the sentence `DATE`.
    """
    match = DATE_TIME.fullmatch(LOST_PLUS.sub(r"\1+\2", text.strip().upper()))
    day, time, zone = match.groups("") if match else ("", "", "")
    try:
        instant = ISO_PARSER.isoparse(f"{day}T{time}{zone}" if time else day)
        return (instant.replace(tzinfo=instant.tzinfo or dt.UTC).astimezone(dt.UTC) - EPOCH) // MILLISECOND
    except (ValueError, OverflowError) as error:
        raise ValueError(DATE) from error


def write_date(milliseconds: int | None) -> str | None:
    """RFC 3339 in UTC with milliseconds: `2026-08-21T02:08:30.364Z`."""
    if milliseconds is None:
        return None
    instant = EPOCH + dt.timedelta(milliseconds=milliseconds)
    return f"{instant.isoformat(timespec='milliseconds')[:-6]}Z"


def compact_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
