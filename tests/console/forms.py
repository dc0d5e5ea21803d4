"""Every form of the console that writes, with the paths and fields that it needs."""

from dataclasses import replace
from string import Template
from typing import Any

from audience import clock
from audience.access import keys, operators, sessions, sign_in, sites
from audience.access.audit_log import COMMAND_LINE, Actor
from audience.bulk import actions as bulk_actions
from audience.changes.changes import change_from_item
from audience.forms import forms
from audience.imports import imports
from audience.reports import reports
from audience.searches import lists as subscriber_lists
from audience.segments import segments
from audience.sign_ups import sign_ups
from audience.subscribers import custom_fields, subscribers, tags
from audience.webhooks import webhooks
from schemas.values import write_date
from storage import database
from storage.access import operators as stored_operators
from storage.sign_ups.sign_ups import HELD
from tests import two_factor
from tests.console.browser import signed_in
from tests.console.conftest import PASSWORD
from tests.console.screens import HOOK, fill
from tests.console.test_file_uploads import keep
from tests.jobs import run_bulk_actions
from tests.sign_up_steps import make_sender

RULES = '{"tag": "vip"}'


class World(dict[str, Any]):
    """A site with a bit of everything, and an operator who may do all.

    A placeholder of a form in `WRITES`, such as `tag`, is filled in by the method of that name, which makes
    the record.
    """

    def __init__(self, app, site, settings):
        super().__init__()
        fill(site)
        self.site, self.settings, self.root = site, settings, f"/sites/{site.uuid}"
        operators.add("sue@example.com", False, {site: "support"}, COMMAND_LINE)
        operators.add("other@example.com", True, {site: "owner"}, COMMAND_LINE)
        self.browser = signed_in(app, "me@example.com", {site: "owner"}, administrator=True)
        self.me = operators.get("me@example.com").id

    def form(self, rule):
        """(path, fields) of a form of `WRITES`, with placeholders filled in."""
        path, fields = WRITES[rule]
        return self._filled(path), {name: self._filled(value) for name, value in fields.items()}

    def _filled(self, value):
        return Template(value).substitute(self) if isinstance(value, str) else value

    def __missing__(self, name):
        found = getattr(self, name)
        return found() if callable(found) else found

    def uuid(self):
        return self.site.uuid

    def person(self, email="p1@a.example"):
        found = subscribers.find(self.site, email)
        assert found is not None
        return f"{self.root}/subscribers/{found.uuid}"

    def unconfirmed(self):
        """A subscriber who can be asked to confirm, on a site that can send emails."""
        make_sender(self.site)
        services = self.browser.http.application.extensions
        settings = replace(self.settings, smtp_url="smtp+plain://127.0.0.1:25")
        services["audience"] = replace(services["audience"], settings=settings)
        with database.write(self.site.id):
            change = change_from_item({"email": "p1@c.example", "unconfirmed": True}, 1)
            subscribers.write(self.site.id, [change], subscribers.accept_now(self.site.id))
        return self.person("p1@c.example")

    def other_person(self):
        return self.person("p2@a.example")

    def file(self):
        return keep(self.browser, f"{self.root}/imports", "E-mail\nann@a.example\n")

    def _everybody(self):
        return subscriber_lists.ids(self.site, subscriber_lists.ListRequest())

    def seen(self):
        return bulk_actions.fingerprint(self._everybody())

    def act(self):
        new = bulk_actions.NewAction(kind="tag", ids=self._everybody(), seen=self.seen(), tag="Spring")
        act = bulk_actions.begin(self.site, new, Actor("mara@example.com"))
        return f"{self.root}/acts/{act.id}"

    def done_act(self):
        path = self.act()
        run_bulk_actions(self.settings.instance)
        return path

    def failed_act(self):
        path = self.act()
        self._fail("UPDATE bulk_acts SET status = 'failed' WHERE site_id = ? AND id = ?", path)
        return path

    def imported(self):
        return f"{self.root}/imports/{imports.newest(self.site)[0].id}"

    def failed_import(self):
        path = self.imported()
        self._fail("UPDATE imports SET status = 'failed' WHERE site_id = ? AND id = ?", path)
        return path

    def _fail(self, statement, path):
        with database.write(self.site.id):
            database.execute(statement, (self.site.id, path.rpartition("/")[2]))

    def empty_site(self):
        empty = sites.create("Empty")
        operators.add_owners(empty, COMMAND_LINE, self.me)
        return f"/sites/{empty.uuid}"

    def key(self):
        return keys.create([self.site], "read", "old").publishable_key

    def webhook(self):
        return f"{self.root}/webhooks/{webhooks.list_all(self.site)[0].id}"

    def paused(self):
        path = self.webhook()
        webhooks.pause(self.site, int(path.rpartition("/")[2]), True)
        return path

    def tag(self):
        tags.create(self.site, "Other")
        return tags.create(self.site, "Kept").id

    def field(self):
        return custom_fields.create(self.site, "kept").id

    def segment(self):
        made = segments.create(self.site, {"name": "Kept", "rules": {"tag": "vip"}})
        return f"{self.root}/segments/{made.id}"

    def sign_up_form(self):
        return f"{self.root}/forms/{forms.create(self.site, {'name': 'Kept'}).id}"

    def sign_up(self):
        return f"{self.root}/sign-ups/{sign_ups.list_page(self.site, HELD)[0].id}"

    def soon(self):
        return write_date(clock.now_ms() + 1)

    def held(self):
        return sign_ups.count_open_by_status(self.site, clock.now_ms() + 1)[HELD]

    def report(self):
        item = {"name": "Kept", "report_type": "Reporting::Reports::NewVisitorsReport"}
        return f"{self.root}/reports/{reports.create(self.site, item).id}"

    def backup(self):
        name = "audience-20260101-000000.tar"
        folder = self.settings.backups
        folder.mkdir(exist_ok=True)
        (folder / name).write_text("x")
        return f"/backups/{name}"

    def other_session(self):
        sessions.begin(self.me, False, "")
        return max(each.id for each in sessions.list_of(self.me))

    def code(self):
        """The code that turns on two-factor sign-in for the operator, who has a password by now."""
        token = operators.reset("me@example.com", COMMAND_LINE)
        self.browser.post("/password", token=token, password=PASSWORD)
        operator = operators.signed_in(self.browser.token)
        assert operator is not None
        secret = sign_in.two_factor_set_up(operator, self.browser.token, "Audience").secret
        return two_factor.code_of(secret.replace(" ", ""))

    def own_recovery_code(self):
        shown = self.browser.post("/account/two-factor", present=PASSWORD, code=self.code())
        return two_factor.RECOVERY_CODE.findall(shown.text)[0]

    def waiting_code(self):
        self.recovery_codes = two_factor.turn_on("ann@example.com")[1]
        return two_factor.waiting("ann@example.com")

    def recovery_code(self):
        return self.recovery_codes[0]

    def link(self):
        return sessions.new_link(operators.get("ann@example.com").id, sessions.SIGN_IN)

    def first_link(self):
        """Of the first operator of an older version, who has no address."""
        with database.write(database.SHARED):
            first = stored_operators.add(email="", email_key=None, administrator=True, created_at=1)
        return sessions.new_link(first, sessions.FIRST)

    def password_link(self):
        return sessions.new_link(operators.get("sue@example.com").id, sessions.PASSWORD)


