"""Rules for the text of statements, where the tables of sites are spread over nodes.

That each select names its site is read of every test, by tests/statements.py; that each plan reads one
partition, by the run with `--partitioned`.
"""

import re
from pathlib import Path

import psycopg
import pytest

from audience.operations import site_lane
from storage import database
from tests import partitions
from tests.api.endpoints import ENDPOINTS
from tests.client import open_client
from tests.statements import USES, of_no_site

ROOT = Path(__file__).parents[2]
OF_ONE_NODE = re.compile(
    r"pg_current_snapshot|txid_current|pg_stat_\w+|pg_database_size|pg_locks|pg_(?:try_)?advisory\w*"
)
FILES = {  # what they ask the node that answers
    "storage/engines/postgresql.py": "locks, which all take where they connect",
    "storage/engines/postgresql_citus.py": "what the doctor shows of each node",
    "storage/engines/postgresql_diagnostics.py": "what the doctor and /readyz show",
    "storage/searches/mirror_servers.py": "a lock in the database of a mirror, which has no sites",
}
FUNCTIONS = (
    "SELECT proname, coalesce(pg_get_function_sqlbody(oid), prosrc) FROM pg_proc "
    "WHERE pronamespace = CAST('public' AS regnamespace)"
)
SET_RETURNING = "SELECT DISTINCT proname FROM pg_proc WHERE proretset AND provolatile <> 'i'"


@pytest.fixture
def database_url(server, migrated_on_server, request):
    url = server.create(migrated_on_server)
    if not request.config.getoption("partitioned"):
        partitions.partition(url)
    yield url
    server.drop(url)


@pytest.fixture
def sent(app, monkeypatch):
    """What is sent to a server with spread tables, by all endpoints and an import."""
    texts = set[str]()
    for owner, name in ((psycopg.Cursor, "execute"), (psycopg.Cursor, "executemany")):
        monkeypatch.setattr(owner, name, keeping(getattr(owner, name), texts))
    client = open_client(app.test_client())
    people = [{"email": f"p{n}@example.com", "tags": ["a"], "fields": {"k": n}} for n in range(100)]
    assert client.post("/batch/subscribers", {"subscribers": people}).status_code == 200
    site_lane.drain(client.site.id, 30)
    for endpoint in ENDPOINTS:
        client.call(endpoint.method, endpoint.path, endpoint.body)
    return texts


def keeping(run, texts):
    def keep(cursor, sql, *values, **options):
        texts.add(str(sql))
        return run(cursor, sql, *values, **options)

    return keep


def test_a_set_is_sent_alone(sent):
    """Citus sends a string with one to each node, whole."""
    sets = {text for text in sent if re.search(r"\bSET (?:LOCAL|SESSION)\b", text)}
    assert len(sets) > 5
    assert {text for text in sets if ";" in text} == set()


def test_what_reads_all_sites_calls_no_function_that_a_node_may_not_evaluate(sent):
    """None that returns rows and is not immutable: Citus refuses it beside tables of several nodes."""
    with database.session():
        names = set(database.column(SET_RETURNING))
    called = {text: set(re.findall(r"\w+(?=\()", text)) for text in sent if USES.search(text)}
    assert len(called) > 70
    assert {text for text, functions in called.items() if functions & names and of_no_site(text)} == set()


def test_no_function_reads_a_table_of_a_site(app):
    """EXPLAIN does not show the statements in it: the run with `--partitioned` would not read their plans."""
    with database.session():
        sources = dict(database.rows(FUNCTIONS))
    assert sources.keys() >= {"spelt_number", "spelt_instant"}
    assert [name for name, source in sources.items() if USES.search(source)] == []


def test_nothing_is_decided_by_what_one_node_knows():
    """Its snapshot, locks, sessions and sizes are not those of the nodes that have the rows."""
    files = [*ROOT.glob("storage/**/*.py"), *ROOT.glob("audience/**/*.py"), *ROOT.glob("workers/**/*.py")]
    asking = {
        str(file.relative_to(ROOT))
        for file in files
        if "migrations" not in file.parts and OF_ONE_NODE.search(file.read_text("utf-8"))
    }
    assert asking == set(FILES)
