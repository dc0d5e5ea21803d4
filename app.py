"""Wires the rooms, decides nothing."""

import sys
import uuid

import click
from flask import Flask, Response, g

from audience import api, config, pepper
from audience.api import errors
from audience.api.endpoint import check_scopes
from audience.api.front import Front
from audience.api.wiring import Wiring
from audience.config import Settings
from audience.ports import Doorbell, Limiter
from storage import database
from storage.errors import Unavailable


def open_database(settings: Settings) -> None:
    database.open(
        settings.database,
        timeout=settings.database_timeout,
        connections=settings.database_connections,
        allow_faulty=settings.allow_faulty_sqlite,
    )


def create_app(settings: Settings, doorbell: Doorbell, limiter: Limiter) -> Flask:
    """The web application over an instance whose database is migrated."""
    pepper.open(settings.instance)
    open_database(settings)
    app = Flask("audience", static_folder=None, instance_path=str(settings.instance))
    app.config["PROVIDE_AUTOMATIC_OPTIONS"] = False
    app.json.ensure_ascii = False  # type: ignore[attr-defined]
    app.json.sort_keys = False  # type: ignore[attr-defined]
    app.json.compact = True  # type: ignore[attr-defined]
    app.extensions["audience"] = Wiring(settings, doorbell, limiter)
    api.register(app)
    errors.register(app, away=[Unavailable])
    app.before_request(number)
    app.after_request(finish)
    check_scopes(app)
    app.wsgi_app = Front(app.wsgi_app)  # type: ignore[method-assign]
    return app


def number() -> None:
    g.request_id = uuid.uuid4().hex


def finish(response: Response) -> Response:
    response.headers["X-Request-Id"] = g.request_id
    response.headers["Cache-Control"] = "no-store"
    return response


def main() -> None:
    """The entry point `audience`."""
    try:
        config.load()
    except config.SettingError as error:
        click.echo(f"audience: {error}", err=True)
        sys.exit(2)
