"""The DNS records of the API's tests."""

from collections.abc import Mapping, Sequence

import dns.message
import dns.rcode
import dns.rdatatype

from tests.answers.dns_servers import no_such_name, refusal, reply

PUBLIC = "93.184.216.34"
RECORDS: Mapping[str, Sequence[str] | dns.rcode.Rcode] = {
    "firm.org MX": ["10 mx.firm.org."],
    "mx.firm.org A": [PUBLIC],
    "gmail.com MX": ["5 mx.gmail.com."],
    "mx.gmail.com A": [PUBLIC],
    "xn--mller-kva.de MX": ["10 mx.firm.org."],
    "throwaway.org MX": ["10 mail.wabblywabble.com."],
    "mail.wabblywabble.com A": [PUBLIC],
    "web.org A": [PUBLIC],
    "null.org MX": ["0 ."],
    "dead.org MX": ["10 mx.dead.org."],
    "fail.org MX": dns.rcode.SERVFAIL,
    "odd.org MX": dns.rcode.REFUSED,
    "4.4.8.8.zen.spamhaus.org A": ["127.0.0.4"],
    "4.4.8.8.bl.nordspam.com A": ["127.255.255.254"],
    "listed.com.dbl.spamhaus.org A": ["127.0.1.5"],
    "2.0.0.127.zen.spamhaus.org A": ["127.0.0.2"],
    "2.0.0.127.bl.nordspam.com A": ["127.0.0.2"],
    "2.0.0.127.dnsbl.spfbl.net A": ["127.0.0.2"],
    "dbltest.com.dbl.spamhaus.org A": ["127.0.1.2"],
    "test.dbl.nordspam.com A": ["127.0.0.2"],
    "test.dnsbl.spfbl.net A": ["127.0.0.2"],
    "_dnsbl_.test.fresh.spameatingmonkey.net A": ["127.0.0.2"],
    "listed.com.fresh.spameatingmonkey.net A": ["127.0.0.2"],
}
Records = Mapping[str, "Sequence[str] | dns.rcode.Rcode"]


def answer(query: dns.message.Message, records: Records) -> list[dns.message.Message]:
    """The response with the matching `records`; no data if the name has other records; else NXDOMAIN."""
    name = query.question[0].name.to_text(omit_final_dot=True).lower()
    kind = dns.rdatatype.to_text(query.question[0].rdtype)
    answers = records.get(f"{name} {kind}", ())
    if isinstance(answers, dns.rcode.Rcode):
        return [refusal(query, answers)]
    if answers or any(key.startswith(f"{name} ") for key in records):
        return [reply(query, *answers, kind=kind)]
    return [no_such_name(query, "gmail.com" if name.endswith(".gmail.com") else ".")]
