"""The look of the pages for people: name, URLs, colour and logo; and the sender of the emails."""

from flask import Blueprint, Response, render_template, request

from audience.access.sites import Site
from audience.console.page import actor, page, read_form, redirect_to, signed_in
from audience.http.services import settings
from audience.looks import colours, looks, senders
from audience.looks.looks import LANGUAGES
from audience.mail.results import ENCRYPTED, PLAIN, UPGRADED, MailResult, server
from audience.mail.sender import missing

blueprint = Blueprint("site_pages", __name__)

LANGUAGE_NAMES = {
    "en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "it": "Italiano", "nl": "Nederlands",
    "pt": "Português",
}  # fmt: skip


ENCRYPTION = {UPGRADED: "STARTTLS", ENCRYPTED: "TLS", PLAIN: "not encrypted"}
PREVIEWS = {
    "ask": "Unsubscribe", "left": "Unsubscribed", "choose": "Preferences", "come_back": "Coming back",
}  # fmt: skip


@blueprint.get("/sites/<site_uuid>/pages")
@page(role="manager")
def index(site: Site) -> str:
    """Pages and mail"""
    return _show(site)


def _show(site: Site, tested: MailResult | None = None) -> str:
    """The page, with the result of a test email that was just sent, if any."""
    look, sender = looks.get(site), senders.sender(site)
    languages = {language: LANGUAGE_NAMES[language] for language in LANGUAGES}
    return render_template(
        "site_pages.html",
        previews=PREVIEWS,
        look=look,
        languages=languages,
        colours=colours,
        base_url=settings().base_url,
        obstacle=missing(settings(), sender),
        leave_url=f"{looks.base_url(look, settings().base_url)}/leave/{site.uuid}",
        relay=server(settings()) if settings().smtp_url else None,
        per_hour=settings().confirmations_per_hour,
        encryption=ENCRYPTION,
        tested=tested,
    )


@blueprint.post("/sites/<site_uuid>/pages")
@page(role="manager", again=index)
def change(site: Site) -> Response:
    """Change how the pages for people look, and who the emails are from"""
    form, look = read_form(), looks.get(site)
    typed = looks.FIELDS + (senders.FIELDS if signed_in().may("owner", site.id) else ())
    sent = {field: getattr(look, field) for field in looks.FIELDS + senders.FIELDS}
    sent |= {field: form[field].strip() for field in typed if field in form}
    picture = request.files["logo"].read() if "logo" in request.files else b""
    of_logo = (picture, "remove_logo" in form)
    senders.change_with_look(site, sent, *of_logo, signed_in().administrator, actor(), settings().base_url)
    then = "console.forms.new" if request.args.get("then") == "form" else "console.site_pages.index"
    return redirect_to(then, site_uuid=site.uuid, done="pages")


@blueprint.post("/sites/<site_uuid>/pages/mail/test")
@page(role="owner", again=index)
def send_test(site: Site) -> str:
    """Send a test email to oneself"""
    return _show(site, senders.send_test(site, signed_in().email, settings(), actor()))
