"""`audience export`: everyone of a site, into a file or to standard output (docs/files.md)."""

import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import click

from audience import exports, sites, stats
from audience.cli.instance import on_instance
from audience.cli.output import as_json, show
from audience.cli.progress import progress
from audience.config import Settings
from schemas.exports import FORMATS, WRITERS


@click.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@click.option("--site", "site_uuid", required=True, help="Uuid of the site.")
@click.option("--format", "form", type=click.Choice(list(FORMATS)), default="csv", show_default=True)
@click.option("--segment", "segment_id", help="Only the people of this segment, by its id.")
@as_json
@on_instance
def export(
    _: Settings, file: Path | None, site_uuid: str, form: str, segment_id: str | None, as_json: bool
) -> None:
    """Export people to FILE, or to standard output. `audience import` takes them in again.

    Example: audience export people.csv --site 6f1c...
    """
    site = sites.named(site_uuid)
    pages = exports.people(site, segment_id)
    write = WRITERS[form]
    if file is None:
        output = sys.stdout.buffer
        for piece in write(exports.keys(site), pages):
            output.write(piece)
        return
    draft = file.with_name(f"{file.name}.part")
    with draft.open("wb") as output, progress("Exporting", stats.site(site).users) as advance:
        for piece in write(exports.keys(site), _counted(pages, advance)):
            output.write(piece)
    draft.replace(file)
    show({"file": str(file)}, as_json, [f"The people of the site are in {file}."])


def _counted(pages: Iterable[exports.Page], advance: Callable[[int], None]) -> Iterator[exports.Page]:
    for page in pages:
        advance(len(page))
        yield page
