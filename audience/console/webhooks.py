"""Webhooks of a site: where changes are sent, and the results. A secret is shown once."""

import json
from typing import Any

from flask import Blueprint, Response, render_template, request

from audience.access.sites import Site
from audience.changes import pages as change_log_pages
from audience.console.page import actor, page, read_form, redirect_to, validate
from audience.console.sent_once import AGAIN_SECRET, make_once
from audience.http.services import settings
from audience.segments import segments
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import webhooks
from audience.webhooks.webhooks import Webhook
from schemas.webhooks import ASKED, ReplayWebhook, SaveWebhook

blueprint = Blueprint("webhooks", __name__)

MAX_PAGE = 10_000
TICKED = ("links", "sign_ups")


@blueprint.get("/sites/<site_uuid>/webhooks")
@page(role="owner")
def index(site: Site) -> str:
    """Webhooks"""
    return render_template(
        "webhooks.html",
        webhooks=webhooks.list_all(site),
        last=webhook_deliveries.newest(site),
        sent=_field_values(None),
        **_choices(site),
    )


@blueprint.post("/sites/<site_uuid>/webhooks")
@page(role="owner", again=index)
def make(site: Site) -> str | Response:
    """Make a webhook of the site, with its secret, which is shown once"""
    item = _item()
    webhooks.check(item, settings().webhook_private_addresses)
    pair, webhook_id = make_once(site.id, lambda: webhooks.create(site, item, actor()), _id)
    return _show_once(*pair) if pair else _redirect(site, int(webhook_id), AGAIN_SECRET)


@blueprint.get("/sites/<site_uuid>/webhooks/<number:webhook_id>")
@page(role="owner")
def show(site: Site, webhook_id: int) -> str:
    """A webhook"""
    webhook, number = webhooks.get(site, webhook_id), _page()
    rows, has_more = webhook_deliveries.page(site, webhook_id, number)
    return render_template(
        "webhook.html",
        webhook=webhook,
        rows=rows,
        number=number,
        has_more=has_more,
        bounds=change_log_pages.page(site, None, 1),
        sent=_field_values(webhook),
        **_choices(site),
    )


@blueprint.post("/sites/<site_uuid>/webhooks/<number:webhook_id>")
@page(role="owner", again=show)
def change(site: Site, webhook_id: int) -> Response:
    """Change a webhook"""
    item = _item()
    webhooks.check(item, settings().webhook_private_addresses)
    webhooks.replace(site, webhook_id, item, actor())
    return _redirect(site, webhook_id)


@blueprint.post("/sites/<site_uuid>/webhooks/<number:webhook_id>/pause")
@page(role="owner", again=show)
def pause(site: Site, webhook_id: int) -> Response:
    """Pause a webhook"""
    webhooks.pause(site, webhook_id, True, actor())
    return _redirect(site, webhook_id)


@blueprint.post("/sites/<site_uuid>/webhooks/<number:webhook_id>/resume")
@page(role="owner", again=show)
def resume(site: Site, webhook_id: int) -> Response:
    """Resume a webhook where it stopped"""
    webhooks.pause(site, webhook_id, False, actor())
    return _redirect(site, webhook_id)


@blueprint.post("/sites/<site_uuid>/webhooks/<number:webhook_id>/rotate")
@page(role="owner", again=show)
def rotate(site: Site, webhook_id: int) -> str | Response:
    """Renew a webhook's secret, and show it once"""
    pair, _ = make_once(site.id, lambda: webhooks.rotate(site, webhook_id, actor()), _id)
    return _show_once(pair[0], pair[1], True) if pair else _redirect(site, webhook_id, AGAIN_SECRET)


@blueprint.post("/sites/<site_uuid>/webhooks/<number:webhook_id>/test")
@page(role="owner", again=show)
def test(site: Site, webhook_id: int) -> Response:
    """Send a test, whose result is then the first of the log"""
    webhook_deliveries.send_test(site, webhook_id, private_addresses=settings().webhook_private_addresses)
    return _redirect(site, webhook_id)


@blueprint.post("/sites/<site_uuid>/webhooks/<number:webhook_id>/replay")
@page(role="owner", again=show)
def replay(site: Site, webhook_id: int) -> Response:
    """Send all changes after a typed number again"""
    form = validate(ReplayWebhook(), {"after": read_form().get("after", "")})
    webhooks.replay(site, webhook_id, form["after"], actor())
    return _redirect(site, webhook_id)


@blueprint.post("/sites/<site_uuid>/webhooks/<number:webhook_id>/delete")
@page(role="owner", again=show)
def delete(site: Site, webhook_id: int) -> Response:
    """Delete a webhook"""
    webhooks.delete(site, webhook_id, actor())
    return redirect_to("console.webhooks.index", site_uuid=site.uuid)


def _redirect(site: Site, webhook_id: int, done: str | None = None) -> Response:
    return redirect_to("console.webhooks.show", site_uuid=site.uuid, webhook_id=webhook_id, done=done)


def _id(pair: Any) -> int:
    """The id of the webhook in a (webhook, secret)."""
    return int(pair[0].id)


def _page() -> int:
    return min(max(1, request.args.get("page", 1, int)), MAX_PAGE)


def _choices(site: Site) -> dict[str, Any]:
    return {"kinds": ASKED, "segments": segments.list_all(site), "pauses": webhooks.PAUSES}


def _field_values(webhook: Webhook | None) -> dict[str, Any]:
    """The fields of the form as sent, else the webhook's, else empty."""
    form = read_form() if request.method == "POST" else None
    if form and "url" in form:
        texts = {"url": form["url"], "kinds": form.getlist("kinds"), "segment_id": form.get("segment_id", "")}
        return texts | {name: name in form for name in TICKED}
    if webhook is None:
        return {"url": "", "kinds": [], "segment_id": ""} | dict.fromkeys(TICKED, False)
    kinds, segment_id = json.loads(webhook.kinds), str(webhook.segment_id or "")
    ticked = {name: bool(getattr(webhook, name)) for name in TICKED}
    return {"url": webhook.url, "kinds": kinds, "segment_id": segment_id} | ticked


def _item() -> dict[str, Any]:
    """The webhook in the form, as the API takes it. Raises `Refused`."""
    sent = {name: value for name, value in _field_values(None).items() if value or name in TICKED}
    item: dict[str, Any] = validate(SaveWebhook(), {"webhook": sent})["webhook"]
    return item


def _show_once(webhook: Webhook, secret: str, is_renewed: bool = False) -> str:
    """The page, which cannot be opened again, with a webhook's secret."""
    return render_template("new_secret.html", webhook=webhook, secret=secret, is_renewed=is_renewed)
