"""A replica: exports, reports, counts and changes are read there while it has all of the site."""

import contextlib
import json
from dataclasses import replace

import psycopg
import pytest

from app import create_app
from audience.config import Settings
from audience.operations import health, opening, site_lane
from audience.operations.diagnostics import Context, State
from storage import database
from storage.errors import ReadOnly, Unusable
from storage.opening import replica
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client
from tests.conftest import guard
from tests.postgresql import Standby, name_of
from tests.service import until

PATIENT_SECONDS = 20
PEOPLE = [
    {"email": f"p{n}@example.com", "first_name": "Before", "tags": ["a"], "fields": {"k": n % 3}}
    for n in range(700)
]
SEGMENT = {"segment": {"name": "Some", "rules": {"field": "k", "is": 1}}}


@pytest.fixture(scope="module")
def standby(server):
    with guard.lowered():
        standby = Standby(server)
    yield standby
    with guard.lowered():
        standby.remove()


@pytest.fixture
def url(server, migrated_on_server):
    url = server.create(migrated_on_server)
    yield url
    database.close()
    server.drop(url)


@pytest.fixture
def settings(url, standby, tmp_path, monkeypatch):
    monkeypatch.setattr(replica, "WAIT_SECONDS", PATIENT_SECONDS)
    return Settings(instance=tmp_path, database_url=url, database_read_url=standby.url(name_of(url)))


@pytest.fixture
def client(settings, standby, url):
    """Of a site with people, which the standby has."""
    catch_up(standby, url)
    app = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    client = open_client(app.test_client())
    client.post("/batch/subscribers", {"subscribers": PEOPLE})
    site_lane.drain(client.site.id, 30)
    client.post("/fetch/segments", SEGMENT)
    catch_up(standby, url)
    return client


def catch_up(standby, url):
    """Waits until the standby has all that the primary has."""
    with psycopg.connect(url, autocommit=True) as primary:
        primary.execute("SET synchronous_commit = on")
        primary.execute("SELECT pg_logical_emit_message(TRUE, '', '')")  # whose commit writes all of the log
        end = primary.execute("SELECT CAST(pg_current_wal_flush_lsn() AS text)").fetchone()
    with psycopg.connect(standby.url("postgres"), autocommit=True) as other:
        has_reached = "SELECT pg_last_wal_replay_lsn() >= CAST(%s AS pg_lsn)"
        until(lambda: other.execute(has_reached, end).fetchone() == (True,))


@pytest.fixture
def paused(client, standby, url):
    """The standby replays nothing, and the primary has other names, of which no counter tells."""
    with standby.paused():
        with psycopg.connect(url, autocommit=True) as primary:
            primary.execute("UPDATE subscribers SET first_name = 'After'")
        yield


def names(text):
    return {json.loads(line)["first_name"] for line in text.splitlines()}


def exported(client, **query):
    return names(client.get("/fetch/export", query={"format": "jsonl"} | query).text)


def changed(client):
    page = client.get("/fetch/changes", query={"after": 0, "limit": 10}).json
    return {change["attributes"]["changed"]["first_name"] for change in page["data"]}


def segment_id(client):
    return client.get("/fetch/segments").json["data"][0]["id"]


def run_reports(client):
    ids = [report["id"] for report in client.get("/fetch/reports").json["data"]]
    return [client.get(f"/stats/reports/{number}").json for number in ids]


def reads(client):
    """What is read from the replica."""
    some = segment_id(client)
    return [
        sorted(client.get("/fetch/export").text.splitlines()),
        client.get("/fetch/export", query={"segment_id": some}).text,
        client.get("/fetch/export", query={"of": "events"}).text,
        client.get("/fetch/changes", query={"after": 0, "limit": 1000}).json,
        client.get(f"/stats/segments/{some}").json,
        run_reports(client),
    ]


def note(settings):
    with database.session():
        return [
            (finding.state, finding.found)
            for finding in health.database_answers(Context(settings, FakeProcesses(), in_service=True))
            if "replica" in finding.found
        ]


