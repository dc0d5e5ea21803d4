"""Restoring a backup of a PostgreSQL server into an empty database."""

import shutil
from dataclasses import replace
from pathlib import Path

from audience import clock
from audience.access import site_keys, sites
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.errors import Refused
from audience.operations import backups, instance_files, restore_carryover
from audience.operations.backups import RestoreResult
from audience.operations.openers import Openers
from audience.privacy import pepper, secret_files
from audience.protocols import Progress
from audience.subscribers import stats
from storage import database
from storage.access import site_counters
from storage.instance import backups as stored

OF_FILE = "{} has a database file: restore it without AUDIENCE_DATABASE_URL, then use `audience move`."
NOT_EMPTY = (
    "The database is not empty: stop the service, rename it, create an empty one of its name, and run "
    "`audience restore` with `--former` and the URL of the renamed one."
)
NO_INSTANCE = (
    "The database of --former has no instance: name the database that was in use before the restore."
)


def restore(
    settings: Settings,
    file: Path,
    progress: Progress,
    openers: Openers,
    ignore_erasures: bool,
    unsubscribes_lost: bool,
    before: Settings,
) -> RestoreResult:
    """Restores a backup into the empty database of `settings`, and opens it.

    No instance uses that database before the erasures and unsubscribes since are repeated. They are read from
    the database of `before` or, if that is lost (its URL is "") from the log in the folder. Interrupted, the
    same call goes on. Raises as `backups.restore`; `Unusable` also if the server's programs are missing or
    fail.
    """
    settings.instance.mkdir(mode=0o700, parents=True, exist_ok=True)
    with backups.os_errors_refused(file), secret_files.private_folder(settings.instance) as folder:
        manifest = backups.unpack(file, folder, progress)
        if manifest.data != backups.DUMP:
            raise Refused(OF_FILE.format(file))
        former = replace(before, instance=folder, pepper_file="")
        _take_log(settings, former, openers)
        openers.database(settings)
        if not stored.load(folder / backups.DUMP, manifest.sha256[backups.DUMP], clock.now_ms()):
            raise Refused(NOT_EMPTY)
        accepted = _newest_accepted_numbers()
        database.close()
        carryover = restore_carryover.read(former, manifest.created_at, accepted, openers)
        if not (unsubscribes_lost or ignore_erasures):
            backups.refuse_gaps(former, carryover)
        openers.database(settings)
        database.migrate()
        backups.refuse_lacking_columns()
        pepper.put(settings.pepper, (folder / pepper.FILE).read_bytes())
        pepper.open(settings.pepper, may_make=False)
        site_keys.forget()
        with stored.finish_load():
            applied = restore_carryover.apply(carryover, ignore_erasures)
            restore_carryover.add_to_log(settings.instance, carryover)
    rows = {backups.SUBSCRIBERS: sum(stats.recount(site).users for site in sites.list_all())}
    return backups.open_restored(settings, openers, manifest, rows, applied, carryover)


@database.session()
def _newest_accepted_numbers() -> dict[str, int]:
    """The newest accepted number of each site, by uuid."""
    return {site.uuid: site_counters.newest_accepted_number(site.id) for site in sites.list_all()}


def _take_log(settings: Settings, former: Settings, openers: Openers) -> None:
    """Copies the log of erasures into the folder of `former`: its database's, else that of the instance."""
    log = settings.instance / erasure_log.LOG
    if former.database_url:
        openers.database(former)
        if not instance_files.has_tables():
            raise Refused(NO_INSTANCE)
        erasure_log.write(former.instance / erasure_log.LOG, erasure_log.list_all(former.instance))
    elif log.exists():
        shutil.copyfile(log, former.instance / erasure_log.LOG)
