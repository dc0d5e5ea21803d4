"""Canaries: names whose answers are known beforehand. The answers of DNS servers to them show whether these
can be trusted.
"""

import asyncio
import secrets
import string
from collections.abc import Coroutine, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import dns.exception
import dns.message
import dns.name
import dns.rdatatype

from audience.answers.dns.responses import parse_response
from audience.answers.dns.transport import CONCLUSIVE, Server, Transport
from audience.config import SettingError
from audience.protocols import DnsHealth

RANDOM_LETTERS = 16


@dataclass(frozen=True)
class Canaries:
    """Names whose answers show whether a resolver works.

    `mail_domains` have mail exchangers. In `zones`, random names do not exist; the zones are unsigned, so
    that a resolver must ask the Internet about each name (RFC 8198). A kind without names is not asked about.

    Raises `SettingError` for a malformed domain.
    """

    mail_domains: Sequence[str] = ()
    zones: Sequence[str] = ()

    def __post_init__(self) -> None:
        try:
            for domain in (*self.mail_domains, *self.zones):
                dns.name.from_text(f"{'x' * RANDOM_LETTERS}.{domain}")
        except (dns.exception.DNSException, UnicodeError) as error:
            raise SettingError("dns_canary_domains, dns_canary_zones: must be domains") from error

    async def ask(self, transport: Transport, servers: Sequence[Server], timeout: float) -> DnsHealth:
        """Asks servers about the canaries, and returns the health that the answers show, within `timeout`
        seconds. One good answer of each kind is enough.
        """

        async def has_exchanger(domain: str) -> bool:
            name = dns.name.from_text(domain)
            return names_exchanger(await transport.ask(name, dns.rdatatype.MX, servers, timeout))

        async def misses_random_name(zone: str) -> bool:
            name = dns.name.from_text(random_name(zone))
            return denies(await transport.ask(name, dns.rdatatype.A, servers, timeout), zone)

        has_mail, is_fresh = await asyncio.gather(
            _any(map(has_exchanger, self.mail_domains)), _any(map(misses_random_name, self.zones))
        )
        if not has_mail:
            return DnsHealth.DENYING
        return DnsHealth.WORKS if is_fresh else DnsHealth.CUT_OFF


def random_name(zone: str) -> str:
    return "".join(secrets.choice(string.ascii_lowercase) for _ in range(RANDOM_LETTERS)) + f".{zone}"


def names_exchanger(message: dns.message.Message | None) -> bool:
    """Whether a response to an MX query names a host that takes mail. False for a malformed response."""
    try:
        answer, _ = parse_response(message)
    except dns.exception.DNSException:
        return False
    return any(not record.endswith(" .") for record in answer.records)


def denies(message: dns.message.Message | None, zone: str) -> bool:
    """Whether a response is negative, and has the SOA record of `zone`."""
    if message is None or message.rcode() not in CONCLUSIVE or message.answer:
        return False
    owner = dns.name.from_text(zone)
    return any(rrset.rdtype == dns.rdatatype.SOA and rrset.name == owner for rrset in message.authority)


async def _any(outcomes: Iterable[Coroutine[Any, Any, bool]]) -> bool:
    """Whether one of the coroutines returns true; then the others are cancelled. True without coroutines, as
    nothing was asked that could fail.
    """
    tasks = [asyncio.create_task(outcome) for outcome in outcomes]
    try:
        for first in asyncio.as_completed(tasks):
            if await first:
                return True
        return not tasks
    finally:
        for task in tasks:
            task.cancel()
