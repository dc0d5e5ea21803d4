"""Evidence about a candidate, each piece computed once, when a rule first needs it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address

from audience.answers.validation.address import Address, ancestors, parse, split_loosely
from audience.answers.validation.contact_name import MAX_LENGTH
from audience.answers.validation.email_tables import EmailTables
from audience.answers.validation.mail_route import MailRoute, find_route
from audience.answers.validation.mailbox import MailboxKind, kind_of
from audience.answers.validation.user_agent import Visitor
from audience.config import TIER1_COUNTRIES
from audience.errors import ServiceUnavailable
from audience.protocols import Resolver

NO_ADDRESS = Address("", "")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """The input of a validation: any text, None if absent."""

    email: str
    name: str | None = None
    user_agent: str | None = None
    ip: str | None = None


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Sources of evidence. `country_of` returns the ISO 3166-1 alpha-2 code of an IPv4 address, None if
    unknown, and raises `ServiceUnavailable` while it cannot say; `dns_timeout` is in seconds, for all DNS
    queries of one validation."""

    tables: EmailTables
    resolver: Resolver
    country_of: Callable[[str], str | None]
    tier1_countries: Sequence[str] = TIER1_COUNTRIES
    dns_timeout: float = 2.0


class Origin(StrEnum):
    ABSENT = "absent"
    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    UNAVAILABLE = "unavailable"
    TIER1 = "tier1"
    ELSEWHERE = "elsewhere"


class Evidence:
    def __init__(self, candidate: Candidate, sources: Sources) -> None:
        self._candidate = candidate
        self._sources = sources
        self.tables = sources.tables

    @cached_property
    def address(self) -> Address:
        """`NO_ADDRESS` if the text is not an e-mail address."""
        return parse(self._candidate.email) or NO_ADDRESS

    @property
    def is_address(self) -> bool:
        return self.address is not NO_ADDRESS

    @cached_property
    def loose_address(self) -> Address:
        """The address; if it is malformed, the text before and after its last @."""
        return self.address if self.is_address else split_loosely(self._candidate.email) or NO_ADDRESS

    @cached_property
    def domains(self) -> frozenset[str]:
        """The domain and its parents."""
        return frozenset(ancestors(self.address.domain))

    @cached_property
    def suggestion(self) -> str | None:
        """The address that was probably meant."""
        domain = self.tables.typos.suggest(self.loose_address.domain) if self.loose_address.local else None
        meant = f"{self.loose_address.local}@{domain}"
        return meant if domain and parse(meant) else None

    @cached_property
    def mailbox(self) -> MailboxKind | None:
        return kind_of(self.address.mailbox, self.tables.mailboxes)

    @cached_property
    def name(self) -> str:
        """The contact's name, truncated; empty if absent."""
        return (self._candidate.name or "").strip()[:MAX_LENGTH]

    @cached_property
    def visitor(self) -> Visitor | None:
        user_agent = self._candidate.user_agent
        return None if user_agent is None else self.tables.user_agents.visitor(user_agent)

    @cached_property
    def route(self) -> MailRoute:
        return find_route(self.address.domain, self._sources.resolver, self._sources.dns_timeout)

    @cached_property
    def origin(self) -> Origin:
        text = (self._candidate.ip or "").strip()
        if not text:
            return Origin.ABSENT
        if self._ip is None:
            return Origin.MALFORMED
        try:
            country = self._sources.country_of(str(self._ip)) if isinstance(self._ip, IPv4Address) else None
        except ServiceUnavailable:
            return Origin.UNAVAILABLE
        if country is None:
            return Origin.UNKNOWN
        tier1 = {code.upper() for code in self._sources.tier1_countries}
        return Origin.TIER1 if country.upper() in tier1 else Origin.ELSEWHERE

    @cached_property
    def _ip(self) -> IPv4Address | IPv6Address | None:
        try:
            address = ip_address((self._candidate.ip or "").strip())
        except ValueError:
            return None
        return getattr(address, "ipv4_mapped", None) or address
