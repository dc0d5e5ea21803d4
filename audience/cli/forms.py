"""`audience form`: forms by which visitors sign up (docs/contract.md, Forms)."""

from collections.abc import Iterator
from typing import Any

import click

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.cli.instance import on_site, with_options
from audience.cli.output import printable, show
from audience.cli.wrong_calls import WholeNumber
from audience.config import Settings
from audience.forms import embedding, forms
from audience.forms.forms import ARCHIVED, OPEN, PAUSED, SMTP, SignUpForm
from audience.looks import senders
from schemas import forms as wire
from schemas.base import load
from schemas.values import LANGUAGES, NAMES, write_date

NOTHING = "name at least one change, such as --name or --wording"
COUNTED = "The limits per network apply again."
BY_LANGUAGE = "write LANGUAGE=TEXT, such as en=Hello"
OF_FIELD = "write KEY.LANGUAGE=TEXT, such as city.en=Town, of a field that the form asks for"

form_argument = click.argument("form_id", type=WholeNumber(1))
TEXTS = {
    "wording": "What people agree to; repeatable.",
    "intro": "The text above the form; repeatable.",
    "thanks": "What the page says when the visitor has confirmed; repeatable.",
}
SETTINGS = [
    click.option(
        "--language",
        type=click.Choice(LANGUAGES),
        help="The language for visitors whose own language is not known.",
    ),
    click.option(
        "--ask", "asked", metavar="KEY", multiple=True, help="Ask for a name or custom field; repeatable."
    ),
    click.option(
        "--need",
        "needed",
        metavar="KEY",
        multiple=True,
        help="Ask for a name or custom field, and require it; repeatable.",
    ),
    click.option(
        "--label",
        "labels",
        metavar="KEY.LANGUAGE=TEXT",
        multiple=True,
        help="The label of a field; repeatable.",
    ),
    click.option("--tag", "tags", multiple=True, help="A tag for everyone who confirms; repeatable."),
    *(click.option(f"--{name}", metavar="LANGUAGE=TEXT", multiple=True, help=TEXTS[name]) for name in TEXTS),
    click.option("--origin", "origins", multiple=True, help="A website that the form is on; repeatable."),
    click.option("--next-url", help="The page after signing up."),
    click.option("--confirmed-url", help="The page after confirming."),
    click.option(
        "--confirm",
        type=click.Choice(wire.CONFIRMING),
        help="What confirms a sign-up: opening the link, or a click on the page that it opens.",
    ),
    click.option(
        "--delivery", metavar="smtp|WEBHOOK_ID", help="Who sends the link: the mail server, or a webhook."
    ),
    click.option(
        "--test/--no-test",
        "is_test",
        default=None,
        help="Test the form: send emails only to the site's owners, and count nothing.",
    ),
]


@click.group()
def form() -> None:
    """Manage the forms with which visitors sign up."""


@form.command(name="list")
@on_site
def list_forms(_: Settings, site: Site, as_json: bool) -> None:
    """List the forms of a site, also archived ones.

    Example: audience form list --site 6f1c...
    """
    rows = forms.list_all(site)
    lines = (f"{row.id:>6}  {printable(row.name)}  {row.state}" for row in rows)
    show([wire.form(row) for row in rows], as_json, lines)


@form.command(name="show")
@form_argument
@on_site
def show_form(_: Settings, form_id: int, site: Site, as_json: bool) -> None:
    """Show a form, with the text that people agree to now.

    Example: audience form show 1 --site 6f1c...
    """
    _show(forms.get(site, form_id), as_json)


@form.command()
@click.argument("name")
@with_options(SETTINGS)
@on_site
def add(_: Settings, name: str, site: Site, as_json: bool, **asked: Any) -> None:
    """Make a paused form, with a name that only you see. Without --wording, the form gets the standard one.

    Example: audience form add "Front page" --ask first_name --origin https://example.com --site 6f1c...
    """
    _show(forms.create(site, _load(asked | {"name": name}), COMMAND_LINE), as_json)


@form.command()
@form_argument
@click.option("--name", help="A name that only you see.")
@click.option("--no-fields", is_flag=True, help="Ask for the address alone.")
@with_options(SETTINGS)
@on_site
def change(
    settings: Settings, form_id: int, site: Site, as_json: bool, no_fields: bool, **asked: Any
) -> None:
    """Change a form. Texts in other languages stay; `de=` removes the German text. A changed wording becomes
    a new version.

    Example: audience form change 1 --wording "de=Ja, bitte." --site 6f1c...
    """
    item = _load(asked, forms.get(site, form_id)) | ({"fields": []} if no_fields else {})
    if not item:
        raise click.UsageError(NOTHING)
    _show(forms.change(site, form_id, item, COMMAND_LINE, senders.obstacle(site, settings)), as_json)


@form.command(name="open")
@form_argument
@on_site
def open_form(settings: Settings, form_id: int, site: Site, as_json: bool) -> None:
    """Open a form. It needs a mail server or webhook, and a privacy page; a German form also needs an
    imprint.

    Example: audience form open 1 --site 6f1c...
    """
    _show(forms.set_state(site, form_id, OPEN, COMMAND_LINE, senders.obstacle(site, settings)), as_json)


