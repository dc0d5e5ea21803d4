"""Which tables a migration spreads, on a server with functions of the names that Citus gives them.

The extension itself is not here: with it Audience does not work yet (docs/scaling.md).
"""

import pytest

from storage import database
from storage.engines.postgresql_citus import COPIED, FIRST, LOCAL
from storage.instance.site_tables import site_owned_tables
from storage.models import MODELS

FUNCTIONS = """
CREATE TABLE pg_dist_partition
    (place bigint GENERATED ALWAYS AS IDENTITY, logicalrelid regclass, beside text);
CREATE FUNCTION create_reference_table(of regclass) RETURNS void LANGUAGE sql AS
    $$ INSERT INTO pg_dist_partition (logicalrelid, beside) VALUES (of, 'copied') $$;
CREATE FUNCTION create_distributed_table(of regclass, by text, colocate_with text DEFAULT 'default')
    RETURNS void LANGUAGE sql AS
    $$ INSERT INTO pg_dist_partition (logicalrelid, beside) VALUES (of, colocate_with) $$
"""
REFERENCES = (
    "SELECT CAST(conrelid AS regclass)::text, CAST(confrelid AS regclass)::text FROM pg_constraint "
    "WHERE contype = 'f'"
)


@pytest.fixture
def url(server):
    url = server.create()
    database.open(url)
    with database.session():
        database.database.obj.run(FUNCTIONS)
    yield url
    database.close()
    server.drop(url)


def spread():
    """How each table was spread, in order."""
    with database.session():
        found = database.rows("SELECT logicalrelid::text, beside FROM pg_dist_partition ORDER BY place")
    assert len(found) == len(dict(found))
    return dict(found)


def test_every_table_is_spread_once_referenced_ones_first(url):
    database.migrate()
    found = spread()
    database.migrate()
    assert spread() == found
    assert {*found, *LOCAL} == {model._meta.table_name for model in MODELS}
    assert [name for name, how in found.items() if how == "copied"] == [COPIED]
    of_sites = set(site_owned_tables()) - set(LOCAL)
    assert {name: found[name] for name in of_sites - {FIRST}} == dict.fromkeys(of_sites - {FIRST}, FIRST)
    order = list(found)
    with database.session():
        references = [pair for pair in database.rows(REFERENCES) if pair[0] in found]
    assert references
    assert [pair for pair in references if order.index(pair[0]) < order.index(pair[1])] == []


def test_what_an_operator_a_key_and_an_erasure_write_needs_no_node(url):
    database.migrate()
    assert {"audit_log", "sessions", "sent_forms", "keys", "logged_erasures"}.isdisjoint(spread())


def test_a_table_that_comes_later_is_spread_too(url):
    database.migrate()
    with database.write():
        database.execute("CREATE TABLE later (site_id bigint PRIMARY KEY)")
    database.migrate()
    assert spread()["later"] == FIRST
