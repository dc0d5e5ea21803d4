"""While others write: what is sent is not lost, nothing of it is written, and what reads goes on."""

import html
import re
import threading
from contextlib import contextmanager
from dataclasses import replace

import pytest

from audience.access import sessions
from audience.clock import MINUTE_MS
from audience.reports import reports
from storage import database
from storage.engines.chosen import engine
from storage.errors import Unavailable, Unfinished
from tests.console.forms import REPORT, RULES, SITE, WRITES, World
from tests.console.test_file_uploads import keep, send
from tests.console.test_pages import filled, pages
from tests.service import PATIENCE_SECONDS

NOTHING_SAVED = "Nothing was saved."


@pytest.fixture
def settings(settings):
    return replace(settings, database_timeout=0.1, webhook_private_addresses=True)


@contextmanager
def others_writing():
    """Another thread has the lock of all sites meanwhile."""
    held, done = threading.Event(), threading.Event()

    def write():
        with database.write():
            held.set()
            done.wait(PATIENCE_SECONDS)

    thread = threading.Thread(target=write)
    thread.start()
    assert held.wait(PATIENCE_SECONDS)
    try:
        yield
    finally:
        done.set()
        thread.join()


def stored():
    """All rows of all tables, but what the time changes."""
    with database.session():
        return {
            name: sorted(map(repr, database.rows(f"SELECT * FROM {name}")))  # noqa: S608 - no input
            for name in engine.tables(database.database)
        }


def kept(response):
    """(path, fields) of the form that a page keeps."""
    [path] = re.findall(r'<form class="form" method="post" action="/console([^"]*)"', response.text)
    pairs = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)">', response.text)
    fields: dict[str, list[str]] = {}
    for name, value in pairs:
        fields.setdefault(html.unescape(name), []).append(html.unescape(value))
    return html.unescape(path), fields


OF_FILES = {
    f"{SITE}/imports/new", f"{SITE}/imports/files/<number:upload_id>/again",
    f"{SITE}/pages",  # with a logo
}  # fmt: skip
WRITE_NOTHING = {
    f"{SITE}/subscribers/chosen", f"{SITE}/checks/<kind>", f"{SITE}/segments/preview", "/<path:rest>",
    f"{SITE}/forms/<number:form_id>/preview/<name>",
    f"{SITE}/pages/mail/test",  # only that it was sent
    f"{SITE}/sign-ups",  # finds an address
    "/backups",  # asks a worker, by a file
    "/backups/<name>/download",
}  # fmt: skip


@pytest.fixture
def world(app, site, settings, ann, monkeypatch):
    monkeypatch.setattr(sessions, "_refused_at", sessions._refused_at)
    return World(app, site, settings)


def test_every_form_of_the_console_is_tried(app):
    posts = {rule.removeprefix("/console") for method, rule, _ in pages(app) if method == "POST"}
    assert posts == {*WRITES, *OF_FILES, *WRITE_NOTHING}


@pytest.mark.parametrize("rule", WRITES)
def test_a_form_is_kept_while_others_write_and_goes_through_afterwards(world, rule):
    path, fields = world.form(rule)
    before = stored()
    with others_writing():
        busy = world.browser.post(path, **fields)
    assert (busy.status_code, busy.headers["Retry-After"], NOTHING_SAVED in busy.text) == (503, "5", True)
    assert stored() == before
    again, kept_fields = kept(busy)
    token = kept_fields.pop("csrf")
    sent = {name: [value] if isinstance(value, str) else value for name, value in fields.items()}
    assert (again, kept_fields) == (path, sent)
    done = world.browser.send(again, {"csrf": token} | kept_fields, Origin=world.browser.origin)
    assert done.status_code in (200, 303), done.text
    assert stored() != before


def test_a_file_is_sent_again_from_its_form(world):
    before = stored()
    with others_writing():
        busy = send(world.browser, f"{world.root}/imports", "E-mail\nann@a.example\n")
    assert (busy.status_code, "Go back in your browser" in busy.text) == (503, True)
    assert "people.csv" not in busy.text
    assert stored() == before
    assert list((world.settings.instance / "uploads").glob("*")) == []
    assert send(world.browser, f"{world.root}/imports", "E-mail\nann@a.example\n").status_code == 303


def test_what_only_reads_goes_on_for_a_session_of_some_minutes_too(app, world, later):
    waiting = keep(world.browser, f"{world.root}/imports", "E-mail\nann@a.example\n")
    reads = [
        filled(rule, world.site) for method, rule, _ in pages(app) if method == "GET" and "<rest>" not in rule
    ]
    asked = {"subscribers/chosen": {"act": "tag", "all": "1"}, "segments/preview": {"rules": RULES}}
    later(6 * MINUTE_MS)
    with others_writing():
        for path in [waiting, *reads]:
            assert world.browser.get(path).status_code < 500, path
        for path, fields in asked.items():
            assert world.browser.post(f"{world.root}/{path}", **fields).status_code == 200, path


def test_a_link_is_spent_only_with_the_session_that_it_gives(app, world, monkeypatch):
    token = world.link()
    with monkeypatch.context() as patched:
        patched.setattr(sessions, "end_by_token", unavailable)
        assert world.browser.post("/link", token=token).status_code == 503
    old = world.browser.token
    assert world.browser.post("/link", token=token).status_code == 303
    assert sessions.find(old) is None


def test_a_page_that_cannot_be_read_is_asked_for_again(world, monkeypatch):
    monkeypatch.setattr(reports, "list_all", unavailable)
    shown = world.browser.get(f"{world.root}/reports?of=x&y=<b>")
    assert shown.status_code == 503
    assert f'href="/console{world.root}/reports?of=x&amp;y=&lt;b&gt;">Try again</a>' in shown.text
    assert NOTHING_SAVED not in shown.text


def test_what_may_have_been_done_is_not_sent_again(world, monkeypatch):
    monkeypatch.setattr(reports, "create", unfinished)
    shown = world.browser.post(f"{world.root}/reports/new", **REPORT)
    assert (shown.status_code, "Check before you send the request again" in shown.text) == (503, True)
    assert "Try again" not in shown.text
    assert NOTHING_SAVED not in shown.text


def unavailable(*_):
    raise Unavailable


def unfinished(*_):
    raise Unfinished
