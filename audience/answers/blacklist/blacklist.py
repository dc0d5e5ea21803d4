"""Looking domains and IPv4 addresses up in the DNS blacklists of reputation providers (RFC 5782)."""

from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address

from audience.answers.blacklist import zone_tests
from audience.answers.blacklist.listings import Status, name_in, status_of
from audience.answers.blacklist.providers import FLAGS, Asks, Providers, Zone
from audience.answers.blacklist.zone_tests import ZoneWatch
from audience.answers.domains import MAX_LENGTH, is_public, parse_domain
from audience.errors import Refused
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus, Resolver
from schemas.codes import Code, Sentence
from schemas.values import FieldError

NEGATIVE = (DnsStatus.NXDOMAIN, DnsStatus.NO_DATA)
NO_QUERY = Sentence(Code.REQUIRED, "Send a domain or an IPv4 address.")
NO_DOMAIN = Sentence(Code.REQUIRED, "Send this or ip_address.")


@dataclass(frozen=True)
class BlacklistResult:
    """The result for one value. `query` is the value in normalized form. `results` has, by provider, whether
    the value is listed, and `status` the exact outcome.
    """

    query: str
    description: str
    results: dict[str, bool]
    status: dict[str, str]


@dataclass(frozen=True)
class BlacklistQuery:
    """A value to look up. `asks` tells whether it is a domain or an IP address. Only a value that is `public`
    is sent to providers.
    """

    asks: Asks
    value: str
    public: bool


def look_up(
    *,
    domain: str | None = None,
    ip_address: str | None = None,
    providers: Providers,
    resolver: Resolver,
    watch: ZoneWatch,
    timeout: float | None = None,
) -> list[BlacklistResult]:
    """Looks up a domain, an IP address, or both. Returns a result for each, the domain first.

    All providers are queried in parallel, within `timeout` seconds in total. So are the test points of zones
    that are due in `watch`. A zone that has not passed its test has the status `UNKNOWN`.

    Raises `Refused` on a malformed value, or without one.
    """
    queries = [read_domain(domain)] if domain is not None else []
    queries += [read_address(ip_address)] if ip_address is not None else []
    if not queries:
        raise Refused(NO_QUERY, [FieldError("domain", NO_DOMAIN)])
    statuses = _statuses(queries, providers, resolver, watch, timeout)
    return [_result(query, providers, statuses) for query in queries]


def _statuses(
    queries: Sequence[BlacklistQuery],
    providers: Providers,
    resolver: Resolver,
    watch: ZoneWatch,
    timeout: float | None,
) -> dict[tuple[BlacklistQuery, str], Status]:
    """The status by query and provider's flag. A provider is left out if it is not asked about the query, or
    if its zone has not passed its test.
    """
    lookups = [
        (query, zone, name)
        for query in queries
        for zone, name in _names(query, providers)
        if watch.trusts(zone) or watch.is_due(zone)
    ]
    due = [zone for zone in dict.fromkeys(zone for _, zone, _ in lookups) if watch.is_due(zone)]
    names = [*((name, "A") for _, _, name in lookups), *zone_tests.questions(due)]
    answers = _ask(resolver, names, timeout)
    watch.learn(due, answers[len(lookups) :], resolver)
    return {
        (query, zone.flag): status_of(zone, answer)
        for (query, zone, _), answer in zip(lookups, answers, strict=False)
        if watch.trusts(zone)
    }


def _ask(resolver: Resolver, questions: Sequence[tuple[str, str]], timeout: float | None) -> list[DnsAnswer]:
    """The answers to DNS questions. While the resolver does not work, negative answers are not believed, and
    become `UNAVAILABLE`.
    """
    answers = resolver.ask(questions, timeout)
    if all(answer.status not in NEGATIVE for answer in answers) or resolver.health() is DnsHealth.WORKS:
        return answers
    unavailable = DnsAnswer(DnsStatus.UNAVAILABLE)
    return [unavailable if answer.status in NEGATIVE else answer for answer in answers]


def read_domain(text: str) -> BlacklistQuery:
    """The query for a domain. Raises `Refused` on a malformed value."""
    try:
        domain = parse_domain(text)
    except ValueError as error:
        message = "Send a domain name such as example.com."
        raise Refused(message, [FieldError("domain", message)]) from error
    return BlacklistQuery("domain", domain, is_public(domain))


def read_address(text: str) -> BlacklistQuery:
    """The query for an IP address. Raises `Refused` on a malformed value."""
    try:
        address = _ipv4(text.strip())
    except ValueError as error:
        message = "Send an IPv4 address such as 192.0.2.1."
        raise Refused(message, [FieldError("ip_address", message)]) from error
    return BlacklistQuery("ip", str(address), address.is_global and not address.is_multicast)


def _ipv4(text: str) -> IPv4Address:
    """Parses an IPv4 address, which may be written as an IPv6 one. Raises `ValueError`."""
    if ":" in text and (mapped := IPv6Address(text).ipv4_mapped):
        return mapped
    return IPv4Address(text)


def _names(query: BlacklistQuery, providers: Providers) -> list[tuple[Zone, str]]:
    """The zones to query about a value, each with the name to look up. Empty for a value that is not
    public.
    """
    if not query.public:
        return []
    zones = (zone for (_, asks), zone in providers.zones.items() if asks == query.asks)
    names = ((zone, name_in(zone, query.value)) for zone in zones if _supports_tld(zone, query.value))
    return [(zone, name) for zone, name in names if len(name) <= MAX_LENGTH]


def _supports_tld(zone: Zone, value: str) -> bool:
    """Whether the zone lists domains of this top-level domain."""
    return not zone.tlds or value.rpartition(".")[2] in zone.tlds


def _result(
    query: BlacklistQuery, providers: Providers, statuses: dict[tuple[BlacklistQuery, str], Status]
) -> BlacklistResult:
    status = {
        flag: statuses.get((query, flag)) or _default_status(flag, query.asks, providers) for flag in FLAGS
    }
    if not query.public:
        status = dict.fromkeys(FLAGS, Status.UNKNOWN)
    results = {flag: status[flag] is Status.LISTED for flag in FLAGS}
    return BlacklistResult(
        query.value, _describe(query, status), results, {flag: status[flag].value for flag in FLAGS}
    )


def _default_status(flag: str, asks: Asks, providers: Providers) -> Status:
    if flag in providers.retired:
        return Status.RETIRED
    if (flag, asks) in providers.without_key:
        return Status.NOT_CONFIGURED
    return Status.UNKNOWN if (flag, asks) in providers.zones else Status.DOES_NOT_APPLY


def _describe(query: BlacklistQuery, status: dict[str, Status]) -> str:
    if not query.public:
        kind = "A private or reserved address" if query.asks == "ip" else "Not a public domain"
        return f"{kind}: no provider was queried"
    listed = [flag for flag in FLAGS if status[flag] is Status.LISTED]
    if listed:
        return f"Listed by {' and '.join(filter(None, [', '.join(listed[:-1]), listed[-1]]))}"
    answered = list(status.values()).count(Status.CLEAR)
    active = sum(state not in (Status.RETIRED, Status.DOES_NOT_APPLY) for state in status.values())
    if not answered:
        return f"No provider answered (0 of {active})"
    return f"Not listed by any provider that answered ({answered} of {active})"
