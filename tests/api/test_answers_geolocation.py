"""Geolocate an IP address (docs/contract.md, Answers)."""

import dataclasses
import threading
from typing import Any

import pytest

from app import create_app
from audience.answers.service import Answers
from audience.config import Settings
from storage import database
from tests import response_assertions
from tests.answers.geo_tables import write_mmdb
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.rows import each_row

PATH = "/experimental/geolocation"
KEYS = [
    "ip", "country_name", "region_name", "city_name", "latitude", "longitude",
    "country_code2", "country_code3", "continent_code", "city_detail",
]  # fmt: skip


def test_a_public_address(answers_client):
    answer = response_assertions.answer(answers_client.get(PATH, query={"ip": "8.8.8.8"}))
    assert list(answer) == KEYS
    assert answer == {
        "ip": "8.8.8.8",
        "country_name": "United States",
        "region_name": "California",
        "city_name": "Mountain View",
        "latitude": 37.422,
        "longitude": -122.085,
        "country_code2": "US",
        "country_code3": "USA",
        "continent_code": "NA",
        "city_detail": "Mountain View",
    }


@pytest.mark.parametrize("ip", ["1.1.1.1", "77.88.8.8", "200.160.2.3", "41.231.22.0", "202.12.29.205"])
def test_six_keys_with_their_types(answers_client, ip):
    answer = response_assertions.answer(answers_client.get(PATH, query={"ip": f" {ip} "}))
    assert answer["ip"] == ip
    assert all(type(answer[name]) is str for name in KEYS if name not in ("latitude", "longitude"))
    assert -90 <= answer["latitude"] <= 90
    assert -180 <= answer["longitude"] <= 180


@each_row("ip", [
    "10.0.0.1", "127.0.0.1", "192.168.0.1", "100.64.0.1", "169.254.1.1", "224.0.0.1",
    "255.255.255.255", "0.0.0.0",
])  # fmt: skip
def test_a_private_or_reserved_address_is_an_empty_object(answers_client, ip):
    assert response_assertions.answer(answers_client.get(PATH, query={"ip": ip})) == {}


@each_row("ip", [
    None, "", " ", "::1", "::8.8.8.8", "8.8.8", "8.8.8.8.8", "8.8.8.256", "08.8.8.8", "8.8.8.8/32",
    "8.8.8.8:53", "134744072", "0x8.8.8.8", "dns.google", "8.8.8.8,1.1.1.1", "８.8.8.8", "x" * 60_000,
])  # fmt: skip
def test_a_malformed_ipv4_address_is_a_422(answers_client, ip):
    assert response_assertions.error_fields(answers_client.get(PATH, query={"ip": ip})) == ["ip"]


def test_the_address_may_be_in_the_body_of_the_get(answers_client):
    assert response_assertions.answer(answers_client.get(PATH, {"ip": "8.8.8.8"}))["country_code2"] == "US"
    assert response_assertions.answer(answers_client.get(PATH, {"ip": None}, query={"ip": "10.0.0.1"})) == {}
    values: list[Any] = [["8.8.8.8"], {}, 8.8, True]
    for value in values:
        assert response_assertions.error_fields(answers_client.get(PATH, {"ip": value})) == ["ip"]


class Child:
    """Stands for a child process that does not end."""

    def __init__(self):
        self.end = threading.Event()

    def __call__(self, *_):
        self.end.wait(60)


@pytest.fixture
def unready_client(answers_client, app, tmp_path):
    """A client of an instance whose table is being packed."""
    child = Child()
    services = app.extensions["audience"]
    settings = dataclasses.replace(services.settings, instance=tmp_path / "unready")
    answers = Answers(
        settings, answers_client.http.application.extensions["audience"].answers.resolver, child
    )
    app.extensions["audience"] = dataclasses.replace(services, answers=answers)
    yield answers_client
    child.end.set()


def test_while_the_table_is_packed_the_answer_is_503_at_once(unready_client):
    response = unready_client.get(PATH, query={"ip": "8.8.8.8"})
    assert response.status_code == 503
    assert int(response.headers["Retry-After"]) > 0
    assert response_assertions.answer(unready_client.get(PATH, query={"ip": "10.0.0.1"})) == {}
    assert response_assertions.error_fields(unready_client.get(PATH, query={"ip": "here"})) == ["ip"]


def test_validation_goes_on_while_the_table_is_packed(unready_client):
    form = {"email": "ann@gmail,com", "ip": "8.8.8.8"}
    reasons = response_assertions.answer(unready_client.post("/experimental/validation", form))["reasons"]
    assert "ip_unavailable" in reasons
    assert "ip_unknown" not in reasons


def test_an_operators_database_replaces_the_bundled_table(answers_client, tmp_path):
    record = {
        "country": {"iso_code": "DE", "names": {"en": "Germany"}},
        "city": {"names": {"en": "Munich"}},
        "location": {"latitude": 48.1, "longitude": 11.6},
    }
    mine = write_mmdb(tmp_path / "mine.mmdb", "8.8.8.0/24", record)
    settings = Settings(instance=tmp_path / "other", geo_database=str(mine))
    app = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    database.migrate()
    caller = open_client(app.test_client())
    answer = response_assertions.answer(caller.get(PATH, query={"ip": "8.8.8.8"}))
    assert list(answer) == KEYS
    assert (answer["country_code3"], answer["region_name"], answer["city_name"]) == ("DEU", "", "Munich")
    assert response_assertions.answer(caller.get(PATH, query={"ip": "1.1.1.1"})) == {}
    response = caller.post("/experimental/validation", {"email": "ann@gmail,com", "ip": "1.1.1.1"})
    assert "ip_unknown" in response_assertions.answer(response)["reasons"]
