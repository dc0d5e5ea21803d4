"""The test points of blacklist zones, and the trust in a zone that follows from them."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from audience import telemetry
from audience.answers.blacklist import blacklist, zone_tests
from audience.answers.blacklist.providers import load
from audience.answers.blacklist.zone_tests import ZoneWatch
from audience.answers.dns.resolver import DnsResolver
from audience.protocols import DnsHealth
from tests.answers.dns_servers import FakeServer, no_such_name, reply
from tests.answers.test_blacklist import KEYS, Recorded, codes
from tests.answers.zones import NXDOMAIN, SERVFAIL, UNAVAILABLE, listing

IP, DOMAIN = "8.8.4.4", "example.com"
LISTED = codes("127.0.0.2")
PROVIDERS = load()
POSITIVE, NEGATIVE = "2.0.0.127.bl.nordspam.com", "1.0.0.127.bl.nordspam.com"


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def watch(clock):
    return ZoneWatch(clock)


@pytest.fixture
def counted():
    """What is counted about tests of zones."""

    tests = []

    class Counted(telemetry.NoMetrics):
        def count(self, name, amount=1, /, **labels):
            if name == "blacklist_tests":
                tests.append(tuple(labels.values()))

    telemetry.open(Counted())
    yield tests
    telemetry.open(telemetry.NoMetrics())


def working(providers):
    """The answers about the positive test points."""
    zones = list(providers.zones.values())
    positive = [name for name, _ in zone_tests.questions(zones)[::2]]
    return {name: listing(zone) for name, zone in zip(positive, zones, strict=True)}


def nordspam(resolver, watch, **query):
    """The provider's status; about the address unless told otherwise."""
    query = query or {"ip_address": IP}
    [entry] = blacklist.look_up(**query, providers=PROVIDERS, resolver=resolver, watch=watch, timeout=2.0)
    return entry.status["nordspam"]


def asked(resolver):
    """The names asked since the last call."""
    names = [name for name, _ in resolver.queries if "nordspam" in name]
    resolver.queries.clear()
    return names


def test_the_test_points_of_every_zone():
    providers = load(keys=KEYS)
    resolver = Recorded(working(providers))
    tests = zone_tests.examine(providers, resolver, 2.0)
    assert all(test.outcome == "passed" and not test.problem for test in tests)
    assert ("1.0.0.127.spamkey26.zen.dq.spamhaus.net", "A") in resolver.queries
    assert ("test.dbl.nordspam.com", "A") in resolver.queries
    assert ("invalid.dbl.nordspam.com", "A") in resolver.queries
    assert not any("spamkey" in test.zone for test in tests)
    assert {(test.flag, test.asks) for test in tests} == providers.zones.keys()


@pytest.mark.parametrize(("changed", "outcome", "problem"), [
    ({POSITIVE: NXDOMAIN}, "failed", "does not list its test entry: nxdomain"),
    ({POSITIVE: codes("127.255.255.254")}, "failed", "does not list its test entry: 127.255.255.254"),
    ({NEGATIVE: LISTED}, "failed", "lists an entry that it must not list: 127.0.0.2"),
    ({NEGATIVE: codes("192.0.2.80")}, "failed", "lists an entry that it must not list: 192.0.2.80"),
    ({POSITIVE: UNAVAILABLE}, "unanswered", "does not list its test entry: unavailable"),
    ({NEGATIVE: SERVFAIL}, "unanswered", "lists an entry that it must not list: servfail"),
])  # fmt: skip
def test_a_zone_that_does_not_pass(changed, outcome, problem):
    tests = zone_tests.examine(PROVIDERS, Recorded(working(PROVIDERS) | changed))
    [broken] = [test for test in tests if test.problem]
    assert (broken.zone, broken.outcome, broken.problem) == ("bl.nordspam.com", outcome, problem)


@pytest.mark.parametrize("changed", [{NEGATIVE: LISTED}, {POSITIVE: NXDOMAIN}])
def test_a_zone_that_fails_is_unknown_and_the_others_are_not(watch, changed):
    resolver = Recorded(working(PROVIDERS) | {"4.4.8.8.bl.nordspam.com": LISTED} | changed)
    [entry] = blacklist.look_up(
        ip_address=IP, providers=PROVIDERS, resolver=resolver, watch=watch, timeout=2.0
    )
    assert (entry.status["nordspam"], entry.status["spamhaus"]) == ("unknown", "clear")
    assert not any(entry.results.values())
    assert [test.flag for test in watch.failed()] == ["nordspam"]
    assert resolver.timeouts == [2.0]  # all in one round


