"""Each preset recognises its own files and no other's."""

import csv
from pathlib import Path

import pytest

from schemas.formats import header_names
from schemas.formats.consent import comparable
from schemas.formats.consent_words import fold
from schemas.formats.presets import IGNORE, PRESETS, STATE_COLUMN, is_file_of_unsubscribed, recognise
from tests.rows import each_row
from tests.schemas.tables import normalized

FOLDER = Path(__file__).parent / "data" / "peers"
FILES = {
    "listmonk.csv": "listmonk",
    "listmonk_unsubscribed.csv": "listmonk",
    "listmonk_unconfirmed.csv": "listmonk",
    "subscribed_email_audience_export_0a1b2c3d4e.csv": "mailchimp",
    "unsubscribed_email_audience_export_0a1b2c3d4e.csv": "mailchimp",
    "cleaned_email_audience_export_0a1b2c3d4e.csv": "mailchimp",
    "nonsubscribed_email_audience_export_0a1b2c3d4e.csv": "mailchimp",
    "ghost.csv": "ghost",
    "keila.csv": "keila",
    "email_list.example.csv": "substack",
    "beehiiv.csv": "beehiiv",
    "mailpoet.csv": "mailpoet",
}


def header(name: str) -> list[str]:
    with (FOLDER / name).open(encoding="utf-8", newline="") as file:
        return next(csv.reader(file))


def test_every_file_has_its_preset_and_every_preset_a_file():
    assert {path.name for path in FOLDER.glob("*.csv")} == FILES.keys()
    assert set(FILES.values()) == PRESETS.keys()


@each_row(("name", "preset"), FILES.items())
def test_a_file_is_recognised_by_its_own_preset_alone(name, preset):
    found = {fold(column) for column in header(name)}
    matching = [
        each.name
        for each in PRESETS.values()
        if any({fold(sign) for sign in signs.split()} <= found for signs in each.signs)
    ]
    assert matching == [preset]
    assert recognise(header(name)) is PRESETS[preset]


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_preset_speaks_of_columns_that_its_files_have(preset):
    headers = {fold(column) for name, of in FILES.items() if of == preset.name for column in header(name)}
    named = [*preset.columns, *preset.consent, *preset.also]
    assert {fold(column) for column in named} - {fold(STATE_COLUMN)} <= headers
    assert normalized(preset.columns)
    assert set(preset.columns.values()) <= {meaning for meaning, _, _ in header_names.ROWS} | {
        "fields",
        IGNORE,
        *(f"field:{column}" for column in preset.columns),
    }


@pytest.mark.parametrize("preset", PRESETS.values(), ids=PRESETS)
def test_a_preset_names_its_source_and_what_each_value_means(preset):
    assert preset.page.startswith("https://")
    assert len(preset.read) == len("2026-11-26")
    for states in (*preset.consent.values(), *preset.also.values()):
        assert {state for value, state in states.items() if state or value} <= {
            "subscribed",
            "unsubscribed",
            "unconfirmed",
        }
        assert all(comparable(value) == value for value in states)


@pytest.mark.parametrize(
    "columns",
    [
        ["email", "name", "status"],
        ["uuid", "email", "first_name", "last_name", "tags", "created_at", "unsubscribed_at"],  # our own
        ["Email", "First Name", "Last Name", "Status"],
        ["email", "status", "tier", "created_at"],
        ["Email Address", "First Name", "TAGS"],
        [],
    ],
)
def test_an_ordinary_file_is_nobodys(columns):
    assert recognise(columns) is None


def test_advice_is_a_sentence():
    for preset in PRESETS.values():
        assert preset.program in (preset.advice or preset.program)
        assert not preset.advice or preset.advice.endswith(".")
        assert "--" not in preset.advice


def test_names_of_files_in_which_nobody_is_subscribed():
    assert [name for name in FILES if is_file_of_unsubscribed(name)] == [
        "unsubscribed_email_audience_export_0a1b2c3d4e.csv",
        "cleaned_email_audience_export_0a1b2c3d4e.csv",
        "nonsubscribed_email_audience_export_0a1b2c3d4e.csv",
    ]
