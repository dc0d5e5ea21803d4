"""Writes `disposable_domains.txt` and `free_providers.txt` of `audience/data/validation`.

Disposable: every domain on one of five lists, except subdomains of another one, public suffixes (their
subdomains are unrelated), and real domains: the big providers, `PERMANENT`, `ALSO_FREE`, `SHARED`,
`NOT_DISPOSABLE` and the relays (`relays.txt`).
Free: the domains on both free-mail lists, the big providers, `PERMANENT` and `ALSO_FREE`, except disposable
domains, typos of the big providers, institutions and `NOT_FREE`.
"""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path

from publicsuffixlist import PublicSuffixList

from audience.answers.validation.typos import Typos
from tables.registry import npm, pypi

DATA = Path(__file__).parent.parent / "audience" / "data" / "validation"
DOMAIN = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+")
SUFFIXES = PublicSuffixList(accept_unknown=False)
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


def disposable_email_domains_npm() -> set[str]:
    """Another project than PyPI's of the same name. Its wildcards are left out: they name relays, too."""
    return domains(npm("disposable-email-domains")["index.json"])


DISPOSABLE_LISTS = (
    mailchecker,
    disposable_email_domains,
    disposable_email_domains_js,
    disposable_email_domains_npm,
    fakefilter,
)


def disposable(lists: Iterable[Callable[[], set[str]]] = DISPOSABLE_LISTS) -> set[str]:
    names = set().union(*(read() for read in lists))
    names = {domain for domain in names if DOMAIN.fullmatch(domain) and not SUFFIXES.is_public(domain)}
    real = NOT_DISPOSABLE.union(SHARED, PERMANENT, ALSO_FREE, lines("relays.txt"), providers())
    names = {domain for domain in names if real.isdisjoint([domain, *parents(domain)])}
    return {domain for domain in names if not names.intersection(parents(domain))}


def providers() -> list[str]:
    return lines("big_providers.txt")


def free(disposable_domains: set[str]) -> set[str]:
    mail = domains(npm("freemail")["data/free.txt"])
    company = domains(npm("company-email-validator")["free_email_provider_domains.js"])
    typos = Typos(providers(), frozenset(lines("lookalikes.txt")), SUFFIXES.is_public)
    both = {domain for domain in mail & company if not typos.suggest(domain)}
    names = both.union(providers(), ALSO_FREE, PERMANENT) - NOT_FREE
    shared = disposable_domains | SHARED | NOT_DISPOSABLE
    return {
        domain
        for domain in names
        if shared.isdisjoint([domain, *parents(domain)]) and not INSTITUTION.search(domain)
    }


def write(path: str, names: Iterable[str]) -> None:
    (DATA / path).write_text("".join(f"{domain}\n" for domain in sorted(names)), "utf-8")


def main() -> None:
    disposable_domains = disposable()
    write("disposable_domains.txt", disposable_domains)
    write("free_providers.txt", free(disposable_domains))


if __name__ == "__main__":
    main()
