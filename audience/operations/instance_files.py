"""The files without which an instance is lost: its pepper, its database, its log of erasures.

They are examined before anything is written. The database stores a check value, by which its pepper is
recognised. Only the advice in a finding names files: the rest is public.
"""

import contextlib
import datetime as dt
import hmac
from collections.abc import Iterator
from pathlib import Path

from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.errors import AudienceError, Refused
from audience.operations.diagnostics import Context, Finding, bad, ok
from audience.operations.new_instances import NoInstance
from audience.privacy import pepper, secret_files
from storage import database
from storage.errors import Unavailable
from storage.instance import backups as stored_backups
from storage.instance import pepper as stored
from storage.instance import state as instance_state
from storage.instance.state import ARRIVING, LEAVING, LEFT, RESTORING

LOSS = "no key works and no erasure is recognised"
MISSING = f"the pepper is missing, without which {LOSS}"
OTHER = f"the pepper is not this database's, so that {LOSS}"
PEPPER_ADVICE = (
    "Put {file} back from any backup of this instance with `tar -xf BACKUP.tar -C {folder} "
    "pepper`, or restore the whole backup with `audience restore BACKUP.tar`."
)
SHARED_PEPPER_ADVICE = (
    "Copy {file} from another host of this instance, or name the file in "
    "AUDIENCE_PEPPER_FILE: every host needs the same pepper."
)
NO_DATABASE = "the database is missing, and with it every site, subscriber and key"
DATABASE_ADVICE = (
    "Put {file} back, or run `audience restore BACKUP.tar` with the latest backup; `audience serve --new` "
    "starts a new instance without it."
)
UNNAMED_ADVICE = (  # where nothing shows that the database was a file
    "If it is on PostgreSQL, give this command AUDIENCE_DATABASE_URL, too, best as `database_url` in "
    "{folder}/config.toml; else put {file} back, or run `audience restore BACKUP.tar`."
)
OTHER_LOG = "the log of erasures is another instance's, so that no restore repeats this one's"
LOG_ADVICE = (
    "Put {file} back from the copy beside this instance's backups, or move it away; if it is here for a "
    "backup, run `audience restore BACKUP.tar`."
)
NEITHER = "pepper and database are missing, and the log of erasures is there"
NEITHER_ADVICE = (
    "Put {folder}/pepper and {folder}/audience.db back, or run `audience restore BACKUP.tar` with the latest "
    "backup, which repeats these erasures. Only if the log is another instance's, move {file} away."
)
KEYS_ALONE = "pepper and database are missing, and the keys of a first site are there"
KEYS_ALONE_ADVICE = (
    "Put {folder}/pepper and {folder}/audience.db back, or run `audience restore BACKUP.tar` with the latest "
    "backup; `audience serve --new` starts a new instance without them."
)
SERVER_ADVICE = (
    "Set AUDIENCE_DATABASE_URL to this instance's database, or restore it; `audience serve --new` starts a "
    "new instance without it."
)
MOVE = "move"
ON, UNDO = "`audience move --to {0}`", "undo the move with `audience move --undo`"
PHASES = {  # of a move or restore: what is found, what to do
    RESTORING: (
        "a restore of this database that began on {} has not ended",
        "Run `audience restore` again with the same file, or begin with an empty database.",
    ),
    LEAVING: ("the instance has been moving to another database since {}", f"Finish with {ON}, or {UNDO}."),
    LEFT: ("the instance moved on {} to another database", f"Set AUDIENCE_DATABASE_URL={{0}}, or {UNDO}."),
    ARRIVING: (
        "the instance of this database has been elsewhere since {}",
        "Finish its move there; if undoing one was interrupted, run `audience move --undo` there again.",
    ),
}
HAS_DATABASE = "{folder} has a database, so no new instance can start there: leave --new out."


class LostFile(AudienceError):
    """A file of the instance is lost, or another instance's. The message is a sentence with the remedy."""

    def __init__(self, finding: Finding) -> None:
        advice = finding.advice.removesuffix(".")
        super().__init__(f"{finding.found}: {advice[:1].lower()}{advice[1:]}")


def check(settings: Settings) -> None:
    """Raises `LostFile` if a file is lost. The caller has opened the database, which may lack migrations.

    If there is no pepper and the database is unavailable, raises `Unavailable`: a pepper must not be created
    then.
    """
    try:
        for finding in find_lost(settings):
            raise LostFile(finding)
    except Unavailable:
        if pepper.read(settings.pepper) is None:
            raise


def require(settings: Settings) -> None:
    """Raises `NoInstance` if there never was a database file, `LostFile` if it is gone."""
    if not _has_file(settings):
        check(settings)
        raise NoInstance(settings)


@database.session()
def has_tables() -> bool:
    """Whether the open database has ever been migrated."""
    return not stored_backups.is_empty()


def examine(context: Context) -> Iterator[Finding]:
    """The findings of `audience doctor` and /readyz."""
    findings = list(find_lost(context.settings))
    yield from findings or [ok("files", "pepper, database and log of erasures belong together")]


