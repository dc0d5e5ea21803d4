"""`audience import`: a file of subscribers, through the queue of all imports (docs/files.md)."""

import fcntl
import hashlib
import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import click

from audience.access.sites import Site
from audience.cli.file_questions import answers, ask_who, contradiction
from audience.cli.file_runs import FileRun
from audience.cli.instance import Instance, in_commands, on_instance, site_option
from audience.cli.output import printable
from audience.cli.wrong_calls import Answer, WholeNumber
from audience.config import Settings
from schemas import file_imports as wire
from schemas.base import SEVERAL, FormError, load
from schemas.formats.columns import MAPPED_TWICE
from schemas.formats.consent_guards import Contradicted
from schemas.formats.date_columns import FIELD
from schemas.formats.date_columns import IGNORE as LEFT_OUT
from schemas.formats.dates import DMY, MDY
from schemas.formats.files import InspectedFile, inspect
from schemas.formats.presets import PRESETS, is_file_of_unsubscribed
from schemas.formats.questions import QuestionsOpen
from schemas.formats.readings import Reading
from schemas.formats.readings import parameters as given
from schemas.formats.reasons import Because
from schemas.formats.refusals import FileRefused, listed
from schemas.formats.tables import IMPORT, SKIP
from schemas.values import STATES, SUBSCRIBED, OnExisting

CHUNK_SIZE = 2**20
PARTLY = 3  # exit status: some rows were refused
UNSUBSCRIBED_FILE = (
    "Mailchimp gives this name to a file of people who must not get emails: use --consent unsubscribed, or "
    "give the file another name"
)
EXPECTED = (Because.CHOSEN, Because.NAMED, Because.ALIAS, Because.CUSTOM, Because.KEPT)
Texts = tuple[str, ...]


class OnceCommand(click.Command):
    """A command that refuses a repeated option, unless it is repeatable."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        _, _, order = self.make_parser(ctx).parse_args([*args])
        for option, count in Counter(order).items():
            if isinstance(option, click.Option) and count > 1 and not (option.multiple or option.is_flag):
                raise click.BadOptionUsage(option.opts[0], f"{option.opts[0]}: {SEVERAL}", ctx)
        return super().parse_args(ctx, args)


@click.command(name="import", cls=OnceCommand)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@site_option
@click.option(
    "--map",
    "meanings",
    multiple=True,
    metavar="COLUMN=WHAT",
    help="What a column means; name the column by its header or number; repeatable.",
)
@click.option(
    "--from", "preset", type=click.Choice(list(PRESETS)), help="The program that exported the file."
)
@click.option("--sheet", help="The sheet of a workbook; by default, the first.")
@click.option("--tag", multiple=True, help="A tag for everyone in the file; repeatable.")
@click.option("--consent", type=Answer(STATES, ask_who), help="The consent of everyone in the file.")
@click.option("--consent-column", help="Header or number of the column that says who may be written to.")
@click.option(
    "--subscribed",
    multiple=True,
    help='A value of the consent column that means subscribed; "" stands for blank; repeatable.',
)
@click.option(
    "--unsubscribed", multiple=True, help="A value of the consent column that means unsubscribed; repeatable."
)
@click.option(
    "--unconfirmed",
    multiple=True,
    help="A value of the consent column that means not yet confirmed; repeatable.",
)
@click.option("--ignore-column", multiple=True, help="A column that says nothing about consent; repeatable.")
@click.option(
    "--answers", metavar="LINE", help="The answers that an earlier import of the same kind of file printed."
)
@click.option("--seen", multiple=True, help="A header that the file of --answers did not have; repeatable.")
@click.option("--seen-digest", help="Replaces --seen where a question lists very many headers.")
@click.option(
    "--no-header", is_flag=True, help="The first row is not a header: name the columns 1, 2, 3, ..."
)
@click.option("--dates", type=click.Choice([DMY, MDY]), help="Whether the day or the month comes first.")
@click.option("--encoding", help="The encoding of a file that is not UTF-8, such as cp1250.")
@click.option(
    "--header-row", type=WholeNumber(1), help="The number of the row that has the names of the columns."
)
@click.option(
    "--hidden-rows", type=click.Choice([IMPORT, SKIP]), help="Whether hidden rows of a workbook are imported."
)
@click.option("--tag-separator", help="What separates the tags in a cell, such as ; (default: a comma).")
@click.option(
    "--unread-dates",
    type=click.Choice([LEFT_OUT, FIELD]),
    help="Whether cells that are not dates are left out or kept as custom fields.",
)
@click.option(
    "--known",
    type=click.Choice(list(map(str, OnExisting))),
    default=str(OnExisting.MERGE),
    help="What the import may change in existing subscribers: everything, blank values, or nothing.",
)
@click.option("--dry-run", is_flag=True, help="Show the outcome without writing anything.")
@click.option("--refused", type=click.Path(dir_okay=False, path_type=Path), help="File for refused rows.")
@click.option("--allow-refused", is_flag=True, help="Exit with 0 even if rows were refused.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object at the end.")
@on_instance
def import_file(
    _: Settings,
    file: Path,
    site: Site,
    meanings: Texts,
    preset: str | None,
    no_header: bool,
    dry_run: bool,
    refused: Path | None,
    allow_refused: bool,
    as_json: bool,
    **answers: Any,
) -> None:
    """Import subscribers from CSV, XLSX, JSON or JSON lines.

    If the command is interrupted, run it again to continue. Refused rows are written to a file next to FILE:
    correct that file, and import it. Exit status: 0 all rows imported, 3 some rows refused, 1 file refused, 2
    questions to answer.

    Example: audience import people.csv --site 6f1c... --consent subscribed
    """
    if refused and refused.exists() and refused.samefile(file):
        raise click.BadParameter(
            "choose a file other than the one that you are importing", param_hint="--refused"
        )
    parameters = _parameters(answers) | {"map": _meanings(meanings)}
    parameters |= ({"header": "0"} if no_header else {}) | ({"from": preset} if preset else {})
    with _open_file(file, site, parameters, as_json) as (binary, inspected):
        job = FileRun(site, inspected, file, refused or _refused_path(file, inspected), as_json)
        for line in _describe(file, inspected, everything=dry_run):
            job.say(line)
        shown = job.dry_run() if dry_run else job.run(_source(site, binary, inspected.reading))
    if as_json:
        click.echo(json.dumps(shown))
    if shown.get("status") == "failed":
        raise click.ClickException("the import failed: see the worker's log.")
    if (shown["refused"] or shown["suppressed"]) and not allow_refused:
        raise click.exceptions.Exit(PARTLY)


def _parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters that were given; repeatable ones as lists."""
    return {
        name: list(value) if isinstance(value, tuple) else value
        for name, value in parameters.items()
        if value not in (None, ())
    }


