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

    Lists the changes after the number `after`, oldest first, up to `limit` (100 by default, at most 1,000).
    Send `meta.next` as the next `after`: no change is skipped or repeated. Without `after`, the answer has
    only `meta`. If the record does not reach back to the number, it is refused: export the site, and continue
    from the number in the export.

    Returns the changes; `changed` has the new values. For a new subscriber, it has all present values.
    """
    links = requested_links(site, form)
    page = change_log_pages.page(site, form.get("after"), form["limit"], wire.AsText)
    return wire.page(page, links.urls_of_address, links.note) if links else wire.page(page)
