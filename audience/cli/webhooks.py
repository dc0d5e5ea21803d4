"""`audience webhook`: where the changes of a site are sent (docs/integrations.md)."""

import json
from typing import Any

import click

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.cli.instance import on_site
from audience.cli.output import printable, show
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import webhooks
from audience.webhooks.deliveries import Delivery
from audience.webhooks.webhooks import PAUSES, Webhook
from schemas import webhooks as wire
from schemas.base import load
from schemas.values import write_date
from schemas.webhooks import ASKED

OPTIONAL = ("links", "sign_ups")  # which stay as they are unless they are given
SHOWN_ONCE = "The receiver checks signatures with this secret. It is shown only now:"
NOTHING = "name at least one change, such as --url or --pause"

webhook_argument = click.argument("webhook_id", type=WholeNumber(1))
kind_option = click.option(
    "--kind",
    "kinds",
    type=click.Choice(ASKED),
    multiple=True,
    help="Send only changes of this kind; repeatable.",
)


@click.group()
def webhook() -> None:
    """Webhooks: URLs that receive each change."""


@webhook.command()
@click.argument("url")
@kind_option
@click.option("--segment", "segment_id", metavar="SEGMENT_ID", help="Only changes of people in this segment.")
@click.option("--links", is_flag=True, help="Send the links of each subscriber too; needs https://.")
@click.option("--sign-ups", is_flag=True, help="Let forms send sign-ups to this webhook.")
@click.option("--paused", is_flag=True, help="Add the webhook paused, so that it sends nothing yet.")
@on_site
def add(settings: Settings, site: Site, as_json: bool, **asked: Any) -> None:
    """From now on, send the changes of a site to URL. The secret is shown once.

    Example: audience webhook add https://example.com/hook --kind unsubscribed --site 6f1c...
    """
    item = _item(**asked)
    webhooks.check(item, settings.webhook_private_addresses)
    row, secret = webhooks.create(site, item, COMMAND_LINE)
    show(wire.webhook_with_secret(row, secret), as_json, [f"Webhook {row.id}.", SHOWN_ONCE, secret])


@webhook.command(name="list")
@on_site
def list_webhooks(_: Settings, site: Site, as_json: bool) -> None:
    """List the webhooks of a site.

    Example: audience webhook list --site 6f1c...
    """
    rows = webhooks.list_all(site)
    lines = (f"{row.id:>6}  {row.url}  {_state(row)}" for row in rows)
    show([wire.webhook(row) for row in rows], as_json, lines)


@webhook.command(name="show")
@webhook_argument
@on_site
def show_webhook(_: Settings, webhook_id: int, site: Site, as_json: bool) -> None:
    """Show a webhook, without its secret.

    Example: audience webhook show 1 --site 6f1c...
    """
    _show(webhooks.get(site, webhook_id), as_json)


@webhook.command()
@webhook_argument
@click.option("--url", help="The new URL.")
@kind_option
@click.option("--all-kinds", is_flag=True, help="Changes of every kind.")
@click.option("--segment", "segment_id", metavar="SEGMENT_ID", help="Only changes of people in this segment.")
@click.option("--everybody", is_flag=True, help="Changes of people in any segment or none.")
@click.option(
    "--links/--no-links", default=None, help="Send the links of each subscriber, or leave them out."
)
@click.option(
    "--sign-ups/--no-sign-ups", default=None, help="Whether forms may send sign-ups to this webhook."
)
@click.option(
    "--pause/--resume", "paused", default=None, help="Pause the webhook, or resume it where it stopped."
)
@on_site
def change(settings: Settings, webhook_id: int, site: Site, as_json: bool, **asked: Any) -> None:
    """Change a webhook, pause it or resume it. Its secret stays.

    Example: audience webhook change 1 --resume --site 6f1c...
    """
    paused = asked.pop("paused")
    changes = {name: value for name, value in asked.items() if value or (value is False and name in OPTIONAL)}
    if not changes and paused is None:
        raise click.UsageError(NOTHING)
    if changes:
        item = _changed_item(webhooks.get(site, webhook_id), **changes)
        webhooks.check(item, settings.webhook_private_addresses)
        webhooks.replace(site, webhook_id, item, COMMAND_LINE)
    if paused is not None:
        webhooks.pause(site, webhook_id, paused, COMMAND_LINE)
    _show(webhooks.get(site, webhook_id), as_json)


