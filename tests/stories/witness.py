"""Reads requests and their answers for the judge of `invariant.py`, which then says what must hold."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from tests.stories.accepted import ABSENT, ANYTHING, SUBSCRIBE, UNSUBSCRIBE, Key, Request
from tests.stories.invariant import Found, Judge

SITE_QUEUE = "site"  # in which imports and undos wait
PLACE = re.compile(r"\[(\d+)\]")
UNDO = re.compile(r"/batch/imports/(\d+)/undo")
RESERVED = frozenset({"email", "tags", "remove_tags", "fields", "command", "first_name", "last_name", "type",
                      "status", "unsubscribed_at", "details", "date"})  # fmt: skip
COMMANDS = {"subscribe": SUBSCRIBE, "unsubscribe": UNSUBSCRIBE}
EVENTS = {f"${name}": kind for name, kind in COMMANDS.items()}
NAMES = ("first_name", "last_name")


def observe(
    judge: Judge, request: Request, method: str, path: str, query: Mapping[str, Any], body: Any, answer: Any
) -> None:
    """Tells the judge of a request. `answer` is the JSON that says it was accepted; None if nobody knows."""
    parts = urlsplit(path)
    query = {**dict(parse_qsl(parts.query)), **query}
    method_and_path = f"{method} {parts.path}"
    if undo := UNDO.fullmatch(parts.path):
        judge.answer(request, SITE_QUEUE, f"undo {undo[1]}", answer is not None)
        if method == "POST" and not query.get("dry_run"):
            judge.undo(request, f"import {undo[1]}")
    elif parts.path.startswith("/fetch/tags/") and method == "DELETE":
        judge.answer(request, certain=answer is not None)
        judge.delete_tag(request, answer and answer["data"]["attributes"]["name"])
    elif read := READERS.get(method_and_path):
        read(judge, request, query, body, answer)


def _create(judge: Judge, request: Request, _: Any, body: Any, answer: Any) -> None:
    judge.answer(request, certain=answer is not None)
    item = body.get("subscriber", body)
    judge.mention(request, item["email"])
    judge.write(request, item["email"], _values(item))


def _erase(judge: Judge, request: Request, query: Any, _: Any, answer: Any) -> None:
    judge.answer(request, certain=answer is not None)
    judge.erase(request, query["email"])


def _import(judge: Judge, request: Request, _: Any, body: Any, answer: Any) -> None:
    """Notes an import. Rows of an erased subscriber may be refused at once; an unsubscribe among them still
    counts.
    """
    _answer_import(judge, request, answer and answer["import_id"], answer and answer["results"])
    refused = _refused(answer)
    for row, item in enumerate(body["subscribers"]):
        if kind := COMMANDS.get(item.get("command") or ""):
            judge.consent(request, item["email"], kind, row)
        if row not in refused:
            judge.mention(request, item["email"])
            judge.write(request, item["email"], _values(item))


def _import_file(judge: Judge, request: Request, query: Any, body: bytes, answer: Any) -> None:
    state = answer and answer["data"]
    _answer_import(judge, request, state and state["id"], state and state["attributes"]["total"])
    known = query.get("known", "merge")
    for row, cells in enumerate(csv.DictReader(io.StringIO(body.decode()))):
        email, values = cells["email"], _values_of_row(cells, query)
        if event := _event_of_row(cells, query):
            judge.consent(request, email, event[0], row, event[1], creates=known != "merge")
        if known != "skip":
            judge.mention(request, email)
        is_sure = known == "merge"
        judge.write(request, email, values, certain=is_sure)


def _event_of_row(cells: Mapping[str, str], query: Any) -> tuple[str, int | date | None] | None:
    """The (kind, date) of the consent event in a row. A command overrides other columns; a column of consent
    only unsubscribes.
    """
    if cells.get("command"):
        return COMMANDS[cells["command"]], None
    if cells.get("unsubscribed_at"):
        return UNSUBSCRIBE, read_date(cells["unsubscribed_at"])
    if cells.get("status") == "unsubscribed" or query.get("consent") == "unsubscribed":
        return UNSUBSCRIBE, None
    return None


def _answer_import(judge: Judge, request: Request, name: str | None, rows: int | None) -> None:
    judge.answer(request, SITE_QUEUE, f"import {name}", name is not None)
    if name is not None and rows is not None:
        judge.imports[name] = rows


def _command(judge: Judge, request: Request, _: Any, body: Any, answer: Any) -> None:
    judge.answer(request, certain=answer is not None)
    commands = body["command"] if isinstance(body["command"], list) else [body["command"]]
    failed = _refused(answer)
    for row, command in enumerate(commands):
        email, name = command["email"], command["command"]
        if name in COMMANDS:
            judge.consent(request, email, COMMANDS[name], row)
        if row in failed:
            continue
        if name == "change_email":
            judge.move(request, email, command["query"])
        elif name in ("remove_tag", "remove_field"):
            judge.write(request, email, _values_of_command(command))
        else:
            judge.mention(request, email)
            judge.write(request, email, _values_of_command(command))


def _values_of_command(command: Mapping[str, Any]) -> dict[Key, Any]:
    name: str = command["command"]
    query: Any = command.get("query")
    if name in ("add_tag", "add_tag_via_event"):
        return {_tag(query): True}
    if name == "remove_tag":
        return {_tag(query): ABSENT}
    if name == "remove_field":
        return {_field(query): ABSENT}
    return _values({"fields": {query["key"]: query["value"]}}) if name == "add_field" else {}


def _events(judge: Judge, request: Request, _: Any, body: Any, answer: Any) -> None:
    judge.answer(request, certain=answer is not None)
    failed = _refused(answer)
    for row, event in enumerate(body["events"]):
        email, kind = event["email"], EVENTS.get(event["type"])
        if kind:
            judge.consent(request, email, kind, row, read_date(event["date"]) if event.get("date") else None)
        if row in failed:
            continue
        if event["type"] != "$remove_tag":
            judge.mention(request, email)
        tag = (event.get("details") or {}).get("tag", "")
        tags: dict[str, Any] = {"$tag": True, "$remove_tag": ABSENT}
        tagged = {_tag(tag): tags[event["type"]]} if event["type"] in tags else {}
        judge.write(request, email, _values(event) | tagged)


def _refused(answer: Any) -> set[int]:
    """The indexes of the items that an answer lists as refused or failed."""
    problems = answer["errors"] if answer else []
    return {int(found[1]) for each in problems if (found := PLACE.search(each["field"]))}


def _values_of_row(cells: Mapping[str, str], query: Mapping[str, Any]) -> dict[Key, Any]:
    """The values that a row sets; an empty cell sets none.

    If an import limits what may change, a tag both added and removed depends on whether the subscriber
    existed.
    """
    values = _values({name: cell for name, cell in cells.items() if cell})
    tags = {_tag(name): True for name in filter(None, [query.get("tag")])}
    if query.get("known", "merge") == "merge":
        return tags | values
    both = {_tag(name) for name in [*_names(cells.get("tags")), query.get("tag") or ""]} & values.keys()
    return {**tags, **values, **dict.fromkeys(both, ANYTHING)}


def _values(item: Mapping[str, Any]) -> dict[Key, Any]:
    """The values that an item or event sets. A tag both added and removed is removed."""
    further = {key: value for key, value in item.items() if key not in RESERVED and value is not None}
    fields = {key: value for key, value in (item.get("fields") or {}).items() if value is not None}
    named = {name: item.get(name) or fields.pop(name, None) for name in NAMES}
    return (
        {("name", name): value for name, value in named.items() if value}
        | {("field", key): value for key, value in (further | fields).items()}
        | {_tag(name): True for name in _names(item.get("tags"))}
        | {_tag(name): ABSENT for name in _names(item.get("remove_tags"))}
    )


def _names(tags: Any) -> list[str]:
    return [*filter(None, map(str.strip, tags.split(",")))] if isinstance(tags, str) else tags or []


def _tag(name: str) -> Key:
    return "tag", name.casefold()


def _field(key: str) -> Key:
    return ("name", key) if key in NAMES else ("field", key)


def read_date(text: str) -> int | date:
    """Milliseconds, or the day of a date without a time."""
    if len(text) == len("2026-08-21"):
        return date.fromisoformat(text)
    return round(datetime.fromisoformat(text).timestamp() * 1000)


READERS = {
    "POST /fetch/subscribers": _create,
    "DELETE /fetch/subscribers": _erase,
    "POST /batch/subscribers": _import,
    "POST /batch/imports": _import_file,
    "POST /fetch/commands": _command,
    "POST /batch/events": _events,
}


def found_of(exported: Iterable[Mapping[str, Any]], stats: Any, **more: Any) -> Found:
    """What a site says, from the rows of an export and the answer of `/stats/site`."""
    values, subscribed = {}, {}
    for row in exported:
        key = row["email"].strip().lower()
        values[key] = dict(_shown(row))
        subscribed[key] = row["unsubscribed_at"] is None
    counts = tuple(stats[name] for name in ("user_count", "subscriber_count", "unsubscriber_count"))
    return Found(values, subscribed, counts, **more)


def _shown(row: Mapping[str, Any]) -> Iterator[tuple[Key, Any]]:
    for name in NAMES:
        if row[name]:
            yield ("name", name), row[name]
    for key, value in row["fields"].items():
        yield ("field", key), value
    for name in row["tags"]:
        yield _tag(name), True
