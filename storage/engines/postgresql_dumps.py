"""Dumps of a PostgreSQL database, by the server's own programs."""

import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from storage.engines.postgresql_connections import readable
from storage.errors import Unusable

DEBIAN = "/usr/lib/postgresql/{}/bin"  # where its packages put the programs of a version
MISSING = (
    "backups of PostgreSQL {0} need its programs ({1}), which are not here: install them (on Debian "
    "postgresql-client-{0}), or back the database up on its server and set AUDIENCE_BACKUP_AT to nothing"
)
FAILED = "{} failed: {}"
SERVICE = "audience"
PROGRAMS = ("pg_dump", "pg_restore", "psql")


def copy(opened: Any, target: Path, _progress: Callable[[int, int], None]) -> None:
    """Dumps the database in the custom format into a private folder, and reads the dump back.

    Raises `Unusable` if the programs of the server's version are missing, or fail.
    """
    pg_dump, pg_restore, _ = _programs(opened)
    _run_on(opened, target.parent, [pg_dump, "--format=custom", f"--file={target}"])
    _run([pg_restore, f"--file={os.devnull}", str(target)])


def load(opened: Any, dump: Path, last: str) -> None:
    """Loads a dump in a private folder into an empty database and runs the statement `last`, at once.

    Raises `Unusable` if the programs of the server's version are missing, or fail: nothing is loaded then.
    """
    _, pg_restore, psql = _programs(opened)
    script = dump.with_name("dump.sql")
    _run([pg_restore, "--no-owner", "--no-privileges", f"--file={script}", str(dump)])
    at_once = ["--no-psqlrc", "--quiet", "--single-transaction", "--set=ON_ERROR_STOP=1"]
    _run_on(
        opened,
        dump.parent,
        [psql, *at_once, f"--file={script}", "--command=RESET search_path", f"--command={last}"],
    )
    script.unlink()


def _run_on(opened: Any, folder: Path, command: Sequence[str]) -> None:
    """Runs a program on the open database. Raises `Unusable` if it fails."""
    info = opened.connection().info
    parameters = readable(opened.database) | ({"password": info.password} if info.password else {})
    service = folder / "service"
    lines = [f"[{SERVICE}]", *(f"{name}={value}" for name, value in parameters.items())]
    service.write_text("\n".join(lines))  # in a command line, every user could read the password
    service.chmod(0o600)
    _run([*command, f"--dbname=service={SERVICE}"], PGSERVICEFILE=str(service))


def _programs(opened: Any) -> list[str]:
    """The paths of `PROGRAMS` of the server's version. Raises `Unusable`."""
    version = opened.connection().info.server_version // 10_000
    for folder in (DEBIAN.format(version), None):
        paths = [path for path in (shutil.which(name, path=folder) for name in PROGRAMS) if path]
        if len(paths) == len(PROGRAMS) and _run([paths[0], "--version"]).split()[2].startswith(f"{version}."):
            return paths
    raise Unusable(MISSING.format(version, ", ".join(PROGRAMS)))


def _run(command: Sequence[str], **environment: str) -> str:
    """The output of a program. Raises `Unusable` if it fails."""
    done = subprocess.run(  # noqa: S603 - a server's own program
        command, capture_output=True, text=True, env=os.environ | environment, check=False
    )
    if done.returncode:
        raise Unusable(FAILED.format(Path(command[0]).name, done.stderr.strip()))
    return done.stdout
