"""A service under attack, the clients that use it meanwhile, and what they were told."""

import contextlib
import http.client
import json
import os
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import Any

from audience.config import Settings
from tests.client import basic
from tests.service import Service, packed_places, serving, until
from tests.stories import witness
from tests.stories.invariant import Judge, assert_holds
from tests.torture import stores
from tests.torture.doors import EARLIEST, LATEST, UNANSWERED, DoorClient, Stored, tell

ROOT = Path(__file__).parent.parent.parent
PRELOADS = Path(__file__).with_name("preload")
CLIENTS = 4
DRAINED_SECONDS, RESTARTED_SECONDS = 60.0, 30.0
REPEATS = 9  # of a request without an answer
EXPECTED = frozenset({200, 201, 503})
WAITING = ("queued", "running")


@dataclass
class Ledger:
    """What clients were told: which addresses exist and whether they unsubscribed, rows by import, and who
    has one event.

    `unsure` are addresses of which a request had no answer, or a 503, since the last check. `doubtful` were
    so at a check; nothing of theirs is under way since, so the next answer about them is sure.
    """

    left: dict[str, bool] = field(default_factory=dict)
    unsure: set[str] = field(default_factory=set)
    doubtful: set[str] = field(default_factory=set)
    imports: dict[str, int] = field(default_factory=dict)
    events: set[str] = field(default_factory=set)
    statuses: Counter[str] = field(default_factory=Counter)


class Client:
    """Sends one request after another, each about people whom no other client names."""

    def __init__(self, world: "World", name: str, chance: Random) -> None:
        self._world, self._name, self._chance = world, name, chance
        self._ledger = world.ledger
        self._mine: list[str] = []

    def step(self) -> None:
        act = self._chance.choice([self.create, self.import_, self.import_, self.event, self.say, self.read])
        act()

    def _new(self) -> str:
        self._mine.append(f"{self._name}-{len(self._mine)}@example.com")
        return self._mine[-1]

    def create(self) -> None:
        self._told([self._new()], "/fetch/subscribers", {"subscriber": {"email": self._mine[-1]}})

    def event(self) -> None:
        email = self._new()
        if self._told([email], "/batch/events", {"events": [{"email": email, "type": "seen"}]}):
            self._ledger.events.add(email)

    def import_(self) -> None:
        people = [self._new() for _ in range(self._chance.choice([1, 2, 30]))]
        body = self._told(people, "/batch/subscribers", {"subscribers": [{"email": each} for each in people]})
        if body:
            self._ledger.imports[body["import_id"]] = len(people)

    def say(self) -> None:
        """Subscribes or unsubscribes one of the client's people."""
        if not self._mine:
            return
        email, word = self._chance.choice(self._mine), self._chance.choice(["subscribe", "unsubscribe"])
        path, body = "/fetch/commands", {"command": [{"command": word, "email": email}]}
        self._told([email], path, body, word == "unsubscribe")

    def read(self) -> None:
        self._world.ask("GET", "/fetch/search")

    def _told(self, people: list[str], path: str, body: Any, left: bool = False) -> Any:
        """The answer, if it says that the request was done; otherwise None, and these people are `unsure`.

        In a world that `repeats`, an unanswered request is sent again with its Idempotency-Key until it has
        an answer.
        """
        key = f"{self._chance.getrandbits(128):032x}" if self._world.repeats else ""
        status, answer = self._world.ask("POST", path, body, key=key)
        for _ in range(REPEATS):
            if not key or status in (200, 201):
                break
            until(self._world.answers, RESTARTED_SECONDS)
            status, answer = self._world.ask("POST", path, body, key=key)
        if status in (200, 201):
            if key:
                self._expect_same(path, body, key, answer)
            self._ledger.left.update(dict.fromkeys(people, left))
            self._ledger.doubtful.difference_update(people)
            return answer
        self._ledger.unsure.update(people)
        return None

    def _expect_same(self, path: str, body: Any, key: str, answer: Any) -> None:
        """Sends an answered request once more, with its key. The answer must name the same import."""
        status, again = self._world.ask("POST", path, body, key=key)
        if status in (200, 201):
            assert again.get("import_id") == answer.get("import_id"), f"done twice: {again}"


