"""Find, create, erase and search subscribers."""

from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import actor, endpoint, key_source
from audience.api.links import links_answer, requested_links, with_links
from audience.api.repeats import Again, Later
from audience.changes import pages as change_log_pages
from audience.erasures import erasures
from audience.http.services import settings
from audience.searches import searches
from audience.sources import SourceKind
from audience.subscribers import subscribers
from schemas import subscribers as wire
from schemas.base import with_dashes
from schemas.change_log import ConsentAnswer
from schemas.change_log import consent as wire_consent
from schemas.links import note_part
from schemas.searches import SearchSubscribers, bounds, order, search_meta

blueprint = Blueprint("subscribers", __name__)


def resource(site: Site, subscriber_id: int) -> dict[str, Any] | None:
    """The resource of the subscriber with an id; None if there is none."""
    row = subscribers.find_by_id(site, subscriber_id)
    return wire.subscriber(row, settings().base_url, site.uuid) if row else None


@blueprint.get("/fetch/subscribers")
@endpoint(scope="read", family="fetch", takes=wire.FindWithLinks, gives=wire.FoundSubscriber)
def find_subscriber(site: Site, form: dict[str, Any]) -> str | dict[str, Any]:
    """Find a subscriber

    Name the subscriber by `email` or `uuid`; if you send both, `uuid` counts. Addresses are compared without
    regard to case, but with their plus tags.

    Returns the subscriber; `data` is null if nobody matches.
    """
    if links := requested_links(site, form):
        subscriber = subscribers.find(site, form.get("email"), form.get("uuid"))
        return links_answer(links, subscriber and with_links(links, site, subscriber))
    pages = wire.pages(settings().base_url, site.uuid)
    return wire.find_answer(subscribers.find_text(site, pages, form.get("email"), form.get("uuid")))


@blueprint.post("/fetch/subscribers")
@endpoint(
    scope="full",
    family="fetch",
    takes=wire.CreateSubscriber,
    gives=wire.SubscriberAnswer,
    query=False,
    status=201,
    again=repeats.resource(resource),
)
def create_subscriber(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Create or update a subscriber

    If the site has the address, its subscriber is updated: custom values are replaced key by key, tags are
    added, and values that you leave out stay. People who unsubscribed stay unsubscribed. An erased address is
    refused.

    Returns the subscriber as it is now.
    """
    subscriber = subscribers.create(site, form["subscriber"], key_source(SourceKind.API))
    return {"data": wire.subscriber(subscriber, settings().base_url, site.uuid)}


@blueprint.post("/fetch/subscribers/find")
@endpoint(scope="read", family="fetch", takes=wire.FindSubscribers, gives=wire.SubscriberList, query=False)
def find_subscribers(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Find up to 1,000 subscribers

    Send `emails`, `uuids` or both. They are compared as for a single subscriber.

    Returns each subscriber once, in the order of the request. `meta.not_found` lists the addresses and uuids
    that no subscriber has.
    """
    emails = {email: wire.decode_address(email) for email in form["emails"]}
    found, not_found = subscribers.find_many(site, emails, form["uuids"])
    data = [wire.subscriber(row, settings().base_url, site.uuid) for row in found]
    return {"data": data, "meta": {"not_found": not_found}}


@blueprint.delete("/fetch/subscribers")
@endpoint(
    scope="full",
    family="fetch",
    takes=wire.FindSubscriber,
    gives=wire.FoundSubscriber,
    again=Again(lambda _ids, **_: {"data": None}),
)
def erase_subscriber(site: Site, form: dict[str, Any]) -> Later:
    """Erase a subscriber for good

    Send `email` or `uuid`; if you send both, they must belong to the same subscriber. Values, tags and events
    are deleted. Only a keyed hash of the address is kept, so that no import adds the subscriber again.

    Returns `data` as null, even if nobody matches.
    """
    email, uuid = form.get("email"), form.get("uuid")
    erasures.check_target(email, uuid)
    instance = settings().instance
    erased = erasures.erase_stored(site, instance, email, uuid, actor(), key_source(SourceKind.API))

    def answer() -> dict[str, Any]:
        erasures.forget(site, instance, erased)
        return {"data": None}

    return Later({}, answer)


@blueprint.get("/fetch/subscribers/<uuid>/consent")
@endpoint(scope="read", family="fetch", gives=ConsentAnswer)
def get_consent(site: Site, uuid: str) -> dict[str, Any]:
    """Show the consent of a subscriber

    Shows each change of consent of the subscriber with this `uuid`: when it happened, what made it, and why.

    Returns the consent, its events oldest first.
    """
    return {"data": wire_consent(change_log_pages.consent(site, with_dashes(uuid)))}


@blueprint.route("/fetch/search", methods=["GET", "POST"])
@endpoint(scope="read", family="fetch", takes=SearchSubscribers, gives=wire.FoundSubscribers)
def search(site: Site, form: dict[str, Any]) -> bytes | dict[str, Any]:
    """Search subscribers

    Lists the subscribers who match all filters of the request, newest first, 100 per page. Dates are
    exclusive bounds. `meta.ignored` lists unknown parameters; with the header `Prefer: handling=strict`, they
    are refused. To continue, send `meta.next` as `cursor`: then nobody is listed twice or missed while others
    are added.

    Returns a page of subscribers; `meta` has the filters that were applied and says whether there are more.
    """
    links = requested_links(site, form)
    query = searches.SearchRequest(
        after=bounds(form, "gt"),
        before=bounds(form, "lt"),
        email=form.get("email"),
        tags=[*form.get("tags", ()), *form.get("tag_names", ())],
        tag_ids=form.get("tag_ids", ()),
        beginning=form.get("q"),
        segment_id=form.get("segment_id"),
        status=form.get("status"),
        fields=form.get("field", {}),
        order=searches.order(*order(form)),
        per_page=form.get("per_page", searches.PAGE_SIZE),
    )
    change = change_log_pages.newest_number(site)
    if links:
        rows, last = searches.search(site, query, form["page"])
        meta = search_meta(form, query.per_page, last, change) | note_part(links.note)
        return {"data": [with_links(links, site, row) for row in rows], "meta": meta}
    pages = wire.pages(settings().base_url, site.uuid)
    texts, last = searches.search_texts(site, query, form["page"], pages)
    return wire.page_text(texts, search_meta(form, query.per_page, last, change))
