"""What a worker does with a file: all of it is tried, and imported, whatever happens meanwhile."""

import io
from contextlib import suppress
from functools import partial

import openpyxl
import pytest

from audience import clock, jobs
from audience.erasures import erasures
from audience.imports import dry_runs, file_imports, file_tasks, file_uploads, imports
from audience.operations import site_lane
from audience.subscribers import commands, stats, subscribers
from audience.undo import undos
from schemas.file_imports import look_through
from schemas.formats import first_look
from tests.console.browser import signed_in
from tests.console.test_file_uploads import folder, keep, root, work
from workers.child_process import ChildProcess

__all__ = ["folder", "root"]

PEOPLE = "email\n" + "".join(f"p{number}@a.example\n" for number in range(20)) + "nobody\n"


class KilledError(BaseException):
    """As a signal ends a process."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    for module in (file_tasks, file_imports, dry_runs):
        monkeypatch.setattr(module, "BATCH_ROWS", 4)


@pytest.fixture
def large(monkeypatch):
    """Every file is one that only a worker looks through."""
    monkeypatch.setattr(file_uploads, "SMALL_BYTES", 0)


class Interrupted:
    """Opens files; before row `at` of the first, `act` is called."""

    def __init__(self, at, act):
        self.open = partial(look_through, ChildProcess())
        self.at = at
        self.act = act

    def __call__(self, *arguments):
        self.file = self.open(*arguments)
        return self

    def __getattr__(self, name):
        return getattr(self.file, name)

    def rows(self, check):
        for number, row in enumerate(self.file.rows(check)):
            if number == self.at:
                self.at = -1
                self.act()
            yield row


def kill():
    raise KilledError


def test_a_large_file_is_looked_through_and_tried_by_a_worker(site, manager, root, large):
    path = keep(manager, root, PEOPLE)
    shown = manager.get(path).text
    assert "Checking the file" in shown
    assert "data-live" in shown
    assert "waiting" in shown
    subscribers.create(site, {"email": "p19@a.example"})
    commands.run(site, [{"command": "unsubscribe", "email": "p19@a.example"}])
    during: list[str] = []
    work(manager, Interrupted(9, lambda: during.append(manager.get(path).text)))
    assert "checked on the first 8 rows" in during[0]
    assert "Checking the whole file: 8 rows so far." in during[0]
    assert "Of 8 rows, <b>8</b> would add a subscriber" in during[0]
    assert "Import all rows" in during[0]
    assert "Row 1" in during[0]
    shown = manager.get(path).text
    assert "checked on all rows" in shown
    assert "People who unsubscribed here stay unsubscribed: 1." in shown
    assert "Of 21 rows, <b>19</b> would add a subscriber" in shown
    assert "Import 20 rows" in shown
    assert "data-live" not in shown


def test_the_page_tells_how_far_a_large_file_is_looked_through(manager, root, large, monkeypatch):
    monkeypatch.setattr(first_look, "FOLLOWED_ROWS", 5)
    text = "email,created_at\n" + "".join(f"p{number}@a.example,2025-01-30\n" for number in range(12))
    path = keep(manager, root, text)
    seen = []

    def open_file(name, zone, said, binary, unpacked, follow):
        def look(rows, found):
            follow(rows, found)
            seen.append((rows, "Checking the file" in manager.get(path).text))

        return look_through(ChildProcess(), name, zone, said, binary, unpacked, look)

    work(manager, open_file)
    assert seen == [(0, True), (5, True), (10, True), (0, True)]
    assert "Of 12 rows, <b>12</b> would" in manager.get(path).text


def test_what_a_large_file_lacks_is_chosen_beside_its_columns(site, manager, root, large):
    path = keep(manager, root, "Wer,Stufe\nann@a.example,pro\n")
    work(manager)
    shown = manager.get(path).text
    assert "No column holds addresses: choose below which one does." in shown
    assert "ann<wbr>@a<wbr>.example" in shown
    refused = manager.post(path, start="1", headed="1", consent="subscribed")
    assert (refused.status_code, "Nothing was imported" in refused.text) == (422, True)
    chosen = {"column-1": "email", "column-2": "field:plan", "headed": "1"}
    assert manager.post(path, start="1", consent="subscribed", **chosen).status_code == 303
    work(manager)
    site_lane.drain(site.id, 30)
    assert stats.for_site(site).users == 1


def test_a_large_file_that_is_started_before_it_was_looked_through(site, manager, root, large):
    path = keep(manager, root, "Wer,Stufe\nann@a.example,pro\n")
    assert manager.post(path, start="1", headed="1", consent="subscribed").status_code == 303
    work(manager)
    shown = manager.get(path).text
    assert "No column holds addresses: choose below which one does." in shown
    assert "ann<wbr>@a<wbr>.example" in shown
    assert imports.newest(site) == []


def test_a_workbook_is_unpacked_by_a_worker(manager, root):
    book = openpyxl.Workbook()
    for row in (["email", "Town"], ["ann@a.example", "Oslo"]):
        book.worksheets[0].append(row)
    data = io.BytesIO()
    book.save(data)
    path = keep(manager, root, data.getvalue(), "people.xlsx")
    assert "Checking the file" in manager.get(path).text
    work(manager, partial(look_through, lambda unpack, *arguments: unpack(*arguments)))
    assert "Import 1 row<" in manager.get(path).text


def test_a_fault_at_the_end_of_a_file_is_found_before_the_start(manager, root, large):
    path = keep(manager, root, PEOPLE + '"p30@a.example')
    work(manager)
    shown = manager.get(path).text
    assert "The quote on line 23 is not closed" in shown
    assert 'name="start"' not in shown


def test_a_fault_at_the_end_imports_nothing(site, manager, root, large):
    path = keep(manager, root, PEOPLE + '"p30@a.example')
    manager.post(path, start="1", headed="1", consent="subscribed")
    work(manager)
    assert "The quote on line 23 is not closed" in manager.get(path).text
    assert imports.newest(site) == []


def test_an_import_says_who_left_and_who_stays_away(site, manager, root):
    subscribers.create(site, {"email": "ann@a.example"})
    commands.run(site, [{"command": "unsubscribe", "email": "ann@a.example"}])
    path = keep(manager, root, "email,status\nann@a.example,active\nbob@a.example,bounced\n")
    told = {"value-1": "active", "state-1": "subscribed", "value-2": "bounced", "state-2": "unsubscribed"}
    column = {"consent": "column", "consent_column": "2", "told_column": "2"}
    manager.post(path, start="1", headed="1", **column, **told)
    work(manager)
    site_lane.drain(site.id, 30)
    page = manager.get(f"{root}/{imports.newest(site)[0].id}").text
    assert "1 unsubscribed, or imported as unsubscribed." in page
    assert "People who unsubscribed here stay unsubscribed: 1." in page


@pytest.mark.parametrize("at", [0, 3, 9, 20])
def test_another_worker_goes_on_where_one_was_killed(site, manager, root, later, at):
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1", consent="subscribed")
    with pytest.raises(KilledError):
        work(manager, Interrupted(at, kill))
    work(manager)
    assert "Reading the file" in manager.get(path).text
    later(jobs.LONG.lease_ms + 1)
    work(manager)
    assert manager.get(path).status_code == 303
    site_lane.drain(site.id, 30)
    [done] = imports.newest(site)
    assert (done.rows, done.refused, done.created) == (20, 1, 20)
    assert stats.for_site(site).users == 20


@pytest.mark.parametrize("batch_length", [1, 2**20])
def test_who_was_overtaken_leaves_the_rows_to_the_other(
    site, manager, root, later, monkeypatch, batch_length
):
    monkeypatch.setattr(file_imports, "BATCH_LENGTH", batch_length)
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1", consent="subscribed")
    seen = []

    def overtake():
        later(jobs.LONG.lease_ms + 1)
        with suppress(KilledError):
            work(manager, Interrupted(17, kill))
        seen.append(imports.newest(site))

    work(manager, Interrupted(9, overtake))
    assert imports.newest(site) == seen[0]
    later(jobs.LONG.lease_ms + 1)
    work(manager)
    site_lane.drain(site.id, 30)
    [done] = imports.newest(site)
    assert (done.rows, done.refused, done.created) == (20, 1, 20)


def test_an_erasure_takes_no_file_from_whoever_reads_it(site, manager, root, large):
    keep(manager, root, PEOPLE)
    opened: list[str] = []

    def erase():
        erasures.erase(
            site, manager.http.application.extensions["audience"].settings.instance, "eve@a.example"
        )

    interrupted = Interrupted(9, erase)

    def open_file(name, *arguments):
        opened.append(name)
        return interrupted(name, *arguments)

    work(manager, open_file)
    assert opened == ["people.csv"]
    assert file_uploads.list_waiting(site)[0].to_search == 0


def test_an_import_comes_before_files_that_are_to_be_tried(manager, root, large):
    tried, path = keep(manager, root, PEOPLE), keep(manager, root, "email\nann@a.example\n")
    manager.post(path, start="1", headed="1", consent="subscribed")
    during: list[str] = []
    work(manager, Interrupted(0, lambda: during.append(manager.get(tried).text)))
    assert "Checking the file" in during[0]
    assert "checked on all rows" in manager.get(tried).text


@pytest.mark.parametrize("then", [bool, kill])
def test_taken_back_while_it_is_read(site, manager, root, later, then):
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1", consent="subscribed")

    def take_back():
        undos.undo_import(site, imports.newest(site)[0].id, 30)
        site_lane.drain(site.id, 30)
        then()

    with suppress(KilledError):
        work(manager, Interrupted(9, take_back))
    later(jobs.LONG.lease_ms + 1)
    work(manager)
    site_lane.drain(site.id, 30)
    [stopped] = imports.newest(site)
    assert (stopped.status, stopped.created) == ("failed", 0)
    assert manager.get(path).headers["Location"].endswith(f"{root}/{stopped.id}")
    assert stats.for_site(site).users == 0


@pytest.mark.parametrize("before", ["put_file", "remove_file"])
def test_what_is_applied_before_its_worker_is_killed_is_imported_once(
    site, manager, root, folder, later, monkeypatch, before
):
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1", consent="subscribed")
    with monkeypatch.context() as patch:
        patch.setattr(file_uploads, before, lambda *_: kill())
        with pytest.raises(KilledError):
            work(manager)
    site_lane.drain(site.id, 30)
    later(jobs.LONG.lease_ms + 1)
    work(manager)
    [done] = imports.newest(site)
    assert manager.get(path).headers["Location"].endswith(f"{root}/{done.id}")
    assert list(folder.glob("*")) == []


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_host_with_another_clock_takes_no_task_away(site, manager, root, monkeypatch, hours):
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1", consent="subscribed")
    with pytest.raises(KilledError):
        work(manager, Interrupted(3, kill))
    other = clock.now_ms() + hours * 3_600_000
    monkeypatch.setattr(clock, "now_ms", lambda: other)
    work(manager)
    assert "Reading the file" in manager.get(path).text


def test_stopped_while_it_is_read(site, manager, root, folder):
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1", consent="subscribed")
    assert "Stop, and discard the file" in manager.get(path).text
    work(manager, Interrupted(9, lambda: manager.post(path, leave="1")))
    assert imports.newest(site) == []
    assert manager.get(path).status_code == 404
    assert list(folder.glob("*")) == []


def test_it_is_imported_once_however_often_it_is_started(app, site, manager, root):
    path = keep(manager, root, PEOPLE)
    other = signed_in(app, "max@example.com", {site: "manager"})
    for browser in (manager, other):
        assert browser.post(path, start="1", headed="1", consent="subscribed").status_code == 303
    assert "by meg@example.com" in other.get(path).text
    work(manager)
    assert other.post(path, start="1", headed="1", consent="subscribed").status_code == 303
    work(manager)
    assert len(imports.newest(site)) == 1


def test_what_is_said_of_a_file_while_it_is_tried_counts(manager, root, large):
    path = keep(manager, root, PEOPLE)
    work(manager, Interrupted(9, lambda: manager.post(path, look="1", headed="1", consent="unsubscribed")))
    assert "0 existing subscribers would be unsubscribed, 20 added as unsubscribed." in manager.get(path).text


def test_a_worker_that_fails_says_so_and_does_not_begin_again(manager, root, large):
    path = keep(manager, root, PEOPLE)

    def fail():
        raise ZeroDivisionError

    work(manager, Interrupted(9, fail))
    assert file_tasks.STOPPED.partition(" the ")[0] in manager.get(path).text
