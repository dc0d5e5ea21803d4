"""The keys of a site. A secret is shown once, when its key is made."""

from collections.abc import Callable
from operator import attrgetter

from flask import Blueprint, Response, render_template

from audience import clock
from audience.access import keys
from audience.access.keys import PURPOSES, SCOPES, NewKey
from audience.access.operators import OWNER
from audience.access.sessions import SHARED
from audience.access.sites import Site
from audience.clock import HOUR_MS
from audience.console.page import actor, page, read_form, redirect_to, signed_in
from audience.console.sent_once import AGAIN_SECRET, make_once
from audience.console.settings import read_name
from audience.errors import NotFound, Refused
from audience.http.services import settings

blueprint = Blueprint("keys", __name__)

OVERLAPS = {"0": 0, "1 hour": HOUR_MS, "1 day": 24 * HOUR_MS, "7 days": 168 * HOUR_MS}
NO_SUCH_KEY = "This site has no such key any more: open its list of keys again."
OTHER_SITES = "This key reaches other sites too: only an owner of all of them may change it."


@blueprint.get("/sites/<site_uuid>/keys")
@page(role="owner")
def index(site: Site) -> str:
    """Keys"""
    listed = keys.list_all(site)
    reach = {key.id: len(keys.sites_of(key)) for key in listed}
    purposes = dict.fromkeys(SCOPES, "") | PURPOSES
    shown = {"keys": listed, "reach": reach, "purposes": purposes, "overlaps": OVERLAPS}
    return render_template("keys.html", now=clock.now_ms(), **shown)


@blueprint.post("/sites/<site_uuid>/keys")
@page(role="owner", again=index)
def make(site: Site) -> str | Response:
    """Make a key of the site, with its secret, which is shown once"""
    form = read_form()
    scope, name = form.get("scope", ""), read_name(form)
    return _show_once(site, lambda: keys.create([site], scope, name, actor()))


@blueprint.post("/sites/<site_uuid>/keys/rotate")
@page(role="owner", again=index)
def rotate(site: Site) -> str | Response:
    """Make a key in place of another, which works on for a while"""
    form = read_form()
    overlap = form.get("overlap", "")
    overlap_ms, instance = OVERLAPS.get(overlap, 0), settings().instance
    key = _of_owned_sites(site, form.get("key", ""))
    old = f"The old key works for {overlap} more." if overlap_ms else "The old key no longer works."
    return _show_once(site, lambda: keys.rotate(key, instance, overlap_ms, actor()), old)


@blueprint.post("/sites/<site_uuid>/keys/revoke")
@page(role="owner", again=index)
def revoke(site: Site) -> Response:
    """Revoke a key"""
    keys.revoke(_of_owned_sites(site, read_form().get("key", "")), settings().instance, actor())
    return redirect_to("console.keys.index", site_uuid=site.uuid)


def _of_owned_sites(site: Site, publishable_key: str) -> str:
    """Returns the key, if it is of this site and the operator owns all sites that it reaches.

    Raises `NotFound`, `Refused`.
    """
    matching = [key for key in keys.list_all(site) if key.publishable_key == publishable_key]
    if not matching:
        raise NotFound(NO_SUCH_KEY)
    if not all(signed_in().may(OWNER, site.id) for site in keys.sites_of(matching[0])):
        raise Refused(OTHER_SITES)
    return publishable_key


def _show_once(site: Site, make: Callable[[], NewKey], old: str = "") -> str | Response:
    """Makes an API key, and shows it in a page that opens once. `old` is a sentence on the old key.

    Redirects to the list of keys if the form was sent before.
    """
    key, _ = make_once(SHARED, make, attrgetter("publishable_key"))
    if key is None:
        return redirect_to("console.keys.index", site_uuid=site.uuid, done=AGAIN_SECRET)
    return render_template("new_key.html", key=key, base_url=settings().base_url, of=site, old=old)
