"""A PostgreSQL server of the tests' own: in memory, on a unix socket, not as root.

Its programs are those of Debian's package, or those in the folder that AUDIENCE_POSTGRESQL names.
"""

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType

import psycopg

from tests.in_memory import FOLDER
from tests.service import free_port, until

OPTIONS = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_connections": "200",
    "listen_addresses": "",
}
INITIALLY = ("--no-sync", "--auth=trust", "--username=audience")
LOCALE = ("--encoding=UTF8", "--locale=C.UTF-8", "--locale-provider=icu", "--icu-locale=en-US")
_numbers = itertools.count()


def programs() -> Path | None:
    """The folder of the programs of the chosen server, else of the newest installed one; None if there is
    none.
    """
    if chosen := os.environ.get("AUDIENCE_POSTGRESQL"):
        return Path(chosen)
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    return found[-1].parent if found else None


class Server:
    """A running server. Its databases are deleted with it."""

    def __init__(self, programs: Path, options: Mapping[str, str] = MappingProxyType({})) -> None:
        self.programs, self._options = programs, {**OPTIONS, **options}
        self._user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
        # The server's user may enter it, unlike TMPDIR.
        self.folder = Path(tempfile.mkdtemp(prefix="pg", dir=FOLDER if os.access(FOLDER, os.W_OK) else None))
        self._where = f"host={self.folder}"
        if self._user:
            shutil.chown(self.folder, "postgres")
        self._make_files()
        self.start()

    def _make_files(self) -> None:
        self.run("initdb", f"--pgdata={self.folder}/data", *INITIALLY, *LOCALE)

    def run(self, program: str, *arguments: str) -> None:
        command = [*self._user, str(self.programs / program), *arguments]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, cwd="/")

    def start(self) -> None:
        options = [f"-c {name}={value!r}" for name, value in self._options.items()]
        given = f"{' '.join(options)} -c unix_socket_directories='{self.folder}'"
        log = f"--log={self.folder}/log"
        self.run(
            "pg_ctl", "start", f"--pgdata={self.folder}/data", "--wait", "--silent", log, f"--options={given}"
        )

    def stop(self) -> None:
        self.run("pg_ctl", "stop", f"--pgdata={self.folder}/data", "--mode=immediate", "--silent")

    def listen(self, addresses: Sequence[str], network: str) -> int:
        """Restarts the server, which then also listens on TCP for programs of a network. Returns the port."""
        port = free_port()
        self._options |= {"listen_addresses": ",".join(addresses), "port": str(port)}
        self._where += f"&port={port}"
        with (self.folder / "data" / "pg_hba.conf").open("a") as file:
            file.write(f"host all all {network} trust\n")
        self.stop()
        self.start()
        return port

    @contextmanager
    def frozen(self) -> Iterator[None]:
        """Stops all processes of the server by a signal during the block."""
        first = int((self.folder / "data" / "postmaster.pid").read_text().splitlines()[0])
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        stopped = [first, *map(int, children)]
        for number in stopped:
            os.kill(number, signal.SIGSTOP)
        try:
            yield
        finally:
            for number in stopped:
                os.kill(number, signal.SIGCONT)

    @contextmanager
    def stopped(self) -> Iterator[None]:
        """Keeps the server stopped during the block."""
        self.stop()
        try:
            yield
        finally:
            self.start()

    def remove(self) -> None:
        self.stop()
        shutil.rmtree(self.folder)

    def url(self, name: str) -> str:
        return f"postgresql://audience@/{name}?{self._where}"

    def execute(self, statement: str) -> None:
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute(statement.encode())

    def create(self, template: str = "template1") -> str:
        """Creates a database. Returns its URL."""
        name = f"audience{next(_numbers)}"
        self.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy")
        return self.url(name)

    def drop(self, url: str) -> None:
        self.execute(f"DROP DATABASE {name_of(url)} WITH (FORCE)")


class Standby(Server):
    """A server that follows another by streaming replication."""

    def __init__(self, primary: Server) -> None:
        self._primary = primary
        super().__init__(primary.programs)

    def _make_files(self) -> None:
        of_primary = f"--dbname={self._primary.url('postgres')}"
        files = f"--pgdata={self.folder}/data"
        self.run(
            "pg_basebackup", files, of_primary, "--write-recovery-conf", "--checkpoint=fast", "--no-sync"
        )

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Keeps the standby from replaying during the block."""
        with psycopg.connect(self.url("postgres"), autocommit=True) as connection:
            connection.execute("SELECT pg_wal_replay_pause()")
            state = "SELECT pg_get_wal_replay_pause_state()"
            until(lambda: connection.execute(state).fetchone() == ("paused",))
        try:
            yield
        finally:
            self.execute("SELECT pg_wal_replay_resume()")


def name_of(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2]
