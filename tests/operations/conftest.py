"""Databases to move from, and to move to."""

import shutil

import pytest

from audience.config import Settings
from audience.operations import site_lane
from storage import database
from tests.client import open_client
from tests.operations.moving import PEOPLE, opened


@pytest.fixture
def empty(server, migrated_on_server):
    """A migrated database with nothing in it, as a move first makes it."""
    url = server.create(migrated_on_server)
    yield url
    database.close()
    server.drop(url)


@pytest.fixture
def bare(server):
    """A database without tables."""
    url = server.create()
    yield url
    database.close()
    server.drop(url)


@pytest.fixture
def files(tmp_path, migrated):
    """The settings of an instance in SQLite."""
    shutil.copy(migrated, tmp_path / migrated.name)
    return Settings(instance=tmp_path)


@pytest.fixture
def client(files):
    """A client of a small instance in SQLite."""
    client = open_client(opened(files).test_client())
    client.post("/batch/subscribers", {"subscribers": PEOPLE[:30]})
    site_lane.drain(client.site.id, 30)
    return client
