"""Find, create, erase and search people (spec sections 4.10 to 4.12)."""

from typing import Any

from flask import Blueprint

from audience import erasures, subscribers
from audience.api.endpoint import endpoint
from audience.api.wiring import settings
from audience.sites import Site
from schemas import subscribers as wire

blueprint = Blueprint("subscribers", __name__)


@blueprint.get("/fetch/subscribers")
@endpoint("read", takes=wire.FindSubscriber, gives=wire.FoundSubscriber)
def find(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Find a person by address or uuid; `data` is null when there is none"""
    person = subscribers.find(site, form.get("email"), form.get("uuid"))
    return {"data": person and wire.subscriber(person, settings().base_url)}


@blueprint.post("/fetch/subscribers")
@endpoint("full", takes=wire.CreateSubscriber, gives=wire.SubscriberAnswer, query=False, status=201)
def create(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Create a person, or update the one who has the address"""
    person = subscribers.create(site, form["subscriber"])
    return {"data": wire.subscriber(person, settings().base_url)}


@blueprint.delete("/fetch/subscribers")
@endpoint("full", takes=wire.FindSubscriber, gives=wire.FoundSubscriber)
def erase(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Erase a person for good; `data` is null"""
    erasures.erase(site, settings().instance, form.get("email"), form.get("uuid"))
    return {"data": None}


@blueprint.route("/fetch/search", methods=["GET", "POST"])
@endpoint("read", takes=wire.SearchSubscribers, gives=wire.FoundSubscribers)
def search(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Search people, 100 a page, newest first"""
    wanted = subscribers.Query(
        after=wire.bounds(form, "gt"),
        before=wire.bounds(form, "lt"),
        email=form.get("email"),
        tags=form.get("tags", ()),
        segment_id=form.get("segment_id"),
    )
    people, has_more = subscribers.search(site, wanted, form["page"])
    return {
        "data": [wire.subscriber(person, settings().base_url) for person in people],
        "meta": wire.search_meta(form, subscribers.PAGE, has_more),
    }
