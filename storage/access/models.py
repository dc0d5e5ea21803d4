"""The tables of sites, their keys and lists, and of the console: operators, sessions, the audit log."""

from peewee import BigIntegerField, BooleanField, CompositeKey, ForeignKeyField, IntegerField, TextField

from storage.base_models import BaseModel, IdModel, SiteModel, SiteOwnedModel


class SiteCounterModel(BaseModel):
    """The counters of a site. `accepted` is the number of the newest accepting transaction, and `accepted_at`
    its instant, which never goes back. `users` and `unsubscribers` count subscribers.

    `changes` is the number of the site's newest change, `oldest_change` that of the oldest one still in the
    change log. `change_bytes` is the size of the log's entries. `dropped_change_at` is the newest instant of
    rows deleted from the log. Instants are in milliseconds.
    """

    site = ForeignKeyField(SiteModel, primary_key=True, on_delete="CASCADE")
    accepted = BigIntegerField()
    accepted_at = BigIntegerField(default=0)
    users = IntegerField(default=0)
    unsubscribers = IntegerField(default=0)
    changes = BigIntegerField(default=0)
    oldest_change = BigIntegerField(default=1)
    change_bytes = BigIntegerField(default=0)
    dropped_change_at = BigIntegerField(default=0)

    class Meta:
        table_name = "site_counters"


class KeyModel(IdModel):
    publishable_key = TextField(unique=True)
    secret_hash = TextField()
    scope = TextField()
    created_at = BigIntegerField()
    revoked_at = BigIntegerField(null=True)
    expires_at = BigIntegerField(null=True)
    name = TextField(default="")
    last_used_at = BigIntegerField(null=True)

    class Meta:
        table_name = "keys"


class KeySiteModel(BaseModel):
    key = ForeignKeyField(KeyModel, on_delete="CASCADE")
    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)

    class Meta:
        table_name = "key_sites"
        primary_key = CompositeKey("site", "key")


class AddressListModel(SiteOwnedModel):
    """An address or a domain that the operator allows or denies."""

    kind = TextField()
    entry = TextField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "address_lists"
        indexes = ((("site", "entry"), True),)


class OperatorModel(IdModel):
    """An operator of the console. The first one is created without address and password.

    `last_site_id` is the id of the site that the operator used last, which may be deleted. `two_factor` is
    what the secret of the two-factor sign-in is made from, with the pepper; it is empty while that is off.
    `code_step` is the 30-second step of the last code that counted. `recovery_codes` is JSON: the keyed
    hashes of those unused.
    """

    email = TextField(default="")
    email_key = TextField(null=True, unique=True)
    password_hash = TextField(default="")
    administrator = BooleanField(default=False)
    created_at = BigIntegerField()
    last_site_id = BigIntegerField(null=True)
    two_factor = TextField(default="")
    code_step = BigIntegerField(default=0)
    recovery_codes = TextField(default="[]")

    class Meta:
        table_name = "operators"


class OperatorRoleModel(BaseModel):
    operator = ForeignKeyField(OperatorModel, on_delete="CASCADE")
    site = ForeignKeyField(SiteModel, on_delete="CASCADE", index=False)
    role = TextField()

    class Meta:
        table_name = "operator_roles"
        primary_key = CompositeKey("site", "operator")


class SessionModel(IdModel):
    """A signed-in browser. `searches` is JSON: the texts searched for, by site and name."""

    token_hash = TextField(unique=True)
    operator = ForeignKeyField(OperatorModel, on_delete="CASCADE")
    remembered = BooleanField()
    client_network = TextField()
    created_at = BigIntegerField()
    used_at = BigIntegerField()
    searches = TextField(default="{}")

    class Meta:
        table_name = "sessions"


class OneTimeLinkModel(IdModel):
    """A link that is valid once, to sign in or set a password; without an operator, to create the first."""

    token_hash = TextField(unique=True)
    operator = ForeignKeyField(OperatorModel, null=True, on_delete="CASCADE")
    purpose = TextField()
    expires_at = BigIntegerField()

    class Meta:
        table_name = "one_time_links"


class SentFormModel(BaseModel):
    """A form sent in a session. `result` is the id of what it created; `form` is a keyed hash."""

    session = ForeignKeyField(SessionModel, on_delete="CASCADE", index=False)
    form = TextField()
    result = TextField()
    created_at = BigIntegerField()

    class Meta:
        table_name = "sent_forms"
        primary_key = CompositeKey("session", "form")


class AuditLogModel(IdModel):
    """An entry of the audit log; without a site, about the instance. `typed` is JSON: filter values."""

    site = ForeignKeyField(SiteModel, null=True, on_delete="CASCADE", index=False)
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


AuditLogModel.add_index(
    AuditLogModel.index(AuditLogModel.site, where=AuditLogModel.typed != "{}", name="audit_log_typed")
)

OPERATOR_MODELS: tuple[type[BaseModel], ...] = (
    OperatorModel, OperatorRoleModel, SessionModel, OneTimeLinkModel, SentFormModel, AuditLogModel,
)  # fmt: skip