def test_answers_are_equal(client, settings, url):
    answers = reads(client)
    database.open(url)
    assert reads(client) == answers


def test_long_reads_are_those_of_the_replica(client, paused):
    assert exported(client) == {"Before"}
    assert exported(client, segment_id=segment_id(client)) == {"Before"}
    assert changed(client) == {"Before"}


def test_a_report_and_a_count_are_those_of_the_replica(client, paused, url):
    some = segment_id(client)
    before = run_reports(client), client.get(f"/stats/segments/{some}").json
    with psycopg.connect(url, autocommit=True) as primary:
        primary.execute("DELETE FROM subscribers")
    assert (run_reports(client), client.get(f"/stats/segments/{some}").json) == before


def test_find_and_search_stay_on_the_primary(client, paused):
    assert client.find("p1@example.com")["attributes"]["first_name"] == "After"
    people = client.get("/fetch/search", query={"q": "p11"}).json["data"]
    assert {subscriber["attributes"]["first_name"] for subscriber in people} == {"After"}


def test_a_site_of_which_it_is_behind_is_read_from_the_primary(client, paused):
    client.create("new@example.com", first_name="New")
    assert exported(client) == {"After", "New"}
    assert changed(client) == {"After"}


def test_another_site_is_read_from_it_meanwhile(client, paused):
    other = open_client(client.http)
    other.create("new@example.com", first_name="New")
    assert exported(other) == {"New"}
    assert exported(client) == {"Before"}


def test_what_is_made_is_found_at_once(client, paused):
    none = {"segment": {"name": "None", "rules": {"tag": "b"}}}
    made = client.post("/fetch/segments", none).json["data"]["id"]
    assert client.get("/fetch/export", query={"segment_id": made}).status_code == 200
    assert client.get(f"/stats/segments/{made}").status_code == 200
    new = {"report": {"name": "Leaving", "report_type": "LeavingReport"}}
    report_id = client.post("/fetch/reports", new).json["data"]["id"]
    assert client.get(f"/stats/reports/{report_id}").status_code == 200


def test_what_becomes_of_a_tag_that_nobody_has_is_told_at_once(client, standby, url):
    """It changes no subscriber, and the rename of a twin takes no number of the site."""
    names = ("unused", "twin", "newest")
    made = {name: client.post("/fetch/tags", {"tag": {"name": name}}).json["data"]["id"] for name in names}
    with psycopg.connect(url, autocommit=True) as primary:
        primary.execute("UPDATE tags SET name_key = concat(' ', id, ' newest') WHERE name = 'twin'")
    catch_up(standby, url)
    with standby.paused():
        assert client.delete(f"/fetch/tags/{made['unused']}").status_code == 200
        assert "unused" not in str(run_reports(client))
    catch_up(standby, url)
    with standby.paused():
        renamed = client.call("PATCH", f"/fetch/tags/{made['twin']}", {"tag": {"name": "other"}})
        assert renamed.status_code == 200
        assert "twin" not in str(run_reports(client))


def test_an_import_that_ends_while_the_next_begins_is_noticed(client, standby, url):
    """Both change nobody, and the sum of their applied rows stays the same."""
    first, second = (
        client.post("/batch/subscribers", {"subscribers": PEOPLE}).json["import_id"] for _ in range(2)
    )
    applied = "UPDATE imports SET status = %s, applied = %s WHERE id = %s"
    with psycopg.connect(url, autocommit=True) as primary:
        primary.execute(applied, ("running", 500, first))
        catch_up(standby, url)
        assert exported(client) == {"Before"}
        with standby.paused():
            primary.execute(applied, ("done", 700, first))
            primary.execute(applied, ("running", 500, second))
            primary.execute("UPDATE subscribers SET first_name = 'After'")
            assert exported(client) == {"After"}


def test_a_stopped_replica_is_passed_over_and_used_again(client, standby, url, settings):
    answers = reads(client)
    standby.stop()
    assert reads(client) == answers
    assert note(settings) == [(State.WARN, replica.SILENT)]
    standby.start()
    catch_up(standby, url)
    assert note(settings) == []
    assert reads(client) == answers


