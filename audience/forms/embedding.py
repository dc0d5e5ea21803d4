"""The HTML of a form for an owner's own page: no script, no style, and the wording that people read."""

from html import escape

from audience.access.sites import Site
from audience.errors import Refused
from audience.forms import words
from audience.forms.definitions import FormField, SignUpForm
from audience.looks import looks
from schemas.codes import Code, Sentence
from schemas.values import FieldError

NOT_WRITTEN = Sentence(
    Code.UNKNOWN_CHOICE,
    "The form has no wording in this language: send a wording first, or choose another language.",
)
COMPLETES = {"first_name": "given-name", "last_name": "family-name"}
TRAP = '<p hidden><label>Leave empty <input name="nickname_2" tabindex="-1" autocomplete="off"></label></p>'


def html(site: Site, form: SignUpForm, language: str, base_url: str) -> str:
    """The form's HTML in a language; "" means the form's own language. Raises `Refused`."""
    chosen = language or form.language
    if chosen not in form.wording:
        raise Refused(NOT_WRITTEN, [FieldError("language", NOT_WRITTEN)])
    texts, look = words.table(chosen), looks.get(site)
    query = f"?lang={chosen}" if len(form.wording) > 1 else ""
    action = address(site, form, base_url) + query
    email = f'<label>{texts["email"]} <input type="email" name="email" autocomplete="email" required></label>'
    fields = [_field(asked, chosen) for asked in form.fields]
    wording = escape(form.wording[chosen]).replace("\n", "<br>")
    privacy = f' <a href="{escape(look.privacy)}">{texts["privacy"]}</a>' if look.privacy else ""
    lines = [
        f'<form action="{escape(action)}" method="post">',
        f"  {' '.join([email, *fields])} <button>{texts['sign_up']}</button>",
        f"  <p>{wording}{privacy}</p>",
        f'  {TRAP}<input type="hidden" name="wording" value="{form.version}"></form>',
    ]
    return "\n".join(lines) + "\n"


def address(site: Site, form: SignUpForm, base_url: str) -> str:
    """The URL of the form's own page, to which the HTML posts."""
    return f"{looks.base_url(looks.get(site), base_url)}/forms/{site.uuid}/{form.id}"


def _field(field: FormField, language: str) -> str:
    completes = f' autocomplete="{COMPLETES[field.key]}"' if field.key in COMPLETES else ""
    attributes = f'name="{field.input_name}"{completes}{" required" if field.required else ""}'
    return f"<label>{escape(field.label(language))} <input {attributes}></label>"
