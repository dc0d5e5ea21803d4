"""Sign-ups: asking for one, and those that wait for their confirmation."""

from typing import Any

from flask import Blueprint, g

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import actor, endpoint
from audience.api.repeats import Again
from audience.http.services import services, settings
from audience.sign_ups import holds, requests, sign_ups
from audience.sign_ups.confirming import ConfirmLinks
from audience.sign_ups.sign_ups import PAGE_ROWS
from schemas import sign_ups as wire

blueprint = Blueprint("sign_ups", __name__)


def _resource(site: Site, sign_up_id: int) -> dict[str, Any]:
    return wire.sign_up(sign_ups.get(site, sign_up_id), _links(site).url)


def _check(site: Site, form: dict[str, Any]) -> None:
    requests.check(site, form["sign_up"], services().answers)


AGAIN = repeats.resource(_resource)
SAME = Again(lambda ids, **_: dict(ids), lambda answer: answer)  # an answer of ids or counts alone


@blueprint.post("/fetch/sign_ups")
@endpoint(
    scope="signup",
    family="fetch",
    takes=wire.SaveSignUp,
    gives=wire.AcceptedSignUp,
    query=False,
    status=201,
    again=SAME,
    before=_check,
)
def create_sign_up(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Ask for a confirmation

    Call this from your own server, on behalf of a visitor. The service sends an email with a link to the
    address; whoever follows the link is subscribed. The answer does not reveal whether the address is on the
    list. The status is 422 if the domain takes no email or is refused, and 429 if the address has reached its
    limit of emails.

    Returns the id and the status `waiting`.
    """
    key, answers = g.key.publishable_key, services().answers
    return wire.accepted(requests.accept(site, form["sign_up"], key, settings().base_url, answers))


@blueprint.get("/fetch/sign_ups")
@endpoint(scope="full", family="fetch", takes=wire.ListSignUps, gives=wire.SignUpList)
def list_sign_ups(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """List the sign-ups

    `status` and `email` filter the list. You get 100 sign-ups at a time, after the id `after`. A sign-up that
    is over no longer has an address.

    Returns a page of sign-ups, oldest first.
    """
    rows = sign_ups.list_page(site, form.get("status", ""), form["after"], address=form.get("email", ""))
    return wire.page(rows, form["after"], PAGE_ROWS, _links(site).url)


@blueprint.post("/fetch/sign_ups/<number:sign_up_id>/send")
@endpoint(scope="full", family="fetch", gives=wire.SignUpAnswer, again=AGAIN)
def send_sign_up(site: Site, sign_up_id: int) -> dict[str, Any]:
    """Send a confirmation again

    Held and failed sign-ups can be sent too. The status is 429 if the mailbox has reached its limit of
    emails.

    Returns the sign-up, which is now waiting.
    """
    row = sign_ups.send_again(site, sign_up_id, actor())
    return {"data": wire.sign_up(row, _links(site).url)}


@blueprint.delete("/fetch/sign_ups/<number:sign_up_id>")
@endpoint(scope="full", family="fetch", gives=wire.SignUpAnswer, again=AGAIN)
def delete_sign_up(site: Site, sign_up_id: int) -> dict[str, Any]:
    """Delete a sign-up

    The link of the sign-up no longer confirms anything.

    Returns the sign-up as it was.
    """
    row = sign_ups.delete(site, sign_up_id, actor())
    return {"data": wire.sign_up(row, _links(site).url)}


@blueprint.post("/batch/sign_ups/release")
@endpoint(
    scope="full",
    family="batch",
    takes=wire.ReleasedSignUps,
    gives=wire.ChangedSignUps,
    query=False,
    again=SAME,
)
def release_sign_ups(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Send what is held, or failed

    Sends the confirmation emails of held sign-ups: those in `ids`, or those requested `before` an instant.
    Without `ids`, new sign-ups are no longer held either. If `status` is `failed`, it sends failed sign-ups
    again, unless their mailbox has reached its limit of emails.

    Returns the number of sign-ups.
    """
    return {"results": holds.release(site, actor(), form.get("ids"), form.get("before"), form["status"])}


@blueprint.post("/batch/sign_ups/discard")
@endpoint(
    scope="full",
    family="batch",
    takes=wire.ChosenSignUps,
    gives=wire.ChangedSignUps,
    query=False,
    again=SAME,
)
def discard_sign_ups(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Discard what is held

    Deletes held sign-ups: those in `ids`, or those requested `before` an instant.

    Returns the number of sign-ups.
    """
    return {"results": holds.discard(site, actor(), form.get("ids"), form.get("before"))}


def _links(site: Site) -> ConfirmLinks:
    return ConfirmLinks(site, settings().base_url)
