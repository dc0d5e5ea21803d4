"""The decorator of every view: access, input, output, in the order of docs/contract.md, Order of refusals."""

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal

from flask import Response, current_app, g, request

from audience.access import keys
from audience.access.audit_log import Actor, network_of
from audience.access.keys import AuthenticatedKey
from audience.access.sites import Site
from audience.api import etags, targets
from audience.api.etags import Current
from audience.api.repeats import REPLAYED, Again
from audience.api.request_data import (
    check_file,
    check_json,
    has_body,
    identifiers_in_query,
    json_body,
    prefers_strict,
    read_lists,
    read_query,
    site_uuid,
)
from audience.api.writes import Writes
from audience.errors import Forbidden, TooMany
from audience.http.access import View, authenticate, client_address
from audience.http.admission import Check, admit
from audience.http.application import JsonText
from audience.http.services import services, settings
from audience.repeats.repeats import SentRequest
from audience.sources import Source, SourceKind
from schemas.base import Doubled, RequestSchema, load, query_values
from schemas.pages import refuse_ignored
from schemas.responses import ResponseSchema, or_null

FORBIDDEN = "Forbidden: this key's scope does not allow this; ask the operator for a key with the scope {}."
RATE_LIMITED = "Rate limit: too many requests; wait the seconds in Retry-After."
SMALL_BODY_BYTES = 2**20
Files = tuple[str, ...]  # media types
Family = Literal["fetch", "batch", "experimental", "stats"]  # endpoints that share a rate limit


@dataclass(frozen=True, kw_only=True)
class Declared:
    """The arguments of `endpoint`, from which the OpenAPI document is made."""

    scope: str
    family: Family
    takes: type[RequestSchema] | None
    gives: type[ResponseSchema] | Files | None
    accepts: Files
    batch: bool
    query: bool
    status: int
    again: Again | None
    current: Current | None
    tagged: bool


def endpoint(
    *,
    scope: str,
    family: Family,
    takes: type[RequestSchema] | None = None,
    gives: type[ResponseSchema] | Files | None = None,
    accepts: Files = (),
    batch: bool = False,
    query: bool = True,
    status: int = 200,
    site: Literal["needed", "optional", "unused", "all"] = "needed",
    again: Again | None = None,
    before: Callable[..., object] | None = None,
    current: Current | None = None,
    tagged: bool = False,
    atomic: bool = False,
) -> Callable[[View], Callable[..., Response]]:
    """Declares a view: whom it lets in, what it takes and what it gives.

    A request is handled in this order: key, `scope`, length and type of the body; then the body is read, the
    site found, the rate of the `family` checked and the form loaded. The web server calls `check`, which is
    the first part, before it takes the body.

    The view is called with `form` if it `takes` one, and with the parts of the path. It also gets the `site`,
    by default; the `site` or None if "optional"; the key's `sites` if "all"; nothing if "unused". It returns
    a response, or JSON as an object or text, which is sent with `status`.

    With `query`, values of the query string are part of the form; the body overrides them. `gives` is the
    schema of the answer, or the media types of a file. `accepts` has the media types of a file that is the
    body: the view reads it. The body of a `batch` may be larger.

    With `again`, the request may have an Idempotency-Key: the view then runs in one transaction. If it
    returns a `Later`, the answer is made after the commit. A view that takes a file gets the `claim` on the
    key, or None, instead. `before` is called with the same arguments, outside the transaction.

    With `current`, which finds the resource that the request changes, the request may have an If-Match. With
    `tagged` or `current`, the answer has the ETag of its `data`. An `atomic` view always runs in one
    transaction.
    """
    form = (takes or RequestSchema)()
    limit = f"rate_limit_{family}"
    writes = scope == "full"
    is_tagged = tagged or current is not None
    check = _check(scope, bool(accepts), batch)
    writing = Writes(
        status=status, is_file=bool(accepts), again=again, before=before, current=current, atomic=atomic
    )

    def read(key: AuthenticatedKey) -> tuple[dict[str, Any], SentRequest | None]:
        """The arguments of the view, and the request if it has an Idempotency-Key. The rest of the body is
        freed before the view runs.
        """
        arguments: dict[str, Any] = {}
        with nullcontext(read_lists()) if accepts else _json(batch, writes) as body:
            values, site_uuids = read_query()
            if writes:
                targets.check(identifiers_in_query(), body, form, query)
            chosen = _site(key, site_uuid(site_uuids, body), needed=site == "needed")
            if chosen:
                g.site_id = chosen.id
            if site == "all":
                arguments["sites"] = key.sites
            elif site != "unused":
                arguments["site"] = chosen
            if getattr(settings(), limit):
                _limit_rate(key, family)
            data = _form_values(query_values(form, values) if query else {}, body)
            loaded = _load(form, data, query) if takes or data else {}
            if takes:
                arguments["form"] = loaded
            sent = writing.sent_request(chosen, loaded, body)
        return arguments, sent

    def decorate(view: View) -> Callable[..., Response]:
        @wraps(view)
        def run(**parts: Any) -> Response:
            values, sent = read(admit(check))
            answer, is_repeated = writing.answer(view, sent, parts | values)
            response = _response(answer, status, is_repeated)
            return etags.add(response, answer["data"]) if is_tagged else response

        vars(run)["scope"] = scope
        vars(run)["check"] = check
        vars(run)["declared"] = Declared(
            scope=scope,
            family=family,
            takes=takes,
            gives=or_null(gives) if again and isinstance(gives, type) else gives,
            accepts=accepts,
            batch=batch,
            query=query,
            status=status,
            again=again,
            current=current,
            tagged=is_tagged,
        )
        return run

    return decorate


