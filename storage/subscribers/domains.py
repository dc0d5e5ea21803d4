"""How many subscribers of a site have an address at each domain."""

from collections.abc import Iterable, Mapping

from storage.database import column, execute, execute_many, rows
from storage.sql import insert_into

INTERNATIONAL = "xn--"  # how a label in A-label form begins
LAST_CHARACTER = "\U0010ffff"


def count(site_id: int, more: Mapping[str, int]) -> None:
    """Adds to the counters of domains, in the transaction of the change. Negative numbers subtract.

    A domain without subscribers is deleted, because it may identify an erased one.
    """
    added = "ON CONFLICT (site_id, domain) DO UPDATE SET people = domains.people + excluded.people"
    execute_many(
        insert_into("domains", ("site_id", "domain", "people"), added),
        ((site_id, domain, size) for domain, size in sorted(more.items()) if size),
    )
    execute_many(
        "DELETE FROM domains WHERE site_id = ? AND domain = ? AND people = 0",
        ((site_id, domain) for domain, size in sorted(more.items()) if size < 0),
    )


def most_common(site_id: int, limit: int) -> list[tuple[str, int]]:
    """The (domain, number of subscribers) of domains, the most common first."""
    return rows(
        "SELECT domain, people FROM domains WHERE site_id = ? AND people > 0 "
        "ORDER BY people DESC, domain LIMIT ?",
        (site_id, limit),
    )


def stored_counts(site_id: int) -> list[tuple[str, int]]:
    """The (domain, number of subscribers) of domains, from the counters."""
    return rows("SELECT domain, people FROM domains WHERE site_id = ? AND people <> 0", (site_id,))


def put(site_id: int, sizes: Iterable[tuple[str, int]]) -> None:
    """Replaces all counters of a site."""
    execute("DELETE FROM domains WHERE site_id = ?", (site_id,))
    count(site_id, dict(sizes))


def recount(site_id: int) -> list[tuple[str, int]]:
    """The (domain, number of subscribers) of domains, counted from the subscribers."""
    return rows(
        "SELECT substr(email_key, instr(email_key, '@') + 1), count(*) FROM subscribers "
        "WHERE site_id = ? GROUP BY 1",
        (site_id,),
    )


def domains_of(keys: Iterable[str]) -> list[str]:
    """The domains of these email keys, in order."""
    return [key.partition("@")[2] for key in keys]


def shown_domain(domain: str) -> str:
    """A domain as people read it: A-labels that can be decoded are in Unicode letters."""
    return ".".join(map(_shown_label, domain.split(".")))


def _shown_label(label: str) -> str:
    """A label in Unicode letters if it is a valid A-label; else unchanged."""
    if not label.startswith(INTERNATIONAL):
        return label
    try:
        return label.removeprefix(INTERNATIONAL).encode("ascii").decode("punycode")
    except UnicodeError:
        return label


def shown_from(site_id: int, start: str, text: str) -> list[str]:
    """The domains that begin with `start` and whose shown form begins with `text`."""
    domains = column(
        "SELECT domain FROM domains WHERE site_id = ? AND people > 0 AND domain >= ? AND domain < ?",
        (site_id, start, start + LAST_CHARACTER),
    )
    return [domain for domain in domains if shown_domain(domain).startswith(text)]


def as_text(several: Iterable[str]) -> str:
    """The domains as one text, the parameter of `ONE_OF_DOMAINS`."""
    return " ".join(several)
