"""The tables of segments."""

from peewee import BigIntegerField, CompositeKey, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel


class SegmentModel(SiteOwnedModel):
    """A segment; `rules` is JSON, as received."""

    name = TextField()
    description = TextField()
    rules = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()

    class Meta:
        table_name = "segments"
        indexes = ((("site", "id"), False),)


class SegmentCountModel(BaseModel):
    """The number of subscribers that a segment had on a day, such as 2026-08-21."""

    site_id = IntegerField()
    segment_id = IntegerField()
    day = TextField()
    people = IntegerField()

    class Meta:
        table_name = "segment_counts"
        primary_key = CompositeKey("site_id", "segment_id", "day")
        without_rowid = True
