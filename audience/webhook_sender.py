"""Sends the changes of each site to its webhooks: in order, one message at a time for each, at least once.

The range of a message is kept from before its first try until it succeeds, and only then the place moves
behind it: a crash repeats a message, and skips nothing. No connection to the database is held meanwhile.
If what it tells of people has outgrown a message, it ends earlier, under a new id, but only once its receiver
has refused it: one that had taken it, and was not heard, would answer 2xx to the same id. Where other changes
of its range are asked for than at the last try, the id is new, too: a receiver may drop what has one it had.
"""

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice
from typing import Any

from audience import change_log_pages, clock, segment_matches, webhook_deliveries, webhooks
from audience.change_log_entries import ERASED, RESET, UNSUBSCRIBED
from audience.change_log_pages import LoggedChange
from audience.deliveries.client import Delivered
from audience.errors import Refused
from audience.sites import Site
from audience.webhook_deliveries import CHANGES, GONE, Delivery
from audience.webhooks import Webhook
from schemas.values import compact_json, write_date
from storage import change_log as stored_changes
from storage import database, leases
from storage import sites as stored_sites
from storage import webhooks as stored
from storage.webhooks import LEASE_MS

MOST_CHANGES = 500  # of a message
MOST_BYTES = 2**20
HEAD_BYTES = 100  # of a message, with its end
SECONDS = 10.0
MOST_DUE = 100
WAITS_MS = [seconds * 1000 for seconds in (5, 30, 120, 600, 3_600, *[3_600] * 72)]  # then it is paused

WriteChange = Callable[[LoggedChange], Mapping[str, Any]]  # the resource of a change


@dataclass(frozen=True)
class Message:
    """What is sent next to a webhook: the changes of its range that it asks for, about the people with
    `uuids`."""

    site: Site
    webhook: Webhook
    logged: Delivery  # its line in the log, before it is known what came of it
    body: str
    uuids: set[str]


def _logged(webhook: Webhook, told: Sequence[LoggedChange]) -> Delivery:
    """Its id is the same for each try of a range in a run that tells the same changes."""
    first, last = webhook.place + (not webhook.resets), webhook.range_end
    changes = compact_json([(change.number, change.kind) for change in told])
    digest = hashlib.blake2b(changes.encode(), digest_size=8).hexdigest()
    message_id = f"webhook-{webhook.id}-{webhook.run}-{first}-{last}-{digest}"
    return Delivery(0, webhook.id, message_id, CHANGES, clock.now_ms(), first, last, len(told))


def due() -> int:
    """How many webhooks have changes to send now, at most 100; none of a copy, which it pauses."""
    waiting = _due()
    if waiting and webhooks.pause_in_copy():
        waiting = _due()
    return len(waiting)


@database.session()
def _due() -> list[tuple[int, int, int]]:
    return stored.due(leases.now(clock.uptime_ms()), MOST_DUE)


def send(private_addresses: bool, write: WriteChange) -> bool:
    """Sends the next message of the webhook that has waited longest; False if none is due.

    Call it again and again, in as many threads and processes as may send at once.
    """
    claimed = _claim()
    if claimed is None:
        return False
    message = _message(*claimed, write)
    if message is not None:
        _deliver(message, private_addresses)
    return True


def _claim() -> tuple[Site, Webhook] | None:
    for site_id, webhook_id, lease in _due():
        with database.session():
            until = leases.now(clock.uptime_ms()) + LEASE_MS
        with database.write(site_id):
            webhook = stored.claim(site_id, webhook_id, lease, until)
        if webhook:
            with database.session():
                return next(site for site in stored_sites.list_all() if site.id == site_id), webhook
    return None


