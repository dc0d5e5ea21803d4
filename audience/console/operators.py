"""Operators and their roles: those of a site, for its owners; all of them, for administrators."""

from flask import Blueprint, Response, render_template

from audience.access import operators, sessions, sites
from audience.access.sessions import SHARED
from audience.access.sites import Site
from audience.console.page import actor, page, read_form, redirect_to, session_token
from audience.console.sent_once import AGAIN_SECRET, make_once
from audience.http.services import settings

blueprint = Blueprint("operators", __name__)

ADDED = "added"  # what is kept of the form: no address


@blueprint.get("/sites/<site_uuid>/operators")
@page(role="owner")
def index(site: Site) -> str:
    """Operators of a site"""
    members = [(operator, roles[site.id]) for operator, roles in operators.list_all() if site.id in roles]
    return render_template("site_operators.html", operators=members, roles=operators.ROLES)


@blueprint.post("/sites/<site_uuid>/operators")
@page(role="owner", again=index)
def set_role(site: Site) -> Response:
    """Give an operator a role on a site, or take it away"""
    form = read_form()
    operators.set_role(form.get("email", ""), site, form.get("role") or None, actor())
    return _to_list("role" if form.get("role") else "no-role", "console.operators.index", site_uuid=site.uuid)


@blueprint.get("/operators")
@page(role="administrator")
def everyone() -> str:
    """All operators"""
    return render_template(
        "operators.html",
        operators=operators.list_all(),
        all_sites=sites.list_all(),
        roles=operators.ROLES,
    )


@blueprint.post("/operators")
@page(role="administrator", again=everyone)
def add() -> str | Response:
    """Add an operator, with a one-time link that is shown once"""
    form = read_form()
    email, administrator = form.get("email", ""), "administrator" in form
    token, _ = make_once(SHARED, lambda: operators.add(email, administrator, {}, actor()), lambda _: ADDED)
    return show_once(email, token) if token else redirect_to("console.operators.everyone", done=AGAIN_SECRET)


@blueprint.post("/operators/reset")
@page(role="administrator", again=everyone)
def reset() -> str:
    """End an operator's password and sessions, and show a one-time link once"""
    email = read_form().get("email", "")
    return show_once(email, operators.reset(email, actor()))


@blueprint.post("/operators/administrator")
@page(role="administrator", again=everyone)
def set_administrator() -> Response:
    """Make an operator an administrator, or no longer one"""
    form = read_form()
    operators.set_administrator(form.get("email", ""), "administrator" in form, actor())
    return _to_list("administrator" if "administrator" in form else "no-administrator")


@blueprint.post("/operators/role")
@page(role="administrator", again=everyone)
def set_role_on_site() -> Response:
    """Give an operator a role on any site, or take it away: a new site has no owner yet"""
    form = read_form()
    site = sites.get_by_uuid(form.get("site", ""))
    operators.set_role(form.get("email", ""), site, form.get("role") or None, actor())
    return _to_list("role" if form.get("role") else "no-role")


@blueprint.post("/operators/remove")
@page(role="administrator", again=everyone)
def remove() -> Response:
    """Remove an operator"""
    operators.remove(read_form().get("email", ""), actor())
    return _to_list("removed")


def _to_list(done: str, endpoint: str = "console.operators.everyone", **values: str) -> Response:
    """Redirects to a list with the message `done`; to the sign-in page if the own session has ended."""
    if operators.signed_in(session_token()) is None:
        return redirect_to("console.sign_in.index", done="own-role")
    return redirect_to(endpoint, done=done, **values)


def show_once(email: str, token: str) -> str:
    """The page, which cannot be opened again, with the link by which an operator sets a password."""
    link = sessions.link(settings().console_url, sessions.PASSWORD, token)
    return render_template("shown_once.html", email=email, link=link)
