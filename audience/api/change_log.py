"""Read the record of changes."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api.endpoint import endpoint
from audience.api.links import requested_links
from audience.changes import pages as change_log_pages
from schemas import change_log as wire

blueprint = Blueprint("change_log", __name__)


@blueprint.get("/fetch/changes")
@endpoint(scope="read", family="fetch", takes=wire.ListChanges, gives=wire.ChangeList)
def list_changes(site: Site, form: dict[str, Any]) -> bytes:
    """List what changed

    The changes after the number `after`, oldest first, up to `limit` (100, at most 1,000). Go on from
    `meta.next`: nothing is skipped, nothing repeated. Without `after`, only `meta` is answered. A number that
    the record does not reach is refused: export the site, and continue from the number that the export has.

    Returns the changes; `changed` has the new values, of somebody new all of them as they are now.
    """
    links = requested_links(site, form)
    page = change_log_pages.page(site, form.get("after"), form["limit"], wire.AsText)
    return wire.page(page, links.urls_of_address, links.note) if links else wire.page(page)
