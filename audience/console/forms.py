"""Forms by which visitors sign up, and the page of one: settings, preview, HTML, versions of its wording."""

from operator import attrgetter
from typing import Any

from flask import Blueprint, Response, g, render_template, request

from audience import clock
from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.console.page import actor, page, read_form, redirect_to, validate
from audience.console.sent_once import make_once, sent_before
from audience.console.site_pages import LANGUAGE_NAMES
from audience.forms import embedding, forms
from audience.forms.forms import OPEN, SMTP, SignUpForm
from audience.http.services import settings
from audience.looks import looks, senders
from audience.mail import messages
from audience.mail.messages import SignUpAsked
from audience.pages import previews
from audience.pages.page import SIGN_UP_DAYS
from audience.sign_ups import sign_ups
from audience.webhooks import webhooks
from schemas.forms import SaveForm
from schemas.values import LANGUAGES, NAMES

blueprint = Blueprint("forms", __name__)

NEW_NAME = "Website"
TEXTS, LABELS = ("intro", "wording", "thanks"), "labels"
LINES = (
    "name",
    "language",
    "next_url",
    "confirmed_url",
    "confirm",
    "delivery",
    *NAMES,
    "further",
    "tags",
    "origins",
)
NEEDED, ASKED, STAR = "needed", "asked", "*"
FRAMES = {"form": "Form", "mailbox": "Check your inbox", "confirm": "Confirm", "welcome": "You’re in"}


@blueprint.get("/sites/<site_uuid>/forms")
@page(role="viewer")
def index(site: Site) -> str:
    """Forms"""
    return render_template(
        "forms.html",
        listed=forms.list_all(site),
        look=looks.get(site),
        obstacle="" if webhooks.for_sign_ups(site) else senders.obstacle(site, settings()),
        figures=sign_ups.figures_by_form(site),
        open_number=sign_ups.count_open_by_status(site, clock.now_ms() + 1).total(),
    )


@blueprint.get("/sites/<site_uuid>/forms/new")
@page(role="manager")
def new(site: Site) -> str:
    """A new form, filled in with proposals"""
    return _settings(site, _saved_or_proposed(site, 0))


@blueprint.post("/sites/<site_uuid>/forms/new")
@page(role="manager", again=new)
def create(site: Site) -> Response:
    """Make a form"""
    item = _item()
    form, form_id = make_once(site.id, lambda: forms.create(site, item, actor()), attrgetter("id"))
    done = sent_before(form) or "form-made"
    return redirect_to("console.forms.show", site_uuid=site.uuid, form_id=form_id, done=done)


@blueprint.get("/sites/<site_uuid>/forms/<number:form_id>")
@page(role="viewer")
def show(site: Site, form_id: int) -> str:
    """A form"""
    return _settings(site, forms.get(site, form_id))


@blueprint.post("/sites/<site_uuid>/forms/<number:form_id>")
@page(role="manager", again=show)
def change(site: Site, form_id: int) -> Response:
    """Change a form, and open it if asked to"""
    before = forms.get(site, form_id)
    form = forms.change(site, form_id, _item(), actor(), senders.obstacle(site, settings()))
    done = _done(before, form)
    return redirect_to("console.forms.show", site_uuid=site.uuid, form_id=form_id, done=done)


@blueprint.post("/sites/<site_uuid>/forms/<number:form_id>/state")
@page(role="manager", again=show)
def set_state(site: Site, form_id: int) -> Response:
    """Pause or archive a form, or open it as saved"""
    item = validate(SaveForm(), {"form": {"state": read_form().get("state", "")}})["form"]
    form = forms.change(site, form_id, item, actor(), senders.obstacle(site, settings()))
    done = "form-opened" if form.state == OPEN else f"form-{form.state}"
    return redirect_to("console.forms.show", site_uuid=site.uuid, form_id=form_id, done=done)


@blueprint.post("/sites/<site_uuid>/forms/<number:form_id>/event")
@page(role="owner", again=show)
def set_event(site: Site, form_id: int) -> Response:
    """Begin an event, a day without limits of sign-ups from one network, or end it"""
    form = forms.set_event_mode(site, form_id, read_form().get("event") == "on", actor())
    done = "event-on" if form.has_event else "event-off"
    return redirect_to("console.forms.show", site_uuid=site.uuid, form_id=form_id, done=done)


@blueprint.get("/sites/<site_uuid>/forms/<number:form_id>/preview/<name>")
@page(role="viewer")
def preview(site: Site, form_id: int, name: str) -> Response:
    """A page of the form as saved; with the id 0, of a new form as proposed"""
    return previews.show_form(name, site, _saved_or_proposed(site, form_id))


@blueprint.post("/sites/<site_uuid>/forms/<number:form_id>/preview/<name>")
@page(role="manager")
def preview_typed(site: Site, form_id: int, name: str) -> Response:
    """A page of the form with what was typed; nothing is saved"""
    return previews.show_form(name, site, forms.with_values(_saved_or_proposed(site, form_id), _item()))


