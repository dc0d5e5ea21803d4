"""The check value of the pepper. Frozen: it never imports today's models."""

from typing import Any

from peewee import IntegerField, Model, TextField


class Pepper(Model):
    id = IntegerField(primary_key=True)
    check_value = TextField()

    class Meta:
        table_name = "pepper"


def up(_migrator: Any, db: Any) -> None:
    with db.bind_ctx((Pepper,)):
        db.create_tables((Pepper,))
