"""Webhooks. Instants are in milliseconds."""

import json
from typing import NamedTuple

from peewee import BigIntegerField, ForeignKeyField, TextField

from storage.base_models import SiteOwnedModel
from storage.database import execute, row, rows
from storage.records import Records
from storage.segments.segments import SegmentModel
from storage.sql import rows_of
from storage.webhooks.deliveries import IMPORT_FINISHED

JOB = "webhook"  # the kind of the job of a webhook that is not paused
OPERATOR, GONE, FAILING, RESTORED = "operator", "gone", "failing", "restored"  # why a webhook is paused


class Webhook(NamedTuple):
    """A webhook. Changes up to the number `place` are delivered. `range_end` is the last number of the
    delivery under way, 0 without one. `run` grows with each new start: results of an earlier run are then
    ignored.

    If `resets` is 1, that delivery tells the receiver that the changes after `place` are no longer kept.
    `kinds` is JSON. `paused` is the reason for a pause, or "". `links` is 1 if messages have the links of
    subscribers, `sign_ups` is 1 if forms may send sign-ups to it.
    """

    id: int
    url: str
    kinds: str
    segment_id: int | None
    paused: str
    nonce: str
    place: int
    created_at: int
    updated_at: int
    old_nonce: str = ""
    old_nonce_until: int = 0
    run: int = 1
    range_end: int = 0
    resets: int = 0
    failures: int = 0
    links: int = 0
    sign_ups: int = 0


class WebhookModel(SiteOwnedModel, table="webhooks", record=Webhook):
    segment = ForeignKeyField(SegmentModel, null=True)
    nonce = TextField()
    run = BigIntegerField(default=1)

    class Meta:
        indexes = ((("site", "id"), False),)


WEBHOOKS = Records(WebhookModel, Webhook)
add, delete, get, has = WEBHOOKS.add_new, WEBHOOKS.delete, WEBHOOKS.get, WEBHOOKS.has


def list_all(site_id: int) -> list[Webhook]:
    """The webhooks of a site, oldest first."""
    return WEBHOOKS.find("ORDER BY id", site_id=site_id)


def for_sign_ups(site_id: int) -> list[Webhook]:
    """The webhooks of a site that may get the sign-ups of forms, oldest first."""
    return [webhook for webhook in list_all(site_id) if webhook.sign_ups]


def for_imports(site_id: int) -> list[Webhook]:
    """The webhooks of a site that ask to be told of ended imports, oldest first."""
    return [webhook for webhook in list_all(site_id) if IMPORT_FINISHED in json.loads(webhook.kinds)]


def change(site_id: int, webhook: Webhook) -> None:
    """Stores the settings and the pause of a webhook. Its failed tries are set to 0."""
    asked = ("url", "kinds", "segment_id", "paused", "links", "sign_ups", "updated_at")
    WEBHOOKS.change(
        {"failures": 0} | {name: getattr(webhook, name) for name in asked}, site_id=site_id, id=webhook.id
    )


def put_nonce(site_id: int, webhook: Webhook, nonce: str, old_until: int) -> None:
    """Sets a new nonce. The current one stays valid until the instant `old_until`."""
    nonces = {"nonce": nonce, "old_nonce": WebhookModel.nonce, "old_nonce_until": old_until}
    WEBHOOKS.change(nonces, site_id=site_id, id=webhook.id)


def begin_run(site_id: int, webhook_id: int, position: int) -> None:
    """Lets a webhook continue after the change `position`, in a new run.

    A try that is under way no longer moves the webhook's cursor.
    """
    begun = {"place": position, "run": WebhookModel.run + 1, "range_end": 0, "resets": 0, "failures": 0}
    WEBHOOKS.change(begun, site_id=site_id, id=webhook_id)


def pause_all(site_id: int, why: str) -> int:
    """Pauses the webhooks of a site that are not paused, for the reason `why`. Returns how many."""
    return WEBHOOKS.change({"paused": why}, site_id=site_id, paused="")


def count_paused(site_id: int | None) -> list[tuple[str, int]]:
    """The (reason, number) of paused webhooks of a site, or of all, except those that an operator paused."""
    of = rows_of(site_id)
    return rows(
        f"SELECT paused, count(*) FROM webhooks WHERE {of.text} AND paused NOT IN ('', '{OPERATOR}') "
        "GROUP BY paused ORDER BY paused",
        of.parameters,
    )


def largest_backlog(site_id: int | None) -> int:
    """The highest number of undelivered changes of any webhook of a site, or of all, that is not paused.

    A webhook whose next changes are no longer kept counts as 1: the reset that tells the receiver so.
    """
    of = rows_of(site_id, "w.")
    record = row(
        "SELECT max(CASE WHEN w.place BETWEEN c.oldest_change - 1 AND c.changes "
        "THEN c.changes - w.place + w.resets ELSE 1 END) "
        "FROM webhooks w JOIN site_counters c ON c.site_id = w.site_id "
        f"WHERE {of.text} AND w.paused = ''",
        of.parameters,
    )
    return record[0] or 0


def fix_range(site_id: int, webhook: Webhook) -> bool:
    """Stores the range of the next delivery, the same for each retry. Returns False if a new run began."""
    return _settle(site_id, webhook, place=webhook.place, range_end=webhook.range_end, resets=webhook.resets)


def succeed(site_id: int, webhook: Webhook) -> bool:
    """Moves the webhook's cursor to the end of the delivered range. Returns False if a new run has begun."""
    return _settle(site_id, webhook, place=webhook.range_end, range_end=0, resets=0, failures=0)


def fail(site_id: int, webhook: Webhook, failures: int, paused: str) -> bool:
    """Stores the number of failed tries. Pauses the webhook for the reason `paused`, unless that is "" or it
    is paused already.

    Returns False if a new run has begun, or the webhook was changed meanwhile.
    """
    changed = execute(
        "UPDATE webhooks SET failures = ?, paused = CASE WHEN paused = '' THEN ? ELSE paused END "
        "WHERE site_id = ? AND id = ? AND run = ? AND updated_at = ?",
        (failures, paused, site_id, webhook.id, webhook.run, webhook.updated_at),
    )
    return bool(changed)


def _settle(site_id: int, webhook: Webhook, **values: int) -> bool:
    """Changes the row of a webhook. Returns False, unchanged, if a new run has begun."""
    return WEBHOOKS.change(values, site_id=site_id, id=webhook.id, run=webhook.run) > 0
