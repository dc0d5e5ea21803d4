"""Options that several commands take. `on_instance` passes the site that they name."""

from collections.abc import Callable
from typing import Any

import click

from audience.cli.instance import on_instance
from audience.cli.output import as_json
from audience.cli.wrong_calls import WholeNumber

site_option = click.option(
    "--site", "site_uuid", metavar="SITE", help="Name or uuid of the site; not needed if there is only one."
)
site_of_id_option = click.option(
    "--site",
    "site_name",
    metavar="SITE",
    help="Name or uuid of the site; not needed, because the id is enough.",
)
site_argument = click.argument("site_uuid", metavar="SITE")
limit_option = click.option(
    "--limit",
    type=WholeNumber(1, 100_000),
    default=100,
    show_default=True,
    help="How many to list at most.",
)


def on_site(command: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a command on one site as `on_instance` does. Adds the options `--site` and `--json`."""
    return site_option(as_json(on_instance(command)))
