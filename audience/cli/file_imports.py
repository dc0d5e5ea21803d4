"""`audience import`: a file of subscribers, through the queue of all imports (docs/files.md)."""

import fcntl
import hashlib
import json
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from audience import sites
from audience.cli.charts import printable
from audience.cli.import_jobs import Job
from audience.cli.instance import Instance, in_commands, on_instance
from audience.cli.options import site_option
from audience.config import Settings
from audience.sites import Site
from schemas import file_imports as wire
from schemas.base import FormError
from schemas.formats.date_columns import FIELD, IGNORE
from schemas.formats.dates import DMY, MDY
from schemas.formats.file_names import said_by_name
from schemas.formats.files import File, inspect
from schemas.formats.presets import PRESETS, is_named_as_left
from schemas.formats.questions import QuestionsOpen
from schemas.formats.readings import Reading
from schemas.formats.reasons import Because
from schemas.formats.refusals import FileRefused, listed
from schemas.formats.tag_questions import SEPARATORS
from schemas.tags import trimmed
from schemas.values import KnownPeople

CHUNK_SIZE = 2**20
PARTLY = 3  # exit status: some rows were refused
UNANSWERED = 2  # exit status: the file leaves questions open
WHO_LEFT = (
    "Mailchimp gives this name to a file of people who must not be written to: say so with "
    "--consent unsubscribed"
)


class Unanswered(click.ClickException):
    """A file with open questions."""

    exit_code = UNANSWERED


@click.command(name="import")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@site_option
@click.option(
    "--map",
    "meanings",
    multiple=True,
    metavar="COLUMN=WHAT",
    help="What a column, by header or place from 1, means; repeatable.",
)
@click.option("--from", "preset", type=click.Choice(list(PRESETS)), help="The program whose file it is.")
@click.option("--sheet", help="The sheet of a workbook; without it, the first.")
@click.option("--tag", "tags", multiple=True, help="A tag for everyone in the file; repeatable.")
@click.option("--consent", type=click.Choice(["unsubscribed"]), help="Everyone in the file has left.")
@click.option("--no-header", is_flag=True, help="The first row is no header: columns are 1, 2, 3, ...")
@click.option("--dates", type=click.Choice([DMY, MDY]), help="Whether the day or the month comes first.")
@click.option("--tag-separator", help="The marks between tags in place of a comma, such as ;")
@click.option(
    "--unread-dates",
    type=click.Choice([IGNORE, FIELD]),
    help="What becomes of cells that are no dates: left out, or kept as custom fields.",
)
@click.option(
    "--known",
    type=click.Choice(list(map(str, KnownPeople))),
    default=str(KnownPeople.MERGE),
    help="What may change of people who are known: everything, what is blank, or nothing.",
)
@click.option("--dry-run", is_flag=True, help="Show the outcome without writing anything.")
@click.option("--refused", type=click.Path(dir_okay=False, path_type=Path), help="File for refused rows.")
@click.option("--allow-refused", is_flag=True, help="Exit with 0 even if rows were refused.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end.")
@on_instance
def import_file(
    _: Settings,
    file: Path,
    site_uuid: str,
    meanings: tuple[str, ...],
    preset: str | None,
    sheet: str | None,
    tags: tuple[str, ...],
    consent: str | None,
    no_header: bool,
    dates: str | None,
    tag_separator: str | None,
    unread_dates: str | None,
    known: str,
    dry_run: bool,
    refused: Path | None,
    allow_refused: bool,
    as_json: bool,
) -> None:
    """Import subscribers from CSV, XLSX, JSON or JSON lines.

    If interrupted, run the same command again to continue. Refused rows are written to a file next to FILE:
    correct it and import it. Exit status: 0 all rows are in, 3 some were refused, 1 the file was.

    Example: audience import people.csv --site 6f1c... --map "Mail=email"
    """
    site = sites.get_by_uuid(site_uuid)
    if refused and refused.exists() and refused.samefile(file):
        raise click.BadParameter("choose a file other than the one to import", param_hint="--refused")
    if consent is None and is_named_as_left(file.name):
        raise click.ClickException(WHO_LEFT)
    if tag_separator is not None and not SEPARATORS.fullmatch(tag_separator):
        raise click.BadParameter("write one or more of , ; | # or :::", param_hint="--tag-separator")
    reading = Reading(
        meanings=_meanings(meanings),
        preset=preset,
        sheet=sheet,
        tags=trimmed(list(tags)),
        left=consent is not None,
        headed=not no_header,
        dates=dates,
        known=known,
        named=said_by_name(file.stem),
        zone=site.time_zone,
        unread_dates=unread_dates,
        tag_separator=tag_separator,
    )
    with _opened(file, reading) as (binary, inspected):
        job = Job(site, inspected, printable(file.name), refused or _beside(file, inspected), as_json)
        for line in _shown(file, inspected, everything=dry_run):
            job.say(line)
        shown = job.dry_run() if dry_run else job.run(_source(site, binary, reading))
    if as_json:
        click.echo(json.dumps(shown))
    if shown.get("status") == "failed":
        raise click.ClickException("the import failed: see the worker's log.")
    if (shown["refused"] or shown["suppressed"]) and not allow_refused:
        raise click.exceptions.Exit(PARTLY)


