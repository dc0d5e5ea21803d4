"""Where the time goes: the first ten functions of a drained row and of a find, by cProfile.

The profiler makes each call of a function dearer: compare the shares, not the times.
"""

import base64
import cProfile
import json
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from pstats import Stats
from typing import Any, NamedTuple

from app import create_app
from audience import imports, pepper, sites
from audience.config import Settings
from audience.http.admission import Admission
from audience.sites import Site
from bench import import_core, instances
from storage import database
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from workers.web.gateway import Gateway, Response

FIRST = 10
PEOPLE, ROWS, REQUESTS = 20_000, 4_000, 1_500


class Item(NamedTuple):
    """A function with its share of the time, and its microseconds for each row or request, calls aside."""

    function: str
    share: float
    microseconds: float


def _profile(act: Callable[[], object], times: int) -> list[Item]:
    profiler = cProfile.Profile(time.process_time)
    profiler.runcall(act)
    found = [(spent, place) for place, (_, _, spent, _, _) in vars(Stats(profiler))["stats"].items()]
    total = sum(spent for spent, _ in found)
    first = sorted(found, reverse=True)[:FIRST]
    return [Item(_name(*place), spent / total, spent / times * 1e6) for spent, place in first]


def _name(file: str, line: int, function: str) -> str:
    path = Path(file)
    return f"{path.parent.name}/{path.name}:{line} {function}" if line else function.strip("<>")


def of_drained_row(site: Site) -> list[Item]:
    instances.fill(site, PEOPLE)
    items = import_core.rows(ROWS, ROWS // 2, 1, PEOPLE)
    for first in range(0, len(items), 1_000):
        imports.accept(site, list(enumerate(items[first : first + 1_000])), [], FakeQueue(), 0)
    return _profile(lambda: imports.drain(site.id, 3600), ROWS)


def of_find(settings: Settings) -> list[Item]:
    app = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    client = open_client(app.test_client())
    client.create("person1@example1.com", first_name="Ann", tags="customer", plan="pro")
    gateway = Gateway(app, Admission(app), settings)
    scope = _scope(client.key.publishable_key, client.key.secret_key, client.site)

    def find() -> None:
        for _ in range(REQUESTS):
            response = Response()
            vars(Gateway)["_call"](gateway, vars(Gateway)["_environ"](gateway, scope), response)
            if response.close:
                response.close()
            if response.status != 200:
                raise RuntimeError(response.status)

    find()
    return _profile(find, REQUESTS)


def _scope(publishable_key: str, secret_key: str, site: Site) -> dict[str, Any]:
    keys = base64.b64encode(f"{publishable_key}:{secret_key}".encode())
    return {
        "type": "http", "http_version": "1.1", "method": "GET", "scheme": "http",
        "path": "/api/v1/fetch/subscribers", "server": ("127.0.0.1", 8000), "client": ("127.0.0.1", 5000),
        "query_string": f"site_uuid={site.uuid}&email=person1%40example1.com".encode(),
        "headers": [(b"host", b"bench"), (b"authorization", b"Basic " + keys)],
    }  # fmt: skip


def limits_statements(site: Site) -> list[str]:
    """What the limit of the import core runs for each transaction, in order, a repeated one once."""
    seen: dict[str, None] = {}

    def trace(_cursor: object, statement: str, _parameters: object) -> bool:
        seen[statement] = None
        return True

    with database.session():
        database.database.connection().exec_trace = trace
    import_core.bare(site, import_core.rows(import_core.CHUNK, import_core.CHUNK // 2, 9, PEOPLE))
    with database.session():
        database.database.connection().exec_trace = None
    return [each for each in seen if not each.startswith(("SELECT", "PRAGMA"))]


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(instance=Path(folder))
        pepper.open(settings.pepper)
        database.open(settings.database)
        database.migrate()
        site = sites.create("bench")
        profiles = {"a drained row": of_drained_row(site), "a find": of_find(settings)}
        statements = limits_statements(site)
        database.close()
    if sys.argv[1:] == ["--json"]:
        print(json.dumps({"profiles": profiles, "statements": statements}))
        return
    for title, items in profiles.items():
        print(f"\n{title:58}{'share':>7}{'µs':>8}")
        for item in items:
            print(f"{item.function[:57]:58}{item.share:7.1%}{item.microseconds:8.1f}")


if __name__ == "__main__":
    main()
