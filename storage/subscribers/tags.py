"""Tags and their subscribers: in `subscriber_tags`, and cached as `tag_ids` in each subscriber's row.

A name key is a tag's name as it is compared. A twin is a tag whose name is compared as equal to that of
another tag, which has their common name key.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple

from peewee import CompositeKey, IntegerField

from storage.base_models import BaseModel, SiteOwnedModel
from storage.database import execute, execute_many, rows
from storage.engines.chosen import engine
from storage.records import Records
from storage.sql import PASSED_OVER, delete_from, insert_into, rows_of, slices, update_of

LINK = ("site_id", "tag_id", "subscriber_id")
TWIN = "name_key < '!'"  # a twin's name key is " ID KEY"; no other key begins with a blank
TWIN_KEY = "substr(name_key, instr(substr(name_key, 2), ' ') + 2)"


class Tag(NamedTuple):
    id: int
    name: str
    name_key: str
    created_at: int


class TagModel(SiteOwnedModel, table="tags", record=Tag):
    """`bearers` is the number of the tag's subscribers."""

    bearers = IntegerField(default=0)

    class Meta:
        indexes = ((("site", "name_key"), True), (("site", "id"), False))  # by name; the pages of a list


class SubscriberTagModel(BaseModel, table="subscriber_tags"):
    """A tag of a subscriber. No foreign keys: each would need its own index, or a scan at each delete."""

    site_id = IntegerField()
    tag_id = IntegerField()
    subscriber_id = IntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "tag_id", "subscriber_id")  # who has a tag; whether one has it
        without_rowid = True


class DiscardedTag(NamedTuple):
    """A deleted tag that subscribers may still have, and the source that deleted it."""

    site_id: int
    tag_id: int
    name: str
    source: str
    source_id: int


class DiscardedTagModel(SiteOwnedModel, table="discarded_tags", record=DiscardedTag):
    class Meta:
        indexes = ((("site", "tag_id"), True),)


DISCARDED = Records(DiscardedTagModel, DiscardedTag)
TAGS = Records(TagModel, Tag)
get = TAGS.get
list_all = TAGS.newest


def ids(site_id: int, name_keys: Collection[str]) -> dict[str, int]:
    """The ids of the tags with these name keys, by name key."""
    ids_by_key: dict[str, int] = {}
    for among in map(engine.among, slices(name_keys)):
        ids_by_key |= TAGS.select("name_key, id", site_id=site_id, name_key=among)
    return ids_by_key


def twins(site_id: int) -> list[tuple[str, int]]:
    """The (common name key, id) of the twins, oldest first."""
    return TAGS.select(f"{TWIN_KEY}, id", f"AND {TWIN} ORDER BY id", site_id=site_id)


def twin_keys(site_id: int, common_keys: Collection[str]) -> list[str]:
    """The stored name keys, " ID KEY", of twins: tags with the same name as an older one.

    `common_keys` has the name keys that they would have alone.
    """
    return [f" {tag_id} {key}" for key, tag_id in twins(site_id) if key in common_keys]


def settle(site_id: int) -> None:
    """Gives each name key that no tag has any longer, such as a deleted tag's, to its oldest twin."""
    pairs = twins(site_id)
    taken_keys = set(ids(site_id, [key for key, _ in pairs]))
    for key, tag_id in pairs:
        if key not in taken_keys:
            taken_keys.add(key)
            TAGS.change({"name_key": key}, site_id=site_id, id=tag_id)


def rename(site_id: int, tag_id: int, name: str, key: str) -> None:
    """Gives a tag another name and name key. Its oldest twin gets the former name key."""
    TAGS.change({"name": name, "name_key": key}, site_id=site_id, id=tag_id)
    settle(site_id)


def make_twin(site_id: int, tag_id: int, into: Tag, key: str) -> None:
    """Makes a tag a twin of `into`, which gets the name key `key` if no tag has it.

    Searches and removals by that name then apply to both tags.
    """
    TAGS.change({"name_key": f" {tag_id} {key}"}, site_id=site_id, id=tag_id)
    if not ids(site_id, [key]):
        TAGS.change({"name_key": key}, site_id=site_id, id=into.id)
    settle(site_id)


def names(site_id: int, tag_ids: Collection[int]) -> dict[int, str]:
    """The names of tags, by id."""
    names_by_id: dict[int, str] = {}
    for among in map(engine.among, slices(tag_ids)):
        names_by_id |= TAGS.select("id, name", site_id=site_id, id=among)
    return names_by_id


def ids_of_name(site_id: int, name: str, key: str) -> set[int]:
    """The id of the tag with exactly this name and the name key `key`; empty without one.

    A subscriber who has that tag keeps the name when another tag loses it.
    """
    by_id = names(site_id, ids(site_id, [key]).values())
    return {tag_id for tag_id, its_name in by_id.items() if its_name == name}


