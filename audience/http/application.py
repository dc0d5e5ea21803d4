"""The Flask application: its JSON is compact, and its functions are never coroutines."""

from collections.abc import Callable
from json import JSONEncoder
from typing import Any

from flask import Flask
from flask.json.provider import DefaultJSONProvider


class CompactJson(DefaultJSONProvider):
    """As Flask's own, without blanks, in UTF-8, keys in their order; one encoder serves all answers."""

    ensure_ascii = False
    sort_keys = False
    compact = True
    encode = JSONEncoder(
        ensure_ascii=False, separators=(",", ":"), default=DefaultJSONProvider.default
    ).encode

    def dumps(self, obj: Any, **options: Any) -> str:
        return super().dumps(obj, **options) if options else self.encode(obj)


class Application(Flask):
    json_provider_class = CompactJson

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """The function itself: Flask would examine every hook and view, at every request."""
        return func
