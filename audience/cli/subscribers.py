"""`audience subscriber`: show, export and erase one subscriber."""

import json
from typing import Any

import click

from audience import erasures, events, sites, subscribers, tags
from audience.cli.instance import on_instance
from audience.cli.options import site_option
from audience.config import Settings
from audience.errors import NotFound
from audience.sites import Site
from audience.subscribers import Subscriber
from schemas import subscribers as wire
from schemas.events import event


@click.group()
def subscriber() -> None:
    """A subscriber: show, export, erase."""


@subscriber.command()
@click.argument("email")
@site_option
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def show(settings: Settings, email: str, site_uuid: str, as_json: bool) -> None:
    """Show a subscriber.

    Example: audience subscriber show ann@example.com --site 6f1c...
    """
    site = sites.get_by_uuid(site_uuid)
    target = _require(site, email)
    resource = wire.subscriber(target, settings.base_url)
    if as_json:
        click.echo(json.dumps(resource, ensure_ascii=False))
        return
    shown = {"id": resource["id"], **resource["attributes"], "tags": ", ".join(_tags(site, target))}
    for label, value in shown.items():
        if label != "cached_tag_ids":
            click.echo(f"{label:<16} {value if isinstance(value, str) else json.dumps(value)}")


@subscriber.command()
@click.argument("email")
@site_option
@on_instance
def export(settings: Settings, email: str, site_uuid: str) -> None:
    """Print all data of a subscriber, including events, as one JSON object.

    Example: audience subscriber export ann@example.com --site 6f1c... > ann.json
    """
    site = sites.get_by_uuid(site_uuid)
    target = _require(site, email)
    everything: dict[str, Any] = {
        **wire.subscriber(target, settings.base_url),
        "tags": _tags(site, target),
        "events": [event(row) for row in events.for_subscriber(site, target)],
    }
    click.echo(json.dumps(everything, ensure_ascii=False, indent=2))


@subscriber.command()
@click.argument("email")
@site_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@on_instance
def erase(settings: Settings, email: str, site_uuid: str, yes: bool, as_json: bool) -> None:
    """Permanently erase a subscriber. Only a keyed hash is kept, so that no import adds the address again.

    Example: audience subscriber erase ann@example.com --site 6f1c...
    """
    site = sites.get_by_uuid(site_uuid)
    if not yes:
        click.confirm("Permanently erase this subscriber, with tags, values and events?", abort=True)
    known = subscribers.find(site, email) is not None
    erasures.erase(site, settings.instance, email)
    if as_json:
        click.echo(json.dumps({"erased": known}))
    else:
        click.echo("Erased." if known else "No subscriber has this address; imports will not add it.")


def _require(site: Site, email: str) -> Subscriber:
    target = subscribers.find(site, email)
    if target is None:
        raise NotFound("Subscriber not found: no subscriber of this site has this address.")
    return target


def _tags(site: Site, target: Subscriber) -> list[str]:
    names = {tag.id: tag.name for tag in tags.list_all(site)}
    return [names[tag_id] for tag_id in target.tag_ids if tag_id in names]
