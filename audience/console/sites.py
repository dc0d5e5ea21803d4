"""All sites of the instance, and a new one."""

from flask import Blueprint, Response, render_template

from audience import operators, sites
from audience.console.page import actor, page, present, read_form, to
from audience.console.settings import read_name

blueprint = Blueprint("sites", __name__)


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
    site = sites.create(read_name(form), form.get("time_zone", "").strip() or "UTC", actor())
    operators.own(site, actor(), present().id)
    return to("console.overview.index", site_uuid=site.uuid)
