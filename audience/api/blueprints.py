"""The blueprints of the API, under `/api/v1`."""

from flask import Blueprint, Flask
from werkzeug.routing import BaseConverter

from audience.api import (
    answers,
    change_log,
    commands,
    custom_fields,
    docs,
    events,
    exports,
    file_imports,
    forms,
    imports,
    links,
    openapi,
    reports,
    segments,
    sign_ups,
    sites,
    stats,
    subscribers,
    tags,
    undos,
    webhooks,
)
from audience.segments.segments import is_id

NOUNS = (
    subscribers,
    links,
    imports,
    file_imports,
    undos,
    exports,
    commands,
    custom_fields,
    tags,
    events,
    change_log,
    sites,
    segments,
    reports,
    webhooks,
    forms,
    sign_ups,
    stats,
    answers,
)


class LettersConverter(BaseConverter):
    """Reads a path segment of letters. Existing clients have their own name for the strict rule set."""

    regex = "[A-Za-z]+"


class IdConverter(BaseConverter):
    """Reads the id of a segment or report as it was sent. The domain validates it."""

    regex = r"(?!preview$)[^/]+"


class NumberConverter(BaseConverter):
    """Reads a numeric id in a path. Any other text becomes 0, which is no record's id."""

    def to_python(self, value: str) -> int:
        return int(value) if is_id(value) else 0


def register(app: Flask) -> None:
    app.url_map.converters |= {"letters": LettersConverter, "id": IdConverter, "number": NumberConverter}
    version1 = Blueprint("v1", __name__, url_prefix="/api/v1")
    for noun in NOUNS:
        version1.register_blueprint(noun.blueprint)
    app.register_blueprint(version1)
    app.register_blueprint(openapi.blueprint)
    app.register_blueprint(docs.blueprint)
