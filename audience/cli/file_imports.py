"""`audience import`: a file of subscribers, through the queue of all imports (docs/files.md)."""

import fcntl
import hashlib
import json
import os
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import click

from audience import addresses, file_imports, imports, sites
from audience.cli.instance import on_instance
from audience.cli.options import site_option
from audience.cli.progress import progress
from audience.config import Settings
from audience.sites import Site
from schemas import exports
from schemas import file_imports as wire
from schemas.base import FormError

POLL_SECONDS = 0.2
STALL_SECONDS = 3.0  # without progress, before the command applies rows itself
TURN_SECONDS = 1.0
CHUNK_SIZE = 2**20
PROGRESS_ROWS = 1_000
OUTCOMES = ("created", "updated", "unchanged", "refused", "suppressed")


@click.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@site_option
@click.option(
    "--map", "renames", multiple=True, metavar="NAME=MEANING", help="Meaning of a column; repeatable."
)
@click.option("--dry-run", is_flag=True, help="Show the outcome without writing anything.")
@click.option("--refused", type=click.Path(dir_okay=False, path_type=Path), help="File for refused rows.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end.")
@on_instance
def import_file(
    _: Settings,
    file: Path,
    site_uuid: str,
    renames: tuple[str, ...],
    dry_run: bool,
    refused: Path | None,
    as_json: bool,
) -> None:
    """Import subscribers from CSV, JSON or JSON lines.

    If interrupted, run the same command again to continue. Refused rows are written to a file next to FILE:
    correct it and import it.

    Example: audience import people.csv --site 6f1c... --map "E-Mail=email"
    """
    site = sites.get_by_uuid(site_uuid)
    if refused and refused.exists() and refused.samefile(file):
        raise click.BadParameter("choose a file other than the one to import", param_hint="--refused")
    with file.open("rb") as binary:
        _lock(binary)
        try:
            inspected = wire.inspect(binary, wire.BY_SUFFIX.get(file.suffix.lower()), _meanings(renames))
            job = Job(site, inspected, refused or _beside(file, inspected), as_json)
            job.say(f"{file.name}: {_shown(inspected)}")
            shown = job.dry_run() if dry_run else job.run(_source(site, binary, renames))
        except FormError as error:
            raise click.ClickException("; ".join(problem.message for problem in error.problems)) from error
        except KeyboardInterrupt:
            raise click.ClickException("interrupted: run the same command again to continue.") from None
    if as_json:
        click.echo(json.dumps(shown))
    if shown.get("status") == "failed":
        raise click.ClickException("the import failed: see the worker's log.")