@webhook.command()
@webhook_argument
@on_site
def rotate(_: Settings, webhook_id: int, site: Site, as_json: bool) -> None:
    """Renew the secret of a webhook. The new secret is shown once. For another 24 hours, messages are signed
    with both secrets.

    Example: audience webhook rotate 1 --site 6f1c...
    """
    row, secret = webhooks.rotate(site, webhook_id, COMMAND_LINE)
    show(wire.webhook_with_secret(row, secret), as_json, [SHOWN_ONCE, secret])


@webhook.command()
@webhook_argument
@on_site
def test(settings: Settings, webhook_id: int, site: Site, as_json: bool) -> None:
    """Send a signed message without data now. The exit status is 1 if the receiver does not answer 2xx.

    Example: audience webhook test 1 --site 6f1c...
    """
    private = settings.webhook_private_addresses
    delivery = webhook_deliveries.send_test(site, webhook_id, private_addresses=private)
    show(wire.delivery(delivery), as_json, [_line(delivery)])
    if delivery.failure:
        raise SystemExit(1)


@webhook.command()
@webhook_argument
@click.option("--after", type=WholeNumber(0), required=True, help="Send the changes after this number.")
@on_site
def replay(_: Settings, webhook_id: int, after: int, site: Site, as_json: bool) -> None:
    """Send all changes after a given number again.

    Example: audience webhook replay 1 --after 1700000000000000 --site 6f1c...
    """
    _show(webhooks.replay(site, webhook_id, after, COMMAND_LINE), as_json)


@webhook.command()
@webhook_argument
@click.option(
    "--page",
    type=WholeNumber(1, 10_000),
    default=1,
    show_default=True,
    help="The page to list, of 100 deliveries.",
)
@on_site
def deliveries(_: Settings, webhook_id: int, page: int, site: Site, as_json: bool) -> None:
    """List what was sent to a webhook in the last 30 days, newest first.

    Example: audience webhook deliveries 1 --site 6f1c...
    """
    rows, _has_more = webhook_deliveries.page(site, webhook_id, page)
    show([wire.delivery(row) for row in rows], as_json, map(_line, rows))


@webhook.command()
@webhook_argument
@on_site
def remove(_: Settings, webhook_id: int, site: Site, as_json: bool) -> None:
    """Remove a webhook. A delivery that is under way may still arrive.

    Example: audience webhook remove 1 --site 6f1c...
    """
    webhooks.delete(site, webhook_id, COMMAND_LINE)
    show({"removed": str(webhook_id)}, as_json, ["Removed."])


def _item(**asked: Any) -> dict[str, Any]:
    """The webhook that the options ask for, validated. Raises `FormError`."""
    sent = asked | {"kinds": list(asked.get("kinds") or ())}
    webhook = {name: value for name, value in sent.items() if value not in (None, [])}
    form = load(wire.SaveWebhook(), {"webhook": webhook})
    item: dict[str, Any] = form["webhook"]
    return item


def _changed_item(
    row: Webhook, all_kinds: bool = False, everybody: bool = False, **changes: Any
) -> dict[str, Any]:
    """The validated values of a changed webhook: its present ones, overridden by the changes.

    `all_kinds` and `everybody` remove its filters by kind and by segment.
    """
    kinds = None if all_kinds else json.loads(row.kinds)
    segment_id = None if everybody or row.segment_id is None else str(row.segment_id)
    return _item(**({"url": row.url, "kinds": kinds, "segment_id": segment_id} | changes))


def _show(row: Webhook, as_json: bool) -> None:
    kinds = ", ".join(json.loads(row.kinds)) or "all"
    lines = [
        row.url,
        f"kinds     {kinds}",
        f"segment   {row.segment_id or 'none'}",
        f"links     {'sent' if row.links else 'not sent'}",
        f"sign-ups  {'taken' if row.sign_ups else 'not taken'}",
        f"state     {_state(row)}",
    ]
    show(wire.webhook(row), as_json, [*lines, f"delivered up to {row.place}"])


def _state(row: Webhook) -> str:
    if row.paused:
        return f"paused: {PAUSES[row.paused]}"
    return f"{row.failures} failed {'try' if row.failures == 1 else 'tries'}" if row.failures else "works"


def _line(row: Delivery) -> str:
    numbers = f"{row.first}-{row.last}" if row.changes else row.kind
    words = f"{row.failure} {printable(row.answer)}".strip() if row.failure else "delivered"
    return f"{write_date(row.at)}  {numbers}  {row.status or '-'}  {row.milliseconds} ms  {words}"
