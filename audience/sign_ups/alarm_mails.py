"""Tells the owners of a site by mail that its alarm is on: at most once a day, and without anybody's data."""

from functools import partial

from audience import clock, jobs, outgoing
from audience.access import operators, sites
from audience.access.sites import Site
from audience.clock import DAY_MS, MINUTE_MS
from audience.config import Settings
from audience.jobs import NET, Job, Kind
from audience.looks import looks, senders
from audience.mail import messages
from audience.mail.relay import Relay
from audience.mail.results import LATER, PAUSED
from audience.sign_ups.alarms import JOB
from audience.sign_ups.sending import MOVE_MS, SENDING
from storage import database
from storage.sign_ups import alarms as stored

AGAIN_MS = 10 * MINUTE_MS


def kind(settings: Settings, relay: Relay) -> Kind:
    return Kind(JOB, NET, partial(step, relay=relay, base_url=settings.base_url))


def step(job: Job, _deadline: float, *, relay: Relay, base_url: str) -> int:
    """Mails the owners that the alarm is on, and notes when.

    Sends nothing if the owners were told within a day, or if the alarm is off again. Returns milliseconds
    until the next step, or `SETTLED`.
    """
    if not outgoing.is_sent_here():
        return MOVE_MS
    site = sites.get(job.site_id)
    with database.write(site.id):
        jobs.hold(job, SENDING)
        alarm = stored.get(site.id)
        if not alarm.held_at or alarm.told_at > clock.now_ms() - DAY_MS:
            jobs.end(job)
            return jobs.SETTLED
    is_told = _tell(site, relay, base_url)
    with database.write(site.id):
        jobs.hold(job, NET)
        if is_told:
            stored.put(site.id, stored.get(site.id)._replace(told_at=clock.now_ms()))
            jobs.end(job)
        else:
            jobs.put_off(job, AGAIN_MS)
    return jobs.SETTLED


def _tell(site: Site, relay: Relay, base_url: str) -> bool:
    """Mails each owner. Returns False if there are owners to mail, but every mail must be tried again later.

    A site without a From address, or whose owners have no address, has nobody to mail: True.
    """
    sender, language = senders.sender(site), looks.get(site).language or "en"
    owners = [email for email in operators.owners(site) if email != operators.FIRST]
    results = [
        relay.send(messages.alarm(language, sender, email, f"{base_url}/console"), sender.mail_from, email)
        for email in owners
        if sender.mail_from
    ]
    return not results or any(result.status not in (LATER, PAUSED) for result in results)
