"""`audience site`: sites and their first keys."""

import json

import click

from audience import sites
from audience.cli.instance import on_instance
from audience.config import Settings


@click.group()
def site() -> None:
    """Sites: each has its own people, fields, tags and keys."""


@site.command()
@click.argument("name")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def create(settings: Settings, name: str, as_json: bool) -> None:
    """Create a site with a key of scope full. The secret is shown once.

    Example: audience site create "My newsletter"
    """
    new = sites.create(name)
    key = sites.create_key([new])
    shown = {
        "base_url": settings.base_url,
        "site_uuid": new.uuid,
        "publishable_key": key.publishable_key,
        "secret_key": key.secret_key,
    }
    if as_json:
        click.echo(json.dumps(shown))
    else:
        for label, value in shown.items():
            click.echo(f"{label:<16} {value}")


@site.command(name="list")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON array.")
@on_instance
def list_sites(_: Settings, as_json: bool) -> None:
    """List the sites.

    Example: audience site list
    """
    rows = [{"site_uuid": row.uuid, "name": row.name} for row in sites.every()]
    if as_json:
        click.echo(json.dumps(rows))
    for row in () if as_json else rows:
        click.echo(f"{row['site_uuid']}  {row['name']}")
