"""`audience mirror` keeps a file equal to a site, whatever ends it and whatever became of its place."""

import json
from pathlib import Path

import psycopg
import pytest

from audience import clock
from audience.access.audit_log import COMMAND_LINE
from audience.bulk import tag_renames
from audience.changes import log as change_log
from audience.changes import pages as change_log_pages
from audience.changes import retention
from audience.clock import DAY_MS
from audience.errors import Refused
from audience.searches import exports, mirrors
from audience.searches.mirrors import Target
from audience.sources import RESTORE
from schemas.exports import events_jsonl, subscribers_jsonl
from storage import database
from storage.errors import Unreachable, Unusable
from storage.searches.mirror_servers import ServerMirror
from storage.searches.mirrors import Mirror
from tests.jobs import run_bulk_actions, run_due
from tests.mirrored import READERS, mirrored
from tests.postgresql import name_of

FORMS = pytest.mark.parametrize("form", [*READERS])
GONE = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{}'"


class Killed(BaseException):
    """As a process that is killed: nothing handles it."""


def exported(site):
    """The site as both exports have it: subscribers by uuid, and events."""
    people = b"".join(subscribers_jsonl([], exports.pages(site))).splitlines()
    events = b"".join(events_jsonl(exports.event_pages(site, 0, COMMAND_LINE))).splitlines()
    found = {person["uuid"]: person | {"tags": sorted(person["tags"])} for person in map(json.loads, people)}
    return found, [
        {name: value for name, value in json.loads(event).items() if name != "email"} for event in events
    ]


@pytest.fixture
def to(form, tmp_path, request):
    """The target of a form: a new file, or an empty database."""
    if form != "postgresql":
        yield f"{form}:{tmp_path / 'mirror'}"
        return
    server = request.getfixturevalue("server")
    url = server.create()
    yield url
    server.drop(url)


@pytest.fixture
def mirror(run, client):
    """Runs the command once, with what it says."""

    def invoke(to, *words, site=None, exit_code=0, **options):
        words = ("mirror", "--to", to, "--once", "--site", (site or client.site).uuid, *words)
        return run(*words, exit_code=exit_code, **options)

    return invoke


def has(to, text):
    """Whether a target still has a text: a file in any byte, a database in its rows."""
    if to.startswith("postgresql"):
        return text in json.dumps(mirrored(to))
    return text.encode() in Path(to.partition(":")[2]).read_bytes()


@pytest.fixture
def people(client):
    client.create("ann@example.com", first_name="Ann", tags="vip,new", plan="pro")
    client.create("bob@example.com", town="Oslo")
    client.create("cy@example.com")
    event = {"email": "ann@example.com", "type": "seen", "details": {"page": "/ä"}}
    client.post("/batch/events", {"events": [event, event | {"email": "bob@example.com"}]})


def change(client):
    """Changes of each kind, somebody new, a new event, and somebody erased."""
    commands = [
        {"command": "remove_tag", "query": "new", "email": "ann@example.com"},
        {"command": "remove_field", "query": "plan", "email": "ann@example.com"},
        {"command": "change_email", "query": "anne@example.com", "email": "ann@example.com"},
        {"command": "unsubscribe", "email": "cy@example.com"},
    ]
    assert client.post("/fetch/commands", {"command": commands}).status_code == 200
    client.create("dee@example.com", tags="vip")
    client.post("/batch/events", {"events": {"email": "dee@example.com", "type": "seen"}})
    assert client.call("DELETE", "/fetch/subscribers", {"email": "bob@example.com"}).status_code == 200
    assert client.call("DELETE", "/fetch/tags/vip").status_code in (200, 404)


@FORMS
def test_it_is_the_site_and_stays_it(mirror, client, people, to):
    counts = mirror(to, "--json")
    assert (counts["subscribers"], counts["tags"], counts["events"]) == (3, 2, 2)
    assert mirrored(to) == exported(client.site)
    change(client)
    mirror(to)
    assert mirrored(to) == exported(client.site)
    assert not has(to, "bob@example.com")
    assert "The mirror begins" not in mirror(to)


