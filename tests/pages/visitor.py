"""A subscriber with a link from an email, and without cookies."""

import html
import re
from dataclasses import dataclass
from typing import Any

import html5lib
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from audience.access.sites import Site
from audience.links.links import PREFERENCES, UNSUBSCRIBE, Links
from audience.subscribers import commands
from tests.stored_people import found

ZOE = "zoe@example.com"
TICKET = re.compile(r'name="ticket" value="([^"]+)"')
TAGS = re.compile(r"<[^>]+>")


@dataclass
class Visitor:
    http: FlaskClient
    site: Site

    def token(self, purpose: str = UNSUBSCRIBE, email: str = ZOE) -> str:
        person = found(self.site, email)
        urls = Links(self.site, "https://people.example").urls(person.uuid, person.email_key)
        return urls[purpose].rpartition("/")[2]

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.http.get(path, headers={name.replace("_", "-"): text for name, text in headers.items()})

    def post(self, path: str, data: Any = None, **options: Any) -> TestResponse:
        return self.http.post(path, data=data, **options)

    def unsubscribe(self, token: str | None = None) -> str:
        """Unsubscribes. Returns the ticket of the page that answers, which an undo needs; "" without one."""
        answered = self.post(f"/unsubscribe/{token or self.token()}", {"act": "unsubscribe"})
        assert answered.status_code == 200
        return ticket(answered)

    def is_subscribed(self, email: str = ZOE) -> bool:
        return found(self.site, email).unsubscribed_at is None

    def preferences(self) -> str:
        return self.token(PREFERENCES)


def ticket(response: TestResponse) -> str:
    match = TICKET.search(response.text)
    return html.unescape(match[1]) if match else ""


def heading(response: TestResponse) -> str:
    match = re.search(r"<h1>(.*?)</h1>", response.text)
    assert match is not None
    return html.unescape(match[1])


def text(response: TestResponse) -> str:
    """The visible text of a page."""
    return " ".join(html.unescape(TAGS.sub(" ", response.text.replace("<wbr>", ""))).split())


def command(site, name, email=ZOE):
    commands.run(site, [{"email": email, "command": name}])


def tags_of(page):
    """All elements of a page with the names of their attributes, as a browser reads it."""
    tree = html5lib.parse(page.text, namespaceHTMLElements=False)
    return [(element.tag, sorted(element.attrib)) for element in tree.iter()]
