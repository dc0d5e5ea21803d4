"""`audience backup` and `audience restore`."""

from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from audience.cli.instance import Instance, on_instance
from audience.cli.output import as_json, counted, show
from audience.cli.progress import ShownProgress
from audience.config import Settings
from audience.erasures.log import CUT_OFF
from audience.operations import backups, kept_backups, restore_carryover, server_restores
from audience.operations.backups import Manifest, RestoreResult
from audience.webhooks.webhooks import PAUSED
from schemas.values import write_date

TABLE = "subscribers"
LOST = (
    "The log lacks the unsubscribes of {} day(s) after the backup: people who unsubscribed then may be "
    "subscribed again."
)
NO_LOG = (
    "The folder had no erasures.log: people who unsubscribed or were erased in the {} day(s) since the "
    "backup "
    "may be subscribed again. If you have the erasures.log of the lost instance, put it into an empty "
    "folder, "
    "and restore the backup there."
)
NO_LOG_YET = (
    "{} has no erasures.log: people who unsubscribed or were erased since the backup may be subscribed again."
)
UNREADABLE = (
    "{} line(s) of erasures.log could not be read and were left out: people named in these lines may be "
    "back, or subscribed again."
)
NOT_CARRIED = (
    "Imports and undos that were requested after the backup, or were still waiting, are not restored: "
    "request them again."
)
NO_FORMER = (
    "--former is only for PostgreSQL: leave it out, because a restore into a file reads the old database "
    "itself."
)
FILE = click.Path(dir_okay=False, path_type=Path)


class BackupGroup(click.Group):
    """A group that runs `create` if the first argument is a file instead of a command."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        is_file = args and args[0] not in {*self.commands, *ctx.help_option_names}
        return super().parse_args(ctx, ["create", *args] if is_file else args)


@click.group(cls=BackupGroup)
def backup() -> None:
    """Make or check backups. `audience backup FILE` also makes one."""


@backup.command()
@click.argument("file", type=FILE)
@as_json
@on_instance
def create(settings: Settings, file: Path, as_json: bool) -> None:
    """Back up the database and the pepper to one file, while the service is running.

    The file is verified before it gets its name. Keep it as private as the instance folder.

    Example: audience backup create audience-2026-11-20.tar
    """
    with ShownProgress() as progress:
        manifest = backups.create(settings, file.absolute(), progress)
    size = file.stat().st_size
    answer = {
        "file": str(file),
        "bytes": size,
        "created_at": write_date(manifest.created_at),
        "rows": manifest.rows,
    }
    show(answer, as_json, [f"{file}: {_contents(manifest)}, {size} bytes, verified."])


@backup.command()
@click.argument("file", type=FILE, required=False)
@click.option(
    "--restore",
    is_flag=True,
    help="Restore the backup into a temporary folder, and compare the result with the backup.",
)
@as_json
@click.pass_obj
def check(instance: Instance, file: Path | None, restore: bool, as_json: bool) -> None:
    """Read a whole backup while the service is running. By default, this is the newest backup that a worker
    made. With --restore, the temporary folder needs twice the size of the backup. No emails or webhooks of
    the backup are sent.

    Example: audience backup check --restore
    """
    settings = instance.settings
    file = file.absolute() if file else kept_backups.newest(settings)
    with ShownProgress() as progress:
        manifest = backups.check(settings, file, progress, instance.openers, restore)
    answer = {
        "file": str(file),
        "created_at": write_date(manifest.created_at),
        "rows": manifest.rows,
        "restored": restore,
    }
    result = "restored into a temporary folder and compared, equal" if restore else "complete"
    show(answer, as_json, [f"{file}: {_contents(manifest)}, {result}."])


def _contents(manifest: Manifest) -> str:
    """The number of subscribers in a backup, in words; `a dump` for a backup of a server's database."""
    return counted(manifest.rows[TABLE], "subscriber") if manifest.rows else "a dump"


@click.command()
@click.argument("file", type=FILE)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--ignore-erasures", is_flag=True, help="Restore even if erased subscribers would come back.")
@click.option(
    "--unsubscribes-lost",
    is_flag=True,
    help="Restore even if the log of unsubscribes begins after the backup.",
)
@click.option(
    "--former",
    default="",
    metavar="URL",
    help="The PostgreSQL database that the backup replaces, under its new name.",
)
@click.option("--password-file", default="", metavar="FILE", help="File with the password for --former.")
@as_json
@click.pass_obj
def restore(
    instance: Instance,
    file: Path,
    yes: bool,
    ignore_erasures: bool,
    unsubscribes_lost: bool,
    former: str,
    password_file: str,
    as_json: bool,
) -> None:
    """Replace the instance with a backup. Stop the service first.

    People who were erased or who unsubscribed since the backup are erased or unsubscribed again. Keys that
    were revoked since then stay revoked. On PostgreSQL, AUDIENCE_DATABASE_URL names an empty database, and
    --former the earlier one.

    Example: audience restore audience-2026-11-20.tar
    """
    settings = instance.settings
    password_file = password_file or settings.database_password_file
    before = replace(settings, database_url=former, database_password_file=password_file)
    on_server = backups.is_on_server(settings)
    if former and not on_server:
        raise click.UsageError(NO_FORMER)
    if not yes:
        if not former and restore_carryover.is_new(settings):
            click.echo(NO_LOG_YET.format(settings.instance), err=True)
        click.confirm(f"Replace the contents of {settings.instance} with {file}?", abort=True, err=True)
    with instance.processes().stopped(), ShownProgress() as progress:
        arguments = settings, file.absolute(), progress, instance.openers, ignore_erasures, unsubscribes_lost
        restored = server_restores.restore(*arguments, before) if on_server else backups.restore(*arguments)
    show(_answer(restored), as_json, _lines(restored))


def _answer(restored: RestoreResult) -> dict[str, Any]:
    """The result of a restore, for `--json`."""
    return asdict(restored) | {"created_at": write_date(restored.created_at)}


def _lines(restored: RestoreResult) -> list[str]:
    """The result of a restore, as sentences to print."""
    lines = [
        f"Restored {counted(restored.rows[TABLE], 'subscriber')} as of {write_date(restored.created_at)}.",
        NOT_CARRIED,
    ]
    if restored.erased:
        lines.append(
            f"Erased after the backup, and now erased again: {counted(restored.erased, 'subscriber')}."
        )
    if restored.left:
        lines.append(
            "Unsubscribed after the backup, and now unsubscribed again: "
            f"{counted(restored.left, 'subscriber')}."
        )
    if restored.ended_keys:
        lines.append(f"{restored.ended_keys} keys that were revoked after the backup stay revoked.")
    if restored.paused_webhooks:
        lines.append(PAUSED.format(restored.paused_webhooks))
    if restored.missing_days:
        lines.append((NO_LOG if restored.new else LOST).format(restored.missing_days))
    if restored.cut_off_bytes:
        lines.append(CUT_OFF.format(restored.cut_off_bytes))
    if restored.unreadable_lines:
        lines.append(UNREADABLE.format(restored.unreadable_lines))
    if restored.damaged:
        lines.append(
            "The replaced database could not be read: if you revoked keys after the backup, revoke them "
            "again."
        )
    return lines
