"""`audience mail`: whether emails go out (docs/sign-up.md)."""

import click

from audience.access import operators
from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.cli.instance import on_site
from audience.cli.output import show
from audience.config import Settings
from audience.looks import senders
from audience.mail.results import SENT


@click.group()
def mail() -> None:
    """Send a test to check the mail server."""


@mail.command()
@click.argument("address")
@on_site
def test(settings: Settings, address: str, site: Site, as_json: bool) -> None:
    """Send a test to an operator's address, at most 5 an hour. The exit status is 1 if the mail server does
    not accept the test.

    Example: audience mail test ann@example.com --site 6f1c...
    """
    email = operators.get(address).email
    result = senders.send_test(site, email, settings, COMMAND_LINE)
    show({"email": email, **result._asdict()}, as_json, [f"{result.status}: {result.said}"])
    if result.status != SENT:
        raise SystemExit(1)
