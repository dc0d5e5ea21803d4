"""A DNS with every kind of trouble, and what a resolver and a validation make of it."""

from collections.abc import Mapping
from typing import Any

import dns.rcode
import dns.rdatatype
import pytest

from audience.answers.dns.canaries import Canaries
from audience.answers.dns.resolver import DnsResolver
from audience.answers.service import Answers
from audience.answers.validation.allow_deny import AllowDenyLists
from audience.answers.validation.validation import Candidate
from audience.config import Settings
from tests.answers.dns_servers import Clock, FakeServer, no_such_name, refusal, reply

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
UNAVAILABLE = (True, ["dns_unavailable"])


def is_canary(name):
    return name in MAIL_DOMAINS or any(name.endswith(f".{zone}") for zone in ZONES)


class Internet:
    """A handler for a DNS server. Its `state` is healthy or a kind of trouble."""

    def __init__(self, state: str = "healthy", names: Mapping[str, list[str]] = NAMES) -> None:
        self.state = state
        self.names = names
        self.mutes_canaries = False
        self.random_name: Any = None

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
    """Seconds to wait for an answer: few only in tests of silent servers."""
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
