"""List, create and delete tags (contract section 3)."""

from typing import Any

from flask import Blueprint

from audience import tags
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas import tags as wire

blueprint = Blueprint("tags", __name__)


@blueprint.get("/fetch/tags")
@endpoint("read")
def every(site: Site) -> dict[str, Any]:
    return {"data": [wire.tag(row, site.id) for row in tags.every(site)]}


@blueprint.post("/fetch/tags")
@endpoint("full", takes=wire.CreateTag, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    return {"data": wire.tag(tags.create(site, form["tag"]["name"]), site.id)}


@blueprint.delete("/fetch/tags/<int(max=9223372036854775807):tag_id>")
@endpoint("full")
def delete(site: Site, tag_id: int) -> dict[str, Any]:
    return {"message": "The tag is deleted.", "data": wire.tag(tags.delete(site, tag_id), site.id)}
