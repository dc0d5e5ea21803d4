"""What every table is built on: the base of the models, and sites."""

import peewee
from peewee import SQL, BigIntegerField, IntegerField, TextField

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
    user_count = IntegerField(default=0)
    unsubscriber_count = IntegerField(default=0)
    created_at = BigIntegerField()
    time_zone = TextField(default="UTC")

    class Meta:
        table_name = "sites"
