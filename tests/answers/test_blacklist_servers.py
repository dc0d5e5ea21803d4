"""Blacklist look-ups on real DNS servers, and on providers that misbehave."""

import dns.rcode
import pytest

from audience.answers.blacklist import blacklist
from audience.answers.blacklist.providers import FLAGS, load
from audience.answers.dns.resolver import DnsResolver
from audience.protocols import DnsStatus
from tests.answers.dns_servers import FakeServer, nsd, rbldnsd, refusal, reply
from tests.answers.test_blacklist import NO_LISTING
from tests.conftest import program

PROVIDERS = load()
IP, DOMAIN = "8.8.4.4", "www.example.com"
TEST_ADDRESS = ":127.0.0.2:test\n127.0.0.2\n"


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
    [entry] = blacklist.look_up(ip_address=IP, providers=PROVIDERS, resolver=resolver_of(lists))
    assert entry.results == dict.fromkeys(FLAGS, False) | {"spamhaus": True}
    assert entry.status["nordspam"] == "clear"
    assert entry.status["spfbl"] == "unknown"  # this server refuses zones that it does not have
    assert entry.description == "Listed by spamhaus"


def test_rbldnsd_lists_a_domain(lists, resolver_of):
    [entry] = blacklist.look_up(domain=DOMAIN, providers=PROVIDERS, resolver=resolver_of(lists))
    assert [flag for flag in FLAGS if entry.results[flag]] == ["just_registered", "spamhaus", "nordspam"]
    assert entry.description == "Listed by just_registered, spamhaus and nordspam"


def test_rbldnsd_without_a_listing(lists, resolver_of):
    resolver = resolver_of(lists)
    first, second = blacklist.look_up(
        domain="example.net", ip_address="8.8.4.5", providers=PROVIDERS, resolver=resolver
    )
    assert first.results == second.results == dict.fromkeys(FLAGS, False)
    assert first.description == "Not listed by any provider that answered (3 of 5)"
    assert second.status["spamhaus"] == "clear"


def test_the_test_points_of_rbldnsd(lists, resolver_of):
    healths = blacklist.probe(PROVIDERS, resolver_of(lists))
    assert {health.zone: health.works for health in healths} == {
        "zen.spamhaus.org": True,
        "bl.nordspam.com": True,
        "dbl.spamhaus.org": True,
        "dbl.nordspam.com": True,
        "fresh.spameatingmonkey.net": True,
        "dnsbl.spfbl.net": False,
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
    [entry] = blacklist.look_up(
        ip_address=f"8.8.4.{number}", providers=PROVIDERS, resolver=resolver_of(refusing)
    )
    assert entry.results == dict.fromkeys(FLAGS, False)
    assert entry.status["spamhaus"] == "unknown"


def test_nsd_with_a_wildcard_error_code(refusing, resolver_of):
    resolver = resolver_of(refusing)
    [entry] = blacklist.look_up(domain=DOMAIN, providers=PROVIDERS, resolver=resolver)
    assert entry.results == dict.fromkeys(FLAGS, False)
    assert entry.description == "No provider answered (0 of 5)"
    healths = blacklist.probe(PROVIDERS, resolver)
    assert not any(health.works for health in healths)
    assert {health.problem for health in healths} == {"does not list its test entry: 127.255.255.254"}


def test_nsd_with_a_lapsed_zone(resolver_of):
    records = dict.fromkeys(
        {zone.zone for zone in PROVIDERS.zones.values()}, "* A 192.0.2.80\n@ A 192.0.2.80\n"
    )
    with nsd(program("nsd"), records) as address:
        for entry in blacklist.look_up(
            domain=DOMAIN, ip_address=IP, providers=PROVIDERS, resolver=resolver_of(address)
        ):
            assert entry.results == dict.fromkeys(FLAGS, False)
            assert "clear" not in entry.status.values()


def test_nsd_with_a_failing_zone(resolver_of):
    with nsd(program("nsd"), {"bl.nordspam.com": ""}, broken=["zen.spamhaus.org"]) as address:
        resolver = resolver_of(address)
        [entry] = blacklist.look_up(ip_address=IP, providers=PROVIDERS, resolver=resolver)
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
        return misbehave(query) if "spamhaus" in name else [reply(query, "127.0.0.2")]

    with FakeServer(handle) as server:
        [entry] = blacklist.look_up(
            ip_address=IP, providers=PROVIDERS, resolver=resolver_of(server.address), timeout=1.0
        )
    assert entry.status["spamhaus"] == "unknown"
    assert entry.results == dict.fromkeys(FLAGS, False) | {"nordspam": True, "spfbl": True}


def test_without_a_network_every_status_is_unknown():
    resolver = DnsResolver(system="/nonexistent")
    for entry in blacklist.look_up(domain=DOMAIN, ip_address=IP, providers=PROVIDERS, resolver=resolver):
        assert entry.results == dict.fromkeys(FLAGS, False)
        assert entry.status["spamhaus"] == "unknown"
    resolver.close()