def _lock(binary: BinaryIO) -> None:
    """Prevents two commands from continuing one import."""
    try:
        fcntl.flock(binary, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise click.ClickException("another command is importing this file: wait for it.") from None


def _meanings(renames: Iterable[str]) -> dict[str, str]:
    for rename in renames:
        if "=" not in rename:
            raise click.BadParameter("write NAME=MEANING, such as E-Mail=email", param_hint="--map")
    return dict(rename.rsplit("=", 1) for rename in renames)


def _beside(file: Path, inspected: wire.File) -> Path:
    return file.with_name(f"{file.stem}.refused.{'csv' if inspected.kind == wire.CSV else 'jsonl'}")


def _shown(inspected: wire.File) -> str:
    if inspected.delimiter is None:
        return f"{inspected.kind}, {inspected.encoding}"
    delimiter = "tab" if inspected.delimiter == "\t" else inspected.delimiter
    columns = ", ".join(inspected.columns)
    return f"{inspected.kind}, {inspected.encoding}, delimiter {delimiter}, columns {columns}"


def _source(site: Site, binary: BinaryIO, renames: Iterable[str]) -> str:
    """Identifies a file when the command runs again: a digest of its content, site and renames."""
    digest = hashlib.sha256(json.dumps([site.uuid, sorted(renames)]).encode())
    binary.seek(0)
    while piece := binary.read(CHUNK_SIZE):
        digest.update(piece)
    return digest.hexdigest()


@dataclass(frozen=True)
class Job:
    """The import of one file."""

    site: Site
    file: wire.File
    refused: Path
    as_json: bool

    def say(self, line: str) -> None:
        if not self.as_json:
            click.echo(line)

    def dry_run(self) -> dict[str, Any]:
        """The outcomes, without writing anything."""
        with self._reading() as advance:
            counts = file_imports.dry_run(self.site, self._rows(advance, lambda _: None))
        shown = {name: counts[name] for name in OUTCOMES}
        self.say(f"Nothing was written. Outcome: {_listed(shown)}.")
        return shown

    def run(self, source: str) -> dict[str, Any]:
        """Stores the file's rows, and waits until they are applied."""
        upload = file_imports.resume(self.site, source)
        if upload.complete:
            self.say(f"This file is already stored as import {upload.import_id}: waiting for it.")
        else:
            self._receive(upload)
        row = self._follow(upload.import_id)
        shown = {name: getattr(row, name) for name in OUTCOMES}
        self.say(f"Import {row.id} {row.status}: {_listed(shown)}.")
        if row.refused:
            self.say(f"The refused rows are in {self.refused}: correct that file and import it.")
        return {
            "import_id": str(row.id),
            "status": row.status,
            **shown,
            "refused_file": str(self.refused) if row.refused else None,
        }

    def _receive(self, upload: file_imports.Upload) -> None:
        if upload.stored_rows:
            self.say(f"Continuing after row {upload.stored_rows:,}.")
        try:
            with self._reading() as advance, Refusals(self.refused, self.file) as refusals:
                upload.store(self._rows(advance, refusals.add))
        except FormError:
            upload.discard()
            raise
        upload.accept(self.file.columns)

    @contextmanager
    def _reading(self) -> Iterator[Callable[[int], None]]:
        size = os.fstat(self.file.binary.fileno()).st_size
        with progress("Reading", size, self.as_json) as advance:
            yield advance

    def _rows(
        self, advance: Callable[[int], None], refuse: Callable[[wire.FileRow], None]
    ) -> Generator[wire.FileRow, None, None]:
        position = 0
        for number, row in enumerate(self.file.rows(addresses.identity)):
            if row.item is None:
                refuse(row)
            if number % PROGRESS_ROWS == 0:
                before, position = position, self.file.binary.tell()
                advance(position - before)
            yield row

    def _follow(self, import_id: int) -> imports.Import:
        """Waits until an import is applied; applies it itself if no worker does."""
        row = imports.progress(self.site, import_id)
        moved, alone = time.monotonic(), False
        with progress("Applying", row.rows, self.as_json) as advance:
            advance(row.applied)
            while row.finished_at is None:
                alone = alone or time.monotonic() - moved > STALL_SECONDS
                if not (alone and imports.drain(self.site.id, TURN_SECONDS)):
                    time.sleep(POLL_SECONDS)
                before, row = row, imports.progress(self.site, import_id)
                if row.applied > before.applied:
                    moved = time.monotonic()
                    advance(row.applied - before.applied)
        return row


def _listed(shown: dict[str, Any]) -> str:
    return ", ".join(f"{name} {shown[name]:,}" for name in OUTCOMES)


class Refusals:
    """The file of refused rows, created with the first of them."""

    def __init__(self, path: Path, file: wire.File) -> None:
        self.path = path
        self.file = file
        self._stack = ExitStack()
        self._binary: BinaryIO | None = None

    def __enter__(self) -> "Refusals":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, row: wire.FileRow) -> None:
        if self._binary is None:
            self._binary = self._stack.enter_context(self.path.open("wb"))
            self._binary.write(exports.refused_head(self.file))
        self._binary.write(exports.refused_line(self.file, row))
