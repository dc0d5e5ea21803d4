"""A browser at the console: it keeps cookies, and sends what browsers send."""

import re
from dataclasses import dataclass

from flask import Flask
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from audience.access import operators, sessions, sign_in
from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site

ORIGIN = "http://localhost:8000"
COOKIE = "audience_console_8000"
SET_UP = {
    "email": "First@example.com", "password": "a heron stands in the reeds",
    "name": "Harbour Letters", "time_zone": "Europe/Berlin",
}  # fmt: skip


@dataclass
class Browser:
    http: FlaskClient
    origin: str = ORIGIN
    cookie: str = COOKIE

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.http.get(f"/console{path}", base_url=self.origin, headers=headers)

    def post(self, path: str, **fields: str) -> TestResponse:
        """Posts a form as a page of the console does: with its origin and the session's token."""
        return self.send(path, {"csrf": sessions.csrf_token(self.token)} | fields, Origin=self.origin)

    def send(self, path: str, fields: dict[str, str], **headers: str) -> TestResponse:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        return self.http.post(f"/console{path}", data=fields, base_url=self.origin, headers=named)

    @property
    def token(self) -> str:
        found = self.http.get_cookie(self.cookie, path="/console")
        return found.value if found else ""

    def is_signed_in(self) -> bool:
        return self.get("/account").status_code == 200

    def follow_link(self, email: str) -> TestResponse:
        return self.post("/link", token=sign_in.console_link(email)[1])

    def set_up(self, **fields: str) -> TestResponse:
        """With the first link, as the first operator."""
        return self.post("/first", **{"token": sign_in.console_link()[1]} | SET_UP | fields)


def open_browser(app: Flask, origin: str = ORIGIN, cookie: str = COOKIE) -> Browser:
    return Browser(app.test_client(), origin, cookie)


def signed_in(app: Flask, email: str, roles: dict[Site, str] | None = None, administrator: bool = False):
    """The browser of a new operator."""
    operators.add(email, administrator, roles or {}, COMMAND_LINE)
    browser = open_browser(app)
    assert browser.follow_link(email).status_code == 303
    return browser


def alert(response: TestResponse) -> str:
    """The sentence in which a page says what was refused."""
    [found] = re.findall(r'role="alert"[^>]*>([^<]*)<', response.text)[:1]
    return str(found)