class World:
    """A service that may be replaced by another on the same instance; the clients go on."""

    def __init__(self, instance: Path, **settings: str) -> None:
        self.instance, self.url = instance, stores.new_url()
        self.settings = settings | {"AUDIENCE_DATABASE_URL": self.url}
        self.ledger, self.judge = Ledger(), Judge()
        self.service: Service
        self.times_ms: list[float] = []
        self.stored = Stored(Settings(instance=instance, database_url=self.url))
        self._has_doors, self._ended = False, set[str]()  # undos that have ended
        self.is_patient = False  # waits as long as a 503 asks for
        self.repeats = False  # sends again, with the same Idempotency-Key, what had no answer
        self._running = contextlib.ExitStack()

    def start(self) -> None:
        log = self._running.enter_context((self.instance.parent / "log").open("a"))
        self.service = self._running.enter_context(serving(self.instance, log, **self.settings))
        assert self.service.process.poll() is None, "the service does not start: see its log"

    def running(self, part: str) -> list[int]:
        """The pids of a part of the service, as `Service.processes`; waits until there is one."""
        found: list[int] = until(lambda: self.service.processes(part), RESTARTED_SECONDS)
        return found

    def stop(self) -> None:
        self._running.close()

    def ask(
        self, method: str, path: str, body: Any = None, timeout: float = 30.0, key: str = ""
    ) -> tuple[int, Any]:
        """`(status, JSON)` of a request; status 0 if no answer came. A status that is not `EXPECTED` fails
        the attack.
        """
        began, request = time.monotonic(), self.judge.send(EARLIEST, LATEST)
        try:
            status, seconds, answer = self._request(method, path, body, timeout, key)
        except UNANSWERED as error:
            self.ledger.statuses[type(error).__name__] += 1
            tell(self.judge, request, (method, path, body), 0, None)
            return 0, None
        tell(self.judge, request, (method, path, body), status, answer)
        if path != "/batch/subscribers":  # which may wait a second for earlier ones
            self.times_ms.append((time.monotonic() - began) * 1000)
        self.ledger.statuses[str(status)] += 1
        if self.is_patient:
            threading.Event().wait(seconds)
        return status, answer

    def call(self, method: str, path: str, body: Any = None, timeout: float = 30.0) -> tuple[int, Any]:
        status, _, answer = self._request(method, path, body, timeout)
        return status, answer

    def _request(
        self, method: str, path: str, body: Any, timeout: float, key: str = ""
    ) -> tuple[int, int, Any]:
        """`(status, Retry-After, JSON)` of a request."""
        first = self.service.first
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=timeout)
        headers = {"Authorization": basic(first["publishable_key"], first["secret_key"])}
        with contextlib.closing(connection):
            is_file = isinstance(body, bytes)
            text = body if body is None or is_file else json.dumps(body)
            headers["Content-Type"] = "text/csv" if is_file else "application/json"
            headers |= {"Idempotency-Key": key} if key else {}
            connection.request(method, f"/api/v1{path}", text, headers)
            response = connection.getresponse()
            seconds = int(response.headers.get("Retry-After", 0))
            if "Idempotency-Replayed" in response.headers:
                self.ledger.statuses["replayed"] += 1
            return response.status, seconds, json.loads(response.read())

    @contextlib.contextmanager
    def clients_at_work(
        self, name: str, chance: Random, number: int = CLIENTS, doors: int = 0
    ) -> Iterator[None]:
        """Runs `number` clients that tell the ledger, and `doors` clients that use every interface and tell
        only the judge.
        """
        end, self._has_doors = threading.Event(), self._has_doors or doors > 0
        clients: list[Client | DoorClient] = [
            Client(self, f"{name}-{each}", Random(chance.random())) for each in range(number)
        ]
        clients += [
            DoorClient(self.judge, self.call, self.stored, f"{name}-d{each}", Random(chance.random()))
            for each in range(doors)
        ]

        def work(client: Client | DoorClient) -> None:
            while not end.is_set():
                client.step()

        with ThreadPoolExecutor(len(clients)) as pool:
            working = [pool.submit(work, client) for client in clients]
            try:
                yield
            finally:
                end.set()
        for each in working:
            each.result()

    def check(self) -> None:
        """Checks that nothing accepted is lost or done twice, and that the counts are exact."""
        expected = {str(status) for status in EXPECTED}
        wrong = {each for each in self.ledger.statuses if each.isdigit() and each not in expected}
        assert not wrong, f"statuses {wrong}"
        until(lambda: self.answers() and self.is_drained(), DRAINED_SECONDS)
        for import_id, rows in list(self.ledger.imports.items()):
            state = self.call("GET", f"/batch/imports/{import_id}")[1]["data"]["attributes"]
            done = state["created"] + state["updated"] + state["unchanged"]
            assert (state["status"], state["failed"], done) == ("finished", 0, rows), state
        self.ledger.imports.clear()
        exported = self.exported()
        self._check_people([(row["email"], row["unsubscribed_at"] is not None) for row in exported])
        self._check_events()
        self._check_judged(exported)

    def answers(self) -> bool:
        try:
            return self.call("GET", "/stats/site")[0] == 200
        except UNANSWERED:
            return False

    def is_drained(self) -> bool:
        newest = self.call("GET", "/batch/imports")[1]["data"]
        if any(each["attributes"]["status"] in WAITING for each in newest):
            return False
        for source in [each for each in self.judge.undone if each not in self._ended]:
            path = f"/batch/imports/{source.removeprefix('import ')}/undo"
            status, answer = self.call("GET", path)
            if status == 200 and answer["data"]["attributes"]["status"] in WAITING:
                return False
            self._ended.add(source)
        return not self._has_doors or self.stored.is_at_rest()

    def _check_people(self, people: list[tuple[str, bool]]) -> None:
        found, ledger = dict(people), self.ledger
        open_ = ledger.unsure | ledger.doubtful
        sure = {email: left for email, left in ledger.left.items() if email not in open_}
        assert len(found) == len(people), "somebody is there twice"
        assert not ledger.left.keys() - found.keys(), f"lost: {sorted(ledger.left.keys() - found.keys())[:9]}"
        unknown = found.keys() - ledger.left.keys() - open_ - self.judge.subscribers.keys()
        assert not unknown, f"from nowhere: {sorted(unknown)[:9]}"
        wrong = [email for email, left in sure.items() if found[email] != left]
        assert not wrong, f"consent lost: {wrong[:9]}"
        stats = self.call("GET", "/stats/site")[1]
        left_count = sum(found.values())
        counts = (stats["user_count"], stats["subscriber_count"], stats["unsubscriber_count"])
        assert counts == (len(found), len(found) - left_count, left_count), counts
        ledger.doubtful |= ledger.unsure
        ledger.unsure.clear()

    def _check_judged(self, exported: list[dict[str, Any]]) -> None:
        """Has the judge check the site. Of people whom a row added past the API, it knows only that they
        exist.
        """
        for email in self.ledger.left.keys() - self.judge.subscribers.keys():
            self.judge.at(email).is_open = True
        self.judge.empty()
        assert_holds(self.judge, witness.found_of(exported, self.call("GET", "/stats/site")[1]))

    def _check_events(self) -> None:
        for email in self.ledger.events:
            uuid = self.call("GET", f"/fetch/subscribers?email={email}")[1]["data"]["attributes"]["uuid"]
            events = self.call("GET", f"/fetch/subscribers/{uuid}/events")[1]["data"]
            assert len(events) == 1, f"{email} has {len(events)} events instead of one"
        self.ledger.events.clear()

    def exported(self) -> list[dict[str, Any]]:
        """The rows of all subscribers."""
        first = self.service.first
        connection = http.client.HTTPConnection("127.0.0.1", self.service.port, timeout=60)
        headers = {"Authorization": basic(first["publishable_key"], first["secret_key"])}
        with contextlib.closing(connection):
            connection.request("GET", "/api/v1/fetch/export?format=jsonl", headers=headers)
            return [json.loads(line) for line in connection.getresponse().read().splitlines()]

    def take_p99_ms(self) -> float:
        """The p99 of the answers since the last call, in milliseconds."""
        times, self.times_ms = sorted(self.times_ms), []
        return times[len(times) * 99 // 100] if times else 0.0


@contextlib.contextmanager
def new_folder() -> Iterator[Path]:
    """A folder for an instance and what lies beside it. If the attack fails, prints unusual log lines."""
    with tempfile.TemporaryDirectory(prefix="torture", ignore_cleanup_errors=True) as name:
        try:
            yield Path(name)
        except Exception:
            log = Path(name) / "log"
            lines = log.read_text(errors="replace").splitlines() if log.exists() else []
            print("\n".join([line for line in lines if '"info"' not in line][-20:]))
            raise


def preloading(name: str) -> dict[str, str]:
    """Settings by which each Python process of the service first runs `preload_NAME/sitecustomize.py`."""
    path = os.pathsep.join(filter(None, [f"{PRELOADS}_{name}", os.environ.get("PYTHONPATH")]))
    return {"PYTHONPATH": path, f"TORTURE_{name.upper()}": f"{{folder}}/{name}"}


@contextlib.contextmanager
def opened_world(
    settings: Mapping[str, str] = MappingProxyType({}),
    folder: Path | None = None,
    before: Callable[[Path], None] = lambda _: None,
) -> Iterator[World]:
    """A running service, whose instance is in `folder` or a new one; `before` is called with the new one."""
    with new_folder() as beside:
        before(beside)
        instance = (folder or beside) / "instance"
        instance.mkdir(mode=0o700)
        if folder:  # on another file system, to which `serving` cannot link the table of places
            shutil.copy(packed_places(), instance)
        given = {name: value.format(folder=beside) for name, value in settings.items()}
        world = World(instance, **given)
        try:
            world.start()
            yield world
        finally:
            world.stop()


def eventually(condition: Callable[[], Any], seconds: float = 30.0) -> Any:
    """Waits as `until` does, while requests may go unanswered."""

    def holds() -> Any:
        try:
            return condition()
        except UNANSWERED:
            return None

    return until(holds, seconds)
