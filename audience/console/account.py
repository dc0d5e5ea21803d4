"""An operator's own account: address, password and sessions."""

from flask import Blueprint, Response, render_template

from audience.access import sessions, sign_in
from audience.console.page import actor, client_network, keep_session, page, read_form, redirect_to, signed_in
from audience.console.sign_in import limit_tries

blueprint = Blueprint("account", __name__)


@blueprint.get("/account")
@page(role="operator")
def index() -> str:
    """Your account"""
    return render_template("account.html", sessions=sessions.list_of(signed_in().id))


@blueprint.post("/account/email")
@page(role="operator", again=index)
def set_email() -> Response:
    """Set one's own address"""
    form = read_form()
    if signed_in().has_password:
        limit_tries(signed_in().name)
    sign_in.set_email(signed_in(), form.get("email", ""), form.get("present", ""), actor())
    return redirect_to("console.account.index", done="email")


@blueprint.post("/account/password")
@page(role="operator", again=index)
def set_password() -> Response:
    """Set one's own password"""
    form = read_form()
    limit_tries(signed_in().name)
    token = sign_in.set_password(
        signed_in(), form.get("current", ""), form.get("password", ""), client_network()
    )
    return keep_session(redirect_to("console.account.index", done="password"), token)


@blueprint.post("/account/sessions/<number:session_id>/end")
@page(role="operator")
def end_session(session_id: int) -> Response:
    """End one of one's own sessions"""
    sessions.end(session_id, signed_in().id)
    return redirect_to("console.account.index", done="session")
