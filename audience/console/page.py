"""The decorator of every page. It checks, in this order: host, session, origin, role, token."""

import hmac
from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any, Literal, cast

from flask import Response, current_app, g, make_response, redirect, render_template, request, url_for
from werkzeug.datastructures import MultiDict

from audience.access import operators, sessions, sites
from audience.access.audit_log import Actor, network_of
from audience.access.operators import SignedInOperator
from audience.access.sites import Site
from audience.console.kept_forms import MAX_KEPT_BYTES, cannot_be_kept, encoded_form, page_of, render_again
from audience.console.origin import cookie_name, is_from_here, is_https, origin
from audience.errors import AudienceError, Forbidden, NotFound, NotUnderstood, Refused, TooLarge
from audience.http.access import View, client_address
from audience.http.errors import STATUS, domain_error
from audience.http.pages import error_page, public_root
from audience.http.services import settings
from audience.looks import looks
from audience.protocols import REFUSAL
from audience.sources import Source, SourceKind
from schemas.base import RequestSchema, load
from schemas.values import FormError

ANYONE, OPERATOR, ADMINISTRATOR = "anyone", "operator", "administrator"
SITE_ROLES = operators.ROLES
Role = Literal["anyone", "operator", "viewer", "support", "manager", "owner", "administrator"]

SET_UP = "console.two_factor.index"
SET_UP_FIRST = "set-up-first"  # in `SENTENCES`
BEFORE_SET_UP = ("console.two_factor", "console.sign_in")
BEFORE_COMPLETE = (*BEFORE_SET_UP, "console.account")
MAX_FORM_BYTES = 2**20
MAX_STRANGERS_FORM_BYTES = 2**14  # a token, or a name and a password
MAX_KEPT_FORM_BYTES = 2**16  # beside those a form that is kept, encoded once more
NOT_FOUND = "There is nothing here, or you may not see it: ask an owner of the site."
FORGED = "This was not sent from the console: open the page again, and send it from there."
OLD_FORM = "This page is too old: reload it, and repeat what you did."
LENGTH = "The request does not give its length: send the form from a browser."
NOT_SAVED = "Nothing was saved:"
WRONG_HOST = "The console does not answer under this address: use {address} instead."


def page(
    *, role: Role, again: View | None = None, takes_file: bool = False, takes_kept: bool = False
) -> Callable[[View], View]:
    """Lets in operators with `role` or a higher one. A role of a site must be held on the path's site.

    The view is called with `site` in place of the path's `site_uuid`, and the other parts of the path. If a
    POST is refused, the page `again` is shown, whose template finds the error in `refused`. With
    `takes_file`, the body may be as large as that of an import. With `takes_kept`, it may contain a kept
    form. The web server calls `check` before it receives a body.
    """
    most = partial(_max_bytes, role, takes_file, takes_kept)

    def decorate(view: View) -> View:
        @wraps(view)
        def run(**arguments: Any) -> Response:
            if origin() is None:
                return _no_console()
            if role != ANYONE and operator() is None:
                return _to_sign_in()
            if role != ANYONE and must_set_up():
                return redirect_to(SET_UP, done=SET_UP_FIRST if request.method == "POST" else None)
            if request.method == "POST":
                _check_sender()
                _check_body(most())
                if role != ANYONE and not _has_token():
                    return _render_again()
            if role in SITE_ROLES:
                arguments["site"] = g.site = _site(role, arguments.pop("site_uuid"))
                g.site_id = g.site.id
                operators.note_site(signed_in(), g.site)
            elif role == ADMINISTRATOR and not signed_in().administrator:
                raise NotFound(NOT_FOUND)
            return _answer(view, again, arguments)

        vars(run)["role"] = role
        vars(run)["check"] = partial(_check, role, takes_file, most)
        return run

    return decorate


def operator() -> SignedInOperator | None:
    """The signed-in operator; None if nobody is signed in."""
    if "operator" not in g:
        token = session_token()
        g.operator = operators.signed_in(token) if token else None
    return cast("SignedInOperator | None", g.operator)


def signed_in() -> SignedInOperator:
    """The signed-in operator. Raises `NotFound` if nobody is signed in."""
    if (found := operator()) is None:
        raise NotFound(NOT_FOUND)
    return found


def must_set_up() -> bool:
    """Whether the operator has to set up two-factor sign-in before the requested page.

    An operator without address or password may set these before.
    """
    needed = settings().require_two_factor and not signed_in().has_two_factor
    return needed and request.blueprint not in (BEFORE_SET_UP if signed_in().is_complete else BEFORE_COMPLETE)


def actor() -> Actor:
    """The operator as the actor in the audit log."""
    return Actor(signed_in().name, client_network())


def operator_source() -> Source:
    """The source of changes by the signed-in operator."""
    return Source(SourceKind.OPERATOR, signed_in().id)


def client_network() -> str:
    return network_of(client_address())


def session_token() -> str:
    return request.cookies.get(cookie_name(), "")


def keep_session(response: Response, token: str, max_age: int | None = None) -> Response:
    """Adds the session's cookie, which is sent only to the console, to a response. Returns it.

    `max_age` is in seconds; without it, the browser deletes the cookie when closed.
    """
    path = f"{public_root()}/console"
    response.set_cookie(
        cookie_name(), token, max_age, path=path, secure=is_https(), httponly=True, samesite="Lax"
    )
    return response


def csrf_token() -> str:
    return sessions.csrf_token(session_token())


def read_form() -> MultiDict[str, str]:
    """The fields of a form, without its file. Raises `RequestEntityTooLarge`."""
    request.max_form_memory_size = MAX_FORM_BYTES
    return request.form


