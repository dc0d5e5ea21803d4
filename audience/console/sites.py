"""All sites of the instance, and a new one."""

from operator import attrgetter

from flask import Blueprint, Response, render_template

from audience.access import operators, sites
from audience.access.sessions import SHARED
from audience.access.sites import Site
from audience.console.page import actor, page, present, read_form, redirect_to
from audience.console.sent_once import again, make_once
from audience.console.settings import read_name
from audience.http.services import settings
from audience.operations import demo

blueprint = Blueprint("sites", __name__)

DEMO_SUBSCRIBERS = 2_000  # made within a second


@blueprint.get("/sites")
@page(role="administrator")
def index() -> str:
    """All sites"""
    return render_template("sites.html", listed=sites.list_all(), roles=present().roles)


@blueprint.post("/sites")
@page(role="administrator", again=index)
def make() -> Response:
    """Make a site, which the operator owns"""
    form = read_form()
    name, zone = read_name(form), form.get("time_zone", "").strip() or "UTC"
    site, site_uuid = make_once(SHARED, lambda: _make(name, zone), attrgetter("uuid"))
    return redirect_to("console.overview.index", site_uuid=site_uuid, done=again(site))


@blueprint.post("/sites/demo")
@page(role="administrator", again=index)
def make_demo() -> Response:
    """Make a demo site with fictional subscribers, which the operator owns"""
    site, site_uuid = make_once(SHARED, lambda: _make(demo.NAME, demo.TIME_ZONE), attrgetter("uuid"))
    if site:
        demo.fill(site, settings().instance, DEMO_SUBSCRIBERS, lambda *_: None)
    return redirect_to("console.overview.index", site_uuid=site_uuid, done=again(site))


def _make(name: str, time_zone: str) -> Site:
    site = sites.create(name, time_zone, actor())
    operators.add_owners(site, actor(), present().id)
    return site
