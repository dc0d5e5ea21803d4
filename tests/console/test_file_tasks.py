"""What a worker does with a file: all of it is tried, and imported, whatever happens meanwhile."""

from functools import partial

import pytest

from audience import clock, commands, file_imports, file_tasks, imports, stats, subscribers
from schemas import file_imports as wire
from schemas.file_imports import kept_file
from tests.console.browser import signed_in
from tests.console.test_file_uploads import folder, keep, root, work
from workers.child_process import ChildProcess

__all__ = ["folder", "root"]

PEOPLE = "email\n" + "".join(f"p{number}@a.example\n" for number in range(20)) + "nobody\n"


class KilledError(BaseException):
    """As a signal ends a process."""


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    for module in (file_tasks, file_imports):
        monkeypatch.setattr(module, "BATCH_ROWS", 4)


@pytest.fixture
def few_at_once(monkeypatch):
    """The page itself tries a few rows."""
    monkeypatch.setattr(wire, "DRY_RUN_ROWS", 8)


class Interrupted:
    """Opens files; before row `at` of the first, `act` is called."""

    def __init__(self, at, act):
        self.open = partial(kept_file, ChildProcess())
        self.at = at
        self.act = act

    def __call__(self, *arguments):
        self.file = self.open(*arguments)
        self.columns = self.file.columns
        return self

    def rows(self, check):
        for number, row in enumerate(self.file.rows(check)):
            if number == self.at:
                self.at = -1
                self.act()
            yield row


def kill():
    raise KilledError


def test_the_whole_file_is_tried(site, manager, root, few_at_once):
    path = keep(manager, root, PEOPLE)
    shown = manager.get(path).text
    assert "tried on the first 8 rows" in shown
    assert "The whole file is being tried: 0 rows so far." in shown
    assert "Import all rows" in shown
    subscribers.create(site, {"email": "p19@a.example"})
    commands.run(site, [{"command": "unsubscribe", "email": "p19@a.example"}])
    work(manager)
    shown = manager.get(path).text
    assert "tried on all rows" in shown
    assert "Who left stays away: 1." in shown
    assert "Of 21 rows, <b>19</b> bring new subscribers" in shown
    assert "Import 20 rows" in shown
    assert "data-live" not in shown


def test_a_fault_at_the_end_of_a_file_is_found_before_the_start(manager, root, few_at_once):
    path = keep(manager, root, PEOPLE + '"p30@a.example')
    work(manager)
    shown = manager.get(path).text
    assert "The quote on line 23 is not closed" in shown
    assert 'name="start"' not in shown


def test_a_fault_at_the_end_imports_nothing(site, manager, root, few_at_once):
    path = keep(manager, root, PEOPLE + '"p30@a.example')
    manager.post(path, start="1", headed="1")
    work(manager)
    assert "The quote on line 23 is not closed" in manager.get(path).text
    assert imports.newest(site) == []


@pytest.mark.parametrize("at", [0, 3, 9, 20])
def test_another_worker_goes_on_where_one_was_killed(site, manager, root, later, at):
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1")
    with pytest.raises(KilledError):
        work(manager, Interrupted(at, kill))
    work(manager)
    assert "Reading the file" in manager.get(path).text
    later(file_tasks.LEASE_MS + 1)
    work(manager)
    assert manager.get(path).status_code == 303
    imports.drain(site.id, 30)
    [done] = imports.newest(site)
    assert (done.rows, done.refused, done.created) == (20, 1, 20)
    assert stats.for_site(site).users == 20


@pytest.mark.parametrize("hours", [-1, 1])
def test_a_host_with_another_clock_takes_no_task_away(site, manager, root, monkeypatch, hours):
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1")
    with pytest.raises(KilledError):
        work(manager, Interrupted(3, kill))
    other = clock.now_ms() + hours * 3_600_000
    monkeypatch.setattr(clock, "now_ms", lambda: other)
    work(manager)
    assert "Reading the file" in manager.get(path).text


def test_stopped_while_it_is_read(site, manager, root, folder):
    path = keep(manager, root, PEOPLE)
    manager.post(path, start="1", headed="1")
    assert "Stop, and leave the file" in manager.get(path).text
    work(manager, Interrupted(9, lambda: manager.post(path, leave="1")))
    assert imports.newest(site) == []
    assert manager.get(path).status_code == 404
    assert list(folder.iterdir()) == []


def test_it_is_imported_once_however_often_it_is_started(app, site, manager, root):
    path = keep(manager, root, PEOPLE)
    other = signed_in(app, "max@example.com", {site: "manager"})
    for browser in (manager, other):
        assert browser.post(path, start="1", headed="1").status_code == 303
    assert "by meg@example.com" in other.get(path).text
    work(manager)
    assert other.post(path, start="1", headed="1").status_code == 303
    work(manager)
    assert len(imports.newest(site)) == 1


def test_what_is_said_of_a_file_while_it_is_tried_counts(manager, root, few_at_once):
    path = keep(manager, root, PEOPLE)
    work(manager, Interrupted(9, lambda: manager.post(path, look="1", headed="1", left="1")))
    assert "Leave, or come as left: 20." in manager.get(path).text


def test_a_worker_that_fails_says_so_and_does_not_begin_again(manager, root, few_at_once):
    path = keep(manager, root, PEOPLE)

    def fail():
        raise ZeroDivisionError

    work(manager, Interrupted(9, fail))
    assert file_tasks.STOPPED.partition(" the ")[0] in manager.get(path).text
