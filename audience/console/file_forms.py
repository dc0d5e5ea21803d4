"""The form of a file: what its columns mean, beside its first rows, and the questions that are open."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from audience.access.sites import Site
from audience.console import consent_forms
from audience.http.services import settings
from audience.imports import file_uploads
from audience.imports.file_uploads import FileUpload
from audience.subscribers import custom_fields
from schemas.file_imports import FORMATS
from schemas.formats import beginnings, columns, meanings, tables
from schemas.formats.consent_question import ABOUT
from schemas.formats.dates import DMY, MDY
from schemas.formats.meanings import CONSENT, FIELD, MEANINGS
from schemas.formats.presets import IGNORE, PRESETS
from schemas.formats.refusals import NAMED
from schemas.values import STATES, OnExisting

MOST_FIELDS = 100
ADDRESS = "email"  # the question that the columns answer
OF_THE_FILE = ("from", "sheet", "dates", "known", "header_row")
COLUMN, ASK = "column-", "ask-"  # prefixes of fields: of a column's place, of the answer to a question
NOT_ASKED = (
    "map",
    "tag",
    "from",
    "sheet",
    "known",
    "header",
    "header_row",
    "consent",
    "consent_column",
    "ignore_column",
    *STATES,
)
OPEN_WORDS = ("HEADER", "VALUE", "KEY")  # in options that are no answer as they stand

WORDS = {
    "email": "address", "name": "full name", "first_name": "first name", "last_name": "last name",
    "remove_tags": "tags to remove", "fields": "fields, as JSON", "created_at": "created",
    "updated_at": "changed", "last_event_at": "last event", "unsubscribed_at": "unsubscribed on",
    CONSENT: "consent", IGNORE: "nothing",
}  # fmt: skip
ON_EXISTING = [
    (OnExisting.MERGE, "are updated from the file"), (OnExisting.FILL, "get only values they lack"),
    (OnExisting.SKIP, "stay as they are"),
]  # fmt: skip
NO_FIELD = "A field cannot have the name of this column: choose another meaning, or ignore the column."
BESIDE = {  # the sentences of the API that name its parameters, in the words of the page
    beginnings.JSON: "The file is JSON, not CSV: give it a name that ends in .json, and send it again.",
    columns.TWICE: "Two columns have the same meaning: ignore one of them, or choose another meaning for it.",
    columns.MAP: "You chose a meaning for a column that this sheet does not have: check again.",
    meanings.MEANING: NO_FIELD,
    meanings.BAD_KEY: NO_FIELD,
    tables.ONE_LINE: "The file is a single line with an address in it, so its line ends were lost. Export "
    "the file again.",
}


def accepted() -> dict[str, Any]:
    """The largest file that may be sent, in bytes, and the formats with the endings of their names."""
    return {"limit": settings().import_max_bytes, "formats": FORMATS}


def first_reading() -> dict[str, Any]:
    """The answers about a file before anybody gave one: it has a header."""
    return read_form({"headed": "1"})


def read_form(form: Mapping[str, str]) -> dict[str, Any]:
    """The answers about a file in a form, as parameters of the API."""
    chosen = {
        name.removeprefix(COLUMN): value for name, value in form.items() if name.startswith(COLUMN) and value
    }
    reading = {name: form[name] for name in OF_THE_FILE if form.get(name, "")}
    answered = {name.removeprefix(ASK): value for name, value in form.items() if name.startswith(ASK)}
    reading |= {name: value for name, value in answered.items() if not name.startswith("map[")}
    chosen |= {name[len("map[") : -1]: value for name, value in answered.items() if name.startswith("map[")}
    tags = [tag for tag in map(str.strip, form.get("tag", "").split(",")) if tag]
    return reading | consent_forms.read(form) | {
        "map": chosen, "tag": tags, "header": "1" if "headed" in form else "0"
    }  # fmt: skip


def describe_file(site: Site, upload: FileUpload, outcome: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the page of a file. `outcome` is the result of its task (`file_tasks.Task`)."""
    reading, look = file_uploads.reading_of(upload), outcome.get("look", {})
    counts = Counter(outcome.get("counts", {}))
    asks = (outcome.get("found") or {}).get("asks", ())
    questions = [_question(ask) for ask in asks if ask["about"] not in (ABOUT, ADDRESS)]
    asking = consent_forms.describe_question(upload.name, reading, outcome)
    return {
        "said": reading,
        "look": look,
        "advice": look.get("advice", ""),
        "asking": asking,
        "before": file_uploads.imported_before(site, look.get("digest", "")),
        "columns": [_shown_column(column, reading) for column in look.get("columns", ())],
        "preset_found": PRESETS.get(look.get("preset")),
        "tried": {**outcome, "counts": counts} if "counts" in outcome else None,
        "kept": outcome.get("rows_seen", 0) - counts["refused"],
        "pieces": bar_parts(counts),
        "problem": "" if asking.get("contradicts") else _problem(outcome),
        "questions": questions,
        "kept_answers": [(name, value) for name, value in reading.items() if name not in NOT_ASKED],
        "is_open": bool(asks) or bool(asking.get("contradicts")),
        **choices(site),
    }