@form.command()
@form_argument
@on_site
def pause(_: Settings, form_id: int, site: Site, as_json: bool) -> None:
    """Pause a form. Its page says that the form is paused; visitors can still confirm by the emails that they
    have.

    Example: audience form pause 1 --site 6f1c...
    """
    _show(forms.set_state(site, form_id, PAUSED, COMMAND_LINE), as_json)


@form.command()
@form_argument
@on_site
def archive(_: Settings, form_id: int, site: Site, as_json: bool) -> None:
    """Archive a form that is no longer needed. The form is kept as proof of what people agreed to.

    Example: audience form archive 1 --site 6f1c...
    """
    _show(forms.set_state(site, form_id, ARCHIVED, COMMAND_LINE), as_json)


@form.command()
@form_argument
@click.option("--end", "is_end", is_flag=True, help="End the event: the limits apply again.")
@on_site
def event(_: Settings, form_id: int, is_end: bool, site: Site, as_json: bool) -> None:
    """Lift a form's limits per network for a day, for example at a conference. Other limits still apply.

    Example: audience form event 1 --site 6f1c...
    """
    row = forms.set_event_mode(site, form_id, not is_end, COMMAND_LINE)
    until = row.event_until
    line = COUNTED if until is None else f"The limits per network are lifted until {write_date(until)}."
    show(wire.form(row), as_json, [line])


@form.command()
@form_argument
@click.option("--language", type=click.Choice(LANGUAGES), help="By default, the form's language.")
@on_site
def embed(settings: Settings, form_id: int, language: str | None, site: Site, as_json: bool) -> None:
    """Print the HTML of a form, for a page of your own.

    Example: audience form embed 1 --site 6f1c...
    """
    html = embedding.html(site, forms.get(site, form_id), language or "", settings.base_url)
    show({"html": html}, as_json, [html.rstrip()])


def _load(asked: dict[str, Any], form: SignUpForm | None = None) -> dict[str, Any]:
    """The validated values of a form, from the options in `asked`; other languages' texts are from `form`.

    Changes `asked`. Raises `FormError`, `BadParameter`.
    """
    fields = _fields(asked.pop("asked"), asked.pop("needed"), asked.pop("labels"), form)
    asked |= {name: _texts(name, asked[name], form) for name in TEXTS if asked[name]}
    asked["fields"] = fields
    item = {name: _without_empty(value) for name, value in asked.items() if value not in (None, (), [])}
    values: dict[str, Any] = load(wire.SaveForm(), {"form": item})["form"]
    return values


def _fields(
    wanted: tuple[str, ...], needed: tuple[str, ...], labels: tuple[str, ...], form: SignUpForm | None
) -> list[dict[str, Any]]:
    """The fields that the options name, first and last name first; with labels only, the fields of `form`.

    Empty without any of these options, so that no field is changed. Raises `BadParameter`.
    """
    if not (wanted or needed or labels):
        return []
    before = {field.key: field._asdict() for field in (form.fields if form else ())}
    keys = sorted(dict.fromkeys([*wanted, *needed]), key=[*NAMES, *wanted, *needed].index) or [*before]
    if wanted or needed:
        before = {key: before.get(key, {"key": key}) | {"required": key in needed} for key in keys}
    for option in labels:
        name, _, text = option.partition("=")
        key, _, language = name.rpartition(".")
        if key not in before:
            raise click.BadParameter(OF_FIELD, param_hint="--label")
        before[key]["labels"] = before[key].get("labels", {}) | {language: text}
    return [before[key] for key in keys]


def _without_empty(value: Any) -> Any:
    return [part for part in value if part] if isinstance(value, tuple) else value


def _texts(option: str, values: tuple[str, ...], form: SignUpForm | None) -> dict[str, str]:
    """The texts of an option, by language; `form`'s other languages are kept. Raises `BadParameter`."""
    pairs = [text.partition("=") for text in values]
    if not all(equals for _, equals, _ in pairs):
        raise click.BadParameter(BY_LANGUAGE, param_hint=f"--{option}")
    return {**(getattr(form, option) if form else {}), **{language: text for language, _, text in pairs}}


def _show(form: SignUpForm, as_json: bool) -> None:
    show(wire.form(form), as_json, _lines(form))


def _lines(form: SignUpForm) -> Iterator[str]:
    asked = [f"{field.key}{' (needed)' if field.required else ''}" for field in form.fields]
    yield f"Form {form.id}: {printable(form.name)}"
    yield f"state      {form.state}{', a test' if form.is_test else ''}"
    if form.event_until and form.has_event:
        yield f"event      until {write_date(form.event_until)}, without limits per network"
    yield f"asks for   {', '.join(['email', *asked])}"
    yield f"tags       {printable(', '.join(form.tags)) or 'none'}"
    yield f"websites   {', '.join(form.origins) or 'none'}"
    yield f"language   {form.language}"
    yield f"confirming {form.confirm}"
    yield f"delivery   {form.delivery if form.delivery == SMTP else f'webhook {form.delivery}'}"
    for language, text in form.wording.items():
        yield f"wording    {language}, version {form.version}: {printable(text)}"
