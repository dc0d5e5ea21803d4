"""The form of a file: what its columns mean, beside its first rows, and what is not understood."""

from collections.abc import Mapping
from itertools import islice
from typing import Any

from audience import custom_fields, file_uploads
from audience.file_uploads import FileUpload
from audience.sites import Site
from schemas.base import load
from schemas.file_imports import ImportFile, reading
from schemas.formats import columns, consent, files, meanings
from schemas.formats.columns import Because, Column
from schemas.formats.dates import DMY, MDY
from schemas.formats.files import File, Reading
from schemas.formats.meanings import FIELD, MEANINGS
from schemas.formats.presets import IGNORE, LEFT_FILES, PRESETS
from schemas.formats.tables import Table
from schemas.values import FieldError, FormError, KnownPeople

FIRST_ROWS = 4
MAX_CELL = 80
MOST_SHOWN = 200  # columns
MOST_FIELDS = 100
HINTS = "did_you_mean"  # in the words of the API
COLUMN = "column-"  # prefix of the field of a column's place

WORDS = {
    "email": "address", "name": "name, whole", "first_name": "first name", "last_name": "last name",
    "remove_tags": "tags to take off", "fields": "several fields, as JSON", "created_at": "created",
    "updated_at": "changed", "last_event_at": "last event", "unsubscribed_at": "left on",
    "subscribed": "subscribed, yes or no", "unsubscribed": "left, yes or no", "status": "consent",
    IGNORE: "nothing: leave it out",
}  # fmt: skip
KNOWN_PEOPLE = [
    (KnownPeople.MERGE, "take what the file says"), (KnownPeople.FILL, "get only what they lack"),
    (KnownPeople.SKIP, "stay as they are"),
]  # fmt: skip
BESIDE = {  # the sentences of the API that name its parameters, in the words of the page
    columns.NO_EMAIL: "No column holds addresses: choose below which one does.",
    columns.TWICE: "Two columns mean the same: leave one of them out, or choose something else for it.",
    meanings.BAD_KEY: "The name of a column cannot be that of a field: leave that column out.",
    files.NO_ORDER: "The dates may have the day or the month first: choose below which.",
    consent.NOT_UNDERSTOOD: "A column about consent has words that are not understood: leave it out, or make "
    "it a field, or correct the file.",
    consent.LEFT_LATER: "A column that looks like a field says of some that they have left: choose consent "
    "for it, or a field.",
}
NO_HEADER = (
    "The first row has an address, so it seems to be a person: take the tick off “The first row has the "
    "names of the columns”, choose which column is the address, and look again."
)


def first_reading(name: str) -> dict[str, Any]:
    """What is said of a file by its name alone: some programs name a file of people who left so."""
    return {"consent": "unsubscribed"} if name.lower().startswith(LEFT_FILES) else {}


def read_form(form: Mapping[str, str]) -> dict[str, Any]:
    """How the file is meant, with parameters as the API names them."""
    chosen = {
        name.removeprefix(COLUMN): value for name, value in form.items() if name.startswith(COLUMN) and value
    }
    said = {name: form[name] for name in ("from", "sheet", "dates", "known") if form.get(name, "")}
    tags = [tag for tag in map(str.strip, form.get("tag", "").split(",")) if tag]
    left = {"consent": "unsubscribed"} if "left" in form else {}
    return said | left | {"map": chosen, "tag": tags, "header": "1" if "headed" in form else "0"}


def to_reading(said: Mapping[str, Any]) -> Reading:
    """Raises `FormError`."""
    return reading(load(ImportFile(), dict(said)))


def choices(site: Site) -> dict[str, Any]:
    """What the form offers for every column."""
    keys = [field.key for field in custom_fields.list_all(site)][:MOST_FIELDS]
    return {
        "meanings": [(name, WORDS.get(name, name)) for name in MEANINGS if name != "command"],
        "fields": [(f"{FIELD}{key}", f"field: {key}") for key in keys],
        "presets": [(name, preset.program) for name, preset in PRESETS.items()],
        "orders": [(DMY, "the day first"), (MDY, "the month first")],
        "known_people": KNOWN_PEOPLE,
    }


def shown_columns(table: Table, file: File | None, said: Mapping[str, Any]) -> list[dict[str, Any]]:
    """A row for each column: its name, what it becomes and why, and its first cells.

    Of a file that is not understood, without what is not known.
    """
    records = [record for _, record in islice(table.records(), FIRST_ROWS)]
    plan = file.plan if file else [Column(place, name, "", "") for place, name in enumerate(table.names, 1)]
    return [
        {
            "column": column,
            "chosen": said.get("map", {}).get(str(column.place), ""),
            "words": _words(column),
            "dot": _dot(column),
            "own_field": f"{FIELD}{column.name}",
            "cells": [table.cell_of(record, column)[:MAX_CELL] for record in records],
        }
        for column in plan[:MOST_SHOWN]
    ]


def _words(column: Column) -> str:
    return f"field: {column.key}" if column.key else WORDS.get(column.meaning, column.meaning)


def _dot(column: Column) -> str:
    if column.meaning in ("", IGNORE):
        return "idle"
    return "warn" if column.reason in (Because.BY_VALUES, Because.NO_CONSENT) else ""


def last_problem(upload: FileUpload) -> str:
    """Why a worker could not read a file to its end; empty if it could, or has not tried."""
    found = file_uploads.outcome_of(upload)
    if "problem" not in found:
        return ""
    return problem(FormError([FieldError("file", found["problem"])], found.get("found")))


def problem(error: FormError) -> str:
    """Why a file is not understood, with what was found."""
    if "header=0" in error.found.get(HINTS, ()):
        return NO_HEADER
    message = error.problems[0].message
    said = next((own for api, own in BESIDE.items() if message.startswith(api.partition("{")[0])), message)
    found = [
        ", ".join(map(str, values[:10]))
        for name, values in error.found.items()
        if name != HINTS and isinstance(values, list)
    ]
    return f"{said} Found: {'; '.join(found)}." if found else said
