"""Custom values, and domains, as sets of subscribers: what segments and reports compare and count.

`distinct_values` has each value once, and `value_holders` has the set of subscribers with a value. A write
only adds a row to `value_changes`, so it costs the same on a large site. `merge` brings the sets up to date
later. Readers apply the waiting changes to the sets that they read. A change that is applied twice does no
harm, so a merge may end anywhere.

Functions that read more than once must run in a snapshot or transaction of the caller.
"""

import json
from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

import peewee
from peewee import BigIntegerField, BlobField, CompositeKey, IntegerField, TextField
from pyroaring import BitMap

from storage.base_models import BaseModel, SiteOwnedModel
from storage.database import column, database, each_row, execute_many, rows
from storage.engines.chosen import engine
from storage.sql import AND, Sql, delete_from, insert_into, join, replacing
from storage.subscribers import value_changes
from storage.subscribers.value_changes import BLOCK_BITS
from storage.subscribers.value_changes import Changes as Changes

MAX_LENGTH = 200  # characters: a longer text is cut
TEXT, NUMBER, BOOLEAN, OTHER = range(4)  # kinds; OTHER is an array or object without a scalar
FEW = 16  # up to so many ids are smaller as a list than as a set
JOB = "values"  # the kind of the job that merges a site's changes
TABLES = ("distinct_values", "value_holders", "value_changes")
DOMAIN_ID = 0  # the field of the domains, of no custom field
DOMAIN = None  # in place of the key of a custom field
changed_bytes, forget = value_changes.size, value_changes.forget

OF_FIELD = "v.field_id = (SELECT id FROM custom_fields WHERE site_id = ? AND key = ?)"
OF_DOMAIN = Sql(f"v.field_id = {DOMAIN_ID}")
OF_SITE, ANY = "v.site_id = ?", Sql("TRUE")
VALUES = (
    "FROM distinct_values v LEFT JOIN value_holders h ON h.site_id = v.site_id AND h.value_id = v.id "
    "WHERE {} AND ({})"
)
KNOWN = (
    "SELECT v.id, v.field_id, v.folded, v.label, v.kind FROM {} {} distinct_values v "
    "ON v.site_id = ? AND v.field_id = k.field_id AND v.folded = k.folded"
)
SHOWN = "CASE v.label WHEN '' THEN v.folded ELSE v.label END"

NOBODY = BitMap()


class Value(NamedTuple):
    """A custom value as it is compared: `folded` is its text, casefolded and cut. `label` is the text as
    sent, also cut, or "" if it equals `folded`.

    `kind` is `TEXT`, `NUMBER`, `BOOLEAN` or `OTHER`. `instant` is in milliseconds.
    """

    folded: str
    label: str
    kind: int
    number: int | float | None
    instant: int | None


class NumericField(peewee.Field):
    """An integer or a real number."""

    field_type = "NUMERIC"


class DistinctValueModel(SiteOwnedModel, table="distinct_values"):
    """A custom value of a field, or a scalar in an array or object, stored once for all who have it.

    The domain of an address is a value of the field 0.
    """

    field_id = IntegerField()
    folded = TextField()
    label = TextField()
    kind = IntegerField()
    number = NumericField(null=True)
    instant = BigIntegerField(null=True)

    class Meta:
        # A value; the values of a field in order
        indexes = ((("site", "field_id", "folded", "label", "kind"), True),)


class ValueHolderModel(BaseModel, table="value_holders"):
    """The subscribers with a value whose ids are in one block of 65,536: their number and ids."""

    site_id = IntegerField()
    value_id = IntegerField()
    block = IntegerField()
    people = IntegerField()
    members = BlobField()

    class Meta:
        primary_key = CompositeKey("site_id", "value_id", "block")
        without_rowid = True


class ValueChangeModel(SiteOwnedModel, table="value_changes"):
    """The subscribers that one transaction added to values and removed from values, packed."""

    added = BlobField()
    removed = BlobField()

    class Meta:
        indexes = ((("site", "id"), False),)


FieldValue = tuple[int, str, str, int, int | float | None, int | None]  # the field's id, and a `Value`
Holding = Mapping[FieldValue, list[int]]  # the ids of subscribers, by value
KEY = slice(0, 4)  # the part of a `FieldValue` that identifies it
HELD = ("site_id", "value_id", "block", "people", "members")
IN_PLACE = replacing(HELD[:3], HELD[3:])


