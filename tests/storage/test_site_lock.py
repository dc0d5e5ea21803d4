"""On a server, writers of one site wait for one another, and those of different sites do not."""

import io
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from audience import clock
from audience.access import audit_log, keys, operators, sessions, sites
from audience.bulk import actions as bulk_actions
from audience.bulk import chunks as bulk_chunks
from audience.changes.changes import Change
from audience.erasures import erasures
from audience.errors import NotFound
from audience.imports import file_imports, file_uploads, imports
from audience.privacy import pepper
from audience.segments import segments
from audience.subscribers import subscribers
from storage import database, leases
from storage.access import site_counters
from storage.engines import postgresql
from storage.errors import Unavailable, Unusable
from storage.imports import file_imports as stored_files
from storage.imports import imports as stored_imports
from storage.imports.file_imports import RefusedRow
from storage.instance import site_tables
from storage.opening import history
from storage.subscribers import subscribers as stored
from tests.jobs import count_segments, run_bulk_actions
from tests.service import until

WRITERS, ROUNDS = 8, 25
SECONDS = 30
WAITING_FOR_ROW = "SELECT count(*) FROM pg_locks WHERE locktype = 'transactionid' AND NOT granted"
WAITING_FOR_TABLE = "SELECT count(*) FROM pg_locks WHERE locktype = 'relation' AND NOT granted"
WAITING = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"


@pytest.fixture
def url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    database.open(url, timeout=SECONDS)
    yield url
    database.close()
    server.drop(url)


@pytest.fixture
def site(url):
    return sites.create("Example")


def at_once(function, *arguments):
    with ThreadPoolExecutor(WRITERS) as pool:
        return list(pool.map(function, *arguments))


def change(key, **values):
    return Change(key, key, fields=values)


def test_writers_of_one_subscriber_lose_nothing(site):
    def write(writer):
        for round_ in range(ROUNDS):
            with database.write(site.id):
                changes = [change("ann@example.com", **{f"k{writer}_{round_}": round_})]
                subscribers.write(site.id, changes, subscribers.accept_now(site.id))

    at_once(write, range(WRITERS))
    with database.session():
        ann = stored.get_by_key(site.id, "ann@example.com")
    assert ann is not None
    assert len(ann.fields) == WRITERS * ROUNDS


def test_no_number_is_given_twice(site):
    def take(_):
        given = []
        for _round in range(ROUNDS):
            with database.write(site.id):
                given.append(site_counters.take_acceptance_number(site.id, 0).number)
        return given

    given = [number for numbers in at_once(take, range(WRITERS)) for number in numbers]
    assert sorted(given) == list(range(1, WRITERS * ROUNDS + 1))


def test_batches_in_opposite_orders_meet_in_no_deadlock(site):
    keys = [f"p{number}@example.com" for number in range(200)]

    def write(writer):
        order = keys if writer % 2 else keys[::-1]
        for round_ in range(5):
            with database.write(site.id):
                changes = [change(key, writer=writer, round=round_) for key in order]
                subscribers.write(site.id, changes, subscribers.accept_now(site.id))

    at_once(write, range(WRITERS))
    with database.session():
        assert len(stored.get_by_keys(site.id, keys)) == len(keys)


def test_another_site_does_not_wait(site):
    other = sites.create("Other")
    with ThreadPoolExecutor(1) as pool, database.write(site.id):
        pool.submit(write_nothing, other.id).result(SECONDS)


def test_a_writer_that_stands_still_loses_its_lock(site, monkeypatch):
    monkeypatch.setattr(postgresql, "STILL_MS", 50)
    with pytest.raises(Unavailable, match=r"^PostgreSQL: .*idle"):
        stand_still(site.id)
    write_nothing(site.id)


def test_a_migration_that_stands_still_loses_its_lock(site, monkeypatch):
    monkeypatch.setattr(postgresql, "STILL_MS", 50)

    def take_no_step(_runner):
        write_nothing_beside(site.id)
        database.ping()

    monkeypatch.setattr(history, "replace_old_history", take_no_step)
    with pytest.raises(Unavailable, match=r"^PostgreSQL: .*idle"):
        database.migrate()