def _done(before: SignUpForm, form: SignUpForm) -> str:
    """The sentence that says what a change of a form did."""
    if form.state != OPEN:
        return "form-saved"
    if before.state != OPEN:
        return "form-opened"
    return "form-live" if form.version == before.version else "form-reworded"


def _saved_or_proposed(site: Site, form_id: int) -> SignUpForm:
    """The saved form; for the id 0, a new one as proposed. Raises `NotFound`."""
    return forms.get(site, form_id) if form_id else forms.draft(site, {"name": NEW_NAME})


def _settings(site: Site, form: SignUpForm) -> str:
    """The page of a form, filled in as sent, else as saved or proposed."""
    offered, look = forms.languages(form), looks.get(site)
    errors = g.refused.errors if "refused" in g else ()
    htmls = {language: _html(site, form, language) for language in offered} if form.id else {}
    return render_template(
        "sign_up_form.html",
        form=form,
        sent=_sent_fields()
        if "name" in request.form
        else _saved_fields(form, forms.proposed_wording(look, form.language)),
        languages={language: LANGUAGE_NAMES[language] for language in LANGUAGES},
        frames=FRAMES,
        htmls=htmls,
        email=_email(site, form),
        address=embedding.address(site, form, settings().base_url),
        wordings=forms.wordings(site, form.id),
        agreed=sign_ups.agreed(site, form.id),
        is_proxied=not settings().trusted_proxies and sign_ups.is_proxied(site),
        look=look,
        obstacle=forms.delivery_problem(site, form, senders.obstacle(site, settings())),
        webhooks=webhooks.for_sign_ups(site),
        problems={_page_field(error.field): error.message for error in errors},
    )


def _page_field(field: str) -> str:
    """The name on the page of a field of the API."""
    name = field.partition("[")[0]
    return "form.further" if name == "form.fields" else name


def _email(site: Site, form: SignUpForm) -> str:
    """A sample of a form's confirmation; "" without a From address, or if a webhook's receiver writes it."""
    sender, now = senders.sender(site), clock.now_ms()
    if not sender.mail_from or form.delivery != SMTP:
        return ""
    link = f"{looks.base_url(looks.get(site), settings().base_url)}/confirm/AQEAAAGZ8KJq…"
    origin = next(iter(form.origins), "")
    asked = SignUpAsked(origin, now, now + SIGN_UP_DAYS * DAY_MS, link, f"{link}/decline")
    message = messages.confirmation(form.language, sender, previews.TYPED, "s@example.com", asked)
    return f"From: {message['From']}\nSubject: {message['Subject']}\n\n{message.get_content()}"


def _html(site: Site, form: SignUpForm, language: str) -> str:
    return embedding.html(site, form, language, settings().base_url)


def _sent_fields() -> dict[str, Any]:
    """The fields as sent, with texts and labels by language."""
    form = read_form()
    kinds = (*TEXTS, LABELS)
    texts = {kind: {language: form.get(f"{kind}_{language}", "") for language in LANGUAGES} for kind in kinds}
    return {name: form.get(name, "") for name in LINES} | texts | {"is_test": "is_test" in form}


def _saved_fields(form: SignUpForm, proposed: dict[str, str]) -> dict[str, Any]:
    """The fields of a form, with the proposed wording if it has none."""
    names = {field.key: NEEDED if field.required else ASKED for field in form.fields if field.key in NAMES}
    further = [f"{field.key}{STAR * field.required}" for field in form.fields if field.key not in NAMES]
    labels = {
        language: "\n".join(f"{field.key}: {field.labels[language]}" for field in form.fields
                            if language in field.labels)
        for language in LANGUAGES
    }  # fmt: skip
    lists = {"tags": ", ".join(form.tags), "origins": "\n".join(form.origins), "further": ", ".join(further)}
    texts = {"wording": form.wording or proposed, LABELS: labels}
    return form._asdict() | dict.fromkeys(NAMES, "") | names | lists | texts


def _item() -> dict[str, Any]:
    """The form that was sent, as the API takes it. Raises `Refused`."""
    sent = _sent_fields()
    asked = {key: sent[key] == NEEDED for key in NAMES if sent[key]}
    asked |= {key.rstrip(STAR): key.endswith(STAR) for key in sent["further"].replace(",", " ").split()}
    fields = [{"key": key, "required": asked[key], LABELS: _labels(sent[LABELS], key)} for key in asked]
    values = {name: value for name, value in sent.items() if name not in (*NAMES, "further", LABELS)}
    values |= {"fields": fields, "origins": sent["origins"].replace(",", " ").split()}
    values |= {} if sent["delivery"] else {"delivery": SMTP}
    values |= {"state": OPEN} if read_form().get("state") == OPEN else {}
    item: dict[str, Any] = validate(SaveForm(), {"form": values})["form"]
    return item


def _labels(sent: dict[str, str], key: str) -> dict[str, str]:
    """The labels of a field by language, from lines `key: label`."""
    lines = [(language, *line.partition(":")) for language in sent for line in sent[language].splitlines()]
    return {language: label for language, name, _, label in lines if name.strip() == key}
