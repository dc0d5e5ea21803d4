"""Moving a whole instance into another database.

During a move, both databases are marked: the old one takes no writes, and the new one is not used yet. An
interrupted move continues after the last row that was copied.
"""

import contextlib
import random
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from audience import clock
from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.errors import Refused
from audience.operations import instance_files, opening
from audience.operations.openers import Openers
from audience.protocols import Progress
from storage import database
from storage.erasures import log as stored_log
from storage.erasures.log import BEGINNING
from storage.instance import backups as stored_backups
from storage.instance import moves
from storage.instance import state as instance_state
from storage.instance.moves import MoveDatabase, MovedTable
from storage.instance.state import ARRIVING, HERE, LEAVING, LEFT, Phase

SAMPLE = 1_000

SAME = "That is the database of this instance: name another."
SEEN = (
    "Others can see a command line: leave the password out of the URL, and name a file that has it with "
    "--password-file."
)
FULL = "The target is not empty: name an empty database, or a file that does not exist."
OTHER_MOVE = "The instance is being moved to {}: finish the move with --to, or undo it with --undo."
ELSEWHERE = "The instance of this database has moved to another database: move it from there."
BACK_FIRST = "The instance has moved to {} already."
PENDING = "Migrations are pending: run `audience migrate` first."
UPGRADED = (
    "Migrations are pending, and a move began before them: undo it with `audience move --undo`, run "
    "`audience migrate`, and move into a new, empty database."
)
DIFFERS = (
    "The copy of the table {} differs, so the instance stays where it is: run the same command again. If "
    "that does not help, run `audience move --undo`, and move into a new, empty database."
)
MEANWHILE = (
    "Meanwhile, another host has begun a move or undone this one: see `audience doctor` on both hosts."
)


@dataclass(frozen=True)
class MoveResult:
    """The result of a move. `setting` is the line that sets the new database; `rows` are counts by table."""

    setting: str
    rows: dict[str, int]


def target_url(text: str) -> str:
    """The URL of the database to move to; `sqlite:PATH` is short for one.

    Raises `Refused` if it has a password, `ValueError` if it cannot be read.
    """
    if text.startswith("sqlite:") and not text.startswith("sqlite:///"):
        return database.url(Path(text.removeprefix("sqlite:")).absolute())
    if urlsplit(text).password is not None or "password=" in text:
        raise Refused(SEEN)
    return text


def move(settings: Settings, target: Settings, openers: Openers, progress: Progress) -> MoveResult:
    """Moves an instance, whose service is stopped, into the database of `target`.

    Raises `Refused`, `LostFile`; `Unavailable` if a process uses the database, or a server does not answer.
    """
    if target.database == settings.database:
        raise Refused(SAME)
    if any(stored_backups.is_of_another_kind(file) for file in database.files(target.database)[:1]):
        raise Refused(FULL)
    _check_source(settings, openers)
    with connected(settings) as source, connected(target) as arriving:
        _refuse_target(source.phase(), arriving, target.database)
    openers.database(target)
    database.migrate()
    database.close()
    with connected(settings) as source, connected(target) as arriving:
        phase = _begin(source, arriving, target.database)
    merge_log(settings)  # a process may have opened it before it was marked
    with connected(settings) as source, connected(target) as arriving:
        _copy_log(settings.instance, source, arriving)
        tables = moves.tables()
        for table in tables:
            _copy(source, arriving, table, progress)
        arriving.settle()
        if differences := first_difference(source, arriving, tables, progress):
            raise Refused(DIFFERS.format(differences))
        mark(source, phase, phase._replace(name=LEFT, at=clock.now_ms()))
        mark(arriving, phase._replace(name=ARRIVING), HERE)
        rows = {table.name: arriving.count(table) for table in tables}
    return MoveResult(f"AUDIENCE_DATABASE_URL={target.database}", rows)


def _check_source(settings: Settings, openers: Openers) -> None:
    """Checks the instance that moves. Raises `Refused`, `LostFile`, `Unusable`, `Unavailable`."""
    openers.database(settings)
    try:
        if database.pending_migrations():
            with database.session():
                raise Refused(UPGRADED if instance_state.phase().name == LEAVING else PENDING)
        for finding in instance_files.find_lost(settings):
            if finding.check != instance_files.MOVE:
                raise instance_files.LostFile(finding)
    finally:
        database.close()
    merge_log(settings)


def merge_log(settings: Settings) -> None:
    """Merges a database file's write-ahead log into it. Raises `Unavailable` if a process uses the file."""
    for file in database.files(settings.database)[:1]:
        stored_backups.release(file)


