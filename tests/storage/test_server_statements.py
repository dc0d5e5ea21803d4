"""Each statement on a site's table names the site, in each of its selects: it needs one node of several.

The statements are those of all endpoints, of imports, files, acts on many, the sweeper and an erasure, as the
server gets them.
"""

import io
import re
from functools import partial

import pytest

from audience import (
    bulk_act_pieces,
    bulk_acts,
    erasures,
    file_tasks,
    file_uploads,
    imports,
)
from audience.audit_log import COMMAND_LINE
from audience.operations.chores import chores
from schemas.file_imports import kept_file
from storage import database
from storage.sites import site_owned_tables
from tests.api.endpoints import ENDPOINTS
from tests.client import open_client
from workers.child_process import ChildProcess

COPIED = {"audit_log", "key_sites", "operator_roles"}  # tables of which every node has a copy
TABLES = sorted(set(site_owned_tables()) - COPIED)
USES = re.compile(rf"(?:FROM|JOIN|UPDATE|INTO) \"?({'|'.join(TABLES)})\b")
NAMES_SITE = re.compile(r"\bsite_id\"? = |^COPY|INTO \"?\w+\"? {2}site_id ")
OVER_ALL_SITES = {
    "SELECT site_id, tag_id, name, source": "the sweeper looks for tags that are left",
    "SELECT site_id, id FROM imports": "the sweeper looks for uploads that were given up",
    "DELETE FROM refused_rows WHERE id IN": "the sweeper deletes rows that were refused long ago",
    "SELECT 1 FROM refused_rows": "the sweeper looks for those",
    "SELECT site_id, id FROM bulk_acts WHERE": "the sweeper looks for acts to work on, or to forget",
    "SELECT DISTINCT site_id FROM erased_subscribers": "the sweeper looks for entries to blank",
    "SELECT site_id, id FROM file_uploads WHERE task": "the sweeper looks for files to read",
    "SELECT site_id, id FROM segments WHERE NOT EXISTS": "the sweeper looks for segments to count",
    "SELECT 1 FROM file_uploads": "the sweeper looks for files that nobody has imported for a day",
    "SELECT DISTINCT site_id, file FROM file_pieces": "the sweeper looks for pieces of no file",
}
EXPLAINED = re.compile(r"\((?P<inner>[^()]*)\)")


def parts(statement):
    """The select of each pair of brackets, and what is left outside them."""
    while found := EXPLAINED.search(statement):
        yield found["inner"]
        named = " site_id " if "site_id" in found["inner"] else ""
        statement = f"{statement[: found.start()]}{named}{statement[found.end() :]}"
    yield statement


def of_no_site(statement):
    """The parts of a statement that read or write a site's table, and do not name the site."""
    return [part for part in parts(statement) if USES.search(part) and not NAMES_SITE.search(part)]


@pytest.fixture
def database_url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    yield url
    server.drop(url)


@pytest.fixture
def sent(app):
    """All statements that the server gets."""
    statements = []
    opened = database.database.obj
    run, run_many = opened.execute_sql, opened.execute_many

    def execute_sql(sql, params=None, **options):
        statements.append(sql)
        return run(sql, params, **options)

    def execute_many(sql, rows):
        statements.append(sql)
        return run_many(sql, rows)

    opened.execute_sql, opened.execute_many = execute_sql, execute_many
    return statements


def test_the_reader_of_statements_finds_a_missing_site():
    assert of_no_site("SELECT 1 FROM subscribers WHERE id = %s")
    assert of_no_site("SELECT 1 FROM events WHERE site_id = %s AND id IN (SELECT id FROM tags WHERE id = 1)")
    assert not of_no_site("SELECT 1 FROM subscribers WHERE site_id = %s")


def import_a_file(site, instance):
    file = io.BytesIO(b"email\nq1@example.com\nnobody\n")
    upload = file_uploads.keep(site, instance, "people.csv", file, {})
    file_uploads.begin_import(site, instance, upload, COMMAND_LINE)
    file_tasks.work(instance, partial(kept_file, ChildProcess()))
    imports.drain(site.id, 30)
    file_uploads.discard(site, instance, file_uploads.keep(site, instance, "b.csv", io.BytesIO(b"x"), {}))


def act_on_some(site, instance):
    for kind in (bulk_acts.TAG, bulk_acts.UNSUBSCRIBE, bulk_acts.ERASE):
        with database.session():
            ids = [
                row[0] for row in database.rows("SELECT id FROM subscribers WHERE site_id = ?", (site.id,))
            ]
        seen = bulk_acts.fingerprint(ids[:5])
        act = bulk_acts.begin(
            site, bulk_acts.NewAct(kind=kind, ids=ids[:5], seen=seen, tag="vip"), COMMAND_LINE
        )
        bulk_act_pieces.work(instance, 5)
        bulk_acts.get(site, act.id)


def test_every_statement_names_its_site(app, sent, settings):
    client = open_client(app.test_client())
    people = [{"email": f"p{n}@example.com", "tags": ["a", "b"], "fields": {"k": n}} for n in range(1_000)]
    assert client.post("/batch/subscribers", {"subscribers": people}).status_code == 200
    imports.drain(client.site.id, 30)
    for endpoint in ENDPOINTS:
        client.call(endpoint.method, endpoint.path, endpoint.body)
    import_a_file(client.site, settings.instance)
    act_on_some(client.site, settings.instance)
    for chore in chores(settings):
        chore()
    erasures.erase(client.site, settings.instance, email="p1@example.com")
    assert len(set(sent)) > 70
    wrong = {each for each in sent if of_no_site(each)}
    assert {each for each in wrong if not each.startswith(tuple(OVER_ALL_SITES))} == set()
