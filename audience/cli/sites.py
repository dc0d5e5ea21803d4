"""`audience site`: sites, their first keys, and their lists."""

import click

from audience import address_lists, first_site, sites, stats
from audience.address_lists import Kind
from audience.cli.instance import on_instance
from audience.cli.output import as_json, show
from audience.cli.progress import ShownProgress
from audience.config import Settings
from audience.errors import NotFound
from audience.sites import NewKey, Site


@click.group()
def site() -> None:
    """Sites: each has its own people, fields, tags and keys."""


@site.command()
@click.argument("name")
@click.option("--time-zone", default="UTC", show_default=True, help="Whose days reports count by.")
@as_json
@on_instance
def create(settings: Settings, name: str, time_zone: str, as_json: bool) -> None:
    """Create a site with a key of scope full. The secret is shown once.

    Example: audience site create "My newsletter"
    """
    new = sites.create(name, time_zone)
    show_keys(settings, new, sites.create_key([new]), as_json)


def show_keys(settings: Settings, site: Site, key: NewKey, as_json: bool) -> None:
    """Prints what a client needs, as `first-site.json` has it."""
    shown = {
        "base_url": settings.base_url,
        "site_uuid": site.uuid,
        "publishable_key": key.publishable_key,
        "secret_key": key.secret_key,
    }
    show(shown, as_json, [f"{label:<16} {value}" for label, value in shown.items()])


@site.command(name="list")
@as_json
@on_instance
def list_sites(_: Settings, as_json: bool) -> None:
    """List the sites.

    Example: audience site list
    """
    rows = [{"site_uuid": row.uuid, "name": row.name, "time_zone": row.time_zone} for row in sites.every()]
    show(rows, as_json, [f"{row['site_uuid']}  {row['name']}" for row in rows])


@site.command()
@click.argument("site_uuid")
@click.option("--yes", is_flag=True, help="Do not ask.")
@as_json
@on_instance
def delete(settings: Settings, site_uuid: str, yes: bool, as_json: bool) -> None:
    """Delete a site and every trace of it: people, events, imports, lists, and the keys that reach it alone.

    Cut off, it can be typed again.

    Example: audience site delete 6f1c...
    """
    chosen = sites.named(site_uuid)
    if not yes:
        people = stats.site(chosen).users
        click.confirm(f"Delete the site {chosen.name} and its {people} people?", abort=True, err=True)
    with ShownProgress() as progress:
        deleted = sites.delete(chosen, settings.instance, progress)
    for publishable_key in deleted.keys:
        first_site.forget(settings.instance, publishable_key)
    lines = [f"Deleted {deleted.rows} rows; {len(deleted.keys)} keys revoked."]
    if not deleted.clean:
        lines.append("Others were reading: the worker empties the write-ahead log as soon as it can.")
    show(vars(deleted), as_json, lines)


@site.command()
@click.argument("site_uuid")
@click.argument("entries", nargs=-1, required=True)
@as_json
@on_instance
def allow(_: Settings, site_uuid: str, entries: tuple[str, ...], as_json: bool) -> None:
    """Let addresses or domains always pass validation at a site.

    Example: audience site allow 6f1c... partner.example ann@example.com
    """
    put(site_uuid, "allow", entries, as_json)


@site.command()
@click.argument("site_uuid")
@click.argument("entries", nargs=-1, required=True)
@as_json
@on_instance
def deny(_: Settings, site_uuid: str, entries: tuple[str, ...], as_json: bool) -> None:
    """Let addresses or domains never pass validation at a site.

    Example: audience site deny 6f1c... spam.example
    """
    put(site_uuid, "deny", entries, as_json)


def put(site_uuid: str, kind: Kind, entries: tuple[str, ...], as_json: bool) -> None:
    chosen = sites.named(site_uuid)
    for entry in entries:
        address_lists.add(chosen, kind, entry)
    show(vars(address_lists.of(chosen)), as_json, [])


@site.command()
@click.argument("site_uuid")
@click.argument("entries", nargs=-1, required=True)
@as_json
@on_instance
def unlist(_: Settings, site_uuid: str, entries: tuple[str, ...], as_json: bool) -> None:
    """Take addresses or domains off both lists of a site.

    Example: audience site unlist 6f1c... partner.example
    """
    chosen = sites.named(site_uuid)
    for entry in entries:
        if not address_lists.remove(chosen, entry):
            raise NotFound("It is on neither list: `audience site lists` shows them.")
    show(vars(address_lists.of(chosen)), as_json, [])


@site.command()
@click.argument("site_uuid")
@as_json
@on_instance
def lists(_: Settings, site_uuid: str, as_json: bool) -> None:
    """Show what is always allowed and always denied at a site.

    Example: audience site lists 6f1c...
    """
    found = vars(address_lists.of(sites.named(site_uuid)))
    show(found, as_json, [f"{kind:<6} {entry}" for kind, entries in found.items() for entry in entries])


@site.command()
@click.argument("site_uuid")
@click.argument("name")
@as_json
@on_instance
def time_zone(_: Settings, site_uuid: str, name: str, as_json: bool) -> None:
    """Set the time zone whose days a site's reports count by: a name such as Europe/Berlin.

    Example: audience site time-zone 6f1c... Europe/Berlin
    """
    sites.set_time_zone(sites.named(site_uuid), name)
    show({"time_zone": name}, as_json, ["Set."])
