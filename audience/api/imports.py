"""Import subscribers in batches, and follow imports."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import endpoint
from audience.api.repeats import Again, Ids, Later
from audience.http.services import services, settings
from audience.imports import imports
from audience.imports.imports import StoredImport
from schemas import imports as wire

blueprint = Blueprint("imports", __name__)


def _again(ids: Ids, site: Site, form: dict[str, Any]) -> dict[str, Any]:
    rows: wire.ImportRows = form["subscribers"]
    errors = repeats.all_errors(ids["errors"], rows.problems)
    inline_rows = settings().import_inline_rows
    return _answer(site, imports.rebuild_stored(site, ids["import_id"], rows.items, errors, inline_rows))


def _answer(site: Site, import_: StoredImport) -> dict[str, Any]:
    return wire.answer(imports.outcome(site, import_, services().import_queue))


@blueprint.post("/batch/subscribers")
@endpoint(
    scope="full",
    family="batch",
    takes=wire.ImportSubscribers,
    batch=True,
    gives=wire.Accepted,
    query=False,
    again=Again(_again),
)
def import_subscribers(site: Site, form: dict[str, Any]) -> Later:
    """Import 1 to 1,000 subscribers

    Each item has the keys of a subscriber to create. Further keys are custom values, and `command` may
    subscribe or unsubscribe. If an item is refused, the others are still imported. A single accepted item is
    written before the answer is sent; several are queued on disk and applied in the order of acceptance.

    Returns how many items were accepted and refused, why, and the id of the import.
    """
    rows: wire.ImportRows = form["subscribers"]
    import_ = imports.store(site, rows.items, rows.problems, settings().import_inline_rows)
    errors = repeats.kept_errors(import_.errors, rows.problems)
    return Later({"import_id": import_.id, "errors": errors}, lambda: _answer(site, import_))


@blueprint.get("/batch/imports/<number:import_id>")
@endpoint(scope="read", family="batch", gives=wire.ImportAnswer)
def get_import(site: Site, import_id: int) -> dict[str, Any]:
    """Follow an import

    `status` changes from `queued` to `running`, and then to `finished` or `failed`. While a file is still
    arriving, it is `receiving`.

    Returns the import with its counts so far.
    """
    return {"data": wire.import_(imports.progress(site, import_id))}


@blueprint.get("/batch/imports")
@endpoint(scope="read", family="batch", gives=wire.ImportList)
def list_imports(site: Site) -> dict[str, Any]:
    """List the newest imports

    Lists at most 100 imports, from requests and files.

    Returns the imports, newest first.
    """
    return {"data": [wire.import_(row) for row in imports.newest(site)]}
