"""The two large lists of `audience/data/validation`, made from packages: disposable and free-mail domains.

A domain is disposable if it is on one of five lists. Left out are subdomains of another disposable domain,
public suffixes (their subdomains are unrelated), and real domains. Real domains are the big providers,
`PERMANENT`, `ALSO_FREE`, `SHARED`, `NOT_DISPOSABLE` and the relays (`relays.txt`).

A domain is free-mail if it is on both free-mail lists, or a big provider, or in `PERMANENT` or `ALSO_FREE`.
Left out are disposable domains, typos of the big providers, institutions and `NOT_FREE`.
"""

import json
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from audience.answers.domains import is_suffix
from audience.answers.validation.address import ancestors
from audience.answers.validation.email_tables import DATA
from audience.answers.validation.typos import Typos

REMARK = re.compile(r"^#.*", re.MULTILINE)
LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
DOMAIN = re.compile(rf"{LABEL}(?:\.{LABEL})+")
PERMANENT = {  # permanent mailboxes, whatever the lists say: mail.com, Hushmail and tom.com
    "alumni.com", "birdlover.com", "blader.com", "collector.org", "consultant.com", "contractor.net",
    "discofan.com", "dr.com", "dutchmail.com", "fastservice.com", "mexicomail.com", "mindless.com",
    "myself.com", "optician.com", "pacific-ocean.com", "photographer.net", "presidency.com", "priest.com",
    "protestant.com", "qualityservice.com", "salesperson.net", "snakebite.com", "techie.com", "uymail.com",
    "writeme.com",
    "hush.ai", "hush.com", "tom.com",
}  # fmt: skip
SHARED = {  # parents whose subdomains belong to strangers
    "25u.com", "4pu.com", "chickenkiller.com", "co.cc", "cu.cc", "esy.es", "ezua.com", "ftp.sh",
    "moneyhome.com", "mooo.com", "now.im", "ns01.biz", "uk.to", "us.to", "ze.tc", "zyns.com",
}  # fmt: skip
NOT_DISPOSABLE = {  # universities, companies, public bodies
    "afternic.com", "capebretonpost.com", "lsmu.com", "nus.edu.sg", "test.de",
}  # fmt: skip
ALSO_FREE = {  # beside the lists: paid mailboxes for anybody, and the mail of access and telephone providers
    "9online.fr", "aliceadsl.fr", "atlas.cz", "atlas.sk", "au.com", "azet.sk", "bbox.fr", "biglobe.ne.jp",
    "bredband.net", "broadpark.no", "cegetel.net", "citromail.hu", "club-internet.fr", "cock.li", "comhem.se",
    "dir.bg", "disroot.org", "docomo.ne.jp", "dreamwiz.com", "eclipso.de", "elisanet.fi", "empal.com",
    "eunet.rs", "ewetel.net", "ezweb.ne.jp", "gbg.bg", "getmail.no", "goo.jp", "hey.com", "i.softbank.jp",
    "indamail.hu", "infoseek.jp", "jubii.dk", "kabelmail.de", "kakao.com", "keemail.me", "kolumbus.fi",
    "mail.de", "mail.dk", "mail2world.com", "mailbox.org", "mailfence.com", "meta.ua", "mnet-online.de",
    "nate.com", "net.hr", "netcologne.de", "nifty.com", "noos.fr", "numericable.fr", "o2mail.de",
    "o2online.de", "ocn.ne.jp", "ofir.dk", "online.no", "online.ua", "pm.me", "posteo.de", "posteo.net",
    "pp.inet.fi", "quick.cz", "riseup.net", "saunalahti.fi", "simnet.is", "siol.net", "softbank.ne.jp",
    "start.no", "startmail.com", "stofanet.dk", "suomi24.fi", "tele2.se", "telia.com", "tiscali.cz",
    "tuta.com", "tuta.io", "unity-mail.de", "vfemail.net", "vipmail.hu", "vodafone.ne.jp", "vodafonemail.de",
    "volny.cz", "welho.com", "ymobile.ne.jp", "zohomail.com", "zoznam.sk",
}  # fmt: skip
NOT_FREE = {  # companies, and disposable services missing from the lists
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


def domains(content: bytes) -> set[str]:
    """The domains in a text, without those in remarks."""
    return set(DOMAIN.findall(REMARK.sub("", content.decode("utf-8")).lower()))


def mailchecker(content: bytes) -> set[str]:
    """The domains in the JavaScript of the package `mailchecker`."""
    return set(json.loads(content.decode("utf-8").partition("new Set(")[2].partition(")")[0]))


def blocklist(content: bytes) -> set[str]:
    """The domains in the variable `blocklist` of a Python source."""
    return domains(content.partition(b"blocklist = ")[2].partition(b"}")[0])


@dataclass(frozen=True)
class DomainList:
    """The source of a list of domains: a file in a package of an index (`npm` or `pypi`), and its reader."""

    index: str
    package: str
    path: str
    read: Callable[[bytes], set[str]] = domains


# `disposable-email-domains` of npm and of PyPI are two projects. The wildcards of npm's are left out, as they
# also name relays.
DISPOSABLE = (
    DomainList("npm", "mailchecker", "platform/node/index.js", mailchecker),
    DomainList("pypi", "disposable-email-domains", "disposable_email_domains/__init__.py", blocklist),
    DomainList("npm", "disposable-email-domains-js", "dist/dict/disposable_email_blocklist.json"),
    DomainList("npm", "disposable-email-domains", "index.json"),
    DomainList("npm", "fakefilter", "txt/data.txt"),
)
FREE = (
    DomainList("npm", "freemail", "data/free.txt"),
    DomainList("npm", "company-email-validator", "free_email_provider_domains.js"),
)


def disposable(lists: Iterable[set[str]]) -> set[str]:
    """The disposable domains: those in any list of `DISPOSABLE`, without real ones and subdomains."""
    names = {name for name in set().union(*lists) if DOMAIN.fullmatch(name) and not is_suffix(name)}
    real = NOT_DISPOSABLE.union(SHARED, PERMANENT, ALSO_FREE, lines("relays.txt"), providers())
    names = {domain for domain in names if real.isdisjoint(ancestors(domain))}
    return {domain for domain in names if names.isdisjoint(ancestors(domain)[1:])}


def free(lists: Iterable[set[str]], disposable_domains: set[str]) -> set[str]:
    """The free-mail domains: those in all lists of `FREE`, and our own, without the disposable ones."""
    typos = Typos(providers(), frozenset(lines("lookalikes.txt")))
    both = {domain for domain in set.intersection(*lists) if not typos.suggest(domain)}
    names = both.union(providers(), ALSO_FREE, PERMANENT) - NOT_FREE
    others = disposable_domains | SHARED | NOT_DISPOSABLE
    return {
        domain for domain in names if others.isdisjoint(ancestors(domain)) and not INSTITUTION.search(domain)
    }


def providers() -> list[str]:
    """The domains of the big mail providers."""
    return lines("big_providers.txt")


def lines(path: str) -> list[str]:
    """The words of a file in `audience/data/validation`."""
    return (DATA / path).read_text("utf-8").split()
