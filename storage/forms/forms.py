"""Forms, and the versions of their wording. Instants are in milliseconds."""

from collections.abc import Mapping
from typing import NamedTuple

from peewee import CompositeKey, IntegerField

from storage.base_models import BaseModel, SiteOwnedModel
from storage.records import Records


class StoredForm(NamedTuple):
    """A form. `definition` is JSON and includes the current wording; `version` is the wording's number.
    `delivery` is `smtp` or the id of a webhook.
    """

    id: int
    name: str
    state: str
    version: int
    definition: str
    created_at: int
    updated_at: int
    delivery: str


class Wording(NamedTuple):
    """One version, in one language, of what people agree to by a form. Never changed: proofs of consent refer
    to it.
    """

    version: int
    language: str
    text: str
    made_at: int


class FormModel(SiteOwnedModel, table="forms", record=StoredForm):
    class Meta:
        indexes = ((("site", "id"), False),)


class FormWordingModel(BaseModel, table="form_wordings", record=Wording):
    site_id = IntegerField()
    form_id = IntegerField()

    class Meta:
        primary_key = CompositeKey("site_id", "form_id", "version", "language")
        without_rowid = True


FORMS = Records(FormModel, StoredForm)
WORDINGS = Records(FormWordingModel, Wording)
add, get, get_wording = FORMS.add_new, FORMS.get, WORDINGS.get


def list_all(site_id: int) -> list[StoredForm]:
    """The forms of a site, oldest first."""
    return FORMS.find("ORDER BY id", site_id=site_id)


def change(site_id: int, form: StoredForm) -> None:
    """Replaces all values of the form with the id `form.id`."""
    values = form._asdict()
    FORMS.change({name: values[name] for name in values if name != "id"}, site_id=site_id, id=form.id)


def add_wordings(site_id: int, form_id: int, version: int, texts: Mapping[str, str], at: int) -> None:
    """Adds the texts of a wording's version, by language."""
    wordings = [Wording(version, language, text, at) for language, text in texts.items()]
    WORDINGS.add_many(wordings, site_id=site_id, form_id=form_id)


def wordings(site_id: int, form_id: int) -> list[Wording]:
    """All versions of a form's wording, newest first."""
    return WORDINGS.find("ORDER BY version DESC, language", site_id=site_id, form_id=form_id)