def add(site_id: int, names: Iterable[tuple[str, str]], at: int) -> None:
    """Creates tags, given as (name, name key), unless they exist."""
    execute_many(
        insert_into("tags", ("site_id", "name", "name_key", "created_at"), PASSED_OVER),
        ((site_id, name, name_key, at) for name, name_key in names),
    )


def link(links: Iterable[tuple[int, int, int]]) -> None:
    """Adds tags to subscribers, given as (site id, tag id, subscriber id)."""
    execute_many(insert_into("subscriber_tags", LINK, PASSED_OVER), links)


def add_to_counters(site_id: int, more: Mapping[int, int]) -> None:
    """Adds `more`, by tag id, to the tags' numbers of subscribers, in the transaction of the change that is
    counted.
    """
    execute_many(
        update_of("tags", ("bearers",), ("site_id", "id"), adds=True),
        ((bearers, site_id, tag_id) for tag_id, bearers in sorted(more.items()) if bearers),
    )


def bearers(site_id: int, tag_ids: Collection[int]) -> dict[int, int]:
    """The stored number of subscribers of each tag, by tag id, without tags that the site does not have."""
    return dict(TAGS.select("id, bearers", site_id=site_id, id=engine.among(tag_ids)))


def most_common(site_id: int, limit: int) -> list[tuple[str, int]]:
    """The (name, number of subscribers) of tags, the most common first, unused ones included."""
    return TAGS.select("name, bearers", "ORDER BY bearers DESC, id LIMIT ?", limit, site_id=site_id)


def wrong_counts(site_id: int) -> dict[int, int]:
    """The counted number of subscribers, by tag id, of the tags whose stored number differs."""
    return dict(
        rows(
            "SELECT id, counted FROM (SELECT id, bearers, (SELECT count(*) FROM subscriber_tags t "
            "WHERE t.site_id = ? AND t.tag_id = tags.id) AS counted FROM tags WHERE site_id = ?) "
            "AS each WHERE counted <> bearers",
            (site_id, site_id),
        )
    )


def put_bearers(site_id: int, counted: Mapping[int, int]) -> None:
    """Stores the tags' numbers of subscribers, by tag id."""
    execute_many(
        update_of("tags", ("bearers",), ("site_id", "id")),
        ((bearers, site_id, tag_id) for tag_id, bearers in counted.items()),
    )


def unlink(links: Iterable[tuple[int, int, int]]) -> None:
    """Removes tags from subscribers, given as (site id, tag id, subscriber id)."""
    execute_many(delete_from("subscriber_tags", LINK), links)


def subscribers_with_tag(site_id: int, tag_id: int, limit: int, after: int = 0) -> list[tuple[int, str]]:
    """The (subscriber id, cached tag ids as JSON) of at most `limit` subscribers with a tag, with ids
    above `after`.
    """
    return rows(
        "SELECT s.id, s.tag_ids FROM subscriber_tags t "
        "JOIN subscribers s ON s.id = t.subscriber_id AND s.site_id = t.site_id "
        "WHERE t.site_id = ? AND t.tag_id = ? AND t.subscriber_id > ? ORDER BY t.subscriber_id LIMIT ?",
        (site_id, tag_id, after, limit),
    )


def recache(site_id: int, cached: Iterable[tuple[int, str]], at: int) -> None:
    """Writes the cached tag ids of subscribers, given as (subscriber id, JSON). They are updated at `at`."""
    execute_many(
        update_of("subscribers", ("tag_ids", "updated_at"), ("site_id", "id")),
        ((tag_ids, at, site_id, subscriber_id) for subscriber_id, tag_ids in cached),
    )


def discard(site_id: int, tag_id: int, name: str, source: tuple[str, int]) -> None:
    """Deletes a tag, and notes it as discarded. The caller removes it from its subscribers, then calls
    `forget`.
    """
    TAGS.delete(site_id=site_id, id=tag_id)
    settle(site_id)
    DISCARDED.add(site=site_id, tag_id=tag_id, name=name, source=source[0], source_id=source[1])


def discarded(site_id: int | None) -> list[DiscardedTag]:
    """The deleted tags of a site, or of all, that subscribers may still have, oldest first."""
    of = rows_of(site_id)
    return DISCARDED.find(f"WHERE {of.text} ORDER BY id", *of.parameters)


def forget(site_id: int, tag_id: int) -> None:
    """Deletes what remains of a discarded or merged tag that no subscriber has any longer."""
    execute("DELETE FROM subscriber_tags WHERE site_id = ? AND tag_id = ?", (site_id, tag_id))
    DISCARDED.delete(site_id=site_id, tag_id=tag_id)
    TAGS.delete(site_id=site_id, id=tag_id)
