"""The table of blacklist providers: the bundled `providers.csv`, or the operator's in its place."""

import csv
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from ipaddress import IPv4Address, IPv4Network
from pathlib import Path
from typing import Literal

from audience.config import SettingError

FLAGS = ("just_registered", "spamhaus", "nordspam", "spfbl", "sorbs", "abusix")  # spec section 4.1
KEYS = ("spamhaus_dqs_key", "abusix_key")
LISTS = IPv4Network("127.0.0.0/8")  # RFC 5782 section 2.3: a listing's address is in here
NEVER = (IPv4Network("127.255.255.0/24"), IPv4Network("127.0.1.255/32"), IPv4Network("127.0.0.1/32"))
ZONE = re.compile(r"(?:(?!-)[a-z0-9-]{1,63}(?<!-)\.)+[a-z]{2,63}", re.ASCII)
KEY = re.compile(r"[A-Za-z0-9-]{1,63}", re.ASCII)

Asks = Literal["ip", "domain"]


@dataclass(frozen=True)
class Zone:
    """A list's zone. `public` is its name for people, with the key left out; `listed`, `clear` and `error`
    are the addresses that say so; `tlds` those that it covers (empty: all); the test points are those of
    RFC 5782 section 5, or what the provider has instead."""

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
    """The zone to ask for each flag and kind of question; flags whose list has shut down; flags that need a
    key that is not set."""

    zones: Mapping[tuple[str, Asks], Zone]
    retired: frozenset[str]
    without_key: frozenset[tuple[str, Asks]]


def load(path: Path | None = None, keys: Mapping[str, str] | None = None) -> Providers:
    """The table at `path` if there is a file, else the bundled one, with the operator's `keys` (by the names
    of the settings) filled in. Of several rows for a flag and kind the first whose key is set is used.
    Raises `SettingError` for a table or a key that cannot be used."""
    given = {name: key for name, key in (keys or {}).items() if key}
    for name, key in given.items():
        if not KEY.fullmatch(key):
            raise SettingError(f"{name} must be letters, digits and hyphens")
    shadow = path if path is not None and path.is_file() else None
    try:
        text = shadow.read_text("utf-8") if shadow else _bundled()
        return _providers(csv.DictReader(text.splitlines(), restval=""), given)
    except (OSError, KeyError, ValueError) as error:
        raise SettingError(f"{shadow or 'providers.csv'}: {error}") from error


def _bundled() -> str:
    return (files("audience.data") / "blacklist" / "providers.csv").read_text("utf-8")


def _providers(rows: Iterable[dict[str, str]], keys: Mapping[str, str]) -> Providers:
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
    zone = row["zone"].replace("{key}", key.lower())
    if not ZONE.fullmatch(zone):
        raise ValueError(f"{row['zone']} is not a zone")
    listed = frozenset(_codes(row["listed"]))
    if not listed:
        raise ValueError(f"{row['zone']}: nothing means listed")
    for code in map(IPv4Address, listed):
        if code not in LISTS or any(code in never for never in NEVER):
            raise ValueError(f"{row['zone']}: {code} never means listed")
    return Zone(
        flag=row["flag"],
        asks=_asks(row["asks"]),
        zone=zone,
        public=row["zone"].replace("{key}", "KEY"),
        registrable_only=row["name"] == "registrable",
        tlds=frozenset(row["tlds"].split()),
        listed=listed,
        clear=frozenset(_codes(row["clear"])),
        error=frozenset(_codes(row["error"])),
        test_listed=row["test_listed"],
        test_clear=row["test_clear"],
    )


def _codes(cell: str) -> Iterator[str]:
    """`127.0.0.2-4 127.0.0.9`: addresses, or ranges over the last part."""
    for part in cell.split():
        head, _, last = part.partition("-")
        first = IPv4Address(head)
        count = int(last) - int(first) % 256 if last else 0
        if not 0 <= count < 256 - int(first) % 256:
            raise ValueError(f"{part} is not a range")
        yield from (str(first + offset) for offset in range(count + 1))
