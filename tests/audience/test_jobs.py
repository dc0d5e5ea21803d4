"""The engine for work in the background: what is claimed, held, tried again, given up."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from audience import jobs
from audience.errors import NotFound
from audience.jobs import DB, LONG, NET, SETTLED, SITE, Kind
from audience.segments import counts, segments
from storage import database
from storage import jobs as stored
from storage.engines import sqlite
from storage.errors import Unavailable
from storage.segments import members as stored_members


class Done:
    """Kinds whose steps are noted, as (kind, subject), and do what they are told."""

    def __init__(self):
        self.steps, self.given_up, self.does = [], [], lambda job: self.end(job)

    def step(self, job, _deadline):
        self.steps.append((job.kind, job.subject))
        return self.does(job)

    def end(self, job):
        with database.write(job.site_id):
            jobs.end(job)
        return SETTLED

    def give_up(self, _site_id, subject):
        self.given_up.append(subject)

    def kinds(self, lane, *names, gives_up=True):
        return [Kind(name, lane, self.step, self.give_up if gives_up else None) for name in names]


@pytest.fixture
def done():
    return Done()


def add(site, kind, subject, number=None):
    with database.write(site.id):
        stored.add(site.id, kind, subject, number)


def claim(site, kinds):
    job = jobs.claim(kinds, site.id)
    return job and job.subject


def test_what_has_a_number_is_done_in_their_order_whenever_it_was_added(site, done):
    for subject, number in ((1, 30), (2, 10), (3, 20)):
        add(site, "import" if subject < 3 else "undo", subject, number)
    assert jobs.work(done.kinds(SITE, "import", "undo"), site.id, 5) is False
    assert done.steps == [("import", 2), ("undo", 3), ("import", 1)]
    assert jobs.due_sites() == []


def test_what_waits_holds_up_those_behind_it_in_the_order(site, done, tick):
    add(site, "import", 1, 10)
    add(site, "import", 2, 20)
    done.does = lambda _: 60_000
    kinds = done.kinds(SITE, "import")
    assert jobs.work(kinds, site.id, 5) is False
    assert claim(site, kinds) is None
    tick(60_001)
    assert claim(site, kinds) == 1


def test_of_a_lane_one_job_of_a_site_is_done_at_a_time_but_on_the_net(site, done):
    for lane, names in ((DB, ("segment", "bulk_act")), (NET, ("webhook", "mail"))):
        kinds = done.kinds(lane, *names)
        for name in names:
            add(site, name, 1)
        assert claim(site, kinds) == 1
        assert claim(site, kinds) == (None if lane is DB else 1)
        assert claim(site, kinds) is None


def test_the_lease_of_who_died_expires_and_who_lost_it_writes_nothing(site, done, tick):
    add(site, "import", 1, 1)
    kinds = done.kinds(SITE, "import")
    first = jobs.claim(kinds, site.id)
    assert first
    assert claim(site, kinds) is None
    tick(SITE.lease_ms + 1)
    assert claim(site, kinds) == 1
    for lost in (lambda: jobs.hold(first, SITE), lambda: jobs.end(first), lambda: jobs.rest(first)):
        with pytest.raises(jobs.ClaimLost), database.write(site.id):
            lost()
    assert jobs.step(kinds, first, 0) is False
    assert claim(site, kinds) is None


def test_what_is_handed_back_is_due_at_once_and_who_had_it_writes_nothing(site, done):
    add(site, "file", 1)
    kinds = done.kinds(LONG, "file")
    job = jobs.claim(kinds, site.id)
    assert job
    assert claim(site, kinds) is None
    jobs.hand_back(job)
    assert claim(site, kinds) == 1
    with pytest.raises(jobs.ClaimLost), database.write(site.id):
        jobs.hold(job, LONG)
    jobs.hand_back(job)
    assert claim(site, kinds) is None


@pytest.mark.parametrize("claimed", [True, False])
def test_a_clock_that_begins_anew_or_is_set_back_holds_up_nothing(site, done, tick, claimed):
    """As that of a machine does, which was up for two hours."""
    tick(2 * 3_600_000)
    add(site, "segment", 1)
    kinds = done.kinds(DB, "segment")
    if claimed:
        assert claim(site, kinds) == 1
    else:
        done.does = lambda _: 60_000
        jobs.work(kinds, site.id, 5)
    assert claim(site, kinds) is None
    tick(-2 * 3_600_000)
    assert jobs.due_sites() == [site.id]
    assert claim(site, kinds) == 1


def test_what_rests_waits_until_it_is_woken(site, done):
    add(site, "webhook", 1)
    kinds = done.kinds(NET, "webhook")

    def rest(job):
        with database.write(site.id):
            jobs.rest(job)
        return SETTLED

    done.does = rest
    for _ in range(2):
        assert jobs.work(kinds, site.id, 5) is False
    assert len(done.steps) == 1
    with database.write(site.id):
        assert (stored.wake(site.id, "webhook"), stored.wake(site.id, "webhook")) == (1, 0)
    jobs.work(kinds, site.id, 5)
    assert len(done.steps) == 2


def test_who_adds_a_job_anew_takes_it_from_whoever_does_it(site, done):
    add(site, "webhook", 1)
    kinds = done.kinds(NET, "webhook")
    first = jobs.claim(kinds, site.id)
    assert first
    add(site, "webhook", 1)
    assert claim(site, kinds) == 1
    with pytest.raises(jobs.ClaimLost), database.write(site.id):
        jobs.hold(first, NET)


def fail(_):
    raise RuntimeError("someone@example.org")


def test_what_fails_five_times_is_given_up_and_says_why_but_nothing_of_anybody(site, done, tick, caplog):
    add(site, "import", 1, 1)
    add(site, "import", 2, 2)
    kinds = done.kinds(SITE, "import")
    done.does = lambda job: fail(job) if job.subject == 1 else done.end(job)
    for _ in range(5):
        assert done.given_up == []
        jobs.work(kinds, site.id, 5)
        tick()
    assert done.given_up == [1]
    assert done.steps[-1] == ("import", 2)
    with database.session():
        [trouble] = stored.list_failed()
    assert (trouble.status, trouble.attempts) == ("failed", 5)
    assert trouble.reason.startswith("RuntimeError at ")
    assert "example.org" not in trouble.reason + caplog.text
    add(site, "import", 1, 1)
    done.does = done.end
    jobs.work(kinds, site.id, 5)
    with database.session():
        assert stored.list_failed() == []


def test_what_is_never_given_up_is_tried_ever_more_rarely_and_a_success_is_forgotten(site, done, tick):
    add(site, "segment", 1)
    kinds = done.kinds(DB, "segment", gives_up=False)
    done.does = fail
    waits = []
    for _ in range(8):
        jobs.work(kinds, site.id, 5)
        wait = 0
        while not jobs.due_kinds(site.id):
            tick(1_000)
            wait += 1
        waits.append(wait)
    assert waits == sorted(waits)
    assert waits[-1] > 10 * waits[0]
    done.does = lambda _: 1_000
    jobs.work(kinds, site.id, 5)
    with database.session():
        assert stored.list_failed() == []


def test_what_has_been_handed_back_is_due_at_once_after_the_machine_started(site, done, tick):
    tick(20 * 3_600_000)
    add(site, "import", 1, 1)
    done.does = lambda _: 0
    jobs.work(done.kinds(SITE, "import"), site.id, 0.01)
    tick(-20 * 3_600_000)
    assert claim(site, done.kinds(SITE, "import")) == 1


def test_what_holds_and_then_fails_is_given_up_too(site, done, tick):
    add(site, "undo", 1, 1)

    def holds_and_fails(job):
        with database.write(site.id):
            jobs.hold(job, SITE)
        fail(job)

    done.does = holds_and_fails
    for _ in range(5):
        jobs.work(done.kinds(SITE, "undo"), site.id, 5)
        tick()
    assert done.given_up == [1]


def test_a_fault_of_the_machine_is_no_failure_of_the_job(site, done, tick):
    add(site, "import", 1, 1)

    def unavailable(_):
        raise Unavailable("locked")

    done.does = unavailable
    for _ in range(10):
        with pytest.raises(Unavailable):
            jobs.work(done.kinds(SITE, "import"), site.id, 5)
        tick()
    assert done.given_up == []
    with database.session():
        assert stored.list_failed() == []


def test_the_job_of_what_is_gone_goes(site, done):
    add(site, "import", 1, 1)

    def gone(_):
        raise NotFound("gone")

    done.does = gone
    assert jobs.work(done.kinds(SITE, "import"), site.id, 5) is False
    with database.session():
        assert database.row("SELECT count(*) FROM jobs") == (0,)


def test_the_instance_has_jobs_of_its_own_once(site, done):
    own = [Kind("sweep", DB, lambda *_: 60_000, own=True)]
    for _ in range(2):
        jobs.prepare(own)
    assert jobs.due_sites() == [0]
    jobs.work(own, 0, 5)
    jobs.prepare(own)
    assert jobs.due_sites() == []


def test_of_several_processes_that_share_a_server_one_looks_for_what_is_due(site, tick, monkeypatch):
    monkeypatch.setattr(sqlite, "HAS_HOSTS", True)
    jobs.prepare([])
    assert [jobs.elect(each) for each in ("a", "b", "a")] == [True, False, True]
    tick(jobs.ELECTED_MS + 1)
    assert [jobs.elect(each) for each in ("b", "a")] == [True, False]
    jobs.resign("b")
    assert jobs.elect("a")
    tick(-3_600_000)
    assert jobs.elect("b")


def test_a_count_that_outlasts_its_lease_counts(site, tick, monkeypatch):
    """Or two workers would count a large segment for ever, each taking it from the other."""
    made = segments.create(site, {"name": "All", "rules": {"status": "subscribed"}})
    count = stored_members.count

    def slow(*arguments):
        monkeypatch.setattr(stored_members, "count", count)
        tick(DB.lease_ms + 1)
        with ThreadPoolExecutor(1) as other_worker:
            other_worker.submit(jobs.work, [counts.KIND], site.id, 5).result()
        return count(*arguments)

    monkeypatch.setattr(stored_members, "count", slow)
    jobs.work([counts.KIND], site.id, 5)
    assert counts.by_segment(site) == {made.id: [0]}
    assert jobs.due_sites() == []


def test_who_tries_again_what_has_ended_meanwhile_adds_no_job(site, done, monkeypatch):
    add(site, "import", 1, 1)
    done.does = fail
    jobs.work(done.kinds(SITE, "import"), site.id, 5)
    with database.session():
        seen = [stored.list_failed(), []]
    monkeypatch.setattr(stored, "list_failed", lambda _: seen.pop(0))
    with database.write(site.id):
        stored.remove(site.id, "import", 1)
    with pytest.raises(NotFound):
        jobs.retry(done.kinds(SITE, "import"), 1)
    assert jobs.due_sites() == []
