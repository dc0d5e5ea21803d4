"""The canaries: when they are asked, and what follows from their answers."""

import threading
from concurrent.futures import ThreadPoolExecutor

import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest

from audience import telemetry
from audience.answers.dns.resolver import HEALTH_TIMEOUT_SECONDS, DnsResolver
from audience.answers.service import Answers
from audience.config import SettingError, Settings
from audience.protocols import DnsHealth
from tests.answers.dns_servers import no_such_name, refusal, reply
from tests.answers.internet import (
    MAIL_DOMAINS,
    NAMES,
    ONE_OF_EACH,
    PUBLIC,
    UNAVAILABLE,
    ZONES,
    canaries,
    clock,
    internet,
    is_canary,
    patience,
    resolver,
    server,
    validate,
)

__all__ = ["canaries", "clock", "internet", "patience", "resolver", "server", "validate"]


@ONE_OF_EACH
def test_a_free_provider_that_is_gone_asks_the_canaries_once_in_thirty_seconds(server, validate, clock):
    validate("ann@some-firm.org")
    server.seen.clear()
    for _ in range(3):
        assert validate("ann.lee@web.de") == (False, ["free_provider", "no_such_domain"])
    assert len([name for name in server.seen if is_canary(name)]) == 2
    clock.now += 31
    validate("ann.lee@web.de")
    assert len([name for name in server.seen if is_canary(name)]) == 4


@ONE_OF_EACH
@pytest.mark.parametrize("silent", [False, True], ids=["answering", "silent"])
def test_fifty_validations_at_once_ask_the_canaries_once(internet, server, validate, silent):
    internet.mutes_canaries = silent
    start = threading.Barrier(50)

    def one(number):
        start.wait(10)
        return validate(f"ann@some-firm-{number}.org")

    with ThreadPoolExecutor(50) as pool:
        results = list(pool.map(one, range(50)))
    assert results == [UNAVAILABLE if silent else (False, ["no_such_domain"])] * 50
    asked = {name for name in server.seen if is_canary(name)}
    assert len(asked) == 2


@ONE_OF_EACH
def test_an_outcome_of_the_canaries_holds_for_thirty_seconds(server, validate, clock):
    def canaries_asked():
        count = sum(map(is_canary, server.seen))
        server.seen.clear()
        return count

    validate("ann@some-firm.org")
    assert canaries_asked() > 0
    clock.now += 29
    validate("ann@other-firm.org")
    assert canaries_asked() == 0
    clock.now += 2
    validate("ann@third-firm.org")
    assert canaries_asked() > 0


def test_canaries_are_asked_neither_for_a_good_answer_nor_for_silence(internet, server, validate):
    assert validate("ann@firm.org") == (True, [])
    internet.state = "silent"
    assert validate("ann@some-firm.org") == UNAVAILABLE
    assert not any(map(is_canary, server.seen))


@ONE_OF_EACH
def test_each_canary_has_a_name_of_its_own_and_none_is_answered_from_the_cache(server, validate, clock):
    names = set()
    for number in range(3):
        validate(f"ann@some-firm-{number}.org")
        clock.now += 31
        names |= {name for name in server.seen if any(name.endswith(f".{zone}") for zone in ZONES)}
    assert len(names) == 3
    assert {len(name.split(".")[0]) for name in names} == {16}


@pytest.mark.parametrize("found", [1, 2])
def test_one_mail_domain_and_one_zone_are_enough(internet, resolver, found):
    internet.names = {key: NAMES[key] for key in NAMES if key.split()[0] not in MAIL_DOMAINS[found:]}
    assert resolver.health() == DnsHealth.WORKS


def test_without_any_mail_domain_the_servers_deny(internet, resolver):
    internet.names = {key: ["0 ."] if key.endswith("MX") else value for key, value in NAMES.items()}
    assert resolver.health() == DnsHealth.DENYING


@pytest.mark.parametrize("answer", [
    lambda query: refusal(query, dns.rcode.NXDOMAIN),
    lambda query: refusal(query, dns.rcode.SERVFAIL),
    lambda query: no_such_name(query, "com"),
    lambda query: reply(query, PUBLIC),
    lambda query: reply(query),
], ids=["no SOA", "SERVFAIL", "another zone's SOA", "an address", "no data, no SOA"])  # fmt: skip
def test_random_names_that_their_zones_do_not_deny_are_a_lost_uplink(internet, resolver, answer):
    internet.random_name = answer
    assert resolver.health() == DnsHealth.CUT_OFF


def test_a_zone_may_deny_a_name_by_no_data(internet, resolver):
    def no_data(query):
        message = no_such_name(query, query.question[0].name.parent().to_text())
        message.set_rcode(dns.rcode.NOERROR)
        return message

    internet.random_name = no_data
    assert resolver.health() == DnsHealth.WORKS


def test_silent_canaries_leave_time_to_answer():
    assert Settings().dns_timeout + HEALTH_TIMEOUT_SECONDS < 8


def test_canaries_may_be_switched_off(internet, server):
    internet.state = "nxdomain"
    resolver = DnsResolver([server.address], timeout=10)
    assert resolver.health() == DnsHealth.WORKS
    resolver.close()
    assert server.seen == []


@pytest.mark.parametrize("changed", [{"dns_canary_domains": ("a..b",)}, {"dns_canary_zones": ("x" * 64,)}])
def test_a_malformed_canary_is_an_error(tmp_path, changed):
    with pytest.raises(SettingError, match="dns_canary"):
        Answers(Settings(instance=tmp_path, **changed)).check()


def test_an_outcome_is_counted(internet, resolver, clock):
    outcomes = []

    class Counted(telemetry.NoMetrics):
        def count(self, name, amount=1, /, **labels):
            outcomes.append((name, labels["outcome"]))

    telemetry.open(Counted())
    resolver.health()
    clock.now += 31
    internet.state = "servfail"
    resolver.health()
    telemetry.open(telemetry.NoMetrics())
    assert outcomes == [("dns_health", "works"), ("dns_health", "denying")]
