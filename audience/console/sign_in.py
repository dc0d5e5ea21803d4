"""Signing in and out: by password, by one-time link, and setting a first password."""

from flask import Blueprint, Response, make_response, render_template, request

from audience import addresses
from audience.access import operators, sessions, sign_in
from audience.console.kept_forms import page_of, render_again
from audience.console.page import (
    client_network,
    keep_session,
    page,
    read_form,
    redirect_to,
    redirect_to_path,
    session_token,
    signed_in,
    url,
)
from audience.errors import Refused, TooMany
from audience.http.access import client_address, throttled_network
from audience.http.pages import public_root
from audience.http.services import services, settings

blueprint = Blueprint("sign_in", __name__)

MAX_NAME = 254
REMEMBERED_SECONDS = sessions.LIFETIME_MS[True] // 1000
THROTTLED = "Too many attempts: wait {wait} seconds, or ask an administrator for a one-time link."


@blueprint.get("/sign-in")
@page(role="anyone")
def index() -> str:
    """Sign in"""
    return _render("sign_in.html")


@blueprint.post("/sign-in")
@page(role="anyone", again=index, takes_kept=True)
def with_password() -> Response:
    """Sign in with a password"""
    form = read_form()
    email, password, old = form.get("email", ""), form.get("password", ""), session_token()
    limit_tries(email)
    token = sign_in.with_password(email, password, "remember" in form, client_network(), old)
    if token is None:
        raise Refused(sign_in.WRONG)
    return _go_on(token)


@blueprint.get("/sign-in/code")
@page(role="anyone")
def code() -> str:
    """Sign in, after the password: the code. Without a sign-in that waits for it, the first screen"""
    token = request.form.get("token", "")
    return (
        _render("sign_in_code.html", token=token)
        if sign_in.awaiting_email(token)
        else _render("sign_in.html")
    )


@blueprint.post("/sign-in/code")
@page(role="anyone", again=code, takes_kept=True)
def with_code() -> Response:
    """Sign in with a code, after the password"""
    form = read_form()
    token, remembered, old = form.get("token", ""), "remember" in form, session_token()
    if email := sign_in.awaiting_email(token):
        limit_tries(email, "code")
    session = sign_in.with_code(token, form.get("code", ""), remembered, client_network(), old)
    if session is None:
        raise Refused(sign_in.WRONG_CODE)
    return _go_on(session)


@blueprint.get("/forgotten")
@page(role="anyone")
def forgotten() -> str:
    """Whom to ask for a new password"""
    return render_template("forgotten.html")


@blueprint.get("/link")
@page(role="anyone")
def link() -> str:
    """Sign in with a one-time link, whose token is in the fragment"""
    return render_template("one_time.html")


@blueprint.post("/link")
@page(role="anyone", again=link)
def follow_link() -> Response:
    """Sign in with the token of a one-time link"""
    token = read_form().get("token", "").strip()
    return _go_on(sign_in.with_link(token, client_network(), session_token()))


@blueprint.get("/password")
@page(role="anyone")
def password() -> str:
    """Set a password with a one-time link, whose token is in the fragment"""
    return render_template("set_password.html", token=request.form.get("token", ""))


@blueprint.post("/password")
@page(role="anyone", again=password)
def set_password() -> Response:
    """Set a password with the token of a one-time link"""
    form = read_form()
    token = sign_in.set_password_with_link(
        form.get("token", "").strip(), form.get("password", ""), client_network(), session_token()
    )
    return _go_on(token)


@blueprint.post("/sign-out")
@page(role="operator")
def out() -> Response:
    """Sign out"""
    operator = signed_in()
    sessions.end(operator.session_id, operator.id)
    return keep_session(redirect_to("console.sign_in.index"), "", 0)


def _go_on(token: str) -> Response:
    """The page to which this sign-in leads, with its session; or the screen that asks for a code."""
    form = read_form()
    if sign_in.awaiting_email(token):
        return make_response(_render("sign_in_code.html", token=token))
    max_age = REMEMBERED_SECONDS if "remember" in form else None
    return keep_session(_after(form.get("next", ""), form.get("kept", ""), token), token, max_age)


def _after(target: str, form_text: str, token: str) -> Response:
    """Redirects to the page that was requested before the sign-in.

    If a form was sent there (`form_text`), the operator who had filled it in sees it again. Another operator
    sees the page with an empty form. `token` is the new session's.
    """
    operator = operators.signed_in(token)
    if not form_text or operator is None or not is_inside(target):
        return redirect_to_path(inside(target))
    shown = render_again(target, form_text, operator, sessions.csrf_token(token))
    return make_response(shown) if shown else redirect_to_path(inside(page_of(target)))


def inside(target: str) -> str:
    """The target below the public path, if it is a path of the console; else the console's first page."""
    return public_root() + target if is_inside(target) else url("console.overview.home")


def is_inside(target: str) -> bool:
    """Whether a target is a path of the console that no browser or proxy takes for another.

    No path of the console has an encoded character or a parameter: `%2e` is a dot to browsers, `%5c` a slash
    to some, and `..;` is `..` to some proxies.
    """
    if not target.isascii() or not target.isprintable() or "\\" in target:
        return False
    path = target.partition("?")[0].partition("#")[0]
    first, *segments = path.removeprefix("/").split("/")
    is_path = path.startswith("/console") and not {"%", ";"} & set(path)
    return is_path and first == "console" and not {"", ".", ".."} & set(segments)


def _render(template: str, **values: str) -> str:
    """A screen of the sign-in, with what the one before it has sent."""
    sent = request.form
    shown = {"next": request.values.get("next", ""), "kept": sent.get("kept", ""), "sent": sent}
    return render_template(template, is_first=not operators.is_set_up(), **shown, **values)


def _name(email: str) -> str:
    """The name under which attempts with an address, in any spelling, are counted."""
    try:
        return addresses.identity(email)
    except addresses.MalformedAddress:
        return email.strip().casefold()[:MAX_NAME]


def limit_tries(email: str, kind: str = "sign-in") -> None:
    """Counts an attempt to sign in before its password, or with the kind "code" its code, is checked.

    Only the limit of an address is over both. Raises `TooMany`.
    """
    name, address = _name(email), throttled_network(client_address())
    limit, hit = settings().auth_failures, services().limiter.hit
    wait = hit(limit, "sign-in", address) or hit(limit, kind, address, name)
    if not wait and hit(sign_in.TRIES, f"{kind} name", name):
        wait = hit(sign_in.SLOW_TRIES, f"{kind} slowly", name)
    if wait:
        raise TooMany(THROTTLED.format(wait=wait), wait)