def test_a_frozen_replica_is_passed_over_in_time(client, standby, settings, monkeypatch):
    monkeypatch.setattr(replica, "WAIT_SECONDS", 0.05)
    answers = reads(client)
    with standby.frozen():
        assert reads(client) == answers
        assert note(settings) == [(State.WARN, replica.SILENT)]


LONG_READS = {
    "an export": lambda client: exported(client) == {"After"},
    "changes": lambda client: changed(client) == {"After"},
    "a count": lambda client: client.get(f"/stats/segments/{segment_id(client)}").status_code == 200,
    "reports": lambda client: run_reports(client) != [],
}


@pytest.mark.parametrize("name", LONG_READS)
def test_a_read_on_a_replica_that_freezes_midway_is_done_anew_on_the_primary(
    client, standby, paused, monkeypatch, name
):
    monkeypatch.setattr(replica, "ANSWER_SECONDS", 0.2)
    assert exported(client) == {"Before"}
    begin = replica.Replica.reads
    with contextlib.ExitStack() as freezing:

        @contextlib.contextmanager
        def reads(opened, site_id):
            with begin(opened, site_id) as is_read:
                assert is_read
                freezing.enter_context(standby.frozen())
                monkeypatch.setattr(replica, "WAIT_SECONDS", 0.05)
                monkeypatch.setattr(replica.Replica, "reads", begin)
                yield is_read

        monkeypatch.setattr(replica.Replica, "reads", reads)
        assert LONG_READS[name](client)


def test_a_replica_that_is_behind_is_said(client, standby, settings, paused):
    client.create("new@example.com")
    assert until(lambda: note(settings)) == [(State.WARN, replica.BEHIND)]


def test_a_replica_that_was_promoted_is_said_and_the_primary_itself_is_one(client, settings, server, url):
    with guard.lowered():
        promoted = Standby(server)
        promoted.run("pg_ctl", "promote", f"--pgdata={promoted.folder}/data", "--wait")
    for read_url, said in (
        (promoted.url(name_of(url)), [(State.WARN, replica.PROMOTED)]),
        (url, []),
    ):
        database.open(url, read_url=read_url)
        client.create(f"{len(said)}@example.com", first_name="New")
        assert exported(client) == {"Before", "New"}
        assert note(settings) == said
    database.close()
    with guard.lowered():
        promoted.remove()


def test_nothing_is_written_on_it(client):
    @database.on_replica
    def write(site):
        with database.write(site.id):
            database.execute("DELETE FROM tags WHERE site_id = ?", (site.id,))

    with pytest.raises(ReadOnly):
        write(client.site)


def test_another_database_is_refused_at_the_start(client, settings, server, migrated_on_server):
    other = server.create(migrated_on_server)
    wrong = replace(settings, database_read_url=other)
    with pytest.raises(Unusable, match=r"^database_read_url leads to another database"):
        opening.check_migrated(wrong)
    server.drop(other)


def test_a_replica_that_is_away_does_not_keep_from_starting(client, settings, tmp_path):
    away = replace(settings, database_read_url=f"postgresql:///x?host={tmp_path}")
    opening.check_migrated(away)


@pytest.mark.parametrize(("read_url", "said"), [
    ("postgresql://a:secret@[::1/x", "^database_read_url cannot be read"),
    ("mysql://a/b", "^database_read_url must be"),
])  # fmt: skip
def test_a_url_that_cannot_be_read_is_refused(url, read_url, said):
    with pytest.raises(Unusable, match=said) as raised:
        database.open(url, read_url=read_url)
    assert "secret" not in str(raised.value)


def test_a_database_file_has_none(tmp_path):
    with pytest.raises(Unusable, match=r"^database_read_url needs a database on a server"):
        database.open(f"sqlite:///{tmp_path}/audience.db", read_url="postgresql://a/b")
