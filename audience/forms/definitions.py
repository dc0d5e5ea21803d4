"""The definition of a form: its values, their defaults, and what it needs before it opens."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from audience import clock
from audience.errors import Refused
from audience.forms import words
from audience.forms.origins import origin_of
from audience.looks import looks
from audience.looks.looks import Look
from audience.subscribers.custom_fields import name_of
from schemas.codes import Code, Sentence
from schemas.values import NAMES, FieldError

OPEN, PAUSED, ARCHIVED = "open", "paused", "archived"
SCRIPT, CLICK = "script", "click"
SMTP = "smtp"  # the delivery by our own mail server
DEFAULT_LANGUAGE, GERMAN = "en", "de"
NAME = Sentence(
    Code.MALFORMED_VALUE, "Send a name of 1 to 60 characters, without @, :// and dots within words."
)
WORDING = Sentence(Code.REQUIRED, "Also send the wording in the language of the form.")
ORIGIN = Sentence(
    Code.URL_REFUSED, "Send a website that begins with https:// or http://, such as https://example.com."
)
NEXT_URL = Sentence(
    Code.URL_REFUSED, "Send the URL of a page on one of the form's websites, or leave it empty."
)
NO_PRIVACY = Sentence(
    Code.FORM_NOT_READY,
    "A form opens only with a privacy page: set it at Pages and mail, in the console's settings.",
)
NO_IMPRINT = Sentence(
    Code.FORM_NOT_READY,
    "A form in German opens only with an imprint: set it at Pages and mail, in the console's settings.",
)
NO_WORDING = Sentence(
    Code.FORM_NOT_READY,
    "A form opens only with a wording: send what people agree to, in the language of the form.",
)


class FormField(NamedTuple):
    """A field of a form besides the address: a name or a custom field. `labels` are by language."""

    key: str
    required: bool
    labels: Mapping[str, str] = {}

    @property
    def input_name(self) -> str:
        """The name of the field's HTML input. A custom field's never equals the name of another input."""
        return self.key if self.key in NAMES else f"fields[{self.key}]"

    def label(self, language: str) -> str:
        """The label in a language: the form's own, else the usual one."""
        usual = words.table(language)[self.key] if self.key in NAMES else name_of(self.key)
        return self.labels.get(language) or usual


class SignUpForm(NamedTuple):
    """A form. Its texts are by language; `version` is that of the wording to which people agree.

    Confirmed subscribers get `tags`. The two URLs are on one of `origins`, or empty. `confirm` is `script` or
    `click`. `delivery` is `SMTP`, or the id of the webhook that gets the sign-ups. A test form mails the
    site's owners instead, and nothing is counted. Until `event_until` (milliseconds), networks have no
    limits.
    """

    id: int
    name: str
    state: str
    language: str
    fields: tuple[FormField, ...]
    tags: tuple[str, ...]
    wording: Mapping[str, str]
    intro: Mapping[str, str]
    thanks: Mapping[str, str]
    origins: tuple[str, ...]
    next_url: str
    confirmed_url: str
    confirm: str
    delivery: str
    is_test: bool
    version: int
    created_at: int
    updated_at: int
    event_until: int | None = None

    @property
    def has_event(self) -> bool:
        """Whether the form has no network limits now."""
        return self.event_until is not None and self.event_until > clock.now_ms()


def new(at: int, look: Look, item: Mapping[str, Any]) -> SignUpForm:
    """A new form with the values of `item` and defaults for the rest. Raises `Refused`."""
    language = item.get("language") or look.language or DEFAULT_LANGUAGE
    wording = proposed_wording(look, language)
    confirm = CLICK if language == GERMAN else SCRIPT
    blank = SignUpForm(
        0, "", PAUSED, language, (), (), wording, {}, {}, (), "", "", confirm, SMTP, False, 1, at, at
    )  # fmt: skip
    return with_values(blank, item)


def proposed_wording(look: Look, language: str) -> dict[str, str]:
    """The proposed wording as `{language: wording}`; empty if the site has no public name."""
    return {language: words.table(language)["wording"].format(name=look.name)} if look.name else {}


def with_values(form: SignUpForm, item: Mapping[str, Any]) -> SignUpForm:
    """The form with the values of `item`; its other values stay. Raises `Refused`."""
    values = {name: value for name, value in item.items() if name in SignUpForm._fields}
    if "fields" in item:
        values["fields"] = tuple(FormField(**field) for field in item["fields"])
    if "origins" in item:
        values["origins"] = tuple(dict.fromkeys(origin_of(url) for url in item["origins"]))
    if "tags" in item:
        values["tags"] = tuple(dict.fromkeys(item["tags"]))
    form = form._replace(**values)
    refuse(list(_problems(form, item)))
    return form


def _problems(form: SignUpForm, item: Mapping[str, Any]) -> Iterator[FieldError]:
    if not form.name or not looks.is_name(form.name):
        yield FieldError("form.name", NAME)
    if form.wording and form.language not in form.wording:
        yield FieldError(f"form.wording.{form.language}", WORDING)
    for number, url in enumerate(item.get("origins", ())):
        if not origin_of(url):
            yield FieldError(f"form.origins[{number}]", ORIGIN)
    for name in ("next_url", "confirmed_url"):
        url = getattr(form, name)
        if url and origin_of(url) not in form.origins:
            yield FieldError(f"form.{name}", NEXT_URL)


def check_open(look: Look, form: SignUpForm, delivery_problem: str) -> None:
    """Raises `Refused` with all reasons why a form cannot be opened.

    `delivery_problem` is why its confirmations cannot be sent. Pass "" for a form that is open already.
    """
    lacking = {delivery_problem: bool(delivery_problem), NO_WORDING: not form.wording,
               NO_PRIVACY: not look.privacy,
               NO_IMPRINT: GERMAN in form.wording and not look.imprint}  # fmt: skip
    refuse([FieldError("form.state", message) for message, is_lacking in lacking.items() if is_lacking])


def refuse(errors: list[FieldError]) -> None:
    """Raises `Refused` with the errors, if there are any."""
    if errors:
        raise Refused(errors[0].message, errors)
