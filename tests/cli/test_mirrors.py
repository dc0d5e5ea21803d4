"""`audience mirror` keeps a file equal to a site, whatever ends it and whatever became of its place."""

import json

import pytest

from audience import clock
from audience.access.audit_log import COMMAND_LINE
from audience.changes import log as change_log
from audience.changes import pages as change_log_pages
from audience.changes import retention
from audience.clock import DAY_MS
from audience.renames import tag_renames
from audience.searches import exports
from audience.sources import RESTORE
from schemas.exports import events_jsonl, subscribers_jsonl
from storage import database
from storage.errors import Unusable
from storage.searches.mirror_files import MirrorFile
from tests.jobs import run_bulk_actions, run_due
from tests.mirror_files import mirrored

FORMS = pytest.mark.parametrize("form", ["sqlite", "jsonl"])


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
def mirror(run, client, tmp_path):
    """Runs the command once, with what it says."""

    def invoke(form, *words, exit_code=0, **options):
        to = f"{form}:{tmp_path / 'mirror'}"
        words = ("mirror", "--to", to, "--once", "--site", client.site.uuid, *words)
        return run(*words, exit_code=exit_code, **options)

    return invoke


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
def test_it_is_the_site_and_stays_it(mirror, client, people, tmp_path, form):
    counts = mirror(form, "--json")
    assert (counts["subscribers"], counts["tags"], counts["events"]) == (3, 2, 2)
    assert mirrored(tmp_path / "mirror", form) == exported(client.site)
    change(client)
    mirror(form)
    assert mirrored(tmp_path / "mirror", form) == exported(client.site)
    assert b"bob@example.com" not in (tmp_path / "mirror").read_bytes()
    assert "The mirror begins" not in mirror(form)


@FORMS
@pytest.mark.parametrize("killed_at", range(1, 9))
def test_killed_anywhere_it_goes_on(mirror, client, people, tmp_path, form, killed_at, monkeypatch):
    monkeypatch.setattr(change_log_pages, "MAX_PAGE", 2)
    mirror(form)
    change(client)
    keep, add, seen = MirrorFile.keep, MirrorFile.add, [0]

    def dies(act):
        def acted(*values):
            seen[0] += 1
            if seen[0] == killed_at:
                raise Killed
            act(*values)

        return acted

    with monkeypatch.context() as patched:
        patched.setattr(MirrorFile, "keep", dies(keep))
        patched.setattr(MirrorFile, "add", dies(add))
        with pytest.raises(Killed):
            mirror(form)
    mirror(form)
    assert mirrored(tmp_path / "mirror", form) == exported(client.site)


@FORMS
@pytest.mark.parametrize("lost", ["place", "reset"])
def test_where_its_place_is_lost_it_begins_anew_and_keeps_nobody(
    mirror, client, people, tmp_path, form, lost
):
    mirror(form)
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
    assert "The mirror begins anew." in mirror(form)
    assert mirrored(tmp_path / "mirror", form) == exported(client.site)
    assert b"bob@example.com" not in (tmp_path / "mirror").read_bytes()


@pytest.mark.parametrize("target", ["sqlite", "sqlite:", "csv:people.csv", "people.db", "jsonl:/tmp"])
def test_another_target_is_refused(run, client, target):
    refused = run("mirror", "--to", target, "--site", client.site.uuid, exit_code=2)
    assert "give sqlite:FILE or jsonl:FILE" in refused


def test_a_file_of_something_else_is_kept(mirror, client, other_client, people, tmp_path, run):
    file = tmp_path / "mirror"
    for form, text in (
        ("sqlite", b"notes"),
        ("sqlite", b"notes " * 1_000),
        ("jsonl", b'{"table": "people"}\n'),
    ):
        file.write_bytes(text)
        with pytest.raises(Unusable, match="is no mirror"):
            mirror(form, exit_code=1, catch_exceptions=False)
        assert file.read_bytes() == text
    file.unlink()
    mirror("sqlite")
    with pytest.raises(Unusable, match="mirrors another site"):
        run(
            "mirror",
            "--to",
            f"sqlite:{file}",
            "--once",
            "--site",
            other_client.site.uuid,
            catch_exceptions=False,
        )


@FORMS
def test_tags_are_renamed_and_merged_and_a_field_is_deleted(mirror, client, people, tmp_path, form):
    mirror(form)
    ids = {tag["attributes"]["name"]: tag["id"] for tag in client.get("/fetch/tags").json["data"]}
    assert client.call("PATCH", f"/fetch/tags/{ids['new']}", {"tag": {"name": "newer"}}).status_code == 200
    mirror(form)
    run_due(tag_renames.KIND)
    into = {"tag": {"into": ids["vip"]}}
    assert client.post(f"/fetch/tags/{ids['new']}/merge", into).status_code == 200
    [field] = [row for row in client.get("/fetch/fields").json["data"] if row["attributes"]["key"] == "plan"]
    assert client.delete(f"/fetch/fields/{field['id']}").status_code == 200
    mirror(form)
    run_due(tag_renames.KIND)
    run_bulk_actions(tmp_path)
    mirror(form)
    found, events = mirrored(tmp_path / "mirror", form)
    assert (found, events) == exported(client.site)
    [ann] = [person for person in found.values() if person["email"] == "ann@example.com"]
    assert (ann["tags"], "plan" in ann["fields"]) == (["vip"], False)
