"""Geolocation of IPv4 addresses, by the bundled table or an operator's `.mmdb`."""

from bisect import bisect_right
from ipaddress import IPv4Network, IPv6Address
from itertools import chain
from pathlib import Path
from socket import AF_INET, inet_pton
from typing import Protocol

from audience.answers.geolocation.packed_table import Place, Tables
from audience.answers.geolocation.packing import pack
from audience.answers.geolocation.table import Pack, open_table
from audience.errors import Refused
from schemas.values import FieldError

NOT_IPV4 = "Send an IPv4 address such as 192.0.2.1."
ATTRIBUTION = "IP Geolocation by DB-IP"
ATTRIBUTION_URL = "https://db-ip.com"

SPECIAL_NETWORKS = (  # RFC 6890 and the IANA registry of special-purpose addresses; RFC 5771 for multicast
    "0.0.0.0/8",  # this network
    "10.0.0.0/8",  # private
    "100.64.0.0/10",  # shared by carriers
    "127.0.0.0/8",  # loopback
    "169.254.0.0/16",  # link-local
    "172.16.0.0/12",  # private
    "192.0.0.0/24",  # protocol assignments
    "192.0.2.0/24",  # documentation
    "192.88.99.0/24",  # the former 6to4 relays
    "192.168.0.0/16",  # private
    "198.18.0.0/15",  # benchmarking
    "198.51.100.0/24",  # documentation
    "203.0.113.0/24",  # documentation
    "224.0.0.0/4",  # multicast
    "240.0.0.0/4",  # reserved, broadcast
)


def _edges(networks: tuple[str, ...]) -> list[int]:
    """The first address of each network and the one after its last, ascending."""
    spans = ((int(net[0]), int(net[-1]) + 1) for net in map(IPv4Network, networks))
    return list(chain.from_iterable(spans))


SPECIAL_EDGES = _edges(SPECIAL_NETWORKS)


class Places(Protocol):
    """A geolocation database: `table.PackedTable`, or `mmdb.Database`."""

    def place(self, number: int) -> Place | None:
        """The place of the public address `number` (0 to 2**32 - 1), None if it is unknown."""
        ...


def locate(ip: str, places: Places) -> dict[str, str | float | None]:
    """The place of an IPv4 address; `{}` for private, reserved and unknown addresses.

    An unknown region or city is `""`; latitude and longitude are in degrees, None if an operator's database
    has none. Raises `Refused` unless `ip`, trimmed, is an IPv4 address: four numbers without leading zeros,
    or those in IPv6 (`::ffff:192.0.2.1`); `ServiceUnavailable` while the table is being packed.
    """
    ip = _without_mapping(ip.strip())
    try:
        number = int.from_bytes(inet_pton(AF_INET, ip))
    except (OSError, ValueError):
        raise Refused(NOT_IPV4, [FieldError("ip", NOT_IPV4)]) from None
    if bisect_right(SPECIAL_EDGES, number) % 2:
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
    """The IPv4 address that is written as IPv6; any other text as it is."""
    if ":" not in ip:
        return ip
    try:
        return str(IPv6Address(ip).ipv4_mapped or ip)
    except ValueError:
        return ip


def open_places(instance: Path, geo_database: str = "", packing: Pack = pack) -> Places:
    """The `.mmdb` file `geo_database`, or the table in effect, packed into the folder `instance` if needed.

    Raises `SettingError` for an invalid database.
    """
    if geo_database:
        from audience.answers.geolocation.mmdb import Database

        return Database(Path(geo_database), Tables())
    return open_table(instance, packing=packing)