def validate(form: RequestSchema, sent: dict[str, Any], message: str = "") -> dict[str, Any]:
    """The values in `sent`, validated by the schema `form`. Raises `Refused`, by default with all problems in
    its message.
    """
    try:
        values: dict[str, Any] = load(form, sent)
    except FormError as error:
        sentences = " ".join(problem.message for problem in error.problems)
        raise Refused(message or f"{NOT_SAVED} {sentences}", error.problems) from error
    return values


def url(endpoint: str, **values: Any) -> str:
    """The path of a page, after the public path.

    Links between pages of the instance keep `of`, the site from which they were reached.
    """
    uuid = request.args.get("of") if _is_of_instance(endpoint) else None
    return public_root() + url_for(endpoint, **{"of": uuid, **values})


def _is_of_instance(endpoint: str) -> bool:
    role = vars(current_app.view_functions.get(endpoint, _is_of_instance)).get("role")
    return role in (OPERATOR, ADMINISTRATOR)


def redirect_to(endpoint: str, **values: Any) -> Response:
    """Redirects to another page, after a POST."""
    return redirect_to_path(url(endpoint, **values))


def redirect_to_path(path: str) -> Response:
    return cast(Response, redirect(path, 303))


def attachment(content: str | bytes | Iterable[bytes], content_type: str, name: str) -> Response:
    """A response that the browser saves as a file, and that proxies such as nginx do not buffer."""
    response = Response(content, content_type=content_type)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    response.headers["X-Accel-Buffering"] = "no"
    return response


def _answer(view: View, again: View | None, arguments: dict[str, Any]) -> Response:
    """The view's response. If the view refuses, it is the page `again` with the error.

    Without `again`, the error is raised.
    """
    try:
        return make_response(view(**arguments))
    except AudienceError as error:
        if again is None:
            raise
        g.refused = error
        response = make_response(vars(again)["__wrapped__"](**arguments))
        response.status_code = STATUS[type(error)]
        response.headers.update(domain_error(error).headers)
        return response


def _no_console() -> Response:
    """The error page for a host on which the console does not answer.

    On the host of a site's pages it does not mention the console; on any other, it names the console's
    address.
    """
    if looks.is_own_host(request.host):
        return error_page(404, NOT_FOUND)
    return error_page(421, WRONG_HOST.format(address=f"{settings().console_url}/console"))


def _max_bytes(role: str, takes_file: bool, takes_kept: bool) -> int:
    """The maximum size of a page's form, in bytes."""
    if takes_file:
        return settings().import_max_bytes
    if takes_kept:
        return MAX_KEPT_FORM_BYTES
    return MAX_STRANGERS_FORM_BYTES if role == ANYONE else MAX_FORM_BYTES


def _check(role: str, takes_file: bool, most: Callable[[], int]) -> tuple[None, int]:
    """Checks a request before its body, but for the form's token. Returns (None, maximum bytes of the body).

    Raises `AudienceError`.
    """
    max_bytes = most()
    if origin() is None:
        raise Forbidden(FORGED)
    _check_sender()
    if role != ANYONE and (operator() is None or must_set_up()):
        if takes_file:
            raise Forbidden(FORGED if operator() is None else OLD_FORM)
        max_bytes = MAX_KEPT_BYTES
    elif role in SITE_ROLES:
        _site(role, (request.view_args or {})["site_uuid"])
    _check_body(max_bytes)
    return None, max_bytes


def _check_body(max_bytes: int) -> None:
    """Raises an error if the web server has refused the body, or it is too long, or has no length."""
    if REFUSAL in request.environ:
        raise request.environ[REFUSAL]
    if "HTTP_TRANSFER_ENCODING" in request.environ:
        raise NotUnderstood(LENGTH)
    if (request.content_length or 0) > max_bytes:
        raise TooLarge


def _to_sign_in() -> Response:
    """Redirects to the sign-in page, or shows it with the form of the console that this request sent.

    If the form cannot be kept, the page says that it was lost.
    """
    if request.method != "POST" or not is_from_here():
        return redirect_to(
            "console.sign_in.index", next=requested_path() if request.method == "GET" else None
        )
    if form_text := encoded_form():
        return make_response(
            render_template("sign_in.html", next=requested_path(), kept=form_text, sent={}), 403
        )
    lost = {"done": "ended", "next": page_of(request.path) or None} if cannot_be_kept() else {}
    return redirect_to("console.sign_in.index", **lost)


def requested_path() -> str:
    """The path of the request with its query."""
    query = request.query_string.decode("ascii", "replace")
    return request.path + (f"?{query}" if query else "")


def _check_sender() -> None:
    """Raises `Forbidden` unless a page of the console sent this request."""
    if not is_from_here():
        raise Forbidden(FORGED)


def _has_token() -> bool:
    sent = request.headers.get("X-CSRF-Token") or read_form().get("csrf", "")
    return hmac.compare_digest(sent.encode(errors="replace"), csrf_token().encode())


def _render_again() -> Response:
    """Shows a form again whose token is of an earlier session of the same operator.

    Raises `Forbidden` for another operator's form.
    """
    form_text = encoded_form()
    shown = render_again(requested_path(), form_text, signed_in(), csrf_token()) if form_text else None
    if shown is None:
        raise Forbidden(OLD_FORM)
    return make_response(shown, 403)


def _site(role: str, site_uuid: str) -> Site:
    """The site of a path, if the operator has the role there. Raises `NotFound`."""
    try:
        site = sites.get_by_uuid(site_uuid)
    except NotFound:
        site = None
    if site is None or not signed_in().may(role, site.id):
        raise NotFound(NOT_FOUND)
    return site
