"""What an address is told while the DNS servers are cut off, lie or are silent, and afterwards."""

import threading
from concurrent.futures import ThreadPoolExecutor

import dns.rcode
import dns.rdatatype
import dns.rrset
import pytest

from audience import telemetry
from audience.answers.dns.canaries import Canaries
from audience.answers.dns.resolver import HEALTH_TIMEOUT_SECONDS, DnsResolver
from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.validation import Candidate
from audience.config import SettingError, Settings
from audience.protocols import DnsHealth
from tests.answers.dns_servers import FakeServer, no_such_name, refusal, reply

MAIL_DOMAINS, ZONES = Settings().dns_canary_domains, Settings().dns_canary_zones
PUBLIC = "93.184.216.34"
NAMES = {
    **{f"{domain} MX": ["10 mx.mailhost.net."] for domain in (*MAIL_DOMAINS, "firm.org")},
    "mx.mailhost.net A": [PUBLIC],
    "web.org A": [PUBLIC],
    "null.org MX": ["0 ."],
    "home.org MX": ["10 mx.home.org."],
    "mx.home.org A": ["10.0.0.1"],
}
CUT_OFF = ["servfail", "refused", "silent"]
RCODES = {"servfail": dns.rcode.SERVFAIL, "refused": dns.rcode.REFUSED, "nxdomain": dns.rcode.NXDOMAIN}
REWRITTEN = {
    "advertisement": "198.145.29.80", "private": "10.1.1.1", "documentation": "203.0.113.5",
    "loopback": "127.0.0.1", "captive portal": "192.168.0.1",
}  # fmt: skip
LYING = ["nxdomain", "nxdomain of its own root", *REWRITTEN]


def is_canary(name):
    return name in MAIL_DOMAINS or any(name.endswith(f".{zone}") for zone in ZONES)


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


class Internet:
    """The handler of a resolver, whose `state` is healthy or a kind of trouble."""

    def __init__(self, state="healthy", names=NAMES):
        self.state = state
        self.names = names
        self.mutes_canaries = False
        self.random_name = None

    def __call__(self, query):
        name = query.question[0].name.to_text(omit_final_dot=True)
        kind = dns.rdatatype.to_text(query.question[0].rdtype)
        if self.state in RCODES:
            return [refusal(query, RCODES[self.state])]
        if self.state == "silent" or (self.mutes_canaries and is_canary(name)):
            return []
        if self.random_name and name.partition(".")[2] in ZONES:
            return [self.random_name(query)]
        if self.state == "nxdomain of its own root":
            return [no_such_name(query, ".")]
        if self.state == "captive portal" and kind != "A":
            return [reply(query)]
        if self.state in REWRITTEN and kind == "A":
            return [reply(query, REWRITTEN[self.state], ttl=3600)]
        return [self._truth(query, name, kind)]

    def _truth(self, query, name, kind):
        if records := self.names.get(f"{name} {kind}"):
            return reply(query, *records, kind=kind, ttl=60)
        if any(key.startswith(f"{name} ") for key in self.names):
            return reply(query)
        zone = name.split(".", 1)[1] if name.split(".", 1)[1] in ZONES else "org"
        return no_such_name(query, zone)


@pytest.fixture
def internet():
    return Internet()


@pytest.fixture
def server(internet):
    with FakeServer(internet) as fake:
        yield fake


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def patience(request):
    """Seconds: short only where nothing comes."""
    return 0.5 if "silen" in request.node.name else 10.0


@pytest.fixture
def canaries():
    return Canaries(MAIL_DOMAINS, ZONES)


ONE_OF_EACH = pytest.mark.parametrize("canaries", [Canaries(MAIL_DOMAINS[:1], ZONES[:1])], ids=["one"])
# Of several, those that nobody waits for any more may reach the server late, or never.


@pytest.fixture
def resolver(server, clock, patience, canaries):
    opened = DnsResolver([server.address], patience, clock=clock, canaries=canaries)
    yield opened
    opened.close()


@pytest.fixture
def validate(resolver, tmp_path, patience):
    answers = Answers(Settings(instance=tmp_path, dns_timeout=patience), resolver)

    def validate(email):
        result = answers.validate(Candidate(email=email), AllowDenyLists())
        return result.valid, list(result.reasons)

    return validate


UNAVAILABLE = (True, ["dns_unavailable"])
FREE_UNAVAILABLE = (True, ["free_provider", "dns_unavailable"])


@pytest.mark.parametrize("trouble", [*CUT_OFF, *LYING])
@pytest.mark.parametrize("email", ["ann@some-firm.org", "ann@null.org", "ann@home.org", "ann@web.org"])
def test_trouble_from_the_start_makes_no_address_invalid(internet, validate, trouble, email):
    internet.state = trouble
    assert validate(email) in (UNAVAILABLE, (True, []))


@pytest.mark.parametrize("trouble", [*CUT_OFF, "nxdomain", "nxdomain of its own root"])
def test_trouble_after_health_makes_no_address_invalid(internet, validate, clock, trouble):
    assert validate("ann.lee@gmail.com") == (True, ["free_provider"])
    clock.now += 3601
    internet.state = trouble
    assert validate("ann.lee@gmail.com") == FREE_UNAVAILABLE
    assert validate("ann@some-firm.org") == UNAVAILABLE


@pytest.mark.parametrize("trouble", LYING)
@pytest.mark.parametrize("email", ["ann.lee@gmail.com", "ann.lee@web.de"])
def test_a_well_known_domain_that_is_denied_ends_a_good_outcome(internet, validate, trouble, email):
    """Within the 30 seconds for which the canaries' outcome would hold."""
    internet.names = NAMES | {"web.de MX": ["10 mx.webhost.net."], "mx.webhost.net A": [PUBLIC]}
    assert validate("ann@some-firm.org") == (False, ["no_such_domain"])
    internet.state = trouble
    assert validate(email) in (FREE_UNAVAILABLE, (True, ["free_provider"]))
    if trouble.startswith("nxdomain"):
        assert validate("ann@other-firm.org") == UNAVAILABLE


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


@pytest.mark.parametrize("trouble", [*CUT_OFF, *LYING])
def test_a_minute_after_the_trouble_answers_are_definite(internet, validate, clock, trouble):
    internet.state = trouble
    validate("ann@some-firm.org")
    validate("ann@web.org")
    validate("ann@firm.org")
    internet.state = "healthy"
    clock.now += 60
    assert validate("ann@some-firm.org") == (False, ["no_such_domain"])
    assert validate("ann@web.org") == (True, ["no_mx"])
    assert validate("ann@firm.org") == (True, [])


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


def test_what_is_listed_nowhere_while_the_dns_denies_everything_is_unknown(internet, resolver, tmp_path):
    internet.state = "nxdomain"
    answers = Answers(
        Settings(
            instance=tmp_path,
        ),
        resolver,
    )
    [entry] = answers.look_up(None, "8.8.4.4")
    assert "clear" not in entry.status.values()
    assert answers.resolver.last_health == DnsHealth.DENYING
    assert answers.zones.failed() == []
