"""What a form chooses of its site: custom fields to ask for, and the webhook to which it delivers."""

from collections.abc import Iterator

from audience.forms.definitions import SMTP, SignUpForm, refuse
from schemas.codes import Code, Sentence
from schemas.values import NAMES, FieldError, closest
from storage.subscribers import custom_fields as stored_fields
from storage.webhooks import webhooks as stored_webhooks
from storage.webhooks.webhooks import Webhook

NO_FIELD = Sentence(
    Code.UNKNOWN_KEY,
    "Send first_name, last_name or the key of a custom field: GET /v1/fetch/fields lists them.",
)
NO_WEBHOOK = Sentence(
    Code.UNKNOWN_RECORD,
    "Send smtp, or the id of a webhook with `sign_ups`: GET /v1/fetch/webhooks lists them.",
)
OR_WEBHOOK = Sentence(Code.FORM_NOT_READY, "{} Or choose a webhook that takes sign-ups to send the email.")
PAUSED = Sentence(
    Code.FORM_NOT_READY, "The webhook of the form is paused: resume it, or choose another `delivery`."
)


def check(site_id: int, form: SignUpForm, before: SignUpForm | None = None) -> None:
    """Raises `Refused` if the form, unlike `before`, names fields or a webhook that the site lacks."""
    refuse([*_unknown_fields(site_id, form, before), *_wrong_delivery(site_id, form, before)])


def _unknown_fields(site_id: int, form: SignUpForm, before: SignUpForm | None) -> Iterator[FieldError]:
    keys = [*NAMES, *(field.key for field in (before.fields if before else ()))]
    if all(field.key in keys for field in form.fields):
        return
    keys += [field.key for field in stored_fields.list_all(site_id)]
    for number, (key, *_) in enumerate(form.fields):
        if key not in keys:
            yield FieldError(f"form.fields[{number}].key", NO_FIELD, (key,), closest([key], keys))


def _wrong_delivery(site_id: int, form: SignUpForm, before: SignUpForm | None) -> Iterator[FieldError]:
    is_new = before is None or form.delivery != before.delivery
    if is_new and form.delivery != SMTP and webhook(site_id, form) is None:
        yield FieldError("form.delivery", NO_WEBHOOK)


def delivery_problem(site_id: int, form: SignUpForm, no_mail: str) -> str:
    """Why the form's confirmations cannot be sent; "" if they can. `no_mail` says why the site cannot."""
    if form.delivery == SMTP:
        return no_mail and OR_WEBHOOK.format(no_mail)
    found = webhook(site_id, form)
    return PAUSED if found is None or found.paused else ""


def webhook(site_id: int, form: SignUpForm) -> Webhook | None:
    """The webhook that gets the form's sign-ups; None if no webhook takes them."""
    if form.delivery == SMTP:
        return None
    webhooks = stored_webhooks.for_sign_ups(site_id)
    return next((webhook for webhook in webhooks if str(webhook.id) == form.delivery), None)
