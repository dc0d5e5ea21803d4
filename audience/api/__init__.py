"""HTTP and nothing else: the blueprints under `/api/v1`."""

from flask import Blueprint, Flask
from werkzeug.routing import BaseConverter

from audience.api import (
    answers,
    commands,
    custom_fields,
    description,
    docs,
    events,
    exports,
    files,
    health,
    imports,
    reports,
    segments,
    stats,
    subscribers,
    tags,
)

NOUNS = (
    subscribers,
    imports,
    files,
    exports,
    commands,
    custom_fields,
    tags,
    events,
    segments,
    reports,
    stats,
    answers,
)


class Letters(BaseConverter):
    """Part of a path segment: existing clients call the strict rule set by a name of their own."""

    regex = "[A-Za-z]+"


class Id(BaseConverter):
    """The id of a segment or report as it was sent: the domain says what is not one."""

    regex = r"(?!preview$)[^/]+"


def register(app: Flask) -> None:
    app.url_map.converters |= {"letters": Letters, "id": Id}
    version1 = Blueprint("v1", __name__, url_prefix="/api/v1")
    for noun in NOUNS:
        version1.register_blueprint(noun.blueprint)
    app.register_blueprint(version1)
    app.register_blueprint(description.blueprint)
    app.register_blueprint(docs.blueprint)
    app.register_blueprint(health.blueprint)
