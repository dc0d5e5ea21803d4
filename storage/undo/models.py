"""The tables of undos."""

from typing import Any

from peewee import BigIntegerField, CompositeKey, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel, add_partial_index


class UndoModel(SiteOwnedModel):
    """The undo of an import or a bulk action, which is (`source`, `source_id`). By its acceptance number
    `turn`, it waits in the site's order, as imports do.

    `rows` is the number of entries that the undone action has in the change log; `applied` of them are
    decided. The next entry is at position `place` in the log's row `place_row`. `made` has the tags and
    fields that the undone action added to the site, as JSON.

    The undo has read later mentions of subscribers up to these ids: `read_row` of the change log,
    `read_batch` of imports, `read_piece` of bulk actions.
    """

    source = TextField()
    source_id = IntegerField()
    status = TextField()
    rows = IntegerField()
    applied = IntegerField(default=0)
    removed = IntegerField(default=0)
    restored = IntegerField(default=0)
    kept = IntegerField(default=0)
    unsubscribed_kept = IntegerField(default=0)
    unsubscribed_again = IntegerField(default=0)
    resubscribed = IntegerField(default=0)
    resubscribe = IntegerField(default=0)  # 1 or 0
    created_at = BigIntegerField()
    started_at = BigIntegerField(null=True)
    finished_at = BigIntegerField(null=True)
    turn = BigIntegerField()
    accepted_at = BigIntegerField()
    first_row = BigIntegerField()
    first_number = BigIntegerField()
    place_row = BigIntegerField()
    place = IntegerField(default=0)
    made = TextField(default="{}")
    read_row = BigIntegerField(default=0)
    read_batch = BigIntegerField(default=0)
    read_piece = BigIntegerField(default=0)

    class Meta:
        table_name = "undos"
        indexes = ((("site", "source", "source_id"), True),)


_undos: Any = UndoModel
add_partial_index("undos_waiting", _undos.site, _undos.turn,
    where=_undos.status.in_(("queued", "running")))  # fmt: skip


class UndoOutcomeModel(BaseModel):
    """What an undo did to a subscriber: `removed`, `restored` or `kept`. For `kept`, the source is the later
    change that is the reason.

    Before the undo decides, a subscriber may be `mentioned` by a later source. No foreign keys.
    """

    site_id = IntegerField()
    undo_id = IntegerField()
    subscriber_id = IntegerField()
    outcome = TextField()
    source = TextField()
    source_id = IntegerField()

    class Meta:
        table_name = "undo_people"
        primary_key = CompositeKey("site_id", "undo_id", "subscriber_id")
        without_rowid = True


UNDO_MODELS: tuple[type[BaseModel], ...] = (UndoModel, UndoOutcomeModel)
