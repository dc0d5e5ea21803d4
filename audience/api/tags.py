"""List, create, rename, merge and delete tags."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import actor, endpoint, key_source
from audience.api.repeats import Again, Ids, Later
from audience.bulk import tag_deletions, tag_renames
from audience.sources import SourceKind
from audience.subscribers import tags
from schemas import tags as wire
from schemas.pages import PagedList, list_answer, rows_asked

blueprint = Blueprint("tags", __name__)

DELETED = "The tag is deleted."


def _resource(site: Site, tag_id: int) -> dict[str, Any]:
    return wire.tag(tags.get(site, tag_id), site.id)


AGAIN = repeats.resource(_resource)


def _deleted_again(_ids: Ids, **_: Any) -> dict[str, Any]:
    return {"message": DELETED, "data": None}


@blueprint.get("/fetch/tags")
@endpoint(scope="read", family="fetch", takes=PagedList, gives=wire.TagList)
def list_all(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """List the tags

    All tags of the site, also those that nobody has; with `per_page` or `cursor`, a page of them.

    Returns the tags, newest first.
    """
    return list_answer(
        form, "tags", [wire.tag(row, site.id) for row in tags.list_all(site, **rows_asked(form, "tags"))]
    )


@blueprint.post("/fetch/tags")
@endpoint(
    scope="full",
    family="fetch",
    takes=wire.CreateTag,
    gives=wire.TagAnswer,
    query=False,
    status=201,
    again=AGAIN,
)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Create a tag

    Giving a tag to a subscriber creates it by itself. Names are compared without regard to case.

    Returns the tag, also if the site has it already.
    """
    return {"data": wire.tag(tags.create(site, form["tag"]["name"]), site.id)}


@blueprint.patch("/fetch/tags/<number:tag_id>")
@endpoint(
    scope="full",
    family="fetch",
    takes=wire.PatchTag,
    gives=wire.TagAnswer,
    query=False,
    again=AGAIN,
    atomic=True,
)
def change(site: Site, form: dict[str, Any], tag_id: int) -> dict[str, Any]:
    """Rename a tag

    Subscribers keep it. Segments and forms that name it get the new name. Another tag's name is refused:
    merge the tag into that one.

    Returns the tag as it is now.
    """
    if not form["tag"]:
        return {"data": _resource(site, tag_id)}
    renamed = tag_renames.rename(site, tag_id, form["tag"]["name"], key_source(SourceKind.API), actor())
    return {"data": wire.tag(renamed, site.id)}


@blueprint.post("/fetch/tags/<number:tag_id>/merge")
@endpoint(scope="full", family="fetch", takes=wire.MergeTag, gives=wire.TagAnswer, query=False, again=AGAIN)
def merge(site: Site, form: dict[str, Any], tag_id: int) -> dict[str, Any]:
    """Merge a tag into another

    Its subscribers get the other tag in its place, and it is deleted. Segments and forms that name it get the
    other name.

    Returns the other tag.
    """
    into = tag_renames.merge(site, tag_id, form["tag"]["into"], key_source(SourceKind.API), actor())
    return {"data": wire.tag(into, site.id)}


@blueprint.delete("/fetch/tags/<number:tag_id>")
@endpoint(
    scope="full", family="fetch", takes=wire.DeleteTag, gives=wire.DeletedTag, again=Again(_deleted_again)
)
def delete(site: Site, form: dict[str, Any], tag_id: int) -> Later:
    """Delete a tag

    It is taken from all subscribers. Segments that name it stay. A name that is sent, too, must be its own.

    Returns the tag as it was.
    """
    source = key_source(SourceKind.API)
    deleted = tag_deletions.discard(site, tag_id, source, actor(), form["names"])

    def answer() -> dict[str, Any]:
        tag_deletions.remove(site, deleted, source)
        return {"message": DELETED, "data": wire.tag(deleted, site.id)}

    return Later({"id": deleted.id}, answer)
