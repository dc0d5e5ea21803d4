"""Webhooks: the URLs to which the changes of a site are sent. `audience.webhooks.sender` sends them."""

from collections.abc import Mapping
from typing import Any

from audience import clock
from audience.access import audit_log, site_keys
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.changes import log as change_log
from audience.changes.pages import NO_PLACE
from audience.clock import DAY_MS
from audience.deliveries import signing
from audience.deliveries.addresses import AddressRefused, check_url
from audience.errors import NotFound, Refused
from audience.segments import segments
from schemas.codes import Code, Sentence
from schemas.values import FieldError, compact_json
from storage import database
from storage import jobs as stored_jobs
from storage.changes import log as stored_changes
from storage.forms import forms as stored_forms
from storage.webhooks import webhooks as stored
from storage.webhooks.webhooks import FAILING, GONE, OPERATOR, RESTORED, Webhook

__all__ = ["Webhook"]

OVERLAP_MS = DAY_MS
NO_WEBHOOK = Sentence(
    Code.WEBHOOK_NOT_FOUND, "Webhook not found: GET /v1/fetch/webhooks lists the webhooks of the site."
)
PAUSED = (
    "{} webhooks are paused, so that a copy of the database sends nothing: resume each webhook with "
    "`audience webhook change ID --resume`."
)
NO_SEGMENT = Sentence(
    Code.UNKNOWN_RECORD, "Send the id of a segment of the site: GET /v1/fetch/segments lists them."
)
NO_LINKS = Sentence(
    Code.URL_REFUSED,
    "Links act for subscribers, so they are only sent encrypted: give an https:// URL, or leave the links "
    "out.",
)
IN_USE = Sentence(
    Code.IN_USE,
    "Sign-ups are sent to this webhook: first choose another `delivery` for the form {}.",
)
PAUSES = {
    OPERATOR: "by an operator or a key",
    GONE: "the receiver answered 410",
    FAILING: "the receiver has failed for three days",
    RESTORED: "a backup was restored, or the database copied",
}


@database.session()
def list_all(site: Site) -> list[Webhook]:
    """The webhooks of a site, oldest first."""
    return stored.list_all(site.id)


@database.session()
def for_sign_ups(site: Site) -> list[Webhook]:
    """The webhooks that may get the sign-ups of forms, oldest first."""
    return stored.for_sign_ups(site.id)


@database.session()
def get(site: Site, webhook_id: int) -> Webhook:
    """Gets a webhook. Raises `NotFound`."""
    return require(site.id, webhook_id)


@database.writes_site
def create(site: Site, item: Mapping[str, Any], actor: Actor | None = None) -> tuple[Webhook, str]:
    """Creates a webhook, which begins with the next change. Returns it and its secret.

    `item` has url, kinds, segment_id, paused, links and sign_ups, and has passed `check`. With an `actor`,
    the audit log records it. Raises `Refused`.
    """
    at, nonce = clock.now_ms(), site_keys.new_webhook_nonce()
    draft = Webhook(0, "", "[]", None, "", nonce, stored_changes.numbers(site.id)[0], at, at)
    webhook = _change_webhook(site.id, draft, item)
    webhook = webhook._replace(id=stored.add(webhook, site_id=site.id))
    _record(site, actor, "webhook made", webhook)
    _hasten(site.id, webhook)
    return webhook, current_secrets(site.id, webhook)[0]


@database.writes_site
def replace(site: Site, webhook_id: int, item: Mapping[str, Any], actor: Actor | None = None) -> Webhook:
    """Replaces a webhook's values by an item that has passed `check`. If it lacks `paused`, `links` or
    `sign_ups`, these stay.

    Raises `NotFound`, `Refused`.
    """
    webhook = _change_webhook(site.id, require(site.id, webhook_id), item)
    stored.change(site.id, webhook)
    _record(site, actor, "webhook changed", webhook)
    _hasten(site.id, webhook)
    return require(site.id, webhook_id)


@database.writes_site
def pause(site: Site, webhook_id: int, is_paused: bool, actor: Actor | None = None) -> Webhook:
    """Pauses a webhook, or resumes it. The URL is not checked. Raises `NotFound`."""
    webhook = require(site.id, webhook_id)
    if bool(webhook.paused) is is_paused:
        return webhook
    webhook = webhook._replace(paused=OPERATOR if is_paused else "", updated_at=clock.now_ms())
    stored.change(site.id, webhook)
    _record(site, actor, "webhook paused" if is_paused else "webhook resumed", webhook)
    _hasten(site.id, webhook)
    return require(site.id, webhook_id)


def check(item: Mapping[str, Any], private_addresses: bool) -> None:
    """Raises `Refused` for a `url` that may not be called. May query the DNS: call it outside a
    transaction.
    """
    takes_sign_ups = bool(item.get("sign_ups"))
    try:
        check_url(str(item["url"]), private_addresses=private_addresses, is_secret=takes_sign_ups)
    except AddressRefused as refused:
        raise Refused(refused.message, [FieldError("webhook.url", refused.message)]) from None


