"""Tells a site's owners by mail, and its webhooks that take sign-ups, that the alarm is on.

Owners are mailed at most once a day. No message has anybody's data.
"""

from functools import partial

from audience import clock, jobs
from audience.access import operators, sites
from audience.access.sites import Site
from audience.clock import DAY_MS, MINUTE_MS
from audience.config import Settings
from audience.jobs import NET, Job, Kind
from audience.looks import looks, senders
from audience.mail import messages
from audience.mail.relay import Relay
from audience.mail.results import LATER, PAUSED
from audience.sign_ups import handing_over
from audience.sign_ups.alarms import JOB
from audience.sign_ups.sending import MOVE_MS, SENDING
from audience.webhooks import outgoing, webhooks
from storage import database
from storage.sign_ups import alarms as stored

AGAIN_MS = 10 * MINUTE_MS


def kind(settings: Settings, relay: Relay) -> Kind:
    private_addresses = settings.webhook_private_addresses
    tells = partial(step, relay=relay, base_url=settings.base_url, private_addresses=private_addresses)
    return Kind(JOB, NET, tells, at_once=1)


def step(job: Job, _deadline: float, *, relay: Relay, base_url: str, private_addresses: bool) -> int:
    """Tells the webhooks and the owners that the alarm is on, and notes when the owners were mailed.

    Webhooks are tried for up to a day; owners are mailed at most once a day. Does nothing if the alarm is
    off. Returns milliseconds until the next step, or `SETTLED`.
    """
    if not outgoing.is_sent_here():
        return MOVE_MS
    site = sites.get(job.site_id)
    with database.write(site.id):
        jobs.hold(job, SENDING)
        alarm = stored.get(site.id)
        if not alarm.held_at:
            jobs.end(job)
            return jobs.SETTLED
    is_mailed = alarm.told_at > clock.now_ms() - DAY_MS
    is_told_now = not is_mailed and _tell(site, relay, base_url)
    are_told = _tell_webhooks(site, job, alarm.held_at, private_addresses)
    with database.write(site.id):
        jobs.hold(job, NET)
        if is_told_now:
            stored.put(site.id, stored.get(site.id)._replace(told_at=clock.now_ms()))
        is_over = are_told or clock.now_ms() > alarm.held_at + DAY_MS
        if is_over and (is_mailed or is_told_now):
            jobs.end(job)
        else:
            jobs.put_off(job, AGAIN_MS)
    return jobs.SETTLED


def _tell_webhooks(site: Site, job: Job, held_at: int, private_addresses: bool) -> bool:
    """Tells the webhooks that take sign-ups and were not told yet. Returns whether all have been told."""
    are_told = True
    for webhook in webhooks.for_sign_ups(site):
        with database.write(site.id):
            jobs.hold(job, SENDING)
        are_told &= handing_over.tell_alarm(site, webhook, held_at, private_addresses)
    return are_told


def _tell(site: Site, relay: Relay, base_url: str) -> bool:
    """Mails each owner. Returns False if all emails failed and should be tried again.

    Returns True if the site has no From address, or no owner has an address.
    """
    sender, language = senders.sender(site), looks.get(site).language or "en"
    owners = [email for email in operators.owners(site) if email != operators.FIRST]
    results = [
        relay.send(messages.alarm(language, sender, email, f"{base_url}/console"), sender.mail_from, email)
        for email in owners
        if sender.mail_from
    ]
    return not results or any(result.status not in (LATER, PAUSED) for result in results)
