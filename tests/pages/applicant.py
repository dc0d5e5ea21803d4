"""A visitor who fills in a form without a browser, and solves the challenge as the script does."""

import html
import json
import re
from dataclasses import dataclass, field
from typing import Any

import altcha
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from audience.access.audit_log import COMMAND_LINE
from audience.access.sites import Site
from audience.forms import forms
from audience.forms.forms import SignUpForm
from audience.looks import looks
from audience.sign_ups import confirming
from storage import database
from storage.sign_ups import sign_ups as stored
from storage.sign_ups.sign_ups import SignUp
from tests.audience.looks.test_looks import sent

ZOE = "zoe@example.com"
ORIGIN, NEXT = "https://harbour.example", "https://harbour.example/thanks"
HIDDEN = re.compile(r'<input type="hidden" name="(\w+)"(?: value="([^"]*)")?>')
SOLVED = re.compile(r'data-nonce="(\w+)" data-salt="(\w+)" data-cost="(\d+)" data-prefix="(\w+)"')


@dataclass
class Applicant:
    http: FlaskClient
    site: Site
    form: SignUpForm
    headers: dict[str, str] = field(default_factory=dict)
    address: str = "127.0.0.1"

    @property
    def path(self) -> str:
        return f"/forms/{self.site.uuid}/{self.form.id}"

    def get(self, path: str = "", **options: Any) -> TestResponse:
        return self.http.get(path or self.path, headers=self.headers, **options)

    def ask(self, email: str = ZOE, query: str = "", **typed: str) -> TestResponse:
        return self.post(f"{self.path}{query}", {"email": email} | typed)

    def send(self, step: TestResponse, solution: str | None = None, query: str = "") -> TestResponse:
        data = hidden(step) | {"solution": solve(step) if solution is None else solution}
        return self.post(f"{self.path}/send{query}", data)

    def post(self, path: str, data: dict[str, str]) -> TestResponse:
        connection = {"REMOTE_ADDR": self.address}
        return self.http.post(path, data=data, headers=self.headers, environ_overrides=connection)

    def sign_up(self, email: str = ZOE, **typed: str) -> SignUp:
        answered = self.send(self.ask(email, **typed))
        assert answered.status_code in (200, 303)
        return self.newest()

    def all(self) -> list[SignUp]:
        with database.session():
            return stored.page(self.site.id, "", "", 0, 1_000)

    def newest(self) -> SignUp:
        return self.all()[-1]

    def confirm_path(self, sign_up: SignUp | None = None) -> str:
        return confirming.ConfirmLinks(self.site, "").url(sign_up or self.newest())


def form_of(site, **values):
    """An open form of a site, in English."""
    looks.change(site, sent(base_url=""), b"", False, COMMAND_LINE)
    item = {
        "name": "Website", "language": "en", "state": "open", "origins": [ORIGIN],
        "wording": {"en": "You agree.\nReally.", "de": "Sie stimmen zu."}, "intro": {"en": "News & <boats>"},
        "fields": [{"key": "first_name", "required": False}],
    }  # fmt: skip
    return forms.create(site, item | values, no_mail="")


def typed(sign_up):
    return json.loads(sign_up.fields)


def hidden(page: TestResponse) -> dict[str, str]:
    """The hidden fields of a page's form."""
    return {name: html.unescape(value) for name, value in HIDDEN.findall(page.text)}


def solve(page: TestResponse) -> str:
    match = SOLVED.search(page.text)
    assert match is not None
    nonce, salt, cost, prefix = match.groups()
    parameters = altcha.ChallengeParameters("PBKDF2/SHA-256", nonce, salt, int(cost), key_prefix=prefix)
    found = altcha.solve_challenge(altcha.Challenge(parameters))
    assert found is not None
    return f"{found.counter}:{found.derived_key}"