def write_nothing_beside(site_id):
    with ThreadPoolExecutor(1) as pool:
        pool.submit(write_nothing, site_id).result(SECONDS)


def stand_still(site_id):
    """Returns to a transaction after another has written the site."""
    with database.write(site_id):
        write_nothing_beside(site_id)
        database.ping()


def write_nothing(site_id):
    with database.write(site_id):
        pass


@pytest.mark.parametrize("held", [None, "site"])
def test_who_waits_too_long_gives_up(site, url, held):
    database.open(url, timeout=0.2)
    with ThreadPoolExecutor(1) as pool, database.write(held and site.id):
        waiting = pool.submit(write_nothing, site.id)
        with pytest.raises(Unavailable, match="others are writing"):
            waiting.result(SECONDS)


def test_who_reads_a_locked_table_gives_up_and_a_migration_does_not(site, url, server):
    database.open(url, timeout=0.2)
    with psycopg.connect(url) as other, ThreadPoolExecutor(1) as pool:
        other.execute("LOCK TABLE subscribers, schema_migration IN ACCESS EXCLUSIVE MODE")
        with pytest.raises(Unavailable, match="others are writing"):
            subscribers.find(site, "a@example.com")
        migrating = pool.submit(database.migrate)
        with psycopg.connect(url) as beside:
            until(lambda: beside.execute(WAITING_FOR_TABLE).fetchone() == (1,))
            with pytest.raises(Unavailable, match="others are writing"):
                subscribers.find(site, "a@example.com")
        other.rollback()
        assert migrating.result(SECONDS) == []


def test_who_waits_for_a_site_that_is_deleted_writes_nothing(site):
    with ThreadPoolExecutor(1) as pool:
        with database.write(site.id):
            waiting = pool.submit(write_nothing, site.id)
            until(lambda: database.row(WAITING_FOR_ROW) == (1,))
            site_tables.delete(site.id)
        with pytest.raises(Unavailable, match="the site was deleted"):
            waiting.result(SECONDS)


def test_a_change_of_the_instance_waits_for_all_sites(site, url):
    database.open(url, timeout=0.2)
    with ThreadPoolExecutor(1) as pool, database.write(site.id):
        waiting = pool.submit(write_nothing, None)
        with pytest.raises(Unavailable, match="others are writing"):
            waiting.result(SECONDS)


def test_hosts_of_different_uptimes_go_by_the_clock_of_the_server(site):
    [on_one, on_other] = [leases.now(uptime) for uptime in (10**9, 1)]
    assert 0 <= on_other - on_one < SECONDS * 1_000


def test_the_clock_of_a_server_on_the_same_machine_is_never_ahead(site):
    """A lease that ends a millisecond late is one that its owner holds against its own clock."""
    for _ in range(100):
        before = clock.now_ms()
        server = leases.now(0)
        assert before <= server <= clock.now_ms()


def test_a_host_whose_clock_is_ahead_leaves_the_file_of_another_alone(site, monkeypatch):
    with file_imports.receiving(site) as upload:
        ahead = clock.now_ms() + 2 * file_imports.LEASE_MS
        with monkeypatch.context() as host:
            host.setattr(clock, "now_ms", lambda: ahead)
            file_imports.sweep()
        upload.accept([])


def test_older_code_writes_nothing_once_a_migration_says_so(site):
    with database.write():
        database.execute("UPDATE instance_state SET lowest_writer = lowest_writer + 1")
    for site_id in (site.id, None):
        with pytest.raises(Unavailable, match="older than the database: upgrade it"):
            write_nothing(site_id)
    assert sites.list_all() == [site]


def test_older_code_goes_on_beside_a_newer_schema_and_does_not_migrate_it(site):
    with database.write():
        database.execute("INSERT INTO schema_migration (name, applied) VALUES ('9999_newer', '2030-01-01')")
    write_nothing(site.id)
    with pytest.raises(Unusable, match="newer than this Audience"):
        database.migrate()


