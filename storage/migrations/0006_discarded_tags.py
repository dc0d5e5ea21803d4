"""Tags that ended while people still have them. Frozen: it never imports today's models."""

from typing import Any

from peewee import SQL, AutoField, ForeignKeyField, IntegerField, Model


class Site(Model):
    class Meta:
        table_name = "sites"


class DiscardedTag(Model):
    id = AutoField(constraints=[SQL("AUTOINCREMENT")])
    site = ForeignKeyField(Site, on_delete="CASCADE", index=False)
    tag_id = IntegerField()

    class Meta:
        legacy_table_names = False
        table_name = "discarded_tags"
        indexes = ((("site", "tag_id"), True),)


def up(_migrator: Any, db: Any) -> None:
    with db.bind_ctx((Site, DiscardedTag)):
        db.create_tables((DiscardedTag,))
