"""`audience sign-up`: requests to be subscribed that wait for their confirmation."""

from collections.abc import Iterator
from typing import Any

import click

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.cli.instance import limit_option, on_site, with_options
from audience.cli.output import counted, printable, show
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings
from audience.sign_ups import holds, requests, sign_ups
from audience.sign_ups.confirming import ConfirmLinks
from audience.sign_ups.sign_ups import SignUp
from audience.subscribers import subscribers
from schemas import sign_ups as wire
from schemas.base import load
from schemas.values import write_date

HELD, FAILED = "held", "failed"
WHICH = "give --id, --before, or --all"
CHOICES = [
    click.option("--id", "ids", type=WholeNumber(1), multiple=True, help="The id of a sign-up; repeatable."),
    click.option("--before", metavar="DATE", help="All sign-ups that were requested before this date."),
    click.option("--all", "chooses_all", is_flag=True, help="All held or failed sign-ups."),
]


@click.group(name="sign-up")
def sign_up() -> None:
    """List sign-ups, send or discard held ones, or ask a subscriber to confirm."""


@sign_up.command(name="list")
@click.option("--status", type=click.Choice(wire.STATUSES), help="Only sign-ups with this status.")
@click.option("--address", metavar="ADDRESS", default="", help="Only sign-ups of this address.")
@limit_option
@on_site
def list_sign_ups(
    settings: Settings, status: str | None, address: str, limit: int, site: Site, as_json: bool
) -> None:
    """List the sign-ups of a site, oldest first, each with its status and the mail server's last answer.

    Example: audience sign-up list --status held
    """
    rows = sign_ups.list_page(site, status or "", 0, limit, address)
    url = ConfirmLinks(site, settings.base_url).url
    show([wire.sign_up(row, url) for row in rows], as_json, _lines(site, rows, address))


@sign_up.command()
@click.argument("sign_up_id", type=WholeNumber(1))
@on_site
def send(settings: Settings, sign_up_id: int, site: Site, as_json: bool) -> None:
    """Send the confirmation email of a sign-up now, or send it again. The limits per mailbox apply.

    Example: audience sign-up send 17
    """
    _show_waiting(settings, site, sign_ups.send_again(site, sign_up_id, COMMAND_LINE), as_json)


def _show_waiting(settings: Settings, site: Site, row: SignUp, as_json: bool) -> None:
    shown = wire.sign_up(row, ConfirmLinks(site, settings.base_url).url)
    show(shown, as_json, [f"Sign-up {row.id} waits to be sent."])


@sign_up.command(name="ask")
@click.argument("email")
@on_site
def ask_to_confirm(settings: Settings, email: str, site: Site, as_json: bool) -> None:
    """Send a confirmation email to a subscriber who is unconfirmed. The limits per mailbox apply.

    Example: audience sign-up ask ann@example.com
    """
    uuid = subscribers.get(site, email).uuid
    row = requests.ask_to_confirm(site, uuid, COMMAND_LINE, settings)
    _show_waiting(settings, site, row, as_json)


@sign_up.command()
@with_options(CHOICES)
@click.option("--failed", is_flag=True, help="Send failed sign-ups instead of held ones.")
@on_site
def release(_: Settings, site: Site, as_json: bool, failed: bool, **chosen: Any) -> None:
    """Send the emails of held or failed sign-ups. Sending held ones also ends an alarm, except with --id.

    Example: audience sign-up release --failed --all
    """
    status = FAILED if failed else HELD
    _report(holds.release(site, COMMAND_LINE, **_choice(**chosen), status=status), "released", as_json)


@sign_up.command()
@with_options(CHOICES)
@on_site
def discard(_: Settings, site: Site, as_json: bool, **chosen: Any) -> None:
    """Delete held sign-ups.

    Example: audience sign-up discard --id 17
    """
    _report(holds.discard(site, COMMAND_LINE, **_choice(**chosen)), "discarded", as_json)


def _choice(ids: tuple[int, ...], before: str | None, chooses_all: bool) -> dict[str, Any]:
    """The validated options that choose sign-ups; empty for all. Raises `UsageError` without any option."""
    if not (ids or before or chooses_all):
        raise click.UsageError(WHICH)
    sent = {name: value for name, value in (("ids", list(ids)), ("before", before)) if value}
    chosen: dict[str, Any] = load(wire.ChosenSignUps(), sent) if sent else {}
    return chosen


def _report(number: int, done: str, as_json: bool) -> None:
    """Prints how many sign-ups were `released` or `discarded` (`done`)."""
    show({done: number}, as_json, [f"{done.capitalize()}: {counted(number, 'sign-up')}."])


def _lines(site: Site, rows: list[SignUp], address: str) -> Iterator[str]:
    for row in rows:
        why = ", ".join(filter(None, (row.reason, row.said)))
        email = printable(row.email) or "-"
        yield f"{row.id:>6}  {write_date(row.requested_at)}  {row.status:<9}  {email}  {why}".rstrip()
    if address and (wait := sign_ups.seconds_to_wait(site, address)):
        yield f"The next email may go to this address in {counted(wait, 'second')}."
