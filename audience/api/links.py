"""The links of subscribers, for mailers: on their own, and beside subscribers and changes."""

from collections.abc import Mapping
from typing import Any

from flask import Blueprint, g

from audience.access.sites import Site
from audience.api.endpoint import endpoint
from audience.errors import Forbidden
from audience.http.services import settings
from audience.links.links import Links
from audience.subscribers import subscribers
from audience.subscribers.subscribers import Subscriber
from schemas import links as wire
from schemas.subscribers import FindSubscriber
from schemas.subscribers import subscriber as resource

blueprint = Blueprint("links", __name__)

NOT_FOR_KEY = (
    "Forbidden: links act for subscribers; send a key with the scope mailer or full, or leave links out."
)


@blueprint.get("/fetch/links")
@endpoint(scope="mailer", family="fetch", takes=FindSubscriber, gives=wire.LinksAnswer)
def get_links(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Get the links of a subscriber

    Name the subscriber by `email` or `uuid`; if you send both, `uuid` counts. Each link is a URL that acts
    for this subscriber and does not expire.

    Returns the links; `data` is null if nobody matches.
    """
    links = Links(site, settings().base_url)
    subscriber = subscribers.find(site, form.get("email"), form.get("uuid"))
    return links_answer(links, subscriber and urls(links, subscriber))


def requested_links(site: Site, form: dict[str, Any]) -> Links | None:
    """The link maker for a request that asks for links; None for any other.

    Removes `links` from the form. Raises `Forbidden` if the key may not have links.
    """
    if not form.pop("links", False):
        return None
    if not g.key.may("mailer"):
        raise Forbidden(NOT_FOR_KEY)
    return Links(site, settings().base_url)


def links_answer(links: Links, data: Any) -> dict[str, Any]:
    """`{"data": data}`, plus the note on the links, if there is one; `data` may be None."""
    return {"data": data, **wire.note_part(links.note if data else "")}


def urls(links: Links, subscriber: Subscriber) -> Mapping[str, str]:
    return links.urls(subscriber.uuid, subscriber.email_key)


def with_links(links: Links, site: Site, subscriber: Subscriber) -> dict[str, Any]:
    """The resource of a subscriber, with the links."""
    return resource(subscriber, settings().base_url, site.uuid) | {"links": urls(links, subscriber)}
