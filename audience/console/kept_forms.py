"""A form that could not be taken now: the page that says so keeps it, to be sent again as it was.

After the end of a session it goes through the sign-in, and is shown to who had filled it in. Nothing of it is
carried out before it is sent again.
"""

import hmac
from contextlib import suppress
from typing import Any
from urllib.parse import parse_qsl, urlencode

from flask import current_app, render_template, request
from werkzeug.exceptions import HTTPException
from werkzeug.routing import Rule

from audience import sessions
from audience.http.errors import FAULTY_DISK, UNAVAILABLE
from audience.http.pages import public_root
from audience.operators import SignedInOperator
from audience.protocols import REFUSAL

FORM = "application/x-www-form-urlencoded"
MAX_KEPT_BYTES = 2**14
SECRETS = frozenset({"csrf", "current", "password", "present", "secret", "token"})  # names of fields
OF_THE_PAGE = frozenset({"by", "form"})  # fields that nobody filled in
NOWHERE = "console.nowhere"
WORDS = {
    UNAVAILABLE: "Others are writing just now, or the database cannot be reached.",
    FAULTY_DISK: "The disk of the service is full or faulty: tell whoever runs it.",
}

Fields = list[tuple[str, str]]


def kept_form() -> Fields:
    """The fields that this request sent; none of a form with a file, and of one that was not taken."""
    if request.method != "POST" or request.mimetype != FORM or REFUSAL in request.environ:
        return []
    return list(request.form.items(multi=True))


def unsent_form() -> str:
    """The fields that this request sent without being signed in, but for secrets, as a query; "" for none.

    None without an `Origin`, which the caller compares.
    """
    if "Origin" not in request.headers or is_too_much_to_keep():
        return ""
    fields = [(name, value) for name, value in kept_form() if name not in SECRETS]
    names = {name for name, _ in fields}
    return urlencode(fields) if "by" in names and names - OF_THE_PAGE else ""


def is_too_much_to_keep() -> bool:
    """Whether this request has a file, or a long form."""
    return request.mimetype != FORM or (request.content_length or 0) > MAX_KEPT_BYTES


def shown_again(target: str, kept: str, operator: SignedInOperator, csrf: str) -> str | None:
    """The page of a form that was not carried out, for who had filled it in; None for another operator."""
    fields, rule = parse_qsl(kept, keep_blank_values=True), _rule(target, "POST")
    by = dict(fields).get("by", "")
    if rule is None or not hmac.compare_digest(by.encode(), sessions.form_owner(operator.id).encode()):
        return None
    view: Any = current_app.view_functions[rule.endpoint]
    seen = [(name, value) for name, value in fields if name not in OF_THE_PAGE]
    what, root = (view.__doc__ or "").partition("\n")[0], public_root()
    named = {"what": what, "root": root, "target": target, "at": page_of(target)}
    return render_template("send_again.html", fields=fields, seen=seen, new_csrf=csrf, **named)


def page_of(target: str) -> str:
    """The path of the page that has the form which is sent to a path; "" if there is none."""
    path, posted = target.partition("?")[0], _rule(target, "POST")
    while posted is not None and path.count("/") > 1:
        shown = _rule(path, "GET")
        if shown is not None and shown.arguments <= posted.arguments:
            return path
        path = path.rpartition("/")[0]
    return ""


def _rule(target: str, method: str) -> Rule | None:
    """The rule of a page of those who are signed in."""
    with suppress(HTTPException):
        adapter = current_app.url_map.bind("")
        rule, _ = adapter.match(target.partition("?")[0], method, return_rule=True)
        if vars(current_app.view_functions[rule.endpoint]).get("role", "anyone") != "anyone":
            return rule if rule.endpoint != NOWHERE else None
    return None
