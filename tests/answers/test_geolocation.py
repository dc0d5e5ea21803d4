"""Geolocation: places, and operators' databases."""

import csv
import lzma
import random
from ipaddress import IPv4Address
from itertools import islice, pairwise

import pytest

from audience.answers.geolocation import packed_table
from audience.answers.geolocation.geolocation import locate, open_places
from audience.answers.geolocation.packed_table import DATA, FILE
from audience.answers.geolocation.table import open_table
from audience.answers.tables import rows
from audience.config import SettingError
from audience.errors import Refused, ServiceUnavailable
from tests import depth
from tests.answers.geo_tables import LOCATIONS, number, write_mmdb, write_tables

GOOGLE = {
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


class TestAnswer:
    def test_public_address(self, bundled):
        answer = locate("8.8.8.8", bundled)
        assert answer == GOOGLE
        assert list(answer) == list(GOOGLE)

    def test_spaces_are_trimmed(self, bundled):
        assert locate(" 8.8.8.8\n", bundled) == GOOGLE

    @pytest.mark.parametrize("network", [row["network"] for row in rows("geolocation/special_networks")])
    def test_reserved_networks_have_no_place(self, network, bundled):
        first, bits = network.split("/")
        last = IPv4Address(number(first) + 2 ** (32 - int(bits)) - 1)
        assert locate(first, bundled) == {}
        assert locate(str(last), bundled) == {}

    @pytest.mark.parametrize("ip", ["0.0.0.0", "10.1.2.3", "127.0.0.1", "192.168.1.1", "255.255.255.255"])
    def test_reserved_has_no_place_even_if_the_table_has_one(self, ip, tmp_path):
        everywhere = write_tables(tmp_path / "all", blocks=f"length,location_id\n{2**32},1\n")
        table = open_table(tmp_path, everywhere)
        assert locate("9.255.255.255", table)["city_name"] == 'Munich, "Altstadt"'
        assert locate(ip, table) == {}

    def test_unknown_has_no_place(self, small, tmp_path):
        assert locate("1.2.0.11", open_table(tmp_path, small)) == {}

    def test_unknown_region_is_empty_and_whole_degrees_are_numbers(self, small, tmp_path):
        answer = locate("1.0.1.0", open_table(tmp_path, small))
        assert (answer["region_name"], answer["city_name"]) == ("", "Łódź-aan-Zee")
        assert (answer["latitude"], answer["longitude"]) == (-0.5, 180.0)

    @pytest.mark.parametrize(
        "ip",
        [
            "",
            " ",
            "8.8.8",
            "8.8.8.8.8",
            "8.8.8.256",
            "8.8.8.-1",
            "08.8.8.8",
            "010.0.0.1",
            "0x8.8.8.8",
            "134744072",
            "8.8.8.8:53",
            "8.8.8.8/32",
            "8.8. 8.8",
            "8.8.8.8.",
            "8.8.8.8\0",
            "٨.8.8.8",
            "８.8.8.8",
            "8。8。8。8",
            "::1",
            "::ffff:0:8.8.8.8",
            "::8.8.8.8",
            "2001:4860:4860::8888",
            "localhost",
            "example.com",
            "\ud800",
            "1" * 100_000,
        ],
    )
    def test_anything_but_ipv4_is_refused(self, ip, bundled):
        with pytest.raises(Refused) as refusal:
            locate(ip, bundled)
        assert [error.field for error in refusal.value.errors] == ["ip"]
        assert not ip.strip() or ip not in str(refusal.value)

    @pytest.mark.parametrize("ip", ["::ffff:8.8.8.8", "::FFFF:808:808", " 0:0:0:0:0:ffff:8.8.8.8 "])
    def test_an_ipv4_address_written_as_ipv6_is_that_address(self, ip, bundled):
        assert locate(ip, bundled) == GOOGLE
        assert locate("::ffff:10.0.0.1", bundled) == {}

    def test_a_city_has_no_district_and_a_region_one_name(self, tmp_path):
        rows = LOCATIONS.replace("Bavaria", "Free State of Bavaria").replace(
            "Łódź-aan-Zee", "Aa (Bb (Cc) / Dd)"
        )
        table = open_table(tmp_path, write_tables(tmp_path / "tables", locations=rows))
        assert locate("1.0.0.0", table)["region_name"] == "Bavaria"
        place = locate("1.0.1.0", table)
        assert (place["city_name"], place["city_detail"]) == ("Aa", "Aa (Bb (Cc) / Dd)")

    def test_a_country_has_no_region_twice(self):
        names = packed_table.Tables().region_names()
        assert {(code, name) for (code, _), name in names.items()}.isdisjoint(names)


def runs():
    """First and last address and place of each run; of a sample those of the beginning and of the end."""
    rows = lzma.decompress((DATA / "blocks_delta.csv.xz").read_bytes()).partition(b"\n")[2].splitlines()
    part = len(rows) if depth.whole else 20_000
    first = 0
    for length, place in csv.reader(row.decode() for row in rows[:part]):
        yield first, first + int(length) - 1, int(place)
        first += int(length)
    assert first == 2**32 or not depth.whole
    last = 2**32 - 1
    for length, place in csv.reader(row.decode() for row in rows[:-part:-1]):
        yield last + 1 - int(length), last, int(place)
        last -= int(length)


class TestExact:
    def test_every_boundary_of_the_bundled_table(self, bundled):
        """First and last address of the runs, hence both neighbours of each, against the CSV in order."""
        countries = {country.code2: country for country in packed_table.Tables().countries()}
        names = packed_table.Tables().region_names()
        with lzma.open(DATA / "locations.csv.xz", "rt", encoding="utf-8", newline="") as file:
            places = [None] + [
                (
                    countries[code],
                    names.get((code, region), region),
                    city.partition(" (")[0],
                    city,
                    float(latitude),
                    float(longitude),
                )
                for _, code, region, city, latitude, longitude in islice(csv.reader(file), 1, None)
            ]
        for first, last, place in runs():
            assert bundled.place(first) == places[place], IPv4Address(first)
            assert bundled.place(last) == places[place], IPv4Address(last)

    def test_random_tables_against_brute_force(self, tmp_path):
        draw = random.Random(6)
        edges = [0, 2**32, *(draw.randrange(2**32) for _ in range(300))]
        edges += [network * 65536 + draw.choice((-1, 0, 1)) for network in range(100, 65000, 900)]
        edges = sorted(set(edges))
        runs = [(a, b - a, draw.randrange(3)) for a, b in pairwise(edges)]
        blocks = "length,location_id\n" + "".join(f"{length},{place}\n" for _, length, place in runs)
        table = open_table(tmp_path, write_tables(tmp_path / "tables", blocks))
        cities = [None, 'Munich, "Altstadt"', "Łódź-aan-Zee"]
        for start, length, place in runs:
            for address in {start, start + 1, start + length // 2, start + length - 1}:
                expected = place if address < start + length else None
                if expected is not None:
                    row = table.place(address)
                    assert (row and row[2]) == cities[expected]

    def test_tables_with_a_gap_are_refused(self, tmp_path):
        with pytest.raises(ValueError, match="does not cover"):
            open_table(tmp_path, write_tables(tmp_path / "tables", blocks="length,location_id\n5,1\n"))


CITY = {
    "continent": {"code": "EU"},
    "country": {"iso_code": "DE", "names": {"en": "Federal Republic"}},
    "subdivisions": [{"iso_code": "BY", "names": {"en": "Bavaria"}}, {"names": {"en": "Upper Bavaria"}}],
    "city": {"names": {"de": "München", "en": "Munich"}},
    "location": {"latitude": 48.25, "longitude": 11.5},
}


class TestDatabase:
    def test_it_replaces_the_table(self, tmp_path):
        file = write_mmdb(tmp_path / "city.mmdb", "81.2.69.0/24", CITY)
        places = open_places(tmp_path, str(file))
        assert locate("81.2.69.160", places) == {
            "ip": "81.2.69.160",
            "country_name": "Germany",
            "region_name": "Bavaria",
            "city_name": "Munich",
            "latitude": 48.25,
            "longitude": 11.5,
            "country_code2": "DE",
            "country_code3": "DEU",
            "continent_code": "EU",
            "city_detail": "Munich",
        }
        assert locate("81.2.70.1", places) == {}
        assert not (tmp_path / FILE).exists()

    def test_reserved_has_no_place_even_if_the_database_has_one(self, tmp_path):
        file = write_mmdb(tmp_path / "city.mmdb", "10.0.0.0/8", CITY)
        assert locate("10.1.1.1", open_places(tmp_path, str(file))) == {}

    def test_country_database(self, tmp_path):
        record = {"registered_country": {"iso_code": "NL"}}
        file = write_mmdb(tmp_path / "country.mmdb", "81.2.69.0/24", record)
        answer = locate("81.2.69.1", open_places(tmp_path, str(file)))
        assert answer["country_name"] == "The Netherlands"
        assert (answer["region_name"], answer["city_name"], answer["latitude"]) == ("", "", None)

    def test_country_missing_from_the_list(self, tmp_path):
        record = {"continent": {"code": "OC"}, "country": {"iso_code": "ZZ", "names": {"en": "Atlantis"}}}
        file = write_mmdb(tmp_path / "country.mmdb", "81.2.69.0/24", record)
        answer = locate("81.2.69.1", open_places(tmp_path, str(file)))
        assert [answer[key] for key in ("country_name", "country_code3", "continent_code")] == [
            "Atlantis",
            "",
            "OC",
        ]

    def test_record_without_a_country_has_no_place(self, tmp_path):
        file = write_mmdb(tmp_path / "odd.mmdb", "81.2.69.0/24", {"country": {}, "city": CITY["city"]})
        assert locate("81.2.69.1", open_places(tmp_path, str(file))) == {}

    @pytest.mark.parametrize("content", [None, b"", b"not a database", b"\xab\xcd\xefMaxMind.com\xe0"])
    def test_missing_or_broken_is_an_error_at_the_start(self, content, tmp_path):
        file = tmp_path / "some.mmdb"
        if content is not None:
            file.write_bytes(content)
        with pytest.raises(SettingError, match=r"geo_database: .*some\.mmdb cannot be used: "):
            open_places(tmp_path, str(file))

    def test_damage_found_later_is_an_error_with_advice(self, tmp_path):
        file = write_mmdb(tmp_path / "city.mmdb", "81.2.69.0/24", CITY)
        places = open_places(tmp_path, str(file))
        with file.open("r+b") as mapped:
            mapped.seek(24 * 6 + 16)
            mapped.write(b"\x20\xff")  # a pointer to where there is nothing, in place of the record
        with pytest.raises(ServiceUnavailable, match="geo_database"):
            locate("81.2.69.160", places)
