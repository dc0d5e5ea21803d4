"""The judges with their tables at hand, each loaded when it is first needed, once in a process."""

import logging
import threading
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from audience import journal
from audience.address_lists import Lists
from audience.checks import (
    blacklist,
    blacklist_providers,
    email_tables,
    gender,
    geolocation,
    moderation,
    validation,
)
from audience.checks.address import AddressList, list_entry
from audience.checks.blacklist import Entry
from audience.checks.dns import DnsResolver
from audience.checks.gender import Guess, Names
from audience.checks.geolocation import Places
from audience.checks.validation import Candidate, Ruleset, Sources, Verdict
from audience.config import SettingError, Settings
from audience.errors import where
from audience.ports import DnsAnswer, Resolver

log = logging.getLogger(__name__)


class Timed:
    """A resolver whose rounds of questions the journal hears of."""

    def __init__(self, resolver: Resolver) -> None:
        self._resolver = resolver

    def ask(self, questions: Sequence[tuple[str, str]], timeout: float | None = None) -> list[DnsAnswer]:
        started = time.perf_counter()
        try:
            return self._resolver.ask(questions, timeout)
        finally:
            journal.dns(time.perf_counter() - started)


class Judges:
    """The six answers on an instance's tables and settings."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    @cached_property
    def resolver(self) -> Resolver:
        return Timed(DnsResolver(self._settings.dns_servers, self._settings.dns_timeout))

    @cached_property
    def places(self) -> Places:
        return geolocation.open_places(self._settings.instance, self._settings.geo_database)

    @cached_property
    def names(self) -> Names:
        return gender.open_names()

    @cached_property
    def providers(self) -> blacklist_providers.Providers:
        settings = self._settings
        keys = {"spamhaus_dqs_key": settings.spamhaus_dqs_key, "abusix_key": settings.abusix_key}
        return blacklist_providers.load(settings.instance / "blacklist" / "providers.csv", keys)

    @cached_property
    def lists(self) -> Lists:
        """Those of the settings, which hold for every site."""
        try:
            allow, deny = self._settings.allow_addresses, self._settings.deny_addresses
            return Lists(tuple(map(list_entry, allow)), tuple(map(list_entry, deny)))
        except ValueError as error:
            raise SettingError(f"allow_addresses or deny_addresses: {error}") from error

    @cached_property
    def sources(self) -> Sources:
        return Sources(
            tables=email_tables.bundled(),
            resolver=self.resolver,
            country_of=self._country_of,
            tier1_countries=self._settings.tier1_countries,
            dns_timeout=self._settings.dns_timeout,
        )

    def check(self) -> None:
        """Raises `SettingError` for what the operator has set and cannot be used."""
        _ = (self.resolver, self.providers, self.lists, self._settings.geo_database and self.places)

    def warm(self) -> None:
        """Loads everything, beside the work of the process."""
        threading.Thread(target=self._load, daemon=True).start()

    def _load(self) -> None:
        try:
            _ = (self.places, self.names, self.providers, self.sources)
        except Exception as error:
            log.error("a table cannot be loaded: %s", where(error))

    def _country_of(self, ip: str) -> str | None:
        country = geolocation.locate(ip, self.places).get("country_code2")
        return str(country) if country else None

    def validate(self, candidate: Candidate, lists: Lists) -> Verdict:
        verdict = validation.judge(candidate, self._ruleset(lists), self.sources)
        journal.answer("validation", verdict.reasons)
        return verdict

    def validate_strictly(
        self, candidate: Candidate, lists: Lists, block_free_providers: bool | None, wiggleroom: bool | None
    ) -> Verdict:
        ruleset = self._ruleset(
            lists, strict=True, block_free_providers=block_free_providers, wiggleroom=wiggleroom
        )
        verdict = validation.judge(candidate, ruleset, self.sources)
        journal.answer("strict_ruleset", verdict.reasons)
        return verdict

    def _ruleset(self, lists: Lists, **options: Any) -> Ruleset:
        return Ruleset(
            threshold=self._settings.validation_threshold,
            allow=AddressList([*self.lists.allow, *lists.allow]),
            deny=AddressList([*self.lists.deny, *lists.deny]),
            **options,
        )

    def moderate(self, content: str) -> moderation.Verdict:
        verdict = moderation.judge(content)
        journal.answer("content_moderation", verdict.reasons)
        return verdict

    def guess_gender(self, name: str) -> Guess:
        guess = gender.guess(name, self.names)
        journal.answer("gender", [guess.gender])
        return guess

    def locate(self, ip: str) -> dict[str, Any]:
        """Raises `Refused` on what is not an IPv4 address."""
        place = geolocation.locate(ip, self.places)
        journal.answer("geolocation", ["found" if place else "unknown"])
        return place

    def look_up(self, domain: str | None, ip_address: str | None) -> Sequence[Entry]:
        """Raises `Refused` on a malformed value, or on none."""
        entries = blacklist.look_up(
            domain=domain,
            ip_address=ip_address,
            providers=self.providers,
            resolver=self.resolver,
            timeout=self._settings.dns_timeout,
        )
        journal.answer("blacklist", [status for entry in entries for status in entry.status.values()])
        return entries
