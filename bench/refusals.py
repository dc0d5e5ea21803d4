"""`python -m bench.refusals`: the time of a 401, by its cause, in one process.

Prints the medians in microseconds of an unknown key and a wrong secret, and of an unknown site and one that
the key does not reach; the goal is that two of a pair differ by at most `GOAL_PERCENT`.
"""

import statistics
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from app import create_app
from audience.config import Settings
from storage import database
from tests.client import ApiClient, FakeLimiter, FakeProcesses, FakeQueue, basic, open_client

ROUNDS = 3_000
GOAL_PERCENT = 5
UNLIMITED = f"{10 * ROUNDS}/minute"


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(instance=Path(folder), auth_failures=UNLIMITED)
        app = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
        database.migrate()
        client, other = open_client(app.test_client()), open_client(app.test_client())
        right = basic(client.key.publishable_key, client.key.secret_key)
        wrong = basic(client.key.publishable_key, "sk_" + "x" * 33)
        unknown = basic("pk_" + "x" * 33, "sk_" + "x" * 33)
        nowhere = "00000000-0000-4000-8000-000000000000"
        _compare(
            ("unknown key", lambda: _refused(client, unknown, client.site.uuid)),
            ("wrong secret", lambda: _refused(client, wrong, client.site.uuid)),
        )
        _compare(
            ("unknown site", lambda: _refused(client, right, nowhere)),
            ("site not reached", lambda: _refused(client, right, other.site.uuid)),
        )
        database.close()


def _refused(client: ApiClient, authorization: str, site_uuid: str) -> None:
    headers = {"Authorization": authorization}
    answer = client.http.get("/api/v1/stats/site", query_string={"site_uuid": site_uuid}, headers=headers)
    assert answer.status_code == 401


def _compare(*causes: tuple[str, Callable[[], None]]) -> None:
    """Takes turns, so that the machine's other work slows both alike."""
    times: dict[str, list[int]] = {name: [] for name, _ in causes}
    for _ in range(ROUNDS):
        for name, refuse in causes:
            began = time.perf_counter_ns()
            refuse()
            times[name].append(time.perf_counter_ns() - began)
    medians = {name: statistics.median(each) / 1000 for name, each in times.items()}
    low, high = sorted(medians.values())
    apart = 100 * (high - low) / low
    shown = ", ".join(f"{name} {median:.0f} us" for name, median in medians.items())
    print(f"{shown}: {apart:.1f} % apart (goal {GOAL_PERCENT} %)", flush=True)


if __name__ == "__main__":
    main()
