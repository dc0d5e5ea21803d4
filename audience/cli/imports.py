"""`audience import`: a file of people, through the same queue as every import (docs/files.md)."""

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

from audience import addresses, files, imports, sites
from audience.cli.instance import on_instance
from audience.cli.progress import progress
from audience.config import Settings
from audience.sites import Site
from schemas import exports
from schemas import files as wire
from schemas.wire import FormError

LOOK = 0.2  # seconds
PATIENCE = 3.0  # seconds without progress before the command applies rows itself
TURN = 1.0  # seconds
PIECE = 2**20
STEP = 1_000  # rows
OUTCOMES = ("created", "updated", "unchanged", "refused", "suppressed")


@click.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--site", "site_uuid", required=True, help="Uuid of the site.")
@click.option("--map", "renames", multiple=True, metavar="NAME=MEANING", help="What a column is; repeatable.")
@click.option("--dry-run", is_flag=True, help="Say what would become of the rows; write nothing.")
@click.option("--refused", type=click.Path(dir_okay=False, path_type=Path), help="Where refused rows go.")
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
    """Import people from CSV, JSON or JSON lines.

    Interrupted, the same command goes on where it stopped. Refused rows go to a file beside the first, which
    can be corrected and imported as it is.

    Example: audience import people.csv --site 6f1c... --map "E-Mail=email"
    """
    site = sites.named(site_uuid)
    if refused and refused.exists() and refused.samefile(file):
        raise click.BadParameter("name another file than the one to import", param_hint="--refused")
    with file.open("rb") as binary:
        _lock(binary)
        try:
            found = wire.look_at(binary, wire.BY_SUFFIX.get(file.suffix.lower()), _meanings(renames))
            job = Job(site, found, refused or _beside(file, found), as_json)
            job.say(f"{file.name}: {_shown(found)}")
            shown = job.foresee() if dry_run else job.run(_source(site, binary, renames))
        except FormError as error:
            raise click.ClickException("; ".join(each.message for each in error.problems)) from error
        except KeyboardInterrupt:
            raise click.ClickException("interrupted: the same command goes on where it stopped.") from None
    if as_json:
        click.echo(json.dumps(shown))
    if shown.get("status") == "failed":
        raise click.ClickException("the import failed: the worker's log says where.")


def _lock(binary: BinaryIO) -> None:
    """Two commands would go on with one import at once."""
    try:
        fcntl.flock(binary, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise click.ClickException("another command imports this file now: let it end first.") from None


def _meanings(renames: Iterable[str]) -> dict[str, str]:
    for each in renames:
        if "=" not in each:
            raise click.BadParameter("write NAME=MEANING, such as E-Mail=email", param_hint="--map")
    return dict(each.rsplit("=", 1) for each in renames)


def _beside(file: Path, found: wire.File) -> Path:
    return file.with_name(f"{file.stem}.refused.{'csv' if found.kind == wire.CSV else 'jsonl'}")


def _shown(found: wire.File) -> str:
    if found.delimiter is None:
        return f"{found.kind}, {found.encoding}"
    delimiter = "tab" if found.delimiter == "\t" else found.delimiter
    return f"{found.kind}, {found.encoding}, delimiter {delimiter}, columns {', '.join(found.columns)}"


def _source(site: Site, binary: BinaryIO, renames: Iterable[str]) -> str:
    """What a file is known by when the command runs again: its content, and how it is read."""
    digest = hashlib.sha256(json.dumps([site.uuid, sorted(renames)]).encode())
    binary.seek(0)
    while piece := binary.read(PIECE):
        digest.update(piece)
    return digest.hexdigest()


@dataclass(frozen=True)
class Job:
    """One file on its way into a site."""

    site: Site
    file: wire.File
    refused: Path
    as_json: bool

    def say(self, line: str) -> None:
        if not self.as_json:
            click.echo(line)

    def foresee(self) -> dict[str, Any]:
        """Says what would become of the rows."""
        with self._reading() as advance:
            counts = files.foresee(self.site, self._rows(advance, lambda _: None))
        shown = {name: counts[name] for name in OUTCOMES}
        self.say(f"Nothing is written. Would be {_listed(shown)}.")
        return shown

    def run(self, source: str) -> dict[str, Any]:
        """Reads the file into the inbox, and waits until it is applied."""
        reception = files.resume(self.site, source)
        if reception.whole:
            self.say(f"This file was read before, as import {reception.import_id}: waiting for it.")
        else:
            self._receive(reception)
        row = self._follow(reception.import_id)
        shown = {name: getattr(row, name) for name in OUTCOMES}
        self.say(f"Import {row.id} {row.status}: {_listed(shown)}.")
        if row.refused:
            self.say(f"The refused rows are in {self.refused}: correct them, and import that file as it is.")
        return {
            "import_id": str(row.id),
            "status": row.status,
            **shown,
            "refused_file": str(self.refused) if row.refused else None,
        }

    def _receive(self, reception: files.Reception) -> None:
        if reception.taken:
            self.say(f"Going on behind row {reception.taken:,}.")
        try:
            with self._reading() as advance, Refusals(self.refused, self.file) as refusals:
                reception.keep(self._rows(advance, refusals.add))
        except FormError:
            reception.discard()
            raise
        reception.accept(self.file.columns)

    @contextmanager
    def _reading(self) -> Iterator[Callable[[int], None]]:
        size = os.fstat(self.file.binary.fileno()).st_size
        with progress("Reading", size, self.as_json) as advance:
            yield advance

    def _rows(
        self, advance: Callable[[int], None], refuse: Callable[[wire.Row], None]
    ) -> Generator[wire.Row, None, None]:
        position = 0
        for number, row in enumerate(self.file.rows(addresses.identity)):
            if row.item is None:
                refuse(row)
            if number % STEP == 0:
                before, position = position, self.file.binary.tell()
                advance(position - before)
            yield row

    def _follow(self, import_id: int) -> imports.Import:
        """Waits until an import is applied; applies it itself where nobody else does."""
        row = imports.progress(self.site, import_id)
        moved, alone = time.monotonic(), False
        with progress("Applying", row.rows, self.as_json) as advance:
            advance(row.applied)
            while row.finished_at is None:
                alone = alone or time.monotonic() - moved > PATIENCE
                if not (alone and imports.drain(self.site.id, TURN)):
                    time.sleep(LOOK)
                before, row = row, imports.progress(self.site, import_id)
                if row.applied > before.applied:
                    moved = time.monotonic()
                    advance(row.applied - before.applied)
        return row


def _listed(shown: dict[str, Any]) -> str:
    return ", ".join(f"{name} {shown[name]:,}" for name in OUTCOMES)


class Refusals:
    """The file of refused rows, made with the first of them."""

    def __init__(self, path: Path, file: wire.File) -> None:
        self.path = path
        self.file = file
        self._stack = ExitStack()
        self._binary: BinaryIO | None = None

    def __enter__(self) -> "Refusals":
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def add(self, row: wire.Row) -> None:
        if self._binary is None:
            self._binary = self._stack.enter_context(self.path.open("wb"))
            self._binary.write(exports.refused_head(self.file))
        self._binary.write(exports.refused_line(self.file, row))
