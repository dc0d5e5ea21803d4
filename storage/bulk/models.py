"""The tables of bulk actions, and of renames of tags."""

from peewee import BigIntegerField, ForeignKeyField, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel


class BulkActionModel(SiteOwnedModel):
    """A bulk action. `seq` is the number of its acceptance. It changed `changed` of the `done` subscribers.

    `undoes` is the id of the bulk action that this one undid in an older version.
    """

    kind = TextField()
    tag = TextField()
    status = TextField(index=True)
    actor = TextField()
    client_network = TextField()
    undoes = IntegerField(null=True)
    people = IntegerField()
    done = IntegerField()
    changed = IntegerField()
    created_at = BigIntegerField()
    started_at = BigIntegerField(null=True)
    finished_at = BigIntegerField(null=True)
    seq = BigIntegerField(default=0)
    accepted_at = BigIntegerField(default=0)
    field = TextField(default="")

    class Meta:
        table_name = "bulk_acts"
        indexes = ((("site", "id"), False),)


class BulkActionChunkModel(SiteOwnedModel):
    """A chunk of a bulk action: subscriber ids as JSON. If not `waiting`, an older Audience did it."""

    bulk_act = ForeignKeyField(BulkActionModel, on_delete="CASCADE", index=False)
    ids = TextField()
    waiting = IntegerField()  # 1 or 0

    class Meta:
        table_name = "bulk_act_pieces"
        indexes = ((("bulk_act", "waiting", "id"), False),)


class TagRenameModel(SiteOwnedModel):
    """A name that a tag had until it was renamed, or merged into another tag."""

    tag_id = IntegerField()
    into_id = IntegerField()
    name = TextField()
    name_key = TextField()
    number = BigIntegerField()
    source = TextField()
    source_id = IntegerField()
    position = IntegerField(default=0)
    is_told = IntegerField(default=0)

    class Meta:
        table_name = "tag_renames"
        indexes = ((("site", "name_key"), False),)


BULK_ACTION_MODELS: tuple[type[BaseModel], ...] = (BulkActionModel, BulkActionChunkModel)
