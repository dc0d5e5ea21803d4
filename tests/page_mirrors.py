"""The mirrors of docs/integrations.md, as programs that are killed, and random writes to follow."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from random import Random
from typing import Any

from tests.client import basic
from tests.service import PATIENCE_SECONDS, Service, until

PAGE = Path(__file__).parent.parent / "docs" / "integrations.md"
BLOCK = re.compile(r"^```(py|js)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PROGRAMS = {"py": ("mirror.py", sys.executable), "js": ("mirror.mjs", "node")}
INSTALLED = [each for each, (_, interpreter) in PROGRAMS.items() if shutil.which(interpreter)]
PEOPLE, ITEMS = 400, 9
NAMES = ["vip", "new", "old"]


class Follower:
    """A mirror that runs, and is killed and run again."""

    def __init__(self, folder: Path, language: str, service: Service) -> None:
        name, interpreter = PROGRAMS[language]
        self.folder, self.command = folder, [shutil.which(interpreter) or interpreter, name]
        texts = dict(BLOCK.findall(PAGE.read_text("utf-8")))
        (folder / name).write_text(texts[language], "utf-8")
        keys = f"{service.first['publishable_key']}:{service.first['secret_key']}"
        self.environment = {"API": f"http://127.0.0.1:{service.port}/api/v1", "KEYS": keys,
                            "SITE": service.first["site_uuid"]}  # fmt: skip
        self.start()

    def start(self) -> None:
        self.process = subprocess.Popen(self.command, cwd=self.folder, env=self.environment)

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()

    def people(self) -> dict[str, Any]:
        file = self.folder / "mirror.json"
        return json.loads(file.read_text("utf-8"))["people"] if file.exists() else {}


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
    """A mirror in each language that is installed, in a new folder each."""
    followers: list[Follower] = []
    try:
        for language in INSTALLED:
            (folder / language).mkdir()
            followers.append(Follower(folder / language, language, service))
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
