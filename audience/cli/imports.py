"""`audience imports`: the imports of a site, and those that failed."""

import click

from audience import imports, sites
from audience.cli.instance import on_instance
from audience.cli.options import site_option
from audience.cli.output import as_json, show
from audience.config import Settings
from schemas.values import write_date

INSTANTS = ("created_at", "started_at", "finished_at")
LINE = (
    "{id:>6} {created_at}  {status:<9} {applied:,} of {rows:,} rows, {created:,} created, {refused:,} refused"
)


@click.group(name="imports")
def imports_group() -> None:
    """Imports: list them, retry those that failed."""


@imports_group.command(name="list")
@site_option
@as_json
@on_instance
def list_imports(_: Settings, site_uuid: str, as_json: bool) -> None:
    """List the newest imports of a site.

    Example: audience imports list
    """
    rows = [
        row._asdict() | {name: write_date(getattr(row, name)) for name in INSTANTS}
        for row in imports.newest(sites.get_by_uuid(site_uuid))
    ]
    show(rows, as_json, (LINE.format(**row) for row in rows))


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
