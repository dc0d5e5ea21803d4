"""The work of `audience import`: judging a file, or storing it and waiting until it is applied."""

import os
import shlex
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import count, takewhile
from pathlib import Path
from typing import Any, BinaryIO

import click

from audience import addresses
from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.cli.following import follow
from audience.cli.instance import in_commands
from audience.cli.output import printable
from audience.cli.progress import progress
from audience.imports import dry_runs, file_imports, file_uploads, imports
from audience.imports.dry_runs import DryRun
from audience.imports.file_uploads import ImportedFile
from audience.imports.imports import Import
from audience.subscribers import stats
from schemas import exports
from schemas import file_imports as wire
from schemas.base import FormError
from schemas.formats.files import InspectedFile
from schemas.formats.presets import IGNORE
from schemas.formats.readings import options, parameters
from schemas.formats.rows import FileRow
from schemas.imports import too_late_counts
from schemas.values import compact_json, write_date

PROGRESS_ROWS = 1_000
SUPPRESSED = "Suppressed rows belong to people who were erased here. These rows are not imported."
GOES_ON = (
    "import {id} continues without this command: undo it with `audience imports undo {id}`, or run the "
    "same command again to follow it."
)
REFUSED = "The refused rows are in {}: correct that file and import it{}."
WOULD_LEAVE = "{:,} existing {} would be unsubscribed, and {:,} would be added as unsubscribed."
BEFORE = "This file was imported before, as import {}, {}."
NEXT = "Answers for the next file of this kind: --answers {}"
TOO_LATE = {
    "unsubscribes_ignored": "Unsubscribes ignored, because these people subscribed later",
    "subscribes_ignored": "Subscribes ignored, because these people unsubscribed later",
}
OUTCOMES = ("created", "updated", "unchanged", "refused", "suppressed")


@dataclass(frozen=True)
class FileRun:
    """The import of the file at `path`; `refused` is the path of the file of refused rows."""

    site: Site
    file: InspectedFile
    path: Path
    refused: Path
    as_json: bool

    def say(self, line: str) -> None:
        if not self.as_json:
            click.echo(line)

    def dry_run(self) -> dict[str, Any]:
        """Judges the rows, stores nothing. Prints and returns the outcomes and the first rows' results."""
        with self._reading() as advance:
            done = dry_runs.dry_run(self.site, self._rows(advance, lambda _: None))
        judged = wire.outcome(done)
        for row in judged["rows"]:
            self.say(_preview(row))
        shown = {name: done.counts[name] for name in OUTCOMES}
        self.say(f"Nothing was written. Outcome: {_counts(shown)}, unsubscribed {done.unsubscribed:,}.")
        if done.unsubscribed:
            existing = done.unsubscribed - done.new_unsubscribed
            self.say(
                WOULD_LEAVE.format(existing, "person" if existing == 1 else "people", done.new_unsubscribed)
            )
        self._tell_skipped(done.stayed_unsubscribed, shown["suppressed"], done)
        return judged | shown | {"file": wire.describe_reading(self.file)}

    def run(self, source: str) -> dict[str, Any]:
        """Stores the file's rows and waits until they are applied. Prints and returns the outcomes.

        `source` identifies the file, so that an interrupted import continues.
        """
        upload = file_imports.resume(self.site, source)
        if not upload.complete and (before := file_uploads.imported_before(self.site, self.file.digest)):
            self.say(BEFORE.format(before[0], write_date(before[1])))
        if upload.complete:
            self.say(f"This file is already stored as import {upload.import_id}: waiting for it.")
        refused = _last(self.refused) if upload.complete else self._receive(upload)
        row = self._follow(upload.import_id)
        shown = {name: getattr(row, name) for name in OUTCOMES}
        self.say(f"Import {row.id} {row.status}: {_counts(shown)}, unsubscribed {row.unsubscribed:,}.")
        if row.refused:
            again = f" with {shlex.join(words)}" if (words := self._options()) else ""
            self.say(REFUSED.format(printable(str(refused)), again))
        self._tell_skipped(row.stay_unsubscribed, row.suppressed, row)
        self.say(NEXT.format(shlex.quote(self.file.answers)))
        counts = stats.for_site(self.site)
        self.say(
            f"The site now has user_count {counts.users:,}, subscriber_count {counts.subscribers:,}, "
            f"unsubscriber_count {counts.unsubscribers:,}."
        )
        return {
            "import_id": str(row.id),
            "status": row.status,
            **shown,
            "unsubscribed": row.unsubscribed,
            "stay_unsubscribed": row.stay_unsubscribed,
            **too_late_counts(row),
            "refused_file": str(refused) if row.refused else None,
            "file": wire.describe_reading(self.file),
        }

    def _follow(self, import_id: int) -> Import:
        """Waits until the import is applied, and returns it. Raises `ClickException` if interrupted."""
        try:
            return follow(
                self.site, "Applying", partial(imports.progress, self.site, import_id), self.as_json
            )
        except KeyboardInterrupt:
            raise click.ClickException(GOES_ON.format(id=import_id)) from None

    def _options(self) -> list[str]:
        """The options with which the file of refused rows is read as the original was."""
        reading = self.file.reading
        pairs = [(name, value) for name, value in parameters(reading) if name not in ("sheet", "header")]
        if not reading.headed:  # the file of refused rows has a header: the places
            pairs += [
                (f"map[{column.position}]", IGNORE) for column in self.file.plan if column.meaning == IGNORE
            ]
        return options(pairs)

    def _tell_skipped(self, stayed_unsubscribed: int, suppressed: int, counts: Import | DryRun) -> None:
        """Prints how many rows had no effect: of unsubscribed or erased people, or with later consent."""
        if stayed_unsubscribed:
            self.say(f"People who unsubscribed here stay unsubscribed: {stayed_unsubscribed:,}.")
        if suppressed:
            self.say(SUPPRESSED)
        for name, number in too_late_counts(counts).items():
            self.say(f"{TOO_LATE[name]}: {number:,}.")

    def _receive(self, upload: file_imports.Upload) -> Path:
        """Stores and queues the rows. Returns the path of the file of refused rows."""
        if upload.stored_rows:
            self.say(f"Continuing after row {upload.stored_rows:,}.")
        try:
            with self._reading() as advance, Refusals(self.refused, self.file) as refusals:
                upload.store(self._rows(advance, refusals.add))
        except FormError:
            upload.discard()
            raise
        file = self.file
        imported = ImportedFile(
            printable(self.path.name), COMMAND_LINE.name, file.consent, file.answers, file.digest
        )
        upload.accept(file.refused_header, file=imported)
        return refusals.path

    @contextmanager
    def _reading(self) -> Iterator[Callable[[int], None]]:
        """Shows the progress of reading. Yields a function to call with the number of bytes read."""
        size = os.fstat(self.file.binary.fileno()).st_size
        with progress("Reading", size, self.as_json) as advance:
            yield advance

    def _rows(
        self, advance: Callable[[int], None], refuse: Callable[[FileRow], None]
    ) -> Generator[FileRow, None, None]:
        """Yields all rows; calls `advance` with the bytes read, and `refuse` with each refused row."""
        position = 0
        for number, row in enumerate(self.file.rows(addresses.identity_of_new)):
            if row.item is None:
                refuse(row)
            if number % PROGRESS_ROWS == 0:
                before, position = position, self.file.binary.tell()
                advance(position - before)
            yield row


