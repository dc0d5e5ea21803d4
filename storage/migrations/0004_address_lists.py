"""Allow and deny lists of sites. Frozen: it never imports today's models."""

from typing import Any

from peewee import SQL, AutoField, BigIntegerField, ForeignKeyField, Model, TextField


class Site(Model):
    class Meta:
        table_name = "sites"


class AddressList(Model):
    id = AutoField(constraints=[SQL("AUTOINCREMENT")])
    site = ForeignKeyField(Site, on_delete="CASCADE", index=False)
    kind = TextField()
    entry = TextField()
    created_at = BigIntegerField()

    class Meta:
        legacy_table_names = False
        table_name = "address_lists"
        indexes = ((("site", "entry"), True),)


def up(_migrator: Any, db: Any) -> None:
    with db.bind_ctx((Site, AddressList)):
        db.create_tables((AddressList,))
