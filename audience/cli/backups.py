"""`audience backup` and `audience restore`: a whole instance in one file."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from audience import backups, first_site
from audience.backups import Restored
from audience.cli.instance import Instance, on_instance
from audience.cli.output import as_json, show
from audience.cli.progress import ShownProgress
from audience.config import Settings
from schemas.wire import date

PEOPLE = "subscribers"
FILE = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("file", type=FILE)
@as_json
@on_instance
def backup(settings: Settings, file: Path, as_json: bool) -> None:
    """Back up the database and the pepper into one file, while the service runs.

    The file is read back before it gets its name. Keep it as private as the instance folder.

    Example: audience backup audience-2026-11-20.tar
    """
    with ShownProgress() as progress:
        manifest = backups.create(settings, file.absolute(), progress)
    people, size = manifest.rows[PEOPLE], file.stat().st_size
    answer = {
        "file": str(file),
        "bytes": size,
        "created_at": date(manifest.created_at),
        "rows": manifest.rows,
    }
    show(answer, as_json, [f"{file}: {people} people, {size} bytes, read back and whole."])


@click.command()
@click.argument("file", type=FILE)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--ignore-erasures", is_flag=True, help="Even where it would bring erased people back.")
@as_json
@click.pass_obj
def restore(instance: Instance, file: Path, yes: bool, ignore_erasures: bool, as_json: bool) -> None:
    """Replace the instance by a backup. Stop the service first.

    People who have been erased since stay erased, keys that have been revoked since stay revoked.

    Example: audience restore audience-2026-11-20.tar
    """
    settings = instance.settings
    if not yes:
        click.confirm(f"Replace what is in {settings.instance} by {file}?", abort=True, err=True)
    with instance.processes.stopped(), ShownProgress() as progress:
        restored = backups.restore(settings, file.absolute(), progress, ignore_erasures)
        instance.open()
        first_site.forget_ended(settings.instance)
    show(_answer(restored), as_json, _lines(restored))


def _answer(restored: Restored) -> dict[str, Any]:
    return asdict(restored) | {"created_at": date(restored.created_at)}


def _lines(restored: Restored) -> list[str]:
    lines = [f"Restored {restored.rows[PEOPLE]} people as of {date(restored.created_at)}."]
    if restored.erased:
        lines.append(f"{restored.erased} people who have been erased since were erased again.")
    if restored.ended_keys:
        lines.append(f"{restored.ended_keys} keys that have been revoked since stay revoked.")
    if restored.damaged:
        lines.append("The database that was replaced could not be read: revoke again what was revoked since.")
    return lines
