"""`audience tag`: the tags of a site."""

import click

from audience.access.sites import Site
from audience.cli.charts import printable
from audience.cli.options import on_site
from audience.cli.output import show
from audience.config import Settings
from audience.subscribers import tags
from schemas.values import write_date


@click.group()
def tag() -> None:
    """Tags: list them."""


@tag.command(name="list")
@on_site
def list_tags(_: Settings, site: Site, as_json: bool) -> None:
    """List the tags of a site, newest first.

    Example: audience tag list
    """
    rows = [
        {"id": str(row.id), "name": row.name, "created_at": write_date(row.created_at)}
        for row in tags.list_all(site)
    ]
    show(rows, as_json, (f"{row['id']:>6}  {printable(str(row['name']))}" for row in rows))