def choices(site: Site) -> dict[str, Any]:
    """The choices that the form offers for every column."""
    keys = [field.key for field in custom_fields.list_all(site)][:MOST_FIELDS]
    return {
        "meanings": [(name, WORDS.get(name, name)) for name in MEANINGS if name != "command"],
        "fields": [(f"{FIELD}{key}", f"field: {key}") for key in keys],
        "presets": [(name, preset.program) for name, preset in PRESETS.items()],
        "orders": [(DMY, "the day first"), (MDY, "the month first")],
        "on_existing": ON_EXISTING,
    }


def bar_parts(counts: Mapping[str, int]) -> list[tuple[str, int, str]]:
    """The parts of a bar, as (CSS class, number of rows, label), which add up to all rows."""
    words = (("created", "new"), ("updated", "changed"), ("unchanged", "unchanged"))
    chunks = [(f"f{number}", counts[name], label) for number, (name, label) in enumerate(words, 1)]
    erased = [("f4", counts["suppressed"], "erased earlier")] if counts["suppressed"] else []
    return [*chunks, ("f4", counts["refused"], "refused"), *erased]


def _shown_column(column: dict[str, Any], reading: Mapping[str, Any]) -> dict[str, Any]:
    """A column with its chosen meaning in words."""
    return column | {
        "chosen": reading.get("map", {}).get(str(column["place"]), ""),
        "words": f"field: {column['key']}"
        if column["key"]
        else WORDS.get(column["meaning"], column["meaning"]),
        "dot": "idle" if column["meaning"] in ("", IGNORE) else "",
        "reason": column["reason"],
        "own_field": f"{FIELD}{column['name']}",
    }


def _question(question: Mapping[str, Any]) -> dict[str, Any]:
    """A question with its answers, as (name, value) of parameters, except those that must be completed."""
    pairs = (option.partition("=") for option in question["options"])
    return {
        **question,
        "answers": [(name, value) for name, _, value in pairs if not set(OPEN_WORDS) & {value, value[6:]}],
    }


def _problem(reading: Mapping[str, Any]) -> str:
    """Why a file is not understood, with the values that were found; "" if it is.

    `reading` is the result of the file's task.
    """
    if "problem" not in reading:
        return ""
    message, details = reading["problem"], reading.get("found") or {}
    if "asks" in details:
        return next((ask["message"] for ask in details["asks"] if ask["about"] == ADDRESS), "")
    sentence = next(
        (own for api, own in BESIDE.items() if message.startswith(api.partition("{")[0])), message
    )
    values = [", ".join(map(str, names[:10])) for name, names in details.items() if isinstance(names, list)]
    sentence = NAMED.sub("", sentence)
    return f"{sentence} Found: {'; '.join(values)}." if values else sentence
