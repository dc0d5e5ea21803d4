"""The domains of a site's subscribers, which `storage.subscribers.field_values` stores like custom values."""

import orjson
from pyroaring import BitMap

from storage.database import rows
from storage.engines.chosen import engine
from storage.sql import Sql
from storage.subscribers import field_values
from storage.subscribers.field_values import DOMAIN, DOMAIN_ID

INTERNATIONAL = "xn--"  # how a label in A-label form begins
LAST_CHARACTER = "\U0010ffff"


def list_all(site_id: int, start: str = "") -> list[tuple[int, str]]:
    """The (id, domain) of the domains that begin with `start`, including some that no subscriber has."""
    return rows(
        "SELECT id, folded FROM distinct_values WHERE site_id = ? AND field_id = ? "
        "AND folded >= ? AND folded < ?",
        (site_id, DOMAIN_ID, start, start + LAST_CHARACTER),
    )


def holders(site_id: int, ids: list[int]) -> BitMap:
    """The ids of the subscribers with an address at one of the domains with these ids."""
    chosen = Sql(f"v.id IN ({engine.IDS})", (orjson.dumps(ids).decode(),))
    return field_values.holders(site_id, DOMAIN, chosen) if ids else BitMap()


def recount(site_id: int) -> dict[str, int]:
    """The number of subscribers by domain, counted from their addresses."""
    return dict(
        rows(
            "SELECT substr(email_key, instr(email_key, '@') + 1), count(*) FROM subscribers "
            "WHERE site_id = ? GROUP BY 1",
            (site_id,),
        )
    )


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


def holders_from(site_id: int, start: str, shown: str = "") -> BitMap:
    """The ids of the subscribers whose domain begins with `start` and, as people read it, with `shown`."""
    if not shown:
        begins = Sql("v.folded >= ? AND v.folded < ?", (start, start + LAST_CHARACTER))
        return field_values.holders(site_id, DOMAIN, begins)
    domains = list_all(site_id, start)
    return holders(site_id, [id_ for id_, domain in domains if shown_domain(domain).startswith(shown)])
