"""The mirrors of docs/integrations.md follow a service, whatever dies meanwhile (a story)."""

import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest

from tests.client import basic
from tests.conftest import lacks
from tests.service import Service, serving, until

PAGE = Path(__file__).parent.parent.parent / "docs" / "integrations.md"
BLOCK = re.compile(r"^```(py|js)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
PROGRAMS = {"py": ("mirror.py", sys.executable), "js": ("mirror.mjs", "node")}
TURNS, ITEMS = 24, 60
NAMES = ["vip", "new", "old"]


class Follower:
    """A mirror that runs, and is killed and run again."""

    def __init__(self, folder: Path, language: str, service: Service) -> None:
        name, interpreter = PROGRAMS[language]
        self.folder, self.command = folder, [shutil.which(interpreter) or lacks("nodejs"), name]
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
    with closing(HTTPConnection("127.0.0.1", service.port, timeout=60)) as connection:
        key = {"Authorization": basic(first["publishable_key"], first["secret_key"])}
        connection.request("GET", path, headers=key)
        people = [json.loads(line) for line in connection.getresponse()]
    return {person["uuid"]: person | {"tags": sorted(person["tags"])} for person in people}


def sorted_tags(people: dict[str, Any]) -> dict[str, Any]:
    return {uuid: person | {"tags": sorted(person["tags"])} for uuid, person in people.items()}


def item(chance: random.Random) -> dict[str, Any]:
    return {
        "email": f"p{chance.randrange(400)}@example.com", "first_name": chance.choice(["", "A", "B"]),
        "tags": chance.sample(NAMES, chance.randrange(3)), "fields": {"n": chance.randrange(9)},
        "remove_tags": chance.sample(NAMES, chance.randrange(2)),
        **chance.choice([{}, {}, {"command": "unsubscribe"}, {"command": "subscribe"}]),
    }  # fmt: skip


def write(call: Callable[..., Any], chance: random.Random) -> None:
    """A random request; one that dies with the service is sent again."""
    email = {"email": f"p{chance.randrange(400)}@example.com"}
    moved = {"command": "change_email", "query": f"p{chance.randrange(400)}@example.com", **email}
    method, path, body = chance.choice([
        ("POST", "/batch/subscribers", {"subscribers": [item(chance) for _ in range(ITEMS)]}),
        ("POST", "/batch/subscribers", {"subscribers": [item(chance) for _ in range(ITEMS)]}),
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


@pytest.mark.parametrize("language", ["py", "js"])
def test_a_mirror_is_the_export_whatever_dies(tmp_path, geo_table, language):
    chance = random.Random(7)
    folder = tmp_path / "mirror"
    folder.mkdir()
    with serving(tmp_path / "instance", AUDIENCE_DNS_SERVERS="127.0.0.1:9") as service:
        for _ in range(4):
            write(service.call, chance)
        follower = Follower(folder, language, service)
        try:
            for turn in range(TURNS):
                write(service.call, chance)
                if turn in (6, 15):
                    follower.kill()
                    write(service.call, chance)
                    follower.start()
                if turn == 9:
                    service.kill("app worker")
                if turn == 18:
                    os.kill(service.processes("app web")[-1], signal.SIGKILL)
            until(lambda: sorted_tags(follower.people()) == export(service), 60)
        finally:
            follower.kill()
        assert len(export(service)) > 100
