"""Operators, their roles, sessions and links, and the audit log. Frozen: it never imports today's models."""

from typing import Any

from peewee import (
    SQL,
    AutoField,
    BigIntegerField,
    BooleanField,
    CompositeKey,
    ForeignKeyField,
    IntegerField,
    Model,
    TextField,
)


class BaseModel(Model):
    class Meta:
        legacy_table_names = False


class IdModel(BaseModel):
    id = AutoField(constraints=[SQL("AUTOINCREMENT")])


class Site(BaseModel):
    class Meta:
        table_name = "sites"


class Operator(IdModel):
    email = TextField(default="")
    email_key = TextField(null=True, unique=True)
    password_hash = TextField(default="")
    administrator = BooleanField(default=False)
    created_at = BigIntegerField()

    class Meta:
        table_name = "operators"


class OperatorRole(BaseModel):
    operator = ForeignKeyField(Operator, on_delete="CASCADE")
    site = ForeignKeyField(Site, on_delete="CASCADE", index=False)
    role = TextField()

    class Meta:
        table_name = "operator_roles"
        primary_key = CompositeKey("site", "operator")


class Session(IdModel):
    token_hash = TextField(unique=True)
    operator = ForeignKeyField(Operator, on_delete="CASCADE")
    remembered = BooleanField()
    client_network = TextField()
    created_at = BigIntegerField()
    used_at = BigIntegerField()
    searches = TextField(default="{}")

    class Meta:
        table_name = "sessions"


class OneTimeLink(IdModel):
    token_hash = TextField(unique=True)
    operator = ForeignKeyField(Operator, null=True, on_delete="CASCADE")
    purpose = TextField()
    expires_at = BigIntegerField()

    class Meta:
        table_name = "one_time_links"


class AuditLog(IdModel):
    site = ForeignKeyField(Site, null=True, on_delete="CASCADE", index=False)
    actor = TextField()
    act = TextField()
    subject = TextField(default="")
    subjects = IntegerField(default=1)
    typed = TextField(default="{}")
    client_network = TextField(default="")
    at = BigIntegerField()

    class Meta:
        table_name = "audit_log"
        indexes = ((("site", "id"), False), (("site", "subject"), False), (("at",), False))


AuditLog.add_index(AuditLog.index(AuditLog.site, where=AuditLog.typed != "{}", name="audit_log_typed"))

TABLES = (Operator, OperatorRole, Session, OneTimeLink, AuditLog)


def up(_migrator: Any, db: Any) -> None:
    with db.bind_ctx((Site, *TABLES)):
        db.create_tables(TABLES)
