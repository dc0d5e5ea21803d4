"""The tables of forms."""

from peewee import BigIntegerField, CompositeKey, IntegerField, TextField

from storage.base_models import BaseModel, SiteOwnedModel


class FormModel(SiteOwnedModel):
    """A form. `definition` is JSON and includes the current wording; `version` is the wording's number."""

    name = TextField()
    state = TextField()
    version = IntegerField()
    definition = TextField()
    created_at = BigIntegerField()
    updated_at = BigIntegerField()
    delivery = TextField(default="smtp")  # or the id of a webhook

    class Meta:
        table_name = "forms"
        indexes = ((("site", "id"), False),)


class FormWordingModel(BaseModel):
    """What people agreed to by a form, in one language. Never changed: proofs of consent refer to it."""

    site_id = IntegerField()
    form_id = IntegerField()
    version = IntegerField()
    language = TextField()
    text = TextField()
    made_at = BigIntegerField()

    class Meta:
        table_name = "form_wordings"
        primary_key = CompositeKey("site_id", "form_id", "version", "language")
        without_rowid = True


FORM_MODELS: tuple[type[BaseModel], ...] = (FormModel, FormWordingModel)
