"""`audience segment`: saved rules."""

import json
from collections.abc import Iterator
from typing import Any

import click

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.changes.targets import NOBODY
from audience.cli import output
from audience.cli.instance import on_site
from audience.cli.output import printable
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
@on_site
def list_segments(_: Settings, site: Site, as_json: bool) -> None:
    """List the segments of a site.

    Example: audience segment list --site 6f1c...
    """
    rows = segments.list_all(site)
    lines = (f"{row.id:>6}  {printable(row.name)}" for row in rows)
    output.show([wire.segment(row) for row in rows], as_json, lines)


@segment.command()
@click.argument("name")
@click.argument("rules")
@click.option("--description", default="", help="Description of the segment.")
@on_site
def create(_: Settings, name: str, rules: str, description: str, site: Site, as_json: bool) -> None:
    """Save a segment; RULES is JSON.

    Example: audience segment create "Pro users" '{"field": "plan", "is": "pro"}' --site 6f1c...
    """
    item = {"name": name, "rules": _parse(rules), "description": description}
    form = load(wire.SaveSegment(), {"segment": item})
    row = segments.create(site, form["segment"], COMMAND_LINE)
    output.show(wire.segment(row), as_json, [f"Saved segment {row.id}."])


@segment.command()
@click.argument("rules")
@on_site
def preview(_: Settings, rules: str, site: Site, as_json: bool) -> None:
    """Count the subscribers that RULES (JSON) match, and show the newest ten; nothing is saved.

    Example: audience segment preview '{"tag": "vip"}' --site 6f1c...
    """
    form = load(wire.PreviewSegment(), {"segment": {"rules": _parse(rules)}})
    matching, newest = segments.preview(site, form["segment"]["rules"])
    emails = [subscriber.email for subscriber in newest]
    lines = [_words(matching), *(f"  {printable(email)}" for email in emails)]
    output.show(counts(matching) | {"emails": emails}, as_json, lines)


@segment.command()
@click.argument("segment_id")
@on_site
def show(_: Settings, segment_id: str, site: Site, as_json: bool) -> None:
    """Count the subscribers of a segment.

    Example: audience segment show 1 --site 6f1c...
    """
    row, totals = segments.get(site, segment_id), segments.counts(site, segment_id)
    lines = [printable(row.name), row.rules, _words(totals)]
    output.show(wire.segment(row) | {"stats": counts(totals)}, as_json, lines)


@segment.command()
@click.argument("segment_id")
@click.argument("subscriber", metavar="EMAIL|UUID")
@on_site
def match(_: Settings, segment_id: str, subscriber: str, site: Site, as_json: bool) -> None:
    """Show rule by rule why a subscriber is in a segment, or is not.

    Example: audience segment match 1 ann@example.com --site 6f1c...
    """
    form = FindSubscriber().load({"email" if "@" in subscriber else "uuid": subscriber})
    matched = segment_matches.match(site, segment_id, **form)
    if matched is None and not as_json:
        raise NotFound(NOBODY)
    output.show(wire.match(matched), as_json, _tree(matched) if matched else ())


def _tree(node: dict[str, Any], depth: int = 0) -> Iterator[str]:
    """A line for each node of a rule: whether it holds, the condition, and the subscriber's value."""
    group = next((key for key in GROUPS if key in node), "")
    condition = {key: value for key, value in node.items() if key not in ("matches", "value")}
    words = group or f"{printable(compact_json(condition))}, met {printable(compact_json(node['value']))}"
    yield f"{'  ' * depth}{'yes' if node['matches'] else 'no '}  {words}"
    parts = node.get(group, ())
    for part in [parts] if group == "not" else parts:
        yield from _tree(part, depth + 1)


@segment.command()
@click.argument("segment_id")
@on_site
def delete(_: Settings, segment_id: str, site: Site, as_json: bool) -> None:
    """Delete a segment; its subscribers stay.

    Example: audience segment delete 1 --site 6f1c...
    """
    segments.delete(site, segment_id, COMMAND_LINE)
    output.show({"deleted": segment_id}, as_json, ["Deleted."])


def _parse(rules: str) -> Any:
    """The rules in a JSON text. Raises `BadParameter`."""
    try:
        return json.loads(rules)
    except (ValueError, RecursionError) as error:
        raise click.BadParameter(f"{wire.NO_JSON} Quote it for the shell.", param_hint="RULES") from error


def _words(totals: Counts) -> str:
    return (
        f"{totals.users:,} in all: {totals.subscribers:,} subscribed, {totals.unsubscribers:,} unsubscribed"
    )
