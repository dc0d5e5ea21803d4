"""Sign-ups beside an import that drains: `python -m bench.more.sign_up_load`.

So many a second begin, whether or not earlier ones are answered, from networks and to sites in turn: the
form, then the step after it. A client in a process of its own finds subscribers meanwhile; for some seconds
before with the import alone, and for some beside as many ordinary requests, a find and a create each. Each
sign-up that was told to look into the mailbox must be in the database, and be sent.
"""

import argparse
import contextlib
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from multiprocessing.queues import SimpleQueue
from multiprocessing.synchronize import Event
from pathlib import Path

from audience.access.sites import Site
from audience.forms.forms import SignUpForm
from bench import import_http, instances, load, machine, waits
from bench.more import sign_ups
from bench.waits import Requests, p99
from storage import database
from tests.service import Service, until

QUEUED, BATCH, ALONE_SECONDS, DRAINED_SECONDS = 20_000, 1_000, 30.0, 900.0
AT_ONCE, GOAL_MS = 64, 300
Target = tuple[Site, SignUpForm]
SignUpRequests = tuple[bytes, bytes]


def prepared(targets: list[Target], networks: int, number: int) -> list[SignUpRequests]:
    """Made before: that takes the processors."""
    addresses = sign_ups.networks(networks)
    make = partial(_one, targets, addresses)
    with sign_ups.FORKED.Pool() as pool:
        return pool.map(make, range(number), 100)


def _one(targets: list[Target], networks: Sequence[str], number: int) -> SignUpRequests:
    (site, form), network = targets[number % len(targets)], networks[number % len(networks)]
    email = f"visitor{number}@{sign_ups.DOMAIN}"
    return sign_ups.fill_in(site, form, email, network), sign_ups.send(site, form, email, network)


def sign_up(port: int, requests: SignUpRequests, times: list[float], failed: Counter[str]) -> None:
    try:
        load.send(port, list(requests), times)
    except (RuntimeError, OSError) as error:
        failed[str(error)] += 1


def keep_draining(service: Service, make: Requests, end: threading.Event) -> None:
    """Always rows of imports that wait."""
    while not end.is_set():
        load.send(service.port, [make["accept"]() for _ in range(QUEUED // BATCH)], [])
        while not (end.is_set() or import_http.applied(service)):
            time.sleep(0.2)


@contextlib.contextmanager
def finding(service: Service, make: Requests) -> Iterator[list[float]]:
    """Seconds of each find, known at the end: of a process of its own, which waits for nobody's sign-ups."""
    times, end, answers = list[float](), sign_ups.FORKED.Event(), sign_ups.FORKED.SimpleQueue()
    process = sign_ups.FORKED.Process(
        target=_find_until, args=(service.port, make, end, answers), daemon=True
    )
    process.start()
    try:
        yield times
    finally:
        end.set()
        times.extend(answers.get())
        process.join()


def _find_until(port: int, make: Requests, end: Event, answers: SimpleQueue[list[float]]) -> None:
    times = list[float]()
    while not end.is_set():
        load.send(port, [make["find"]()], times)
        time.sleep(0.005)
    answers.put(times)


def send_all(port: int, requests: list[SignUpRequests], rate: float) -> tuple[list[float], Counter[str]]:
    """(seconds of each answer, errors of those that failed)"""
    times, failed, began = list[float](), Counter[str](), time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        for number, one in enumerate(requests):
            time.sleep(max(0.0, began + number / rate - time.monotonic()))
            pool.submit(sign_up, port, one, times, failed)
    return times, failed


@database.session()
def statuses() -> dict[str, int]:
    return dict(database.rows("SELECT status, count(*) FROM sign_ups GROUP BY status"))


def of_service(service: Service, targets: list[Target], chosen: argparse.Namespace) -> None:
    make, end = waits.requests(service, chosen.subscribers), threading.Event()
    requests = prepared(targets, chosen.networks, int(chosen.rate * chosen.seconds))
    with ThreadPoolExecutor(1) as pool:
        draining = pool.submit(keep_draining, service, make, end)
        with finding(service, make) as alone:
            time.sleep(ALONE_SECONDS)
        ordinary = [(make["find"](), make["create"]()) for _ in range(int(chosen.rate * ALONE_SECONDS))]
        with finding(service, make) as compared:
            send_all(service.port, ordinary, chosen.rate)
        with finding(service, make) as beside:
            times, failed = send_all(service.port, requests, chosen.rate)
        end.set()
        draining.result()
    began = time.monotonic()
    accepted = len(requests) - failed.total()
    lost = accepted - sum(statuses().values())
    until(lambda: "waiting" not in statuses(), DRAINED_SECONDS)
    print(f"{len(requests):,} sign-ups in {chosen.seconds:g} s, {accepted:,} told to look into the mailbox")
    print(f"lost {lost} (goal 0), not answered {dict(failed)}")
    print(f"p99 {p99(times):.0f} ms (goal {GOAL_MS}), median {sorted(times)[len(times) // 2] * 1000:.0f} ms")
    print(f"others' find p99 {p99(beside):.1f} ms, {p99(compared):.1f} beside as many ordinary requests")
    print(f"find p99 beside the import alone {p99(alone):.1f} ms")
    print(f"all emails {time.monotonic() - began:.0f} s later: {statuses()}")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    for name, default in {"rate": 30, "seconds": 600, "networks": 3_000, "sites": 50}.items():
        options.add_argument(f"--{name}", type=int, default=default)
    options.add_argument("--subscribers", type=int, default=100_000)
    chosen = options.parse_args()
    print(machine.facts())
    with tempfile.TemporaryDirectory() as folder:
        instance = Path(folder)
        instances.make(instance, chosen.subscribers)
        targets = sign_ups.open_forms(instance, chosen.sites)
        with sign_ups.served(instance) as service, sign_ups.open_database(instance):
            of_service(service, targets, chosen)


if __name__ == "__main__":
    main()
