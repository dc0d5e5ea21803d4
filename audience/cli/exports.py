"""`audience export`: the subscribers of a site, to a file or standard output (docs/files.md)."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import click

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.changes import pages as change_log_pages
from audience.cli.instance import on_instance, site_option
from audience.cli.output import as_json, show
from audience.cli.progress import progress
from audience.config import Settings
from audience.searches import exports
from audience.subscribers import stats
from schemas.exports import FORMATS, WRITERS

NO_FILE = "name a FILE to write: without one, the subscribers themselves go to standard output"
CHANGE = "The export has all changes up to {}: `audience changes --after` continues from there."


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@site_option
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="csv", show_default=True)
@click.option("--segment", "segment_id", help="Id of a segment to export.")
@as_json
@on_instance
def export(
    _: Settings, file: Path | None, site: Site, form: str, segment_id: str | None, as_json: bool
) -> None:
    """Export subscribers to FILE or standard output. `audience import` reads the file back.

    Example: audience export people.csv --site 6f1c...
    """
    if as_json and file is None:
        raise click.UsageError(NO_FILE)
    change = change_log_pages.newest_number(site)
    pages = exports.recorded_pages(site, segment_id, COMMAND_LINE)
    write = WRITERS[form]
    if file is None:
        output = sys.stdout.buffer
        for chunk in write(exports.keys(site), pages):
            output.write(chunk)
        click.echo(CHANGE.format(change), err=True)
        return
    with _complete(file) as output, progress("Exporting", stats.for_site(site).users) as advance:
        for chunk in write(exports.keys(site), _count_rows(pages, advance)):
            output.write(chunk)
    shown = {"file": str(file), "change": str(change)}
    show(shown, as_json, [f"Exported to {file}.", CHANGE.format(change)])


@contextmanager
def _complete(file: Path) -> Iterator[BinaryIO]:
    """Yields a temporary file, renamed to `file` after the block, or deleted if the block raises."""
    draft = file.with_name(f"{file.name}.part")
    try:
        with draft.open("wb") as output:
            yield output
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def _count_rows(
    pages: Iterable[exports.ExportPage], advance: Callable[[int], None]
) -> Iterator[exports.ExportPage]:
    """Yields the pages, and calls `advance` with the number of rows of each."""
    for page in pages:
        advance(len(page))
        yield page
