"""`audience erasures`: the log of erasures, after a restore of the database by other means."""

import click

from audience.cli.instance import on_instance
from audience.cli.output import as_json, show
from audience.config import Settings
from audience.operations import restore_carryover


@click.group()
def erasures() -> None:
    """Erasures: repeat those that a restored database does not know."""


@erasures.command()
@as_json
@on_instance
def apply(settings: Settings, as_json: bool) -> None:
    """Erase again whom `erasures.log` names and the database still has. Stop the service first.

    For a database that was restored by other means than `audience restore`.

    Example: audience erasures apply
    """
    erased = restore_carryover.apply_log(settings.instance)
    show({"erased": erased}, as_json, [f"{erased} subscribers were erased again."])