@contextlib.contextmanager
def connected(settings: Settings) -> Iterator[MoveDatabase]:
    """Yields one of the two databases of a move, connected with the password and timeout of its settings."""
    password = opening.password(settings.database_password_file)
    timeout, allow_faulty = settings.database_timeout, settings.allow_faulty_sqlite
    with moves.connected(settings.database, password, timeout, allow_faulty) as opened:
        yield opened


def _refuse_target(phase: Phase, arriving: MoveDatabase, url: str) -> None:
    """Raises `Refused` unless the target is empty, or part of the same move. It may lack migrations."""
    if phase.name == ARRIVING:
        raise Refused(ELSEWHERE)
    if phase.name == LEAVING and phase.other != url:
        raise Refused(OTHER_MOVE.format(phase.other))
    if not _is_same_move(phase, arriving.phase()):
        if phase.name == LEFT:
            raise Refused(BACK_FIRST.format(phase.other))
        if not arriving.is_empty():
            raise Refused(FULL)


def _is_same_move(phase: Phase, arrived: Phase) -> bool:
    """Whether both ends are in the same interrupted move."""
    return bool(phase.move) and arrived.name == ARRIVING and arrived.move == phase.move


def _begin(source: MoveDatabase, arriving: MoveDatabase, url: str) -> Phase:
    """Marks both databases as moving, the target first."""
    was, arrived = source.phase(), arriving.phase()
    phase = was._replace(name=LEAVING)
    if not _is_same_move(was, arrived):
        phase = Phase(secrets.token_hex(8), LEAVING, url, clock.now_ms())
        mark(arriving, arrived, phase._replace(name=ARRIVING, other=""))
    mark(source, was, phase)
    return phase


def mark(database: MoveDatabase, was: Phase, phase: Phase) -> None:
    """Marks a database with the phase of a move. Raises `Refused` if its phase is no longer `was`."""
    if not database.set_phase(was, phase):
        raise Refused(MEANWHILE)


def _copy_log(instance: Path, source: MoveDatabase, arriving: MoveDatabase) -> None:
    """Copies the lines of the log of erasures that the target lacks, to its table or file."""
    log = instance / erasure_log.LOG
    in_file = list(erasure_log.read(log))
    lines_there = set(
        erasure_log.merge_pairs(arriving.logged_erasures()) if arriving.keeps_erasure_log else in_file
    )
    changes = erasure_log.merge_pairs(source.logged_erasures()) if source.keeps_erasure_log else in_file
    missing = [
        line for line in changes if line not in lines_there and not (lines_there and line.kind == BEGINNING)
    ]
    if arriving.keeps_erasure_log:
        arriving.log_erasures(missing)
    elif missing:
        stored_log.append(log, missing)


def _copy(source: MoveDatabase, arriving: MoveDatabase, table: MovedTable, progress: Progress) -> None:
    """Copies the rows of a table that follow the last row of the target."""
    done, total = arriving.count(table), source.count(table)
    with contextlib.closing(source.pages(table, arriving.last(table, source.key(table)))) as pages:
        for page in pages:
            arriving.add(table, page)
            done += len(page)
            progress(f"Copying {table.name}", done, total)
    if number := source.last_id(table):
        arriving.raise_last_id(table, number)


def first_difference(
    source: MoveDatabase, arriving: MoveDatabase, tables: list[MovedTable], progress: Progress
) -> str:
    """The name of the first table that differs between both ends; "" if all are equal.

    A sample of subscribers is also compared with all rows about them.
    """
    for table in tables:
        advance = _counter(f"Comparing {table.name}", 2 * source.count(table), progress)
        sums = source.sums(table, advance)
        if sums != arriving.sums(table, advance) or sum(n for n, _ in sums.values()) != source.count(table):
            return table.name
        if source.last_id(table) != arriving.last_id(table):
            return table.name
    subscribers = next(table for table in tables if table.name == "subscribers")
    highest = source.last_id(subscribers)
    for _ in range(min(SAMPLE, highest)):
        after = random.randrange(highest)
        if source.first_subscriber_after(after) != arriving.first_subscriber_after(after):
            return subscribers.name
    return ""


def _counter(step: str, total: int, progress: Progress) -> Callable[[int], None]:
    """A function that adds a number of rows to the progress of a step."""
    done = 0

    def advance(rows: int) -> None:
        nonlocal done
        done += rows
        progress(step, done, total)

    return advance
