"""A site with a bit of everything, and the pages that show it."""

from pathlib import Path

from audience.access import address_lists
from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.bulk import actions as bulk_actions
from audience.changes.changes import Consent, change_from_item
from audience.clock import DAY_MS
from audience.deliveries.client import DeliveryResult
from audience.forms import forms
from audience.imports import file_imports, imports
from audience.operations import site_lane
from audience.operations.demo_imports import DemoRow
from audience.reports import reports
from audience.searches import lists as subscriber_lists
from audience.searches import searches
from audience.segments import segments
from audience.sign_ups import sign_ups
from audience.sign_ups.sign_ups import SignUpRequest
from audience.subscribers import custom_fields, subscribers, tags
from audience.webhooks import deliveries as webhook_deliveries
from audience.webhooks import webhooks
from audience.webhooks.deliveries import CHANGES, Delivery
from storage import database
from storage.sign_ups import sign_ups as stored_sign_ups
from tests.jobs import run_bulk_actions

HOOK = "https://hooks.invalid/changes"
HOSTILE = (
    "</script><script>alert(1)</script>", "=HYPERLINK(\"//evil.example\")", "\u202egnp.exe", "x" * 10_000,
    "'\"><img src=x onerror=alert(1)>", "{{ 7 * 7 }}",
)  # fmt: skip
PLAIN = ("Ann", "Zoë", "Łukasz", "Søren", "Mei", "Owen")
RULES = {
    "all": [
        {"status": "subscribed"},
        {"any": [{"tag": "vip"}, {"event": "$open", "at_least": 2}, {"field": "plan", "in": ["pro", 3]}]},
        {"not": {"any": [{"email_domain": "b.example"}, {"last_event_at": {"not_within_days": 9}}]}},
    ]
}


def fill(site: Site, names: tuple[str, ...] = PLAIN, at: int = 1_790_000_000_000) -> None:
    """Gives a site subscribers with those names in every field and tag, events, an import with a refused row,
    segments and more.
    """
    items = [
        {"email": f"p{number}@a.example", "first_name": name, "last_name": name, "tags": [name[:200], "vip"],
         "fields": {"plan": name, name[:100]: [name]}, "created_at": at - number * 100 * DAY_MS}
        for number, name in enumerate(names)
    ]  # fmt: skip
    with database.write():
        changes = [change_from_item(item, at) for item in items]
        subscribers.write(site.id, changes, subscribers.accept_now(site.id))
        left = change_from_item({"email": "p0@a.example", "command": Consent.UNSUBSCRIBE}, at)
        subscribers.write(site.id, [left], subscribers.accept_now(site.id))
    with file_imports.receiving(site) as upload:
        upload.store(_rows(names))
        upload.accept([name[:100] for name in names])
    site_lane.drain(site.id, 30)
    segment = segments.create(site, {"name": names[0], "description": names[-1], "rules": RULES})
    types = ("VisitorCount", "NewVisitors", "TotalVisitors", "VisitorsByTag", "Events", "Imports")
    for type_ in types:
        item = {
            "name": names[0],
            "report_type": f"Reporting::Reports::{type_}Report",
            "settings": {"days": 3},
        }
        reports.create(site, item | ({"segment_id": str(segment.id)} if type_ == "VisitorCount" else {}))
    _act_on_all(site, "tag", names[0][:200])
    run_bulk_actions(Path("/nowhere"))
    _act_on_all(site, "unsubscribe")
    address_lists.add(site, "deny", "spam.example")
    custom_fields.create(site, "empty")
    texts = {"en": names[0][:1_000], "de": "Ja"}
    form = forms.create(
        site, {"name": "Front page", "wording": texts, "intro": texts, "origins": ["https://a.example"]}
    )
    _ask(site, form, names)
    tags.create(site, "unused")
    long = {"url": f"{HOOK}?" + "x" * 1900, "segment_id": str(segment.id), "paused": True}
    for hook in ({"url": HOOK}, long):
        webhooks.create(site, hook)
    delivery = Delivery(0, webhooks.list_all(site)[0].id, "webhook-1", CHANGES, at, 1, 2, 2)
    with database.write(site.id):
        for failure in (None, "The receiver did not answer in time."):
            delivered = DeliveryResult(
                None if failure else 503, 12, "" if failure else names[0][:1024], failure
            )
            webhook_deliveries.log(site.id, delivery, delivered)


