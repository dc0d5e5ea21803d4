"""`audience event`: the events of a site."""

import json

import click

from audience.access.sites import Site
from audience.cli.instance import limit_option, on_instance, site_option
from audience.cli.output import as_json, printable, show
from audience.config import Settings
from audience.subscribers import events
from schemas.values import write_date


@click.group()
def event() -> None:
    """Events: list them."""


@event.command(name="list")
@site_option
@limit_option
@as_json
@on_instance
def list_events(_: Settings, site: Site, limit: int, as_json: bool) -> None:
    """List the newest events of a site.

    Example: audience event list --limit 20
    """
    rows = [
        {
            "type": row.type,
            "email": email,
            "occurred_at": write_date(row.occurred_at),
            "details": json.loads(row.details),
        }
        for row, email in events.newest(site, limit)
    ]
    show(rows, as_json, (printable(f"{row['occurred_at']}  {row['email']}  {row['type']}") for row in rows))
