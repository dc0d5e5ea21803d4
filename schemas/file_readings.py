"""The parameters of a file import: how to read the file, and the answers to the questions that it leaves open
(docs/files.md).
"""

from typing import Any
from urllib.parse import parse_qsl

import marshmallow as ma

from schemas.base import FormError, Once, RequestSchema, Switch, Text, describe, load
from schemas.codes import Code, Sentence
from schemas.formats import encodings
from schemas.formats.date_columns import FIELD, IGNORE
from schemas.formats.dates import DMY, MDY
from schemas.formats.meanings import MEANING
from schemas.formats.presets import PRESETS
from schemas.formats.readings import Reading
from schemas.formats.refusals import FileRefused
from schemas.formats.tables import IMPORT, SKIP
from schemas.formats.tag_questions import SEPARATORS
from schemas.pages import ignored_keys
from schemas.tags import trim_names
from schemas.values import STATES, FieldError, OnExisting

BOTH = (
    "`answers` already says who may be written to: leave `consent` and `consent_column` out, or leave "
    "`answers` out."
)
FROM = Sentence(Code.UNKNOWN_CHOICE, f"Send from with one of {', '.join(PRESETS)}, or leave it out.")
CONSENT = Sentence(Code.UNKNOWN_CHOICE, f"Send consent with one of {', '.join(STATES)}, or leave it out.")
KNOWN = Sentence(Code.UNKNOWN_CHOICE, f"Send known with one of {', '.join(OnExisting)}, or leave it out.")
TAG_SEPARATOR = Sentence(
    Code.UNKNOWN_CHOICE, "Send tag_separator with the marks between tags: one or more of , ; | # or :::"
)
ENCODING = Sentence(Code.UNKNOWN_CHOICE, f"Send encoding with one of {', '.join(encodings.SAID)}.")
HEADER_ROW = Sentence(
    Code.MALFORMED_VALUE, "Send header_row with the number of the row that has the names of the columns."
)
HIDDEN_ROWS = Sentence(
    Code.UNKNOWN_CHOICE,
    f"Send hidden_rows={IMPORT} to import hidden rows of a workbook, too, or hidden_rows={SKIP}.",
)
UNREAD_DATES = (
    f"Some cells are not dates. Send unread_dates={IGNORE} to leave them out, or "
    f"unread_dates={FIELD} to keep them as custom fields."
)
ORDER = Sentence(
    Code.UNKNOWN_CHOICE, f"Send dates={DMY} if the day comes first, or dates={MDY} if the month does."
)


MAX_ID = 2**53
UPLOAD = Sentence(Code.MALFORMED_VALUE, "Send upload exactly as you got it with the questions.")
ANSWERS = Sentence(
    Code.MALFORMED_VALUE, "Send in answers the line that you got as `meta.answers`, unchanged."
)
SAYING = {"consent", "consent_column"}
SEEN = Sentence(
    Code.REQUIRED, "Send seen only together with answers: seen adds a header to those in the line of answers."
)


class Values(ma.fields.List[Any]):
    """A parameter that may be repeated. An empty value counts: it stands for blank cells."""

    def __init__(self, **options: Any) -> None:
        super().__init__(Text(), **options)


