"""Mails the links of an address to it, for whoever asks on a page of the site.

Accepting a request reads nothing of the list, so that no answer tells who is on it. The job decides: only
the address of a subscriber, even of an unsubscribed one, is sent links. The request's row and job
end together.
"""

import hashlib
from functools import partial

from audience import clock, jobs
from audience.access import address_lists, site_keys, sites
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.clock import DAY_MS
from audience.config import Settings
from audience.errors import NotFound
from audience.jobs import NET, Job, Kind
from audience.links.links import Links
from audience.looks import senders
from audience.mail import messages
from audience.mail.relay import Relay
from audience.mail.results import LATER, PAUSED, UNSURE, MailResult
from audience.mail.sender import NO_ADDRESS
from audience.sign_ups import mailboxes
from audience.sign_ups.sending import MOVE_MS, PAUSE_MS, SENDING, WAITS_MS
from audience.webhooks import outgoing
from storage import database
from storage import jobs as stored_jobs
from storage.sign_ups import link_requests as stored
from storage.sign_ups.link_requests import LinkRequest
from storage.subscribers import subscribers as stored_subscribers
from storage.subscribers.subscribers import Subscriber

MAYBE_SENT_TWICE = -2  # as the tries of a request
NO_REQUEST = "The request for links is over."


@database.writes_site
def accept(site: Site, email: str, language: str, base_url: str) -> None:
    """Stores a request and queues its email. `email` is in normal form; `base_url` is the setting's value."""
    address_hash = site_keys.address_hash(site.id, email)
    request = LinkRequest(0, address_hash, email, language, base_url, clock.now_ms())
    stored_jobs.add(site.id, stored.JOB, stored.add(request, site_id=site.id))
    change_log.note_site(site.id)


def kind(settings: Settings, relay: Relay) -> Kind:
    return Kind(stored.JOB, NET, partial(step, relay=relay, base_url=settings.base_url), at_once=2)


def step(job: Job, _deadline: float, *, relay: Relay, base_url: str) -> int:
    """Tries to mail the links of a request. Returns milliseconds until the next step, or `SETTLED`."""
    if not outgoing.is_sent_here():
        return MOVE_MS
    site = sites.get(job.site_id)
    with database.write(site.id):
        jobs.hold(job, SENDING)
        request = stored.get(site_id=site.id, id=job.subject)
        if request is None:
            raise NotFound(NO_REQUEST)
        subscriber = _recipient(site, request, base_url)
        if subscriber is None:
            _end(job)
            return jobs.SETTLED
        _put_tries(site, request, min(request.tries, 0) - 1)  # one more may have been taken from now on
    result = _send(site, request, subscriber, relay)
    with database.write(site.id):
        jobs.hold(job, NET)
        if wait_ms := _wait_ms(request, result):
            if result.status != UNSURE:
                _put_tries(site, request, _tries_after(request, result))
            jobs.put_off(job, wait_ms)
        else:
            _end(job)
    return jobs.SETTLED


@database.session()
def oldest_waiting_seconds(only_site: int | None) -> float:
    """How many seconds the oldest unsent request of all sites, or of one, has waited; 0 if there is none."""
    since = stored.oldest(only_site)
    return 0.0 if since is None else max(0, clock.now_ms() - since) / 1000


def _recipient(site: Site, request: LinkRequest, base_url: str) -> Subscriber | None:
    """The subscriber who gets the links, or None. Counts the email towards the limits at the first try."""
    subscriber = stored_subscribers.get_by_key(site.id, request.email)
    if subscriber is None or request.base_url != base_url or request.tries == MAYBE_SENT_TWICE:
        return None
    if address_lists.for_address(site, request.email).deny:
        return None
    may_go = request.tries or mailboxes.reserve_links(site, request.email)
    return subscriber if may_go else None


def _send(site: Site, request: LinkRequest, subscriber: Subscriber, relay: Relay) -> MailResult:
    sender = senders.sender(site)
    if not sender.mail_from:
        return MailResult(LATER, NO_ADDRESS)
    urls = Links(site, request.base_url).urls(subscriber.uuid, subscriber.email_key)
    host = sender.mail_from.rpartition("@")[2]
    nonce = f"{site.uuid} {request.id} {request.requested_at}"
    message_id = f"l-{hashlib.sha256(nonce.encode()).hexdigest()[:32]}@{host}"
    message = messages.links(request.language, sender, request.email, message_id, urls)
    return relay.send(message, sender.mail_from, request.email, partial(_is_wanted, site, request))


@database.session()
def _is_wanted(site: Site, request: LinkRequest) -> bool:
    """Whether a request still exists. Erasing its address deletes it, even during sending."""
    return stored.has(site_id=site.id, id=request.id)


def _wait_ms(request: LinkRequest, result: MailResult) -> int:
    """The milliseconds until the next try; 0 to stop, because the email was taken or refused, or after a day.

    `request` is as it was before this try. An email that may have been taken is sent once more; the waits are
    then the longest.
    """
    is_repeated = result.status in (LATER, PAUSED) or (result.status == UNSURE and request.tries >= 0)
    if not is_repeated or clock.now_ms() >= request.requested_at + DAY_MS:
        return 0
    return PAUSE_MS if result.status == PAUSED else WAITS_MS[min(request.tries, len(WAITS_MS) - 1)]


def _tries_after(request: LinkRequest, result: MailResult) -> int:
    """The number of tries after one that certainly sent nothing. A pause is not counted as a try, but
    the number is at least 1: the email has been counted towards the limits.
    """
    if request.tries < 0:
        return request.tries
    return max(1, request.tries + (result.status != PAUSED))


def _put_tries(site: Site, request: LinkRequest, tries: int) -> None:
    stored.change({"tries": tries}, site_id=site.id, id=request.id)


def _end(job: Job) -> None:
    stored.delete(site_id=job.site_id, id=job.subject)
    jobs.end(job)