SITE = "/sites/<site_uuid>"
PERSON = f"{SITE}/subscribers/<subscriber_uuid>"
HOOKS = f"{SITE}/webhooks/<number:webhook_id>"
TAG = {"act": "tag", "tag": "Spring  Fair\r\n<b>"}
REPORT = {"name": "New", "report_type": "Reporting::Reports::NewVisitorsReport"}
FORM = {
    "name": "Blog",
    "language": "en",
    "confirm": "click",
    "wording_en": "Yes.",
    "origins": "https://a.example",
}
HOOK_FIELDS = {"url": f"{HOOK}/2", "kinds": ["created", "erased"]}
WRITES: dict[str, tuple[str, dict[str, Any]]] = {
    "/account/email": ("/account/email", {"email": "mine@example.com"}),
    "/account/password": ("/account/password", {"password": PASSWORD}),
    "/account/sessions/<number:session_id>/end": ("/account/sessions/$other_session/end", {}),
    "/account/two-factor": ("/account/two-factor", {"present": PASSWORD, "code": "$code"}),
    "/account/two-factor/off": (
        "/account/two-factor/off", {"present": PASSWORD, "code": "$own_recovery_code"},
    ),
    f"{SITE}/lists": ("$root/lists", {"list": "deny", "entry": "new.example"}),
    f"{SITE}/lists/remove": ("$root/lists/remove", {"entry": "spam.example"}),
    "/own-lists": (
        "/own-lists", {"site": "$uuid", "name": "moderation/adult", "entry": "stripper", "place": "more"},
    ),
    "/backups/<name>/delete": ("$backup/delete", {}),
    f"{SITE}/acts": ("$root/acts", {"all": "1", "seen": "$seen", **TAG}),
    f"{SITE}/acts/<number:action_id>/cancel": ("$act/cancel", {}),
    f"{SITE}/acts/<number:action_id>/retry": ("$failed_act/retry", {}),
    f"{SITE}/acts/<number:action_id>/undo": ("$done_act/undo", {}),
    PERSON: ("$person", TAG),
    f"{PERSON}/confirmation": ("$unconfirmed/confirmation", {}),
    f"{PERSON}/erase": ("$other_person/erase", {"confirmed": "1"}),
    f"{SITE}/subscribers/new": (
        "$root/subscribers/new", {"email": "new@a.example", "consent": "subscribed"},
    ),
    f"{SITE}/subscribers": ("$root/subscribers?status=subscribed&tag=vip", {"text": "p1@ "}),
    f"{SITE}/imports/files/<number:upload_id>": (
        "$file", {"start": "1", "headed": "1", "consent": "subscribed"},
    ),
    f"{SITE}/imports/<number:import_id>/retry": ("$failed_import/retry", {}),
    f"{SITE}/imports/<number:import_id>/undo": ("$imported/undo", {}),
    f"{SITE}/keys": ("$root/keys", {"name": "Blog", "scope": "read"}),
    f"{SITE}/keys/rotate": ("$root/keys/rotate", {"key": "$key", "overlap": "1 day"}),
    f"{SITE}/keys/revoke": ("$root/keys/revoke", {"key": "$key"}),
    f"{SITE}/pages/links": ("$root/pages/links", {}),
    f"{SITE}/operators": ("$root/operators", {"email": "sue@example.com", "role": "viewer"}),
    "/operators": ("/operators", {"email": "new@example.com", "administrator": "1"}),
    "/operators/reset": ("/operators/reset", {"email": "sue@example.com"}),
    "/operators/administrator": (
        "/operators/administrator", {"email": "sue@example.com", "administrator": "1"}
    ),
    "/operators/role": ("/operators/role", {"email": "sue@example.com", "site": "$uuid", "role": "manager"}),
    "/operators/remove": ("/operators/remove", {"email": "sue@example.com"}),
    f"{SITE}/reports/new": ("$root/reports/new", REPORT),
    f"{SITE}/reports/<report_id>/edit": ("$report/edit", REPORT),
    f"{SITE}/reports/<report_id>/delete": ("$report/delete", {}),
    f"{SITE}/forms/new": ("$root/forms/new", FORM),
    f"{SITE}/forms/<number:form_id>": ("$sign_up_form", FORM),
    f"{SITE}/forms/<number:form_id>/state": ("$sign_up_form/state", {"state": "archived"}),
    f"{SITE}/forms/<number:form_id>/event": ("$sign_up_form/event", {"event": "on"}),
    f"{SITE}/sign-ups/release": ("$root/sign-ups/release", {"before": "$soon", "typed": "$held"}),
    f"{SITE}/sign-ups/discard": ("$root/sign-ups/discard", {"before": "$soon", "typed": "$held"}),
    f"{SITE}/sign-ups/<number:sign_up_id>/send": ("$sign_up/send", {}),
    f"{SITE}/sign-ups/<number:sign_up_id>/delete": ("$sign_up/delete", {}),
    f"{SITE}/segments/new": ("$root/segments/new", {"name": "VIP", "rules": RULES}),
    f"{SITE}/segments/<segment_id>/edit": ("$segment/edit", {"name": "VIP", "rules": RULES}),
    f"{SITE}/segments/<segment_id>/delete": ("$segment/delete", {}),
    f"{SITE}/segments/<segment_id>/export": ("$segment/export", {}),
    f"{SITE}/tags/rename": ("$root/tags/rename", {"tag": "$tag", "name": "Patrons"}),
    f"{SITE}/tags/merge": ("$root/tags/merge", {"tag": "$tag", "into": "Other"}),
    f"{SITE}/tags/add-field": ("$root/tags/add-field", {"key": "city"}),
    f"{SITE}/tags/delete": ("$root/tags/delete", {"tag": "$tag"}),
    f"{SITE}/tags/delete-field": ("$root/tags/delete-field", {"field": "$field"}),
    f"{SITE}/settings": ("$root/settings", {"name": "Herons", "time_zone": "Europe/Paris"}),
    "/sites": ("/sites", {"name": "Reeds"}),
    "/sites/demo": ("/sites/demo", {}),
    f"{SITE}/delete": ("$root/delete", {"typed": "Example"}),
    "/sign-in": ("/sign-in", {"email": "ann@example.com", "password": PASSWORD, "remember": "1"}),
    "/first": ("/first", {"token": "$first_link", "email": "first@example.com", "password": PASSWORD}),
    "/sign-in/code": ("/sign-in/code", {"token": "$waiting_code", "code": "$recovery_code"}),
    "/link": ("/link", {"token": "$link"}),
    "/password": ("/password", {"token": "$password_link", "password": PASSWORD}),
    "/sign-out": ("/sign-out", {}),
    f"{SITE}/webhooks": ("$root/webhooks", HOOK_FIELDS),
    HOOKS: ("$webhook", HOOK_FIELDS),
    f"{HOOKS}/pause": ("$webhook/pause", {}),
    f"{HOOKS}/resume": ("$paused/resume", {}),
    f"{HOOKS}/rotate": ("$webhook/rotate", {}),
    f"{HOOKS}/test": ("$webhook/test", {}),
    f"{HOOKS}/replay": ("$webhook/replay", {"after": "0"}),
    f"{HOOKS}/delete": ("$webhook/delete", {}),
}  # fmt: skip