def test_a_zone_in_use_is_tested_every_15_minutes(watch, clock):
    resolver = Recorded(working(PROVIDERS))
    assert nordspam(resolver, watch) == "clear"
    assert asked(resolver) == ["4.4.8.8.bl.nordspam.com", POSITIVE, NEGATIVE]
    clock.now += 899
    assert nordspam(resolver, watch) == "clear"
    assert asked(resolver) == ["4.4.8.8.bl.nordspam.com"]
    clock.now += 1
    resolver._answers |= {NEGATIVE: LISTED, "4.4.8.8.bl.nordspam.com": LISTED}
    assert nordspam(resolver, watch) == "unknown"
    assert asked(resolver) == ["4.4.8.8.bl.nordspam.com", POSITIVE, NEGATIVE]


def test_a_zone_that_failed_is_not_asked_for_a_minute_and_then_tested_again(watch, clock):
    resolver = Recorded(working(PROVIDERS) | {NEGATIVE: LISTED})
    assert nordspam(resolver, watch) == "unknown"
    asked(resolver)
    clock.now += 59
    assert nordspam(resolver, watch) == "unknown"
    assert asked(resolver) == []
    clock.now += 1
    del resolver._answers[NEGATIVE]
    assert nordspam(resolver, watch) == "clear"
    assert watch.failed() == []


def test_fifty_first_look_ups_at_once_are_one_test():
    def handle(query):
        name = query.question[0].name.to_text()
        return [reply(query, "127.0.0.2") if name.startswith("2.0.0.127.") else no_such_name(query, "com")]

    watch, start = ZoneWatch(), threading.Barrier(50)
    with FakeServer(handle) as server, ThreadPoolExecutor(50) as pool:
        resolver = DnsResolver([server.address], timeout=20)

        def one(number):
            start.wait(10)
            [entry] = blacklist.look_up(
                ip_address=f"8.8.4.{number}", providers=PROVIDERS, watch=watch, resolver=resolver, timeout=20
            )
            return entry.status["nordspam"]

        assert set(pool.map(one, range(50))) == {"clear"}
        resolver.close()
    assert server.seen.count(POSITIVE) == server.seen.count(NEGATIVE) == 1


def test_the_zones_for_domains_and_for_addresses_are_tested_apart(watch):
    resolver = Recorded(working(PROVIDERS) | {NEGATIVE: LISTED})
    assert nordspam(resolver, watch, domain=DOMAIN) == "clear"
    assert nordspam(resolver, watch, ip_address=IP) == "unknown"
    assert nordspam(resolver, watch, domain=DOMAIN) == "clear"


@pytest.mark.parametrize("answer", [UNAVAILABLE, SERVFAIL])
def test_a_test_without_an_answer_changes_nothing_and_is_repeated(watch, clock, answer):
    good, mute = working(PROVIDERS), working(PROVIDERS) | {POSITIVE: answer, NEGATIVE: answer}
    assert nordspam(Recorded(mute), watch) == "unknown"
    assert nordspam(Recorded(good), watch) == "clear"
    clock.now += 900
    resolver = Recorded(mute)
    assert nordspam(resolver, watch) == "clear"
    assert POSITIVE in asked(resolver)
    assert watch.failed() == []


def test_trouble_with_the_dns_is_no_failure_of_a_zone(watch):
    resolver = Recorded()
    resolver.state = DnsHealth.DENYING
    assert nordspam(resolver, watch) == "unknown"
    assert watch.failed() == []
    resolver.state = DnsHealth.WORKS
    resolver._answers = working(PROVIDERS)
    assert nordspam(resolver, watch) == "clear"


@pytest.mark.parametrize("made_up", ["93.184.216.34", "10.0.0.1", "127.0.0.1"])
def test_answers_that_are_made_up_for_every_name_are_no_failure_of_a_zone(watch, counted, made_up):
    zones = list(PROVIDERS.zones.values())
    resolver = Recorded({name: codes(made_up) for name, _ in zone_tests.questions(zones)})
    resolver.state = DnsHealth.CUT_OFF
    assert nordspam(resolver, watch) == "unknown"
    assert watch.failed() == []
    assert {outcome for *_, outcome in counted} == {"unanswered"}


def test_a_failure_is_forgotten_when_the_zone_is_not_used_for_15_minutes(watch, clock):
    nordspam(Recorded(working(PROVIDERS) | {NEGATIVE: LISTED}), watch)
    clock.now += 899
    assert len(watch.failed()) == 1
    clock.now += 1
    assert watch.failed() == []


def test_tests_are_counted(watch, counted):
    nordspam(Recorded(working(PROVIDERS) | {NEGATIVE: LISTED}), watch)
    assert ("nordspam", "ip", "failed") in counted
    assert ("spamhaus", "ip", "passed") in counted
