"""Each statement on a site's table names the site, in each of its selects: it needs one node of several.

The statements are those of all endpoints, of imports and an erasure, as the server gets them.
"""

import re

import pytest

from audience import erasures, file_imports, imports, tags
from storage import database
from storage.sites import site_owned_tables
from tests.api.endpoints import ENDPOINTS
from tests.client import open_client

COPIED = {"audit_log", "key_sites", "operator_roles"}  # tables of which every node has a copy
TABLES = sorted(set(site_owned_tables()) - COPIED)
USES = re.compile(rf"(?:FROM|JOIN|UPDATE|INTO) \"?({'|'.join(TABLES)})\b")
NAMES_SITE = re.compile(r"\bsite_id\"? = |^COPY|INTO \"?\w+\"? {2}site_id ")
OVER_ALL_SITES = {
    "SELECT site_id, tag_id FROM discarded_tags": "the sweeper looks for tags that are left",
    "SELECT site_id, id FROM imports": "the sweeper looks for uploads that were given up",
    "DELETE FROM refused_rows WHERE id IN": "the sweeper deletes rows that were refused long ago",
    "SELECT 1 FROM refused_rows": "the sweeper looks for those",
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


def test_every_statement_names_its_site(app, sent, settings):
    client = open_client(app.test_client())
    people = [{"email": f"p{n}@example.com", "tags": ["a", "b"], "fields": {"k": n}} for n in range(1_000)]
    assert client.post("/batch/subscribers", {"subscribers": people}).status_code == 200
    imports.drain(client.site.id, 30)
    for endpoint in ENDPOINTS:
        client.call(endpoint.method, endpoint.path, endpoint.body)
    tags.sweep()
    file_imports.sweep()
    erasures.erase(client.site, settings.instance, email="p1@example.com")
    assert len(set(sent)) > 70
    wrong = {each for each in sent if of_no_site(each)}
    assert {each for each in wrong if not each.startswith(tuple(OVER_ALL_SITES))} == set()
