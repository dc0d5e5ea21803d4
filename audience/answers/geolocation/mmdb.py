"""Places of an operator's database in MaxMind's format."""

from collections.abc import Mapping
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import maxminddb

from audience.answers.geolocation.packed_table import Country, Place, Tables
from audience.config import SettingError
from audience.errors import ServiceUnavailable


class Database:
    """An operator's MMDB file with countries (GeoLite2, GeoIP2, DB-IP). The name of a country is that of the
    bundled list, else the English one in the file.
    """

    def __init__(self, path: Path, tables: Tables) -> None:
        try:
            self._reader = maxminddb.open_database(path)
            next(iter(self._reader))
        except (OSError, ValueError, maxminddb.InvalidDatabaseError, StopIteration) as error:
            reason = str(error) or "it is empty"
            raise SettingError(f"geo_database: {path} cannot be used: {reason}") from error
        self._countries = {country.code2: country for country in tables.countries()}

    def place(self, number: int) -> Place | None:
        try:
            record = self._reader.get(IPv4Address(number))
        except maxminddb.InvalidDatabaseError as error:
            raise ServiceUnavailable(
                "The geolocation database is damaged: replace the file of geo_database."
            ) from error
        return self._place(_map(record))

    def _place(self, record: Mapping[str, Any]) -> Place | None:
        """The place in a record of the file; None if it has no country. Parts that it lacks are empty or
        None.
        """
        record_country = _map(record.get("country")) or _map(record.get("registered_country"))
        code = record_country.get("iso_code")
        if not isinstance(code, str):
            return None
        continent = str(_map(record.get("continent")).get("code", ""))
        country = self._countries.get(code) or Country(code, "", continent, _name(record_country) or code)
        regions = record.get("subdivisions")
        location = _map(record.get("location"))
        city = _name(record.get("city"))
        return (
            country,
            _name(regions[0]) if isinstance(regions, list) and regions else "",
            city.partition(" (")[0],
            city,
            _degrees(location.get("latitude")),
            _degrees(location.get("longitude")),
        )


def _map(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _name(value: object) -> str:
    return str(_map(_map(value).get("names")).get("en", ""))


def _degrees(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
