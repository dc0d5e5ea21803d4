"""The demo's three imports of files, on past days; one has refused rows."""

import random
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS, HOUR_MS
from audience.imports import file_imports
from audience.operations import site_lane
from audience.operations.demo_people import SEED
from audience.protocols import FileRow
from storage import database
from storage.changes import source_rows
from storage.imports import file_imports as stored
from storage.imports import file_uploads as stored_uploads
from storage.imports.file_uploads import ImportedFile

COLUMNS = ("email", "first_name", "last_name", "tags")
DRAIN_SECONDS = 60.0
DEMO = "demo"
ROWS_A_SECOND = 900
REFUSALS = (
    ("missing_email", "", "The row has no address: fill it in, or leave the row out."),
    ("invalid_email", "lina.haddad", "The address has no @: correct it."),
    ("invalid_email", "tomas@", "The address has no domain: correct it."),
)


@dataclass
class DemoRow:
    """A row of a demo file. A refused row has no `item`, but a `code` and a `message`."""

    row_number: int
    email: str
    item: dict[str, Any] | None
    code: str
    message: str
    cells: list[str]


@dataclass(frozen=True)
class DemoFile:
    """A demo file, imported `age` days ago, with `refused` rows that were refused.

    Its other rows are every `step`th of the subscribers, who got `tag` by it.
    """

    age: int
    step: int
    tag: str
    refused: int = 0


FILES = (DemoFile(412, 3, "atlas"), DemoFile(96, 9, "fair-2026", refused=14), DemoFile(4, 24, "winter-walks"))


def create(site: Site, joined: Sequence[tuple[str, int]]) -> None:
    """Creates a site's imports. `joined` has (address, instant of creation in milliseconds) pairs."""
    for file in FILES:
        begun = clock.now_ms() - file.age * DAY_MS - 3 * HOUR_MS
        _import(site, file, [address for address, at in joined if at < begun][:: file.step], begun)


def _import(site: Site, file: DemoFile, chosen: Sequence[str], begun: int) -> None:
    with file_imports.receiving(site) as upload:
        upload.store(_rows(file, chosen))
        upload.accept(COLUMNS)
    site_lane.drain(site.id, DRAIN_SECONDS)
    with database.write(site.id):
        imported = ImportedFile(f"{file.tag}.csv", DEMO, "everyone has agreed")
        stored_uploads.add_file(imported, site=site.id, import_id=upload.import_id)
        source_rows.put_at(site.id, ("import", upload.import_id), begun)
        stored.put_dates(site.id, upload.import_id, begun, begun + 1000 * (2 + len(chosen) // ROWS_A_SECOND))


def _rows(file: DemoFile, chosen: Sequence[str]) -> Generator[FileRow, None, None]:
    source, number = random.Random(SEED), 1
    refused_after = set(source.sample(range(len(chosen)), min(file.refused, len(chosen))))
    for index, address in enumerate(chosen):
        number += 1
        yield DemoRow(number, address, {"email": address, "tags": [file.tag]}, "", "", [])
        if index in refused_after:
            number += 1
            code, email, message = source.choice(REFUSALS)
            yield DemoRow(number, email, None, code, message, [email, "", "", file.tag])
