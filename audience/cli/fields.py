"""`audience field`: the custom fields of a site."""

import click

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.bulk import field_deletions
from audience.cli.charts import printable
from audience.cli.options import on_site
from audience.cli.output import show
from audience.config import Settings
from audience.subscribers import custom_fields
from schemas.values import write_date


@click.group()
def field() -> None:
    """List and delete custom fields."""


@field.command(name="list")
@on_site
def list_fields(_: Settings, site: Site, as_json: bool) -> None:
    """List the custom fields of a site, newest first.

    Example: audience field list
    """
    rows = [
        {"key": row.key, "name": custom_fields.name_of(row.key), "created_at": write_date(row.created_at)}
        for row in custom_fields.list_all(site)
    ]
    show(rows, as_json, (printable(f"{row['key']:<24} {row['name']}") for row in rows))


@field.command()
@click.argument("key")
@on_site
def delete(_: Settings, key: str, site: Site, as_json: bool) -> None:
    """Delete a custom field with its values of all subscribers. The service does this in a background job.

    Example: audience field delete plan
    """
    from schemas import custom_fields as wire

    row = field_deletions.begin(site, custom_fields.get_by_key(site, key).id, COMMAND_LINE)
    sentence = f"The field {printable(row.key)} is deleted when a job has removed its values."
    show(wire.field(row), as_json, [sentence])
