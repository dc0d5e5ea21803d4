"""What all pages share: their headers, their language, the look of their site, and bodies of any kind."""

from typing import Any
from urllib.parse import urlsplit

from flask import Response, make_response, render_template, request
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept

from audience.access.sites import Site
from audience.http.errors import ErrorResponse
from audience.http.pages import public_root
from audience.http.services import settings
from audience.looks import looks
from audience.looks.looks import LANGUAGES, Look
from audience.pages import texts
from audience.pages.files import look_url, static_url
from audience.pages.texts import Texts
from audience.protocols import REFUSAL

MAX_BODY_BYTES = 2**14
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; "
        "base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}
ERRORS = {404: "broken", 413: "large", 429: "wait"}  # by status; else "failed"
BOLD = Markup('<b class="nb">{}</b>')


def show(template: str, site: Site, language: str = "", *, status: int = 200, **shown: Any) -> Response:
    """A page of a site. `language` is that of the person, if it is known."""
    look = looks.get(site)
    return _render(template, language, look.language, status, site=site, look=look, **shown)


def error_page(error: ErrorResponse) -> Response:
    """The page of an error: of no site, and the same for all causes of one status."""
    return _render("error", "", "", error.status, kind=ERRORS.get(error.status, "failed"))


def _render(template: str, of_person: str, of_site: str, status: int, **shown: Any) -> Response:
    chosen = texts.known(request.args.get("lang", ""))
    named = LanguageAccept([pair for pair in request.accept_languages if pair[0] != "*"])
    accepted = named.best_match(LANGUAGES, "")
    host = urlsplit(settings().base_url).netloc
    words = Texts(chosen or texts.known(of_person) or accepted or of_site or texts.DEFAULT)
    return make_response(
        render_template(
            f"pages/{template}.html",
            t=words,
            name=public_name(shown["look"], shown["site"]) if "site" in shown else "",
            host=host if request.host.lower() == host else "",  # of no other does it say where the console is
            languages=[Texts(language) for language in LANGUAGES],
            query=f"?lang={chosen}" if chosen else "",
            root=public_root(),
            static_url=static_url,
            look_url=look_url,
            bold=bold,
            shown_host=shown_host,
            **shown,
        ),
        status,
    )


def public_name(look: Look, site: Site) -> str:
    return look.name or site.name


def bold(text: str) -> Markup | str:
    return BOLD.format(text) if text else ""


def shown_host(url: str) -> str:
    """The host of a home page, which its link shows."""
    return urlsplit(url).netloc


def put_headers(response: Response) -> Response:
    response.headers.update(HEADERS)
    return response


def check() -> tuple[None, int]:
    """Before a body is taken."""
    return None, MAX_BODY_BYTES


def read_body() -> bytes:
    """The body as it was sent, urlencoded, multipart, a text or none. Raises why there is none.

    `request.form` has what is a form in it.
    """
    if REFUSAL in request.environ:
        raise request.environ[REFUSAL]
    request.max_content_length = MAX_BODY_BYTES
    return request.get_data()
