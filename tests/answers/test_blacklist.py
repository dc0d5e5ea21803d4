"""Blacklist look-ups on recorded answers: the queries sent, and the status of each answer."""

import re

import pytest

from audience.answers.blacklist import blacklist
from audience.answers.blacklist.providers import FLAGS, load
from audience.errors import Refused
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus
from tests.answers.zones import trusting
from tests.rows import each_row

KEYS = {"spamhaus_dqs_key": "SpamKey26", "abusix_key": "abusixkey"}
LISTED = [
    (keys, zone.flag, zone.asks, zone.zone, code)
    for keys in ({}, KEYS)
    for zone in load(keys=keys).zones.values()
    for code in sorted(zone.listed)
]
NO_LISTING = [
    *(f"127.255.255.{last}" for last in (0, 1, 250, 251, 252, 253, 254, 255)),
    *("127.0.1.255", "127.0.0.1", "127.0.0.0", "127.0.0.8", "127.0.0.99", "127.1.2.3", "127.0.0.255"),
    *("0.0.0.0", "10.0.0.1", "192.0.2.1", "203.0.113.7", "126.0.0.2", "128.0.0.2", "255.255.255.255"),
]
IP, DOMAIN = "8.8.4.4", "Mail.Example.co.uk"


class Recorded:
    """A resolver with answers by name; NXDOMAIN for the rest."""

    def __init__(self, answers=None, otherwise=None):
        self.queries = []
        self.state = DnsHealth.WORKS
        self.timeouts = []
        self._answers = answers or {}
        self._otherwise = otherwise or DnsAnswer(DnsStatus.NXDOMAIN)

    def ask(self, questions, timeout=None):
        self.queries += questions
        self.timeouts.append(timeout)
        return [self._answers.get(name, self._otherwise) for name, _ in questions]

    def health(self, *_):
        return self.state


def codes(*records):
    return DnsAnswer(DnsStatus.OK, records)


def look_up(resolver, keys=None, **query):
    providers = load(keys=keys)
    watch = trusting(providers)
    return blacklist.look_up(**query, providers=providers, resolver=resolver, watch=watch, timeout=2.0)


def test_results_have_every_flag():
    [entry] = look_up(Recorded(), domain=DOMAIN)
    assert entry.query == "mail.example.co.uk"
    assert list(entry.results) == list(entry.status) == list(FLAGS)
    assert set(entry.results.values()) == {False}
    assert entry.status == {
        "just_registered": "unknown",  # the keyless list does not cover .uk
        "spamhaus": "clear",
        "nordspam": "clear",
        "spfbl": "clear",
        "sorbs": "retired",
        "abusix": "not_configured",
    }
    assert entry.description == "Not listed by any provider that answered (3 of 5)"


def test_queries_for_a_domain():
    resolver = Recorded()
    look_up(resolver, domain="https://www.Example.com/path")
    assert resolver.queries == [
        ("example.com.fresh.spameatingmonkey.net", "A"),
        ("www.example.com.dbl.spamhaus.org", "A"),
        ("example.com.dbl.nordspam.com", "A"),
        ("www.example.com.dnsbl.spfbl.net", "A"),
    ]
    assert resolver.timeouts == [2.0]


def test_queries_for_an_address():
    resolver = Recorded()
    [entry] = look_up(resolver, ip_address=f" {IP}\n")
    assert resolver.queries == [
        ("4.4.8.8.zen.spamhaus.org", "A"),
        ("4.4.8.8.bl.nordspam.com", "A"),
        ("4.4.8.8.dnsbl.spfbl.net", "A"),
    ]
    assert entry.query == IP
    assert entry.status["just_registered"] == "does_not_apply"


