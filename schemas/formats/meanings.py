"""What a column may mean, and the headers by which exports name that meaning (docs/files.md)."""

from collections.abc import Iterable, Sequence
from functools import cache

import marshmallow as ma

from schemas import links
from schemas.custom_fields import field_key
from schemas.formats import csv_values, header_names
from schemas.formats.consent_words import fold
from schemas.formats.presets import IGNORE, PRESETS
from schemas.formats.refusals import FileRefused
from schemas.values import DATES, NAMES

CUSTOM = "fields."  # prefix of a key that would otherwise name another column
FIELD = "field:"  # prefix of a key in a meaning
CONSENT = "consent"  # of a column that says who may be written to
OWN = ("command", "unsubscribed_at")  # meanings that take people out whatever is answered
FORMER = ("subscribed", "unsubscribed", "status")  # meanings of consent before it was asked about
NOTES = ("row_number", "error_code", "error_message")  # added to a file of refused rows
CODE_NOTE = "code"  # of a CSV file behind them, unless a column of its own has that name
MEANINGS = (
    "email", *NAMES, "name", "tags", "remove_tags", "command", "fields", *DATES, IGNORE,
)  # fmt: skip
IGNORED = frozenset(
    {
        "",
        "id",
        "uuid",
        "type",
        "site_uuid",
        "site_id",
        "cached_tag_ids",
        "navigation_url",
        *links.RESERVED,
        *NOTES,
    }
)

ASKED = (
    "Consent is not a meaning of a column: send `consent_column=COLUMN`, with `subscribed=VALUE`, "
    "`unsubscribed=VALUE` and `unconfirmed=VALUE` for its values."
)
MEANING = f"Write `map[COLUMN]=WHAT` with one of {', '.join(MEANINGS)}, or field:KEY."
BAD_KEY = (
    "The header of column {number} cannot be the name of a custom field: use letters, digits, or any "
    "of _ - . $, or leave the column out with `map[{number}]=ignore`."
)


def normal(name: str) -> str:
    """The normal form of a header: `First Name`, `first-name` and `FIRST_NAME` are `first_name`."""
    return csv_values.strip(name).lower().replace(" ", "_").replace("-", "_")


def meaning_of(what: str) -> str:
    """The meaning that the text `what` of a parameter names. Raises `FileRefused` for any other text."""
    what = what.strip()
    if normal(what) in MEANINGS:
        return normal(what)
    if normal(what) in (CONSENT, *FORMER):
        raise FileRefused(ASKED)
    for prefix in (FIELD, CUSTOM):
        if what.startswith(prefix):
            try:
                return FIELD + field_key(what.removeprefix(prefix).strip())
            except ma.ValidationError:
                break
    raise FileRefused(MEANING)


def field_meaning(position: int, name: str) -> str:
    """The meaning of a column as a custom field, whose key comes from the header `name`.

    Raises `FileRefused` if no key can be made.
    """
    try:
        return FIELD + field_key(name.strip().removeprefix(CUSTOM))
    except ma.ValidationError as error:
        raise FileRefused(BAD_KEY.format(number=position)) from error


@cache
def preset_columns(name: str) -> dict[str, str]:
    """The meanings of a preset's columns, by folded header."""
    return {fold(header): meaning for header, meaning in PRESETS[name].columns.items()}


def note_headers(columns: Iterable[str]) -> Sequence[str]:
    """The headers that a file of refused rows has behind its `columns`, without `code` if they include it."""
    return NOTES if CODE_NOTE in map(normal, columns) else (*NOTES, CODE_NOTE)


def field_header(key: str) -> str:
    """The header for a custom field, by which an import knows it whatever the values are."""
    return csv_values.write_text(CUSTOM + key if _is_taken(key) else key)


def _is_taken(key: str) -> bool:
    """Whether a header with the text `key` means something else than the custom field `key`."""
    header = normal(key)
    return (
        key.startswith(CUSTOM)
        or header in IGNORED
        or header in MEANINGS
        or header_names.meaning_of(key) is not None
        or fold(key) in _preset_headers()
    )


@cache
def _preset_headers() -> frozenset[str]:
    """All headers that a preset maps or is recognised by."""
    signs = " ".join(sign for preset in PRESETS.values() for sign in preset.signs)
    return frozenset(map(fold, signs.split())).union(*map(preset_columns, PRESETS))
