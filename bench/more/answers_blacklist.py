"""Blacklist look-ups against real local DNS servers: `python -m bench.more.answers_blacklist`.

Prints rates and latencies with 30 ms per provider, compared with sequential queries by dnspython's
resolver. Exits with 1 if a target is missed. Needs the Debian packages nsd and rbldnsd.
"""

import itertools
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

import dns.exception
import dns.resolver

from audience.answers.blacklist.blacklist import look_up, read_address, read_domain
from audience.answers.blacklist.listings import name_in
from audience.answers.blacklist.providers import load
from audience.answers.dns.resolver import DnsResolver
from tests.answers.dns_servers import nsd, rbldnsd
from tests.answers.test_blacklist import NO_LISTING
from tests.answers.zones import trusting

DELAY = 0.030
TIMEOUT = 2.0
PROVIDERS = load(keys={"spamhaus_dqs_key": "key", "abusix_key": "key"})
ZONES = list(PROVIDERS.zones.values())
WATCH = trusting(PROVIDERS)  # the test points are not measured
fresh = itertools.count()


@contextmanager
def relay(upstream: str, silent: str = "") -> Iterator[str]:
    command = [sys.executable, "-m", "bench.more.dns_relay", upstream.rpartition(":")[2], str(DELAY), silent]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def fresh_query() -> tuple[str, str]:
    """A domain and an address that have not been looked up before."""
    number = next(fresh)
    return f"d{number}.example.com", f"9.{number >> 16 & 255}.{number >> 8 & 255}.{number & 255}"


def ask(resolver: DnsResolver, domain: str, address: str) -> int:
    """The number of providers that list either."""
    entries = look_up(domain=domain, ip_address=address, providers=PROVIDERS, resolver=resolver, watch=WATCH)
    return sum(sum(entry.results.values()) for entry in entries)


def timed(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def sequential(server: str) -> None:
    host, port = server.split(":")
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port, resolver.lifetime = [host], int(port), TIMEOUT
    domain, address = fresh_query()
    for zone in ZONES:
        value = read_address(address).value if zone.asks == "ip" else read_domain(domain).value
        with suppress(dns.exception.DNSException):
            resolver.resolve(f"{name_in(zone, value)}.", "A", search=False)


def parallel(server: str, count: int, threads: int = 1) -> tuple[list[float], float]:
    """Milliseconds of each answer, and answers per second."""
    resolver = DnsResolver([server], TIMEOUT)
    queries = [fresh_query() for _ in range(count)]
    start = time.perf_counter()
    with ThreadPoolExecutor(threads) as pool:
        times = list(pool.map(lambda query: timed(lambda: ask(resolver, *query)), queries))
    took = time.perf_counter() - start
    resolver.close()
    return times, count / took


def all_cached(server: str, count: int) -> float:
    resolver = DnsResolver([server], TIMEOUT)
    query = fresh_query()
    ask(resolver, *query)
    took = timed(lambda: [ask(resolver, *query) for _ in range(count)])
    resolver.close()
    return count / took * 1000


def program(name: str) -> str:
    path = shutil.which(name)
    assert path
    return path


def false_listings() -> int:
    records = "".join(f"{n}.4.8.8 A {code}\nc{n}.com A {code}\n" for n, code in enumerate(NO_LISTING))
    with nsd(program("nsd"), dict.fromkeys((zone.zone for zone in ZONES), records)) as server:
        resolver = DnsResolver([server], TIMEOUT)
        false = sum(ask(resolver, f"c{number}.com", f"8.8.4.{number}") for number in range(len(NO_LISTING)))
        resolver.close()
    return false


def line(what: str, times: list[float]) -> float:
    p95 = statistics.quantiles(times, n=20)[-1]
    print(
        f"  {what:<34} p50 {statistics.median(times):8.1f} ms   p95 {p95:8.1f} ms   max {max(times):8.1f} ms"
    )
    return p95


def main() -> int:
    for name in ("nsd", "rbldnsd"):
        if not shutil.which(name):
            print(f"needs the Debian package {name}: apt-get install {name}", file=sys.stderr)
            return 2
    addresses = {zone.zone: ":127.0.0.2:x\n8.8.8.8" for zone in ZONES if zone.asks == "ip"}
    domains = {zone.zone: ":127.0.0.2:x\ntest" for zone in ZONES if zone.asks == "domain"}
    print(
        f"Blacklist: a domain and an address, {len(ZONES)} questions, {DELAY * 1000:.0f} ms each, none cached"
    )
    with rbldnsd(program("rbldnsd"), addresses, domains) as lists:
        with relay(lists) as server:
            line("sequential", [timed(lambda: sequential(server)) for _ in range(20)])
            times, _ = parallel(server, 300)
            p95 = line("parallel (target: p95 50 ms)", times)
            times, rate = parallel(server, 1500, threads=16)
            line("parallel, 16 threads", times)
            print(f"  16 threads: {rate:,.0f} answers/s; one, all cached: {all_cached(server, 3000):,.0f}/s")
        with relay(lists, silent="nordspam") as server:
            times, _ = parallel(server, 5)
            print(
                f"  one silent provider (target: {TIMEOUT * 1000 + 50:.0f} ms){max(times):49.1f} ms at most"
            )
    false = false_listings()
    print(f"  false listings over {len(NO_LISTING)} error codes in {len(ZONES)} zones: {false}")
    passes = p95 <= 50 and max(times) <= TIMEOUT * 1000 + 50 and not false
    print("  all targets met" if passes else "  a target is missed")
    return 0 if passes else 1


if __name__ == "__main__":
    sys.exit(main())
