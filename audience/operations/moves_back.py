"""Undoing a move: the instance uses its old database again."""

from dataclasses import replace

from audience import clock
from audience.config import Settings
from audience.errors import Refused
from audience.operations.moves import connected, first_difference, mark, merge_log
from audience.protocols import Progress
from storage import database
from storage.instance import moves
from storage.instance.moves import MoveDatabase
from storage.instance.state import ARRIVING, HERE, LEAVING, LEFT, Phase

NO_OTHER = (
    "This database does not name the one that the instance has moved to, so the two cannot be compared. Set "
    "AUDIENCE_DATABASE_URL to the new one."
)
GONE_ON = (
    "The other database is part of another move: undo that first, with `audience move --undo` and "
    "AUDIENCE_DATABASE_URL={}."
)
LOST = (
    "{} no longer has an instance: restore it from a backup. If there is no backup, `audience move --undo "
    "--lost` uses the old database again; everything written to the new one is lost."
)
NOT_LOST = "The database {} can be read: leave out --lost."
NOT_MOVED = "This instance has not been moved: there is nothing to undo."
WRITTEN = (
    "The table {} of the other database has been written to since the instance came there. Move it back "
    "with `audience move`, from there into an empty database."
)
UPGRADED = (
    "The other database has other migrations than this one ({}, here {}): an upgraded service has used it. "
    "Move it back with `audience move`, from there into an empty database."
)


def undo(settings: Settings, password_file: str, lost: bool, progress: Progress) -> None:
    """Undoes a move: the database of `settings`, from which the instance moved away, is used again.

    A finished move is undone only if the new database was not written since or, with `lost`, only if it is
    gone.

    An interrupted call leaves both databases unused; run it again. Raises `Refused`; `Unavailable` if a
    process uses the new database's file, or a server does not answer.
    """
    with connected(settings) as source:
        phase = source.phase()
        if phase.name not in (LEAVING, LEFT):
            raise Refused(NOT_MOVED)
        if phase.name == LEFT:
            if not phase.other:
                raise Refused(NO_OTHER)
            target = replace(settings, database_url=phase.other, database_password_file=password_file)
            if lost is not _is_lost(target):
                raise Refused((NOT_LOST if lost else LOST).format(phase.other))
            if not lost:
                _retire_target(source, phase, target, progress)
        mark(source, phase, HERE)


def _is_lost(target: Settings) -> bool:
    """Whether the database that the instance moved to is gone, or replaced by an empty one."""
    if any(not file.exists() for file in database.files(target.database)[:1]):
        return True
    with connected(target) as other:
        return not other.is_migrated()


def _is_end_of(phase: Phase, found: Phase) -> bool:
    """Whether a database with the phase `found` is in use, or marked by no other move than this."""
    return not found.name or (found.name == ARRIVING and found.move in ("", phase.move))


def _retire_target(source: MoveDatabase, phase: Phase, target: Settings, progress: Progress) -> None:
    """Marks the new database as unused, then compares it with the old one: a host may have written before.

    Raises `Refused` if they differ: the new database then stays in use.
    """
    with connected(target) as other:
        if not _is_end_of(phase, other.phase()):
            raise Refused(GONE_ON.format(phase.other))
        there, here = other.newest_migration(), source.newest_migration()
        if there != here:
            raise Refused(UPGRADED.format(there, here))
    merge_log(target)
    with connected(target) as other:
        arriving = Phase("", ARRIVING, "", clock.now_ms())
        mark(other, other.phase(), arriving)
        if table := first_difference(source, other, moves.tables(), progress):
            mark(other, arriving, HERE)
            raise Refused(WRITTEN.format(table))