def test_a_migration_waits_for_those_who_write(site, url):
    database.open(url, timeout=SECONDS)
    with ThreadPoolExecutor(1) as pool:
        with database.write(site.id):
            migrating = pool.submit(database.migrate)
            until(lambda: database.row(WAITING) == (1,))
        assert migrating.result(SECONDS) == []


def upload(site, instance):
    kept = file_uploads.keep(site, instance, "people.csv", io.BytesIO(b"email\n"), {})
    file_uploads.put_reading(site, kept.id, {})
    return file_uploads.discard(site, instance, kept)


def act_on_all(site, instance):
    with database.session():
        ids = [row[0] for row in database.rows("SELECT id FROM subscribers WHERE site_id = ?", (site.id,))]
    seen = bulk_actions.fingerprint(ids)
    bulk_actions.begin(
        site, bulk_actions.NewAction(kind=bulk_actions.ERASE, ids=ids, seen=seen), audit_log.COMMAND_LINE
    )
    run_bulk_actions(instance)
    bulk_chunks.sweep()


def failed_import(site):
    with database.write(site.id):
        import_id = stored_imports.add(site.id, 1, 0, 1, 1)
        stored_imports.fail(site.id, import_id, 1)
    return import_id


def refuse_and_forget(site, _):
    row = RefusedRow(1, "", "email", "No address.", ["nobody"])
    with database.write(site.id):
        stored_files.add_refused(site.id, stored_imports.add(site.id, 0, 1, 1, 1), [row], 1)
    file_imports.forget_refused()
    with database.session():
        assert database.rows("SELECT 1 FROM refused_rows") == []


def keep_and_forget(site, instance):
    kept = file_uploads.keep(site, instance, "people.csv", io.BytesIO(b"email\n"), {})
    with database.write(site.id):
        database.execute("UPDATE file_uploads SET created_at = 1 WHERE site_id = ?", (site.id,))
    file_uploads.sweep(instance)
    with pytest.raises(NotFound):
        file_uploads.get(site, kept.id)


ACTS = {
    "erasing": lambda site, instance: erasures.erase(site, instance, email="x@example.com"),
    "a bulk action": act_on_all,
    "a file": upload,
    "a key": lambda site, instance: keys.rotate(keys.create([site]).publishable_key, instance),
    "an operator": lambda *_: operators.add("ann@example.com", False, {}, audit_log.COMMAND_LINE),
    "a link": lambda *_: sessions.new_link(None, sessions.SIGN_IN),
    "counting segments": lambda *_: count_segments(),
    "its name": lambda site, _: sites.rename(site, "New"),
    "the audit log": lambda *_: audit_log.sweep(1),
    "making a site": lambda *_: sites.create("Third"),
    "deleting a site": lambda site, instance: sites.delete(site, instance, lambda *_: None),
    "trying an import again": lambda site, _: imports.retry(failed_import(site)),
    "refused rows": refuse_and_forget,
    "files left": keep_and_forget,
}


@pytest.mark.parametrize("act", ACTS)
def test_what_is_not_on_a_site_does_not_wait_for_its_writer(site, url, tmp_path, monkeypatch, act):
    pepper.open(tmp_path / pepper.FILE)
    other = sites.create("Other")
    with database.write(other.id):
        changes = [change("x@example.com"), change("y@example.com")]
        subscribers.write(other.id, changes, subscribers.accept_now(other.id))
    segments.create(other, {"name": "All", "rules": {"all": [{"status": "subscribed"}]}})
    in_days = clock.now_ms() + 3 * clock.DAY_MS
    monkeypatch.setattr(clock, "now_ms", lambda: in_days)
    database.open(url, timeout=1)
    with ThreadPoolExecutor(1) as pool, database.write(site.id):
        pool.submit(ACTS[act], other, tmp_path).result(SECONDS)


def test_a_transaction_that_writes_has_an_end(site):
    with database.write(site.id):
        bounds = database.rows("SELECT setting FROM pg_settings WHERE name = 'transaction_timeout'")
    assert bounds in ([], [("900000",)])  # PostgreSQL 15 and 16 have no such setting
