"""Sends the changes of each site to its webhooks: in order, one message at a time for each, at least once.

The range of a message is stored before its first try. Only when the message has succeeded does the webhook's
position move behind the range. So a crash repeats a message, and skips nothing. No connection to the database
is held while a message is sent.

A range is cut if its changes have outgrown a message since. The shorter message has a new id, and is made
only once the receiver has refused the longer one. Otherwise the receiver may have taken that message, though
its answer was lost; it would answer 2xx to the same id.

The id is also new if other changes of the range are listed than at the last try. A receiver may ignore a
message whose id it has seen.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate, islice
from typing import Any

from audience import clock, jobs
from audience.access import sites
from audience.access.sites import Site
from audience.changes import pages as change_log_pages
from audience.changes.entries import ERASED, RESET, UNSUBSCRIBED
from audience.changes.pages import LoggedChange
from audience.deliveries.client import DeliveryResult
from audience.errors import Refused
from audience.jobs import NET, Job, Kind
from audience.links.links import Links
from audience.segments import matches as segment_matches
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import outgoing, webhooks
from audience.webhooks.deliveries import CHANGES, GONE, SECONDS, Delivery
from audience.webhooks.webhooks import Webhook
from schemas.values import compact_json, write_date
from storage import database
from storage.changes import log as stored_changes
from storage.webhooks import webhooks as stored

MOST_CHANGES = 500  # of a message
MOST_BYTES = 2**20
HEAD_BYTES = 100  # of a message, with its end
MOST_AT_ONCE = 8  # of a process
MOVE_MS = 5_000  # until the next look whether a move has ended
WAITS_MS = [seconds * 1000 for seconds in (5, 30, 120, 600, 3_600, *[3_600] * 72)]  # then it pauses

WriteChange = Callable[..., Mapping[str, Any]]  # the resource of a change, and perhaps what makes links


@dataclass(frozen=True)
class Message:
    """The next message of a webhook. `body` has the changes in the webhook's range that the webhook asks for;
    `uuids` are the uuids of their subscribers, without erased ones.
    """

    site: Site
    webhook: Webhook
    logged: Delivery  # its line in the log of deliveries, still without a result
    body: str
    uuids: set[str]


def _log_entry(webhook: Webhook, listed: Sequence[LoggedChange]) -> Delivery:
    """The log entry of a try. All tries of the same changes in one run have the same message id."""
    first, last = webhook.place + (not webhook.resets), webhook.range_end
    changes = compact_json([(change.number, change.kind) for change in listed])
    digest = hashlib.blake2b(changes.encode(), digest_size=8).hexdigest()
    message_id = f"webhook-{webhook.id}-{webhook.run}-{first}-{last}-{digest}"
    return Delivery(0, webhook.id, message_id, CHANGES, clock.now_ms(), first, last, len(listed))


def kind(private_addresses: bool, write: WriteChange, base_url: str) -> Kind:
    """The job kind of webhooks. `write` makes the resource of a change; its links begin with `base_url`."""
    sends = partial(step, private_addresses=private_addresses, write=write, base_url=base_url)
    return Kind(stored.JOB, NET, sends, at_once=MOST_AT_ONCE)


def step(job: Job, _deadline: float, *, private_addresses: bool, write: WriteChange, base_url: str) -> int:
    """Sends a webhook its next message, if any. Returns milliseconds until the next step, or `SETTLED`.

    Sends nothing while the instance is being moved.
    """
    if not outgoing.is_sent_here():
        return MOVE_MS
    message = _message(job, write, base_url)
    delivered = _deliver(job, message, private_addresses) if message and message.body else None
    with database.write(job.site_id):
        jobs.hold(job, NET)
        wait_ms = _note(message, delivered) if message else 0
        return _go_on(job, wait_ms)


def _go_on(job: Job, wait_ms: int) -> int:
    """Decides when the job continues. Returns 0 for at once, otherwise `SETTLED`.

    The job is due after `wait_ms`. It ends if the webhook is paused, and rests until the next change if
    nothing is left to send.
    """
    webhook = webhooks.require(job.site_id, job.subject)
    if wait_ms:
        jobs.put_off(job, wait_ms)
    elif webhook.paused:
        jobs.end(job)
    elif webhook.resets or webhook.place != stored_changes.numbers(job.site_id)[0]:
        return 0
    else:
        jobs.rest(job)
    return jobs.SETTLED


def _message(job: Job, write: WriteChange, base_url: str) -> Message | None:
    """The next message, with an empty body if it would have no changes; None if the webhook is paused."""
    with database.snapshot():
        webhook = webhooks.require(job.site_id, job.subject)
        if webhook.paused:
            return None
        site = sites.get(job.site_id)
        ranged, changes = _range(site, webhook)
        passing = _passing(site.id, webhook, changes)
        links = [Links(site, base_url).urls_of_address] if webhook.links else []
    texts = [compact_json(write(change, *links)) for change in passing]
    if (fitting_count := _fitting(texts)) < len(texts) and _may_cut(
        site, webhook, _log_entry(ranged, passing)
    ):
        ranged, texts = ranged._replace(range_end=passing[fitting_count].number - 1), texts[:fitting_count]
    listed = passing[: len(texts)]
    uuids = {change.uuid for change in listed if change.uuid and change.kind != ERASED}
    return Message(site, ranged, _log_entry(ranged, listed), _body(listed, texts), uuids)


def _body(listed: Sequence[LoggedChange], texts: Sequence[str]) -> str:
    if not listed:
        return ""
    return f'{{"type":"{CHANGES}","timestamp":"{write_date(listed[-1].at)}","data":[{",".join(texts)}]}}'


@database.session()
def _may_cut(site: Site, webhook: Webhook, whole: Delivery) -> bool:
    """Whether the range may end earlier: it is new, or the receiver has refused the whole message."""
    return not webhook.range_end or webhook_deliveries.was_refused(site.id, whole)


def _range(site: Site, webhook: Webhook) -> tuple[Webhook, Sequence[LoggedChange]]:
    """The webhook with the range of its next message, and the changes in that. A stored range stays."""
    if webhook.resets:
        return webhook, [_reset_entry(webhook)]
    try:
        page = change_log_pages.page(site, webhook.place, MOST_CHANGES)
    except Refused:  # the position is no longer kept
        newest, _ = stored_changes.numbers(site.id)
        webhook = webhook._replace(place=newest, range_end=newest, resets=1)
        return webhook, [_reset_entry(webhook)]
    if webhook.range_end:
        return webhook, [change for change in page.changes if change.number <= webhook.range_end]
    last = page.changes[-1].number if page.changes else page.newest
    return webhook._replace(range_end=last), page.changes


def _reset_entry(webhook: Webhook) -> LoggedChange:
    """The change that tells a receiver to copy the whole site again."""
    source = "webhook", str(webhook.id)
    return LoggedChange(webhook.range_end, clock.now_ms(), RESET, source, None, None, {})


def _passing(site_id: int, webhook: Webhook, changes: Sequence[LoggedChange]) -> list[LoggedChange]:
    """The changes that a webhook asks for, in the caller's session."""
    kinds = json.loads(webhook.kinds)
    asked = [change for change in changes if not kinds or change.kind in (*kinds, ERASED, RESET)]
    if webhook.segment_id is None:
        return asked
    uuids = [change.uuid for change in asked if change.uuid and change.kind not in (ERASED, UNSUBSCRIBED)]
    members = segment_matches.members(site_id, webhook.segment_id, list(dict.fromkeys(uuids)))
    return [
        change for change in asked if change.kind in (ERASED, RESET, UNSUBSCRIBED) or change.uuid in members
    ]


