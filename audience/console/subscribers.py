"""The list of subscribers, and one of them."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from flask import Blueprint, redirect, render_template, request
from werkzeug.wrappers import Response

from audience import clock
from audience.access.sites import Site
from audience.changes import pages as change_pages
from audience.console import consents, rule_trees, timelines
from audience.console.custom_fields import FIELD_TYPES
from audience.console.list_filters import Chip, chips, filters, read_search_text, rules, with_text
from audience.console.page import NOT_FOUND, page, read_form, signed_in, url
from audience.console.sign_ups import REASONS, STATES
from audience.console.wording import plainly
from audience.errors import NotFound, Refused
from audience.looks import looks
from audience.searches import lists as subscriber_lists
from audience.searches.lists import ORDERS, PAGE_SIZE, ListPage, ListRequest
from audience.segments import matches as segment_matches
from audience.segments import segments
from audience.sign_ups import requests, sign_ups
from audience.subscribers import custom_fields, stats, subscribers, tags
from schemas.values import trim

blueprint = Blueprint("subscribers", __name__)

COLUMNS = {"created_at": "Created", "last_event_at": "Last event", "unsubscribed_at": "Unsubscribed"}
MAX_TEXT = 1_000  # characters
TOO_LONG = f"Nothing was searched for: enter at most {MAX_TEXT:,} characters."
LAST_PAGE = 10_000_000


@blueprint.get("/sites/<site_uuid>/subscribers")
@page(role="viewer")
def index(site: Site) -> str:
    """Subscribers"""
    chosen = filters(request.args)
    try:
        return render_template(
            "subscribers.html", **_list(site, read_search_text(site, chosen), chosen), problem=""
        )
    except (Refused, NotFound) as error:
        return render_template("subscribers.html", **_list(site, "", {}), problem=plainly(error.message))


@blueprint.post("/sites/<site_uuid>/subscribers")
@page(role="viewer", again=index)
def search(site: Site) -> Response:
    """Store the search text with the session, and redirect to the list that it filters"""
    text = trim(read_form().get("text", ""))
    if len(text) > MAX_TEXT:
        raise Refused(TOO_LONG)
    return redirect(_link(site, with_text(site, filters(request.args), text)), 303)


@blueprint.get("/sites/<site_uuid>/subscribers/<subscriber_uuid>")
@page(role="viewer")
def show(site: Site, subscriber_uuid: str) -> str:
    """A subscriber"""
    subscriber = subscribers.find(site, uuid=subscriber_uuid)
    if subscriber is None:
        raise NotFound(NOT_FOUND)
    return render_template(
        "subscriber.html",
        subscriber=subscriber,
        field_types=FIELD_TYPES,
        may_ask=requests.may_ask(subscriber),
        sign_up=sign_ups.newest(site, subscriber.email),
        states=STATES,
        reasons=REASONS,
        **_segment_explanation(site, subscriber_uuid),
        **timelines.timeline(site, subscriber),
    )


@blueprint.get("/sites/<site_uuid>/subscribers/<subscriber_uuid>/consent")
@page(role="viewer")
def consent(site: Site, subscriber_uuid: str) -> str:
    """The consent of a subscriber, to print"""
    subscriber = subscribers.find(site, uuid=subscriber_uuid)
    if subscriber is None:
        raise NotFound(NOT_FOUND)
    events = consents.events(site, subscriber)
    proofs = change_pages.consent(site, subscriber.uuid).proofs
    shown = {"look": looks.get(site), "now": clock.now_ms(), "by": signed_in().name}
    return render_template(
        "subscriber_consent.html", subscriber=subscriber, events=events, proofs=proofs, **shown
    )


def _segment_explanation(site: Site, subscriber_uuid: str) -> dict[str, Any]:
    """All segments and, for the one in the URL, why the subscriber matches or not."""
    asked = request.args.get("segment", "")
    matched = segment_matches.match(site, asked, uuid=subscriber_uuid) if asked else None
    shown = {"asked": asked, "why": rule_trees.result_tree(matched)} if matched else {"asked": ""}
    return shown | {"all_segments": segments.list_all(site)}


def list_request(chosen: Mapping[str, Any], text: str) -> ListRequest:
    """The request for a list with its filters, a search text, and the page in the URL."""
    return ListRequest(
        text=text,
        rules=rules(chosen),
        segment_id=chosen.get("segment", ""),
        order=chosen.get("order", ORDERS[0]),
        descending="ascending" not in chosen,
        page=_page(),
    )


def _list(site: Site, text: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of the page. All matches are counted only if the URL asks for that."""
    query = list_request(chosen, text)
    counted = "count" in request.args
    listed = subscriber_lists.find(site, query, count_all=counted)
    all_segments, all_tags = segments.list_all(site), tags.list_all(site)
    names = {str(segment.id): segment.name for segment in all_segments}
    return {
        "found": listed,
        "query": query,
        "first": (query.page - 1) * PAGE_SIZE + 1,
        "counts": stats.for_site(site),
        "chips": chips(chosen, names),
        "chosen": chosen,
        "tags": all_tags,
        "tag_names": {tag.id: tag.name for tag in all_tags},
        "segments": all_segments,
        "fields": custom_fields.list_all(site),
        "heads": [_head(site, chosen, query, column) for column in ORDERS],
        "links": _links(site, chosen, listed, query.page),
        "without": lambda chip: _link(site, _remove_chip(chosen, chip)),
    }


def _page() -> int:
    """The page number in the URL; 1 if malformed."""
    digits = request.args.get("page", "1")
    return min(max(int(digits), 1), LAST_PAGE) if digits.isdecimal() and len(digits) < 9 else 1


def _head(site: Site, chosen: Mapping[str, Any], query: ListRequest, column: str) -> dict[str, Any]:
    """The head of a column by which the list can be ordered; a second click reverses the order."""
    current = query.order == column
    new = {**chosen, "order": column}
    new.pop("ascending", None)
    if current and query.descending:
        new["ascending"] = "1"
    direction = ("descending" if query.descending else "ascending") if current else ""
    return {"name": COLUMNS[column], "url": _link(site, new), "direction": direction}


def _links(site: Site, chosen: Mapping[str, Any], listed: ListPage, page_number: int) -> dict[str, str]:
    is_last = page_number * PAGE_SIZE >= listed.count and not listed.is_more
    more = {"count": "all"} if "count" in request.args else {}
    query = urlencode(chosen, doseq=True)
    return {
        "before": _link(site, chosen, **more, page=page_number - 1) if page_number > 1 else "",
        "after": ""
        if is_last or not listed.subscribers
        else _link(site, chosen, **more, page=page_number + 1),
        "count": _link(site, chosen, count="all"),
        "search": _link(site, chosen),
        "all": _link(site, {}),
        "any_text": _link(site, with_text(site, chosen, "")),
        "segment": f"{url('console.segments.new', site_uuid=site.uuid)}?{query}",
        "chosen": f"{url('console.bulk_actions.choose', site_uuid=site.uuid)}?{query}",
    }


def _remove_chip(chosen: Mapping[str, Any], chip: Chip) -> dict[str, Any]:
    parameters = {name: value for name, value in chosen.items() if name not in chip.names}
    if chip.tag:
        parameters["tag"] = [tag for tag in chosen["tag"] if tag != chip.tag]
    return parameters


def _link(site: Site, chosen: Mapping[str, Any], **more: Any) -> str:
    query = urlencode({**chosen, **more}, doseq=True)
    return url("console.subscribers.index", site_uuid=site.uuid) + (f"?{query}" if query else "")