def _message(site: Site, webhook: Webhook, write: WriteChange) -> Message | None:
    """The next message, its range kept; None if there is nothing to send in the next range."""
    with database.snapshot():
        ranged, changes = _range(site, webhook)
        passing = _passing(site.id, webhook, changes)
    texts = [compact_json(write(change)) for change in passing]
    if (some := _fitting(texts)) < len(texts) and _may_cut(site, webhook, _logged(ranged, passing)):
        ranged, texts = ranged._replace(range_end=passing[some].number - 1), texts[:some]
    with database.write(site.id):
        keeps = stored.fix_range(site.id, ranged) if texts else stored.succeed(site.id, ranged)
        if not (keeps and texts):
            _release(site.id, webhook)
            return None
    told = passing[: len(texts)]
    at = write_date(told[-1].at)
    body = f'{{"type":"{CHANGES}","timestamp":"{at}","data":[{",".join(texts)}]}}'
    uuids = {each.uuid for each in told if each.uuid and each.kind != ERASED}
    return Message(site, ranged, _logged(ranged, told), body, uuids)


@database.session()
def _may_cut(site: Site, webhook: Webhook, whole: Delivery) -> bool:
    return not webhook.range_end or webhook_deliveries.was_refused(site.id, whole)


def _range(site: Site, webhook: Webhook) -> tuple[Webhook, Sequence[LoggedChange]]:
    """A webhook with the range that it has, or else the next one, and what changed in it."""
    if webhook.resets:
        return webhook, [_reset(webhook)]
    try:
        page = change_log_pages.page(site, webhook.place, MOST_CHANGES)
    except Refused:  # the place is no longer kept
        newest, _ = stored_changes.numbers(site.id)
        webhook = webhook._replace(place=newest, range_end=newest, resets=1)
        return webhook, [_reset(webhook)]
    if webhook.range_end:
        return webhook, [change for change in page.changes if change.number <= webhook.range_end]
    last = page.changes[-1].number if page.changes else page.newest
    return webhook._replace(range_end=last), page.changes


def _reset(webhook: Webhook) -> LoggedChange:
    source = "webhook", str(webhook.id)
    return LoggedChange(webhook.range_end, clock.now_ms(), RESET, source, None, None, {})


def _passing(site_id: int, webhook: Webhook, changes: Sequence[LoggedChange]) -> list[LoggedChange]:
    """Those that a webhook asks for, in the caller's session."""
    kinds = json.loads(webhook.kinds)
    asked = [each for each in changes if not kinds or each.kind in (*kinds, ERASED, RESET)]
    if webhook.segment_id is None:
        return asked
    uuids = [each.uuid for each in asked if each.uuid and each.kind not in (ERASED, UNSUBSCRIBED)]
    members = segment_matches.members(site_id, webhook.segment_id, list(dict.fromkeys(uuids)))
    return [each for each in asked if each.kind in (ERASED, RESET, UNSUBSCRIBED) or each.uuid in members]


def _fitting(texts: Sequence[str]) -> int:
    """How many of them fit into one message, at least one."""
    sizes = accumulate((len(text.encode()) + 1 for text in texts), initial=HEAD_BYTES)
    return max(1, sum(size <= MOST_BYTES for size in islice(sizes, 1, None)))


def _deliver(message: Message, private_addresses: bool) -> None:
    site, webhook, message_id = message.site, message.webhook, message.logged.message_id
    keys = webhooks.current_secrets(site.id, webhook)
    delivered = webhook_deliveries.sent(webhook, message_id, keys, message.body, SECONDS, private_addresses)
    with database.write(site.id):
        webhook_deliveries.log(site.id, message.logged, delivered, message.uuids)
        if webhook_deliveries.succeeded(delivered):
            stored.succeed(site.id, webhook)
        else:
            _note_failure(site.id, webhook, delivered)
        _release(site.id, webhook)


def _note_failure(site_id: int, webhook: Webhook, delivered: Delivered) -> None:
    failures = webhook.failures + 1
    paused = stored.GONE if delivered.status == GONE else stored.FAILING if failures > len(WAITS_MS) else ""
    wait = 0 if paused else max(WAITS_MS[webhook.failures], delivered.retry_after * 1000)
    stored.fail(site_id, webhook, failures, leases.now(clock.uptime_ms()) + wait, paused)


def _release(site_id: int, webhook: Webhook) -> None:
    stored.release(site_id, webhook, leases.now(clock.uptime_ms()))
