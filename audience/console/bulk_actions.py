"""Bulk actions: subscribers are chosen in the list, the action is confirmed, and its progress shown."""

from operator import attrgetter
from typing import Any

from flask import Blueprint, Response, render_template, request

from audience import clock
from audience.access import audit_log
from audience.access.sites import Site
from audience.bulk import actions as bulk_actions
from audience.bulk.actions import CHOSEN, ERASE, EXPORT, SAID, BulkAction, NewAction
from audience.console import links, undone
from audience.console.list_filters import Filters, filters, in_words, kept_words, read_search_text
from audience.console.page import actor, attachment, page, read_form, redirect_to
from audience.console.sent_once import AGAIN, earlier_result, make_once, token_of
from audience.console.subscribers import list_request
from audience.console.tags import read_name
from audience.errors import Refused
from audience.searches import exports
from audience.searches import lists as subscriber_lists
from audience.searches.lists import PAGE_SIZE
from audience.segments import segments
from audience.subscribers import tags
from audience.undo import undos
from schemas import exports as wire
from schemas.values import FieldError, trim

blueprint = Blueprint("bulk_actions", __name__)

VERBS = {
    "tag": "Tag", "untag": "Untag", "unsubscribe": "Unsubscribe", "erase": "Erase", "export": "Export",
    "remove_field": "Delete a field of",
}  # fmt: skip
DONE = {
    "tag": "tagged", "untag": "untagged", "unsubscribe": "unsubscribed", "erase": "erased",
    "export": "ready to download, selected", "remove_field": "without the field",
}  # fmt: skip
LEFT_OUT = {
    "tag": "had the tag already", "untag": "did not have the tag",
    "unsubscribe": "had unsubscribed already",
    "erase": "were erased already", "remove_field": "did not have the field",
}  # fmt: skip
TYPE_NUMBER = "Type the number of subscribers to erase, as shown above."


@blueprint.get("/sites/<site_uuid>/acts")
@page(role="viewer")
def index(site: Site) -> str:
    """Bulk actions"""
    return render_template(
        "bulk_actions.html",
        actions=bulk_actions.newest(site),
        undone=undos.bulk_action_statuses(site),
        **_words(),
    )


@blueprint.get("/sites/<site_uuid>/acts/<number:action_id>")
@page(role="viewer")
def show(site: Site, action_id: int) -> str:
    """A bulk action"""
    action = bulk_actions.get(site, action_id)
    more = undone.undo_parts(site, undos.bulk_action_source(action_id), offered=undos.may_be_undone(action))
    more |= _pace(action) if action.is_open else {}
    more |= {"downloads": bulk_actions.downloads(site, action)} if action.kind == EXPORT else {}
    return render_template(
        "bulk_action.html", action=action, ends=bulk_actions.download_until(action), **more, **_words()
    )


@blueprint.post("/sites/<site_uuid>/subscribers/chosen")
@page(role="manager")
def choose(site: Site) -> str:
    """Asks to confirm a bulk action on the selected subscribers, or on the whole list"""
    kind = read_form().get("act", "")
    if kind not in CHOSEN:
        raise Refused(bulk_actions.UNKNOWN)
    ids, uuids = _selection(site)
    names = [tag.name for tag in tags.list_all(site)]
    query = request.query_string.decode("ascii", "ignore")
    digest, found_by = bulk_actions.fingerprint(ids), in_words(*_list_filter(site), _segment_names(site))
    chosen = {"kind": kind, "people": len(ids), "seen": digest, "uuids": uuids, "query": query, "tags": names}
    token = token_of(kind, digest)
    return render_template("bulk_action_new.html", **chosen, token=token, found_by=found_by, **_words())


