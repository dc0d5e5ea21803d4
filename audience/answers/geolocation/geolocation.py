"""Geolocation of IPv4 addresses, by the bundled table or an operator's `.mmdb`."""

from bisect import bisect_right
from functools import cache
from ipaddress import IPv4Network, IPv6Address
from pathlib import Path
from socket import AF_INET, inet_pton
from typing import Protocol

from audience.answers.geolocation.packed_table import Place, Tables
from audience.answers.geolocation.packing import pack
from audience.answers.geolocation.table import Pack, open_table
from audience.answers.tables import rows
from audience.errors import Refused
from schemas.codes import Code, Sentence
from schemas.values import FieldError

NOT_IPV4 = Sentence(Code.MALFORMED_VALUE, "Send an IPv4 address such as 192.0.2.1.")
ATTRIBUTION = "IP Geolocation by DB-IP"
ATTRIBUTION_URL = "https://db-ip.com"


@cache
def _special_edges() -> list[int]:
    """The edges of the networks of special use, ascending: the first address of each, and the one after its
    last.
    """
    networks = (IPv4Network(row["network"]) for row in rows("geolocation/special_networks"))
    return [edge for net in networks for edge in (int(net[0]), int(net[-1]) + 1)]


class PlaceDatabase(Protocol):
    """A geolocation database: `packed_table.PackedTable`, or `mmdb.Database`."""

    def place(self, number: int) -> Place | None:
        """The place of the public address `number` (0 to 2**32 - 1), None if it is unknown."""
        ...


def locate(ip: str, places: PlaceDatabase) -> dict[str, str | float | None]:
    """The place of an IPv4 address; `{}` if the address is private, reserved or unknown.

    An unknown region or city is `""`. Latitude and longitude are in degrees, or None if an operator's
    database has none.

    Raises `Refused` unless `ip`, trimmed, is an IPv4 address: four numbers without leading zeros, or those in
    IPv6 (`::ffff:192.0.2.1`). Raises `ServiceUnavailable` while the table is being packed.
    """
    ip = _without_mapping(ip.strip())
    try:
        number = int.from_bytes(inet_pton(AF_INET, ip))
    except (OSError, ValueError):
        raise Refused(NOT_IPV4, [FieldError("ip", NOT_IPV4)]) from None
    if bisect_right(_special_edges(), number) % 2:
        return {}
    place = places.place(number)
    if place is None:
        return {}
    country, region, city, detail, latitude, longitude = place
    return {
        "ip": ip,
        "country_name": country.name,
        "region_name": region,
        "city_name": city,
        "latitude": latitude,
        "longitude": longitude,
        "country_code2": country.code2,
        "country_code3": country.code3,
        "continent_code": country.continent_code,
        "city_detail": detail,
    }


def _without_mapping(ip: str) -> str:
    """The IPv4 address in an IPv6-mapped one; any other text is returned unchanged."""
    if ":" not in ip:
        return ip
    try:
        return str(IPv6Address(ip).ipv4_mapped or ip)
    except ValueError:
        return ip


def open_places(instance: Path, geo_database: str = "", packing: Pack = pack) -> PlaceDatabase:
    """Opens the operator's `.mmdb` file `geo_database`. Without one, opens the current table, which is packed
    into the folder `instance` if needed.

    Raises `SettingError` for an invalid database.
    """
    if geo_database:
        from audience.answers.geolocation.mmdb import Database

        return Database(Path(geo_database), Tables())
    return open_table(instance, packing=packing)
