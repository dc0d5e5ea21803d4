"""`make bench`: the main tasks with 100,000 subscribers, compared with limits measured in the same run.

The limit for writes is a bare `executemany` of the same rows on the same schema; the limit for requests is a
bare Flask endpoint with authentication on the same web server. Compare the ratios, not the figures: machines
differ.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from audience import clock, pepper, sites
from audience.config import Settings
from bench import bare, load
from storage import database, subscriber_batches
from tests.service import Service, environment, free_port, serving, until

BATCH = 1_000


def item(number: int) -> dict[str, object]:
    return {
        "email": f"person{number}@example{number % 500}.com",
        "first_name": "Ann",
        "last_name": "Lee",
        "tags": "customer, newsletter",
        "fields": {"plan": "pro", "age": number % 90},
    }


def bare_writes(total: int) -> float:
    """Rows per second of `executemany`, with one transaction per batch."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(instance=Path(folder))
        pepper.open(settings.instance)
        database.open(settings.database)
        database.migrate()
        site, at = sites.create("bench"), clock.now_ms()
        rows = [
            (number + 1, each["email"], json.dumps(each["fields"]), "[1,2]", "Ann", "Lee", None, None, None,
             0, at, each["email"], at, f"{number:036}", site.id, "")
            for number in range(total) if (each := item(number))
        ]  # fmt: skip
        start = time.perf_counter()
        for first in range(0, total, BATCH):
            with database.write():
                subscriber_batches.insert(rows[first : first + BATCH])
        seconds = time.perf_counter() - start
        database.close()
    return total / seconds


def bare_requests(count: int) -> load.Result:
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        server = subprocess.Popen([sys.executable, "-m", "bench.bare"], env=environment(Path(folder), port))
        try:
            time.sleep(2)
            return load.fire(port, [load.request("GET", "/", bare.KEY)] * count)
        finally:
            server.terminate()
            server.wait()


def import_subscribers(service: Service, total: int) -> tuple[load.Result, float]:
    """(load of the accepting requests, rows per second until all are written)"""
    target, key = path(service, "/batch/subscribers"), keys(service)
    requests = [
        load.request(
            "POST", target, key, {"subscribers": [item(number) for number in range(first, first + BATCH)]}
        )
        for first in range(0, total, BATCH)
    ]
    start = time.perf_counter()
    accepted = load.fire(service.port, requests)
    until(lambda: service.call("GET", "/stats/site")[1]["user_count"] == total, 600)
    return accepted, total / (time.perf_counter() - start)


def path(service: Service, name: str, query: str = "") -> str:
    return f"/api/v1{name}?site_uuid={service.first['site_uuid']}{query}"


def keys(service: Service) -> tuple[str, str]:
    return service.first["publishable_key"], service.first["secret_key"]


def load_requests(service: Service, total: int, count: int) -> dict[str, load.Result]:
    key = keys(service)
    finds = [
        load.request(
            "GET", path(service, "/fetch/subscribers", f"&email={item(number * 7919 % total)['email']}"), key
        )
        for number in range(count)
    ]
    creates = [
        load.request("POST", path(service, "/fetch/subscribers"), key, {"subscriber": item(total + number)})
        for number in range(count // 5)
    ]
    stats = [load.request("GET", path(service, "/stats/site"), key)] * count
    search = {
        page: [load.request("GET", path(service, "/fetch/search"), key, {"page": page})] * (count // 20)
        for page in (1, total // 100)
    }
    return {
        "create": load.fire(service.port, creates),
        "find": load.fire(service.port, finds),
        **{f"search page {page:,}": load.fire(service.port, requests) for page, requests in search.items()},
        "stats": load.fire(service.port, stats),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--subscribers", type=int, default=100_000)
    parser.add_argument("--requests", type=int, default=10_000)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    writes, bare_result = bare_writes(options.subscribers), bare_requests(options.requests)
    with (
        tempfile.TemporaryDirectory() as folder,
        serving(Path(folder), AUDIENCE_LOG_LEVEL="warning") as service,
    ):
        accepted, imported = import_subscribers(service, options.subscribers)
        answers = load_requests(service, options.subscribers, options.requests)
    rows = [
        ("import, rows/s until written", imported, None, imported / writes),
        ("import, batches/s accepted", accepted.rate, accepted, accepted.rate / bare_result.rate),
        *((name, result.rate, result, result.rate / bare_result.rate) for name, result in answers.items()),
        ("limit: bare executemany, rows/s", writes, None, 1.0),
        ("limit: bare Flask, requests/s", bare_result.rate, bare_result, 1.0),
    ]
    if options.json:
        print(json.dumps({name: {"rate": rate, "of_limit": ratio} for name, rate, _, ratio in rows}))
        return
    print(f"{options.subscribers:,} subscribers, {os.cpu_count()} cores\n")
    print(f"{'':34}{'rate/s':>10}{'of limit':>10}{'p50 ms':>9}{'p99 ms':>9}")
    for name, rate, result, ratio in rows:
        tail = f"{result.p50_ms:9.2f}{result.p99_ms:9.2f}" if result else ""
        print(f"{name:34}{rate:10,.0f}{ratio:10.2f}{tail}")


if __name__ == "__main__":
    main()
