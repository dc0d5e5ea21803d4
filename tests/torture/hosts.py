"""Two hosts import into one PostgreSQL with a replica: each a network namespace with web servers and a
worker; one Redis.

Meanwhile a worker, a web server, PostgreSQL or Redis is killed, a host's cable is pulled for a while, or the
replica freezes, is stopped and falls behind. What was accepted is written once, all counts are exact, and an
export has everybody who was counted before it. At each host a client uses every door of another site, of
which the judge finds nothing wrong.
"""

import contextlib
import http.client
import itertools
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any

import psycopg
from redis import Redis

from audience.config import Settings
from tests.client import basic
from tests.postgresql import Standby, name_of
from tests.service import PATIENCE_SECONDS, command, environment, free_port, give_places, until
from tests.stories import witness
from tests.stories.invariant import Judge, assert_holds
from tests.torture import stores
from tests.torture.doors import UNANSWERED, DoorClient, Stored
from tests.torture.network import NETWORK, Cable, cables
from tests.torture.world import ROOT
from workers import embedded_redis

SHORT, LONG, UNIT = 6, 24, "troubles"
HOSTS = 2
COUNTS = (
    "SELECT count(*) FROM subscribers WHERE site_id = 1",
    "SELECT count(DISTINCT email_key) FROM subscribers WHERE site_id = 1",
    "SELECT users FROM site_counters WHERE site_id = 1",
    "SELECT CAST(sum(created) AS bigint) FROM imports WHERE site_id = 1",
    "SELECT count(*) FROM subscriber_tags WHERE site_id = 1",
    "SELECT bearers FROM tags WHERE site_id = 1",
)
BATCH, BATCHES_SHORT, BATCHES_LONG = 1_000, 8, 100  # of an attack


class Host:
    """Web servers and a worker, each of which can be killed and started again."""

    def __init__(self, cable: Cable, folder: Path, settings: dict[str, str]) -> None:
        self.cable, self.instance, self.port = cable, folder / cable.host, free_port()
        self.instance.mkdir(mode=0o700)
        give_places(self.instance)
        given = {"AUDIENCE_HOST": "0.0.0.0", "AUDIENCE_WEB_WORKERS": "1"} | settings
        self._environment = environment(self.instance, self.port, **given)
        self._log = (folder / f"{cable.host}.log").open("a")
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    def start(self, what: str) -> None:
        words = {"web": ["serve", "--web-only"], "worker": ["worker"]}[what]
        self.processes[what] = subprocess.Popen(
            [*self.cable.inside, *command(*words)], env=self._environment, cwd=ROOT,
            stdout=subprocess.DEVNULL, stderr=self._log, start_new_session=True,
        )  # fmt: skip

    def kill(self, what: str) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.processes[what].pid, signal.SIGKILL)
        self.processes[what].wait()

    def close(self) -> None:
        for what in self.processes:
            self.kill(what)
        self._log.close()

    def ask(self, method: str, path: str, key: str, body: Any = None, timeout: float = 10.0) -> Any:
        """(status, JSON) of a request; status 0 if no answer came."""
        try:
            status, answer = self.call(method, path, key, body, timeout)
            return status, json.loads(answer)
        except UNANSWERED:
            return 0, None

    def call(
        self, method: str, path: str, key: str, body: Any = None, timeout: float = 10.0
    ) -> tuple[int, bytes]:
        """(status, body) of a request. The body sent is JSON or, as bytes, a file."""
        is_file = isinstance(body, bytes)
        headers = {"Authorization": key, "Content-Type": "text/csv" if is_file else "application/json"}
        with contextlib.closing(
            http.client.HTTPConnection(self.cable.far, self.port, timeout=timeout)
        ) as client:
            text = body if is_file or body is None else json.dumps(body)
            client.request(method, f"/api/v1{path}", text, headers)
            response = client.getresponse()
            return response.status, response.read()

    def make_site(self, name: str) -> str:
        """Makes a site. Returns the header of its key."""
        made = subprocess.run(
            [*self.cable.inside, *command("site", "create", name, "--json")], env=self._environment, cwd=ROOT,
            capture_output=True, check=True,
        )  # fmt: skip
        keys = json.loads(made.stdout)
        return basic(keys["publishable_key"], keys["secret_key"])


