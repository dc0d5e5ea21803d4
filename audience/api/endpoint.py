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
from audience.api.repeats import REPLAYED
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
from audience.api.writes import Files, Writes
from audience.errors import Forbidden, TooMany
from audience.http.access import View, authenticate, client_address
from audience.http.admission import admit
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
Family = Literal["fetch", "batch", "experimental", "stats"]  # endpoints that share a rate limit


@dataclass(frozen=True, kw_only=True)
class Endpoint(Writes):
    """Declares a view: whom it lets in, what it takes and what it gives. The OpenAPI document reads it.

    A request is handled in this order: key, `scope`, length and type of the body; then the body is read, the
    site found, the rate of the `family` checked and the form loaded. The web server calls `check`, which is
    the first part, before it takes the body.

    The view is called with `form` if it `takes` one, and with the parts of the path. It also gets the `site`,
    by default; the `site` or None if "optional"; the key's `sites` if "all"; nothing if "unused". It returns
    a response, or JSON as an object or text, which is sent with `status`.

    With `query`, values of the query string are part of the form; the body overrides them. `gives` is the
    schema of the answer, or the media types of a file. `accepts` has the media types of a file that is the
    body: the view reads it. The body of a `batch` may be larger.

    With `tagged` or `current`, the answer has the ETag of its `data`. `Writes` explains the others.
    """

    scope: str
    family: Family
    takes: type[RequestSchema] | None = None
    gives: type[ResponseSchema] | Files | None = None
    batch: bool = False
    query: bool = True
    site: Literal["needed", "optional", "unused", "all"] = "needed"
    tagged: bool = False

    @property
    def answers(self) -> type[ResponseSchema] | Files | None:
        """What it `gives`; of a resource that may be gone when a request is repeated, also null."""
        return or_null(self.gives) if self.again and isinstance(self.gives, type) else self.gives

    @property
    def has_etag(self) -> bool:
        return self.tagged or self.current is not None

    @property
    def max_bytes(self) -> int:
        """The maximum size of the body, in bytes."""
        if self.accepts:
            return settings().import_max_bytes
        return settings().max_body_bytes if self.batch else min(settings().max_body_bytes, SMALL_BODY_BYTES)

    def __call__(self, view: View) -> Callable[..., Response]:
        form = (self.takes or RequestSchema)()

        @wraps(view)
        def run(**parts: Any) -> Response:
            values, sent = self._read(admit(self.check), form)
            answer, is_repeated = self.answer(view, sent, parts | values)
            response = _response(answer, self.status, is_repeated)
            return etags.add(response, answer["data"]) if self.has_etag else response

        vars(run).update(scope=self.scope, check=self.check, declared=self)
        return run

    def check(self) -> tuple[AuthenticatedKey, int]:
        """Checks a request before its body is read. Returns the key and the most bytes."""
        key = authenticate()
        if not key.may(self.scope):
            raise Forbidden(FORBIDDEN.format(self.scope))
        if not has_body() and (not self.accepts or "upload" in request.args):
            return key, 0
        (check_file if self.accepts else check_json)(self.max_bytes)
        return key, self.max_bytes

    def _read(self, key: AuthenticatedKey, form: RequestSchema) -> tuple[dict[str, Any], SentRequest | None]:
        """The arguments of the view, and the request if it has an Idempotency-Key. The rest of the body is
        freed before the view runs.
        """
        arguments: dict[str, Any] = {}
        writes = self.scope == "full"
        with self._body(writes) as body:
            values, site_uuids = read_query()
            if writes:
                targets.check(identifiers_in_query(), body, form, self.query)
            chosen = _site(key, site_uuid(site_uuids, body), needed=self.site == "needed")
            if chosen:
                g.site_id = chosen.id
            if self.site == "all":
                arguments["sites"] = key.sites
            elif self.site != "unused":
                arguments["site"] = chosen
            _limit_rate(key, self.family)
            data = _form_values(query_values(form, values) if self.query else {}, body)
            loaded = _load(form, data, self.query) if self.takes or data else {}
            if self.takes:
                arguments["form"] = loaded
            sent = self.sent_request(chosen, loaded, body)
        return arguments, sent

    def _body(self, writes: bool) -> AbstractContextManager[dict[str, Any]]:
        if self.accepts:
            return nullcontext(read_lists())
        return json_body(self.max_bytes, writes) if has_body() else nullcontext({})


endpoint = Endpoint  # the decorator


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
    if not limit:
        return
    limiter, counted = services().limiter, ("rate", family, str(key.id))
    wait = limiter.hit(limit, *counted)
    g.rate_window = limiter.window(limit, *counted)
    if wait:
        raise TooMany(RATE_LIMITED, wait)