@blueprint.post("/sites/<site_uuid>/acts")
@page(role="manager", again=choose)
def begin(site: Site) -> Response:
    """Begin a bulk action"""
    form = read_form()
    tag = read_name("tag") if trim(form.get("tag", "")) else ""
    if earlier_id := earlier_result(tag):
        return _redirect(site, earlier_id, AGAIN)
    kind, (ids, _) = form.get("act", ""), _selection(site)
    if kind == ERASE and form.get("typed", "").replace(",", "").strip() != str(len(ids)):
        raise Refused(TYPE_NUMBER, [FieldError("typed", TYPE_NUMBER)])
    words, typed = _filter(site)
    new = NewAction(kind=kind, ids=ids, seen=form.get("seen", ""), tag=tag, filter=words, typed=typed)
    chosen = bulk_actions.choose(site, new, actor())
    _, action_id = make_once(
        site.id, lambda: bulk_actions.queue(site, chosen, new, actor()), attrgetter("id"), tag
    )
    if action_id != str(chosen):
        bulk_actions.drop(site, chosen)
    return _redirect(site, action_id)


@blueprint.post("/sites/<site_uuid>/acts/<number:action_id>/cancel")
@page(role="manager")
def cancel(site: Site, action_id: int) -> Response:
    """Stop a bulk action where it is"""
    bulk_actions.cancel(site, action_id)
    return _redirect(site, action_id)


@blueprint.post("/sites/<site_uuid>/acts/<number:action_id>/retry")
@page(role="manager")
def retry(site: Site, action_id: int) -> Response:
    """Continue a bulk action that failed"""
    bulk_actions.retry(site, action_id)
    return _redirect(site, action_id)


@blueprint.get("/sites/<site_uuid>/acts/<number:action_id>/export.csv")
@page(role="manager")
def export(site: Site, action_id: int) -> Response:
    """The file of an export"""
    source = exports.pages_of(site, bulk_actions.export_ids(site, action_id))
    more = links.columns(site, "links" in request.args)
    sentence = SAID[EXPORT] + (exports.WITH_LINKS if more else "")
    pages = audit_log.record_export(site, source, actor(), sentence, f"bulk action {action_id}")
    rows = wire.WRITERS["csv"](exports.keys(site), pages, *more)
    return attachment(rows, wire.FORMATS["csv"], f"subscribers-{action_id}.csv")


def _pace(action: BulkAction) -> dict[str, Any]:
    """The subscribers per second, and the seconds left. Empty in the first second, or while none is done."""
    seconds = (clock.now_ms() - (action.started_at or clock.now_ms())) / 1000
    if seconds < 1 or not action.done:
        return {}
    return {
        "rate": round(action.done / seconds),
        "seconds_left": round((action.people - action.done) * seconds / action.done),
    }


def _selection(site: Site) -> tuple[list[int], list[str]]:
    """The (ids of the chosen subscribers, ticked uuids). If the whole list was chosen, no uuids.

    Of the ticked uuids, only the first `PAGE_SIZE` count. Raises `Refused`, `NotFound`.
    """
    form = read_form()
    if "all" in form:
        return subscriber_lists.ids(site, list_request(*_list_filter(site))), []
    uuids = form.getlist("uuid")[:PAGE_SIZE]
    return bulk_actions.ids_of(site, uuids), uuids


def _list_filter(site: Site) -> tuple[Filters, str]:
    """The (filters, search text) of the list. Raises `Refused`."""
    chosen = filters(request.args)
    return chosen, read_search_text(site, chosen)


def _segment_names(site: Site) -> dict[str, str]:
    return {str(segment.id): segment.name for segment in segments.list_all(site)}


def _filter(site: Site) -> tuple[str, dict[str, str]]:
    """The (words, typed values) of the list's filter for the audit log; both empty for ticked subscribers."""
    if "all" not in read_form():
        return "", {}
    return kept_words(*_list_filter(site), _segment_names(site))


def _redirect(site: Site, action_id: int | str, done: str | None = None) -> Response:
    return redirect_to("console.bulk_actions.show", site_uuid=site.uuid, action_id=int(action_id), done=done)


def _words() -> dict[str, Any]:
    """The words for each kind of bulk action, as variables of a template."""
    return {"verbs": VERBS, "done": DONE, "left_out": LEFT_OUT}
