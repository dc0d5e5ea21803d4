"""Fixtures of the tests of storage."""

import pytest

from storage import database


@pytest.fixture
def url(server):
    """A new database on a server, without tables."""
    url = server.create()
    yield url
    database.close()
    server.drop(url)


@pytest.fixture
def statements(client):
    """All statements that SQLite runs, with their parameters."""
    seen = []

    def trace(cursor, _sql, _parameters):
        seen.append(cursor.expanded_sql)
        return True

    with database.session():
        database.database.connection().exec_trace = trace
    return seen
