"""The decorator of every view: who may call, what goes in and out, in the contract's order of refusals."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal

from flask import Flask, Response, g, jsonify, request

from audience import sites
from audience.api.auth import auth
from audience.api.body import read_json, read_query, site_uuid
from audience.api.wiring import settings, wiring
from audience.errors import Forbidden, TooMany
from audience.sites import Key, Site
from schemas.shapes import Answer
from schemas.wire import Form, load, present

FORBIDDEN = "Forbidden: this key's scope does not allow this; ask the operator for a key that does."
RATE_LIMITED = "Rate limit: too many requests; wait for the seconds in Retry-After."
PUBLIC = "public"

View = Callable[..., Any]
Files = tuple[str, ...]  # media types


@dataclass(frozen=True, kw_only=True)
class Declared:
    """What a view says of itself; the API's description is made from it."""

    scope: str
    takes: type[Form] | None
    gives: type[Answer] | Files | None
    accepts: Files
    query: bool
    status: int


def endpoint(
    scope: str,
    *,
    takes: type[Form] | None = None,
    gives: type[Answer] | Files | None = None,
    accepts: Files = (),
    query: bool = True,
    status: int = 200,
    site: Literal["needed", "optional", "unused"] = "needed",
    reads: Callable[[], dict[str, Any]] = read_json,
) -> Callable[[View], View]:
    """Authenticates, reads the body, finds the site, checks scope and rate, loads the form, in that order.

    The view is called with `site` (None where it is optional and not named; not at all where it is unused),
    `form` when it `takes` one, and the parts of the path; what it returns is answered as JSON with `status`,
    but a response as it is. Values in the query string are part of the form unless `query` is off; the body
    wins. `gives` is what the answer looks like, or the media types of an answer that is a file; `accepts`
    those of a body that is one: its view `reads` only what is declared of it, and the file once all else is
    good.
    """
    form = takes() if takes else None

    def decorate(view: View) -> View:
        @wraps(view)
        @auth.login_required  # type: ignore[untyped-decorator]
        def run(**arguments: Any) -> tuple[Response, int]:
            key: Key = auth.current_user()
            g.key_id = key.id
            body = reads()
            values, named = read_query()
            found = _site(key, site_uuid(named, body), needed=site == "needed")
            g.site_id = found.id if found else None
            if site != "unused":
                arguments["site"] = found
            if not key.may(scope):
                raise Forbidden(FORBIDDEN)
            _limit_rate(key)
            if form:
                given = {name: value for name, value in body.items() if value is not None}
                arguments["form"] = load(form, present(form, values) | given if query else given)
            answer = view(**arguments)
            return answer if isinstance(answer, Response) else jsonify(answer), status

        vars(run)["scope"] = scope
        vars(run)["declared"] = Declared(
            scope=scope, takes=takes, gives=gives, accepts=accepts, query=query, status=status
        )
        return run

    return decorate


def public(view: View) -> View:
    """Declares a view that needs no key."""
    vars(view)["scope"] = PUBLIC
    return view


def check_scopes(app: Flask) -> None:
    """A route that declares no scope does not start."""
    for rule in app.url_map.iter_rules():
        if not hasattr(app.view_functions[rule.endpoint], "scope"):
            raise RuntimeError(f"{rule.rule} declares no scope")


def _site(key: Key, uuid: str | None, needed: bool) -> Site | None:
    return sites.reached(key, uuid) if needed or uuid is not None else None


def _limit_rate(key: Key) -> None:
    family = request.path.split("/")[3]
    limit = getattr(settings(), f"rate_limit_{family}", "")
    wait = wiring().limiter.hit(limit, "rate", family, str(key.id)) if limit else 0
    if wait:
        raise TooMany(RATE_LIMITED, wait)
