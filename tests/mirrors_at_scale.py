"""A mirror in SQLite and one in PostgreSQL follow a large site while they and the service are killed.

`python -m tests.mirrors_at_scale` prints the `Figures`. It fails unless both mirrors equal the exports at the
end.
"""

import argparse
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from tests import mirrors
from tests.mirrored import mirrored
from tests.service import Service, command, environment, serving, until
from tests.torture import stores
from tests.torture.__main__ import commit, machine

BATCH = 1_000
PARTS = ("app worker", "app web")
PATIENCE_SECONDS = 3_600.0
WAITING = ("receiving", "queued", "running")


class Figures(NamedTuple):
    """What the site has at the end, what was killed, and how long writing and then catching up took."""

    people: int
    tags: int
    events: int
    kills_of_mirrors: int
    kills_of_parts: int
    kills_of_services: int
    written_seconds: float
    level_seconds: float


class Scale:
    """A service and its mirrors. `kills` counts the kills of each."""

    def __init__(
        self, stack: ExitStack, folder: Path, url: str, targets: Sequence[str], chance: Random
    ) -> None:
        self._instance, self._chance = folder / "instance", chance
        self._services = stack.enter_context(ExitStack())
        self._log = stack.enter_context((folder / "log").open("w"))
        self._settings = {"AUDIENCE_DNS_SERVERS": "127.0.0.1:9", "AUDIENCE_DATABASE_URL": url}
        self.service = self._start()
        self.followers = stack.enter_context(mirrors.following(targets, self.service))
        self.kills = {"mirrors": 0, "parts": 0, "services": 0}

    def _start(self) -> Service:
        service = self._services.enter_context(serving(self._instance, self._log, **self._settings))
        assert service.process.poll() is None, "the service does not start: see its log"
        return service

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Sends a request until the service answers it, other than with 429 or 503. Returns the answer."""
        status, answer = until(lambda: self._answer(method, path, body), PATIENCE_SECONDS)
        assert status == 200, answer
        return answer

    def _answer(self, method: str, path: str, body: Any) -> tuple[int, Any] | None:
        try:
            status, answer = self.service.call(method, path, body)
        except (OSError, ValueError):
            return None
        return None if status in (429, 503) else (status, answer)

    def kill(self) -> None:
        """Kills a mirror, a part of the service or all of it. Restarts what no supervisor restarts."""
        victim = self._chance.choice(["mirrors", "mirrors", "mirrors", "parts", "parts", "services"])
        self.kills[victim] += 1
        if victim == "mirrors":
            follower = self._chance.choice(self.followers)
            follower.kill()
            follower.start()
        elif victim == "parts":
            processes = until(lambda: self.service.processes(self._chance.choice(PARTS)))
            os.kill(self._chance.choice(processes), signal.SIGKILL)
        else:
            os.killpg(self.service.process.pid, signal.SIGKILL)
            self._services.close()
            self.service = self._start()

    def drain(self) -> None:
        until(self._is_drained, PATIENCE_SECONDS)

    def _is_drained(self) -> bool:
        newest = self.send("GET", "/batch/imports")["data"]
        return not any(each["attributes"]["status"] in WAITING for each in newest)

    def level(self) -> None:
        """Kills each mirror, and runs it once more until it has caught up."""
        for follower in self.followers:
            follower.kill()
            again = command("mirror", "--once", "--to", follower.to)
            variables = environment(self._instance, self.service.port, **self.service.settings)
            subprocess.run(again, cwd=mirrors.ROOT, env=variables, check=True)


def address(number: int) -> str:
    return f"person{number}@example.com"


def person(number: int, chance: Random) -> dict[str, Any]:
    return {
        "email": address(number), "first_name": f"Name {number % 977}",
        "tags": chance.sample(mirrors.NAMES, 2),
        "fields": {"plan": chance.choice(["free", "pro"]), "score": number / 7},
    }  # fmt: skip


def event(people: int, chance: Random) -> dict[str, Any]:
    page = {"page": f"/{chance.randrange(9_999)}", "ms": chance.random()}
    return {"email": address(chance.randrange(people)), "type": "viewed", "details": page}


def batches(people: int, events: int, chance: Random) -> list[tuple[str, str, int]]:
    """(path, key, first number) of each batch: first all people, then events, with some people once more
    among them.
    """
    first = [("/batch/subscribers", "subscribers", number) for number in range(0, people, BATCH)]
    later = [("/batch/events", "events", number) for number in range(0, events, BATCH)]
    later += chance.sample(first, max(1, len(first) // 5))
    chance.shuffle(later)
    return first + later


def write(scale: Scale, people: int, events: int, kills: int, chance: Random) -> None:
    planned = batches(people, events, chance)
    killed_at = {*chance.sample(range(len(planned)), min(kills, len(planned)))}
    for number, (path, key, first) in enumerate(planned):
        if number in killed_at:
            scale.kill()
        if key == "events":
            items = [event(people, chance) for _ in range(min(BATCH, events - first))]
        else:
            items = [person(each, chance) for each in range(first, min(first + BATCH, people))]
        scale.send("POST", path, {key: items})
        if number % 10 == 9:
            erased = {"email": address(chance.randrange(people))}
            scale._answer("DELETE", "/fetch/subscribers", erased)
    scale.drain()


def run(people: int, events: int, kills: int, engine: str, seed: int) -> Figures:
    """Writes to a service under kills. Raises `AssertionError` if a mirror is not equal to the exports at the
    end.
    """
    chance = Random(seed)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        stack.enter_context(stores.opened("postgresql"))
        targets = [f"sqlite:{folder / 'mirror.db'}", stores.new_url()]
        url = stores.new_url() if engine == "postgresql" else ""
        scale = Scale(stack, folder, url, targets, chance)
        began = time.monotonic()
        write(scale, people, events, kills, chance)
        written = time.monotonic()
        scale.level()
        level = time.monotonic()
        site = mirrors.export(scale.service)
        for to in targets:
            assert mirrored(to) == site, f"not equal to the exports: {to.partition(':')[0]}"
    return Figures(
        people=len(site[0]),
        tags=sum(len(row["tags"]) for row in site[0].values()),
        events=len(site[1]),
        **{f"kills_of_{name}": number for name, number in scale.kills.items()},
        written_seconds=round(written - began, 1),
        level_seconds=round(level - written, 1),
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.mirrors_at_scale")
    parser.add_argument("--people", type=int, default=100_000)
    parser.add_argument("--events", type=int, default=1_000_000)
    parser.add_argument("--kills", type=int, default=60)
    parser.add_argument("--engine", choices=stores.ENGINES, default="sqlite", help="of the instance")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    print(f"On {machine()}, {commit()[0]}:", flush=True)
    print(json.dumps(run(**vars(chosen))._asdict()))


if __name__ == "__main__":
    main()
