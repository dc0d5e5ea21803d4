"""Evidence about a candidate. Each item is computed when a rule first needs it, and then kept."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Address
from typing import Any, Generic, TypeVar

from audience.answers.folding import fold
from audience.answers.validation.address import Address, ancestors, parse, split_loosely
from audience.answers.validation.contact_name import MAX_LENGTH, is_related
from audience.answers.validation.email_tables import EmailTables
from audience.answers.validation.gibberish import MIN_LETTERS, is_mixed
from audience.answers.validation.keyboard import is_walk
from audience.answers.validation.mail_route import MailRoute, RouteStatus, find_route
from audience.answers.validation.mailbox import MailboxKind
from audience.answers.validation.sign_up_ip import IpAddress, is_list, sender
from audience.answers.validation.suggestion import suggest
from audience.answers.validation.user_agent import Visitor
from audience.config import TIER1_COUNTRIES
from audience.errors import ServiceUnavailable
from audience.protocols import Resolver

NO_ADDRESS = Address("", "")
T = TypeVar("T")


class LazyProperty(Generic[T]):
    """A property that is computed on first use, and then kept. While one thread computes it, others do not
    wait, unlike with `functools.cached_property` of Python 3.11.
    """

    def __init__(self, find: Callable[[Any], T]) -> None:
        self._find = find

    def __get__(self, evidence: Any, _: object) -> T:
        value = vars(evidence)[self._find.__name__] = self._find(evidence)
        return value


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """The input of a validation. Each value may be any text; all but `email` may be None."""

    email: str
    name: str | None = None
    user_agent: str | None = None
    ip: str | None = None


@dataclass(frozen=True, kw_only=True)
class Sources:
    """The sources of evidence. `dns_timeout` is in seconds, for all DNS queries of one validation.

    `country_of` returns the ISO 3166-1 alpha-2 code of the country of an IPv4 address, None if it is unknown.
    It raises `ServiceUnavailable` while its table is not ready.
    """

    tables: EmailTables
    resolver: Resolver
    country_of: Callable[[str], str | None]
    tier1_countries: Sequence[str] = TIER1_COUNTRIES
    dns_timeout: float = 2.0


class Origin(StrEnum):
    ABSENT = "absent"
    UNKNOWN = "unknown"
    UNAVAILABLE = "unavailable"
    TIER1 = "tier1"
    ELSEWHERE = "elsewhere"


class Evidence:
    def __init__(self, candidate: Candidate, sources: Sources) -> None:
        self._candidate = candidate
        self._sources = sources
        self.tables = sources.tables

    @LazyProperty
    def address(self) -> Address:
        """The address; `NO_ADDRESS` if the text is not an e-mail address."""
        return parse(self._candidate.email) or NO_ADDRESS

    @property
    def is_address(self) -> bool:
        return self.address is not NO_ADDRESS

    @LazyProperty
    def loose_address(self) -> Address:
        """The address. If the text is malformed, its parts before and after the last @; `NO_ADDRESS` without
        an @.
        """
        return self.address if self.is_address else split_loosely(self._candidate.email) or NO_ADDRESS

    @LazyProperty
    def domains(self) -> frozenset[str]:
        """The domain and its parents."""
        return frozenset(ancestors(self.address.domain))

    @LazyProperty
    def suggestion(self) -> str | None:
        """The address that was probably meant; None if it is the one that was sent, or unknown."""
        return suggest(self.loose_address, self.is_address, self.tables.typos)

    @LazyProperty
    def nearest(self) -> str | None:
        """The address at the provider that is probably meant by a domain that does not exist."""
        if self.suggestion is not None or self.route.status is not RouteStatus.NO_SUCH_DOMAIN:
            return None
        provider = self.tables.typos.nearest(self.address.domain)
        return provider and f"{self.address.local}@{provider}"

    @LazyProperty
    def mailbox(self) -> MailboxKind | None:
        return self.tables.mailboxes.kind(self.address.mailbox, self.address.domain, self.name)

    @LazyProperty
    def is_relay(self) -> bool:
        """Whether the address belongs to a relay, which forwards to a person's own mailbox. Its random
        letters then mean nothing.
        """
        return not self.domains.isdisjoint(self.tables.relays)

    @LazyProperty
    def is_disposable(self) -> bool:
        """Whether the domain is one of a disposable service. False if it is probably a typo of another
        domain: the person did not mean to use a disposable service.
        """
        return self.suggestion is None and not self.domains.isdisjoint(self.tables.disposable)

    @LazyProperty
    def is_gibberish(self) -> bool:
        """Whether the mailbox is random letters. False for a relay, and for a mailbox of a known kind. False
        also if the letters may abbreviate the contact's name, unless the name is random itself.
        """
        mailbox = self.address.mailbox
        random = self.tables.names.is_gibberish(mailbox) or is_mixed(mailbox)
        if not random or self.mailbox is not None or self.is_relay:
            return False
        return self.has_gibberish_name or not is_related(self.name, mailbox)

    @LazyProperty
    def has_gibberish_name(self) -> bool:
        """Whether the contact's name is random letters, or typed along adjacent keys. Random letters are not
        seen in a name with accents.
        """
        letters = "".join(filter(str.isalpha, fold(self.name)))
        if len(letters) >= MIN_LETTERS and is_walk(letters):
            return True
        return self.name.isascii() and self.tables.names.is_gibberish(self.name)

    @LazyProperty
    def name(self) -> str:
        """The contact's name, truncated; empty if absent."""
        return (self._candidate.name or "").strip()[:MAX_LENGTH]

    @LazyProperty
    def visitor(self) -> Visitor | None:
        user_agent = self._candidate.user_agent
        return None if user_agent is None else self.tables.user_agents.visitor(user_agent)

    @LazyProperty
    def route(self) -> MailRoute:
        domain = self.address.domain
        is_free = domain in self.tables.free
        return find_route(domain, self._sources.resolver, self._sources.dns_timeout, well_known=is_free)

    @LazyProperty
    def origin(self) -> Origin:
        text = (self._candidate.ip or "").strip()
        if not text:
            return Origin.ABSENT
        try:
            country = self._sources.country_of(str(self._ip)) if isinstance(self._ip, IPv4Address) else None
        except ServiceUnavailable:
            return Origin.UNAVAILABLE
        if country is None:
            return Origin.UNKNOWN
        tier1 = {code.upper() for code in self._sources.tier1_countries}
        return Origin.TIER1 if country.upper() in tier1 else Origin.ELSEWHERE

    @property
    def has_ip_list(self) -> bool:
        return is_list(self._candidate.ip or "")

    @LazyProperty
    def _ip(self) -> IpAddress | None:
        return sender(self._candidate.ip or "")
