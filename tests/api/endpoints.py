"""Every endpoint with a valid request, for tests that cover all endpoints."""

from typing import Any, NamedTuple

from audience.access.audit_log import COMMAND_LINE
from audience.forms import forms
from audience.looks import looks
from audience.operations import site_lane
from audience.webhooks import webhooks


class Endpoint(NamedTuple):
    method: str
    path: str
    scope: str
    body: dict[str, Any] | None = None
    query: dict[str, Any] | None = None
    status: int = 200

    def __str__(self) -> str:
        return f"{self.method} {self.path}"


SUBSCRIBER = {"email": "ada@example.com"}
SEGMENT = {"segment": {"name": "VIP", "rules": {"tag": "vip"}}}
REPORT = {"report": {"name": "People", "report_type": "Reporting::Reports::VisitorCountReport"}}
WEBHOOK = {"webhook": {"url": "https://8.8.8.8/hook", "paused": True}}
FORM = {"form": {"name": "Front page", "wording": {"en": "Yes, send me news."}}}
SIGN_UP = {"sign_up": {"email": "zoe@example.com", "form_id": 1}}
PRIVATE = {"ip_address": "10.0.0.1"}
ENDPOINTS = [
    Endpoint("POST", "/experimental/validation", "utility", SUBSCRIBER),
    Endpoint("POST", "/experimental/strict_ruleset", "utility", SUBSCRIBER),
    Endpoint("POST", "/experimental/content_moderation", "utility", {"content": "Hello"}),
    Endpoint("POST", "/experimental/moderation", "utility", {"content": "Hello"}),
    Endpoint("POST", "/experimental/gender", "utility", {"name": "jesse"}),
    Endpoint("GET", "/experimental/geolocation", "utility", query={"ip": "10.0.0.1"}),
    Endpoint("GET", "/experimental/blacklist", "utility", query=PRIVATE),
    Endpoint("POST", "/experimental/blacklist", "utility", {"domain": "printer.local"}),
    Endpoint("GET", "/experimental/blacklist.json", "utility", query=PRIVATE),
    Endpoint("POST", "/experimental/blacklist.json", "utility", {"domain": "printer.local"}),
    Endpoint("GET", "/fetch/sites", "read"),
    Endpoint("GET", "/fetch/fields", "read"),
    Endpoint("POST", "/fetch/fields", "full", {"field": {"key": "plan"}}, status=201),
    Endpoint("DELETE", "/fetch/fields/1", "full"),
    Endpoint("GET", "/fetch/subscribers", "read", query=SUBSCRIBER),
    Endpoint("GET", "/fetch/links", "mailer", query=SUBSCRIBER),
    Endpoint("POST", "/fetch/subscribers", "full", {"subscriber": SUBSCRIBER}, status=201),
    Endpoint("POST", "/fetch/subscribers/find", "read", {"emails": ["ada@example.com"]}),
    Endpoint("DELETE", "/fetch/subscribers", "full", query=SUBSCRIBER),
    Endpoint("GET", "/fetch/search", "read", query={"page": "1"}),
    Endpoint("POST", "/fetch/search", "read", {"page": 1}),
    Endpoint("GET", "/fetch/tags", "read"),
    Endpoint("POST", "/fetch/tags", "full", {"tag": {"name": "vip"}}, status=201),
    Endpoint("PATCH", "/fetch/tags/2", "full", {"tag": {"name": "renamed"}}),
    Endpoint("POST", "/fetch/tags/3/merge", "full", {"tag": {"into": 4}}),
    Endpoint("DELETE", "/fetch/tags/1", "full"),
    Endpoint("POST", "/fetch/commands", "full", {"command": [{"command": "subscribe", **SUBSCRIBER}]}),
    Endpoint("POST", "/batch/subscribers", "full", {"subscribers": [SUBSCRIBER]}),
    Endpoint("GET", "/batch/imports", "read"),
    Endpoint("GET", "/batch/imports/1", "read"),
    Endpoint("POST", "/batch/imports/1/undo", "full"),
    Endpoint("GET", "/batch/imports/1/undo", "read"),
    Endpoint("GET", "/fetch/changes", "read", query={"after": "0"}),
    Endpoint("POST", "/batch/events", "full", {"events": [{"type": "visit", **SUBSCRIBER}]}),
    Endpoint("GET", "/stats/site", "stats"),
    Endpoint("GET", "/fetch/segments", "read"),
    Endpoint("POST", "/fetch/segments", "full", SEGMENT, status=201),
    Endpoint("GET", "/fetch/segments/1", "read"),
    Endpoint("PUT", "/fetch/segments/1", "full", SEGMENT),
    Endpoint("PATCH", "/fetch/segments/1", "full", {"segment": {"description": "Best"}}),
    Endpoint("POST", "/fetch/segments/preview", "read", SEGMENT),
    Endpoint("POST", "/fetch/segments/1/match", "read", query=SUBSCRIBER),
    Endpoint("GET", "/stats/segment", "stats", query={"segment_id": "1"}),
    Endpoint("GET", "/stats/segments/1", "stats"),
    Endpoint("DELETE", "/fetch/segments/1", "full"),
    Endpoint("GET", "/fetch/webhooks", "read"),
    Endpoint("POST", "/fetch/webhooks", "full", WEBHOOK, status=201),
    Endpoint("GET", "/fetch/webhooks/1", "read"),
    Endpoint("PUT", "/fetch/webhooks/1", "full", WEBHOOK),
    Endpoint("PATCH", "/fetch/webhooks/1", "full", {"webhook": {"kinds": None}}),
    Endpoint("POST", "/fetch/webhooks/1/rotate", "full"),
    Endpoint("POST", "/fetch/webhooks/1/replay", "full", {"after": 0}),
    Endpoint("POST", "/fetch/webhooks/2/test", "full"),
    Endpoint("GET", "/fetch/webhooks/1/deliveries", "read"),
    Endpoint("DELETE", "/fetch/webhooks/1", "full"),
    Endpoint("GET", "/fetch/forms", "read"),
    Endpoint("POST", "/fetch/forms", "full", FORM, status=201),
    Endpoint("GET", "/fetch/forms/1", "read"),
    Endpoint("PUT", "/fetch/forms/1", "full", FORM),
    Endpoint("PATCH", "/fetch/forms/1", "full", {"form": {"intro": {"en": "Welcome"}}}),
    Endpoint("GET", "/fetch/forms/1/embed", "read"),
    Endpoint("POST", "/fetch/sign_ups", "signup", SIGN_UP, status=201),
    Endpoint("GET", "/fetch/sign_ups", "full"),
    Endpoint("POST", "/fetch/sign_ups/1/send", "full"),
    Endpoint("POST", "/batch/sign_ups/release", "full", {"ids": [1]}),
    Endpoint("POST", "/batch/sign_ups/discard", "full", {"ids": [1]}),
    Endpoint("DELETE", "/fetch/sign_ups/1", "full"),
    Endpoint("GET", "/fetch/reports", "read"),
    Endpoint("POST", "/fetch/reports", "full", REPORT, status=201),
    Endpoint("GET", "/fetch/reports/1", "read"),
    Endpoint("PUT", "/fetch/reports/1", "full", REPORT),
    Endpoint("PATCH", "/fetch/reports/1", "full", {"report": {"name": "Everybody"}}),
    Endpoint("GET", "/stats/report", "stats", query={"report_id": "1"}),
    Endpoint("GET", "/stats/reports/1", "stats"),
    Endpoint("DELETE", "/fetch/reports/1", "full"),
]
FILES = {"/batch/imports": {"POST"}}  # these take a file: see test_file_imports.py
WITH_BODY = [each for each in ENDPOINTS if each.body]
ADDRESSES = [f"p{number}@example.com" for number in range(1001)]