def _check(scope: str, is_file: bool, is_batch: bool) -> Check:
    """A function that checks a request before its body is read, and returns the key and the most bytes."""

    def check() -> tuple[AuthenticatedKey, int]:
        key = authenticate()
        if not key.may(scope):
            raise Forbidden(FORBIDDEN.format(scope))
        if not has_body() and (not is_file or "upload" in request.args):
            return key, 0
        max_bytes = _max_bytes(is_file, is_batch)
        (check_file if is_file else check_json)(max_bytes)
        return key, max_bytes

    return check


def _json(is_batch: bool, writes: bool) -> AbstractContextManager[dict[str, Any]]:
    return json_body(_max_bytes(False, is_batch), writes) if has_body() else nullcontext({})


def _load(form: RequestSchema, data: dict[str, Any], query: bool) -> Any:
    """The values of the form. Raises `FormError`, also for unknown parameters if the client wants that."""
    loaded = load(form, data)
    if query and prefers_strict():
        refuse_ignored(form, data)
    return loaded


def _form_values(values: dict[str, Any], body: dict[str, Any]) -> dict[str, Any]:
    """The values of the query, overridden by those of the body."""
    sent = values | {name: value for name, value in body.items() if value is not None}
    return Doubled(sent, body.doubled) if isinstance(body, Doubled) else sent


def key_source(kind: SourceKind) -> Source:
    """The source of the changes that this request makes: its API key."""
    return Source(kind, g.key_id)


def actor() -> Actor:
    """The actor of this request for the audit log: its API key, by name if it has one."""
    return Actor(f"key {g.key.name or g.key.publishable_key}", network_of(client_address()))


def _max_bytes(is_file: bool, is_batch: bool) -> int:
    """The maximum size of the endpoint's body, in bytes."""
    if is_file:
        return settings().import_max_bytes
    return settings().max_body_bytes if is_batch else min(settings().max_body_bytes, SMALL_BODY_BYTES)


def _site(key: AuthenticatedKey, uuid: str | None, needed: bool) -> Site | None:
    return keys.require_site(key, uuid) if needed or uuid is not None else None


def _response(answer: Any, status: int, is_repeated: bool) -> Response:
    if isinstance(answer, Response):
        return answer
    text = answer if isinstance(answer, str | bytes) else f"{current_app.json.dumps(answer)}\n"
    response = JsonText(text, status)
    if is_repeated:
        response.headers[REPLAYED] = "true"
    return response


def _limit_rate(key: AuthenticatedKey, family: Family) -> None:
    """Counts a request of a key. Raises `TooMany` if that exceeds the rate limit of the endpoint's family."""
    limit = getattr(settings(), f"rate_limit_{family}")
    limiter, counted = services().limiter, ("rate", family, str(key.id))
    wait = limiter.hit(limit, *counted)
    g.rate_window = limiter.window(limit, *counted)
    if wait:
        raise TooMany(RATE_LIMITED, wait)
