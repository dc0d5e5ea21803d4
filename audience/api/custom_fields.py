"""List, create and delete custom fields."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import actor, endpoint
from audience.api.repeats import Again, Ids
from audience.bulk import field_deletions
from audience.subscribers import custom_fields
from schemas import custom_fields as wire
from schemas.pages import list_answer, rows_asked

blueprint = Blueprint("custom_fields", __name__)


DELETED = "The field is deleted once a job has removed its values."


def _deleted_again(_ids: Ids, **_: Any) -> dict[str, Any]:
    return {"message": DELETED, "data": None}


def _resource(site: Site, field_id: int) -> dict[str, Any] | None:
    row = custom_fields.find(site, field_id)
    return row and wire.field(row)


@blueprint.get("/fetch/fields")
@endpoint(scope="read", family="fetch", takes=wire.ListFields, gives=wire.FieldList)
def list_fields(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """List the custom fields

    With `values`, each field has its 20 most common values among the newest 10,000 subscribers. With
    `per_page` or `cursor`, you get one page of the fields.

    Returns the fields, newest first.
    """
    values = custom_fields.common_values(site) if form["values"] else None
    rows = custom_fields.list_all(site, **rows_asked(form, "fields"))
    return list_answer(form, "fields", [wire.field(row, values) for row in rows])


@blueprint.post("/fetch/fields")
@endpoint(
    scope="full",
    family="fetch",
    takes=wire.CreateField,
    gives=wire.FieldAnswer,
    query=False,
    status=201,
    again=repeats.resource(_resource),
)
def create_field(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Create a custom field

    A value with an unknown key creates its field automatically. The name of the field is made from the key.

    Returns the field, even if the site already has it.
    """
    return {"data": wire.field(custom_fields.create(site, form["field"]["key"]))}


@blueprint.delete("/fetch/fields/<number:field_id>")
@endpoint(scope="full", family="fetch", gives=wire.DeletedField, again=Again(_deleted_again))
def delete_field(site: Site, field_id: int) -> dict[str, Any]:
    """Delete a custom field

    A job removes the field's values from all subscribers, including values that are set meanwhile. Then the
    field is deleted. You cannot delete a field that a segment, a report or a form uses.

    Returns the field as it was.
    """
    return {"message": DELETED, "data": wire.field(field_deletions.begin(site, field_id, actor()))}
