"""The pages of a form: filling it in, the step after it, and where to look for the email.

A step is the page with a button and a challenge, which the browser solves before the sign-up is made.
"""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from flask import Blueprint, Response, g, request

from audience import addresses
from audience.access import sites
from audience.access.sites import Site
from audience.errors import NotFound
from audience.forms import embedding, forms
from audience.forms.forms import OPEN, SignUpForm
from audience.http.access import public
from audience.http.services import services, settings
from audience.pages import visitors
from audience.pages.page import (
    MAX_FORM_BYTES,
    allow_redirect,
    asked_language,
    check,
    check_form,
    read_body,
    redirect_to_owner,
    refuse_link,
    show,
)
from audience.sign_ups import checks, sign_ups, steps
from audience.sign_ups.checks import CheckedAddress
from audience.sign_ups.sign_ups import SignUpRequest
from audience.sign_ups.steps import FormStep, StepOutcome
from schemas.base import is_clean_text
from schemas.links import has_link
from schemas.values import NAMES, trim

blueprint = Blueprint("forms", __name__)

TRAP = "nickname_2"
MAX_TYPED, MAX_VALUE = 320, 200  # characters; longer addresses are none
TRAPPED, BUTTON = "trapped", "button"  # why a sign-up is held


@blueprint.get("/forms/<site_uuid>/<number:form_id>")
@public
def fill_in(site_uuid: str, form_id: int) -> Response:
    """A form to fill in"""
    site, form = _read(site_uuid, form_id)
    return _form(site, form) if form.state == OPEN else _paused_page(site, form)


@blueprint.post("/forms/<site_uuid>/<number:form_id>")
@public
def ask(site_uuid: str, form_id: int) -> Response:
    """The step after a form; stores nothing"""
    site, form = _read(site_uuid, form_id)
    read_body(MAX_FORM_BYTES)
    if form.state != OPEN:
        return _paused_page(site, form)
    count = visitors.count_form(form)
    if count.wait:
        return _crowded_page(site, form, count.wait)
    step = _typed_step(site, form)
    checked = _check_address(site, step)
    missing = [field.key for field in form.fields if field.required and not step.fields.get(field.key)]
    if not checked.is_good or missing:
        return _form(site, form, typed=step, checked=checked, missing=missing)
    return _step(site, form, steps.begin(site, step, count.is_hard))


@blueprint.post("/forms/<site_uuid>/<number:form_id>/send")
@public
def send(site_uuid: str, form_id: int) -> Response:
    """Makes a sign-up of the step; the page does not tell whether the address is known"""
    site, form = _read(site_uuid, form_id)
    read_body()
    step = steps.read(site, form.id, request.form.get("step", ""))
    if step is None:
        refuse_link()
    if form.state != OPEN:
        return _paused_page(site, form)
    if wait := visitors.count_step(form):
        return _crowded_page(site, form, wait)
    outcome = steps.judge(site, step, visitors.network(), request.form.get("solution", ""))
    if outcome is StepOutcome.EARLY:
        return _step(site, form, step, is_early=True)
    if outcome is StepOutcome.AGAIN:
        again = step._replace(network=visitors.network())
        return _step(site, form, steps.begin(site, again, step.is_hard))
    sign_ups.accept(site, form, _sign_up_request(step, _why_held(form, step, outcome)))
    return redirect_to_owner(form.next_url) if form.next_url else _page("mailbox", site, form, typed=step)


vars(ask)["check"] = check_form
vars(send)["check"] = check


def _read(site_uuid: str, form_id: int) -> tuple[Site, SignUpForm]:
    """The site and the form of a path. Raises `NotFound`."""
    site = sites.get_by_uuid(site_uuid)
    g.site_id = site.id
    return site, forms.get(site, form_id)


