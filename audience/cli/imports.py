"""`audience imports`: failed imports."""

import click

from audience import imports
from audience.cli.instance import on_instance
from audience.cli.output import as_json, show
from audience.config import Settings
from schemas.values import write_date


@click.group(name="imports")
def imports_group() -> None:
    """Failed imports: list and retry them."""


@imports_group.command()
@as_json
@on_instance
def failed(_: Settings, as_json: bool) -> None:
    """List the imports that failed after all retries; their rows are kept.

    Example: audience imports failed
    """
    rows = [row._asdict() | {"finished_at": write_date(row.finished_at)} for row in imports.failed()]
    show(
        rows,
        as_json,
        [f"{row['id']:>8}  {row['site_uuid']}  row {row['applied']} of {row['rows']}" for row in rows],
    )


@imports_group.command()
@click.argument("import_id", type=int)
@as_json
@on_instance
def retry(_: Settings, import_id: int, as_json: bool) -> None:
    """Queue a failed import again; it continues where it stopped.

    Example: audience imports retry 12
    """
    imports.retry(import_id)
    show({"import_id": str(import_id), "status": "queued"}, as_json, ["Queued."])
