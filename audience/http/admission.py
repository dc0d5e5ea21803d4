"""Decides whether a request is admitted before its body is sent (docs/contract.md, Order of refusals)."""

from collections.abc import Callable
from typing import Any

from flask import Flask, g, request

from audience.access.keys import AuthenticatedKey
from audience.http.access import note_use
from audience.http.normalize import normalize
from audience.protocols import REFUSAL

KEY = "audience.key"  # the key of an admitted request, in its WSGI environ

Check = Callable[[], tuple[AuthenticatedKey | None, int]]  # without a key, of an operator


class Admission:
    """Implements `audience.protocols.Admit` with the function `check` of the request's view."""

    def __init__(self, app: Flask) -> None:
        self._app = app

    def __call__(self, environ: dict[str, Any]) -> int | None:
        """Checks a request before its body. Returns the maximum bytes of the body, or None to refuse it.

        Keeps the API key, or the reason for a refusal, in `environ` for `admit`.
        """
        normalize(environ)
        with self._app.request_context(environ):
            view = self._app.view_functions.get(request.endpoint or "")
            check: Check | None = vars(view or object).get("check")
            if check is None:
                return None
            try:
                environ[KEY], max_bytes = check()
            except Exception as refusal:
                environ[REFUSAL] = refusal
                return None
        return max_bytes


def admit(check: Check) -> AuthenticatedKey:
    """The API key of this request. Calls `check` unless the request was admitted before. Notes the key's use.

    Raises the refusal, if the request was refused before its body, or while the body came.
    """
    environ = request.environ
    key: AuthenticatedKey | None = environ.get(KEY)
    if key is None and REFUSAL not in environ:
        key, _ = check()
    if key is not None:
        g.key, g.key_id = key, key.id
        note_use(key)
    if key is None or REFUSAL in environ:
        raise environ[REFUSAL]
    return key
