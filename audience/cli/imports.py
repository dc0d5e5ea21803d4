"""`audience imports`: the imports of a site, and those that failed.

Each command imports the modules that only it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from audience.access import sites
from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.cli.instance import on_instance, on_site, site_of_id_option
from audience.cli.output import as_json, printable, show
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings
from audience.imports import backlog
from schemas.values import write_date

if TYPE_CHECKING:
    from audience.undo.undos import Undo

AWAY = "Stay unsubscribed: {:,}."
ONLY_UNSUBSCRIBED = (
    "{:,} people were unsubscribed by this import alone. Add --resubscribe to subscribe them again: {}"
)
FAILED_UNDO = "the undo stopped: see the worker's log, then run the same command again to continue."
INSTANTS = ("created_at", "started_at", "finished_at")
LINE = (
    "{id:>6} {created_at}  {status:<9}  {done}: {created:,} created, {updated:,} updated"
    ", {unchanged:,} unchanged, {refused:,} refused, {suppressed:,} suppressed; {unsubscribed:,} unsubscribed"
)
UNDONE = {"finished": "undone", "failed": "undo failed"}


@click.group(name="imports")
def imports_group() -> None:
    """List imports, retry failed ones, or undo one."""


@imports_group.command(name="list")
@on_site
def list_imports(_: Settings, site: Site, as_json: bool) -> None:
    """List the newest imports of a site.

    Example: audience imports list
    """
    from audience.imports import file_uploads, imports

    newest = imports.newest(site)
    ids = [row.id for row in newest]
    files, undone = file_uploads.files(site, ids), backlog.undo_statuses(site)
    rows = [
        row._asdict()
        | {name: write_date(getattr(row, name)) for name in INSTANTS}
        | {"file": (files[row.id].name or None) if row.id in files else None, "undo": undone.get(row.id)}
        for row in newest
    ]
    show(rows, as_json, map(_line, rows))


def _line(row: dict[str, Any]) -> str:
    undone = UNDONE.get(row["undo"], "being undone") if row["undo"] else ""
    notes = ", ".join(filter(None, [printable(row["file"] or ""), undone]))
    judged, rows = row["applied"] + row["refused"], row["rows"] + row["refused"]
    done = f"{rows:,}" if judged == rows else f"{judged:,} of {rows:,}"
    unit = "row" if rows == 1 else "rows"
    return f"{LINE.format(**row, done=f'{done} {unit}')}  {notes}".rstrip()


@imports_group.command()
@click.option("--site", "site_name", metavar="SITE", help="Name or uuid of a site: list only its imports.")
@as_json
@on_instance
def failed(_: Settings, site_name: str | None, as_json: bool) -> None:
    """List the imports that failed after all retries. The rows of these imports are kept.

    Example: audience imports failed
    """
    only = sites.choose(site_name).uuid if site_name else None
    rows = [
        row._asdict() | {"finished_at": write_date(row.finished_at)}
        for row in backlog.failed_imports()
        if only in (None, row.site_uuid)
    ]
    show(
        rows,
        as_json,
        [f"{row['id']:>8}  {row['site_uuid']}  row {row['applied']} of {row['rows']}" for row in rows],
    )


@imports_group.command()
@click.argument("import_id", type=WholeNumber(1))
@site_of_id_option
@as_json
@on_instance
def retry(_: Settings, import_id: int, site_name: str | None, as_json: bool) -> None:
    """Queue a failed import again. It continues where it stopped.

    Example: audience imports retry 12
    """
    from audience.imports import imports

    imports.retry(import_id, sites.choose(site_name) if site_name else None)
    show({"import_id": str(import_id), "status": "queued"}, as_json, ["Queued."])


@imports_group.command()
@click.argument("import_id", type=WholeNumber(1))
@site_of_id_option
@click.option("--dry-run", is_flag=True, help="Show the outcome without changing anything.")
@click.option(
    "--resubscribe", is_flag=True, help="Resubscribe the people whom only this import unsubscribed."
)
@as_json
@on_instance
def undo(
    settings: Settings,
    import_id: int,
    site_name: str | None,
    dry_run: bool,
    resubscribe: bool,
    as_json: bool,
) -> None:
    """Undo an import: delete the subscribers that it created, unless something has mentioned them since, and
    restore the values that it changed. Values that were changed again since then are kept. If this command is
    interrupted, the undo continues; run the same command again to follow it.

    Example: audience imports undo 12 --dry-run
    """
    from audience.cli.following import follow
    from audience.undo import undos

    chosen = sites.choose(site_name) if site_name else None
    site, source = undos.site_of_import(import_id, chosen), undos.import_source(import_id)
    if dry_run:
        _show_dry_run(*undos.dry_run(site, source, settings.changes_days, resubscribe), as_json)
        return
    undos.undo_import(site, import_id, settings.changes_days, COMMAND_LINE, resubscribe)
    done = follow(site, "Undoing", lambda: undos.get(site, source), as_json)
    shown = {name: getattr(done, name) for name in undos.COUNTS}
    answer = {"undo_id": str(done.id), "status": done.status, "total": done.rows, **shown}
    show(answer, as_json, _outcome(site, done, shown))
    if done.status == undos.FAILED:
        raise click.ClickException(FAILED_UNDO)


def _show_dry_run(counts: dict[str, int], emails: list[str], as_json: bool) -> None:
    from audience.undo import undos

    shown = {name: counts[name] for name in undos.COUNTS}
    lines = [f"Nothing was changed. Outcome: {_listed(shown)}.", *_unsubscribed_lines(counts["away"])]
    if only := counts["only_unsubscribed"]:
        lines.append(ONLY_UNSUBSCRIBED.format(only, printable(", ".join(emails))))
    show(shown, as_json, lines)


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in counts.items())


def _outcome(site: Site, undo: Undo, counts: dict[str, int]) -> list[str]:
    from audience.undo import undos

    return [
        f"Undo {undo.id} {undo.status}: {_listed(counts)}.",
        *(f"  kept, {undos.reason_in_words(*by)}: {count:,}" for by, count in undos.reasons_kept(site, undo)),
        *_unsubscribed_lines(undos.unsubscribed_count(site, undo)),
    ]


def _unsubscribed_lines(count: int) -> list[str]:
    return [AWAY.format(count)] if count else []
