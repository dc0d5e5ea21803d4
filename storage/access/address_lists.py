"""Allow and deny lists of sites."""

from collections.abc import Sequence
from typing import NamedTuple

from peewee import BigIntegerField

from storage.base_models import SiteOwnedModel
from storage.database import execute
from storage.engines.chosen import engine
from storage.records import Records


class ListEntry(NamedTuple):
    """An address or a domain that the operator allows or denies."""

    kind: str
    entry: str


class AddressListModel(SiteOwnedModel, table="address_lists", record=ListEntry):
    created_at = BigIntegerField()

    class Meta:
        indexes = ((("site", "entry"), True),)


LISTS = Records(AddressListModel, ListEntry)


def entries(site_id: int) -> list[ListEntry]:
    """The entries of a site's lists, oldest first."""
    return LISTS.find("ORDER BY id", site_id=site_id)


def matching(site_id: int, names: Sequence[str]) -> list[ListEntry]:
    """The entries of a site's lists that are in `names`. Ignores names that the database cannot store."""
    return LISTS.find(site_id=site_id, entry=engine.among(list(filter(is_text, names))))


def put(site_id: int, kind: str, entry: str, at: int) -> bool:
    """Puts an entry on a list, or moves it there from the other one.

    Returns False if the list had the entry already. `at`, in milliseconds, is stored only for a new entry.
    """
    changed = execute(  # as text: the builder does not tell whether a row changed
        "INSERT INTO address_lists (site_id, kind, entry, created_at) VALUES (?, ?, ?, ?) "
        "ON CONFLICT (site_id, entry) DO UPDATE SET kind = excluded.kind "
        "WHERE address_lists.kind <> excluded.kind",
        (site_id, kind, entry, at),
    )
    return bool(changed)


def remove(site_id: int, entry: str) -> bool:
    """Removes an entry from its list. Returns False if no list of the site had it."""
    return LISTS.delete(site_id=site_id, entry=entry) > 0


def is_text(name: str) -> bool:
    """Whether the database can store a text: it has no NUL and no half of a surrogate pair."""
    return "\0" not in name and name == name.encode(errors="ignore").decode()
