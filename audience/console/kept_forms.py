"""Keeps a form that could not be processed now, so that it can be sent again as it was.

If the session has ended, the form is kept through the sign-in, and shown only to the operator who had filled
it in. It has no effect before it is sent again.
"""

import hmac
import inspect
from contextlib import suppress
from urllib.parse import parse_qsl, urlencode

from flask import current_app, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Rule

from audience.access import sessions
from audience.access.operators import SignedInOperator
from audience.http.errors import FAULTY_DISK, UNAVAILABLE
from audience.http.pages import public_root
from audience.protocols import REFUSAL

FORM = "application/x-www-form-urlencoded"
MAX_KEPT_BYTES = 2**14
PASSWORDS = frozenset({"current", "password", "present"})  # names of fields
SECRETS = PASSWORDS | {"csrf", "secret", "token"}
OF_THE_PAGE = frozenset({"by", "form"})  # fields that nobody filled in
NOWHERE = "console.nowhere"
QUESTIONS = frozenset(
    {"bulk_actions.begin", "bulk_actions.choose", "checks.ask", "sign_ups.find", "subscribers.search"}
)
WORDS: dict[str, str] = {
    UNAVAILABLE: "The database is busy, or cannot be reached.",
    FAULTY_DISK: "The disk of the service is full or faulty: tell whoever runs the service.",
}

Fields = list[tuple[str, str]]


def kept_form() -> Fields:
    """The fields that this request sent; empty for a GET, a form with a file, or a refused body."""
    if request.method != "POST" or request.mimetype != FORM or REFUSAL in request.environ:
        return []
    return list(request.form.items(multi=True))


def encoded_form() -> str:
    """The fields of a request without a session or its token, encoded as a query, without secrets.

    "" if there is nothing to keep, or no `Origin`, which the caller compares.
    """
    if "Origin" not in request.headers or cannot_be_kept():
        return ""
    fields = [(name, value) for name, value in kept_form() if name not in SECRETS]
    names = {name for name, _ in fields}
    return urlencode(fields) if "by" in names and names - OF_THE_PAGE else ""


def cannot_be_kept() -> bool:
    """Whether this request's form has a file or a password, or is too long to be kept."""
    if request.mimetype != FORM or (request.content_length or 0) > MAX_KEPT_BYTES:
        return True
    return not PASSWORDS.isdisjoint(name for name, _ in kept_form())


def render_again(target: str, encoded_form: str, operator: SignedInOperator, csrf: str) -> str | None:
    """The page that shows a kept form to the operator who filled it in; None for another operator or target.

    The page itself sends a form that only asks a question, such as a search.
    """
    fields, rule = parse_qsl(encoded_form, keep_blank_values=True), _rule(target, "POST")
    by = dict(fields).get("by", "")
    if rule is None or not hmac.compare_digest(by.encode(), sessions.form_owner(operator.id).encode()):
        return None
    endpoint, of_all = rule.endpoint.removeprefix("console."), {"fields": fields, "new_csrf": csrf}
    if endpoint in QUESTIONS:
        asks = target.replace(
            "/acts", "/subscribers/chosen", 1
        )  # of a bulk action, where its subscribers are counted
        return render_template("go_on.html", path=public_root() + asks, **of_all)
    shown_fields = [(name, value) for name, value in fields if name not in OF_THE_PAGE]
    what = inspect.getdoc(current_app.view_functions[rule.endpoint])
    named = {"what": what, "root": public_root(), "target": target, "at": page_of(target)}
    return render_template("send_again.html", seen=shown_fields, **named, **of_all)


def page_of(target: str) -> str:
    """The path of the page whose form is sent to `target`; "" if there is none."""
    path, posted = target.partition("?")[0], _rule(target, "POST")
    while posted is not None and path.count("/") > 1:
        shown = _rule(path, "GET")
        if shown is not None and shown.arguments <= posted.arguments:
            return path
        path = path.rpartition("/")[0]
    return ""


def _rule(target: str, method: str) -> Rule | None:
    """The routing rule of a page that needs a sign-in; None for other targets."""
    with suppress(HTTPException):
        adapter = current_app.url_map.bind("")
        rule, _ = adapter.match(target.partition("?")[0], method, return_rule=True)
        if vars(current_app.view_functions[rule.endpoint]).get("role", "anyone") != "anyone":
            return rule if rule.endpoint != NOWHERE else None
    return None
