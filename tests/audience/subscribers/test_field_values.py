"""Custom values as rows: what each becomes, and rows that went wrong found and made again."""

import datetime as dt
from array import array

import pytest

from audience.imports import imports
from audience.operations import site_lane
from audience.subscribers import field_values
from audience.subscribers.field_values import values
from storage import database
from storage.jobs import JobModel
from storage.spelt import EPOCH, instant, number
from storage.subscribers.field_values import (
    BOOLEAN,
    MAX_LENGTH,
    NUMBER,
    OTHER,
    TEXT,
    ValueChangeModel,
    ValueHolderModel,
)
from tests.client import FakeQueue
from tests.jobs import run_due
from tests.rows import each_row

NEW_YEAR = 1_767_225_600_000  # 2026-01-01T00:00Z


@each_row(
    ("text", "spelt"),
    [
        ("5", 5), ("-5", -5), ("+5", 5), (" 5\t", 5), ("5.", 5.0), (".5", 0.5), ("1e3", 1000.0),
        ("9223372036854775807", 2**63 - 1), ("9223372036854775808", 2.0**63), ("007", 7),
        ("", None), ("five", None), ("5 apples", None), ("1,5", None), ("1 000", None), ("--5", None),
        (".", None), ("e5", None), ("0x10", None), ("٥", None), ("nan", None), ("inf", None),
        ("1" * 65, None), ("\u00a05", None),
    ],
)  # fmt: skip
def test_the_number_that_a_text_spells(text, spelt):
    assert number(text) == spelt
    assert type(number(text)) is type(spelt)


@each_row(
    ("text", "ms"),
    [
        ("2026-01-01", NEW_YEAR), ("2026-01-01T00:00", NEW_YEAR), ("2026-01-01 00:00:00", NEW_YEAR),
        ("2026-01-01T00:00:00Z", NEW_YEAR), ("2026-01-01T01:00:00+01:00", NEW_YEAR),
        ("2025-12-31T19:00-05:00", NEW_YEAR), ("2026-01-01T00:00:00.5Z", NEW_YEAR + 500),
        ("1969-12-31T23:59:59Z", -1000),
        ("2026-02-30", None), ("2026-1-1", None), ("01.01.2026", None), ("2026", None), ("", None),
        ("2026-01-01T25:00", None), ("2026-01-01T00:00:00." + "5" * 60, None),
    ],
)  # fmt: skip
def test_the_instant_that_a_text_spells(text, ms):
    assert instant(text) == ms


@each_row(
    ("value", "rows"),
    [
        ("Pro", {("pro", "Pro", TEXT, None, None)}),
        ("pro", {("pro", "", TEXT, None, None)}),
        ("STRASSE", {("strasse", "STRASSE", TEXT, None, None)}),
        ("straße", {("strasse", "straße", TEXT, None, None)}),
        ("5", {("5", "", TEXT, 5, None)}),
        ("2026-01-01", {("2026-01-01", "", TEXT, None, NEW_YEAR)}),
        (5, {("5", "", NUMBER, 5, None)}),
        (5.5, {("5.5", "", NUMBER, 5.5, None)}),
        (True, {("true", "", BOOLEAN, None, None)}),
        (False, {("false", "", BOOLEAN, None, None)}),
        (["a", "A", "a"], {("a", "", TEXT, None, None), ("a", "A", TEXT, None, None)}),
        (["5", 5], {("5", "", TEXT, 5, None), ("5", "", NUMBER, 5, None)}),
        ({"city": "Rome"}, {("rome", "Rome", TEXT, None, None)}),
        ([], {("", "", OTHER, None, None)}),
        ([["deep"]], {("", "", OTHER, None, None)}),
        ([None], {("", "", OTHER, None, None)}),
    ],
)  # fmt: skip
def test_the_rows_of_a_value(value, rows):
    assert set(values(value)) == rows


def test_a_long_text_is_cut():
    [row] = values("Ab" * MAX_LENGTH)
    assert (row.folded, row.label) == ("ab" * (MAX_LENGTH // 2), "Ab" * (MAX_LENGTH // 2))


def test_no_date_is_read_otherwise_than_by_the_calendar():
    for year in (1, 1600, 1900, 2000, 2024, 2100, 9999):
        for month in (1, 2, 12):
            day = dt.datetime(year, month, 28, 12, 30, tzinfo=dt.UTC)
            assert instant(day.isoformat()) == (day - EPOCH) // dt.timedelta(milliseconds=1)


@pytest.fixture
def site(client):
    for name in ("ann", "bob", "eve"):
        client.create(f"{name}@example.com", plan="Pro", age=30)
    return client.site


@pytest.mark.parametrize(
    ("statement", "parameters", "wrong"),
    [
        ("DELETE FROM distinct_values WHERE folded = 'pro'", (), 3),
        ("UPDATE distinct_values SET folded = 'other.example' WHERE folded = 'example.com'", (), 3),
        ("UPDATE distinct_values SET number = 31 WHERE number = 30", (), 3),
        ("DELETE FROM value_holders", (), 3),
        ("UPDATE value_holders SET people = 1, members = ?", (array("I", [99]).tobytes(),), 4),
    ],
)
def test_wrong_values_are_found_and_made_again(site, statement, parameters, wrong):
    field_values.merge(site.id)
    assert field_values.differing(site) == (0, 3)
    with database.write():
        database.execute(statement, parameters)
    assert field_values.differing(site) == (wrong, 3)
    field_values.rebuild(site)
    assert field_values.differing(site) == (0, 3)


def test_making_values_again_leaves_those_of_other_sites(site, other_client):
    other_client.create("ann@example.com", plan="Free")
    with database.write():
        database.execute("UPDATE distinct_values SET folded = 'x' || id")
    field_values.rebuild(site)
    assert field_values.differing(site) == (0, 3)
    assert field_values.differing(other_client.site) == (1, 1)


def test_values_are_made_again_in_chunks(site, monkeypatch):
    monkeypatch.setattr(field_values, "CHUNK", 1)
    field_values.rebuild(site)
    assert field_values.differing(site) == (0, 3)
    with database.session():
        assert database.rows("SELECT label, people FROM distinct_values JOIN value_holders "
                             "ON value_id = id ORDER BY folded") == [("", 3)] * 2 + [("Pro", 3)]  # fmt: skip


def test_a_worker_merges_what_was_written(client, monkeypatch):
    def rows(*models):
        with database.session():
            return tuple(model.select().count() for model in models)

    monkeypatch.setattr(field_values, "MERGE_AFTER_MS", 0)
    client.create("ann@example.com", plan="Pro", age=30)
    client.create("bob@example.com", plan="Pro")
    assert rows(ValueChangeModel, ValueHolderModel) == (2, 0)
    run_due(field_values.KIND)
    assert rows(ValueChangeModel, ValueHolderModel, JobModel) == (0, 3, 0)
    client.create("zoe@example.com", plan="Pro")
    assert rows(ValueChangeModel, JobModel) == (1, 1)


def test_an_import_merges_what_it_wrote_once_it_is_much(client, monkeypatch):
    monkeypatch.setattr(field_values, "DUE_BYTES", 1)
    rows = [(0, {"email": "ann@example.com", "fields": {"plan": "Pro"}})]
    imports.accept(client.site, rows, [], FakeQueue(), 0)
    while site_lane.drain(client.site.id, 60):
        pass
    with database.session():
        assert database.rows("SELECT people FROM value_holders") == [(1,), (1,)]
        assert database.rows("SELECT 1 FROM value_changes") == []
