"""Geolocate an IP address (spec section 4.6, contract section 5)."""

import pytest

from app import create_app
from audience.config import Settings
from storage import database
from tests import shapes
from tests.checks.geo_tables import write_mmdb
from tests.door import Fit, Patient, Rung, open_door

PATH = "/experimental/geolocation"
KEYS = [
    "ip", "country_name", "region_name", "city_name", "latitude", "longitude",
    "country_code2", "country_code3", "continent_code",
]  # fmt: skip


def test_a_public_address(asker):
    answer = shapes.answer(asker.get(PATH, query={"ip": "8.8.8.8"}))
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
    }


@pytest.mark.parametrize("ip", ["1.1.1.1", "77.88.8.8", "200.160.2.3", "41.231.22.0", "202.12.29.205"])
def test_six_keys_of_their_types(asker, ip):
    answer = shapes.answer(asker.get(PATH, query={"ip": f" {ip} "}))
    assert answer["ip"] == ip
    assert all(type(answer[name]) is str for name in KEYS if name not in ("latitude", "longitude"))
    assert -90 <= answer["latitude"] <= 90
    assert -180 <= answer["longitude"] <= 180


@pytest.mark.parametrize("ip", [
    "10.0.0.1", "127.0.0.1", "192.168.0.1", "100.64.0.1", "169.254.1.1", "224.0.0.1",
    "255.255.255.255", "0.0.0.0",
])  # fmt: skip
def test_a_private_or_reserved_address_is_an_empty_object(asker, ip):
    assert shapes.answer(asker.get(PATH, query={"ip": ip})) == {}


@pytest.mark.parametrize("ip", [
    None, "", " ", "::1", "::ffff:8.8.8.8", "8.8.8", "8.8.8.8.8", "8.8.8.256", "08.8.8.8", "8.8.8.8/32",
    "8.8.8.8:53", "134744072", "0x8.8.8.8", "dns.google", "8.8.8.8,1.1.1.1", "８.8.8.8", "x" * 60_000,
])  # fmt: skip
def test_what_is_no_ipv4_address_is_a_422(asker, ip):
    assert shapes.error_fields(asker.get(PATH, query={"ip": ip})) == ["ip"]


def test_the_address_may_be_in_the_body_of_the_get(asker):
    assert shapes.answer(asker.get(PATH, {"ip": "8.8.8.8"}))["country_code2"] == "US"
    assert shapes.answer(asker.get(PATH, {"ip": None}, query={"ip": "10.0.0.1"})) == {}
    for value in (["8.8.8.8"], {}, 8.8, True):
        assert shapes.error_fields(asker.get(PATH, {"ip": value})) == ["ip"]


def test_an_operators_database_answers_in_place_of_the_bundled_table(asker, tmp_path):
    record = {
        "country": {"iso_code": "DE", "names": {"en": "Germany"}},
        "city": {"names": {"en": "Munich"}},
        "location": {"latitude": 48.1, "longitude": 11.6},
    }
    mine = write_mmdb(tmp_path / "mine.mmdb", "8.8.8.0/24", record)
    settings = Settings(instance=tmp_path / "other", geo_database=str(mine))
    app = create_app(settings, Rung(), Patient(), Fit())
    database.migrate()
    caller = open_door(app.test_client())
    answer = shapes.answer(caller.get(PATH, query={"ip": "8.8.8.8"}))
    assert list(answer) == KEYS
    assert (answer["country_code3"], answer["region_name"], answer["city_name"]) == ("DEU", "", "Munich")
    assert shapes.answer(caller.get(PATH, query={"ip": "1.1.1.1"})) == {}
    judged = caller.post("/experimental/validation", {"email": "ann@gmail,com", "ip": "1.1.1.1"})
    assert "ip_unknown" in shapes.answer(judged)["reasons"]