def save(site_id: int, added: Holding, removed: Holding) -> None:
    """Stores in the caller's transaction that subscribers got the `added` values and lost the `removed` ones.

    Values that are new to the site are created. A value that a subscriber both gets and loses stays.
    """
    ids_by_key = value_ids(site_id, [*added, *removed])
    if missing := [row for row in added if row[KEY] not in ids_by_key]:
        ids = engine.new_ids(database, "distinct_values", len(missing))
        insert = insert_into("distinct_values", ("id", "site_id", "field_id", *Value._fields))
        execute_many(insert, [(id_, site_id, *row) for id_, row in zip(ids, missing, strict=True)])
        ids_by_key.update((row[KEY], id_) for id_, row in zip(ids, missing, strict=True))
    more = {ids_by_key[row[KEY]]: ids for row, ids in added.items()}
    fewer = {ids_by_key[row[KEY]]: ids for row, ids in removed.items() if row[KEY] in ids_by_key}
    for value_id in more.keys() & fewer.keys():
        fewer[value_id] = sorted({*fewer[value_id]} - {*more[value_id]})
    value_changes.add(site_id, more, fewer)


def value_ids(site_id: int, sought: Collection[FieldValue]) -> dict[Any, int]:
    """The ids of those `sought` values that the site has, by their part `KEY`."""
    texts: dict[int, list[str]] = {}
    for field_id, folded, *_ in sought:
        texts.setdefault(field_id, []).append(folded)
    keys = engine.value_keys(texts)
    records = rows(KNOWN.format(keys.text, engine.IN_ORDER), (*keys.parameters, site_id))
    return {tuple(key): value_id for value_id, *key in records}


def domain(email_key: str) -> FieldValue:
    """The domain of an address, as a value."""
    return (DOMAIN_ID, email_key.partition("@")[2], "", TEXT, None, None)


def holders(site_id: int, key: str | None, condition: Sql = ANY) -> BitMap:
    """The ids of the subscribers with a value of the field `key`, or `DOMAIN`, that meets a condition on `v`.

    `v` is a row of `distinct_values`.
    """
    changes, lists, sets, changed = Changes(site_id), bytearray(), [], dict[int, BitMap]()
    for value_id, count, members in _select(site_id, _of_field(site_id, key, condition)):
        if value_id in changes.values:
            changed.setdefault(value_id, BitMap()).update(_unpack(count, members))
        elif count and count <= FEW:
            lists += members
        elif count:
            sets.append(BitMap.deserialize(members))
    changes.apply(changed)
    return BitMap(array("I", bytes(lists))).union(*sets, *changed.values())


def counts(site_id: int, key: str | None, condition: Sql = ANY, among: BitMap | None = None) -> Counter[str]:
    """The number of subscribers by value of the field `key`, or `DOMAIN`, for values that meet a condition on
    `v`.

    Texts, numbers and booleans are counted, and returned as texts. With `among`, only those subscribers
    count.
    """
    totals = Counter[str]()
    for (text, kind), members in _read(site_id, _of_field(site_id, key, condition), f"{SHOWN}, v.kind"):
        if kind != OTHER:
            totals[text] += len(members) if among is None else members.intersection_cardinality(among)
    return +totals


def most_common(
    site_id: int, key: str | None, limit: int, among: BitMap | None = None
) -> list[tuple[str, int]]:
    """The `limit` most common (value, number of subscribers) of `counts`, the most common first."""
    totals = counts(site_id, key, among=among).items()
    return sorted(totals, key=lambda total: (-total[1], total[0]))[:limit]


def _of_field(site_id: int, key: str | None, condition: Sql) -> Sql:
    field = OF_DOMAIN if key is DOMAIN else Sql(OF_FIELD, (site_id, key))
    return join(AND, [field, Sql(f"({condition.text})", condition.parameters)])


def all_sets(site_id: int) -> Iterator[tuple[FieldValue, BitMap]]:
    """Yields each value of a site with its subscribers' ids. A value may come again with other ids."""
    return _read(site_id, ANY, f"v.field_id, {', '.join(f'v.{name}' for name in Value._fields)}")


def differing(site_id: int, expected: Mapping[int, set[FieldValue]]) -> set[int]:
    """The ids of subscribers whose stored values are not those of `expected`, which is by subscriber id.

    Includes stored ids of subscribers who no longer exist.
    """
    sample, found = BitMap(expected), {subscriber_id: set[FieldValue]() for subscriber_id in expected}
    everybody = BitMap()
    for row, members in all_sets(site_id):
        everybody |= members
        for subscriber_id in members & sample:
            found[subscriber_id].add(row)
    existing = BitMap(column("SELECT id FROM subscribers WHERE site_id = ?", (site_id,)))
    return {id_ for id_ in sample if found[id_] != expected[id_]} | {*(everybody - existing)}


