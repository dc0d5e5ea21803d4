"""The upper limit for requests: a bare Flask endpoint with Basic authentication, on the same web server."""

from flask import Flask, jsonify
from flask_httpauth import HTTPBasicAuth

from audience import config
from workers.web import server
from workers.web.gateway import Gateway

KEY = ("bench", "bench")


def asgi() -> Gateway:
    return Gateway(application(), lambda _: 2**20, config.load())


def application() -> Flask:
    app = Flask("bare", static_folder=None)
    auth = HTTPBasicAuth()

    @auth.verify_password
    def verify(username: str, password: str) -> bool:
        return (username, password) == KEY

    @app.route("/", methods=["GET", "POST"])
    @auth.login_required
    def answer():
        return jsonify(data=None)

    return app


if __name__ == "__main__":
    server.serve(config.load(), "bench.bare:asgi")
