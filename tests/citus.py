"""A cluster of Citus of the tests' own: a coordinator and two nodes.

AUDIENCE_CITUS names the folder of the server's programs: no package of Debian has them.
"""

import os
from pathlib import Path
from types import MappingProxyType

import psycopg

from tests.postgresql import Server, name_of
from tests.service import until

HOST = "127.0.0.1"
NODES = 2
OPTIONS = MappingProxyType(
    {"shared_preload_libraries": "citus", "citus.shard_count": "4", "max_prepared_transactions": "200"}
)
LEAVE = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE datname = %s"


def programs() -> Path | None:
    named = os.environ.get("AUDIENCE_CITUS")
    return Path(named) if named else None


class Cluster(Server):
    """A cluster. A database of it exists on each of its servers, by the same name."""

    def __init__(self, programs: Path) -> None:
        self._nodes = [Server(programs, OPTIONS) for _ in range(NODES)]
        self._ports = [node.listen([HOST], f"{HOST}/32") for node in self._nodes]
        super().__init__(programs, OPTIONS)
        self._port = self.listen([HOST], f"{HOST}/32")

    def execute(self, statement: str) -> None:
        for node in self._nodes:
            node.execute(statement)
        super().execute(statement)

    def create(self, template: str = "template1") -> str:
        if template != "template1":
            self._empty(template)
        url = super().create(template)
        if template == "template1":
            self._join(name_of(url))
        return url

    def remove(self) -> None:
        for node in self._nodes:
            node.remove()
        super().remove()

    def _servers(self) -> list[Server]:
        return [*self._nodes, self]

    def _join(self, name: str) -> None:
        """Makes a cluster of a database that exists on each server."""
        for server in self._servers():
            with psycopg.connect(server.url(name), autocommit=True) as connection:
                connection.execute("CREATE EXTENSION citus")
        with psycopg.connect(self.url(name), autocommit=True) as coordinator:
            coordinator.execute("SELECT citus_set_coordinator_host(%s, %s)", (HOST, self._port))
            for port in self._ports:
                coordinator.execute("SELECT citus_add_node(%s, %s)", (HOST, port))

    def _empty(self, template: str) -> None:
        """Ends all connections to a database that is to be copied, and allows no others: Citus has its own
        there.
        """
        self.execute(f"ALTER DATABASE {template} ALLOW_CONNECTIONS FALSE")
        for server in self._servers():
            with psycopg.connect(server.url("postgres"), autocommit=True) as connection:
                until(lambda: connection.execute(LEAVE, (template,)).fetchone() == (0,))
