"""What the resolver remembers, and for how long."""

import dns.rcode
import dns.rdatatype

from audience.answers.dns.cache import Cache
from audience.protocols import DnsAnswer, DnsStatus
from tests.answers.dns_servers import Clock, FakeServer, nsd, refusal, reply
from tests.conftest import program


def test_an_answer_is_cached_for_its_ttl_and_an_hour_at_most(resolver_of):
    clock = Clock()
    ttls = {"short.org": 60, "long.org": 10**6, "none.org": 0}

    def handle(query):
        return [reply(query, "93.184.216.34", ttl=ttls[query.question[0].name.to_text(omit_final_dot=True)])]

    with FakeServer(handle) as server:
        resolver = resolver_of(server.address, clock=clock)
        for seconds, asked_again in ((0, 3), (59, 4), (61, 6), (3590, 8), (3601, 10)):
            clock.now = 1000 + seconds
            resolver.ask([(name, "A") for name in ttls])
            assert len(server.seen) == asked_again, seconds


def test_a_negative_answer_is_cached_for_the_soa_minimum(resolver_of):
    clock = Clock()
    with nsd(program("nsd"), {"example.org": "www A 192.0.2.1\n"}) as server:
        resolver = resolver_of(server, clock=clock)
        for name, kind in (("nobody.example.org", "A"), ("www.example.org", "MX")):
            resolver.ask([(name, kind)])
            key = (name, dns.rdatatype.from_text(kind))
            clock.now += 29
            assert resolver._cache.get(key) is not None
            clock.now += 2
            assert resolver._cache.get(key) is None


def test_failures_are_cached_for_seconds_or_not_at_all(resolver_of):
    clock = Clock()

    def handle(query):
        failing = "fails" in query.question[0].name.to_text()
        return [refusal(query, dns.rcode.SERVFAIL if failing else dns.rcode.REFUSED)]

    with FakeServer(handle) as server:
        resolver = resolver_of(server.address, clock=clock)
        for _ in range(3):
            resolver.ask([("fails.org", "A"), ("refuses.org", "A")])
        assert server.seen.count("fails.org") == 1
        assert server.seen.count("refuses.org") == 3
        clock.now += 6
        resolver.ask([("fails.org", "A")])
        assert server.seen.count("fails.org") == 2


def test_the_cache_is_bounded_and_evicts_the_least_recently_used():
    clock = Clock()
    cache = Cache(3, clock)
    answer = DnsAnswer(DnsStatus.NXDOMAIN)
    for key in "abc":
        cache.put(key, answer, 60)
    assert cache.get("a") == answer
    cache.put("d", answer, 60)
    assert len(cache) == 3
    assert cache.get("b") is None
    assert cache.get("a") == answer