@FORMS
@pytest.mark.parametrize("killed_at", range(1, 9))
def test_killed_anywhere_it_goes_on(mirror, client, people, to, killed_at, monkeypatch):
    monkeypatch.setattr(change_log_pages, "MAX_PAGE", 2)
    mirror(to)
    change(client)
    keep, add, seen = Mirror.keep, Mirror.add, [0]

    def dies(act):
        def acted(*values):
            seen[0] += 1
            if seen[0] == killed_at:
                raise Killed
            act(*values)

        return acted

    with monkeypatch.context() as patched:
        patched.setattr(Mirror, "keep", dies(keep))
        patched.setattr(Mirror, "add", dies(add))
        with pytest.raises(Killed):
            mirror(to)
    mirror(to)
    assert mirrored(to) == exported(client.site)


@FORMS
@pytest.mark.parametrize("lost", ["place", "reset"])
def test_where_its_place_is_lost_it_begins_anew_and_keeps_nobody(mirror, client, people, to, lost):
    mirror(to)
    change(client)
    if lost == "reset":
        with database.write(client.site.id):
            change_log.record_reset(client.site.id, RESTORE, 0)
    else:
        later = clock.now_ms() + 40 * DAY_MS
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(clock, "now_ms", lambda: later)
            while retention.sweep(30):
                pass
    assert "The mirror starts over." in mirror(to)
    assert mirrored(to) == exported(client.site)
    assert not has(to, "bob@example.com")


@FORMS
def test_numbers_and_texts_keep_every_digit(mirror, client, to):
    fields = {"big": 1e300, "whole": 1.0, "small": 1e-9, "long": 2**53 + 1, "no": False, "text": "\\u0000 ä"}
    client.create("ann@example.com", fields=fields)
    mirror(to)
    client.create("ann@example.com", town="Oslo")
    mirror(to)
    assert json.dumps(mirrored(to), sort_keys=True) == json.dumps(exported(client.site), sort_keys=True)


TARGETS = [
    "sqlite",
    "sqlite:",
    "csv:people.csv",
    "people.db",
    "jsonl:/tmp",
    "postgresql:people",
    "mysql://x/y",
]


@pytest.mark.parametrize("target", [*TARGETS, "postgresql://[/people"])
def test_another_target_is_refused(run, client, target):
    refused = run("mirror", "--to", target, "--site", client.site.uuid, exit_code=2)
    assert "give sqlite:FILE, jsonl:FILE or postgresql://USER@HOST/DATABASE" in refused.replace("\n", " ")


def test_a_password_on_the_command_line_is_refused(mirror):
    with pytest.raises(Refused, match="--password-file"):
        mirror("postgresql://audience:secret@127.0.0.1/people", exit_code=1, catch_exceptions=False)


def test_a_password_file_that_cannot_be_read_is_named(mirror, tmp_path):
    file, url = tmp_path / "none", "postgresql://audience@127.0.0.1/people"
    with pytest.raises(Unusable, match=str(file)):
        mirror(url, "--password-file", file, exit_code=1, catch_exceptions=False)


def test_the_password_is_read_from_a_file(mirror, tmp_path, monkeypatch):
    opened = []

    def open_server(_self, *values):
        opened.append(values)
        raise Killed

    monkeypatch.setattr(ServerMirror, "__init__", open_server)
    (tmp_path / "password").write_text("secret\n")
    url = "postgresql://audience@127.0.0.1/people"
    with pytest.raises(Killed):
        mirror(url, "--password-file", tmp_path / "password", exit_code=1, catch_exceptions=False)
    [(given, _, password)] = opened
    assert (given, password) == (url, "secret")


