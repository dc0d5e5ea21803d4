"""The site resource (docs/endpoints.md)."""

from typing import Any

import marshmallow as ma

from schemas.base import describe
from schemas.responses import Date, ResponseSchema, dump, listing, resource, string


class SiteAttributes(ResponseSchema):
    uuid = ma.fields.UUID(**describe("What other requests send as `site_uuid`."))
    name = ma.fields.String()
    time_zone = string("A name of the IANA database.")
    created_at = Date()


SiteSchema = resource("Site", "sites", SiteAttributes)
SiteList = listing("SiteList", SiteSchema)


def site(row: Any) -> dict[str, Any]:
    return dump("sites", SiteAttributes, row)
