"""HTTP and nothing else: the blueprints under `/api/v1`."""

from flask import Blueprint, Flask

from audience.api import commands, custom_fields, events, exports, files, imports, stats, subscribers, tags

NOUNS = (subscribers, imports, files, exports, commands, custom_fields, tags, events, stats)


def register(app: Flask) -> None:
    version1 = Blueprint("v1", __name__, url_prefix="/api/v1")
    for noun in NOUNS:
        version1.register_blueprint(noun.blueprint)
    app.register_blueprint(version1)
