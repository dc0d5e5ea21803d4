"""The blueprints of the API, under `/api/v1`."""

from flask import Blueprint, Flask
from werkzeug.routing import BaseConverter

from audience.api import (
    answers,
    commands,
    custom_fields,
    docs,
    events,
    exports,
    file_imports,
    imports,
    openapi,
    reports,
    segments,
    sites,
    stats,
    subscribers,
    tags,
)

NOUNS = (
    subscribers,
    imports,
    file_imports,
    exports,
    commands,
    custom_fields,
    tags,
    events,
    sites,
    segments,
    reports,
    stats,
    answers,
)


class LettersConverter(BaseConverter):
    """Letters of a path segment: existing clients have their own name for the strict rule set."""

    regex = "[A-Za-z]+"


class IdConverter(BaseConverter):
    """The id of a segment or report, as sent: the domain validates it."""

    regex = r"(?!preview$)[^/]+"


def register(app: Flask) -> None:
    app.url_map.converters |= {"letters": LettersConverter, "id": IdConverter}
    version1 = Blueprint("v1", __name__, url_prefix="/api/v1")
    for noun in NOUNS:
        version1.register_blueprint(noun.blueprint)
    app.register_blueprint(version1)
    app.register_blueprint(openapi.blueprint)
    app.register_blueprint(docs.blueprint)
