"""The site's lists of addresses and domains that are always, or never, valid."""

from typing import cast

from flask import Blueprint, Response, render_template

from audience.access import address_lists
from audience.access.address_lists import Kind
from audience.access.sites import Site
from audience.answers import own_lists
from audience.answers.own_lists import OwnList
from audience.config import SettingError
from audience.console.checks import kinds
from audience.console.custom_fields import UNKNOWN
from audience.console.page import actor, page, read_form, redirect_to, signed_in
from audience.errors import Refused
from audience.http.services import settings
from audience.operations import instance_lists

blueprint = Blueprint("address_lists", __name__)

KINDS = ("allow", "deny")


@blueprint.get("/sites/<site_uuid>/lists")
@page(role="viewer")
def index(site: Site) -> str:
    """Allowed and denied addresses"""
    try:
        own = own_lists.of_instance(settings().instance)
    except SettingError as error:
        raise Refused(f"{error}.") from error
    may_change = signed_in().administrator
    own = {name: own.get(name, OwnList()) for name in own_lists.FILES} if may_change else own
    shown = {"lists": address_lists.for_site(site), "own": own, "may_change": may_change}
    return render_template("check_lists.html", kind="lists", kinds=kinds(), **shown)


@blueprint.post("/sites/<site_uuid>/lists")
@page(role="manager", again=index)
def add(site: Site) -> Response:
    """Put an address or a domain on a list"""
    form = read_form()
    if form.get("list") not in KINDS:
        raise Refused(UNKNOWN)
    address_lists.add(site, cast("Kind", form["list"]), form.get("entry", ""), actor())
    return redirect_to("console.address_lists.index", site_uuid=site.uuid)


@blueprint.post("/sites/<site_uuid>/lists/remove")
@page(role="manager", again=index)
def remove(site: Site) -> Response:
    """Take an address or a domain off the lists"""
    address_lists.remove(site, read_form().get("entry", ""), actor())
    return redirect_to("console.address_lists.index", site_uuid=site.uuid)


@blueprint.post("/own-lists")
@page(role="administrator")
def put_own() -> Response:
    """Change one of the instance's own lists"""
    form = read_form()
    name, entry, list_name = (form.get(field, "") for field in ("name", "entry", "place"))
    instance_lists.put(settings().instance, name, entry, list_name, actor())
    return redirect_to("console.address_lists.index", site_uuid=form.get("site", ""))
