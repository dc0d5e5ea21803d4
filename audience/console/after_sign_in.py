"""The page to which a sign-in leads."""

from flask import Response, make_response

from audience.access import operators, sessions
from audience.console.kept_forms import page_of, render_again
from audience.console.page import redirect_to_path, url
from audience.http.pages import public_root


def after_sign_in(target: str, form_text: str, token: str) -> Response:
    """Redirects to the page that was requested before the sign-in.

    If a form was sent there (`form_text`), the operator who had filled it in sees it again. Another operator
    sees the page with an empty form. `token` is the new session's.
    """
    operator = operators.signed_in(token)
    if not form_text or operator is None or not is_inside(target):
        return redirect_to_path(inside(target))
    shown = render_again(target, form_text, operator, sessions.csrf_token(token))
    return make_response(shown) if shown else redirect_to_path(inside(page_of(target)))


def inside(target: str) -> str:
    """The target below the public path, if it is a path of the console; else the console's first page."""
    return public_root() + target if is_inside(target) else url("console.overview.home")


def is_inside(target: str) -> bool:
    """Whether a target is a path of the console that no browser or proxy takes for another.

    No path of the console has an encoded character or a parameter: `%2e` is a dot to browsers, `%5c` a slash
    to some, and `..;` is `..` to some proxies.
    """
    if not target.isascii() or not target.isprintable() or "\\" in target:
        return False
    path = target.partition("?")[0].partition("#")[0]
    first, *segments = path.removeprefix("/").split("/")
    is_path = path.startswith("/console") and not {"%", ";"} & set(path)
    return is_path and first == "console" and not {"", ".", ".."} & set(segments)