def _preview(row: dict[str, Any]) -> str:
    """One line that shows the result of a row."""
    if row["message"]:
        return f"Row {row['row']}: {row['outcome']}: {in_commands(row['message'])}"
    names = ("email", "first_name", "last_name", "tags", "fields", "status", "created_at", "unsubscribed_at")
    values = {name: row[name] for name in names if row[name]}
    return f"Row {row['row']}: {row['outcome']}: {compact_json(values)}"


def _counts(shown: dict[str, Any]) -> str:
    return ", ".join(f"{name} {shown[name]:,}" for name in OUTCOMES)


class Refusals:
    """The file of refused rows, created with the first row, and deleted if the `with` block raises.

    If a file exists at `path` by then, a number is added to the name.
    """

    def __init__(self, path: Path, file: InspectedFile) -> None:
        self.path = path
        self.file = file
        self._binary: BinaryIO | None = None

    def __enter__(self) -> "Refusals":
        return self

    def __exit__(self, error: type[BaseException] | None, *_: object) -> None:
        if self._binary is not None:
            self._binary.close()
            if error:
                self.path.unlink(missing_ok=True)

    def add(self, row: FileRow) -> None:
        """Writes a row, and rewords its message for the command line."""
        if self._binary is None:
            self.path = _unused_path(self.path)
            self._binary = self.path.open("xb")
            self._binary.write(exports.refused_head(self.file))
        row.message = in_commands(row.message)
        self._binary.write(exports.refused_line(self.file, row))


def _numbered_paths(path: Path) -> Iterator[Path]:
    """Yields the paths to try: `people.refused.csv`, `people.refused.2.csv` and so on."""
    yield path
    yield from (path.with_suffix(f".{number}{path.suffix}") for number in count(2))


def _unused_path(path: Path) -> Path:
    """The first numbered path that does not exist. An operator may be correcting an existing file."""
    return next(file for file in _numbered_paths(path) if not file.exists())


def _last(path: Path) -> Path:
    """The last numbered path that exists, else `path`."""
    return [path, *takewhile(Path.exists, _numbered_paths(path))][-1]
