"""The mirror of docs/integrations.md and `audience mirror`, as programs that are killed, and random writes to
follow.
"""

import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any

import peewee

from tests.client import basic
from tests.mirror_files import READERS, mirrored
from tests.service import PATIENCE_SECONDS, Service, command, environment, until

PAGE = Path(__file__).parent.parent / "docs" / "integrations.md"
ROOT = PAGE.parent.parent
BLOCK = re.compile(r"^```py\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PEOPLE, ITEMS = 400, 9
NAMES = ["vip", "new", "old"]


class Follower:
    """A mirror that runs, and is killed and run again: the program of the page."""

    def __init__(self, folder: Path, service: Service) -> None:
        self.folder = folder
        folder.mkdir()
        (folder / "mirror.py").write_text(program(), "utf-8")
        keys = f"{service.first['publishable_key']}:{service.first['secret_key']}"
        self.command, self.cwd = [sys.executable, "mirror.py"], folder
        self.environment = {"API": f"http://127.0.0.1:{service.port}/api/v1", "KEYS": keys,
                            "SITE": service.first["site_uuid"]}  # fmt: skip
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, cwd=self.cwd, env=self.environment)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def people(self) -> dict[str, Any]:
        file = self.folder / "mirror.json"
        return json.loads(file.read_text("utf-8"))["people"] if file.exists() else {}


class CommandFollower(Follower):
    """`audience mirror` into a file of a form."""

    def __init__(self, folder: Path, service: Service, form: str) -> None:
        self.folder, self.form, self.file = folder, form, folder / "mirror"
        folder.mkdir()
        self.command, self.cwd = command("mirror", "--to", f"{form}:{self.file}"), ROOT
        self.environment = environment(service.instance, service.port, **service.settings)
        self.start()

    def people(self) -> dict[str, Any]:
        with suppress(peewee.OperationalError):  # without its tables yet, or locked
            return mirrored(self.file, self.form)[0] if self.file.exists() else {}
        return {}


def program() -> str:
    """The program of the page."""
    [text] = BLOCK.findall(PAGE.read_text("utf-8"))
    return str(text)


def export(service: Service) -> dict[str, Any]:
    first = service.first
    path = f"/api/v1/fetch/export?format=jsonl&site_uuid={first['site_uuid']}"
    with closing(HTTPConnection("127.0.0.1", service.port, timeout=PATIENCE_SECONDS)) as connection:
        key = {"Authorization": basic(first["publishable_key"], first["secret_key"])}
        connection.request("GET", path, headers=key)
        lines = connection.getresponse().read().splitlines()  # whole, or it fails
    people = [json.loads(line) for line in lines]
    return {person["uuid"]: person | {"tags": sorted(person["tags"])} for person in people}


def sorted_tags(people: dict[str, Any]) -> dict[str, Any]:
    return {uuid: person | {"tags": sorted(person["tags"])} for uuid, person in people.items()}


def item(chance: Random) -> dict[str, Any]:
    return {
        "email": f"p{chance.randrange(PEOPLE)}@example.com", "first_name": chance.choice(["", "A", "B"]),
        "tags": chance.sample(NAMES, chance.randrange(3)), "fields": {"n": chance.randrange(9)},
        "remove_tags": chance.sample(NAMES, chance.randrange(2)),
        **chance.choice([{}, {}, {"command": "unsubscribe"}, {"command": "subscribe"}]),
    }  # fmt: skip


def write(call: Callable[..., Any], chance: Random) -> None:
    """A random request; one that dies with the service is sent again."""
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
    try:
        return request()[0] < 500
    except (OSError, ValueError):
        return False


@contextmanager
def following(folder: Path, service: Service) -> Iterator[list[Follower]]:
    """A mirror of each kind, in a new folder each."""
    followers: list[Follower] = []
    try:
        followers.append(Follower(folder / "page", service))
        for form in READERS:
            followers.append(CommandFollower(folder / form, service, form))
        yield followers
    finally:
        for follower in followers:
            follower.kill()


def wait_for(followers: list[Follower], service: Service) -> None:
    """Until each mirror is the export, in whatever order the service and they come back."""

    def have_caught_up() -> bool:
        try:
            whole = export(service)
        except (OSError, ValueError, HTTPException):
            return False
        return all(sorted_tags(follower.people()) == whole for follower in followers)

    ended = [each.process.returncode for each in followers if each.process.poll() is not None]
    assert not ended, "a mirror ended by itself"
    until(have_caught_up)
