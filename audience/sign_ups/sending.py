"""Sends the confirmations of sign-ups: each as a job, until the mail server has taken or refused the mail, or
the receiver of the form's webhook has taken the sign-up.

A try is noted before it begins, so that no mailbox is counted twice. If the process ends after the mail
server has taken a mail, it is sent once more, under the same Message-ID. No connection to the database is
held while a mail is sent.
"""

from contextlib import suppress
from functools import partial

from audience import clock, jobs
from audience.access import operators, sites
from audience.access.sites import Site
from audience.clock import MINUTE_MS
from audience.config import Settings
from audience.errors import NotFound
from audience.forms import forms
from audience.forms.forms import SignUpForm
from audience.jobs import NET, Job, Kind
from audience.looks import senders
from audience.mail import messages
from audience.mail.messages import SignUpAsked
from audience.mail.relay import MOST_CONNECTIONS, Relay
from audience.mail.results import LATER, PAUSED, REFUSED, SENT, UNSURE, MailResult
from audience.mail.sender import NO_ADDRESS
from audience.sign_ups import handing_over, sign_ups
from audience.sign_ups.confirming import ConfirmLinks
from audience.sign_ups.decisions import decide
from audience.sign_ups.sign_ups import HELD_MS, NO_SIGN_UP, OPEN_MS
from audience.webhooks import outgoing
from storage import database
from storage import jobs as stored_jobs
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.sign_ups import ENDED, FAILED, HELD, MAYBE_SENT, SMTP, WAITING, WEBHOOK, SignUp

SENDING = NET._replace(lease_ms=90_000)  # longer than a mail server is waited for
MOVE_MS = 5_000  # until it is asked again whether a move has ended
PAUSE_MS = MINUTE_MS
WAITS_MS = [minutes * MINUTE_MS for minutes in (1, 5, 15, *[60] * 72)]  # between tries; then it has failed
MOST_HAND_OVERS = 2  # of a process: receivers that do not answer hold up no email
KIND_BY_DELIVERY = {SMTP: stored.JOB, WEBHOOK: stored.HAND_OVER}
NO_OWNER = "The emails of a test form go to the site's owners, but no owner has an address."
STOPPED_TWICE = "The email may have been sent: the service was stopped twice before the mail server answered."
OVER_LIMITS = "The mailbox has reached its limit of emails: send the sign-up again later."
UNSENDABLE = "relay"  # why one has failed that was refused by no mail server


def kinds(settings: Settings, relay: Relay) -> tuple[Kind, ...]:
    sends = partial(
        step,
        relay=relay,
        base_url=settings.base_url,
        private_addresses=settings.webhook_private_addresses,
        per_hour=settings.confirmations_per_hour,
    )
    return (
        Kind(stored.JOB, NET, sends, at_once=MOST_CONNECTIONS),
        Kind(stored.HAND_OVER, NET, sends, at_once=MOST_HAND_OVERS),
    )


def step(
    job: Job, _deadline: float, *, relay: Relay, base_url: str, private_addresses: bool, per_hour: int
) -> int:
    """Tries to send the confirmation of a sign-up. Returns milliseconds until the next step, or `SETTLED`.

    With `private_addresses`, webhooks may be in the operator's own network.
    """
    if not outgoing.is_sent_here():
        return MOVE_MS
    site = sites.get(job.site_id)
    with database.write(site.id):
        jobs.hold(job, SENDING)
        form, sign_up = _begin(site, job, base_url, per_hour)
        if sign_up is None:
            return jobs.SETTLED
    emails = _recipients(site, sign_up)
    if not emails:
        result = MailResult(REFUSED, NO_OWNER)
    elif form and sign_up.delivery == WEBHOOK:
        result = handing_over.hand_over(site, form, sign_up, emails, base_url, private_addresses)
    else:
        result = _mail(site, sign_up, emails, relay, base_url)
    with database.write(site.id):
        jobs.hold(job, NET)
        if wait_ms := _note(site.id, sign_up, result):
            jobs.put_off(job, wait_ms)
        else:
            jobs.end(job)
    return jobs.SETTLED


def _begin(site: Site, job: Job, base_url: str, per_hour: int) -> tuple[SignUpForm | None, SignUp | None]:
    """Decides whether to send a sign-up now. If so, counts a try, and returns the form and the sign-up.

    If not, ends the job or postpones it, and returns no sign-up. A job of the wrong kind for the delivery is
    replaced. If a try stopped before its result was stored, the mail may have been sent: one more try
    follows, and no third. Raises `NotFound`.
    """
    sign_up = stored.get(site_id=site.id, id=job.subject)
    if sign_up is None:
        raise NotFound(NO_SIGN_UP)
    form = _form(site, sign_up)
    if sign_up.status != WAITING:
        jobs.end(job)
        return form, None
    delivery = SMTP if form is None or form.delivery == SMTP else WEBHOOK
    if job.kind != (kind := KIND_BY_DELIVERY[delivery]):
        jobs.end(job)
        stored_jobs.add(site.id, kind, sign_up.id)
        return form, None
    outcome, reason = decide(site, form, sign_up, base_url, per_hour)
    if outcome == WAITING:
        jobs.put_off(job, 10 * MINUTE_MS)
        return form, None
    if outcome:
        if outcome == FAILED:
            _settle(site.id, sign_up, FAILED, OVER_LIMITS, reason=reason)
        else:
            _set_aside(site.id, sign_up, outcome, reason)
        jobs.end(job)
        return form, None
    was_stopped = sign_up.tries > 0 and sign_up.next_try_at is None and sign_up.delivery == SMTP
    if was_stopped and sign_up.reason == MAYBE_SENT:
        _settle(site.id, sign_up, FAILED, STOPPED_TWICE, reason=UNSENDABLE)
        jobs.end(job)
        return form, None
    reason = MAYBE_SENT if was_stopped else sign_up.reason
    sign_up = sign_up._replace(tries=sign_up.tries + 1, delivery=delivery, reason=reason)
    begun = {"tries": sign_up.tries, "next_try_at": None, "delivery": delivery, "reason": reason}
    stored.change(begun, site_id=site.id, id=sign_up.id)
    return form, sign_up