def _typed_step(site: Site, form: SignUpForm) -> FormStep:
    """The step with what a visitor typed. Fields that the form does not ask for are left out."""
    sent, origin = request.form, request.headers.get("Origin", "")
    typed = {field.key: _text(sent.get(field.input_name, ""), MAX_VALUE) for field in form.fields}
    language = _language(form)
    return FormStep(
        form_id=form.id,
        email=_text(sent.get("email_use") or sent.get("email", ""), MAX_TYPED),
        fields={key: text for key, text in typed.items() if text},
        language=language,
        origin=origin if origin in form.origins else "",
        version=_version(site, form, language),
        is_trapped=bool(sent.get(TRAP)),
        network=visitors.network(),
    )


def _text(typed: str, most: int) -> str:
    """A typed text, trimmed and cut to `most` characters.

    "" if it cannot be stored, or contains a subscriber's link.
    """
    text = trim(typed)[:most]
    return text if is_clean_text(text) and not has_link(text) else ""


def _version(site: Site, form: SignUpForm, language: str) -> int:
    """The version of the wording that was shown, as the page says; the newest if that does not exist."""
    sent = request.form.get("wording", "")
    shown = int(sent) if sent.isascii() and sent.isdecimal() and len(sent) < 10 else form.version
    with suppress(NotFound):
        forms.wording(site, form.id, shown, language)
        return shown
    return form.version


def _check_address(site: Site, step: FormStep) -> CheckedAddress:
    """The result of checking the typed address, which a visitor may have kept in spite of a suggestion."""
    name = " ".join(step.fields[name] for name in NAMES if name in step.fields)
    is_kept = request.form.get("email_keep") == step.email
    return checks.check(services().answers, site, step.email, is_kept, name, visitors.agent())


def _sign_up_request(step: FormStep, held: str) -> SignUpRequest:
    """The sign-up to make. `held` is why it is on hold, "" if it is not."""
    return SignUpRequest(
        email=addresses.identity(step.email),
        fields=step.fields,
        language=step.language,
        origin=step.origin,
        network=step.network,
        country=visitors.country(),
        agent=visitors.agent(),
        version=step.version,
        is_held=bool(held),
        reason=held,
        base_url=settings().base_url,
        is_proxied=visitors.is_proxied(),
    )


def _why_held(form: SignUpForm, step: FormStep, outcome: StepOutcome) -> str:
    """The reason to put a sign-up on hold, or "". Counts a press of the button without the script."""
    if step.is_trapped:
        return TRAPPED
    return BUTTON if outcome is StepOutcome.PRESSED and visitors.count_press(form) else ""


def _language(form: SignUpForm) -> str:
    return asked_language(forms.languages(form)) or form.language


def _page(name: str, site: Site, form: SignUpForm, status: int = 200, **shown: Any) -> Response:
    here = f"/forms/{site.uuid}/{form.id}"
    offered = forms.languages(form)
    return show(name, site, form.language, status=status, offered=offered, form=form, here=here, **shown)


def _form(site: Site, form: SignUpForm, **problems: Any) -> Response:
    """The page of the form to fill in; with `problems`, status 422."""
    shown: Mapping[str, Any] = {"typed": None, "checked": CheckedAddress(), "missing": ()} | problems
    return _page(
        "form", site, form, 422 if problems else 200, trap=TRAP, completes=embedding.COMPLETES, **shown
    )


def _step(site: Site, form: SignUpForm, step: FormStep, is_early: bool = False) -> Response:
    signed = steps.sign(site, step)
    page = _page("step", site, form, step=step, signed=signed, is_early=is_early, is_form=True)
    return allow_redirect(page, form.next_url)


def _paused_page(site: Site, form: SignUpForm) -> Response:
    return _page("paused", site, form)


def _crowded_page(site: Site, form: SignUpForm, wait: int) -> Response:
    """The page for a network that must wait; `wait` is in seconds."""
    page = _page("crowded", site, form, 429, until=visitors.instant_after(wait))
    page.headers["Retry-After"] = str(wait)
    return page
