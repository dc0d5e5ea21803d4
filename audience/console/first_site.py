"""The page of the first link: it makes the first operator, and names the first site."""

from flask import Blueprint, Response, render_template

from audience.access import operators
from audience.console.page import (
    client_network,
    keep_session,
    page,
    read_form,
    redirect_to,
    session_token,
)
from audience.console.settings import read_name
from audience.operations import first_site

blueprint = Blueprint("first_site", __name__)


@blueprint.get("/first")
@page(role="anyone")
def index() -> str:
    """Set up the console with the first link, whose token is in the fragment"""
    return render_template(
        "first_site.html", asks_site=first_site.unnamed() is not None, is_set_up=operators.is_set_up()
    )


@blueprint.post("/first")
@page(role="anyone", again=index)
def set_up() -> Response:
    """Make the first operator, and name the first site"""
    form = read_form()
    session = first_site.set_up(
        form.get("token", "").strip(),
        form.get("email", ""),
        form.get("password", ""),
        read_name(form),
        form.get("time_zone", "").strip(),
        client_network(),
        session_token(),
    )
    return keep_session(redirect_to("console.overview.home"), session)