class Encoding(Once):
    """A parameter with any name of an encoding. Its value is one of `encodings.SAID`."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        if (name := encodings.find_encoding(super()._deserialize(value))) is None:
            raise ma.ValidationError(ENCODING)
        return name


class RowNumber(Once):
    """A parameter with the number of a row of the file. The first row is 1."""

    def _deserialize(self, value: Any, *_: Any, **__: Any) -> Any:
        digits = super()._deserialize(value).strip()
        if not (digits.isascii() and digits.isdigit() and len(digits) < 9 and int(digits) > 0):
            raise ma.ValidationError(HEADER_ROW)
        return int(digits)


class ImportFile(RequestSchema):
    """The parameters that tell how to read a file."""

    map_ = ma.fields.Dict(
        keys=Text(),
        values=Text(),
        data_key="map",
        load_default=dict,
        error_messages={"invalid": MEANING},
        **describe("What a column means: `map[COLUMN]=WHAT`. COLUMN is a header, or a number from 1."),
    )
    from_ = Once(data_key="from", validate=ma.validate.OneOf(PRESETS, error=FROM))
    sheet = Once(**describe("The sheet of a workbook; by default, the first."))
    tag = ma.fields.List(Text(), load_default=list, **describe("Tags for everyone in the file."))
    consent = Once(
        validate=ma.validate.OneOf(STATES, error=CONSENT),
        **describe(
            "The consent of everyone in the file: `subscribed`, `unsubscribed`, or "
            "`unconfirmed` (still to confirm)."
        ),
    )
    consent_column = Once(**describe("The column that says who may be written to."))
    subscribed = Values(**describe("Values of the consent column that mean subscribed."))
    unsubscribed = Values(**describe("Values of the consent column that mean unsubscribed."))
    unconfirmed = Values(**describe("Values of the consent column that mean unconfirmed (still to confirm)."))
    ignore_column = Values(**describe("Columns that say nothing about consent."))
    seen_digest = Once(**describe("The digest of more than 200 headers, in place of `seen`."))
    seen = Values(**describe("Headers of the file for which the answers were given."))
    answers = Once(**describe("The `meta.answers` of an earlier import."))
    upload_id = ma.fields.Integer(
        data_key="upload",
        validate=ma.validate.Range(1, MAX_ID, error=UPLOAD),
        error_messages={"invalid": UPLOAD},
        **describe("The id of a file that was kept with its questions; send it instead of the body."),
    )
    header = Switch()
    dates = Once(validate=ma.validate.OneOf([DMY, MDY], error=ORDER))
    tag_separator = Once(validate=ma.validate.Regexp(SEPARATORS, error=TAG_SEPARATOR))
    encoding = Encoding(**describe("The encoding of a file that is not UTF-8."))
    header_row = RowNumber(**describe("The number of the row that has the names of the columns."))
    hidden_rows = Once(validate=ma.validate.OneOf([IMPORT, SKIP], error=HIDDEN_ROWS))
    unread_dates = Once(validate=ma.validate.OneOf([IGNORE, FIELD], error=UNREAD_DATES))
    known = Once(
        validate=ma.validate.OneOf(list(OnExisting), error=KNOWN),
        **describe(
            "What the import may change in existing subscribers: `merge` changes "
            "everything (the default), `fill` only blank values, and `skip` nothing. An unsubscribe always "
            "counts."
        ),
    )
    dry_run = Switch()

    @ma.post_load(pass_original=True)
    def with_ignored(self, data: dict[str, Any], original: Any, **_: Any) -> dict[str, Any]:
        return data | {"ignored": ignored_keys(self, original)}


def _with_answers(form: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the request, completed by earlier answers in its parameter `answers`.

    The request's own parameters override these. Raises `FormError` if answers are malformed or contradict the
    request.
    """
    if not form.get("answers"):
        if form.get("seen"):
            raise FormError([FieldError("seen", SEEN)])
        return form
    line: dict[str, Any] = {"map": {}}
    for name, value in parse_qsl(form["answers"], keep_blank_values=True):
        if name.startswith("map["):
            line["map"][name[len("map[") : -1]] = value
        elif isinstance(ImportFile().fields_by_key.get(name), ma.fields.List):
            line.setdefault(name, []).append(value)
        elif name in ImportFile().fields_by_key and line.setdefault(name, value) == value:
            continue
        else:
            raise FormError([FieldError("answers", ANSWERS)])
    if "seen_digest" not in line:
        line.setdefault("seen", [])
    before: dict[str, Any] = load(ImportFile(), line)
    if any(form[name] != before.get(name) for name in SAYING & form.keys()) and SAYING & before.keys():
        raise FileRefused(BOTH)
    answers = {value for state in STATES for value in form.get(state, ())}
    for name in STATES:
        rest = [value for value in before.get(name, ()) if value not in answers]
        before[name] = [*rest, *form.get(name, ())]
    lists = {name: [*before.get(name, ()), *form.get(name, ())] for name in ("ignore_column", "seen")}
    lists = {name: values for name, values in lists.items() if values or name in before}
    states = {name: before[name] for name in STATES if before[name]}
    return before | form | lists | states | {"map_": before["map_"] | form["map_"]}


def reading(form: dict[str, Any], zone: str) -> Reading:
    """The reading that parameters and earlier answers ask for. `zone` is the site's. Raises `FormError`."""
    form = _with_answers(form)
    return Reading(
        meanings=form["map_"],
        preset=form.get("from_"),
        sheet=form.get("sheet"),
        tags=trim_names(form["tag"]),
        consent=form.get("consent"),
        consent_column=form.get("consent_column"),
        told={state: form[state] for state in STATES if state in form},
        ignored=form.get("ignore_column", ()),
        seen=form.get("seen"),
        seen_digest=form.get("seen_digest"),
        headed=form.get("header", True),
        dates=form.get("dates"),
        known=form.get("known", OnExisting.MERGE),
        zone=zone,
        unread_dates=form.get("unread_dates"),
        encoding=form.get("encoding"),
        header_row=form.get("header_row"),
        hidden_rows=form.get("hidden_rows"),
        tag_separator=form.get("tag_separator"),
    )
