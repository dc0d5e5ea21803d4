"""The tables on a server are those of the models, and each key of a site's table contains the site."""

import re

import pytest

from storage import database
from storage.engines import postgresql, sqlite
from storage.instance.site_tables import site_owned_tables
from storage.models import MODELS

REFERENCES = {"audit_log", "key_sites", "operator_roles"}  # of tables that every node has a copy of
COLUMNS = (
    "SELECT column_name, is_nullable = 'YES' FROM information_schema.columns "
    "WHERE table_schema = 'public' AND table_name = ?"
)
KEYS = (
    "SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid) FROM pg_index i "
    "WHERE i.indrelid = CAST(? AS regclass) AND i.indisunique"
)
FOREIGN_KEYS = (
    "SELECT pg_get_constraintdef(oid) FROM pg_constraint "
    "WHERE contype = 'f' AND conrelid = CAST(? AS regclass)"
)


@pytest.fixture
def opened(server, migrated_on_server):
    url = server.create(migrated_on_server)
    database.open(url)
    with database.session():
        yield
    database.close()
    server.drop(url)


@pytest.mark.parametrize("model", MODELS)
def test_the_columns_are_those_of_the_model(opened, model):
    meta = model._meta
    fields = {each.column_name: each.null for each in meta.sorted_fields}
    assert dict(database.rows(COLUMNS, (meta.table_name,))) == fields


@pytest.mark.parametrize("table", sorted(set(site_owned_tables()) - REFERENCES))
def test_each_key_of_a_sites_table_contains_the_site(opened, table):
    keys = [definition for _, definition in database.rows(KEYS, (table,))]
    keys += [definition for (definition,) in database.rows(FOREIGN_KEYS, (table,))]
    assert keys
    assert all("site_id" in key for key in keys), keys


@pytest.mark.parametrize("table", ["changed_subscribers", "erased_subscribers"])
def test_beside_the_record_of_changes_a_site_is_found_by_an_index(opened, table):
    found = database.rows("SELECT indexdef FROM pg_indexes WHERE tablename = ?", (table,))
    assert any("(site_id" in definition and "WHERE" not in definition for (definition,) in found)


def test_no_index_has_what_an_import_changes_of_known_people(opened):
    """The server then writes none of the indexes (a HOT update), if the page has space for the row."""
    found = database.rows("SELECT indexdef FROM pg_indexes WHERE tablename = 'subscribers'")
    changed = {"fields", "tag_ids", "updated_at"}
    assert [index for (index,) in found if changed & {*re.findall(r"\w+", index)}] == []
    if not database.is_spread():  # a partitioned table has no options
        [(options,)] = database.rows("SELECT reloptions FROM pg_class WHERE oid = 'subscribers'::regclass")
        assert options == ["fillfactor=90"]


def test_both_engines_end_with_the_same_migration():
    numbers = [
        max(path.name.partition("_")[0] for path in engine.MIGRATIONS.glob("[0-9]*.py"))
        for engine in (sqlite, postgresql)
    ]
    assert numbers[0] == numbers[1]


def test_this_code_may_write_what_its_migrations_left(opened):
    assert database.row("SELECT lowest_writer FROM instance_state") == (postgresql.WRITER,)
