"""`audience erasures`: the log of who was erased or unsubscribed, for a restore by other means."""

from pathlib import Path

import click

from audience.cli.instance import on_instance
from audience.cli.output import as_json, counted, show
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.errors import NotFound
from audience.operations import restore_carryover
from audience.webhooks.webhooks import PAUSED

NO_FILE = "There is no {}: name the file that `audience erasures export` wrote."


@click.group()
def erasures() -> None:
    """Export the log of erasures and unsubscribes, or apply it to a restored database."""


@erasures.command("export")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@as_json
@on_instance
def export_log(settings: Settings, file: Path, as_json: bool) -> None:
    """Write the log of erasures and unsubscribes to FILE, for `audience erasures apply`. Run this before you
    restore the database by other means than `audience restore`.

    Example: audience erasures export erasures.jsonl
    """
    logged = erasure_log.list_all(settings.instance)
    erasure_log.write(file, logged)
    shown = {"file": str(file), "lines": len(logged)}
    show(shown, as_json, [f"{len(logged)} lines are in {file}."])


@erasures.command()
@click.argument("file", required=False, type=click.Path(dir_okay=False, path_type=Path))
@as_json
@on_instance
def apply(settings: Settings, file: Path | None, as_json: bool) -> None:
    """Repeat the erasures and unsubscribes listed in FILE (default: `erasures.log`). Run this after you
    restored the database by other means than `audience restore`. Stop the service first. The command pauses
    all webhooks.

    Example: audience erasures apply erasures.jsonl
    """
    log = file or settings.instance / erasure_log.LOG
    if not log.exists():
        raise NotFound(NO_FILE.format(log))
    cut_off = erasure_log.unfinished_bytes(log)
    erased, unsubscribed, paused = restore_carryover.apply_log(settings.instance, log)
    lines = [f"Erased again: {counted(erased, 'subscriber')}. Unsubscribed again: {unsubscribed:,}."]
    lines += [PAUSED.format(paused)] if paused else []
    lines += [erasure_log.CUT_OFF.format(cut_off)] if cut_off else []
    shown = {"erased": erased, "left": unsubscribed, "paused_webhooks": paused, "cut_off_bytes": cut_off}
    show(shown, as_json, lines)