def _fitting(texts: Sequence[str]) -> int:
    """How many of the texts fit into one message, at least one."""
    sizes = accumulate((len(text.encode()) + 1 for text in texts), initial=HEAD_BYTES)
    return max(1, sum(size <= MOST_BYTES for size in islice(sizes, 1, None)))


def _deliver(job: Job, message: Message, private_addresses: bool) -> DeliveryResult | None:
    """Stores the range of a message, then sends the message. Returns its result.

    Returns None, with nothing sent, if a replay has begun a new run of the webhook since.
    """
    site_id, webhook = message.site.id, message.webhook
    with database.write(site_id):
        jobs.hold(job, NET)
        if not stored.fix_range(site_id, webhook):
            return None
    keys, message_id = webhooks.current_secrets(site_id, webhook), message.logged.message_id
    return webhook_deliveries.send(webhook, message_id, keys, message.body, SECONDS, private_addresses)


def _note(message: Message, delivered: DeliveryResult | None) -> int:
    """Notes the result of a message. Returns the milliseconds to wait.

    After a success, or for an empty message, moves the webhook behind the range and returns 0.
    """
    site_id, webhook = message.site.id, message.webhook
    if delivered:
        webhook_deliveries.log(site_id, message.logged, delivered, message.uuids)
    if delivered is None or webhook_deliveries.is_success(delivered):
        stored.succeed(site_id, webhook)
        return 0
    return _note_failure(site_id, webhook, delivered)


def _note_failure(site_id: int, webhook: Webhook, delivered: DeliveryResult) -> int:
    """Notes a failed message. Returns the milliseconds to wait; 0 if the webhook is paused or was changed."""
    failures = webhook.failures + 1
    paused = stored.GONE if delivered.status == GONE else stored.FAILING if failures > len(WAITS_MS) else ""
    counts = stored.fail(site_id, webhook, failures, paused)
    return max(WAITS_MS[webhook.failures], delivered.retry_after * 1000) if counts and not paused else 0