def _set_aside(site_id: int, sign_up: SignUp, outcome: str, reason: str) -> None:
    """Counts the outcome of a sign-up that is not sent. Holds the sign-up if that is `HELD`; else deletes it.

    A sign-up that an operator asked for is not deleted but ended: the subscriber's page says why.
    """
    if outcome != HELD and sign_up.is_by_operator:
        sign_ups.end(site_id, sign_up, ENDED)
        stored.change({"reason": reason or outcome}, site_id=site_id, id=sign_up.id)
        return
    sign_ups.count_outcome(site_id, sign_up, outcome)
    if outcome == HELD:
        held = {"status": HELD, "reason": reason, "expires_at": sign_up.requested_at + HELD_MS}
        stored.change(held, site_id=site_id, id=sign_up.id)
    else:
        stored.delete(site_id=site_id, id=sign_up.id)


def _mail(site: Site, sign_up: SignUp, emails: list[str], relay: Relay, base_url: str) -> MailResult:
    """Mails the confirmation of a sign-up to each of the addresses. Returns the last result."""
    sender = senders.sender(site)
    if not sender.mail_from:
        return MailResult(LATER, NO_ADDRESS)
    links = ConfirmLinks(site, base_url)
    asked = SignUpAsked(
        sign_up.origin or sender.home,
        sign_up.requested_at,
        clock.now_ms() + OPEN_MS,
        links.url(sign_up),
        links.decline_url(sign_up),
        sign_up.is_by_operator,
    )
    host = sender.mail_from.rpartition("@")[2]
    message_id = f"s-{handing_over.sending_id(sign_up)}@{host}"
    for email in emails:
        message = messages.confirmation(sign_up.language, sender, email, message_id, asked)
        result = relay.send(message, sender.mail_from, email, partial(_is_wanted, site, sign_up))
    return result


def _recipients(site: Site, sign_up: SignUp) -> list[str]:
    """The address of the sign-up or, for a test, those of the site's owners."""
    if not sign_up.is_test:
        return [sign_up.email]
    return [email for email in operators.owners(site) if email != operators.FIRST]


@database.session()
def _is_wanted(site: Site, sign_up: SignUp) -> bool:
    """Whether a sign-up is still waiting: it may end, or be erased, while its mail is sent."""
    return stored.has(site_id=site.id, id=sign_up.id, status=WAITING)


def _note(site_id: int, sign_up: SignUp, result: MailResult) -> int:
    """Stores the result of a try. Returns the milliseconds until the next try; 0 if there is none."""
    now = clock.now_ms()
    if result.status == SENT:
        sent_at = None if sign_up.is_test else now  # by which the alarm judges
        sent = {"sent_at": sent_at, "expires_at": now + OPEN_MS, "reason": ""}
        _settle(site_id, sign_up, SENT, result.said, **sent)
        return 0
    if result.status not in (LATER, PAUSED, REFUSED, UNSURE):
        return 0
    is_unsure = result.status == UNSURE
    is_over = now >= _asked_at(sign_up) + sum(WAITS_MS) or (is_unsure and sign_up.reason == MAYBE_SENT)
    if result.status == REFUSED or is_over:
        _settle(site_id, sign_up, FAILED, result.said, reason=UNSENDABLE if is_over else "")
        return 0
    is_paused = result.status == PAUSED
    wait_ms = PAUSE_MS if is_paused else WAITS_MS[min(sign_up.tries, len(WAITS_MS)) - 1]
    tries = max(1, sign_up.tries - is_paused)
    reason = MAYBE_SENT if is_unsure else sign_up.reason
    noted = {"tries": tries, "next_try_at": now + wait_ms, "said": result.said, "reason": reason}
    stored.change(noted, site_id=site_id, id=sign_up.id, status=WAITING)
    return wait_ms


def _asked_at(sign_up: SignUp) -> int:
    """When the sign-up began to wait: at its request, or at its release."""
    return sign_up.expires_at - OPEN_MS


def _settle(site_id: int, sign_up: SignUp, status: str, answer: str, **more: object) -> None:
    """Counts a mail as `status` (`SENT` or `FAILED`), and sets that status unless the sign-up has ended."""
    sign_ups.count_outcome(site_id, sign_up, status)
    values = {"status": status, "said": answer, "next_try_at": None} | more
    stored.change(values, site_id=site_id, id=sign_up.id, status=WAITING)


def _form(site: Site, sign_up: SignUp) -> SignUpForm | None:
    with suppress(NotFound):
        return forms.get(site, sign_up.form_id)
    return None
