"""All sites of the instance, and a new one."""

from operator import attrgetter

from flask import Blueprint, Response, render_template

from audience.access import keys, operators, sites
from audience.access.sessions import SHARED
from audience.access.sites import Site
from audience.console.page import actor, page, read_form, redirect_to, signed_in
from audience.console.sent_once import make_once, sent_before
from audience.console.settings import read_name
from audience.errors import Refused
from audience.forms import forms
from audience.http.services import settings
from audience.operations import demo, site_deletions
from audience.reports import reports
from audience.segments import segments
from audience.subscribers import stats
from audience.webhooks import webhooks
from schemas.values import FieldError

blueprint = Blueprint("sites", __name__)

DEMO_SUBSCRIBERS = 2_000  # made while the browser waits
TYPE_NAME = "Nothing was deleted. Type the name of the site as shown above."


@blueprint.get("/sites")
@page(role="administrator")
def index() -> str:
    """All sites"""
    shown = {"roles": signed_in().roles, "going": site_deletions.under_way()}
    return render_template("sites.html", listed=stats.for_each(sites.list_all()), **shown)


@blueprint.post("/sites")
@page(role="administrator", again=index)
def make() -> Response:
    """Make a site, which the operator owns"""
    form = read_form()
    name, zone = read_name(form), form.get("time_zone", "").strip() or "UTC"
    site, site_uuid = make_once(SHARED, lambda: _make(name, zone), attrgetter("uuid"))
    return redirect_to("console.overview.index", site_uuid=site_uuid, done=sent_before(site))


@blueprint.post("/sites/demo")
@page(role="administrator", again=index)
def make_demo() -> Response:
    """Make a demo site with fictional subscribers, which the operator owns"""
    site, site_uuid = make_once(SHARED, lambda: _make(demo.NAME, demo.TIME_ZONE), attrgetter("uuid"))
    if site:
        demo.fill(site, settings().instance, DEMO_SUBSCRIBERS, lambda *_: None)
    return redirect_to("console.overview.index", site_uuid=site_uuid, done=sent_before(site))


def _make(name: str, time_zone: str) -> Site:
    site = sites.create(name, time_zone, actor())
    operators.add_owners(site, actor(), signed_in().id)
    return site


@blueprint.get("/sites/<site_uuid>/delete")
@page(role="owner")
def ask_deletion(site: Site) -> str:
    """Ask whether to delete the site, with the number of what would go"""
    numbers = {
        "form": len(forms.list_all(site)),
        "segment": len(segments.list_all(site)),
        "report": len(reports.list_all(site)),
        "webhook": len(webhooks.list_all(site)),
        "key": sum(len(keys.sites_of(key)) == 1 for key in keys.list_all(site)),
    }
    return render_template("site_deletion.html", counts=stats.for_site(site), numbers=numbers)


@blueprint.post("/sites/<site_uuid>/delete")
@page(role="owner", again=ask_deletion)
def delete(site: Site) -> Response:
    """Delete the site, once its name is typed"""
    if read_form().get("typed", "").split() != site.name.split():
        raise Refused(TYPE_NAME, [FieldError("typed", TYPE_NAME)])
    site_deletions.ask(site, settings().instance, actor())
    shown = "console.sites.index" if signed_in().administrator else "console.account.index"
    return redirect_to(shown, done="site-deleted")
