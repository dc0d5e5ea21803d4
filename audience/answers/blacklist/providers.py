"""The table of blacklist providers: `providers.csv`, bundled or the operator's own."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Literal

from audience.answers.tables import BUNDLED
from audience.config import SettingError

FLAGS = ("just_registered", "spamhaus", "nordspam", "spfbl", "sorbs", "abusix")
LISTED_NETWORK = IPv4Network("127.0.0.0/8")  # RFC 5782 section 2.3
# Addresses that never mean listed: errors, and wildcard answers of resolvers.
NOT_LISTED_NETWORKS = (
    IPv4Network("127.255.255.0/24"),
    IPv4Network("127.0.1.255/32"),
    IPv4Network("127.0.0.1/32"),
)
ZONE = re.compile(r"(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+[a-z]{2,63}", re.ASCII)
KEY = re.compile(r"[A-Za-z0-9-]{1,63}", re.ASCII)

Asks = Literal["ip", "domain"]
TEST_POINTS: dict[Asks, tuple[str, str]] = {  # listed, and not listed (RFC 5782 section 5)
    "ip": ("127.0.0.2", "127.0.0.1"),
    "domain": ("test", "invalid"),
}


@dataclass(frozen=True)
class Zone:
    """The DNS zone of a provider's list. `flag` names the provider in results. `public` is the zone's name
    without the operator's key.

    The zone answers with an address in `listed` for a listed value, in `clear` for another value, in `error`
    if it refuses the query. `tlds` are the top-level domains that it covers, empty for all. `test_listed` and
    `test_clear` are its test points, by default those of RFC 5782 section 5.
    """

    flag: str
    asks: Asks
    zone: str
    public: str
    registrable_only: bool
    tlds: frozenset[str]
    listed: frozenset[str]
    clear: frozenset[str]
    error: frozenset[str]
    test_listed: str
    test_clear: str


@dataclass(frozen=True)
class Providers:
    """The table of providers. `zones` has the zone by flag and kind of value. `retired` are the flags of
    lists that have shut down, `without_key` those whose zones lack the operator's key.
    """

    zones: Mapping[tuple[str, Asks], Zone]
    retired: frozenset[str]
    without_key: frozenset[tuple[str, Asks]]


def load(path: Path | None = None, keys: Mapping[str, str] | None = None) -> Providers:
    """Loads the table at `path` if there is one, else the bundled one. `keys` are the operator's keys by name
    of their setting.

    If several rows have the same flag and kind of value, the first counts that needs no key, or whose key is
    set. Raises `SettingError` for an invalid table or key.
    """
    configured = {name: key for name, key in (keys or {}).items() if key}
    for name, key in configured.items():
        if not KEY.fullmatch(key):
            raise SettingError(f"{name} must be letters, digits and hyphens")
    table = path if path is not None and path.is_file() else BUNDLED / "blacklist" / "providers.csv"
    try:
        return _providers(csv.DictReader(table.read_text("utf-8").splitlines(), restval=""), configured)
    except (OSError, KeyError, ValueError) as error:
        raise SettingError(f"{table}: {error}") from error


def _providers(rows: Iterable[dict[str, str]], keys: Mapping[str, str]) -> Providers:
    """The providers in the rows of the table. A row without a zone is a list that has shut down. Raises
    `ValueError` or `KeyError` for an invalid row.
    """
    zones: dict[tuple[str, Asks], Zone] = {}
    retired: set[str] = set()
    known: set[tuple[str, Asks]] = set()
    for row in rows:
        if row["flag"] not in FLAGS:
            raise ValueError(f"{row['flag']} is not one of {', '.join(FLAGS)}")
        if not row["zone"]:
            retired.add(row["flag"])
            continue
        place = row["flag"], _asks(row["asks"])
        known.add(place)
        if place not in zones and (not row["key"] or row["key"] in keys):
            zones[place] = _zone(row, keys.get(row["key"], ""))
    return Providers(zones, frozenset(retired), frozenset(known - zones.keys()))


def _asks(text: str) -> Asks:
    if text == "ip":
        return "ip"
    if text == "domain":
        return "domain"
    raise ValueError(f"asks is ip or domain, not {text}")


def _zone(row: dict[str, str], key: str) -> Zone:
    """The zone in a row of the table, with the operator's `key` in its name. Raises `ValueError` for an
    invalid row.
    """
    zone, asks = row["zone"].replace("{key}", key.lower()), _asks(row["asks"])
    if not ZONE.fullmatch(zone):
        raise ValueError(f"{row['zone']} is not a zone")
    listed = frozenset(_codes(row["listed"]))
    if not listed:
        raise ValueError(f"{row['zone']}: nothing means listed")
    for code in map(IPv4Address, listed):
        if code not in LISTED_NETWORK or any(code in network for network in NOT_LISTED_NETWORKS):
            raise ValueError(f"{row['zone']}: {code} never means listed")
    return Zone(
        flag=row["flag"],
        asks=asks,
        zone=zone,
        public=row["zone"].replace("{key}", "KEY"),
        registrable_only=row["name"] == "registrable",
        tlds=frozenset(row["tlds"].split()),
        listed=listed,
        clear=frozenset(_codes(row["clear"])),
        error=frozenset(_codes(row["error"])),
        test_listed=row.get("test_listed") or TEST_POINTS[asks][0],
        test_clear=row.get("test_clear") or TEST_POINTS[asks][1],
    )


def _codes(cell: str) -> Iterator[str]:
    """The addresses that a cell lists. It may have ranges of the last octet: `127.0.0.2-4 127.0.0.9`."""
    for part in cell.split():
        head, _, last = part.partition("-")
        first = IPv4Address(head)
        count = int(last) - int(first) % 256 if last else 0
        if not 0 <= count < 256 - int(first) % 256:
            raise ValueError(f"{part} is not a range")
        yield from (str(first + offset) for offset in range(count + 1))
