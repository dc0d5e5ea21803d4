"""Decides whether the mail of a sign-up is sent, or the sign-up waits, is held for an operator, or is
dropped.
"""

from typing import NamedTuple
from urllib.parse import urlsplit

from audience import clock
from audience.access import address_lists, operators
from audience.access.sites import Site
from audience.answers.validation import email_tables
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.clock import HOUR_MS
from audience.forms.forms import SignUpForm
from audience.sign_ups import alarms, mailboxes, requests
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.sign_ups import (
    ALARM,
    ANSWERED,
    DOMAIN,
    ENDED,
    FAILED,
    HELD,
    HOUR,
    MAYBE_SENT,
    MOVED,
    RELEASED,
    WAITING,
    SignUp,
)  # fmt: skip

OF_TESTS = ((20, HOUR_MS),)
CAPPED, DENIED = "capped", "denied"  # outcomes of those of which nothing is kept


class SendDecision(NamedTuple):
    """The decision about a sign-up. Without an `outcome`, its mail is sent now.

    `outcome` is `WAITING` (decide again later), `HELD`, `FAILED` or `ENDED`, with a `reason`. Any other
    outcome means that the sign-up is dropped.
    """

    outcome: str = ""
    reason: str = ""


GO = SendDecision()


def decide(
    site: Site, form: SignUpForm | None, sign_up: SignUp, base_url: str, per_hour: int
) -> SendDecision:
    """Decides about a sign-up, in the caller's transaction.

    Counts the mail towards the limits if it is to be sent, but only at the first try. `per_hour` is how
    many confirmations a site sends in an hour.
    """
    if sign_up.base_url != base_url:
        return SendDecision(HELD, MOVED)
    if sign_up.is_test:
        may_go = sign_up.tries or mailboxes.reserve_one(f"test {site.uuid}", OF_TESTS)
        return GO if may_go else _over_limits(sign_up)
    lists = address_lists.for_address(site, sign_up.email)
    if refused := _refusal(site, sign_up, lists):
        return refused
    is_released = sign_up.reason in (RELEASED, MAYBE_SENT)
    if not is_released and alarms.update(site.id).held_at:
        return SendDecision(HELD, ALARM)
    if sign_up.tries:
        return GO
    if stored.count_sent(site.id, clock.now_ms() - HOUR_MS) >= per_hour:
        return SendDecision(WAITING) if is_released else SendDecision(HELD, HOUR)
    if mailboxes.next_possible(site, sign_up.email) > clock.now_ms():
        return _over_limits(sign_up)
    domain = sign_up.email.rpartition("@")[2]
    is_bounded = not (is_released or lists.allow or _is_exempt(site, form, domain))
    if is_bounded and not mailboxes.reserve_one(f"domain {site.uuid} {domain}", mailboxes.OF_DOMAIN):
        return SendDecision(HELD, DOMAIN)
    return GO if mailboxes.reserve(site, sign_up.email) else _over_limits(sign_up)


def _over_limits(sign_up: SignUp) -> SendDecision:
    """The decision if the mailbox is at its limit: a released sign-up fails, any other is dropped."""
    return SendDecision(FAILED, CAPPED) if sign_up.reason == RELEASED else SendDecision(CAPPED)


def _refusal(site: Site, sign_up: SignUp, lists: AllowDenyLists) -> SendDecision | None:
    """The decision about a sign-up whose mail must not be sent, even when released; None if it may be sent.

    Its address is denied, its mailbox has declined, or the subscriber whom an operator asked has answered.
    """
    if sign_up.is_by_operator and not requests.is_unconfirmed_now(site, sign_up.email):
        return SendDecision(ENDED, ANSWERED)
    if lists.deny:
        return SendDecision(DENIED)
    return SendDecision(CAPPED) if mailboxes.has_declined(site, sign_up.email) else None


def _is_exempt(site: Site, form: SignUpForm | None, domain: str) -> bool:
    """Whether a domain has no limit: a free mail provider, or the domain of an owner or of a form's site."""
    own = {email.rpartition("@")[2] for email in operators.owners(site)}
    own |= {
        (urlsplit(origin).hostname or "").removeprefix("www.") for origin in (form.origins if form else ())
    }
    return domain in own or domain in email_tables.free_providers()
