"""List, create and delete tags."""

from typing import Any

from flask import Blueprint

from audience import tags
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas import tags as wire

blueprint = Blueprint("tags", __name__)


@blueprint.get("/fetch/tags")
@endpoint(scope="read", family="fetch", gives=wire.TagList)
def list_all(site: Site) -> dict[str, Any]:
    """List the tags, newest first"""
    return {"data": [wire.tag(row, site.id) for row in tags.list_all(site)]}


@blueprint.post("/fetch/tags")
@endpoint(scope="full", family="fetch", takes=wire.CreateTag, gives=wire.TagAnswer, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Create a tag, or return the one with that name"""
    return {"data": wire.tag(tags.create(site, form["tag"]["name"]), site.id)}


@blueprint.delete("/fetch/tags/<int(max=9223372036854775807):tag_id>")
@endpoint(scope="full", family="fetch", gives=wire.DeletedTag)
def delete(site: Site, tag_id: int) -> dict[str, Any]:
    """Delete a tag, remove it from all subscribers, and return it"""
    return {"message": "The tag is deleted.", "data": wire.tag(tags.delete(site, tag_id), site.id)}
