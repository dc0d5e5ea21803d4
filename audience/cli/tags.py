"""`audience tag`: the tags of a site."""

import click

from audience.access import sites
from audience.cli.charts import printable
from audience.cli.instance import on_instance
from audience.cli.options import site_option
from audience.cli.output import as_json, show
from audience.config import Settings
from audience.subscribers import tags
from schemas.values import write_date


@click.group()
def tag() -> None:
    """Tags: list them."""


@tag.command(name="list")
@site_option
@as_json
@on_instance
def list_tags(_: Settings, site_uuid: str, as_json: bool) -> None:
    """List the tags of a site, newest first.

    Example: audience tag list
    """
    rows = [
        {"id": str(row.id), "name": row.name, "created_at": write_date(row.created_at)}
        for row in tags.list_all(sites.get_by_uuid(site_uuid))
    ]
    show(rows, as_json, (f"{row['id']:>6}  {printable(str(row['name']))}" for row in rows))
