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
    "backups of PostgreSQL {0} need pg_dump of version {0}, which is not here: install it (on Debian "
    "postgresql-client-{0}), or back the database up on its server and set AUDIENCE_BACKUP_AT to nothing"
)
FAILED = "{} failed: {}"
SERVICE = "audience"


def copy(opened: Any, target: Path, _progress: Callable[[int, int], None]) -> None:
    """Dumps the database in the custom format into a private folder, and reads the dump back.

    Raises `Unusable` if the programs of the server's version are missing, or fail.
    """
    info = opened.connection().info
    pg_dump, pg_restore = _programs(info.server_version // 10_000)
    service = target.with_name("service")
    parameters = readable(opened.database) | ({"password": info.password} if info.password else {})
    lines = [f"[{SERVICE}]", *(f"{name}={value}" for name, value in parameters.items())]
    service.write_text("\n".join(lines))  # in a command line, every user could read the password
    service.chmod(0o600)
    _run([pg_dump, "--format=custom", f"--file={target}", f"service={SERVICE}"], PGSERVICEFILE=str(service))
    _run([pg_restore, f"--file={os.devnull}", str(target)])


def _programs(version: int) -> tuple[str, str]:
    """The paths of pg_dump and pg_restore of a version. Raises `Unusable`."""
    for folder in (DEBIAN.format(version), None):
        pg_dump, pg_restore = (shutil.which(name, path=folder) for name in ("pg_dump", "pg_restore"))
        if pg_dump and pg_restore and _run([pg_dump, "--version"]).split()[2].startswith(f"{version}."):
            return pg_dump, pg_restore
    raise Unusable(MISSING.format(version))


def _run(command: Sequence[str], **environment: str) -> str:
    """The output of a program. Raises `Unusable` if it fails."""
    done = subprocess.run(  # noqa: S603 - a server's own program
        command, capture_output=True, text=True, env=os.environ | environment, check=False
    )
    if done.returncode:
        raise Unusable(FAILED.format(Path(command[0]).name, done.stderr.strip()))
    return done.stdout
