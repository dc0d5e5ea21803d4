"""The decorator of every view: access, input, output, in the order of docs/contract.md, Errors."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal

from flask import Response, g, jsonify

from audience import keys
from audience.api.request_data import read_json, read_query, site_uuid
from audience.errors import Forbidden, TooMany
from audience.http.access import View, auth
from audience.http.services import services, settings
from audience.keys import AuthenticatedKey
from audience.sites import Site
from schemas.base import Form, load, present
from schemas.responses import ResponseSchema

FORBIDDEN = "Forbidden: this key's scope does not allow this; ask the operator for a key that does."
RATE_LIMITED = "Rate limit: too many requests; wait the seconds in Retry-After."
Files = tuple[str, ...]  # media types
Family = Literal["fetch", "batch", "experimental", "stats"]  # endpoints that share a rate limit


@dataclass(frozen=True, kw_only=True)
class Declared:
    """The arguments of `endpoint`, for the OpenAPI document."""

    scope: str
    family: Family
    takes: type[Form] | None
    gives: type[ResponseSchema] | Files | None
    accepts: Files
    query: bool
    status: int


def endpoint(
    *,
    scope: str,
    family: Family,
    takes: type[Form] | None = None,
    gives: type[ResponseSchema] | Files | None = None,
    accepts: Files = (),
    query: bool = True,
    status: int = 200,
    site: Literal["needed", "optional", "unused"] = "needed",
    reads: Callable[[], dict[str, Any]] = read_json,
) -> Callable[[View], View]:
    """Authenticates, reads the body, finds the site, checks scope and rate, loads the form, in that order.

    The view is called with `site` (None if optional and not sent; not passed if unused), with `form` if
    it `takes` one, and with the parts of the path. It returns JSON, sent with `status`, or a response.
    Values of the query string are part of the form if `query`; the body overrides them. `gives` is the
    schema of the answer, or the media types of a file; `accepts` has the media types of a file that is the
    body: `reads` then checks its headers, and the view reads the file.
    """
    form = takes() if takes else None

    def decorate(view: View) -> View:
        @wraps(view)
        @auth.login_required  # type: ignore[untyped-decorator]
        def run(**arguments: Any) -> tuple[Response, int]:
            key: AuthenticatedKey = auth.current_user()
            g.key_id = key.id
            body = reads()
            values, site_uuids = read_query()
            chosen = _site(key, site_uuid(site_uuids, body), needed=site == "needed")
            g.site_id = chosen.id if chosen else None
            if site != "unused":
                arguments["site"] = chosen
            if not key.may(scope):
                raise Forbidden(FORBIDDEN)
            _limit_rate(key, family)
            if form:
                sent = {name: value for name, value in body.items() if value is not None}
                arguments["form"] = load(form, present(form, values) | sent if query else sent)
            answer = view(**arguments)
            return answer if isinstance(answer, Response) else jsonify(answer), status

        vars(run)["scope"] = scope
        vars(run)["declared"] = Declared(
            scope=scope, family=family, takes=takes, gives=gives, accepts=accepts, query=query, status=status
        )
        return run

    return decorate


def _site(key: AuthenticatedKey, uuid: str | None, needed: bool) -> Site | None:
    return keys.require_site(key, uuid) if needed or uuid is not None else None


def _limit_rate(key: AuthenticatedKey, family: Family) -> None:
    limit = getattr(settings(), f"rate_limit_{family}")
    wait = services().limiter.hit(limit, "rate", family, str(key.id)) if limit else 0
    if wait:
        raise TooMany(RATE_LIMITED, wait)
