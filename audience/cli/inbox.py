"""`audience imports`: imports that were given up."""

import click

from audience import imports
from audience.cli.instance import on_instance
from audience.cli.output import as_json, show
from audience.config import Settings
from schemas.wire import date


@click.group(name="imports")
def inbox() -> None:
    """Imports that have failed: list them, try them again."""


@inbox.command()
@as_json
@on_instance
def failed(_: Settings, as_json: bool) -> None:
    """List the imports that failed five times; their rows are kept.

    Example: audience imports failed
    """
    rows = [each._asdict() | {"finished_at": date(each.finished_at)} for each in imports.failed()]
    show(
        rows,
        as_json,
        [f"{row['id']:>8}  {row['site_uuid']}  row {row['applied']} of {row['rows']}" for row in rows],
    )


@inbox.command()
@click.argument("import_id", type=int)
@as_json
@on_instance
def retry(_: Settings, import_id: int, as_json: bool) -> None:
    """Put a failed import back into the queue; a worker takes it up where it left off.

    Example: audience imports retry 12
    """
    imports.retry(import_id)
    show({"import_id": str(import_id), "status": "queued"}, as_json, ["Queued again."])
