"""Programs `audience mirror` that are killed, and random writes for them to follow."""

import json
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any

import peewee
import psycopg

from tests.client import basic
from tests.mirrored import Site, mirrored
from tests.service import PATIENCE_SECONDS, Service, command, environment, until

ROOT = Path(__file__).parent.parent
PEOPLE, ITEMS = 400, 9
NAMES = ["vip", "new", "old"]


class Follower:
    """A program that mirrors a service's only site into a target. It is killed and started again."""

    def __init__(self, to: str, service: Service) -> None:
        self.to = to
        self._environment = environment(service.instance, service.port, **service.settings)
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(command("mirror", "--to", self.to), cwd=ROOT, env=self._environment)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def site(self) -> Site | None:
        """The mirrored site; None if its tables are missing or locked."""
        with suppress(peewee.OperationalError, psycopg.Error, FileNotFoundError):
            return mirrored(self.to)
        return None


def export(service: Service) -> Site:
    """The site as both exports, of subscribers and of events, have it."""
    people = {row["uuid"]: row | {"tags": sorted(row["tags"])} for row in _exported(service, "format=jsonl")}
    events = _exported(service, "of=events&after=0")
    return people, [{name: row[name] for name in row if name != "email"} for row in events]


def _exported(service: Service, of: str) -> list[dict[str, Any]]:
    first = service.first
    path = f"/api/v1/fetch/export?{of}&site_uuid={first['site_uuid']}"
    with closing(HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_SECONDS)) as connection:
        key = {"Authorization": basic(first["publishable_key"], first["secret_key"])}
        connection.request("GET", path, headers=key)
        answer = connection.getresponse()
        lines = answer.read().splitlines()  # whole, or it fails
    if answer.status != 200:
        raise OSError(answer.status)
    return [json.loads(line) for line in lines]


def item(chance: Random) -> dict[str, Any]:
    return {
        "email": f"p{chance.randrange(PEOPLE)}@example.com", "first_name": chance.choice(["", "A", "B"]),
        "tags": chance.sample(NAMES, chance.randrange(3)), "fields": {"n": chance.randrange(9)},
        "remove_tags": chance.sample(NAMES, chance.randrange(2)),
        **chance.choice([{}, {}, {"command": "unsubscribe"}, {"command": "subscribe"}]),
    }  # fmt: skip


def write(call: Callable[..., Any], chance: Random) -> None:
    """Sends a random request, again if it dies with the service."""
    email = {"email": f"p{chance.randrange(PEOPLE)}@example.com"}
    moved = {"command": "change_email", "query": f"p{chance.randrange(PEOPLE)}@example.com", **email}
    people = [item(chance) for _ in range(chance.randint(1, ITEMS))]
    method, path, body = chance.choice([
        ("POST", "/batch/subscribers", {"subscribers": people}),
        ("POST", "/batch/subscribers", {"subscribers": people}),
        ("POST", "/batch/events", {"events": [{"type": "$unsubscribe", **email}, {"type": "v", **email}]}),
        ("POST", "/fetch/commands", {"command": [{"command": "remove_field", "query": "n", **email}, moved]}),
        ("DELETE", "/fetch/subscribers", email),
    ])  # fmt: skip
    until(lambda: answered(lambda: call(method, path, body)))


def answered(request: Callable[[], tuple[int, Any]]) -> bool:
    """Whether a request is answered, and not with a 5xx."""
    try:
        return request()[0] < 500
    except (OSError, ValueError):
        return False


@contextmanager
def following(targets: Sequence[str], service: Service) -> Iterator[list[Follower]]:
    """Runs a mirror into each target."""
    followers: list[Follower] = []
    try:
        for to in targets:
            followers.append(Follower(to, service))
        yield followers
    finally:
        for follower in followers:
            follower.kill()


def files(folder: Path) -> list[str]:
    """A target for each format of files."""
    return [f"sqlite:{folder / 'mirror.db'}", f"jsonl:{folder / 'mirror.jsonl'}"]


def wait_for(followers: Sequence[Follower], service: Service) -> Site:
    """Waits until each mirror equals the export, in whatever order the service and the mirrors come back.
    Returns the export.
    """

    def level() -> Site | None:
        assert all(follower.process.poll() is None for follower in followers), "a mirror ended by itself"
        try:
            whole = export(service)
        except (OSError, ValueError, HTTPException):
            return None
        return whole if all(follower.site() == whole for follower in followers) else None

    whole: Site = until(level)
    return whole
