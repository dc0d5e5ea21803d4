"""The Flask application: its JSON is compact, and its functions are never coroutines."""

from collections.abc import Callable, Iterable
from functools import cached_property
from json import JSONEncoder
from typing import TYPE_CHECKING, Any

from flask import Flask, Request, Response
from flask.ctx import RequestContext
from flask.json.provider import DefaultJSONProvider
from flask.sessions import NullSession
from werkzeug.routing import MapAdapter, Rule
from werkzeug.wsgi import ClosingIterator

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


NO_SESSION = NullSession()  # of every request: Flask's session is not used, and this refuses to be written


class CompactJson(DefaultJSONProvider):
    """Flask's JSON in UTF-8, without blanks, keys in the dict's order. One encoder serves all answers."""

    ensure_ascii = False
    sort_keys = False
    compact = True
    encode = JSONEncoder(
        ensure_ascii=False, separators=(",", ":"), default=DefaultJSONProvider.default
    ).encode

    def dumps(self, obj: Any, **options: Any) -> str:
        return super().dumps(obj, **options) if options else self.encode(obj)


class JsonText(Response):
    """A response of finished JSON text. It is closed after sending only if `call_on_close` was called."""

    _closes = False

    def __init__(self, text: str | bytes, status: int) -> None:
        super().__init__(text, status, content_type="application/json")

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        if environ["REQUEST_METHOD"] == "HEAD":
            return super().__call__(environ, start_response)
        start_response(self.status, self.headers.to_wsgi_list())
        parts: Any = self.response
        return ClosingIterator(parts, self.close) if self._closes else parts

    def call_on_close(self, func: Callable[[], Any]) -> Callable[[], Any]:
        self._closes = True
        return super().call_on_close(func)


class RoutedContext(RequestContext):
    """A request's context, which looks a path without variable parts up in a dict."""

    app: "Application"

    def match_request(self) -> None:
        rule = self.app.fixed_routes.get((self.request.method, self.request.path))
        if rule is None:
            super().match_request()
        else:
            self.request.url_rule, self.request.view_args = rule, {}


class Application(Flask):
    """Flask without coroutines and sessions, whose routes depend on the path alone."""

    json_provider_class = CompactJson

    @cached_property
    def fixed_routes(self) -> dict[tuple[str, str], Rule]:
        """The rules without variable parts, by method and path. All routes must be registered before."""
        fixed = (rule for rule in self.url_map.iter_rules() if not rule.arguments)
        return {(method, rule.rule): rule for rule in fixed for method in rule.methods or ()}

    def request_context(self, environ: "WSGIEnvironment") -> RoutedContext:
        return RoutedContext(self, environ, session=NO_SESSION)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Returns the function: none is a coroutine. Flask would examine it at every request."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Finds routes by path alone: no host from a client chooses a route or gets into a link."""
        if request is None:
            return None
        return self.url_map.bind("", "", default_method=request.method, path_info=request.path)
