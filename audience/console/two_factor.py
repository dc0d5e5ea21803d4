"""Two-factor sign-in of one's own account: set up, confirmed with a code, turned off."""

from urllib.parse import urlsplit

import segno
from flask import Blueprint, Response, make_response, render_template

from audience.access import sign_in
from audience.console.page import (
    client_network,
    keep_session,
    page,
    read_form,
    redirect_to,
    session_token,
    signed_in,
)
from audience.console.sign_in import limit_tries
from audience.http.services import settings

blueprint = Blueprint("two_factor", __name__)


@blueprint.get("/account/two-factor")
@page(role="operator")
def index() -> str:
    """Set up two-factor sign-in, or turn it off"""
    operator = signed_in()
    issuer = f"Audience ({urlsplit(settings().console_url).hostname})"
    set_up = sign_in.two_factor_set_up(operator, session_token(), issuer)
    shown = {"set_up": set_up, "qr": segno.make_qr(set_up.uri, error="m").matrix}
    unused, required = sign_in.count_recovery_codes(operator), settings().require_two_factor
    return render_template("two_factor.html", unused=unused, required=required, **shown)


@blueprint.post("/account/two-factor")
@page(role="operator", again=index)
def turn_on() -> Response:
    """Turn on two-factor sign-in, and show the recovery codes once"""
    token, codes = sign_in.turn_on_two_factor(signed_in(), session_token(), *_typed(), client_network())
    return keep_session(make_response(render_template("recovery_codes.html", codes=codes)), token)


@blueprint.post("/account/two-factor/off")
@page(role="operator", again=index)
def turn_off() -> Response:
    """Turn off two-factor sign-in"""
    token = sign_in.turn_off_two_factor(signed_in(), *_typed(), client_network())
    return keep_session(redirect_to("console.two_factor.index", done="two-factor-off"), token)


def _typed() -> tuple[str, str]:
    """The password and code in the form, whose try is counted. Raises `TooMany`."""
    for kind in ("sign-in", "code"):
        limit_tries(signed_in().name, kind)
    form = read_form()
    return form.get("present", ""), form.get("code", "")
