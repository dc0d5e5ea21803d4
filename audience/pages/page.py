"""What all pages share: their headers, their language, the look of their site, and bodies of any kind."""

from collections.abc import Sequence
from typing import Any, NoReturn
from urllib.parse import quote, urlsplit

from flask import Response, make_response, render_template, request
from markupsafe import Markup
from werkzeug.datastructures import LanguageAccept

from audience.access.sites import Site
from audience.clock import DAY_MS
from audience.errors import NotFound, TooMany
from audience.forms.forms import origin_of
from audience.http.access import client_address, throttled_network
from audience.http.errors import ErrorResponse
from audience.http.pages import public_root
from audience.http.services import services, settings
from audience.looks import looks
from audience.looks.looks import LANGUAGES, Look
from audience.pages import texts
from audience.pages.files import FOLDER, look_url
from audience.pages.texts import Texts
from audience.protocols import REFUSAL
from audience.sign_ups.sign_ups import OPEN_MS

MAX_BODY_BYTES, MAX_FORM_BYTES = 2**14, 2**16  # the second takes ten answers in letters of 12 encoded bytes
SIGN_UP_DAYS, DECLINED_DAYS = OPEN_MS // DAY_MS, 30  # to confirm; without a confirmation
POLICY, OWN_FORMS = "Content-Security-Policy", "form-action 'self'"
HEADERS = {
    POLICY: (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
        f"{OWN_FORMS}; base-uri 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Robots-Tag": "noindex",
}
ERRORS = {404: "broken", 413: "large", 429: "wait"}  # by status; else "failed"
BROKEN = "No such link."
THROTTLED = "Too many wrong links."
ADDRESS = Markup("<b>{}{}<wbr>{}</b>")
LINK = Markup('<a href="{}">{}</a>')
BOLD = Markup('<b class="nb">{}</b>')


def show(
    template: str,
    site: Site,
    language: str = "",
    *,
    status: int = 200,
    offered: Sequence[str] = LANGUAGES,
    **shown: Any,
) -> Response:
    """Renders a page of a site in one of the languages `offered`.

    `language` is the subscriber's, if known, or the form's. A language in the URL overrides it.
    """
    look = looks.get(site)
    return _render(template, language, look.language, status, offered, site=site, look=look, **shown)


def error_page(error: ErrorResponse) -> Response:
    """The page of an error, of no site and equal for all errors with one status."""
    return _render("error", "", "", error.status, LANGUAGES, kind=ERRORS.get(error.status, "failed"))


def asked_language(offered: Sequence[str]) -> str:
    """The language in the page's URL; "" if it is none of `offered`."""
    asked = texts.supported_language(request.args.get("lang", ""))
    return asked if asked in offered else ""


def reader_language(of_site: str) -> str:
    """The language of an unknown reader: that of the URL, the browser's, or `of_site`."""
    named = LanguageAccept([pair for pair in request.accept_languages if pair[0] != "*"])
    return asked_language(LANGUAGES) or named.best_match(LANGUAGES, "") or of_site or texts.DEFAULT


def _render(
    template: str, of_person: str, of_site: str, status: int, offered: Sequence[str], **shown: Any
) -> Response:
    """Renders a page in the first known language of: the URL's, `of_person`, the browser's, `of_site`."""
    chosen = asked_language(offered)
    host = urlsplit(settings().base_url).netloc
    words = Texts(chosen or texts.supported_language(of_person) or reader_language(of_site))
    look = shown.get("look")
    return make_response(
        render_template(
            f"pages/{template}.html",
            t=words,
            name=public_name(look, shown["site"]) if look else "",
            host=host if request.host.lower() == host else "",  # of no other does it say where the console is
            languages=[Texts(language) for language in offered],
            query=f"?lang={chosen}" if chosen else "",
            root=public_root(),
            static=FOLDER.url,
            look_url=look_url,
            bold=bold,
            whole=whole,
            contact=looks.contact(look) if look else "",
            mail_link=mail_link,
            link=link,
            sign_up_days=SIGN_UP_DAYS,
            declined_days=DECLINED_DAYS,
            shown_host=shown_host,
            **shown,
        ),
        status,
    )


def public_name(look: Look, site: Site) -> str:
    return look.name or site.name


def bold(text: str) -> Markup | str:
    return BOLD.format(text) if text else ""


def whole(address: str) -> Markup:
    """An address in full as HTML; a long one may break after the @."""
    return ADDRESS.format(*address.rpartition("@"))


def link(url: str, text: str) -> Markup:
    """The HTML of a link."""
    return LINK.format(url, text)


def mail_link(address: str) -> Markup:
    return LINK.format(f"mailto:{quote(address, safe='@')}", address)


def shown_host(url: str) -> str:
    """The host of a home page, for the text of its link."""
    return urlsplit(url).netloc


def put_headers(response: Response) -> Response:
    """Adds each of `HEADERS` that the response does not have."""
    for name, value in HEADERS.items():
        response.headers.setdefault(name, value)
    return response


def allow_redirect(response: Response, url: str) -> Response:
    """Lets a page's form be redirected to `url`, if any, by the page's security policy. Returns the response.

    Browsers check redirects of forms, too.
    """
    if url:
        own = f"{OWN_FORMS} {origin_of(url)}"
        response.headers[POLICY] = HEADERS[POLICY].replace(OWN_FORMS, own)
    return response


def redirect_to_owner(url: str) -> Response:
    """A redirect to one of the owner's pages."""
    return Response(status=303, headers={"Location": url})


def refuse_link() -> NoReturn:
    """Raises `NotFound`, or `TooMany` after many bad links from one network."""
    limit, address = settings().auth_failures, throttled_network(client_address())
    if wait := services().limiter.hit(limit, "link", address):
        raise TooMany(THROTTLED, wait)
    raise NotFound(BROKEN)


def check() -> tuple[None, int]:
    """Returns (None, maximum bytes of the body), as the web server asks before the body."""
    return None, MAX_BODY_BYTES


def check_form() -> tuple[None, int]:
    """As `check`, for a form that a visitor fills in: it may be longer."""
    return None, MAX_FORM_BYTES


def read_body(most: int = MAX_BODY_BYTES) -> bytes:
    """The raw body of any content type, of at most `most` bytes. `request.form` then has the fields of a
    form.

    Raises the web server's refusal of the body.
    """
    if REFUSAL in request.environ:
        raise request.environ[REFUSAL]
    request.max_content_length = most
    return request.get_data()
