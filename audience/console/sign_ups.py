"""The open sign-ups, and all outcomes. Those on hold, which got no email, are released or discarded."""

from flask import Blueprint, Response, render_template, request

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.console.page import actor, page, read_form, redirect_to, signed_in, validate
from audience.errors import Refused
from audience.forms import forms
from audience.sign_ups import holds, sign_ups
from audience.sign_ups.sign_ups import NO_FORM, PAGE_ROWS, SignUp
from schemas.sign_ups import MAX_ID, ChosenSignUps
from schemas.values import FieldError, trim

blueprint = Blueprint("sign_ups", __name__)

DAYS = 30
MAX_ADDRESS = 320  # characters
HELD, FAILED = "held", "failed"
BY_OPERATOR = "asked by an operator"
TYPE_NUMBER = "Type the number shown, to confirm how many sign-ups are affected."
ON_HOLD = "This sign-up is on hold: ask a manager of the site to release or discard it."
STATES = {  # a mark and a word; first the open ones
    HELD: ("warn", "on hold"),
    "waiting": ("idle", "waiting"),
    "failed": ("fail", "failed"),
    "sent": ("run", "sent"),
    "confirmed": ("", "confirmed"),
    "declined": ("left", "“not me”"),
    "ended": ("left", "ended"),
}
REASONS = {
    "answered": "nothing was sent: they have confirmed, unsubscribed or been erased since",
    "capped": "nothing was sent: this mailbox has reached its limit of emails, or declined them",
    "denied": "nothing was sent: the address is on a deny list",
    "alarm": "all emails are on hold",
    "hour": "more sign-ups than the site sends emails for in an hour",
    "domain": "more than 20 sign-ups an hour at this domain",
    "restored": "the database was restored: check it, then release it",
    "moved": "the sign-up was requested under another address of the service",
    "trapped": "a field that people cannot see was filled in",
    "button": "many sign-ups from this network skipped the browser check",
    "relay": "given up after three days",
}
OUTCOMES = {
    "asked": ("run", "signed up", "people who asked to subscribe"),
    "sent": ("run", "sent", "the mail server took the email"),
    "confirmed": ("", "confirmed", "they are subscribers now"),
    "expired": ("idle", "expired", "nobody opened the link in time; the sign-up was deleted"),
    "declined": ("left", "“not me”", "deleted by the link in the email"),
    HELD: ("warn", "on hold", "kept without an email until you release or discard them"),
    "failed": ("fail", "failed", "the mail server refused the email"),
    "capped": ("left", "too many", "this mailbox has reached its limit of emails; nothing is kept"),
    "denied": ("left", "denied", "on the list of denied addresses; nothing is kept"),
}


@blueprint.get("/sites/<site_uuid>/sign-ups")
@page(role="viewer")
def index(site: Site, **_one: int) -> str:
    """Sign-ups"""
    status = request.args.get("status", "")
    status = status if status in STATES else _first(site)
    after = min(max(0, request.args.get("after", 0, int)), MAX_ID)
    return _show(site, status, sign_ups.list_page(site, status, after, PAGE_ROWS + 1))


@blueprint.post("/sites/<site_uuid>/sign-ups")
@page(role="viewer", again=index)
def find(site: Site) -> str | Response:
    """The sign-ups of an address, which is in no URL"""
    email = trim(read_form().get("email", ""))[:MAX_ADDRESS]
    return _show(site, "", sign_ups.list_page(site, address=email), email) if email else _to_list(site)


@blueprint.post("/sites/<site_uuid>/sign-ups/release")
@page(role="manager", again=index)
def release(site: Site) -> Response:
    """Send the emails that are on hold, or have failed"""
    status = FAILED if read_form().get("status") == FAILED else HELD
    holds.release(site, actor(), before=_before(site, status), status=status)
    return _to_list(site, "released" if status == HELD else "failed-sent-again")


@blueprint.post("/sites/<site_uuid>/sign-ups/discard")
@page(role="manager", again=index)
def discard(site: Site) -> Response:
    """Discard the sign-ups that are on hold"""
    holds.discard(site, actor(), before=_before(site, HELD))
    return _to_list(site, "discarded")


@blueprint.post("/sites/<site_uuid>/sign-ups/<number:sign_up_id>/send")
@page(role="support", again=index)
def send(site: Site, sign_up_id: int) -> Response:
    """Send a confirmation again"""
    _check_hold(site, sign_up_id)
    sign_ups.send_again(site, sign_up_id, actor())
    return _to_list(site, "sent-again")


@blueprint.post("/sites/<site_uuid>/sign-ups/<number:sign_up_id>/delete")
@page(role="support", again=index)
def delete(site: Site, sign_up_id: int) -> Response:
    """Delete a sign-up"""
    _check_hold(site, sign_up_id)
    sign_ups.delete(site, sign_up_id, actor())
    return _to_list(site, "sign-up-deleted")


def _show(site: Site, status: str, rows: list[SignUp], email: str = "") -> str:
    before = clock.now_ms() + 1
    return render_template(
        "sign_ups.html",
        status=status,
        email=email,
        rows=rows[:PAGE_ROWS],
        is_more=len(rows) > PAGE_ROWS,
        before=before,
        numbers=sign_ups.count_open_by_status(site, before),
        held_since=holds.held_since(site),
        outcomes=sign_ups.outcomes(site, clock.now_ms() - DAYS * DAY_MS),
        names={form.id: form.name for form in forms.list_all(site)} | {NO_FORM: BY_OPERATOR},
        states=STATES,
        reasons=REASONS,
        kinds=OUTCOMES,
        days=DAYS,
    )


def _first(site: Site) -> str:
    """The first status in `STATES` that any open sign-up has; "held" without one."""
    numbers = sign_ups.count_open_by_status(site, clock.now_ms() + 1)
    return next((status for status in STATES if numbers[status]), HELD)


def _before(site: Site, status: str) -> int:
    """The instant at which the page was drawn, in milliseconds: later sign-ups stay as they are.

    Raises `Refused` unless the operator typed the number of sign-ups with the status.
    """
    form = read_form()
    before: int = validate(ChosenSignUps(), {"before": form.get("before", "")})["before"]
    number = sign_ups.count_open_by_status(site, before)[status]
    if form.get("typed", "").replace(",", "").strip() != str(number):
        raise Refused(TYPE_NUMBER, [FieldError("typed", TYPE_NUMBER)])
    return before


def _check_hold(site: Site, sign_up_id: int) -> None:
    """Raises `Refused` if the sign-up is on hold and the operator is no manager."""
    if sign_ups.get(site, sign_up_id).status == HELD and not signed_in().may("manager", site.id):
        raise Refused(ON_HOLD)


def _to_list(site: Site, done: str | None = None) -> Response:
    return redirect_to("console.sign_ups.index", site_uuid=site.uuid, done=done)
