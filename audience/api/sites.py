"""List the sites of a key."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api.endpoint import endpoint
from schemas import sites as wire

blueprint = Blueprint("sites", __name__)


@blueprint.get("/fetch/sites")
@endpoint(scope="read", family="fetch", gives=wire.SiteList, site="all")
def list_sites(sites: tuple[Site, ...]) -> dict[str, Any]:
    """List the sites of a key

    Call this if you have keys but do not know the site yet. The request needs no `site_uuid`.

    Returns the sites that the key can access.
    """
    return {"data": [wire.site(site) for site in sites]}
