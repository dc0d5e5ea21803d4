"""What every table is built on: the base of the models, sites, and partial indexes."""

from operator import attrgetter
from types import NoneType
from typing import Any, get_args, get_type_hints

import peewee
from peewee import SQL, BigIntegerField, BlobField, BooleanField, ForeignKeyField, TextField

from storage.database import database

FIELDS = {str: TextField, int: BigIntegerField, bool: BooleanField, bytes: BlobField}


class BaseModel(peewee.Model):
    """A table called `table`. It has the columns that the class defines, and one for each other field of
    `record`, the type of its rows (storage/records.py), with the field's type and default.
    """

    table = ""

    def __init_subclass__(cls, table: str = "", record: type[Any] | None = None) -> None:
        cls.table = table
        for name, kind in get_type_hints(record).items() if record else ():
            is_reference = isinstance(vars(cls).get(name.removesuffix("_id")), ForeignKeyField)
            if not is_reference and not hasattr(cls, name):
                [own_kind] = {*get_args(kind)} - {NoneType} or {kind}
                default = getattr(record, "_field_defaults", {}).get(name)
                setattr(cls, name, FIELDS[own_kind](null=own_kind is not kind, default=default))

    class Meta:
        database = database
        legacy_table_names = False  # indexes are called after the table
        table_function = attrgetter("table")


class IdModel(BaseModel):
    id = peewee.AutoField(constraints=[SQL("AUTOINCREMENT")])


class SiteModel(IdModel, table="sites"):
    uuid = TextField(unique=True)
    name = TextField()
    created_at = BigIntegerField()
    time_zone = TextField(default="UTC")
    key_nonce = TextField(default="")


class SiteOwnedModel(IdModel):
    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)


def add_partial_index(name: str, *columns: Any, where: Any, unique: bool = False) -> None:
    model = columns[0].model
    model.add_index(model.index(*columns, where=where, unique=unique, name=name))
