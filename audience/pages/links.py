"""The pages of links: unsubscribing, undoing it, giving a reason, preferences. GET writes nothing."""

from collections.abc import Callable
from functools import partial
from typing import Any

from flask import Blueprint, Response, g, request

from audience import clock
from audience.access.sites import Site
from audience.http.access import public
from audience.http.services import settings
from audience.links import links, undoing, unsubscribing, visits
from audience.links.links import GLUED, PREFERENCES, UNSUBSCRIBE, Link, Standing
from audience.links.undoing import UndoOutcome
from audience.links.unsubscribing import REASONS, LinkOutcome
from audience.links.visits import VisitStatus
from audience.looks import senders
from audience.looks.looks import LANGUAGES
from audience.pages.page import check, read_body, refuse_link, show

blueprint = Blueprint("links", __name__)

ONE_CLICK = b"List-Unsubscribe"
UNSUBSCRIBED, UNKNOWN = "Unsubscribed.\n", "This address is not on our list.\n"

Answer = Callable[[Link, str], Response]


@blueprint.get("/unsubscribe", defaults={"token": ""})
@blueprint.get("/unsubscribe/<token>")
@public
def ask(token: str) -> Response:
    """Asks whether to unsubscribe"""
    return _show_question(*_read(UNSUBSCRIBE, token))


@blueprint.post("/unsubscribe/<token>")
@public
def unsubscribe(token: str) -> Response:
    """Unsubscribes, whatever the body"""
    link, token = _read(UNSUBSCRIBE, token)
    return _unsubscribe(link, token, is_one_click=ONE_CLICK in read_body())


@blueprint.get("/preferences", defaults={"token": ""})
@blueprint.get("/preferences/<token>")
@public
def choose(token: str) -> Response:
    """The preferences of a subscriber"""
    return _choice(*_read(PREFERENCES, token))


@blueprint.post("/preferences/<token>")
@public
def change(token: str) -> Response:
    """Saves the language, or unsubscribes"""
    link, token = _read(PREFERENCES, token)
    read_body()
    if request.form.get("act") == "unsubscribe":
        return _unsubscribe(link, token)
    language = request.form.get("language", "")
    is_saved = language in LANGUAGES and visits.choose_language(link, language)
    return _choice(link, token, is_saved=is_saved)


def _undo(link: Link, token: str) -> Response:
    """Undoes the unsubscribe that the form's ticket names. Returns a page that confirms it, or says "too
    late".

    A ticket is signed text on the farewell page, which names one unsubscribe for an hour.
    """
    outcome = undoing.undo(link, request.form.get("ticket", ""))
    visit = visits.read(link)
    if outcome is UndoOutcome.TOO_LATE:
        return show("late", link.site, visit.language, status=409)
    return show("back", link.site, visit.language, visit=visit, here=_path(link, token))


def _save_reason(link: Link, token: str) -> Response:
    """Saves the reason for an unsubscribe. Returns the farewell, or the page that says "too late"."""
    ticket, reason = request.form.get("ticket", ""), request.form.get("reason", "")
    good = undoing.give_reason(link, ticket, reason)
    if good is None:
        return show("late", link.site, visits.read(link).language, status=409)
    return _farewell(link, token, ticket, good.until, reason if reason in REASONS else "")


def _add(purpose: str, name: str, answer: Answer) -> None:
    """Adds a POST route below a link's path for a form on the farewell page, handled by `answer`."""

    def view(token: str) -> Response:
        link, token = _read(purpose, token)
        read_body()
        return answer(link, token)

    view.__doc__ = f"{purpose.capitalize()}: {name}"
    vars(view)["check"] = check
    blueprint.add_url_rule(f"/{purpose}/<token>/{name}", f"{purpose}_{name}", public(view), methods=["POST"])


for view in (unsubscribe, change):
    vars(view)["check"] = check
for purpose in (UNSUBSCRIBE, PREFERENCES):
    _add(purpose, "undo", _undo)
    _add(purpose, "reason", _save_reason)


def _read(purpose: str, token: str) -> tuple[Link, str]:
    """The (link, token without punctuation at its end).

    Raises `NotFound` for a bad or revoked link, or `TooMany` after many.
    """
    link = links.read(purpose, token)
    if link is None or link.standing is Standing.REVOKED:
        refuse_link()
    g.site_id = link.site.id
    return link, token.rstrip(GLUED)


def _show_question(link: Link, token: str) -> Response:
    """The page that asks whether to unsubscribe or, if unsubscribed, to resubscribe."""
    visit = visits.read(link)
    shown = partial(show, site=link.site, language=visit.language, visit=visit, here=_path(link, token))
    if visit.status is VisitStatus.UNKNOWN:
        return _unknown_page(link.site)
    return shown("come_back" if visit.status is VisitStatus.UNSUBSCRIBED else "ask")


def _choice(link: Link, token: str, is_saved: bool = False) -> Response:
    """The page of the preferences; the question whether to unsubscribe if `may_choose` is false."""
    visit = visits.read(link)
    if not visit.may_choose:
        return _show_question(link, token)
    here = _path(link, token)
    return show("choose", link.site, visit.language, visit=visit, here=here, is_saved=is_saved)


def _unsubscribe(link: Link, token: str, is_one_click: bool = False) -> Response:
    """Unsubscribes a link's subscriber. Returns the farewell, or one line for a one-click unsubscribe."""
    outcome, number, before = unsubscribing.unsubscribe(link)
    is_unknown = outcome is LinkOutcome.UNKNOWN
    if is_one_click:
        return Response(UNKNOWN if is_unknown else UNSUBSCRIBED, mimetype="text/plain")
    if is_unknown:
        return _unknown_page(link.site)
    if before:
        return _farewell(link, token, *undoing.new_ticket(link, number, before))
    return _farewell(link, token)


def _unknown_page(site: Site) -> Response:
    """The page of a link without a subscriber. It leads to new links if the site can send email."""
    return show("unknown", site, mails_links=not senders.obstacle(site, settings()))


def _farewell(link: Link, token: str, ticket: str = "", until: int = 0, reason: str = "") -> Response:
    """The page after an unsubscribe. It offers an undo until the instant `until`, in milliseconds.

    It offers none without a `ticket`, as after a second unsubscribe.
    """
    visit = visits.read(link)
    may_undo = bool(ticket) and clock.now_ms() <= until
    shown: dict[str, Any] = {"ticket": ticket, "until": until, "may_undo": may_undo, "reason": reason}
    here = _path(link, token)
    return show("left", link.site, visit.language, visit=visit, here=here, reasons=REASONS, **shown)


def _path(link: Link, token: str) -> str:
    return f"/{link.purpose}/{token}"
