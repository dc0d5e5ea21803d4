"""Forms by which visitors sign up: reading, making, changing and opening them."""

import json
from collections.abc import Mapping
from typing import Any

from audience import clock
from audience.access import audit_log
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.errors import NotFound
from audience.forms import choices, definitions
from audience.forms.definitions import (
    ARCHIVED,
    OPEN,
    PAUSED,
    SMTP,
    FormField,
    SignUpForm,
    proposed_wording,
    with_values,
)
from audience.forms.origins import origin_of
from audience.subscribers.tags import name_key
from schemas.codes import Code, Sentence
from schemas.values import LANGUAGES, compact_json
from storage import database
from storage.forms import forms as stored
from storage.forms.forms import StoredForm, Wording
from storage.looks import looks as stored_looks
from storage.webhooks.webhooks import Webhook

__all__ = [
    "ARCHIVED",
    "OPEN",
    "PAUSED",
    "SMTP",
    "FormField",
    "SignUpForm",
    "Wording",
    "origin_of",
    "proposed_wording",
    "with_values",
]

NO_FORM = Sentence(Code.FORM_NOT_FOUND, "Form not found: GET /v1/fetch/forms lists the forms of the site.")
NO_WORDING = Sentence(
    Code.FORM_NOT_FOUND, "Wording not found: the form has no such version in this language."
)
NO_MAIL = Sentence(Code.FORM_NOT_READY, "A form needs a way to confirm: set AUDIENCE_SMTP_URL.")
EVENT_MS = DAY_MS
LIFTED, COUNTED = (
    "event started, no limits per network for a day",
    "event ended, limits per network apply again",
)
COLUMNS = StoredForm._fields
ACTIONS = {OPEN: "form opened", PAUSED: "form paused", ARCHIVED: "form archived"}


@database.session()
def list_all(site: Site) -> list[SignUpForm]:
    """The forms of a site, oldest first."""
    return [_read(row) for row in stored.list_all(site.id)]


@database.session()
def get(site: Site, form_id: int) -> SignUpForm:
    """Gets a form. Raises `NotFound`."""
    return require(site.id, form_id)


@database.session()
def draft(site: Site, item: Mapping[str, Any]) -> SignUpForm:
    """A new form with the values of `item`, unsaved. Raises `Refused`."""
    return definitions.new(clock.now_ms(), stored_looks.get(site.id), item)


@database.writes_site
def create(
    site: Site, item: Mapping[str, Any], actor: Actor | None = None, no_mail: str = NO_MAIL
) -> SignUpForm:
    """Creates a form, paused unless `item` says otherwise. Values that `item` lacks get defaults.

    `no_mail` is the reason why the site cannot send emails, or empty. With an `actor`, the audit log records
    the creation. Raises `Refused`.
    """
    look = stored_looks.get(site.id)
    form = definitions.new(clock.now_ms(), look, item)
    choices.check(site.id, form)
    if form.state == OPEN:
        definitions.check_open(look, form, choices.delivery_problem(site.id, form, no_mail))
    form = form._replace(id=stored.add(_row(form), site_id=site.id))
    stored.add_wordings(site.id, form.id, form.version, form.wording, form.created_at)
    _record(site, actor, "form made", form)
    return form


@database.writes_site
def change(
    site: Site, form_id: int, item: Mapping[str, Any], actor: Actor | None = None, no_mail: str = NO_MAIL
) -> SignUpForm:
    """Changes the values that `item` has. Returns the form. `no_mail` and `actor` are as in `create`.

    If the wording of a language is changed or removed, all languages get a new version. Raises `NotFound`,
    `Refused`.
    """
    before, at = require(site.id, form_id), clock.now_ms()
    form = definitions.with_values(before, item)
    if form == before:
        return form
    choices.check(site.id, form, before)
    if form.state == OPEN:
        delivers = before.state == OPEN and form.delivery == before.delivery
        obstacle = "" if delivers else choices.delivery_problem(site.id, form, no_mail)
        definitions.check_open(stored_looks.get(site.id), form, obstacle)
    form = _store_wordings(site.id, before, form._replace(updated_at=at))
    stored.change(site.id, _row(form))
    if form._replace(state=before.state, updated_at=before.updated_at) != before:
        _record(site, actor, "form changed", form)
    if form.state != before.state:
        _record(site, actor, ACTIONS[form.state], form)
    return form


