"""What becomes of a sign-up whose turn it is: a mail, nothing, or it is held for an operator."""

from typing import NamedTuple
from urllib.parse import urlsplit

from audience import clock
from audience.access import address_lists, operators
from audience.access.sites import Site
from audience.answers.validation import email_tables
from audience.clock import HOUR_MS
from audience.forms.forms import SignUpForm
from audience.sign_ups import alarms, mailboxes
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.sign_ups import ALARM, DOMAIN, HELD, HOUR, MAYBE_SENT, MOVED, RELEASED, WAITING, SignUp

OF_TESTS = ((20, HOUR_MS),)
CAPPED, DENIED = "capped", "denied"  # outcomes of those of which nothing is kept


class SendDecision(NamedTuple):
    """A mail goes out if there is no `outcome`. It waits if that is `WAITING`; `reason` is why it is held."""

    outcome: str = ""
    reason: str = ""


GO = SendDecision()


def decide(
    site: Site, form: SignUpForm | None, sign_up: SignUp, base_url: str, per_hour: int
) -> SendDecision:
    """In the caller's transaction, which counts the mail, but not again that of another try."""
    if sign_up.base_url != base_url:
        return SendDecision(HELD, MOVED)
    if sign_up.is_test:
        may_go = sign_up.tries or mailboxes.reserve_one(f"test {site.uuid}", OF_TESTS)
        return GO if may_go else SendDecision(CAPPED)
    lists = address_lists.for_address(site, sign_up.email)
    if lists.deny:
        return SendDecision(DENIED)
    if mailboxes.has_declined(site, sign_up.email):
        return SendDecision(CAPPED)
    is_released = sign_up.reason in (RELEASED, MAYBE_SENT)
    if not is_released and alarms.look(site.id).held_at:
        return SendDecision(HELD, ALARM)
    if sign_up.tries:
        return GO
    if stored.count_sent(site.id, clock.now_ms() - HOUR_MS) >= per_hour:
        return SendDecision(WAITING) if is_released else SendDecision(HELD, HOUR)
    if mailboxes.next_possible(site, sign_up.email) > clock.now_ms():
        return SendDecision(CAPPED)
    domain = sign_up.email.rpartition("@")[2]
    is_bounded = not (is_released or lists.allow or _is_exempt(site, form, domain))
    if is_bounded and not mailboxes.reserve_one(f"domain {site.uuid} {domain}", mailboxes.OF_DOMAIN):
        return SendDecision(HELD, DOMAIN)
    return GO if mailboxes.reserve(site, sign_up.email) else SendDecision(CAPPED)


def _is_exempt(site: Site, form: SignUpForm | None, domain: str) -> bool:
    """Whether many may sign up from a domain: of everybody's mailboxes, or of the site's own people."""
    own = {email.rpartition("@")[2] for email in operators.owners(site)}
    own |= {
        (urlsplit(origin).hostname or "").removeprefix("www.") for origin in (form.origins if form else ())
    }
    return domain in own or domain in email_tables.free_providers()
