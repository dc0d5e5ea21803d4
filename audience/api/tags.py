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
def list_tags(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """List the tags

    Lists all tags of the site, including those that nobody has. With `per_page` or `cursor`, you get one
    page.

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
def create_tag(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Create a tag

    A tag is also created automatically when a subscriber gets it. Names are compared without regard to case.

    Returns the tag, even if the site already has it.
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
def rename_tag(site: Site, form: dict[str, Any], tag_id: int) -> dict[str, Any]:
    """Rename a tag

    Subscribers keep the tag. Segments and forms that name the tag get the new name. The name of another tag
    is refused: merge the two tags instead.

    Returns the tag as it is now.
    """
    if not form["tag"]:
        return {"data": _resource(site, tag_id)}
    renamed = tag_renames.rename(site, tag_id, form["tag"]["name"], key_source(SourceKind.API), actor())
    return {"data": wire.tag(renamed, site.id)}


@blueprint.post("/fetch/tags/<number:tag_id>/merge")
@endpoint(scope="full", family="fetch", takes=wire.MergeTag, gives=wire.TagAnswer, query=False, again=AGAIN)
def merge_tags(site: Site, form: dict[str, Any], tag_id: int) -> dict[str, Any]:
    """Merge a tag into another

    The subscribers of the tag get the other tag instead, and the tag is deleted. Segments and forms that name
    the tag get the other name.

    Returns the other tag.
    """
    into = tag_renames.merge(site, tag_id, form["tag"]["into"], key_source(SourceKind.API), actor())
    return {"data": wire.tag(into, site.id)}


@blueprint.delete("/fetch/tags/<number:tag_id>")
@endpoint(
    scope="full", family="fetch", takes=wire.DeleteTag, gives=wire.DeletedTag, again=Again(_deleted_again)
)
def delete_tag(site: Site, form: dict[str, Any], tag_id: int) -> Later:
    """Delete a tag

    The tag is removed from all subscribers. Segments that name the tag stay. If you also send a name, it must
    be the tag's own.

    Returns the tag as it was.
    """
    source = key_source(SourceKind.API)
    deleted = tag_deletions.discard(site, tag_id, source, actor(), form["names"])

    def answer() -> dict[str, Any]:
        tag_deletions.remove(site, deleted, source)
        return {"message": DELETED, "data": wire.tag(deleted, site.id)}

    return Later({"id": deleted.id}, answer)
