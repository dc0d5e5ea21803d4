"""The API's instance has a packed geolocation table and a DNS server with a few names on the loopback."""

import os
from types import SimpleNamespace
from typing import Any

import pytest

from audience.access import keys
from audience.answers.service import open_resolver
from audience.config import Settings
from tests.answers.dns_servers import FakeServer
from tests.api.dns_records import RECORDS, answer
from tests.change_mirror import Mirror
from tests.client import ApiClient
from tests.receiver import receiving


@pytest.fixture(scope="session")
def dns():
    with FakeServer(lambda query: answer(query, RECORDS)) as server:
        yield server


@pytest.fixture
def settings(tmp_path, database_url, geo_table, dns):
    os.link(geo_table, tmp_path / geo_table.name)
    return Settings(
        instance=tmp_path, database_url=database_url, dns_servers=(dns.address,), dns_timeout=10.0,
        dns_canary_domains=("gmail.com",), dns_canary_zones=("gmail.com",),
    )  # fmt: skip


@pytest.fixture
def resolver(settings):
    opened = open_resolver(settings)
    yield opened
    opened.close()


@pytest.fixture
def answers_client(client, other_client):
    """A client with a utility key and no site."""
    nowhere: Any = SimpleNamespace(uuid=None)
    return ApiClient(client.http, nowhere, keys.create([client.site, other_client.site], "utility"))


@pytest.fixture
def receiver():
    """A receiver of webhooks."""
    with receiving() as receiver:
        yield receiver


@pytest.fixture
def mirror(client):
    mirror = Mirror(client.site)
    mirror.copy()
    return mirror