def test_zones_with_a_key_replace_the_public_ones():
    resolver = Recorded()
    look_up(resolver, KEYS, domain=DOMAIN, ip_address=IP)
    assert resolver.queries == [
        ("mail.example.co.uk.spamkey26.zrd.dq.spamhaus.net", "A"),
        ("mail.example.co.uk.spamkey26.dbl.dq.spamhaus.net", "A"),
        ("example.co.uk.dbl.nordspam.com", "A"),
        ("mail.example.co.uk.dnsbl.spfbl.net", "A"),
        ("mail.example.co.uk.abusixkey.dblack.mail.abusix.zone", "A"),
        ("4.4.8.8.spamkey26.zen.dq.spamhaus.net", "A"),
        ("4.4.8.8.bl.nordspam.com", "A"),
        ("4.4.8.8.dnsbl.spfbl.net", "A"),
        ("4.4.8.8.abusixkey.combined.mail.abusix.zone", "A"),
    ]
    assert len(resolver.timeouts) == 1
    resolver = Recorded()
    look_up(resolver, {"abusix_key": "k", "spamhaus_dqs_key": ""}, domain="a.org")
    assert resolver.queries[0][0] == "a.org.k.nod.mail.abusix.zone"


def test_a_domain_and_an_address_give_two_results_in_order():
    resolver = Recorded({"4.4.8.8.bl.nordspam.com": codes("127.0.0.2")})
    first, second = look_up(resolver, domain=DOMAIN, ip_address=IP)
    assert (first.query, second.query) == ("mail.example.co.uk", IP)
    assert not first.results["nordspam"]
    assert second.results["nordspam"]
    assert second.description == "Listed by nordspam"


@each_row(("keys", "flag", "asks", "zone", "code"), LISTED)
def test_a_known_code_is_a_listing(keys, flag, asks, zone, code):
    query = {"ip_address": IP} if asks == "ip" else {"domain": "example.com"}
    name = f"4.4.8.8.{zone}" if asks == "ip" else f"example.com.{zone}"
    [entry] = look_up(Recorded({name: codes(code)}), keys, **query)
    assert [shown for shown in FLAGS if entry.results[shown]] == [flag]
    assert entry.status[flag] == "listed"
    assert entry.description == f"Listed by {flag}"


@pytest.mark.parametrize("keys", [{}, KEYS])
@each_row("code", NO_LISTING)
def test_any_other_code_is_not_a_listing(code, keys):
    for entry in look_up(Recorded(otherwise=codes(code)), keys, domain="example.com", ip_address=IP):
        listed = [flag for flag in FLAGS if entry.results[flag]]
        assert listed == []
        assert "clear" not in entry.status.values()


@pytest.mark.parametrize("status", [DnsStatus.SERVFAIL, DnsStatus.UNAVAILABLE])
def test_no_answer_is_unknown(status):
    domain, address = look_up(
        Recorded(otherwise=DnsAnswer(status)), KEYS, domain="example.com", ip_address=IP
    )
    assert set(domain.results.values()) == set(address.results.values()) == {False}
    assert set(domain.status.values()) == {"unknown", "retired"}
    assert set(address.status.values()) == {"unknown", "retired", "does_not_apply"}
    assert domain.description == "No provider answered (0 of 5)"
    assert address.description == "No provider answered (0 of 4)"


def test_what_is_clear_while_the_dns_is_in_trouble_is_unknown():
    resolver = Recorded({"4.4.8.8.bl.nordspam.com": codes("127.0.0.2")})
    resolver.state = DnsHealth.CUT_OFF
    [entry] = look_up(resolver, ip_address=IP)
    assert (entry.status["spamhaus"], entry.status["nordspam"]) == ("unknown", "listed")


def test_no_data_is_clear():
    [entry] = look_up(Recorded(otherwise=DnsAnswer(DnsStatus.NO_DATA)), ip_address=IP)
    assert entry.status["spamhaus"] == "clear"


