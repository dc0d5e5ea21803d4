"""Tables of places."""

import pytest

from audience.answers.geolocation.table import open_table
from tests.answers.geo_tables import write_tables


@pytest.fixture(scope="session")
def bundled(geo_table):
    return open_table(geo_table.parent)


@pytest.fixture
def small(tmp_path):
    return write_tables(tmp_path / "tables")
