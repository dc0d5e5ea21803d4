"""Links of subscribers: in exports, their rotation, and previews of the pages to which they lead."""

from collections.abc import Callable, Mapping
from typing import Any

from flask import Blueprint, Response, request

from audience.access.sites import Site
from audience.console.page import actor, page, read_form, redirect_to
from audience.errors import Refused
from audience.http.services import settings
from audience.links import generations
from audience.links.links import Links
from audience.looks import looks
from audience.pages import previews
from schemas.values import FieldError

blueprint = Blueprint("links", __name__)

REVOKE = "revoke"
TICK = (
    "Nothing was changed. First tick the box to confirm that the links in all emails sent so far will "
    "stop working."
)


@blueprint.post("/sites/<site_uuid>/pages/links")
@page(role="owner")
def rotate(site: Site) -> Response:
    """Make new links, or end all earlier ones"""
    form = read_form()
    revokes = form.get("act") == REVOKE
    if revokes and "confirmed" not in form:
        raise Refused(TICK, [FieldError("confirmed", TICK)])
    generations.rotate(site, revokes, actor())
    return redirect_to(
        "console.site_pages.index", site_uuid=site.uuid, done="links-ended" if revokes else "links"
    )


@blueprint.get("/sites/<site_uuid>/pages/preview/<name>")
@page(role="manager")
def preview(site: Site, name: str) -> Response:
    """A page for people with the site's look, for an invented subscriber"""
    return previews.show_page(name, site, request.args.get("lang", "") or looks.get(site).language)


def columns(site: Site, are_wanted: bool) -> list[Callable[[Any], Mapping[str, str]]]:
    """The functions that add a subscriber's links to a file's rows; none unless they `are_wanted`."""
    if not are_wanted:
        return []
    links = Links(site, settings().base_url)
    return [lambda subscriber: links.urls(subscriber.uuid, subscriber.email_key)]
