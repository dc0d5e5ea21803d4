"""Opening an instance's database and pepper. Modules are imported inside the functions, so that commands
start at once.
"""

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from audience import protocols, telemetry
from audience.config import Settings
from audience.privacy import pepper, secret_files
from storage.errors import Unusable

UNREADABLE = "the password file {} cannot be read: correct its name or its rights"
CACHE_MB = 8  # of a worker: an import touches some thousand pages again and again
MIGRATION_TIMEOUT_SECONDS = 5.0  # for another command that migrates at the same time


def open_process(
    settings: Settings,
    metrics: protocols.Metrics | None = None,
    write_gate: protocols.Gate | None = None,
) -> None:
    """Sets the state of this process: metrics (none by default), database and pepper. May be called again.

    Raises `LostFile` if the pepper or the database is lost, before it creates another one.
    """
    from audience.access import site_keys

    telemetry.open(metrics or telemetry.NoMetrics())
    open_database(settings, write_gate)
    _open_pepper(settings)
    site_keys.forget()


def _open_pepper(settings: Settings) -> None:
    """Opens the pepper; creates a missing one. One of several hosts also stores its check value."""
    from audience.operations import instance_files
    from storage import database

    is_for_any = instance_files.is_for_any_pepper(settings)  # asked first: another host may have come by then
    instance_files.check(settings)
    may_make = not settings.pepper_file
    if not is_for_any:
        pepper.open(settings.pepper, may_make)
        return
    with database.write():
        instance_files.check(settings)
        pepper.open(settings.pepper, may_make)
        instance_files.note_pepper()


def open_database(settings: Settings, write_gate: protocols.Gate | None = None) -> None:
    """Opens the database without a pepper, which `audience doctor` must not create.

    A web process gives a `write_gate`. Its threads keep up to half of the connections open, each with a small
    cache.
    """
    from storage import database
    from storage.erasures.log import LOG

    database.open(
        settings.database,
        password=password(settings.database_password_file),
        timeout=settings.database_timeout,
        connections=settings.database_connections,
        allow_faulty=settings.allow_faulty_sqlite,
        write_gate=write_gate,
        kept_connections=settings.database_connections // 2 if write_gate else 0,
        cache_mb=2 if write_gate else CACHE_MB,
        folders=[settings.instance],
        erasure_log=settings.instance / LOG,
        read_url=settings.database_read_url,
    )


def password(file: str) -> str | None:
    """The password of the database's role, from a file; None if `file` is "". Raises `Unusable`."""
    if not file:
        return None
    try:
        return Path(file).read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise Unusable(UNREADABLE.format(file)) from error


def check_migrated(settings: Settings) -> None:
    """Raises `Unusable` if migrations are pending or the database is newer, `NoInstance` if there is none."""
    from audience.operations import instance_files
    from storage import database

    instance_files.require(settings)
    open_database(settings)
    instance_files.check(settings)
    if database.pending_migrations():
        raise Unusable("migrations are pending: run `audience migrate`")
    database.check_replica()
    open_process(settings)
    database.close()


def open_migrated(
    settings: Settings,
    hold_lock: Callable[[Path], AbstractContextManager[None]],
    held_elsewhere: type[Exception],
    begins: bool = True,
    is_backed_up: bool = False,
) -> bool:
    """Opens the instance and migrates its database. Returns whether that created the instance.

    It is only created if the command `begins` one; else raises `NoInstance`. `hold_lock` raises
    `held_elsewhere` while another process holds the instance's lock. If that lasts while migrations are
    pending, raises `Unusable`.
    """
    from audience.erasures import log as erasure_log
    from audience.operations import instance_files, new_instances, upgrades
    from storage import database

    if not begins:
        instance_files.require(settings)
    open_database(settings)
    instance_files.check(settings)
    is_new = not instance_files.has_tables()
    if is_new and not begins:
        raise new_instances.NoInstance(settings)
    deadline = time.monotonic() + MIGRATION_TIMEOUT_SECONDS
    while database.pending_migrations():
        try:
            with hold_lock(settings.instance):
                upgrades.migrate(settings, is_backed_up)
        except held_elsewhere as error:
            if time.monotonic() > deadline:
                raise Unusable(f"migrations are pending, but {error}") from error
            time.sleep(0.05)
    open_process(settings)
    instance_files.adopt_pepper()
    erasure_log.begin(settings.instance)
    return is_new


def prepare(settings: Settings, new: bool, on_terminal: bool) -> str | None:
    """Migrates the database, and creates a missing pepper and first site. With `new`, first sets the remains
    of a lost instance aside.

    Returns the first link to the console; None if there is an operator, or no terminal.
    """
    from audience.access import operators, sessions, sign_in
    from audience.erasures import log as erasure_log
    from audience.operations import first_site, instance_files, upgrades
    from storage import database

    if new:
        open_database(settings)
        instance_files.start_anew(settings)
    telemetry.open(telemetry.NoMetrics())
    open_database(settings)
    instance_files.check(settings)
    upgrades.migrate(settings)
    database.check_replica()
    with database.write():  # of hosts that start at once, one makes pepper and site
        _open_pepper(settings)
        first_site.ensure(settings)
        instance_files.adopt_pepper()
    erasure_log.begin(settings.instance)
    secret_files.remove_leftover_folders(settings.instance)
    link = None
    if on_terminal and not operators.is_set_up():
        link = sessions.link(settings.console_url, *sign_in.console_link())
    database.close()
    return link
