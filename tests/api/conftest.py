"""The API's instance has the geolocation table ready, and asks a DNS of a few names on a loopback port."""

import os
from types import SimpleNamespace

import pytest

from audience import sites
from audience.checks.dns import DnsResolver
from audience.config import Settings
from audience.judges import Timed
from tests.api.dns_records import RECORDS, answer
from tests.checks.dns_servers import Impostor
from tests.door import Door


@pytest.fixture(scope="session")
def dns():
    with Impostor(lambda query: answer(query, RECORDS)) as server:
        yield server


@pytest.fixture
def settings(tmp_path, geo_table, dns):
    os.link(geo_table, tmp_path / geo_table.name)
    return Settings(instance=tmp_path, dns_servers=(dns.address,), dns_timeout=10.0)


@pytest.fixture
def app(app, settings):
    resolver = DnsResolver(settings.dns_servers, settings.dns_timeout)
    app.extensions["audience"].judges.resolver = Timed(resolver)
    yield app
    resolver.close()


@pytest.fixture
def asker(door, stranger):
    """The holder of a key for questions, which names no site."""
    nowhere = SimpleNamespace(uuid=None)
    return Door(door.client, nowhere, sites.create_key([door.site, stranger.site], "utility"))
