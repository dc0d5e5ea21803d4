"""The name to look up in the zone of a list, and the meaning of the zone's answer (RFC 5782)."""

from enum import StrEnum
from ipaddress import IPv4Address

from audience.answers.blacklist.providers import LISTED_NETWORK, NOT_LISTED_NETWORKS, Zone
from audience.answers.domains import registrable
from audience.protocols import DnsAnswer, DnsStatus


class Status(StrEnum):
    """The status of a value at a provider. `UNKNOWN`: there was no usable answer, or no query.
    `DOES_NOT_APPLY`: the provider lists no values of this kind.
    """

    LISTED = "listed"
    CLEAR = "clear"
    UNKNOWN = "unknown"
    DOES_NOT_APPLY = "does_not_apply"
    NOT_CONFIGURED = "not_configured"
    RETIRED = "retired"


def name_in(zone: Zone, value: str) -> str:
    """The name to look up in a zone (RFC 5782 sections 2.1 and 3): an address in reverse, or a domain. Of a
    domain, some zones list only the registrable part.
    """
    if zone.asks == "ip":
        return ".".join([*reversed(value.split(".")), zone.zone])
    return f"{registrable(value) if zone.registrable_only else value}.{zone.zone}"


def status_of(zone: Zone, answer: DnsAnswer) -> Status:
    """The status that the answer of a zone means. One error code or unknown code in it is enough for
    `UNKNOWN`.
    """
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
