"""The pages that the links of a confirmation lead to: confirming a sign-up, and declining it.

GET writes nothing. A page never confirms by script unless somebody is there.
"""

from typing import Any

from flask import Blueprint, Response, g, request

from audience import clock
from audience.forms.forms import FormField
from audience.http.access import public
from audience.http.services import services, settings
from audience.links.links import GLUED
from audience.pages import visitors
from audience.pages.page import allow_redirect, check, read_body, redirect_to_owner, refuse_link, show
from audience.sign_ups import confirming
from audience.sign_ups.confirming import Confirmation, ConfirmOutcome

blueprint = Blueprint("confirmations", __name__)

SCRIPT, CLICK = "script", "click"
MAX_SHOWN, LINK = 80, "link"  # of what a stranger may have typed; a reason of moderation
MAX_SECONDS = 7 * 24 * 3600
SECOND_MS = 1_000


@blueprint.get("/confirm", defaults={"token": ""})
@blueprint.get("/confirm/<token>")
@public
def ask(token: str) -> Response:
    """Asks whether to subscribe"""
    asked = _read(token)
    if not asked.is_open:
        return _welcome(asked) if asked.is_confirmed else _too_old(asked)
    page = _page("confirm", asked, token, facts=_facts(asked), opened=clock.now_ms())
    return allow_redirect(page, asked.confirmed_url)


@blueprint.post("/confirm/<token>")
@public
def confirm(token: str) -> Response:
    """Subscribes, and keeps the proof"""
    asked = _read(token)
    read_body()
    by = SCRIPT if request.form.get("by") == SCRIPT else CLICK
    outcome = confirming.confirm(token.rstrip(GLUED), by, _seconds(), visitors.network(), visitors.agent())
    if outcome not in (ConfirmOutcome.CONFIRMED, ConfirmOutcome.ALREADY):
        return _too_old(asked)
    if asked.confirmed_url:
        return redirect_to_owner(asked.confirmed_url)
    is_new = outcome is ConfirmOutcome.CONFIRMED
    base = settings().base_url
    return _welcome(asked, confirming.preferences_url(token.rstrip(GLUED), base) if is_new else "")


@blueprint.get("/confirm/<token>/decline")
@public
def ask_again(token: str) -> Response:
    """Says who asked, and what declining does"""
    asked = _read(token)
    return _page("not_me", asked, f"{token.rstrip(GLUED)}/decline") if asked.is_open else _too_old(asked)


@blueprint.post("/confirm/<token>/decline")
@public
def decline(token: str) -> Response:
    """Ends the sign-ups of the address"""
    asked = _read(token)
    read_body()
    return _page("deleted", asked) if confirming.decline(token.rstrip(GLUED)) else _too_old(asked)


for view in (confirm, decline):
    vars(view)["check"] = check


def _read(token: str) -> Confirmation:
    """The sign-up of a link. Raises `NotFound` for a bad link, or `TooMany` after many bad links."""
    asked = confirming.read(token.rstrip(GLUED))
    if asked is None:
        refuse_link()
    g.site_id = asked.site.id
    return asked


def _seconds() -> int:
    """The seconds since the page was opened, as the form says, at most a week; 0 if malformed."""
    opened = request.form.get("opened", "")
    is_number = opened.isascii() and opened.isdecimal() and len(opened) < 16
    seconds = (clock.now_ms() - int(opened)) // SECOND_MS if is_number else 0
    return min(max(seconds, 0), MAX_SECONDS)


def _facts(asked: Confirmation) -> list[tuple[FormField, str]]:
    """The (field, value) pairs to show, cut to `MAX_SHOWN` characters, without values that contain a link."""
    fields = {field.key: field for field in (asked.form.fields if asked.form else ())}
    return [
        (fields.get(key, FormField(key, False)), text[:MAX_SHOWN])
        for key, text in asked.fields.items()
        if not _has_link(text)
    ]


def _has_link(text: str) -> bool:
    return LINK in services().answers.moderate(text).reasons


def _page(name: str, asked: Confirmation, path: str = "", status: int = 200, **shown: Any) -> Response:
    here, language = f"/confirm/{path}", asked.language or (asked.form.language if asked.form else "")
    return show(name, asked.site, language, status=status, asked=asked, here=here, **shown)


def _welcome(asked: Confirmation, preferences_url: str = "") -> Response:
    """The page of a confirmed sign-up. It leads to the preferences only right after confirming, because
    somebody else may open a forwarded link later.
    """
    return _page("welcome", asked, preferences_url=preferences_url)


def _too_old(asked: Confirmation) -> Response:
    return _page("too_old", asked, status=410)