def set_state(
    site: Site, form_id: int, state: str, actor: Actor | None = None, no_mail: str = NO_MAIL
) -> SignUpForm:
    """Opens, pauses or archives a form. `no_mail` and `actor` are as in `create`.

    Raises `NotFound`, and `Refused` with all reasons why the form cannot be opened.
    """
    return change(site, form_id, {"state": state}, actor, no_mail)


@database.writes_site
def set_event_mode(site: Site, form_id: int, is_on: bool, actor: Actor) -> SignUpForm:
    """Suspends the form's network limits for a day if `is_on`, otherwise restores them. Raises `NotFound`."""
    before = require(site.id, form_id)
    form = before._replace(event_until=clock.now_ms() + EVENT_MS if is_on else None)
    if form != before:
        stored.change(site.id, _row(form))
        _record(site, actor, LIFTED if is_on else COUNTED, form)
    return form


def _store_wordings(site_id: int, before: SignUpForm, form: SignUpForm) -> SignUpForm:
    """Stores changed wordings as a new version. Returns the form with its current version."""
    stays = before.wording.items() <= form.wording.items()
    form = form if stays else form._replace(version=before.version + 1)
    added = {name: text for name, text in form.wording.items() if not stays or name not in before.wording}
    stored.add_wordings(site_id, form.id, form.version, added, form.updated_at)
    return form


@database.session()
def wording(site: Site, form_id: int, version: int, language: str) -> str:
    """The wording of a version in a language. Raises `NotFound`."""
    found = stored.get_wording(site_id=site.id, form_id=form_id, version=version, language=language)
    if found is None:
        raise NotFound(NO_WORDING)
    return found.text


@database.session()
def wordings(site: Site, form_id: int) -> list[Wording]:
    """All versions of a form's wording, newest first."""
    return stored.wordings(site.id, form_id)


@database.session()
def delivery_problem(site: Site, form: SignUpForm, no_mail: str) -> str:
    """Why the confirmations of a form cannot be sent; "" if they can."""
    return choices.delivery_problem(site.id, form, no_mail)


@database.session()
def webhook(site: Site, form: SignUpForm) -> Webhook | None:
    """The webhook that gets the form's sign-ups; None if no webhook takes them."""
    return choices.webhook(site.id, form)


def languages(form: SignUpForm) -> tuple[str, ...]:
    """The languages that visitors can choose: those of the wording."""
    return tuple(language for language in LANGUAGES if language in form.wording)


def require(site_id: int, form_id: int) -> SignUpForm:
    """Gets a form in the caller's session. Raises `NotFound`."""
    row = stored.get(site_id=site_id, id=form_id)
    if row is None:
        raise NotFound(NO_FORM)
    return _read(row)


def users_of_field(site_id: int, key: str) -> list[str]:
    """The forms, unless archived, that ask for a custom field, as texts such as `form Front page`, in the
    caller's session.
    """
    asking = [form for form in map(_read, stored.list_all(site_id)) if form.state != ARCHIVED]
    return [f"form {form.name}" for form in asking if any(field.key == key for field in form.fields)]


def rename_tag(site_id: int, key: str, name: str, at: int) -> None:
    """Puts a tag's new name into the forms that name it by the name key `key`, in the caller's
    transaction.
    """
    for row in stored.list_all(site_id):
        form = _read(row)
        tags = tuple(dict.fromkeys(name if name_key(tag) == key else tag for tag in form.tags))
        if tags != form.tags:
            stored.change(site_id, _row(form._replace(tags=tags, updated_at=at)))


def _read(row: StoredForm) -> SignUpForm:
    values = json.loads(row.definition)
    fields = tuple(FormField(*field) for field in values.pop("fields"))
    tags, origins = tuple(values.pop("tags")), tuple(values.pop("origins"))
    own = {name: value for name, value in row._asdict().items() if name != "definition"}
    return SignUpForm(fields=fields, tags=tags, origins=origins, **own, **values)


def _row(form: SignUpForm) -> StoredForm:
    values = form._asdict()
    definition = {name: value for name, value in values.items() if name not in COLUMNS}
    own = {name: value for name, value in values.items() if name in COLUMNS}
    return StoredForm(definition=compact_json(definition), **own)


def _record(site: Site, actor: Actor | None, action: str, form: SignUpForm) -> None:
    if actor:
        audit_log.record(actor, action, site, form.name)
