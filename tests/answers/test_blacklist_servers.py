"""Blacklist look-ups on real DNS servers, and on providers that misbehave."""

import dns.rcode
import pytest

from audience.answers.blacklist import blacklist, zone_tests
from audience.answers.blacklist.providers import FLAGS, load
from audience.answers.blacklist.zone_tests import ZoneWatch
from audience.answers.dns.resolver import DnsResolver
from audience.protocols import DnsStatus
from tests.answers.dns_servers import FakeServer, no_such_name, nsd, rbldnsd, refusal, reply
from tests.answers.test_blacklist import NO_LISTING
from tests.answers.zones import trusting
from tests.conftest import program

PROVIDERS = load()
IP, DOMAIN = "8.8.4.4", "www.example.com"
WORKING = "2.0.0.127 A 127.0.0.2\n"
TEST_ADDRESS = ":127.0.0.2:test\n127.0.0.2\n"


def look_up(resolver, watch=None, **query):
    watch = watch or ZoneWatch()
    return blacklist.look_up(**query, providers=PROVIDERS, resolver=resolver, watch=watch)


@pytest.fixture
def resolver_of():
    made = []

    def make(address):
        made.append(DnsResolver([address], timeout=10))
        return made[-1]

    yield make
    for resolver in made:
        resolver.close()


@pytest.fixture(scope="module")
def lists():
    addresses = {
        "zen.spamhaus.org": TEST_ADDRESS
        + "8.8.4.0/24 :127.0.0.4:exploited\n!8.8.4.5\n8.8.4.4 :127.0.0.10:dynamic\n",
        "bl.nordspam.com": TEST_ADDRESS,
    }
    domains = {
        "dbl.spamhaus.org": ":127.0.1.2:test\ndbltest.com\n.example.com :127.0.1.5:malware\n",
        "dbl.nordspam.com": ":127.0.0.2:test\ntest\nexample.com\n",
        "fresh.spameatingmonkey.net": ":127.0.0.2:new\n_dnsbl_.test\nexample.com\n",
    }
    with rbldnsd(program("rbldnsd"), addresses, domains) as address:
        yield address


def test_rbldnsd_lists_an_address(lists, resolver_of):
    [entry] = look_up(resolver_of(lists), ip_address=IP)
    assert entry.results == dict.fromkeys(FLAGS, False) | {"spamhaus": True}
    assert entry.status["nordspam"] == "clear"
    assert entry.status["spfbl"] == "unknown"  # this server refuses zones that it does not have
    assert entry.description == "Listed by spamhaus"


def test_rbldnsd_lists_a_domain(lists, resolver_of):
    [entry] = look_up(resolver_of(lists), domain=DOMAIN)
    assert [flag for flag in FLAGS if entry.results[flag]] == ["just_registered", "spamhaus", "nordspam"]
    assert entry.description == "Listed by just_registered, spamhaus and nordspam"


def test_rbldnsd_without_a_listing(lists, resolver_of):
    resolver = resolver_of(lists)
    first, second = look_up(resolver, domain="example.net", ip_address="8.8.4.5")
    assert first.results == second.results == dict.fromkeys(FLAGS, False)
    assert first.description == "Not listed by any provider that answered (3 of 5)"
    assert second.status["spamhaus"] == "clear"


def test_the_test_points_of_rbldnsd(lists, resolver_of):
    tests = zone_tests.examine(PROVIDERS, resolver_of(lists))
    assert {test.zone: test.outcome for test in tests} == {
        "zen.spamhaus.org": "passed",
        "bl.nordspam.com": "passed",
        "dbl.spamhaus.org": "passed",
        "dbl.nordspam.com": "passed",
        "fresh.spameatingmonkey.net": "passed",
        "dnsbl.spfbl.net": "unanswered",
    }


@pytest.fixture(scope="module")
def refusing():
    """Every zone answers each address of a block with one of the codes that list nothing, and any other
    name with that of Spamhaus for public resolvers."""
    by_address = "".join(f"{n}.4.8.8 A {code}\n" for n, code in enumerate(NO_LISTING))
    records = f"{by_address}* A 127.255.255.254\n"
    zones = {zone.zone for zone in PROVIDERS.zones.values()}
    with nsd(program("nsd"), dict.fromkeys(zones, records)) as address:
        yield address


