"""Whether reputation providers list a domain or an IPv4 address (spec section 4.1, contract section 5)."""

from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address

from audience.checks.blacklist_providers import FLAGS, LISTS, NEVER, Asks, Providers, Zone
from audience.checks.domains import LONGEST, is_public, parse_domain, registrable
from audience.errors import FieldError, Refused
from audience.ports import DnsAnswer, DnsStatus, Resolver


class Status(StrEnum):
    """What a provider says. `UNKNOWN`: it gave no usable answer, or was not asked."""

    LISTED = "listed"
    CLEAR = "clear"
    UNKNOWN = "unknown"
    NOT_CONFIGURED = "not_configured"
    RETIRED = "retired"


@dataclass(frozen=True)
class Entry:
    """`query` is the value looked up, normalised; `results` and `status` have one key for each provider."""

    query: str
    description: str
    results: dict[str, bool]
    status: dict[str, str]


@dataclass(frozen=True)
class Query:
    """A value to look up; one that is not `public` never leaves the machine."""

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
) -> list[Entry]:
    """An entry for the domain and one for the address, in this order, as far as they are given. All providers
    are asked at once, within `timeout` seconds in total. Raises `Refused` for a malformed value or none."""
    queries = [read_domain(domain)] if domain is not None else []
    queries += [read_address(ip_address)] if ip_address is not None else []
    if not queries:
        raise Refused("Send a domain or an IPv4 address.", [FieldError("domain", "Send this or ip_address.")])
    asked = [(query, zone, name) for query in queries for zone, name in _questions(query, providers)]
    answers = resolver.ask([(name, "A") for _, _, name in asked], timeout)
    heard = {(query, zone.flag): read(zone, a) for (query, zone, _), a in zip(asked, answers, strict=True)}
    return [_entry(query, providers, heard) for query in queries]


def read_domain(text: str) -> Query:
    """Raises `Refused`."""
    try:
        domain = parse_domain(text)
    except ValueError as error:
        message = "Send a domain name such as example.com."
        raise Refused(message, [FieldError("domain", message)]) from error
    return Query("domain", domain, is_public(domain))


def read_address(text: str) -> Query:
    """Raises `Refused`."""
    try:
        address = IPv4Address(text.strip())
    except ValueError as error:
        message = "Send an IPv4 address such as 192.0.2.1."
        raise Refused(message, [FieldError("ip_address", message)]) from error
    return Query("ip", str(address), address.is_global and not address.is_multicast)


def read(zone: Zone, answer: DnsAnswer) -> Status:
    """An error code beside a listing makes it worthless; a code that the table does not know says nothing."""
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
    return address not in LISTS or any(address in never for never in NEVER)


def _questions(query: Query, providers: Providers) -> list[tuple[Zone, str]]:
    """The zones to ask about `query`, and the names to ask them for."""
    if not query.public:
        return []
    zones = (zone for (_, asks), zone in providers.zones.items() if asks == query.asks)
    named = ((zone, name_in(zone, query.value)) for zone in zones if _covers(zone, query.value))
    return [(zone, name) for zone, name in named if len(name) <= LONGEST]


def _covers(zone: Zone, value: str) -> bool:
    return not zone.tlds or value.rpartition(".")[2] in zone.tlds


def name_in(zone: Zone, value: str) -> str:
    """RFC 5782 sections 2.1 and 3: addresses reversed, domains as they are."""
    if zone.asks == "ip":
        return ".".join([*reversed(value.split(".")), zone.zone])
    return f"{registrable(value) if zone.registrable_only else value}.{zone.zone}"


def _entry(query: Query, providers: Providers, heard: dict[tuple[Query, str], Status]) -> Entry:
    status = {flag: heard.get((query, flag)) or _unasked(flag, query.asks, providers) for flag in FLAGS}
    if not query.public:
        status = dict.fromkeys(FLAGS, Status.UNKNOWN)
    results = {flag: status[flag] is Status.LISTED for flag in FLAGS}
    return Entry(query.value, _describe(query, status), results, {flag: status[flag].value for flag in FLAGS})


def _unasked(flag: str, asks: Asks, providers: Providers) -> Status:
    if flag in providers.retired:
        return Status.RETIRED
    return Status.NOT_CONFIGURED if (flag, asks) in providers.without_key else Status.UNKNOWN


def _describe(query: Query, status: dict[str, Status]) -> str:
    if not query.public:
        kind = "A private or reserved address" if query.asks == "ip" else "Not a public domain"
        return f"{kind}: no provider was asked"
    listed = [flag for flag in FLAGS if status[flag] is Status.LISTED]
    if listed:
        return f"Listed by {' and '.join(filter(None, [', '.join(listed[:-1]), listed[-1]]))}"
    answered = sum(said is Status.CLEAR for said in status.values())
    active = sum(said is not Status.RETIRED for said in status.values())
    if not answered:
        return f"No provider answered (0 of {active})"
    return f"Not listed by any provider that answered ({answered} of {active})"


@dataclass(frozen=True)
class Health:
    """Whether a zone lists its positive test point and not its negative one (RFC 5782 section 5)."""

    flag: str
    asks: Asks
    zone: str
    works: bool
    trouble: str


def probe(providers: Providers, resolver: Resolver, timeout: float | None = None) -> list[Health]:
    """The health of each zone that would be asked, for `audience doctor`; all at once, within `timeout`
    seconds."""
    zones = list(providers.zones.values())
    names = [
        (_test_name(zone, point), "A") for zone in zones for point in (zone.test_listed, zone.test_clear)
    ]
    answers = resolver.ask(names, timeout)
    return [_health(*three) for three in zip(zones, answers[::2], answers[1::2], strict=True)]


def _test_name(zone: Zone, point: str) -> str:
    return name_in(zone, point) if zone.asks == "ip" else f"{point}.{zone.zone}"


def _health(zone: Zone, positive: DnsAnswer, negative: DnsAnswer) -> Health:
    trouble = ""
    if read(zone, positive) is not Status.LISTED:
        trouble = f"does not list its test entry: {_said(positive)}"
    elif read(zone, negative) is not Status.CLEAR:
        trouble = f"lists what it must not: {_said(negative)}"
    return Health(zone.flag, zone.asks, zone.public, not trouble, trouble)


def _said(answer: DnsAnswer) -> str:
    return " ".join(answer.records) or answer.status.value