def prepare(client) -> None:
    """Creates what the valid requests need: a subscriber, tags, a field, an undone import, a segment, an open
    form, a sign-up and two webhooks.

    Nothing is sent to the address of the second webhook.
    """
    client.create("ada@example.com", tags="first")
    make_tags(client)
    client.post("/fetch/fields", {"field": {"key": "first"}})
    client.post("/batch/subscribers", {"subscribers": [{"email": "ada@example.com"}]})
    client.post("/batch/imports/1/undo")
    site_lane.drain(client.site.id, 30)
    client.post("/fetch/segments", SEGMENT)
    open_form(client.site)
    client.post("/fetch/sign_ups", SIGN_UP)
    client.post("/fetch/webhooks", WEBHOOK)
    webhooks.create(client.site, {"url": "http://127.0.0.1/", "paused": True})


def make_tags(client) -> None:
    """Makes tags to be renamed and merged."""
    client.post("/fetch/tags", {"tag": {"name": "second"}})
    client.create("ada@example.com", tags="third")
    client.post("/fetch/tags", {"tag": {"name": "fourth"}})


def open_form(site) -> None:
    """Makes a form, and opens it as if the site could send mails."""
    made = forms.create(site, FORM["form"])
    look = dict.fromkeys(("name", "home", "imprint", "language", "accent", "base_url"), "")
    looks.change(site, look | {"privacy": "https://a.example/privacy"}, b"", False, COMMAND_LINE)
    forms.set_state(site, made.id, forms.OPEN, no_mail="")


def ask(client, endpoint: Endpoint, **options):
    """Sends the endpoint's valid request, changed by the options."""
    request = {"body": endpoint.body, "query": endpoint.query or {}} | options
    return client.call(endpoint.method, endpoint.path, request.pop("body"), **request)
