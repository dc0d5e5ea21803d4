"""Webhooks: where changes are sent, and what came of it."""

from functools import partial
from typing import Any

from flask import Blueprint

from audience.access.sites import Site
from audience.api import repeats
from audience.api.endpoint import actor, endpoint
from audience.api.etags import apply_patch
from audience.http.services import settings
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import webhooks
from schemas import webhooks as wire
from schemas.pages import Paged, page_meta

blueprint = Blueprint("webhooks", __name__)


def _resource(site: Site, webhook_id: int) -> dict[str, Any]:
    return wire.webhook(webhooks.get(site, webhook_id))


def _without_secret(site: Site, webhook_id: int) -> dict[str, Any]:
    return wire.webhook_with_secret(webhooks.get(site, webhook_id), None)


def _check_url(form: dict[str, Any], **_: Any) -> None:
    if form["webhook"].get("url") is not None:
        webhooks.check(form["webhook"], settings().webhook_private_addresses)


AGAIN, AGAIN_WITHOUT_SECRET = repeats.resource(_resource), repeats.resource(_without_secret)
saves = partial(endpoint, scope="full", family="fetch", gives=wire.WebhookAnswer, query=False, again=AGAIN)


@blueprint.get("/fetch/webhooks")
@endpoint(scope="read", family="fetch", gives=wire.WebhookList)
def list_webhooks(site: Site) -> dict[str, Any]:
    """List the webhooks

    The list has no secrets.

    Returns the webhooks, oldest first.
    """
    return {"data": [wire.webhook(row) for row in webhooks.list_all(site)]}


@blueprint.post("/fetch/webhooks")
@saves(
    takes=wire.SaveWebhook,
    gives=wire.SignedWebhook,
    status=201,
    again=AGAIN_WITHOUT_SECRET,
    before=_check_url,
)
def create_webhook(site: Site, form: dict[str, Any]) -> dict[str, Any]:
    """Make a webhook

    From now on, each change is sent to `url`, in order and at least once, with the signature of Standard
    Webhooks.

    Returns the webhook with its secret, which no later answer shows.
    """
    return {"data": wire.webhook_with_secret(*webhooks.create(site, form["webhook"], actor()))}


@blueprint.get("/fetch/webhooks/<number:webhook_id>")
@endpoint(scope="read", family="fetch", gives=wire.WebhookAnswer, tagged=True)
def get_webhook(site: Site, webhook_id: int) -> dict[str, Any]:
    """Get a webhook

    `delivered` is the number of the last change that it has delivered.

    Returns the webhook, without its secret.
    """
    return {"data": _resource(site, webhook_id)}


@blueprint.put("/fetch/webhooks/<number:webhook_id>")
@saves(takes=wire.SaveWebhook, before=_check_url, current=_resource)
def update_webhook(site: Site, form: dict[str, Any], webhook_id: int) -> dict[str, Any]:
    """Replace a webhook

    `url`, `kinds` and `segment_id` are all replaced. Without `paused`, the webhook stays paused or active.
    Waiting deliveries are tried again at once. The secret stays.

    Returns the webhook as it is now.
    """
    return {"data": wire.webhook(webhooks.replace(site, webhook_id, form["webhook"], actor()))}


@blueprint.patch("/fetch/webhooks/<number:webhook_id>")
@saves(takes=wire.PatchWebhook, before=_check_url, current=_resource, atomic=True)
def patch_webhook(site: Site, form: dict[str, Any], webhook_id: int) -> dict[str, Any]:
    """Change a webhook

    The body is a JSON merge patch: values that you leave out stay, and null for `kinds` or `segment_id`
    removes the filter. Waiting deliveries are tried again at once.

    Returns the webhook as it is now.
    """
    if not form["webhook"]:
        return {"data": _resource(site, webhook_id)}
    item = apply_patch(wire.SaveWebhook, "webhook", _resource(site, webhook_id), form["webhook"])
    return {"data": wire.webhook(webhooks.replace(site, webhook_id, item, actor()))}


@blueprint.delete("/fetch/webhooks/<number:webhook_id>")
@endpoint(scope="full", family="fetch", gives=wire.WebhookAnswer, again=AGAIN, current=_resource)
def delete_webhook(site: Site, webhook_id: int) -> dict[str, Any]:
    """Delete a webhook

    A delivery that is under way may still arrive.

    Returns the webhook as it was.
    """
    return {"data": wire.webhook(webhooks.delete(site, webhook_id, actor()))}


@blueprint.post("/fetch/webhooks/<number:webhook_id>/rotate")
@endpoint(scope="full", family="fetch", gives=wire.SignedWebhook, again=AGAIN_WITHOUT_SECRET)
def rotate_webhook_secret(site: Site, webhook_id: int) -> dict[str, Any]:
    """Renew the secret of a webhook

    For 24 hours, deliveries are signed with both secrets.

    Returns the webhook with its new secret, which no later answer shows.
    """
    return {"data": wire.webhook_with_secret(*webhooks.rotate(site, webhook_id, actor()))}


@blueprint.post("/fetch/webhooks/<number:webhook_id>/replay")
@endpoint(scope="full", family="fetch", takes=wire.ReplayWebhook, gives=wire.WebhookAnswer, again=AGAIN)
def replay_webhook(site: Site, form: dict[str, Any], webhook_id: int) -> dict[str, Any]:
    """Send changes again

    Sends all changes after the number `after` again, with new `webhook-id`s. If the record does not reach
    back to the number, it is refused.

    Returns the webhook as it is now.
    """
    return {"data": wire.webhook(webhooks.replay(site, webhook_id, form["after"], actor()))}


@blueprint.post("/fetch/webhooks/<number:webhook_id>/test")
@endpoint(scope="full", family="fetch", gives=wire.DeliveryAnswer)
def test_webhook(site: Site, webhook_id: int) -> dict[str, Any]:
    """Send a test

    Sends a signed message of the type `test` without data, even while the webhook is paused.

    Returns the result, which may take 7 seconds.
    """
    private = settings().webhook_private_addresses
    return {"data": wire.delivery(webhook_deliveries.send_test(site, webhook_id, private_addresses=private))}


@blueprint.get("/fetch/webhooks/<number:webhook_id>/deliveries")
@endpoint(scope="read", family="fetch", takes=Paged, gives=wire.DeliveryList)
def list_deliveries(site: Site, form: dict[str, Any], webhook_id: int) -> dict[str, Any]:
    """List the deliveries of a webhook

    Lists each attempt of the last 30 days, 100 per page.

    Returns a page of deliveries, newest first.
    """
    rows, has_more = webhook_deliveries.page(site, webhook_id, form["page"])
    meta = page_meta(form, webhook_deliveries.PAGE_SIZE, has_more)
    return {"data": [wire.delivery(row) for row in rows], "meta": meta}