@pytest.mark.parametrize(
    ("records", "status"),
    [
        (("127.0.0.2", "127.0.0.4", "127.0.0.10"), "listed"),
        (("127.0.0.99", "127.0.0.4"), "listed"),
        (("127.0.0.2", "127.255.255.254"), "unknown"),
        (("127.0.0.2", "192.0.2.1"), "unknown"),
    ],
)
def test_several_codes(records, status):
    [entry] = look_up(Recorded({"4.4.8.8.zen.spamhaus.org": codes(*records)}), ip_address=IP)
    assert entry.status["spamhaus"] == status


def test_an_informational_code_is_clear():
    for code in ("127.0.0.3", "127.0.0.4"):
        [entry] = look_up(Recorded({"4.4.8.8.dnsbl.spfbl.net": codes(code)}), ip_address=IP)
        assert entry.status["spfbl"] == "clear"


@pytest.mark.parametrize("address", [f"::ffff:{IP}", f" ::FFFF:{IP} ", "::ffff:0808:0404"])
def test_an_address_written_as_ipv6_is_looked_up_as_ipv4(address):
    [entry] = look_up(Recorded({"4.4.8.8.dnsbl.spfbl.net": codes("127.0.0.2")}), ip_address=address)
    assert entry.query == IP
    assert entry.status["spfbl"] == "listed"


@each_row(
    "address",
    [
        "::ffff:10.0.0.1",
        *("0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.0.0.2", "169.254.169.254", "172.16.0.1"),
        *("192.168.0.1", "192.0.2.1", "198.18.0.1", "203.0.113.9", "224.0.0.1", "239.1.1.1", "240.0.0.1"),
        "255.255.255.255",
    ],
)
def test_no_query_for_an_address_that_is_not_public(address):
    resolver = Recorded()
    [entry] = look_up(resolver, KEYS, ip_address=address)
    assert resolver.queries == []
    assert set(entry.results.values()) == {False}
    assert set(entry.status.values()) == {"unknown"}
    assert entry.description == "A private or reserved address: no provider was queried"


@pytest.mark.parametrize(
    "domain", ["db.internal", "printer.local", "abc.onion", "a.test", "x.home.arpa", "co.uk"]
)
def test_no_query_for_a_domain_that_is_not_public(domain):
    resolver = Recorded()
    [entry] = look_up(resolver, KEYS, domain=domain)
    assert resolver.queries == []
    assert set(entry.status.values()) == {"unknown"}
    assert entry.description == "Not a public domain: no provider was queried"


def test_no_query_for_a_name_that_is_too_long():
    resolver = Recorded()
    domain = ".".join(["a" * 58] * 4) + ".com"
    [entry] = look_up(resolver, domain=domain)
    assert all(len(name) <= 253 for name, _ in resolver.queries)
    assert entry.status["spamhaus"] == "unknown"
    assert entry.status["nordspam"] == "clear"


@each_row(
    ("query", "field"),
    [
        *(({"domain": text}, "domain") for text in ("", "com", "a..b", "192.0.2.1", "x" * 5000, "<script>")),
        *(({"ip_address": text}, "ip_address") for text in ("", "1.2.3", "1.2.3.04", "1.2.3.256", "::1")),
        *(
            ({"ip_address": text}, "ip_address")
            for text in (
                "example.com",
                "16909060",
                "1.2.3.4/32",
                "٨.8.8.8",
                "::ffff:1.2.3.256",
                "2001:db8::1",
            )
        ),
        ({"domain": "example.com", "ip_address": "x"}, "ip_address"),
        ({}, "domain"),
    ],
)
def test_a_malformed_value_is_refused(query, field):
    resolver = Recorded()
    with pytest.raises(Refused) as refused:
        look_up(resolver, **query)
    assert resolver.queries == []
    [error] = refused.value.errors
    assert error.field == field
    for text in (refused.value.message, error.message):
        assert not re.search("invalid|validation|unauthorized|forbidden|not found|timeout|4[0-9][0-9]", text)
        assert all(value not in text for value in query.values() if value not in ("", "com", "example.com"))
