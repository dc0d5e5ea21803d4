"""Reading DNS responses."""

from ipaddress import ip_address

import dns.flags
import dns.inet
import dns.message
import dns.rcode
import dns.rdata
import dns.rdatatype
from dns.rdtypes.ANY.MX import MX
from dns.rdtypes.ANY.TXT import TXT

from audience.protocols import DnsAnswer, DnsStatus

UNAVAILABLE = DnsAnswer(DnsStatus.UNAVAILABLE)
BESIDE = (dns.rdatatype.DNAME, dns.rdatatype.RRSIG)  # what may stand beside an answer
SERVFAIL_TTL = 5.0  # RFC 2308 section 7.1 allows five minutes; a server that restarts needs seconds


def parse_response(message: dns.message.Message | None) -> tuple[DnsAnswer, float]:
    """The answer in a response, and its TTL in seconds.

    The TTL of a negative answer is the minimum of its SOA record, or 0 without one (RFC 2308). A referral,
    which is neither recursive nor authoritative, is `UNAVAILABLE`; so is an answer about another name or
    type. Raises `DNSException`.
    """
    if message is None:
        return UNAVAILABLE, 0.0
    if message.rcode() == dns.rcode.SERVFAIL:
        return DnsAnswer(DnsStatus.SERVFAIL), SERVFAIL_TTL
    if not isinstance(message, dns.message.QueryMessage) or not message.flags & (dns.flags.RA | dns.flags.AA):
        return UNAVAILABLE, 0.0
    chain = message.resolve_chaining()
    if chain.answer is not None:
        return DnsAnswer(
            DnsStatus.OK, tuple(format_record(rdata) for rdata in chain.answer)
        ), chain.minimum_ttl
    if any(rrset not in chain.cnames and rrset.rdtype not in BESIDE for rrset in message.answer):
        return UNAVAILABLE, 0.0
    has_soa = any(rrset.rdtype == dns.rdatatype.SOA for rrset in message.authority)
    status = DnsStatus.NXDOMAIN if message.rcode() == dns.rcode.NXDOMAIN else DnsStatus.NO_DATA
    return DnsAnswer(status), chain.minimum_ttl if has_soa else 0.0


def counts_against(answer: DnsAnswer) -> bool:
    """Whether an answer speaks against a domain: it has no records, or an address that is not public. A
    resolver in trouble may answer any question like this.
    """
    return answer.status is not DnsStatus.OK or any(map(_is_not_public, answer.records))


def _is_not_public(record: str) -> bool:
    return dns.inet.is_address(record) and not ip_address(record).is_global


def format_record(rdata: dns.rdata.Rdata) -> str:
    """A record in the form of `audience.protocols.DnsAnswer`."""
    if isinstance(rdata, MX):
        return f"{rdata.preference} {rdata.exchange.to_text(omit_final_dot=True)}"
    if isinstance(rdata, TXT):
        return b"".join(rdata.strings).decode("utf-8", "replace")
    return rdata.to_text().removesuffix(".")
