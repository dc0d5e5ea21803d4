"""A durable PostgreSQL server for a bench, from Debian's package, that ends with its block."""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple


class Server(NamedTuple):
    """`folder` has its socket."""

    folder: Path
    pid: int


@contextmanager
def server() -> Iterator[Server]:
    """Raises `OSError` where PostgreSQL is not installed."""
    programs = max(Path("/usr/lib/postgresql").glob("*/bin/initdb"), default=None)
    if programs is None:
        raise FileNotFoundError("PostgreSQL is not installed")
    user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    folder = Path(tempfile.mkdtemp(prefix="peer", dir="/tmp"))
    if user:
        shutil.chown(folder, "postgres")

    def run(program: str, *arguments: str) -> None:
        command = [*user, str(programs.parent / program), f"--pgdata={folder}/data", *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")

    try:
        run("initdb", "--auth=trust", "--username=bench", "--encoding=UTF8")
        options = f"-c listen_addresses='' -c unix_socket_directories={folder}"
        run("pg_ctl", "start", "--wait", "--silent", f"--log={folder}/log", f"--options={options}")
        yield Server(folder, int((folder / "data" / "postmaster.pid").read_text().split()[0]))
    finally:
        if (folder / "data" / "postmaster.pid").exists():
            run("pg_ctl", "stop", "--mode=immediate", "--silent")
        shutil.rmtree(folder)
