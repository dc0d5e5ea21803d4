"""How many subscribers a saved segment had on each day. Days are ISO 8601 dates."""

from peewee import CompositeKey, IntegerField, TextField

from storage.base_models import BaseModel
from storage.database import execute, rows
from storage.sql import replacing


class SegmentCountModel(BaseModel, table="segment_counts"):
    site_id = IntegerField()
    segment_id = IntegerField()
    day = TextField()
    people = IntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "segment_id", "day")
        without_rowid = True


def put(site_id: int, segment_id: int, day: str, size: int) -> None:
    """Stores how many subscribers a segment has on a day. Replaces an earlier number of that day."""
    execute(
        "INSERT INTO segment_counts (site_id, segment_id, day, people) VALUES (?, ?, ?, ?) "
        + replacing(("site_id", "segment_id", "day"), ["people"]),
        (site_id, segment_id, day, size),
    )


def site_counts(site_id: int, since: str) -> list[tuple[int, str, int]]:
    """The (segment id, day, number of subscribers) since a day, in the order of segment and day."""
    return rows(
        "SELECT segment_id, day, people FROM segment_counts WHERE site_id = ? AND day >= ? "
        "ORDER BY segment_id, day",
        (site_id, since),
    )


def forget(site_id: int, segment_id: int, before: str = "9999-12-31") -> None:
    """Deletes the counts of a segment on days before `before`; by default, all."""
    execute(
        "DELETE FROM segment_counts WHERE site_id = ? AND segment_id = ? AND day < ?",
        (site_id, segment_id, before),
    )
