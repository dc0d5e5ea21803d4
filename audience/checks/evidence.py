"""What is known of a candidate: each piece found when a rule first asks for it, and once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from ipaddress import IPv4Address, IPv6Address, ip_address

from audience.checks.address import Address, ancestors, parse, roughly
from audience.checks.contact_name import MOST_CHARACTERS
from audience.checks.email_tables import EmailTables
from audience.checks.mail_route import MailRoute, find_route
from audience.checks.mailbox import MailboxKind, kind_of
from audience.checks.user_agent import Visitor
from audience.config import TIER1_COUNTRIES
from audience.ports import Resolver

NOBODY = Address("", "")


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Who signs up; None is absent. Any text will do: what cannot be used is an answer too."""

    email: str
    name: str | None = None
    user_agent: str | None = None
    ip: str | None = None


@dataclass(frozen=True, kw_only=True)
class Sources:
    """Where evidence comes from. `country_of` gives an IPv4 address's two-letter country code, None where
    nothing is known; `tier1_countries` are such codes; `dns_timeout` is in seconds, for all questions
    of one answer."""

    tables: EmailTables
    resolver: Resolver
    country_of: Callable[[str], str | None]
    tier1_countries: Sequence[str] = TIER1_COUNTRIES
    dns_timeout: float = 2.0


class Origin(StrEnum):
    ABSENT = "absent"
    MALFORMED = "malformed"
    UNKNOWN = "unknown"
    TIER1 = "tier1"
    ELSEWHERE = "elsewhere"


class Evidence:
    def __init__(self, candidate: Candidate, sources: Sources) -> None:
        self._candidate = candidate
        self._sources = sources
        self.tables = sources.tables

    @cached_property
    def address(self) -> Address:
        """The address; an empty one, which no rule but that of syntax speaks about, where there is none."""
        return parse(self._candidate.email) or NOBODY

    @property
    def is_address(self) -> bool:
        return self.address is not NOBODY

    @cached_property
    def roughly(self) -> Address:
        """The address, or what looks like its parts."""
        return self.address if self.is_address else roughly(self._candidate.email) or NOBODY

    @cached_property
    def domains(self) -> frozenset[str]:
        """The domain and every one above it."""
        return frozenset(ancestors(self.address.domain))

    @cached_property
    def suggestion(self) -> str | None:
        """The address that was probably meant."""
        domain = self.tables.typos.suggest(self.roughly.domain) if self.roughly.local else None
        meant = f"{self.roughly.local}@{domain}"
        return meant if domain and parse(meant) else None

    @cached_property
    def mailbox(self) -> MailboxKind | None:
        return kind_of(self.address.mailbox, self.tables.mailboxes)

    @cached_property
    def name(self) -> str:
        """The contact's name, cut to what is looked at; empty where none was given."""
        return (self._candidate.name or "").strip()[:MOST_CHARACTERS]

    @cached_property
    def visitor(self) -> Visitor | None:
        given = self._candidate.user_agent
        return None if given is None else self.tables.user_agents.visitor(given)

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
        country = self._sources.country_of(str(self._ip)) if isinstance(self._ip, IPv4Address) else None
        if country is None:
            return Origin.UNKNOWN
        welcome = {code.upper() for code in self._sources.tier1_countries}
        return Origin.TIER1 if country.upper() in welcome else Origin.ELSEWHERE

    @cached_property
    def _ip(self) -> IPv4Address | IPv6Address | None:
        try:
            address = ip_address((self._candidate.ip or "").strip())
        except ValueError:
            return None
        return getattr(address, "ipv4_mapped", None) or address
