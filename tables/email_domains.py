"""Writes `disposable_domains.txt` and `free_providers.txt` of `audience/data/email`.

Disposable: every domain that one of four lists names, without what another line already covers (subdomains),
without public suffixes (whose subdomains are strangers to each other), and without real ones: the big
providers, `KEPT` and `NOT_DISPOSABLE`.
Free: what both free-mail lists name, the big providers, `KEPT` and `ALSO_FREE`, without the disposable, typos
of the big ones, institutions and `NOT_FREE`.
"""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from publicsuffixlist import PublicSuffixList

from audience.checks.typos import Typos
from tables.registry import npm, pypi

DATA = Path(__file__).parent.parent / "audience" / "data" / "email"
DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")
SUFFIXES = PublicSuffixList(accept_unknown=False)
KEPT = {  # mailboxes that people keep, whatever the lists say: those of mail.com, Hushmail and tom.com
    "alumni.com", "birdlover.com", "blader.com", "collector.org", "consultant.com", "contractor.net",
    "discofan.com", "dr.com", "dutchmail.com", "fastservice.com", "mexicomail.com", "mindless.com",
    "myself.com", "optician.com", "pacific-ocean.com", "photographer.net", "presidency.com", "priest.com",
    "protestant.com", "qualityservice.com", "salesperson.net", "snakebite.com", "techie.com", "uymail.com",
    "writeme.com",
    "hush.ai", "hush.com", "tom.com",
}  # fmt: skip
NOT_DISPOSABLE = {  # a university, a company, or a relay to a person's own mailbox
    "afternic.com",
    "duck.com",
    "lsmu.com",
    "mozmail.com",
    "nus.edu.sg",
    "passmail.net",
    "relay.firefox.com",
}
ALSO_FREE = {
    "disroot.org",
    "keemail.me",
    "mail.de",
    "pm.me",
    "riseup.net",
    "tuta.com",
    "tuta.io",
    "zohomail.com",
}
NOT_FREE = {  # companies, and throw-away services that no list of those names
    "30minutesmail.com",
    "anonymous.to",
    "disposable.com",
    "facebook.com",
    "mail2junk.com",
    "medscape.com",
    "nur-fuer-spam.de",
    "spameater.com",
}
INSTITUTION = re.compile(r"\.(?:ac|edu|gov|mil)(?:\.[a-z]{2})?$")


def lines(path: str) -> list[str]:
    return (DATA / path).read_text("utf-8").split()


def domains(content: bytes) -> set[str]:
    return set(DOMAIN.findall(re.sub(r"(?m)^#.*", "", content.decode("utf-8")).lower()))


def parents(domain: str) -> Iterable[str]:
    labels = domain.split(".")
    return (".".join(labels[start:]) for start in range(1, len(labels) - 1))


def mailchecker() -> set[str]:
    content = npm("mailchecker")["platform/node/index.js"].decode("utf-8")
    return set(json.loads(content.partition("new Set(")[2].partition(")")[0]))


def disposable_email_domains() -> set[str]:
    content = pypi("disposable-email-domains")["disposable_email_domains/__init__.py"].decode("utf-8")
    return domains(content.partition("blocklist = ")[2].partition("}")[0].encode("utf-8"))


def disposable_email_domains_js() -> set[str]:
    return domains(npm("disposable-email-domains-js")["dist/dict/disposable_email_blocklist.json"])


def fakefilter() -> set[str]:
    return domains(npm("fakefilter")["txt/data.txt"])


DISPOSABLE_LISTS = (mailchecker, disposable_email_domains, disposable_email_domains_js, fakefilter)


def disposable(lists: Iterable[Callable[[], set[str]]] = DISPOSABLE_LISTS) -> set[str]:
    found = set().union(*(read() for read in lists))
    found = {domain for domain in found if DOMAIN.fullmatch(domain) and not SUFFIXES.is_public(domain)}
    real = NOT_DISPOSABLE.union(KEPT, providers())
    found = {domain for domain in found if real.isdisjoint([domain, *parents(domain)])}
    return {domain for domain in found if not found.intersection(parents(domain))}


def providers() -> list[str]:
    return lines("big_providers.txt")


def free(thrown_away: set[str]) -> set[str]:
    mail = domains(npm("freemail")["data/free.txt"])
    company = domains(npm("company-email-validator")["free_email_provider_domains.js"])
    typos = Typos(providers(), frozenset(lines("lookalikes.txt")), SUFFIXES.is_public)
    both = {domain for domain in mail & company if not typos.suggest(domain)}
    found = both.union(providers(), ALSO_FREE, KEPT) - NOT_FREE
    return {
        domain
        for domain in found
        if thrown_away.isdisjoint([domain, *parents(domain)]) and not INSTITUTION.search(domain)
    }


def write(path: str, found: Iterable[str]) -> None:
    (DATA / path).write_text("".join(f"{domain}\n" for domain in sorted(found)), "utf-8")


def main() -> None:
    thrown_away = disposable()
    write("disposable_domains.txt", thrown_away)
    write("free_providers.txt", free(thrown_away))


if __name__ == "__main__":
    main()
