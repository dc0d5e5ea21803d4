"""Waiting changes: which subscribers got or lost which custom values, not merged into the sets yet. Each
transaction adds one packed row.
"""

from array import array
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from pyroaring import BitMap

from storage.database import execute, execute_many, rows, value

BLOCK_BITS = 16  # a set in `value_holders` has the subscribers of a block of ids
Ids = Mapping[int, Collection[int]]  # of subscribers, by the id of a value


class PackedLists:
    """Lists of subscriber ids by value id, packed as 32-bit numbers.

    The numbers are: how many values, their ids in order, the end of each list, the subscriber ids.
    """

    def __init__(self, packed: bytes) -> None:
        numbers = array("I", packed)
        count = numbers[0]
        self.values = BitMap(numbers[1 : count + 1])
        self._ends, self.ids = numbers[count + 1 : 2 * count + 1], numbers[2 * count + 1 :]

    def select(self, values: BitMap) -> Iterator[tuple[int, Sequence[int]]]:
        """Yields the (value id, subscriber ids) of those `values` that have a list here."""
        for value_id in self.values & values:
            index = self.values.rank(value_id) - 1
            yield value_id, self.ids[self._ends[index - 1] if index else 0 : self._ends[index]]


class ValueChange(NamedTuple):
    """The changes of one transaction. No subscriber is both added to a value and removed from it."""

    id: int
    added: PackedLists
    removed: PackedLists


def add(site_id: int, added: Ids, removed: Ids) -> None:
    """Stores the changes of the caller's transaction."""
    query = "INSERT INTO value_changes (site_id, added, removed) VALUES (?, ?, ?)"
    execute(query, (site_id, _pack(added), _pack(removed)))


def _pack(ids: Ids) -> bytes:
    values = sorted(ids)
    ends = accumulate(len(ids[value_id]) for value_id in values)
    members = chain.from_iterable(ids[value_id] for value_id in values)
    return array("I", chain((len(values),), values, ends, members)).tobytes()


class Changes:
    """All waiting changes of a site, oldest first. `values` are the ids of the changed values.

    `last` is the id of the newest change, 0 without one.
    """

    def __init__(self, site_id: int) -> None:
        self._changes = of_site(site_id)
        self.last = self._changes[-1].id if self._changes else 0
        sets = [lists.values for change in self._changes for lists in change[1:]]
        self.values = BitMap.union(*sets) if sets else BitMap()

    def apply(self, sets: Mapping[int, BitMap]) -> None:
        """Brings sets of subscriber ids, by value id, up to date in place.

        A change that a set has already does no harm, since all later ones are applied, too.
        """
        values = BitMap(sets) & self.values
        for change in self._changes:
            for value_id, ids in change.added.select(values):
                sets[value_id].update(ids)
            for value_id, ids in change.removed.select(values):
                sets[value_id].difference_update(BitMap(ids))

    def blocks(self) -> dict[int, set[int]]:
        """The changed blocks of subscriber ids, by value id, in the order of value ids."""
        blocks: dict[int, set[int]] = {value_id: set() for value_id in self.values}
        for change in self._changes:
            for lists in change[1:]:
                for value_id, ids in lists.select(self.values):
                    blocks[value_id].update([id_ >> BLOCK_BITS for id_ in ids])
        return blocks


def of_site(site_id: int) -> list[ValueChange]:
    """The waiting changes of a site, oldest first."""
    query = "SELECT id, added, removed FROM value_changes WHERE site_id = ? ORDER BY id"
    records = rows(query, (site_id,), keeps_plan=True)
    return [
        ValueChange(row_id, PackedLists(added), PackedLists(removed)) for row_id, added, removed in records
    ]


def size(site_id: int) -> int:
    """The size of a site's waiting changes, in bytes."""
    query = "SELECT coalesce(sum(length(added) + length(removed)), 0) FROM value_changes WHERE site_id = ?"
    return value(query, (site_id,), 0)


def forget(site_id: int, last: int) -> None:
    """Deletes the changes of a site up to the one with the id `last`."""
    execute("DELETE FROM value_changes WHERE site_id = ? AND id <= ?", (site_id, last))


def erase(site_id: int, erased: BitMap) -> BitMap:
    """Removes subscriber ids from all waiting changes. Returns the ids of the values whose lists had them."""
    values, rewritten = BitMap(), []
    for change in of_site(site_id):
        if any(erased.intersect(BitMap(lists.ids)) for lists in change[1:]):
            for lists in change[1:]:
                values.update(
                    [id_ for id_, ids in lists.select(lists.values) if erased.intersect(BitMap(ids))]
                )
            rewritten.append((*(_without(lists, erased) for lists in change[1:]), site_id, change.id))
    execute_many("UPDATE value_changes SET added = ?, removed = ? WHERE site_id = ? AND id = ?", rewritten)
    return values


def _without(lists: PackedLists, erased: BitMap) -> bytes:
    return _pack({value_id: list(BitMap(ids) - erased) for value_id, ids in lists.select(lists.values)})
