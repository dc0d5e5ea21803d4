"""The API's instance has the geolocation table ready, and asks a DNS of a few names on a loopback port."""

import os

import pytest

from audience.config import Settings
from tests.api.dns_records import RECORDS, answer
from tests.checks.dns_servers import Impostor


@pytest.fixture(scope="session")
def dns():
    with Impostor(lambda query: answer(query, RECORDS)) as server:
        yield server


@pytest.fixture
def settings(tmp_path, geo_table, dns):
    os.link(geo_table, tmp_path / geo_table.name)
    return Settings(instance=tmp_path, dns_servers=(dns.address,), dns_timeout=10.0)


@pytest.fixture
def app(app):
    yield app
    app.extensions["audience"].judges.resolver.close()
