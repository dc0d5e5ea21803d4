"""List and create custom fields (spec sections 4.7 and 4.8)."""

from typing import Any

from flask import Blueprint

from audience import custom_fields
from audience.api.endpoint import endpoint
from audience.sites import Site
from schemas import custom_fields as wire

blueprint = Blueprint("custom_fields", __name__)


@blueprint.get("/fetch/fields")
@endpoint("read", takes=wire.ListFields, gives=wire.FieldList)
def every(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """List the custom fields, newest first; with `values`, also the commonest values of each"""
    values = custom_fields.common_values(site) if form["values"] else None
    return {"data": [wire.field(row, values) for row in custom_fields.every(site)]}


@blueprint.post("/fetch/fields")
@endpoint("full", takes=wire.CreateField, gives=wire.FieldAnswer, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Create a custom field, or find the one that has the key"""
    return {"data": wire.field(custom_fields.create(site, form["field"]["key"]))}
