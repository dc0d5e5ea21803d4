"""A fake resolver with a few names, which records its queries."""

from audience.answers.blacklist.providers import Providers
from audience.answers.blacklist.zone_tests import ZoneWatch
from audience.protocols import DnsAnswer, DnsHealth, DnsStatus

NXDOMAIN = DnsAnswer(DnsStatus.NXDOMAIN)
NO_DATA = DnsAnswer(DnsStatus.NO_DATA)
SERVFAIL = DnsAnswer(DnsStatus.SERVFAIL)
UNAVAILABLE = DnsAnswer(DnsStatus.UNAVAILABLE)
PUBLIC = "93.184.216.34"


class Zones:
    """A resolver. `records` maps `name TYPE` to a list of records, or to an answer.

    A name with a record of another type has no data; `otherwise` answers for unknown names.
    """

    def __init__(self, records=(), otherwise=NXDOMAIN):
        self.records = dict(records)
        self.otherwise = otherwise
        self.state = DnsHealth.WORKS
        self.queries = []

    def ask(self, questions, timeout=None):
        self.queries += questions
        return [self._answer(name, kind) for name, kind in questions]

    def health(self, *_):
        return self.state

    def _answer(self, name, kind):
        answer = self.records.get(f"{name} {kind}")
        if isinstance(answer, DnsAnswer):
            return answer
        if answer:
            return DnsAnswer(DnsStatus.OK, tuple(answer))
        known = any(key.startswith(f"{name} ") for key in self.records)
        return NO_DATA if known else self.otherwise


def mail(domain, host="mx.mailhost.net", address=PUBLIC):
    """The records of a domain whose mail goes to `host`."""
    return {f"{domain} MX": [f"10 {host}"], f"{host} A": [address]}


def trusting(providers: Providers) -> ZoneWatch:
    """A watch for which every zone has just passed its test."""
    watch, zones = ZoneWatch(), list(providers.zones.values())
    watch.learn(zones, [answer for zone in zones for answer in (listing(zone), NXDOMAIN)], Zones())
    return watch


def listing(zone):
    return DnsAnswer(DnsStatus.OK, (min(zone.listed),))