@contextmanager
def _opened(file: Path, reading: Reading) -> Iterator[tuple[BinaryIO, File]]:
    """The file, locked, and looked through."""
    instance: Instance = click.get_current_context().obj
    with file.open("rb") as binary, tempfile.TemporaryFile() as unpacked:
        _lock(binary)
        try:
            kind = wire.BY_SUFFIX.get(file.suffix.lower())
            yield binary, inspect(binary, reading, kind, instance.child_process, unpacked)
        except QuestionsOpen as error:
            raise Unanswered(error.command) from error
        except FileRefused as error:
            raise click.ClickException(error.command) from error
        except FormError as error:
            said = "; ".join(in_commands(problem.message) for problem in error.problems)
            raise click.ClickException(said) from error
        except KeyboardInterrupt:
            raise click.ClickException("interrupted: run the same command again to continue.") from None


def _lock(binary: BinaryIO) -> None:
    """Prevents two commands from continuing one import."""
    try:
        fcntl.flock(binary, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise click.ClickException("another command is importing this file: wait for it.") from None


def _meanings(options: Iterable[str]) -> dict[str, str]:
    for option in options:
        if "=" not in option:
            raise click.BadParameter("write COLUMN=WHAT, such as Mail=email", param_hint="--map")
    return dict(option.rsplit("=", 1) for option in options)


def _beside(file: Path, inspected: File) -> Path:
    return file.with_name(f"{file.stem}.refused.{'jsonl' if inspected.table.is_json else 'csv'}")


def _shown(file: Path, inspected: File, everything: bool) -> Iterator[str]:
    """How the file was understood, in lines; without `everything`, only what may surprise."""
    table = inspected.table
    delimiter = {None: "", "\t": ", delimiter tab"}.get(table.delimiter, f", delimiter {table.delimiter}")
    columns = "" if table.is_json else f", columns {listed(table.names)}"
    yield f"{printable(file.name)}: {table.kind}, {table.encoding}{delimiter}{columns}"
    if len(table.sheets) > 1:
        yield f"Only the sheet {table.sheet} is read; of {', '.join(table.sheets)} choose with --sheet."
    for column in inspected.plan:
        if everything or column.reason not in (Because.CHOSEN, Because.NAMED, Because.ALIAS, Because.CUSTOM):
            yield f"Column {column.place}, {column.name}: {column.meaning}. {column.reason}"
    if inspected.dates.forms:
        yield f"Dates without a time zone are of {inspected.reading.zone}."
    yield from inspected.advice


def _source(site: Site, binary: BinaryIO, reading: Reading) -> str:
    """Identifies a file when the command runs again: a digest of its content, site and how it is meant."""
    meant: list[Any] = [site.uuid, sorted(reading.meanings.items()), reading.preset, reading.sheet]
    meant += [list(reading.tags), reading.left, reading.headed, reading.dates]
    meant += [] if reading.known == KnownPeople.MERGE else [reading.known]
    meant += [reading.zone, reading.unread_dates, reading.tag_separator]
    digest = hashlib.sha256(json.dumps(meant).encode())
    binary.seek(0)
    while piece := binary.read(CHUNK_SIZE):
        digest.update(piece)
    return digest.hexdigest()
