"""Tables of places, and resolvers that end with their test."""

import pytest

from audience.answers.dns.resolver import DnsResolver
from audience.answers.geolocation.table import open_table
from tests.answers.geo_tables import write_tables


@pytest.fixture(scope="session")
def bundled(geo_table):
    return open_table(geo_table.parent)


@pytest.fixture
def small(tmp_path):
    return write_tables(tmp_path / "tables")


@pytest.fixture
def resolver_of():
    made = []

    def make(*servers, **options):
        made.append(DnsResolver(servers, **options))
        return made[-1]

    yield make
    for resolver in made:
        resolver.close()
