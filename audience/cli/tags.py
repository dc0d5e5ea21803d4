"""`audience tag` and `audience field`: the tags and custom fields of a site."""

import click

from audience.access import audit_log
from audience.access.sites import Site
from audience.bulk import field_deletions, tag_renames
from audience.cli.instance import on_site
from audience.cli.output import printable, show
from audience.config import Settings
from audience.sources import COMMAND_LINE
from audience.subscribers import custom_fields, tags
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


@click.group()
def field() -> None:
    """List, add and delete custom fields."""


@field.command(name="list")
@on_site
def list_fields(_: Settings, site: Site, as_json: bool) -> None:
    """List the custom fields of a site, newest first.

    Example: audience field list
    """
    rows = [
        {"key": row.key, "name": custom_fields.name_of(row.key), "created_at": write_date(row.created_at)}
        for row in custom_fields.list_all(site)
    ]
    show(rows, as_json, (printable(f"{row['key']:<24} {row['name']}") for row in rows))


@field.command()
@click.argument("key")
@on_site
def add(_: Settings, key: str, site: Site, as_json: bool) -> None:
    """Add a custom field that forms can ask for. An import adds those of its columns by itself.

    Example: audience field add city
    """
    from schemas import custom_fields as fields_wire
    from schemas.base import load

    row = custom_fields.create(site, load(fields_wire.NewField(), {"key": key})["key"])
    show(fields_wire.field(row), as_json, [f"The site has the field {printable(row.key)}."])


@field.command()
@click.argument("key")
@on_site
def delete(_: Settings, key: str, site: Site, as_json: bool) -> None:
    """Delete a custom field with its values of all subscribers. The service does this in a background job.

    Example: audience field delete plan
    """
    from schemas import custom_fields as fields_wire

    field_id = custom_fields.get_by_key(site, key).id
    row = field_deletions.begin(site, field_id, audit_log.COMMAND_LINE)
    sentence = f"The field {printable(row.key)} is deleted when a job has removed its values."
    show(fields_wire.field(row), as_json, [sentence])