def find_lost(settings: Settings) -> Iterator[Finding]:
    """Yields findings on files that are lost or another instance's; none in a new folder.

    Another process may be creating files now: the pepper, the database, then signs of both. So they are read
    in reverse order.
    """
    signs = _signs(settings)
    if not _has_file(settings):
        yield from _without_database(settings, signs)
        return
    with database.session():
        if database.migrations().refusal:
            return
        yield from _move_findings()
        if stored_backups.is_empty() and any(signs[:2]):
            yield _no_database(settings)
        elif stored.is_in_use():
            yield from _with_keys(settings, stored.check_value())


def _move_findings() -> Iterator[Finding]:
    """Yields a finding if a move or restore keeps this database out of use, and what to do."""
    phase = instance_state.phase()
    if phase.name:
        sentence, advice = PHASES[phase.name]
        day = dt.datetime.fromtimestamp(phase.at / 1000, dt.UTC).date()
        check = "database" if phase.name == RESTORING else MOVE
        yield bad(check, sentence.format(day), advice.format(phase.other))


def _without_database(settings: Settings, signs: list[Path | None]) -> Iterator[Finding]:
    """Yields the findings on a folder without a database file. `signs` show that an instance existed."""
    if not settings.pepper.exists():
        log = settings.instance / erasure_log.LOG
        if erasure_log.boundaries(log):
            yield bad("erasures", NEITHER, NEITHER_ADVICE.format(file=log, folder=settings.instance))
        elif signs[1]:
            yield bad("database", KEYS_ALONE, _advice(settings, KEYS_ALONE_ADVICE))
    elif any(signs):
        yield _no_database(settings)


def _with_keys(settings: Settings, check_value: str | None) -> Iterator[Finding]:
    """Yields the findings on pepper and log of erasures of a database with keys."""
    secret = pepper.read(settings.pepper)
    if secret is None or not _fits(secret, check_value):
        advice = PEPPER_ADVICE if database.files(settings.database) else SHARED_PEPPER_ADVICE
        advice = advice.format(file=settings.pepper, folder=settings.pepper.parent)
        yield bad("pepper", MISSING if secret is None else OTHER, advice)
    elif _is_other_log(settings, pepper.check_value(secret)):
        yield _other_log(settings)


def _fits(secret: bytes, check_value: str | None) -> bool:
    """Whether a secret may be the pepper: its length and, if there is one, the check value are right."""
    if len(secret) != pepper.PEPPER_BYTES:
        return False
    return check_value is None or hmac.compare_digest(pepper.check_value(secret), check_value)


def _is_other_log(settings: Settings, check_value: str) -> bool:
    """Whether the log of erasures has a line made with another pepper."""
    log = erasure_log.file_of(settings.instance)
    made_by = {entry.get("pepper_check") for entry in erasure_log.boundaries(log)} if log else set()
    return not made_by <= {check_value, None}


def _is_missing(settings: Settings) -> bool:
    """Whether the database does not exist, or was never migrated."""
    if not _has_file(settings):
        return True
    with database.session():
        return stored_backups.is_empty()


def _has_file(settings: Settings) -> bool:
    """Whether the database's file exists. True for a server's database."""
    return all(file.exists() and file.stat().st_size > 0 for file in database.files(settings.database)[:1])


def _signs(settings: Settings) -> list[Path | None]:
    """The log of erasures, the first site's keys and the write-ahead log, None for each that is missing."""
    own = [settings.instance / name for name in (erasure_log.LOG, secret_files.FIRST_SITE)]
    files = [*own, *database.files(settings.database)[1:]]
    return [file if file.exists() else None for file in files]


def _no_database(settings: Settings) -> Finding:
    is_file = bool(database.files(settings.database))
    return bad("database", NO_DATABASE, _advice(settings, DATABASE_ADVICE) if is_file else SERVER_ADVICE)


def _advice(settings: Settings, advice: str) -> str:
    """`advice` if locks or logs show that the folder had a database; else `UNNAMED_ADVICE`."""
    file = database.files(settings.database)[0]
    had_one = any(file.parent.glob(f"{file.name}*"))
    return (advice if had_one else UNNAMED_ADVICE).format(folder=settings.instance, file=file)


def _other_log(settings: Settings) -> Finding:
    return bad("erasures", OTHER_LOG, LOG_ADVICE.format(file=settings.instance / erasure_log.LOG))


def start_anew(settings: Settings) -> None:
    """Sets aside the files that show that an instance existed. Raises `Refused` if it has a database."""
    if not _is_missing(settings):
        raise Refused(HAS_DATABASE.format(folder=settings.instance))
    for file in filter(None, _signs(settings)):
        secret_files.set_aside(file)


def adopt_pepper() -> None:
    """Stores the open pepper's check value, if the database has keys but lacks it. Call `check` before."""
    with database.session():
        if not stored.is_in_use() or stored.check_value() is not None:
            return
    with database.write():
        note_pepper()


def note_pepper() -> None:
    """Stores the open pepper's check value, unless one is stored, in the caller's transaction."""
    if stored.check_value() is None:
        stored.add_check_value(pepper.check_value())


def is_for_any_pepper(settings: Settings) -> bool:
    """Whether the database is migrated, without a pepper's check value, and on a server for several hosts."""
    if database.files(settings.database):
        return False
    with contextlib.suppress(Unavailable), database.session():
        return not stored.is_in_use() and stored.has_table()
    return False
