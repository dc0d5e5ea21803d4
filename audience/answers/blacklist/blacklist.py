"""Looking domains and IPv4 addresses up in the DNS blacklists of reputation providers (RFC 5782)."""

from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address

from audience.answers.blacklist.providers import (
    FLAGS,
    LISTED_NETWORK,
    NOT_LISTED_NETWORKS,
    Asks,
    Providers,
    Zone,
)
from audience.answers.domains import MAX_LENGTH, is_public, parse_domain, registrable
from audience.errors import Refused
from audience.protocols import DnsAnswer, DnsStatus, Resolver
from schemas.values import FieldError


class Status(StrEnum):
    """The status at a provider. `UNKNOWN`: no usable answer, or not queried."""

    LISTED = "listed"
    CLEAR = "clear"
    UNKNOWN = "unknown"
    NOT_CONFIGURED = "not_configured"
    RETIRED = "retired"


@dataclass(frozen=True)
class BlacklistResult:
    """`query` is the normalised value; `results` (listed or not) and `status` have a key per provider."""

    query: str
    description: str
    results: dict[str, bool]
    status: dict[str, str]


@dataclass(frozen=True)
class BlacklistQuery:
    """A value to look up; unless it is `public`, no query is sent."""

    asks: Asks
    value: str
    public: bool


def look_up(
    *,
    domain: str | None = None,
    ip_address: str | None = None,
    providers: Providers,
    resolver: Resolver,
    timeout: float | None = None,
) -> list[BlacklistResult]:
    """A result for the domain and one for the address, in this order, as far as given.

    Queries all providers in parallel, within `timeout` seconds in total. Raises `Refused` on a malformed
    value, or without one.
    """
    queries = [read_domain(domain)] if domain is not None else []
    queries += [read_address(ip_address)] if ip_address is not None else []
    if not queries:
        raise Refused("Send a domain or an IPv4 address.", [FieldError("domain", "Send this or ip_address.")])
    questions = [(query, zone, name) for query in queries for zone, name in _questions(query, providers)]
    answers = resolver.ask([(name, "A") for _, _, name in questions], timeout)
    statuses = {
        (query, zone.flag): status_of(zone, a) for (query, zone, _), a in zip(questions, answers, strict=True)
    }
    return [_result(query, providers, statuses) for query in queries]


def read_domain(text: str) -> BlacklistQuery:
    """Raises `Refused` on a malformed value."""
    try:
        domain = parse_domain(text)
    except ValueError as error:
        message = "Send a domain name such as example.com."
        raise Refused(message, [FieldError("domain", message)]) from error
    return BlacklistQuery("domain", domain, is_public(domain))


def read_address(text: str) -> BlacklistQuery:
    """Raises `Refused` on a malformed value."""
    try:
        address = IPv4Address(text.strip())
    except ValueError as error:
        message = "Send an IPv4 address such as 192.0.2.1."
        raise Refused(message, [FieldError("ip_address", message)]) from error
    return BlacklistQuery("ip", str(address), address.is_global and not address.is_multicast)


def status_of(zone: Zone, answer: DnsAnswer) -> Status:
    """The status that an answer means. One error code, or an unknown one, makes it `UNKNOWN`."""
    if answer.status in (DnsStatus.NXDOMAIN, DnsStatus.NO_DATA):
        return Status.CLEAR
    codes = frozenset(answer.records)
    if answer.status != DnsStatus.OK or any(code in zone.error or _is_no_listing(code) for code in codes):
        return Status.UNKNOWN
    if codes & zone.listed:
        return Status.LISTED
    return Status.CLEAR if codes <= zone.clear else Status.UNKNOWN


def _is_no_listing(code: str) -> bool:
    address = IPv4Address(code)
    return address not in LISTED_NETWORK or any(address in network for network in NOT_LISTED_NETWORKS)


def _questions(query: BlacklistQuery, providers: Providers) -> list[tuple[Zone, str]]:
    """The zones to query, each with the name to look up."""
    if not query.public:
        return []
    zones = (zone for (_, asks), zone in providers.zones.items() if asks == query.asks)
    names = ((zone, name_in(zone, query.value)) for zone in zones if _supports_tld(zone, query.value))
    return [(zone, name) for zone, name in names if len(name) <= MAX_LENGTH]


def _supports_tld(zone: Zone, value: str) -> bool:
    return not zone.tlds or value.rpartition(".")[2] in zone.tlds


def name_in(zone: Zone, value: str) -> str:
    """The name to look up in a zone (RFC 5782 sections 2.1 and 3): an address reversed, a domain as it is."""
    if zone.asks == "ip":
        return ".".join([*reversed(value.split(".")), zone.zone])
    return f"{registrable(value) if zone.registrable_only else value}.{zone.zone}"


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
    return Status.NOT_CONFIGURED if (flag, asks) in providers.without_key else Status.UNKNOWN


def _describe(query: BlacklistQuery, status: dict[str, Status]) -> str:
    if not query.public:
        kind = "A private or reserved address" if query.asks == "ip" else "Not a public domain"
        return f"{kind}: no provider was queried"
    listed = [flag for flag in FLAGS if status[flag] is Status.LISTED]
    if listed:
        return f"Listed by {' and '.join(filter(None, [', '.join(listed[:-1]), listed[-1]]))}"
    answered = list(status.values()).count(Status.CLEAR)
    active = len(status) - list(status.values()).count(Status.RETIRED)
    if not answered:
        return f"No provider answered (0 of {active})"
    return f"Not listed by any provider that answered ({answered} of {active})"


@dataclass(frozen=True)
class ZoneHealth:
    """`works` if a zone lists its positive test point, and not the negative one (RFC 5782 section 5)."""

    flag: str
    asks: Asks
    zone: str
    works: bool
    problem: str


def probe(providers: Providers, resolver: Resolver, timeout: float | None = None) -> list[ZoneHealth]:
    """The health of each active zone, for `audience doctor`; all in parallel, within `timeout` seconds."""
    zones = list(providers.zones.values())
    names = [
        (_test_name(zone, point), "A") for zone in zones for point in (zone.test_listed, zone.test_clear)
    ]
    answers = resolver.ask(names, timeout)
    return [_health(*three) for three in zip(zones, answers[::2], answers[1::2], strict=True)]


def _test_name(zone: Zone, point: str) -> str:
    return name_in(zone, point) if zone.asks == "ip" else f"{point}.{zone.zone}"


def _health(zone: Zone, positive: DnsAnswer, negative: DnsAnswer) -> ZoneHealth:
    problem = ""
    if status_of(zone, positive) is not Status.LISTED:
        problem = f"does not list its test entry: {_content(positive)}"
    elif status_of(zone, negative) is not Status.CLEAR:
        problem = f"lists an entry that it must not list: {_content(negative)}"
    return ZoneHealth(zone.flag, zone.asks, zone.public, not problem, problem)


def _content(answer: DnsAnswer) -> str:
    return " ".join(answer.records) or answer.status.value
