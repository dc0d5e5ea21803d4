"""`audience site`: sites and their first keys."""

import json

import click

from audience import address_lists, sites
from audience.cli.instance import on_instance
from audience.config import Settings
from audience.errors import NotFound


@click.group()
def site() -> None:
    """Sites: each has its own people, fields, tags and keys."""


@site.command()
@click.argument("name")
@click.option("--time-zone", default="UTC", show_default=True, help="Whose days reports count by.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def create(settings: Settings, name: str, time_zone: str, as_json: bool) -> None:
    """Create a site with a key of scope full. The secret is shown once.

    Example: audience site create "My newsletter"
    """
    new = sites.create(name, time_zone)
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
    rows = [{"site_uuid": row.uuid, "name": row.name, "time_zone": row.time_zone} for row in sites.every()]
    if as_json:
        click.echo(json.dumps(rows))
    for row in () if as_json else rows:
        click.echo(f"{row['site_uuid']}  {row['name']}")


@site.command()
@click.argument("site_uuid")
@click.argument("entries", nargs=-1, required=True)
@on_instance
def allow(_: Settings, site_uuid: str, entries: tuple[str, ...]) -> None:
    """Let addresses or domains always pass validation at a site.

    Example: audience site allow 6f1c... partner.example ann@example.com
    """
    for entry in entries:
        address_lists.add(sites.named(site_uuid), "allow", entry)


@site.command()
@click.argument("site_uuid")
@click.argument("entries", nargs=-1, required=True)
@on_instance
def deny(_: Settings, site_uuid: str, entries: tuple[str, ...]) -> None:
    """Let addresses or domains never pass validation at a site.

    Example: audience site deny 6f1c... spam.example
    """
    for entry in entries:
        address_lists.add(sites.named(site_uuid), "deny", entry)


@site.command()
@click.argument("site_uuid")
@click.argument("entries", nargs=-1, required=True)
@on_instance
def unlist(_: Settings, site_uuid: str, entries: tuple[str, ...]) -> None:
    """Take addresses or domains off both lists of a site.

    Example: audience site unlist 6f1c... partner.example
    """
    for entry in entries:
        if not address_lists.remove(sites.named(site_uuid), entry):
            raise NotFound("It is on neither list: `audience site lists` shows them.")


@site.command()
@click.argument("site_uuid")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def lists(_: Settings, site_uuid: str, as_json: bool) -> None:
    """Show what is always allowed and always denied at a site.

    Example: audience site lists 6f1c...
    """
    found = vars(address_lists.of(sites.named(site_uuid)))
    if as_json:
        click.echo(json.dumps(found))
    for kind, entries in () if as_json else found.items():
        for entry in entries:
            click.echo(f"{kind:<6} {entry}")


@site.command()
@click.argument("site_uuid")
@click.argument("name")
@on_instance
def time_zone(_: Settings, site_uuid: str, name: str) -> None:
    """Set the time zone whose days a site's reports count by: a name such as Europe/Berlin.

    Example: audience site time-zone 6f1c... Europe/Berlin
    """
    sites.set_time_zone(sites.named(site_uuid), name)
    click.echo("Set.")
