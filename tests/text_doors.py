"""Interfaces by which a user's text comes in: forms, rules of segments, files, headers, queries."""

import io
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from flask import Flask

from audience import addresses
from audience.access import site_keys
from audience.answers.gender.gender import open_names
from audience.answers.gender.personal_name import MAX_LENGTH as NAME_LENGTH
from audience.api.request_data import read_query
from audience.http.normalize import Normalizer
from audience.imports import refused_rows
from audience.segments import rules as segment_rules
from schemas.base import FormError, RequestSchema, load
from schemas.custom_fields import CreateField
from schemas.events import RecordEvents
from schemas.formats import readers
from schemas.formats.files import inspect
from schemas.formats.readings import Reading
from schemas.formats.rows import FileRow
from schemas.imports import ImportSubscribers
from schemas.searches import SearchSubscribers
from schemas.subscribers import CreateSubscriber
from tests.input_costs import REFUSALS, SIZE, WorstInputs

MANY_ROWS = 2**16  # characters: a refused row costs as much as some thousand characters


def hidden(text: str) -> None:
    """Stores a refused row that has the text."""
    without_addresses(FileRow(2, text, "ann@example", cells=[text]))


def each_text(form: RequestSchema, value: Any) -> None:
    """Loads a value by a form. Ignores its refusal."""
    with suppress(*REFUSALS):
        load(form, value)


def person(text: str) -> dict[str, Any]:
    """A subscriber with the text in every key and value."""
    return {"email": text, "first_name": text, "tags": text, "fields": {text: text}, text: text}


def in_person(text: str) -> None:
    each_text(CreateSubscriber(), person(text))


def in_batch(text: str) -> None:
    each_text(ImportSubscribers(), {"subscribers": [person(text)]})


def in_events(text: str) -> None:
    event = person(text) | {"type": text, "date": text, "details": {"tag": text}}
    each_text(RecordEvents(), {"events": [event]})


def in_forms(text: str) -> None:
    each_text(SearchSubscribers(), {"email": text, "tags": text, "created_at": {"gt": text}, "page": text})
    each_text(CreateField(), {"field": {"key": text}})


def in_rules(text: str) -> None:
    subjects = ("tag", "email", "email_domain", "created_at", "status")
    rules = [{subject: text} for subject in subjects] + [{"field": "plan", "gt": text}]
    segment_rules.read({"all": [*rules, {"field": "plan", "contains": text}]}, 0, "rules")


def in_file(kind: str) -> Callable[[str], None]:
    """A function that reads a file of a kind that has the text."""
    heads = {"csv": b"email,plan\n", "consent": b"email,status,created_at\n", "json": b"["}
    head, kind = heads.get(kind, b""), "csv" if kind == "consent" else kind

    def read(text: str) -> None:
        binary = io.BytesIO(head + text[:-32].encode(errors="replace"))
        for row in inspect(binary, Reading(consent="subscribed"), kind).rows(str):
            without_addresses(row)

    return read


def in_headers(text: str) -> None:
    environ = {"PATH_INFO": text, "HTTP_AUTHORIZATION": f"Basic {text}"}
    list(Normalizer(lambda *_: [b""])(environ, print))


def in_query(text: str) -> None:
    with Flask("query").test_request_context(f"/?{text}"):
        read_query()


def without_addresses(row: Any) -> None:
    """The refused row to store, as of a site whose key is cached."""
    vars(site_keys)["_keys"][1] = site_keys.SiteKey(bytes(32), True, "", str)
    refused_rows.without_addresses(1, row)


def in_keys(text: str) -> None:
    """Reads refused objects, each of which has a key that no other has."""
    people = [f'{{"email":"a","k{number}":1}}' for number in range(len(text) // 24)]
    binary = io.BytesIO("\n".join(['{"email":"a@b.example"}', *people]).encode())
    with suppress(FormError):
        inspect(binary, Reading(), "jsonl")
    for row in inspect(binary, Reading(consent="subscribed"), "jsonl").rows(addresses.identity):
        without_addresses(row)


def as_names(more: tuple[Any, ...], *units: str | tuple[str, ...], limit: int = SIZE) -> WorstInputs:
    """The inputs of a function of many names, which are all the same or all different, and of `more`."""

    def run(function: Any, text: str) -> None:
        names = text.split(",")
        for given in (names, [f"{number}{name}" for number, name in enumerate(names)]):
            with suppress(*REFUSALS):
                function(given, *more)

    return WorstInputs(("a", ",", "a,", "é,", "a b,", *units), run, limit)


def as_words(*units: str | tuple[str, ...]) -> WorstInputs:
    """The inputs of a function of the words of a name."""
    return WorstInputs(
        ("a", "a ", *units),
        lambda function, text: function(tuple(text.split(" ")), open_names().origins),
        NAME_LENGTH,
    )


def as_file(*units: str | tuple[str, ...], more: tuple[str, ...] = ()) -> WorstInputs:
    """The inputs of a function of a file, its encoding, and `more`."""
    return WorstInputs(
        ("a", *units), lambda function, text: function(io.BytesIO(text.encode()), "utf-8", *more)
    )


def in_object(text: str) -> None:
    """Reads the text as a line of JSON lines."""
    with suppress(RecursionError):
        readers.Objects().read(text, 0)


def as_records(*units: str | tuple[str, ...]) -> WorstInputs:
    """The inputs of a function that yields the records of a text with commas."""
    return WorstInputs(("a", *units), lambda function, text: deque(function(io.StringIO(text), ","), 0))
