"""The mail exchangers of a domain, by the DNS (RFC 5321 section 5.1, RFC 7505)."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address

from audience.protocols import DnsAnswer, DnsHealth, DnsStatus, Resolver

MAX_EXCHANGERS = 8  # whose addresses are looked up, in order of preference
LOCAL = (".localhost", ".local", ".localdomain", ".internal")


class RouteStatus(StrEnum):
    MX = "mx"
    ADDRESS_ONLY = "address_only"
    NONE = "none"
    NULL_MX = "null_mx"
    NO_SUCH_DOMAIN = "no_such_domain"
    UNROUTABLE = "unroutable"
    FAILING = "failing"
    UNKNOWN = "unknown"


MX_STATUSES = {  # conclusive ones of the MX query
    DnsStatus.NXDOMAIN: RouteStatus.NO_SUCH_DOMAIN,
    DnsStatus.SERVFAIL: RouteStatus.FAILING,
    DnsStatus.UNAVAILABLE: RouteStatus.UNKNOWN,
}


UNDISPUTED = (RouteStatus.MX, RouteStatus.UNKNOWN)  # all others may come of trouble with the DNS servers


@dataclass(frozen=True)
class MailRoute:
    """The route of mail to a domain. `exchangers` are the host names of its mail exchangers, the preferred
    one first.
    """

    status: RouteStatus
    exchangers: tuple[str, ...] = ()


def find_route(domain: str, resolver: Resolver, timeout: float, well_known: bool = False) -> MailRoute:
    """Finds the mail exchangers of a domain (in A-labels), and whether they have public addresses.

    `timeout` is in seconds, for all queries together. The status is `UNKNOWN` if it expires, or if the
    resolver does not work and the domain would otherwise be found bad. For a `well_known` domain, the
    resolver's health is examined anew.
    """
    route = _Search(resolver, timeout).find(domain)
    if route.status in UNDISPUTED or resolver.health(domain, well_known) is DnsHealth.WORKS:
        return route
    return MailRoute(RouteStatus.UNKNOWN)


class _Search:
    def __init__(self, resolver: Resolver, timeout: float) -> None:
        self._resolver = resolver
        self._deadline = time.monotonic() + timeout

    def find(self, domain: str) -> MailRoute:
        mx = self._ask([(domain, "MX")])[0]
        if mx.status in MX_STATUSES:
            return MailRoute(MX_STATUSES[mx.status])
        hosts = exchangers(mx.records)
        if mx.records and not hosts:
            return MailRoute(RouteStatus.NULL_MX)
        return (
            MailRoute(self._exchangers_status(hosts), hosts)
            if hosts
            else MailRoute(self._domain_status(domain))
        )

    def _exchangers_status(self, hosts: Sequence[str]) -> RouteStatus:
        if all(f".{host}".endswith(LOCAL) for host in hosts):
            return RouteStatus.UNROUTABLE
        answers = self._addresses(hosts[:MAX_EXCHANGERS])
        return _by_address(answers, RouteStatus.MX) or RouteStatus.FAILING

    def _domain_status(self, domain: str) -> RouteStatus:
        answers = self._addresses([domain])
        by_address = _by_address(answers, RouteStatus.ADDRESS_ONLY)
        if by_address:
            return by_address
        statuses = {answer.status for answer in answers}
        if DnsStatus.SERVFAIL in statuses:
            return RouteStatus.FAILING
        return RouteStatus.NO_SUCH_DOMAIN if statuses == {DnsStatus.NXDOMAIN} else RouteStatus.NONE

    def _addresses(self, hosts: Sequence[str]) -> list[DnsAnswer]:
        return self._ask([(host, kind) for host in hosts for kind in ("A", "AAAA")])

    def _ask(self, questions: Sequence[tuple[str, str]]) -> list[DnsAnswer]:
        left = self._deadline - time.monotonic()
        if left <= 0:
            return [DnsAnswer(DnsStatus.UNAVAILABLE)] * len(questions)
        return self._resolver.ask(questions, left)


def exchangers(records: Sequence[str]) -> tuple[str, ...]:
    """The host names in MX records (`PREFERENCE EXCHANGE`), the preferred one first. The null MX is left
    out.
    """
    pairs = sorted(
        (int(preference), host) for preference, _, host in (text.partition(" ") for text in records)
    )
    return tuple(host.lower() for _, host in pairs if host not in (".", ""))


def _by_address(answers: Sequence[DnsAnswer], routable: RouteStatus) -> RouteStatus | None:
    """The status of a route by the answers about its hosts' addresses.

    It is `routable` if one address is public, `UNKNOWN` without a complete answer, and `UNROUTABLE` if all
    addresses are not public. None if there certainly are no addresses.
    """
    addresses = [ip_address(record) for answer in answers for record in answer.records]
    if any(address.is_global for address in addresses):
        return routable
    if any(answer.status is DnsStatus.UNAVAILABLE for answer in answers):
        return RouteStatus.UNKNOWN
    return RouteStatus.UNROUTABLE if addresses else None
