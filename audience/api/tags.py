"""List, create and delete tags (contract section 3)."""

from typing import Any

from flask import Blueprint

from audience import tags
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas import tags as wire

blueprint = Blueprint("tags", __name__)


@blueprint.get("/fetch/tags")
@endpoint("read", gives=wire.TagList)
def every(site: Site) -> dict[str, Any]:
    """List the tags, newest first"""
    return {"data": [wire.tag(row, site.id) for row in tags.every(site)]}


@blueprint.post("/fetch/tags")
@endpoint("full", takes=wire.CreateTag, gives=wire.TagAnswer, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Create a tag, or find the one that has the name"""
    return {"data": wire.tag(tags.create(site, form["tag"]["name"]), site.id)}


@blueprint.delete("/fetch/tags/<int(max=9223372036854775807):tag_id>")
@endpoint("full", gives=wire.DeletedTag)
def delete(site: Site, tag_id: int) -> dict[str, Any]:
    """Delete a tag and take it off everyone; the tag as it was"""
    return {"message": "The tag is deleted.", "data": wire.tag(tags.delete(site, tag_id), site.id)}
