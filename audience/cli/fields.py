"""`audience field`: the custom fields of a site."""

import click

from audience.access import sites
from audience.cli.charts import printable
from audience.cli.instance import on_instance
from audience.cli.options import site_option
from audience.cli.output import as_json, show
from audience.config import Settings
from audience.subscribers import custom_fields
from schemas.values import write_date


@click.group()
def field() -> None:
    """Custom fields: list them."""


@field.command(name="list")
@site_option
@as_json
@on_instance
def list_fields(_: Settings, site_uuid: str, as_json: bool) -> None:
    """List the custom fields of a site, newest first.

    Example: audience field list
    """
    rows = [
        {"key": row.key, "name": custom_fields.name_of(row.key), "created_at": write_date(row.created_at)}
        for row in custom_fields.list_all(sites.get_by_uuid(site_uuid))
    ]
    show(rows, as_json, (printable(f"{row['key']:<24} {row['name']}") for row in rows))
