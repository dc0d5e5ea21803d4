"""`audience person`: all that is kept of one person, and its end."""

import json
from typing import Any

import click

from audience import erasures, events, sites, subscribers, tags
from audience.cli.instance import on_instance
from audience.config import Settings
from audience.errors import NotFound
from audience.sites import Site
from audience.subscribers import Person
from schemas import subscribers as wire
from schemas.events import event

SITE = click.option("--site", "site_uuid", required=True, help="Uuid of the site.")


@click.group()
def person() -> None:
    """One person: show, export, erase."""


@person.command()
@click.argument("email")
@SITE
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def show(settings: Settings, email: str, site_uuid: str, as_json: bool) -> None:
    """Show a person.

    Example: audience person show ann@example.com --site 6f1c...
    """
    site = sites.named(site_uuid)
    found = _found(site, email)
    resource = wire.subscriber(found, settings.base_url)
    if as_json:
        click.echo(json.dumps(resource, ensure_ascii=False))
        return
    shown = {"id": resource["id"], **resource["attributes"], "tags": ", ".join(_tags(site, found))}
    for label, value in shown.items():
        if label != "cached_tag_ids":
            click.echo(f"{label:<16} {value if isinstance(value, str) else json.dumps(value)}")


@person.command()
@click.argument("email")
@SITE
@on_instance
def export(settings: Settings, email: str, site_uuid: str) -> None:
    """Print all that is kept of a person, events included, as one JSON object.

    Example: audience person export ann@example.com --site 6f1c... > ann.json
    """
    site = sites.named(site_uuid)
    found = _found(site, email)
    everything: dict[str, Any] = {
        **wire.subscriber(found, settings.base_url),
        "tags": _tags(site, found),
        "events": [event(row) for row in events.of(site, found)],
    }
    click.echo(json.dumps(everything, ensure_ascii=False, indent=2))


@person.command()
@click.argument("email")
@SITE
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def erase(settings: Settings, email: str, site_uuid: str, yes: bool, as_json: bool) -> None:
    """Erase a person for good. Only a keyed hash stays, so that no import brings the address back.

    Example: audience person erase ann@example.com --site 6f1c...
    """
    site = sites.named(site_uuid)
    if not yes:
        click.confirm("Erase this person, with tags, values and events, for good?", abort=True)
    known = subscribers.find(site, email) is not None
    erasures.erase(site, settings.instance, email)
    if as_json:
        click.echo(json.dumps({"erased": known}))
    else:
        click.echo("Erased." if known else "Nobody has this address; an import will not create it.")


def _found(site: Site, email: str) -> Person:
    found = subscribers.find(site, email)
    if found is None:
        raise NotFound("Person not found: nobody of this site has this address.")
    return found


def _tags(site: Site, found: Person) -> list[str]:
    names = {tag.id: tag.name for tag in tags.every(site)}
    return [names[tag_id] for tag_id in found.tag_ids if tag_id in names]
