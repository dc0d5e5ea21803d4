"""Saved segments, and how many people a rule matches."""

from typing import NamedTuple

from storage.database import execute, row, rows
from storage.models import Segment
from storage.sql import Sql

COLUMNS = "id, name, description, rules, created_at, updated_at"

# People of a site in the order of `created_at`, which is nearly that of the disk. With the site alone, SQLite
# takes the index of `updated_at` and jumps about: ten times as slow.
OF_SITE = "subscribers.site_id = ? AND subscribers.created_at > -9223372036854775808"


class SegmentRow(NamedTuple):
    """`rules` is JSON."""

    id: int
    name: str
    description: str
    rules: str
    created_at: int
    updated_at: int


def all_segments(site_id: int) -> list[SegmentRow]:
    """Newest first."""
    return [
        SegmentRow(*found)
        for found in rows(f"SELECT {COLUMNS} FROM segments WHERE site_id = ? ORDER BY id DESC", (site_id,))
    ]


def by_id(site_id: int, segment_id: int) -> SegmentRow | None:
    found = row(f"SELECT {COLUMNS} FROM segments WHERE site_id = ? AND id = ?", (site_id, segment_id))
    return found and SegmentRow(*found)


def add(site_id: int, name: str, description: str, rules: str, at: int) -> int:
    segment_id: int = Segment.insert(
        site=site_id, name=name, description=description, rules=rules, created_at=at, updated_at=at
    ).execute()
    return segment_id


def change(site_id: int, segment_id: int, name: str, description: str, rules: str, at: int) -> None:
    execute(
        "UPDATE segments SET name = ?, description = ?, rules = ?, updated_at = ? "
        "WHERE site_id = ? AND id = ?",
        (name, description, rules, at, site_id, segment_id),
    )


def delete(site_id: int, segment_id: int) -> None:
    """Raises `Conflict` when a report uses it."""
    execute("DELETE FROM segments WHERE site_id = ? AND id = ?", (site_id, segment_id))


def count(site_id: int, rule: Sql) -> tuple[int, int]:
    """(people, unsubscribed ones) whom a rule matches, at one instant."""
    found = row(
        f"SELECT count(*), count(unsubscribed_at) FROM subscribers WHERE {OF_SITE} AND ({rule.text})",
        (site_id, *rule.parameters),
    )
    return found[0], found[1]
