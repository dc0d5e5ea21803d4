"""`audience tag`: the tags of a site."""

import click

from audience.access import audit_log
from audience.access.sites import Site
from audience.bulk import tag_renames
from audience.cli.charts import printable
from audience.cli.options import on_site
from audience.cli.output import show
from audience.config import Settings
from audience.sources import COMMAND_LINE
from audience.subscribers import tags
from schemas.values import write_date


@click.group()
def tag() -> None:
    """List, rename and merge tags."""


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


@tag.command()
@click.argument("name")
@click.argument("new_name")
@on_site
def rename(_: Settings, name: str, new_name: str, site: Site, as_json: bool) -> None:
    """Rename a tag. Subscribers, segments and forms keep the tag under its new name.

    Example: audience tag rename vip patron
    """
    from schemas import tags as wire
    from schemas.base import load

    form = load(wire.PatchTag(), {"tag": {"name": new_name}})
    tag_id = tags.get_by_name(site, name).id
    row = tag_renames.rename(site, tag_id, form["tag"]["name"], COMMAND_LINE, audit_log.COMMAND_LINE)
    show(wire.tag(row, site.id), as_json, [f"The tag is now called {printable(row.name)}."])


@tag.command()
@click.argument("name")
@click.argument("into")
@on_site
def merge(_: Settings, name: str, into: str, site: Site, as_json: bool) -> None:
    """Merge a tag into another: the subscribers of TAG get the tag INTO, and TAG is deleted.

    Example: audience tag merge VIPs vip
    """
    from schemas import tags as wire

    tag_id, into_id = (tags.get_by_name(site, text).id for text in (name, into))
    row = tag_renames.merge(site, tag_id, into_id, COMMAND_LINE, audit_log.COMMAND_LINE)
    show(wire.tag(row, site.id), as_json, [f"Its subscribers get the tag {printable(row.name)}."])
