"""The answers to the six stateless questions. Each loads its tables and libraries on first use, once per
process.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from audience import telemetry
from audience.answers.blacklist import blacklist, providers
from audience.answers.blacklist.blacklist import BlacklistResult
from audience.answers.blacklist.zone_tests import ZoneWatch
from audience.answers.domains import registrable
from audience.answers.gender import gender
from audience.answers.gender.gender import GenderResult, Names
from audience.answers.geolocation import geolocation
from audience.answers.geolocation.geolocation import PlaceDatabase
from audience.answers.geolocation.packed_table import Tables
from audience.answers.geolocation.packing import PackingInChild, pack
from audience.answers.validation import email_tables, validation
from audience.answers.validation.allow_deny import AllowDenyLists, parse_entry
from audience.answers.validation.email_tables import EmailTables
from audience.answers.validation.validation import Candidate, Ruleset, Sources, ValidationResult
from audience.config import SettingError, Settings
from audience.errors import ServiceUnavailable, where
from audience.protocols import ChildProcess, DnsAnswer, DnsHealth, Gate, Resolver

if TYPE_CHECKING:
    from audience.answers.dns.resolver import DnsResolver
    from audience.answers.moderation.moderation import ModerationResult
    from audience.answers.moderation.profanity import WordList

log = logging.getLogger(__name__)

NO_ADDRESS = "no one@firm.org"  # whose validation costs no DNS
RUDE = "<b>Mr Coons and Ann Dick say: you ass</b>"  # whose moderation uses every table
COUNTRIES = "tier1_countries: no country has the code {codes}; give codes of ISO 3166, such as GB for UK"


class TimedResolver:
    """A resolver that reports the duration of every round of DNS queries to `telemetry`. `last_health` is
    what its `health` returned last.
    """

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver
        self.last_health = DnsHealth.WORKS

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        started = time.perf_counter()
        try:
            return self._resolver.ask(questions, timeout)
        finally:
            telemetry.record_dns(time.perf_counter() - started)

    def health(self, denied: str = "", well_known: bool = False) -> DnsHealth:
        self.last_health = self._resolver.health(denied, well_known)
        return self.last_health


def open_resolver(settings: Settings, gate: Gate | None = None) -> DnsResolver:
    """Opens the resolver of the settings. `gate` limits the threads that wait for it. Raises `SettingError`
    for a malformed server or canary.
    """
    from audience.answers.dns.canaries import Canaries
    from audience.answers.dns.resolver import DnsResolver

    canaries = Canaries(settings.dns_canary_domains, settings.dns_canary_zones)
    return DnsResolver(settings.dns_servers, settings.dns_timeout, canaries=canaries, gate=gate)


class Answers:
    """Answers by the tables and settings of an instance. `resolver` is by default that of the settings.

    With `child_process`, the table of places is packed in a child process if needed. `locate` raises
    `ServiceUnavailable` until that has ended.
    """

    def __init__(
        self,
        settings: Settings,
        resolver: Resolver | None = None,
        child_process: ChildProcess | None = None,
    ) -> None:
        self._settings = settings
        self._resolver = resolver
        self.zones = ZoneWatch()
        self._child = PackingInChild(child_process) if child_process else None

    @cached_property
    def resolver(self) -> TimedResolver:
        return TimedResolver(self._resolver or open_resolver(self._settings))

    @cached_property
    def places(self) -> PlaceDatabase:
        settings = self._settings
        return geolocation.open_places(settings.instance, settings.geo_database, packing=self._child or pack)

    @cached_property
    def names(self) -> Names:
        return gender.open_names()

    @cached_property
    def providers(self) -> providers.Providers:
        settings = self._settings
        keys = {"spamhaus_dqs_key": settings.spamhaus_dqs_key, "abusix_key": settings.abusix_key}
        return providers.load(settings.instance / "blacklist" / "providers.csv", keys)

    @cached_property
    def words(self) -> WordList:
        from audience.answers.moderation import profanity

        return profanity.with_own(self._settings.instance / "moderation")

    @cached_property
    def tables(self) -> EmailTables:
        return email_tables.load_tables(self._settings.instance)

    @cached_property
    def lists(self) -> AllowDenyLists:
        """The allow and deny lists in the settings, which apply to every site. Raises `SettingError` for an
        invalid entry.
        """
        try:
            allow, deny = self._settings.allow_addresses, self._settings.deny_addresses
            return AllowDenyLists(tuple(map(parse_entry, allow)), tuple(map(parse_entry, deny)))
        except ValueError as error:
            raise SettingError(f"allow_addresses or deny_addresses: {error}") from error

    @cached_property
    def tier1_countries(self) -> tuple[str, ...]:
        """The codes of tier 1 countries in the settings, in upper case. Raises `SettingError` for a code that
        no country has.
        """
        codes = tuple(code.upper() for code in self._settings.tier1_countries)
        unknown = set(codes) - {country.code2 for country in Tables().countries()}
        if unknown:
            raise SettingError(COUNTRIES.format(codes=", ".join(sorted(unknown))))
        return codes

    @cached_property
    def sources(self) -> Sources:
        return Sources(
            tables=self.tables,
            resolver=self.resolver,
            country_of=self._country_of,
            tier1_countries=self.tier1_countries,
            dns_timeout=self._settings.dns_timeout,
        )

    def check(self) -> None:
        """Raises `SettingError` for a setting or an operator's file that cannot be used."""
        places = self._settings.geo_database and self.places
        _ = (self.tier1_countries, self.resolver, self.providers, self.lists, self.words, self.tables, places)

    def warm(self) -> None:
        """Starts a thread that loads every table and library. Otherwise the first requests, which come at the
        same time, would each load all of them.
        """
        threading.Thread(target=self._load, daemon=True).start()

    def _load(self) -> None:
        try:
            self.load()
            _ = self.places  # which may wait until it is packed
        except Exception as error:
            log.error("a table cannot be loaded: %s", where(error))

    def load(self) -> None:
        """Loads the bundled tables and the libraries, so that processes forked afterwards share them."""
        from audience.answers.moderation import moderation

        validation.validate(Candidate(email=NO_ADDRESS), self._ruleset(self.lists), self.sources)
        registrable(NO_ADDRESS)
        moderation.moderate(RUDE, self.words)
        _ = (self.names, self.providers)

    def _country_of(self, ip: str) -> str | None:
        """The ISO 3166-1 alpha-2 code of an address's country; None if it is unknown."""
        country = geolocation.locate(ip, self.places).get("country_code2")
        return str(country) if country else None

    def validate(self, candidate: Candidate, lists: AllowDenyLists) -> ValidationResult:
        """Validates a candidate by the plain rule set. The site's `lists` apply together with those in the
        settings.
        """
        result = validation.validate(candidate, self._ruleset(lists), self.sources)
        telemetry.record_answer("validation", result.reasons)
        return result

    def validate_strictly(
        self,
        candidate: Candidate,
        lists: AllowDenyLists,
        block_free_providers: bool | None,
        wiggleroom: bool | None,
    ) -> ValidationResult:
        """Validates a candidate as `validate` does, but by the strict rule set, with its options (see
        `Ruleset`).
        """
        ruleset = self._ruleset(
            lists, strict=True, block_free_providers=block_free_providers, wiggleroom=wiggleroom
        )
        result = validation.validate(candidate, ruleset, self.sources)
        telemetry.record_answer("strict_ruleset", result.reasons)
        return result

    def _ruleset(self, lists: AllowDenyLists, **options: Any) -> Ruleset:
        return Ruleset(threshold=self._settings.validation_threshold, lists=self.lists + lists, **options)

    def moderate(self, content: str) -> ModerationResult:
        """Moderates text of any length; see `moderation.moderate`."""
        from audience.answers.moderation import moderation

        result = moderation.moderate(content, self.words)
        telemetry.record_answer("content_moderation", result.reasons)
        return result

    def guess_gender(self, name: str) -> GenderResult:
        """The gender of a full name or a first name; see `gender.guess_gender`."""
        result = gender.guess_gender(name, self.names)
        telemetry.record_answer("gender", [result.gender])
        return result

    def locate(self, ip: str) -> dict[str, Any]:
        """The place of an IPv4 address; see `geolocation.locate`. Raises `Refused`, or `ServiceUnavailable`
        while the table is being packed.

        Waits for the packing first, unless enough requests wait already. Validation, which also locates
        addresses, does not wait.
        """
        try:
            place = geolocation.locate(ip, self.places)
        except ServiceUnavailable:
            if self._child:
                self._child.wait()
            place = geolocation.locate(ip, self.places)
        telemetry.record_answer("geolocation", ["found" if place else "unknown"])
        return place

    def look_up(self, domain: str | None, ip_address: str | None) -> Sequence[BlacklistResult]:
        """What blacklists say of a domain, an IPv4 address or both; see `blacklist.look_up`. Raises
        `Refused`.
        """
        entries = blacklist.look_up(
            domain=domain,
            ip_address=ip_address,
            providers=self.providers,
            resolver=self.resolver,
            watch=self.zones,
            timeout=self._settings.dns_timeout,
        )
        telemetry.record_answer(
            "blacklist", [status for entry in entries for status in entry.status.values()]
        )
        return entries
