"""What every table is built on: the base of the models, sites, and partial indexes."""

from typing import Any

import peewee
from peewee import SQL, BigIntegerField, ForeignKeyField, TextField

from storage.database import database


class BaseModel(peewee.Model):
    class Meta:
        database = database
        legacy_table_names = False


class IdModel(BaseModel):
    id = peewee.AutoField(constraints=[SQL("AUTOINCREMENT")])


class SiteModel(IdModel):
    uuid = TextField(unique=True)
    name = TextField()
    created_at = BigIntegerField()
    time_zone = TextField(default="UTC")
    key_nonce = TextField(default="")

    class Meta:
        table_name = "sites"


class SiteOwnedModel(IdModel):
    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)


def add_partial_index(name: str, *columns: Any, where: Any, unique: bool = False) -> None:
    model = columns[0].model
    model.add_index(model.index(*columns, where=where, unique=unique, name=name))