def _act_on_all(site: Site, kind: str, tag: str = "") -> None:
    ids = subscriber_lists.ids(site, subscriber_lists.ListRequest())
    new = bulk_actions.NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag=tag)
    bulk_actions.begin(site, new, Actor("mara@example.com"))


def _ask(site: Site, form: forms.SignUpForm, names: tuple[str, ...]) -> None:
    """Makes two sign-ups: one on hold, and one that the mail server refused."""
    for number in (1, 2):
        asked = SignUpRequest(
            f"s{number}@a.example", {"first_name": names[0]}, is_held=True, reason="trapped", base_url=HOOK
        )
        kept = sign_ups.accept(site, form, asked)
    assert kept is not None
    with database.write(site.id):
        stored_sign_ups.change({"status": "failed", "said": names[0]}, site_id=site.id, id=kept.id)


def _rows(names: tuple[str, ...]):
    yield DemoRow(2, "p1@a.example", {"email": "p1@a.example", "fields": {"plan": "pro"}}, "", "", [])
    yield DemoRow(3, "", None, "missing_email", names[0], list(names))


def site_paths(site: Site) -> list[str]:
    """The paths, below /console, of all pages of a site that only read."""
    root = f"/sites/{site.uuid}"
    found = searches.search(site, searches.SearchRequest(after={}, before={}), 1)[0][:2]
    return [
        root,
        f"{root}?step=week&period=30",
        f"{root}?step=month&period=all",
        f"{root}?step=x&period=x",
        f"{root}?add=1",
        f"{root}/subscribers",
        f"{root}/subscribers/new",
        f"{root}/subscribers?status=subscribed&tag=vip&created_at=30&order=last_event_at",
        *(f"{root}/{noun}" for noun in ("imports", "segments", "reports", "checks", "lists", "settings")),
        *(f"{root}/{noun}" for noun in ("pages", "keys", "webhooks", "delete")),
        f"{root}/acts",
        f"{root}/tags",
        *(f"{root}/acts/{each.id}" for each in bulk_actions.newest(site)),
        f"{root}/forms",
        f"{root}/sign-ups",
        f"{root}/sign-ups?status=failed",
        f"{root}/forms/new",
        *(f"{root}/forms/{each.id}" for each in forms.list_all(site)),
        f"{root}/segments/new",
        f"{root}/imports?before=1",
        f"{root}/imports/new",
        *(f"{root}/checks/{kind}" for kind in ("blacklist", "text", "name", "place")),
        *(f"{root}/subscribers/{each.uuid}{page}" for each in found for page in ("", "/consent")),
        *(f"{root}/imports/{each.id}" for each in imports.newest(site)),
        *(f"{root}/segments/{each.id}{act}" for each in segments.list_all(site) for act in ("", "/edit")),
        *(
            f"{root}/webhooks/{each.id}{query}"
            for each in webhooks.list_all(site)
            for query in ("", "?page=2")
        ),
        f"{root}/reports/new",
        *(
            f"{root}/reports/new?kind={kind}"
            for kind in ("VisitorCount", "VisitorsByField", "Events", "Leaving")
        ),
        *(f"{root}/reports/{each.id}" for each in reports.list_all(site)[-6:]),
        f"{root}/reports/{reports.list_all(site)[-1].id}/edit",
    ]


INSTANCE_PATHS = (
    "/sites",
    "/configured",
    "/doctor",
    "/backups",
    "/account",
    "/account/two-factor",
    "/operators",
    "/audit-log",
)
