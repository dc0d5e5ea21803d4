"""Tags, which are renamed, merged and deleted, and custom fields, which are added and deleted."""

from contextlib import suppress

from flask import Blueprint, Response, render_template, request

from audience.access.sites import Site
from audience.bulk import field_deletions, tag_deletions, tag_renames
from audience.console.page import actor, operator_source, page, read_form, redirect_to, validate
from audience.errors import NotFound, Refused
from audience.subscribers import custom_fields, tags
from schemas import tags as wire
from schemas.base import load
from schemas.custom_fields import NewField
from schemas.values import FieldError, FormError

blueprint = Blueprint("tags", __name__)

PAGE_SIZE = 100
NO_OTHER = "The site has no other tag with this name: type a name from the list."


@blueprint.get("/sites/<site_uuid>/tags")
@page(role="viewer")
def index(site: Site) -> str:
    """Tags and custom fields"""
    before = request.args.get("before", "")
    bound = int(before) if before.isascii() and before.isdigit() and len(before) < 16 else 2**53
    listed = tags.list_all(site, limit=PAGE_SIZE + 1, before=bound)
    return render_template(
        "tags.html",
        tags=listed[:PAGE_SIZE],
        older=listed[PAGE_SIZE - 1].id if len(listed) > PAGE_SIZE else None,
        sizes=tags.sizes(site, listed),
        busy=tag_renames.under_way(site),
        fields=custom_fields.list_all(site),
        deletions=field_deletions.open_by_key(site),
    )


@blueprint.post("/sites/<site_uuid>/tags/rename")
@page(role="manager", again=index)
def rename(site: Site) -> Response:
    """Rename a tag"""
    tag_renames.rename(site, _chosen("tag"), read_name("name"), operator_source(), actor())
    return _redirect(site, "tag-renamed")


@blueprint.post("/sites/<site_uuid>/tags/merge")
@page(role="manager", again=index)
def merge(site: Site) -> Response:
    """Merge a tag into another"""
    tag_renames.merge(site, _chosen("tag"), _other(site, read_name("into")), operator_source(), actor())
    return _redirect(site, "tag-merged")


@blueprint.post("/sites/<site_uuid>/tags/delete")
@page(role="manager", again=index)
def delete(site: Site) -> Response:
    """Delete a tag"""
    tag_deletions.delete(site, _chosen("tag"), operator_source(), actor())
    return _redirect(site, "tag-deleted")


@blueprint.post("/sites/<site_uuid>/tags/add-field")
@page(role="manager", again=index)
def add_field(site: Site) -> Response:
    """Add a custom field"""
    custom_fields.create(site, validate(NewField(), {"key": read_form().get("key", "")})["key"])
    return _redirect(site, "field-added")


@blueprint.post("/sites/<site_uuid>/tags/delete-field")
@page(role="manager", again=index)
def delete_field(site: Site) -> Response:
    """Delete a custom field"""
    field = field_deletions.begin(site, _chosen("field"), actor())
    action = field_deletions.open_by_key(site).get(field.key)
    if action is None:
        return redirect_to("console.tags.index", site_uuid=site.uuid)
    return redirect_to("console.bulk_actions.show", site_uuid=site.uuid, action_id=action.id)


def _chosen(noun: str) -> int:
    """The id in the form's field `noun`, tag or field; 0 without a number."""
    text = read_form().get(noun, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 16 else 0


def read_name(field: str) -> str:
    """The name of a tag that was typed into a field. Raises `Refused`."""
    try:
        return str(load(wire.NewTag(), {"name": read_form().get(field, "")})["name"])
    except FormError as error:
        message = error.problems[0].message
        raise Refused(message, [FieldError(field, message)]) from error


def _other(site: Site, name: str) -> int:
    """The id of the tag with a name. Raises `Refused` if there is none, or it is the chosen tag."""
    with suppress(NotFound):
        into = tags.get_by_name(site, name)
        if into.id != _chosen("tag"):
            return into.id
    raise Refused(NO_OTHER, [FieldError("into", NO_OTHER)])


def _redirect(site: Site, done: str) -> Response:
    return redirect_to("console.tags.index", site_uuid=site.uuid, done=done)