class Network:
    """The hosts, and the database and Redis that they share."""

    def __init__(self, hosts: list[Host], url: str, redis: Redis, replica: Standby) -> None:
        self.hosts, self.url, self.redis, self.replica = hosts, url, redis, replica
        self._numbers = itertools.count()
        self._key = self._doors_key = ""
        self._judge = Judge()
        self._stored = Stored(Settings(instance=hosts[0].instance, database_url=url), place=1)

    def start(self) -> None:
        """Starts all hosts at once: one of them makes the first site."""
        for host in self.hosts:
            host.start("web")
        files = [host.instance / "first-site.json" for host in self.hosts]
        first = json.loads(until(lambda: [file.read_text() for file in files if file.exists()])[0])
        self._key = basic(first["publishable_key"], first["secret_key"])
        for host in self.hosts:
            host.start("worker")
            self.await_users(host, 0)
        self._doors_key = self.hosts[0].make_site("Doors")

    def users(self, host: Host) -> int | None:
        status, answer = host.ask("GET", "/stats/site", self._key)
        return answer["user_count"] if status == 200 else None

    def exported(self, host: Host) -> int:
        """The number of people in an export."""
        status, text = host.call("GET", "/fetch/export?format=jsonl", self._key, timeout=PATIENCE_SECONDS)
        assert status == 200, (status, text)
        return len(text.splitlines())

    def await_users(self, host: Host, number: int) -> None:
        until(lambda: self.users(host) == number)

    def send(self, host: Host, batches: int) -> None:
        """Sends each batch until it is accepted. A batch whose answer is lost may be accepted twice."""
        for _ in range(batches):
            name = next(self._numbers)
            people = [{"email": f"p{name}-{n}@example.com", "tags": ["a"]} for n in range(BATCH)]
            self._send(host, {"subscribers": people})

    def _send(self, host: Host, body: Any) -> None:
        until(lambda: host.ask("POST", "/batch/subscribers", self._key, body)[0] == 200)

    def use_doors(self, host: Host, name: str, chance: Random, end: threading.Event) -> None:
        def call(method: str, path: str, body: Any) -> tuple[int, Any]:
            status, answer = host.call(method, path, self._doors_key, body)
            return status, json.loads(answer)

        client = DoorClient(self._judge, call, self._stored, name, chance)
        while not end.is_set():
            client.step()

    def check_doors(self) -> None:
        """Waits until no work of the site waits, and has the judge check it."""
        until(lambda: self.rows("SELECT count(*) FROM undos WHERE status IN ('queued', 'running')") == [(0,)])
        until(self._stored.is_at_rest)
        self._judge.empty()
        _, exported = self.hosts[0].call("GET", "/fetch/export?format=jsonl", self._doors_key)
        _, stats = self.hosts[0].ask("GET", "/stats/site", self._doors_key)
        assert_holds(self._judge, witness.found_of(map(json.loads, exported.splitlines()), stats))

    def rows(self, statement: str) -> list[Any]:
        with psycopg.connect(self.url, autocommit=True) as connection:
            return connection.execute(statement.encode()).fetchall()

    def check(self, total: int) -> None:
        until(
            lambda: self.rows("SELECT count(*) FROM imports WHERE status IN ('queued', 'running')") == [(0,)]
        )
        for statement in COUNTS:
            assert self.rows(statement) == [(total,)], (statement, self.rows(statement), total)
        for host in self.hosts:
            self.await_users(host, total)


def worker_is_killed(network: Network, host: Host) -> None:
    host.kill("worker")
    host.start("worker")


def web_server_is_killed(network: Network, host: Host) -> None:
    host.kill("web")
    host.start("web")


def database_is_killed(network: Network, host: Host) -> None:
    stores.crash()


