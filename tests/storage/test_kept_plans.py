"""Statements whose plan a server keeps."""

import pytest

from storage import database
from storage.access import sites
from storage.errors import StatementError, Unavailable
from storage.searches import searches
from storage.searches.searches import Filters
from storage.subscribers import texts as subscriber_texts
from tests.storage.server_steps import opens, server_ends


def test_the_plans_of_some_statements_are_kept(server, migrated_on_server):
    url = server.create(migrated_on_server)
    opens(url)
    with database.session():
        for _ in range(10):
            sites.counters(1)
            subscriber_texts.by_key(1, "ann@example.com", subscriber_texts.text("/"))
            searches.texts(1, Filters(tag_ids=[], rules=[]), 100, 0, subscriber_texts.text("/"))
            searches.texts(1, Filters(after={"created_at": 1}), 100, 0, subscriber_texts.text("/"))
        kept = database.rows("SELECT generic_plans > 0 FROM pg_prepared_statements")
    assert kept == [(True,)] * 3
    database.close()
    server.drop(url)


def test_a_statement_whose_plan_is_kept_reads_every_kind_of_value(url):
    values = ["Ж ' \x7f", 2**40, -1, b"\x00\xff", None]
    sql = "SELECT CAST(? AS text), CAST(? AS bigint), CAST(? AS integer), CAST(? AS bytea), CAST(? AS text)"
    database.open(url)
    with database.session():
        assert [database.row(sql, values, keeps_plan=True) for _ in range(2)] == [tuple(values)] * 2
        assert database.row("SELECT 1 WHERE false", keeps_plan=True) is None


def test_a_statement_whose_plan_is_kept_fails_as_any_other(url):
    sql = "SELECT 6 / CAST(? AS integer)"
    database.open(url)
    for wrong, message in ((sql, "division by zero"), ("SELECT no_column", "no_column")):
        with pytest.raises(StatementError, match=message), database.session():
            database.row(wrong, [0] if "?" in wrong else [], keeps_plan=True)
    with database.session():
        assert database.row(sql, [3], keeps_plan=True) == (2,)


def test_a_plan_that_is_lost_with_its_connection_is_made_anew(url):
    sql = "SELECT pg_backend_pid(), CAST(? AS integer)"

    @database.session()
    def lose():
        process, _ = database.row(sql, [1], keeps_plan=True)
        server_ends(url, process)
        database.row(sql, [1], keeps_plan=True)

    database.open(url)
    with pytest.raises(Unavailable, match="PostgreSQL: "):
        lose()
    with database.session():
        assert database.row(sql, [2], keeps_plan=True)[1] == 2


def test_a_plan_that_the_driver_deallocates_is_made_anew(url):
    sql = "SELECT CAST(? AS integer)"
    database.open(url)
    with database.session():
        for statement in ("SELECT 1", "DEALLOCATE ALL", "SELECT 2", "DEALLOCATE ALL"):
            database.execute(statement)
            assert database.row(sql, [1], keeps_plan=True) == (1,)
    with database.snapshot():
        database.execute("DEALLOCATE ALL")
        assert database.row(sql, [2], keeps_plan=True) == (2,)