def test_a_file_of_something_else_is_kept(mirror, people, tmp_path):
    file = tmp_path / "mirror"
    for form, text in (
        ("sqlite", b"notes"),
        ("sqlite", b"notes " * 1_000),
        ("jsonl", b'{"table": "people"}\n'),
    ):
        file.write_bytes(text)
        with pytest.raises(Unusable, match="is no mirror"):
            mirror(f"{form}:{file}", exit_code=1, catch_exceptions=False)
        assert file.read_bytes() == text


@FORMS
def test_the_mirror_of_another_site_is_kept(mirror, client, other_client, people, to):
    mirror(to)
    with pytest.raises(Unusable, match="mirrors another site"):
        mirror(to, site=other_client.site, exit_code=1, catch_exceptions=False)
    assert mirrored(to) == exported(client.site)


ON_SERVER = pytest.mark.parametrize("form", ["postgresql"])


@ON_SERVER
def test_tables_of_others_are_kept(mirror, client, people, to):
    with psycopg.connect(to, autocommit=True) as connection:
        connection.execute("CREATE TABLE events (note TEXT)")
        with pytest.raises(Unusable, match="csearch_path%3DSCHEMA"):
            mirror(to, exit_code=1, catch_exceptions=False)
        assert connection.execute("SELECT * FROM events").fetchall() == []
        in_schema = f"{to}&options=-csearch_path%3Dcopy"
        with pytest.raises(Unusable, match="the role cannot make"):
            mirror(in_schema, exit_code=1, catch_exceptions=False)
        connection.execute("CREATE SCHEMA copy")
    mirror(in_schema)
    assert mirrored(in_schema) == exported(client.site)


@ON_SERVER
def test_it_waits_for_a_server_that_is_down_and_goes_on(mirror, client, people, to, monkeypatch, request):
    said: list[str] = []
    was, seen = mirrors.step, [0]
    server = request.getfixturevalue("server")

    def step(site, opened, tell):
        seen[0] += 1
        if seen[0] == 3:
            change(client)
            server.execute(f"ALTER DATABASE {name_of(to)} ALLOW_CONNECTIONS false")
            server.execute(GONE.format(name_of(to)))
        if seen[0] == 5:
            server.execute(f"ALTER DATABASE {name_of(to)} ALLOW_CONNECTIONS true")
        if seen[0] == 8:
            raise Killed
        return was(site, opened, tell)

    monkeypatch.setattr(mirrors, "step", step)
    monkeypatch.setattr(mirrors, "FOLLOW_SECONDS", 0)
    with pytest.raises(Killed):
        mirrors.mirror(client.site, Target("postgresql", to), False, said.append)
    assert [text.startswith("Waiting: the database ") for text in said] == [False, True, True]
    assert mirrored(to) == exported(client.site)


def test_a_server_that_does_not_answer_is_told(mirror, people):
    with pytest.raises(Unreachable, match="the database people: "):
        mirror("postgresql://audience@127.0.0.1:9/people", exit_code=1, catch_exceptions=False)


@FORMS
def test_tags_are_renamed_and_merged_and_a_field_is_deleted(mirror, client, people, tmp_path, to):
    mirror(to)
    ids = {tag["attributes"]["name"]: tag["id"] for tag in client.get("/fetch/tags").json["data"]}
    assert client.call("PATCH", f"/fetch/tags/{ids['new']}", {"tag": {"name": "newer"}}).status_code == 200
    mirror(to)
    run_due(tag_renames.KIND)
    into = {"tag": {"into": ids["vip"]}}
    assert client.post(f"/fetch/tags/{ids['new']}/merge", into).status_code == 200
    [field] = [row for row in client.get("/fetch/fields").json["data"] if row["attributes"]["key"] == "plan"]
    assert client.delete(f"/fetch/fields/{field['id']}").status_code == 200
    mirror(to)
    run_due(tag_renames.KIND)
    run_bulk_actions(tmp_path)
    mirror(to)
    found, events = mirrored(to)
    assert (found, events) == exported(client.site)
    [ann] = [person for person in found.values() if person["email"] == "ann@example.com"]
    assert (ann["tags"], "plan" in ann["fields"]) == (["vip"], False)