@pytest.mark.parametrize(("number", "code"), list(enumerate(NO_LISTING)))
def test_nsd_with_codes_that_list_nothing(refusing, resolver_of, number, code):
    [entry] = look_up(resolver_of(refusing), trusting(PROVIDERS), ip_address=f"8.8.4.{number}")
    assert entry.results == dict.fromkeys(FLAGS, False)
    assert entry.status["spamhaus"] == "unknown"


def test_nsd_with_a_wildcard_error_code(refusing, resolver_of):
    resolver = resolver_of(refusing)
    [entry] = look_up(resolver, trusting(PROVIDERS), domain=DOMAIN)
    assert entry.results == dict.fromkeys(FLAGS, False)
    assert entry.description == "No provider answered (0 of 5)"
    tests = zone_tests.examine(PROVIDERS, resolver)
    assert {test.outcome for test in tests} == {"failed"}
    assert {test.problem for test in tests} == {"does not list its test entry: 127.255.255.254"}


@pytest.mark.parametrize("code", ["127.0.0.2", "192.0.2.80"])
def test_nsd_with_lapsed_zones_that_list_everything(resolver_of, code):
    names = {zone.zone for zone in PROVIDERS.zones.values()}
    with nsd(program("nsd"), dict.fromkeys(names, f"* A {code}\n@ A {code}\n")) as address:
        for entry in look_up(resolver_of(address), domain=DOMAIN, ip_address=IP):
            assert entry.results == dict.fromkeys(FLAGS, False)
            assert not {"clear", "listed"} & set(entry.status.values())


def test_nsd_with_a_zone_that_lists_nothing_any_more(resolver_of):
    with nsd(program("nsd"), {"bl.nordspam.com": "", "zen.spamhaus.org": WORKING}) as address:
        [entry] = look_up(resolver_of(address), ip_address=IP)
    assert (entry.status["nordspam"], entry.status["spamhaus"]) == ("unknown", "clear")


def test_nsd_with_a_failing_zone(resolver_of):
    with nsd(program("nsd"), {"bl.nordspam.com": WORKING}, broken=["zen.spamhaus.org"]) as address:
        resolver = resolver_of(address)
        [entry] = look_up(resolver, ip_address=IP)
        assert resolver.ask([("4.4.8.8.zen.spamhaus.org", "A")])[0].status == DnsStatus.SERVFAIL
    assert entry.status["spamhaus"] == "unknown"
    assert entry.status["nordspam"] == "clear"


@pytest.mark.parametrize(
    "misbehave",
    [
        lambda _: [],
        lambda _: [b"\x00" * 5, b"\xff" * 600],
        lambda query: [refusal(query, dns.rcode.REFUSED)],
        lambda query: [refusal(query, dns.rcode.SERVFAIL)],
        lambda query: [reply(query, "198.51.100.1")],
    ],
    ids=["silent", "garbage", "refused", "servfail", "rewritten"],
)
def test_a_provider_that_misbehaves_does_not_affect_the_others(resolver_of, misbehave):
    def handle(query):
        name = query.question[0].name.to_text()
        if "spamhaus" in name:
            return misbehave(query)
        return [no_such_name(query, ".") if name.startswith("1.0.0.127.") else reply(query, "127.0.0.2")]

    with FakeServer(handle) as server:
        [entry] = look_up(resolver_of(server.address), ip_address=IP, timeout=1.0)
    assert entry.status["spamhaus"] == "unknown"
    assert entry.results == dict.fromkeys(FLAGS, False) | {"nordspam": True, "spfbl": True}


def test_without_a_network_every_status_is_unknown():
    resolver = DnsResolver(system="/nonexistent")
    for entry in look_up(resolver, domain=DOMAIN, ip_address=IP):
        assert entry.results == dict.fromkeys(FLAGS, False)
        assert entry.status["spamhaus"] == "unknown"
    resolver.close()