@contextmanager
def _open_file(
    file: Path, site: Site, parameters: dict[str, Any], quiet: bool
) -> Iterator[tuple[BinaryIO, InspectedFile]]:
    """Yields an opened and locked file, and the result of its inspection with all questions answered.

    Raises `ClickException`, also in place of a `FileRefused`, `FormError` or interruption in the block.
    """
    with file.open("rb") as binary, tempfile.TemporaryFile() as unpacked:
        _lock(binary)
        try:
            yield binary, _inspect(binary, unpacked, file, site, parameters, quiet)
        except FileRefused as error:
            raise click.ClickException(error.command) from error
        except FormError as error:
            message = "; ".join(in_commands(problem.message) for problem in error.problems)
            raise click.ClickException(message) from error
        except KeyboardInterrupt:
            raise click.ClickException("interrupted: run the same command again to continue.") from None


def _inspect(
    binary: BinaryIO,
    unpacked: BinaryIO,
    file: Path,
    site: Site,
    parameters: dict[str, Any],
    quiet: bool,
) -> InspectedFile:
    """Inspects a file, and asks its open questions at the terminal.

    Raises `ClickException`, also if there are questions but no terminal.
    """
    context = click.get_current_context()
    instance: Instance = context.obj
    dry_run = ["--dry-run"] if context.params["dry_run"] else []
    command = ["audience", "import", str(file), "--site", site.uuid, *dry_run]
    kind = wire.BY_SUFFIX.get(file.suffix.lower())
    while True:
        reading = wire.reading(load(wire.ImportFile(), parameters), site.time_zone)
        if reading.consent == SUBSCRIBED and is_file_of_unsubscribed(file.name):
            raise click.ClickException(UNSUBSCRIBED_FILE)
        try:
            return inspect(binary, reading, kind, instance.child_process, unpacked)
        except QuestionsOpen as error:
            parameters = _merge_answers(parameters, answers(error, command, given(reading), quiet))
            unpacked.seek(0)
            unpacked.truncate()
        except Contradicted as error:
            raise click.ClickException(contradiction(error, command, given(reading))) from error


def _merge_answers(parameters: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters, overridden by `more`. Values for a consent status are added to its earlier ones."""
    states = {name: [*parameters.get(name, ()), *more[name]] for name in STATES if name in more}
    return {**parameters, **more, **states}


def _lock(binary: BinaryIO) -> None:
    """Locks a file, so that no second command continues its import. Raises `ClickException`."""
    try:
        fcntl.flock(binary, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise click.ClickException("another command is importing this file: wait for it.") from None


def _meanings(options: Iterable[str]) -> dict[str, str]:
    """The meaning of each column, from options such as `Mail=email`. Raises `BadParameter`."""
    meanings: dict[str, str] = {}
    for option in options:
        column, mark, what = option.rpartition("=")
        if not mark:
            raise click.BadParameter("write COLUMN=WHAT, such as Mail=email", param_hint="--map")
        if meanings.setdefault(column, what) != what:
            raise click.BadParameter(FileRefused(MAPPED_TWICE).command, param_hint="--map")
    return meanings


def _refused_path(file: Path, inspected: InspectedFile) -> Path:
    """The path of the file of refused rows, next to `file`."""
    return file.with_name(f"{file.stem}.refused.{'jsonl' if inspected.table.is_json else 'csv'}")


def _describe(file: Path, inspected: InspectedFile, everything: bool) -> Iterator[str]:
    """Yields lines on how the file was understood; unless `everything`, on columns that may surprise."""
    table = inspected.table
    delimiter = {None: "", "\t": ", delimiter tab"}.get(table.delimiter, f", delimiter {table.delimiter}")
    columns = "" if table.is_json else f", columns {listed(table.names)}"
    yield f"{printable(file.name)}: {table.kind}, {table.encoding}{delimiter}{columns}"
    if len(table.sheets) > 1:
        sheets = ", ".join(table.sheets)
        yield f"Only the sheet {table.sheet} is read; choose another of {sheets} with --sheet."
    for column in inspected.plan:
        if everything or column.reason not in EXPECTED:
            yield f"Column {column.position}, {column.name}: {column.meaning}. {column.reason}"
    if inspected.dates.forms:
        yield f"Dates without a time zone are read as {inspected.reading.zone}."
    yield from inspected.advice


def _source(site: Site, binary: BinaryIO, reading: Reading) -> str:
    """A digest of a file's content, site and parameters, by which a repeated command finds its import."""
    digest = hashlib.sha256(json.dumps([site.uuid, reading.zone, *given(reading)]).encode())
    binary.seek(0)
    while chunk := binary.read(CHUNK_SIZE):
        digest.update(chunk)
    return digest.hexdigest()