def _select(site_id: int, condition: Sql, columns: str = "", of_site: str = OF_SITE) -> Iterator[Any]:
    query = f"SELECT v.id, h.people, h.members{columns} {VALUES.format(of_site, condition.text)}"
    return each_row(query, (site_id, *condition.parameters))


def _read(site_id: int, condition: Sql, columns: str) -> Iterator[tuple[Any, BitMap]]:
    """Yields the (columns, subscriber ids) of each value that meets a condition.

    A value without waiting changes comes once for each of its sets.
    """
    changes, sets, rows_by_id = Changes(site_id), dict[int, BitMap](), dict[int, Any]()
    for value_id, count, members, *row in _select(site_id, condition, f", {columns}"):
        if value_id in changes.values:
            rows_by_id[value_id] = tuple(row)
            sets.setdefault(value_id, BitMap()).update(_unpack(count, members))
        else:
            yield tuple(row), _unpack(count, members)
    changes.apply(sets)
    for value_id, holding in sets.items():
        yield rows_by_id[value_id], holding


def merge(
    site_id: int, changes: Changes, blocks: Mapping[int, Collection[int]], erased: BitMap = NOBODY
) -> None:
    """Applies `changes` to the stored sets, in the caller's transaction. `erased` ids are left out.

    `blocks` has the blocks of ids to write, by value id. A value without a subscriber is deleted. The changes
    stay stored until `forget`.
    """
    chosen = Sql(f"v.id IN ({engine.IDS})", (json.dumps(list(blocks)),))
    sets: dict[int, BitMap] = {}
    for value_id, count, members in _select(
        site_id, chosen, of_site=engine.OF_SITE.replace("site", "v.site")
    ):
        sets.setdefault(value_id, BitMap()).update(_unpack(count, members))
    changes.apply(sets)
    full, empty = [], []
    for value_id, holding in sets.items():
        holding -= erased
        for block in blocks[value_id]:
            part = holding & BitMap(range(block << BLOCK_BITS, (block + 1) << BLOCK_BITS))
            row = (site_id, value_id, block, len(part), _pack(part))
            full.append(row) if part else empty.append(row[:3])
    execute_many(insert_into("value_holders", HELD, IN_PLACE), full)
    execute_many(delete_from("value_holders", HELD[:3]), empty)
    unused = [(site_id, value_id) for value_id, holding in sets.items() if not holding]
    execute_many(delete_from("value_holders", ("site_id", "value_id")), unused)  # of other blocks, too
    execute_many(delete_from("distinct_values", ("site_id", "id")), unused)


def erase(site_id: int, subscriber_ids: Collection[int]) -> None:
    """Removes subscriber ids from all sets and waiting changes. The caller first removes their values."""
    erased = BitMap(subscriber_ids)
    values = value_changes.erase(site_id, erased)
    blocks = {id_ >> BLOCK_BITS for id_ in erased}
    merge(site_id, Changes(site_id), dict.fromkeys(values, blocks), erased)


def _pack(members: BitMap) -> bytes:
    """Ids as they are stored: a few as a list of 32-bit numbers, more as a serialized set."""
    return array("I", members).tobytes() if len(members) <= FEW else members.serialize()


def _unpack(count: int | None, members: bytes | None) -> BitMap:
    """The ids that `_pack` has stored; empty without a row."""
    if not count or members is None:
        return BitMap()
    return BitMap(array("I", members)) if count <= FEW else BitMap.deserialize(members)


def values_after(site_id: int, after: str, limit: int) -> list[tuple[int, str, str, dict[str, Any]]]:
    """The (id, uuid, email key, custom values) of the next subscribers after a uuid, by uuid."""
    records = rows(
        "SELECT id, uuid, email_key, fields FROM subscribers WHERE site_id = ? AND uuid > ? "
        "ORDER BY uuid LIMIT ?",
        (site_id, after, limit),
    )
    return [(*identity, json.loads(fields)) for *identity, fields in records]


def newest_subscribers(site_id: int, limit: int) -> list[tuple[int, str, dict[str, Any]]]:
    """The (id, email key, custom values) of the newest subscribers."""
    records = rows(
        "SELECT id, email_key, fields FROM subscribers WHERE site_id = ? "
        "ORDER BY created_at DESC, id DESC LIMIT ?",
        (site_id, limit),
    )
    return [(subscriber_id, key, json.loads(fields)) for subscriber_id, key, fields in records]
