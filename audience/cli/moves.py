"""`audience move`: a whole instance into another database."""

from dataclasses import replace
from pathlib import Path

import click

from audience.cli.instance import Instance
from audience.cli.output import as_json, counted, show
from audience.cli.progress import ShownProgress
from audience.operations import instance_files, moves, moves_back

ONE = "Give either --to or --undo."
UNREADABLE = "The URL cannot be read: write it as postgresql://USER@HOST/DATABASE or sqlite:PATH."


@click.command()
@click.option("--to", "target", metavar="URL", help="An empty database: postgresql://… or sqlite:PATH.")
@click.option(
    "--undo",
    is_flag=True,
    help="Use the old database again. This works only if nothing was written to the new one.",
)
@click.option(
    "--lost",
    is_flag=True,
    help="With --undo: use this if the new database is lost; everything written to it is given up.",
)
@click.option(
    "--password-file", default="", metavar="FILE", help="File with the password of the other database."
)
@as_json
@click.pass_obj
def move(
    instance: Instance, target: str | None, undo: bool, lost: bool, password_file: str, as_json: bool
) -> None:
    """Move the instance into an empty PostgreSQL or SQLite database. Stop the service first.

    If the command is interrupted, run it again to continue. The old database keeps its data, but is no longer
    used.

    Example: audience move --to postgresql://audience@db.example/audience
    """
    if (target is None) is not undo or (lost and not undo):
        raise click.UsageError(ONE)
    url = None if target is None else _url(target)
    instance_files.require(instance.settings)
    password_file = password_file or instance.settings.database_password_file
    with instance.processes().stopped(), ShownProgress() as progress:
        if url is None:
            moves_back.undo(instance.settings, password_file, lost, progress)
            show({"undone": True}, as_json, ["The instance uses its old database again."])
            return
        settings = replace(instance.settings, database_url=url, database_password_file=password_file)
        moved = moves.move(instance.settings, settings, instance.openers, progress)
    lines = [
        f"Moved {counted(moved.rows['subscribers'], 'subscriber')}, and compared both databases. Use this "
        f"setting, and start the service:"
    ]
    if password_file and not url.startswith("sqlite"):
        lines.append(f"AUDIENCE_DATABASE_PASSWORD_FILE={Path(password_file).absolute()}")
    show({"setting": moved.setting, "rows": moved.rows}, as_json, [*lines, moved.setting])


def _url(target: str) -> str:
    try:
        return moves.target_url(target)
    except ValueError:  # its text may have the password
        raise click.BadParameter(UNREADABLE, param_hint="--to") from None
