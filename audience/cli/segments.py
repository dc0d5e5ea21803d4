"""`audience segment`: saved rules."""

import json
from collections.abc import Iterator
from typing import Any

import click

from audience.access import sites
from audience.access.audit_log import COMMAND_LINE
from audience.changes.targets import NOBODY
from audience.cli import output
from audience.cli.charts import printable
from audience.cli.instance import on_instance
from audience.cli.options import site_option
from audience.cli.output import as_json
from audience.config import Settings
from audience.errors import NotFound
from audience.segments import matches as segment_matches
from audience.segments import segments
from audience.segments.subjects import GROUPS
from audience.subscribers.stats import Counts
from schemas import segments as wire
from schemas.base import load
from schemas.stats import counts
from schemas.subscribers import FindSubscriber
from schemas.values import compact_json


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
    row = segments.create(sites.get_by_uuid(site_uuid), form["segment"], COMMAND_LINE)
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
@click.argument("subscriber", metavar="EMAIL|UUID")
@site_option
@as_json
@on_instance
def match(_: Settings, segment_id: str, subscriber: str, site_uuid: str, as_json: bool) -> None:
    """Tell why a subscriber is in a segment, or is not, rule by rule.

    Example: audience segment match 1 ann@example.com --site 6f1c...
    """
    form = FindSubscriber().load({"email" if "@" in subscriber else "uuid": subscriber})
    matched = segment_matches.match(sites.get_by_uuid(site_uuid), segment_id, **form)
    if as_json:
        click.echo(json.dumps(wire.match(matched)))
    elif matched is None:
        raise NotFound(NOBODY)
    for line in () if as_json or matched is None else _tree(matched):
        click.echo(line)


def _tree(node: dict[str, Any], depth: int = 0) -> Iterator[str]:
    """A line for each rule."""
    group = next((key for key in GROUPS if key in node), "")
    condition = {key: value for key, value in node.items() if key not in ("matches", "value")}
    words = group or f"{printable(compact_json(condition))}, met {printable(compact_json(node['value']))}"
    yield f"{'  ' * depth}{'yes' if node['matches'] else 'no '}  {words}"
    parts = node.get(group, ())
    for part in [parts] if group == "not" else parts:
        yield from _tree(part, depth + 1)


@segment.command()
@click.argument("segment_id")
@site_option
@as_json
@on_instance
def delete(_: Settings, segment_id: str, site_uuid: str, as_json: bool) -> None:
    """Delete a segment; its subscribers stay.

    Example: audience segment delete 1 --site 6f1c...
    """
    segments.delete(sites.get_by_uuid(site_uuid), segment_id, COMMAND_LINE)
    output.show({"deleted": segment_id}, as_json, ["Deleted."])


def _parsed(rules: str) -> Any:
    try:
        return json.loads(rules)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"{wire.NO_JSON} Quote it for the shell.", param_hint="RULES") from error


def _show(totals: Counts) -> None:
    click.echo(
        f"{totals.users:,} in all: {totals.subscribers:,} subscribed, {totals.unsubscribers:,} unsubscribed"
    )
