"""`audience segment`: saved rules."""

import json
from typing import Any

import click

from audience import segments, sites
from audience.cli import output
from audience.cli.charts import printable
from audience.cli.instance import on_instance
from audience.cli.options import site_option
from audience.cli.output import as_json
from audience.config import Settings
from audience.stats import Counts
from schemas import segments as wire
from schemas.base import load
from schemas.stats import counts


@click.group()
def segment() -> None:
    """Segments: saved rules that match subscribers. docs/segments.md explains the rules."""


@segment.command(name="list")
@site_option
@as_json
@on_instance
def list_segments(_: Settings, site_uuid: str, as_json: bool) -> None:
    """List the segments of a site.

    Example: audience segment list --site 6f1c...
    """
    rows = segments.list_all(sites.get_by_uuid(site_uuid))
    if as_json:
        click.echo(json.dumps([wire.segment(row) for row in rows]))
    for row in () if as_json else rows:
        click.echo(f"{row.id:>6}  {printable(row.name)}")


@segment.command()
@click.argument("name")
@click.argument("rules")
@click.option("--description", default="", help="Description of the segment.")
@site_option
@as_json
@on_instance
def create(_: Settings, name: str, rules: str, description: str, site_uuid: str, as_json: bool) -> None:
    """Save a segment; RULES is JSON.

    Example: audience segment create "Pro users" '{"field": "plan", "is": "pro"}' --site 6f1c...
    """
    item = {"name": name, "rules": _parsed(rules), "description": description}
    form = load(wire.SaveSegment(), {"segment": item})
    row = segments.create(sites.get_by_uuid(site_uuid), form["segment"])
    click.echo(json.dumps(wire.segment(row)) if as_json else f"Saved segment {row.id}.")


@segment.command()
@click.argument("rules")
@site_option
@as_json
@on_instance
def preview(_: Settings, rules: str, site_uuid: str, as_json: bool) -> None:
    """Count the subscribers that RULES (JSON) match, and show the newest ten; nothing is saved.

    Example: audience segment preview '{"tag": "vip"}' --site 6f1c...
    """
    form = load(wire.PreviewSegment(), {"segment": {"rules": _parsed(rules)}})
    matching, newest = segments.preview(sites.get_by_uuid(site_uuid), form["segment"]["rules"])
    emails = [subscriber.email for subscriber in newest]
    if as_json:
        click.echo(json.dumps(counts(matching) | {"emails": emails}))
        return
    _show(matching)
    for email in emails:
        click.echo(f"  {printable(email)}")


@segment.command()
@click.argument("segment_id")
@site_option
@as_json
@on_instance
def show(_: Settings, segment_id: str, site_uuid: str, as_json: bool) -> None:
    """Count the subscribers of a segment.

    Example: audience segment show 1 --site 6f1c...
    """
    site = sites.get_by_uuid(site_uuid)
    row, totals = segments.get(site, segment_id), segments.counts(site, segment_id)
    if as_json:
        click.echo(json.dumps(wire.segment(row) | {"stats": counts(totals)}))
        return
    click.echo(f"{printable(row.name)}\n{row.rules}")
    _show(totals)


@segment.command()
@click.argument("segment_id")
@site_option
@as_json
@on_instance
def delete(_: Settings, segment_id: str, site_uuid: str, as_json: bool) -> None:
    """Delete a segment; its subscribers stay.

    Example: audience segment delete 1 --site 6f1c...
    """
    segments.delete(sites.get_by_uuid(site_uuid), segment_id)
    output.show({"deleted": segment_id}, as_json, ["Deleted."])


def _parsed(rules: str) -> Any:
    try:
        return json.loads(rules)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter("RULES must be JSON; quote it for the shell.") from error


def _show(totals: Counts) -> None:
    click.echo(
        f"{totals.users:,} in all: {totals.subscribers:,} subscribed, {totals.unsubscribers:,} unsubscribed"
    )