def redis_is_emptied(network: Network, host: Host) -> None:
    network.redis.flushall()


def cable_is_pulled(network: Network, host: Host) -> None:
    """Pulls a host's cable until the other host has taken over what the lost one had claimed."""
    host.cable.pull()
    [other] = [each for each in network.hosts if each is not host]
    before = network.users(other)
    until(lambda: network.users(other) != before)
    host.cable.plug_in()


def replica_is_ill(network: Network, host: Host) -> None:
    """Gives the replica each kind of trouble. An export must have everybody who was there when it began."""
    replica = network.replica
    for illness in (replica.frozen, replica.stopped, replica.paused):
        with illness():
            for each in network.hosts:
                before = network.users(each) or 0
                assert network.exported(each) >= before


TROUBLES: tuple[Callable[[Network, Host], None], ...] = (
    worker_is_killed, web_server_is_killed, database_is_killed, redis_is_emptied, cable_is_pulled,
    replica_is_ill,
)  # fmt: skip


@contextmanager
def opened(short: bool) -> Iterator[object]:
    batches, totals = BATCHES_SHORT if short else BATCHES_LONG, [0]
    with cables(HOSTS) as laid, started(laid) as network:

        def attack(number: int, chance: Random) -> None:
            host, trouble = chance.choice(network.hosts), TROUBLES[number % len(TROUBLES)]
            end = threading.Event()
            with ThreadPoolExecutor(2 * HOSTS) as pool:
                clients = [
                    pool.submit(network.use_doors, each, f"h{number}-{place}", Random(chance.random()), end)
                    for place, each in enumerate(network.hosts)
                ]
                sent = [pool.submit(network.send, each, batches // HOSTS) for each in network.hosts]
                threading.Event().wait(chance.uniform(0.05, 0.5))
                try:
                    trouble(network, host)
                    for each in sent:
                        each.result(10 * PATIENCE_SECONDS)
                finally:
                    end.set()
            for client in clients:
                client.result()
            totals.append(batches // HOSTS * HOSTS * BATCH)
            network.check(sum(totals))
            network.check_doors()

        yield attack


@contextmanager
def started(laid: list[Cable]) -> Iterator[Network]:
    near = [cable.near for cable in laid]
    assert stores.server
    port = stores.server.listen(near, f"{NETWORK}.0.0/16")
    url, replica = stores.new_url(), Standby(stores.server)
    replica_port = replica.listen(near, f"{NETWORK}.0.0/16")
    with (
        tempfile.TemporaryDirectory(prefix="torture", ignore_cleanup_errors=True) as name,
        serving_redis(near, name) as redis_port,
        contextlib.ExitStack() as running,
    ):
        running.callback(replica.remove)
        folder = Path(name)
        (folder / "pepper").write_bytes(os.urandom(32))
        shared = {"AUDIENCE_PEPPER_FILE": str(folder / "pepper")}
        hosts = []
        for cable in laid:
            address = f"postgresql://audience@{cable.near}:{{}}/{name_of(url)}"
            reached = {
                "AUDIENCE_DATABASE_URL": address.format(port),
                "AUDIENCE_DATABASE_READ_URL": address.format(replica_port),
                "AUDIENCE_REDIS_URL": f"redis://{cable.near}:{redis_port}",
            }
            hosts.append(running.enter_context(contextlib.closing(Host(cable, folder, shared | reached))))
        network = Network(hosts, url, Redis(host=near[0], port=redis_port), replica)
        network.start()
        yield network


@contextmanager
def serving_redis(addresses: list[str], folder: str) -> Iterator[int]:
    """Runs a Redis that hosts reach at these addresses. Yields its port."""
    port = free_port()
    options = (
        "--bind",
        *addresses,
        "--port",
        str(port),
        "--protected-mode",
        "no",
        "--save",
        "",
        "--dir",
        folder,
    )
    process = subprocess.Popen([embedded_redis.binary(), *options, "--save", ""], stdout=subprocess.DEVNULL)
    try:
        yield port
    finally:
        process.kill()
        process.wait()
