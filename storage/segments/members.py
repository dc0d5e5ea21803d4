"""Sets of subscribers: combined in memory, counted, and as a condition of a statement."""

from dataclasses import dataclass

import orjson
from pyroaring import BitMap

from storage.access.sites import counters
from storage.database import row
from storage.engines.chosen import engine
from storage.sql import Sql

FEW = 5_000  # members that a statement finds by their ids first
UNSUBSCRIBED = "SELECT id FROM subscribers WHERE site_id = ? AND unsubscribed_at IS NOT NULL"


@dataclass(frozen=True, slots=True)
class Members:
    """A set of subscribers of a site: those with `ids` or, with `excludes`, all others."""

    ids: BitMap
    excludes: bool = False

    def __invert__(self) -> "Members":
        return Members(self.ids, not self.excludes)

    def __and__(self, other: "Members") -> "Members":
        if self.excludes and other.excludes:
            return Members(self.ids | other.ids, excludes=True)
        if self.excludes:
            return Members(other.ids - self.ids)
        return Members(self.ids - other.ids if other.excludes else self.ids & other.ids)

    def __or__(self, other: "Members") -> "Members":
        return ~(~self & ~other)

    def __contains__(self, subscriber_id: int) -> bool:
        return (subscriber_id in self.ids) is not self.excludes

    @property
    def condition(self) -> Sql:
        """The condition that a row of `subscribers` is a member."""
        is_in = engine.in_set("subscribers.id", self.ids)
        if self.excludes:
            return Sql(f"({is_in.text}) IS NOT TRUE", is_in.parameters) if self.ids else Sql("TRUE")
        if len(self.ids) > FEW:
            return is_in
        listed = orjson.dumps(list(self.ids)).decode()
        return Sql(f"subscribers.id IN ({engine.IDS})", (listed,), rare=True)


EVERYBODY, NOBODY = Members(BitMap(), excludes=True), Members(BitMap())


def ids_of(select: Sql) -> BitMap:
    """The ids in the column `id` of a select. The database joins them to one text, which is faster."""
    text = f"SELECT string_agg(CAST(id AS text), ',') FROM ({select.text}) AS found"
    [listed] = row(text, select.parameters)
    return BitMap(orjson.loads(f"[{listed or ''}]"))


def all_ids(site_id: int, members: Members) -> BitMap:
    """The ids of the members. If `members` excludes ids, the site's ids are read."""
    everybody = Sql("SELECT id FROM subscribers WHERE site_id = ?", (site_id,))
    return ids_of(everybody) - members.ids if members.excludes else members.ids


def count(site_id: int, members: Members) -> tuple[int, int]:
    """The (number of members, number of unsubscribed ones)."""
    if members == EVERYBODY:
        return counters(site_id)
    all_unsubscribed = ids_of(Sql(UNSUBSCRIBED, (site_id,)))
    size, unsubscribed = len(members.ids), members.ids.intersection_cardinality(all_unsubscribed)
    if members.excludes:
        return counters(site_id)[0] - size, len(all_unsubscribed) - unsubscribed
    return size, unsubscribed
