"""How the pages for people look: their name, addresses, colour and logo."""

from flask import Blueprint, Response, render_template, request

from audience.access.sites import Site
from audience.console.page import actor, page, read_form, redirect_to
from audience.http.services import settings
from audience.looks import colours, looks
from audience.looks.looks import LANGUAGES

blueprint = Blueprint("site_pages", __name__)

FIELDS = ("name", "home", "imprint", "privacy", "language", "accent", "base_url")
LANGUAGE_NAMES = {
    "en": "English", "de": "Deutsch", "es": "Español", "fr": "Français", "it": "Italiano", "nl": "Nederlands",
    "pt": "Português",
}  # fmt: skip


PREVIEWS = {
    "ask": "Unsubscribe", "left": "Unsubscribed", "choose": "Preferences", "come_back": "Coming back",
}  # fmt: skip


@blueprint.get("/sites/<site_uuid>/pages")
@page(role="manager")
def index(site: Site) -> str:
    """Pages and mail"""
    look = looks.get(site)
    languages = {language: LANGUAGE_NAMES[language] for language in LANGUAGES}
    return render_template(
        "site_pages.html",
        previews=PREVIEWS,
        look=look,
        languages=languages,
        colours=colours,
        base_url=settings().base_url,
    )


@blueprint.post("/sites/<site_uuid>/pages")
@page(role="manager", again=index)
def change(site: Site) -> Response:
    """Change how the pages for people look"""
    form = read_form()
    sent = {field: form.get(field, "").strip() for field in FIELDS}
    sent |= {"accent": sent["accent"].lower(), "base_url": sent["base_url"].lower().rstrip("/")}
    picture = request.files["logo"].read() if "logo" in request.files else b""
    looks.change(site, sent, picture, "remove_logo" in form, actor(), settings().base_url)
    return redirect_to("console.site_pages.index", site_uuid=site.uuid)
