"""A statement for many rows writes on a server what it writes one by one."""

import itertools

import pytest

from storage import database
from storage.engines.chosen import engine
from storage.engines.postgresql_bulk import exact
from storage.errors import StatementError
from storage.sql import PASSED_OVER, delete_from, insert_into, update_of

COLUMNS = ("site_id", "field_id", "folded", "label", "kind", "id", "number", "instant")
INSERT = insert_into("distinct_values", COLUMNS)
OF_KEY = "ON CONFLICT (site_id, field_id, folded, label, kind) DO NOTHING"
COUNTED = "SELECT count(*) FROM distinct_values WHERE site_id = ? AND {} AND number <> ?"
NUMBERS = (None, 1, -(2**63), 0.1, 1e22, 2.0**53 + 2, 1e300, -0.5)
TEXTS = ("plain", "with \t tab", "\\N", "{a,b}", '"quoted"', "é ﬁ 你", "NULL", "", "\n")


@pytest.fixture
def opened(server, migrated_on_server):
    url = server.create(migrated_on_server)
    database.open(url)
    with database.write():
        yield
    database.close()
    server.drop(url)


def people():
    texts = itertools.cycle(TEXTS)
    return [(7, n, next(texts), next(texts), 0, n, number, n) for n, number in enumerate(NUMBERS * 5)]


def stored():
    return database.rows("SELECT * FROM distinct_values ORDER BY id")


@pytest.mark.parametrize("conflict", ["", PASSED_OVER, OF_KEY])
def test_rows_are_inserted_as_one_by_one(opened, conflict):
    insert = insert_into("distinct_values", COLUMNS, conflict)
    database.execute_many(insert, people())
    at_once = stored()
    database.execute("DELETE FROM distinct_values")
    database.execute_many(insert.one, people())
    assert at_once == stored()
    assert len(at_once) == len(people())


def test_rows_that_are_there_are_passed_over(opened):
    insert = insert_into("distinct_values", COLUMNS, PASSED_OVER)
    database.execute_many(insert, people()[:10])
    database.execute_many(insert, people())
    assert len(stored()) == len(people())


def test_a_text_with_a_nul_changes_nothing(opened):
    rows = [(7, 1, "a\0b", "", 0, number, None, None) for number in range(5)]
    with pytest.raises(StatementError, match="NUL"), database.session():
        database.execute_many(insert_into("distinct_values", COLUMNS, OF_KEY), rows)


@pytest.mark.parametrize(("column", "values"), [("label", TEXTS), ("field_id", range(8)), ("kind", ())])
def test_those_among_some_values_are_found_as_by_each(opened, column, values):
    database.execute_many(INSERT, people())
    among = engine.among(values)

    def found(which, listed):
        """How many, but for those without a number."""
        return database.row(COUNTED.format(column + which), (7, *listed, 0))[0]

    assert found(f" {among.text}", among.parameters) == sum(found(" = ?", [each]) for each in values)


def test_numbers_compare_exactly(opened):
    database.execute_many(INSERT, people())
    for number in NUMBERS[1:]:
        found = database.rows("SELECT 1 FROM distinct_values WHERE number = CAST(? AS NUMERIC)", (number,))
        assert len(found) == 5, number


def test_rows_are_changed_and_deleted(opened):
    database.execute_many(INSERT, people())
    numbers = range(len(people()))
    update = update_of("distinct_values", ("label", "instant"), ("id", "site_id"))
    database.execute_many(update, [(str(n), n + 1_000, n, 7) for n in numbers])
    delete = delete_from("distinct_values", ("site_id", "id"))
    database.execute_many(delete, [(7, n) for n in numbers if n % 2])
    left = database.rows("SELECT label, instant FROM distinct_values ORDER BY id")
    assert left == [(str(n), n + 1_000) for n in numbers if not n % 2]


def test_a_counter_is_added_to(opened):
    key, total = "site_id, segment_id, day", "segment_counts.people + excluded.people"
    added = f"ON CONFLICT ({key}) DO UPDATE SET people = {total}"
    insert = insert_into("segment_counts", ("site_id", "segment_id", "day", "people"), added)
    for _ in range(2):
        database.execute_many(insert, [(7, n, "2026-08-21", n) for n in range(10)])
    assert database.row("SELECT CAST(sum(people) AS bigint) FROM segment_counts") == (90,)


@pytest.mark.parametrize(("number", "shown"), [(0.1, "0.1"), (2.0**60, str(2**60)), (5, "5")])
def test_a_number_is_exact(number, shown):
    assert str(exact(number)) == shown
