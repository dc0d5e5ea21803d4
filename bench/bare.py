"""The upper limit for requests: a bare Flask endpoint with Basic authentication, as granian serves WSGI."""

from typing import Any

from flask import Flask, Response, jsonify
from flask_httpauth import HTTPBasicAuth
from granian import Granian
from granian.constants import HTTPModes, Interfaces

from audience import config

KEY = ("bench", "bench")


def application() -> Flask:
    app = Flask("bare", static_folder=None)
    auth: Any = HTTPBasicAuth()

    @auth.verify_password  # type: ignore[untyped-decorator]  # flask_httpauth is untyped
    def verify(username: str, password: str) -> bool:
        return (username, password) == KEY

    @app.route("/", methods=["GET", "POST"])
    @auth.login_required  # type: ignore[untyped-decorator]
    def answer() -> Response:
        return jsonify(data=None)

    return app


def serve() -> None:
    settings = config.load()
    Granian(
        "bench.bare:application",
        factory=True,
        address=settings.host,
        port=settings.port,
        interface=Interfaces.WSGI,
        workers=settings.web_workers,
        http=HTTPModes.http1,
        log_enabled=False,
    ).serve()


if __name__ == "__main__":
    serve()
