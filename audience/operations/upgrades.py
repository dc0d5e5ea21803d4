"""Makes a backup before migrations after which an older Audience cannot use the database."""

import shutil

from audience.config import Settings
from storage import database
from storage.errors import Unusable
from storage.instance import backups as stored

FILE = "before-upgrade.tar"  # of the last one: a start that fails again and again fills no disk
UNFINISHED = "before-upgrade.pending"  # the migrations after that backup, until all are done
ON_SERVER = (
    "migrations are pending; after them, older versions of Audience cannot use the database. Back "
    "the database up on its server, then run `audience migrate --backed-up`"
)
NO_ROOM = (
    "migrations are pending, and begin with a backup, which needs {:,} MB in {}, where {:,} MB are free: "
    "make room, and start again"
)
MB = 1_000_000


def migrate(settings: Settings, is_backed_up: bool = False) -> None:
    """Migrates the open database; if that keeps an older Audience from it, after a backup in the instance's
    folder.

    A server's database is not backed up: `is_backed_up` confirms that the operator has done so. Raises
    `Unusable` without that confirmation, or if the disk has no room.
    """
    if database.is_spoilt_by_migrating():
        _back_up(settings, is_backed_up)
    database.migrate()
    (settings.instance / UNFINISHED).unlink(missing_ok=True)


def _back_up(settings: Settings, is_backed_up: bool) -> None:
    if stored.restore_advice(settings.database):
        if not is_backed_up:
            raise Unusable(ON_SERVER)
        return
    unfinished, pending = settings.instance / UNFINISHED, database.pending_migrations()
    if unfinished.exists() and pending[0] in unfinished.read_text("utf-8").split()[1:]:
        return  # interrupted between two migrations: the backup that is there is the one of before them
    needed = sum(2 * file.stat().st_size for file in database.files(settings.database) if file.exists())
    free = shutil.disk_usage(settings.instance).free
    if free < needed:
        raise Unusable(NO_ROOM.format(needed // MB + 1, settings.instance, free // MB))
    from audience.operations import backups  # a command that migrates nothing starts without it

    new = settings.instance / f"{FILE}.new"
    new.unlink(missing_ok=True)
    backups.create(settings, new, lambda *_: None)
    new.replace(settings.instance / FILE)
    new.write_text("\n".join(pending), "utf-8")
    new.replace(unfinished)