def _change_webhook(site_id: int, webhook: Webhook, item: Mapping[str, Any]) -> Webhook:
    """The webhook with the values of `item`. Raises `Refused`."""
    paused = item.get("paused", bool(webhook.paused))
    links = item.get("links", bool(webhook.links))
    if links and not item["url"].lower().startswith("https://"):
        raise Refused(NO_LINKS, [FieldError("webhook.links", NO_LINKS)])
    takes_sign_ups = item.get("sign_ups", bool(webhook.sign_ups))
    if webhook.sign_ups and not takes_sign_ups:
        _check_unused(site_id, webhook)
    return webhook._replace(
        url=item["url"],
        kinds=compact_json(item.get("kinds", [])),
        segment_id=_segment(site_id, item.get("segment_id")),
        paused=(webhook.paused or OPERATOR) if paused else "",
        links=int(links),
        sign_ups=int(takes_sign_ups),
        updated_at=clock.now_ms(),
    )


def _check_unused(site_id: int, webhook: Webhook) -> None:
    """Raises `Refused` if a form that is not archived sends its sign-ups to the webhook."""
    forms = [form for form in stored_forms.list_all(site_id) if form.delivery == str(webhook.id)]
    if names := [form.name for form in forms if form.state != "archived"]:
        message = IN_USE.format(", ".join(names))
        raise Refused(message, [FieldError("webhook.sign_ups", message)])


def _segment(site_id: int, segment_id: str | None) -> int | None:
    """The id of the segment that a webhook is limited to. Raises `Refused`."""
    if segment_id is None:
        return None
    try:
        return segments.require(site_id, segment_id).id
    except NotFound:
        raise Refused(NO_SEGMENT, [FieldError("webhook.segment_id", NO_SEGMENT)]) from None


@database.writes_site
def delete(site: Site, webhook_id: int, actor: Actor | None = None) -> Webhook:
    """Deletes a webhook. Returns it. Raises `NotFound`, and `Refused` if a form uses it."""
    webhook = require(site.id, webhook_id)
    _check_unused(site.id, webhook)
    stored.delete(site_id=site.id, id=webhook.id)
    stored_jobs.remove(site.id, stored.JOB, webhook.id)
    _record(site, actor, "webhook deleted", webhook)
    return webhook


@database.writes_site
def rotate(site: Site, webhook_id: int, actor: Actor | None = None) -> tuple[Webhook, str]:
    """Renews a webhook's secret. Returns (webhook, new secret). Raises `NotFound`.

    The old secret signs for 24 more hours, too.
    """
    webhook, nonce = require(site.id, webhook_id), site_keys.new_webhook_nonce()
    stored.put_nonce(site.id, webhook, nonce, clock.now_ms() + OVERLAP_MS)
    _record(site, actor, "webhook secret renewed", webhook)
    webhook = require(site.id, webhook_id)
    return webhook, current_secrets(site.id, webhook)[0]


@database.writes_site
def replay(site: Site, webhook_id: int, after: int, actor: Actor | None = None) -> Webhook:
    """Sends the changes after number `after` again, under new message ids. Raises `NotFound`, `Refused`."""
    webhook = require(site.id, webhook_id)
    newest, oldest = stored_changes.numbers(site.id)
    if not oldest - 1 <= after <= newest:
        raise Refused(NO_PLACE, [FieldError("after", NO_PLACE)])
    stored.begin_run(site.id, webhook.id, after)
    _record(site, actor, "webhook changes sent again", webhook)
    _hasten(site.id, webhook)
    return require(site.id, webhook_id)


def current_secrets(site_id: int, webhook: Webhook) -> list[str]:
    """The secrets that sign now, newest first."""
    has_two = webhook.old_nonce and clock.now_ms() < webhook.old_nonce_until
    nonces = [webhook.nonce, webhook.old_nonce] if has_two else [webhook.nonce]
    return [signing.secret(site_keys.webhook_secret(site_id, webhook.id, nonce)) for nonce in nonces]


@database.session()
def count_paused(only_site: int | None = None) -> dict[str, int]:
    """The number of webhooks that were paused, but not by an operator, by reason."""
    return {PAUSES[why]: number for why, number in stored.count_paused(only_site)}


@database.session()
def largest_backlog(only_site: int | None = None) -> int:
    """The largest number of undelivered changes that one webhook has, of all sites or of one."""
    return stored.largest_backlog(only_site)


def require(site_id: int, webhook_id: int) -> Webhook:
    """Gets a webhook in the caller's session. Raises `NotFound`."""
    webhook = stored.get(site_id=site_id, id=webhook_id)
    if webhook is None:
        raise NotFound(NO_WEBHOOK)
    return webhook


def _hasten(site_id: int, webhook: Webhook) -> None:
    """Makes a webhook's job due now, unless the webhook is paused; then the job ends at its next run."""
    if not webhook.paused:
        stored_jobs.hasten(site_id, stored.JOB, webhook.id)
        change_log.note_site(site_id)


def _record(site: Site, actor: Actor | None, action: str, webhook: Webhook) -> None:
    if actor:
        audit_log.record(actor, action, site, f"webhook {webhook.id}")
