"""The upper limit for requests: a bare Flask endpoint with Basic authentication, on the same web server."""

from typing import Any

from flask import Flask, Response, jsonify
from flask_httpauth import HTTPBasicAuth

from audience import config
from workers.web import server
from workers.web.gateway import Gateway

KEY = ("bench", "bench")


def asgi() -> Gateway:
    return Gateway(application(), lambda _: 2**20, config.load())


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


if __name__ == "__main__":
    server.serve(config.load(), "bench.bare:asgi")
