"""`audience imports undo`."""

import pytest

from audience import jobs
from audience.errors import NotFound
from audience.operations import site_lane
from audience.undo import work as undo_work
from storage import database


@pytest.fixture
def import_id(client):
    client.create("ann@example.com")
    people = [
        {"email": "ann@example.com", "plan": "x"},
        {"email": "bob@example.com"},
        {"email": "cy@example.com"},
    ]
    client.post("/batch/subscribers", {"subscribers": people})
    site_lane.drain(client.site.id, 30)
    client.create("cy@example.com", first_name="Cy")
    return 1


def test_an_import_is_counted_and_taken_back_without_a_worker(run, client, import_id):
    shown = run("imports", "undo", import_id, "--dry-run")
    assert shown.startswith(
        "Nothing was changed. Outcome: removed 1, restored 1, kept 1, unsubscribed kept 0,"
    )
    assert client.find("bob@example.com")
    shown = run("imports", "undo", import_id)
    assert "Undo 1 finished: removed 1, restored 1, kept 1," in shown
    assert f"kept, mentioned since by key {client.key.publishable_key}: 1" in shown
    assert client.find("bob@example.com") is None
    assert run("imports", "undo", import_id, "--json") == {
        "undo_id": "1", "status": "finished", "total": 3, "removed": 1, "restored": 1, "kept": 1,
        "unsubscribed_kept": 0, "unsubscribed_again": 0, "resubscribed": 0,
    }  # fmt: skip
    assert run("imports", "undo", import_id, "--dry-run", "--json")["removed"] == 0


def test_an_import_that_is_not_there(type_, client):
    assert isinstance(type_("imports", "undo", 9).exception, NotFound)


def test_an_undo_that_fails_is_told_and_gone_on_with(run, type_, client, import_id, monkeypatch):
    def doctor():
        return type_("doctor", "--offline").output

    with monkeypatch.context() as broken:
        broken.setattr(undo_work, "_do_chunk", lambda *_: 1 / 0)
        broken.setattr(jobs, "RETRY_AFTER_MS", -1)
        assert "run the same command again" in run("imports", "undo", import_id, exit_code=1)
    assert f"undoing import {import_id} of site {client.site.uuid} failed" in doctor()
    assert "finished" in run("imports", "undo", import_id)
    assert "undoing" not in doctor()


def test_an_import_is_named_with_its_site_or_without(run, type_, client, other_client, import_id):
    theirs = ("--site", other_client.site.uuid)
    for words in (("undo", import_id, "--dry-run"), ("undo", import_id), ("retry", import_id)):
        assert isinstance(type_("imports", *words, *theirs).exception, NotFound)
    assert "removed 1" in run("imports", "undo", import_id, "--dry-run", "--site", client.site.uuid)
    assert "finished" in run("imports", "undo", import_id, "--site", client.site.uuid)


def test_failed_imports_are_listed_of_all_sites_or_of_one(run, client, other_client):
    client.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com"}]})
    with database.write():
        database.execute("UPDATE imports SET status = 'failed', finished_at = created_at", ())
    for words in ((), ("--site", client.site.uuid)):
        assert len(run("imports", "failed", *words, "--json")) == 1
    assert run("imports", "failed", "--site", other_client.site.uuid, "--json") == []
    assert "Queued" in run("imports", "retry", 1, "--site", client.site.uuid)


def test_who_stays_away_by_an_import_that_is_taken_back_is_counted(run, client, tmp_path):
    client.create("ann@example.com")
    file, cure = tmp_path / "people.csv", tmp_path / "cure.csv"
    file.write_text("email\nann@example.com\nbob@example.com\ncy@example.com\n")
    run("import", file, "--consent", "unsubscribed")
    for words in (("--dry-run",), (), ()):
        shown = run("imports", "undo", 1, *words)
        assert "removed 2, restored 0, kept 1, unsubscribed kept 1," in shown
        assert "Stay unsubscribed: 3." in shown
    file.write_text("email\nann@example.com\nbob@example.com\ncy@example.com\ndee@example.com\n")
    for words in (("--dry-run",), ()):
        shown = run("import", file, *words)
        assert "created 3, updated 0, unchanged 1, refused 0, suppressed 0, unsubscribed 2." in shown
        assert "People who unsubscribed here stay unsubscribed: 3.\n" in shown
    assert "Stay unsubscribed" not in run("imports", "undo", 2)
    cure.write_text("email,command\nann@example.com,subscribe\nbob@example.com,subscribe\n")
    run("import", cure)
    assert client.counts() == (2, 2, 0)


def test_who_came_in_as_left_and_was_named_since_is_counted_as_well(run, client, tmp_path):
    gone, everyone = tmp_path / "gone.csv", tmp_path / "all.csv"
    gone.write_text("email\nann@example.com\nbob@example.com\n")
    everyone.write_text("email\nann@example.com\ncy@example.com\n")
    run("import", gone, "--consent", "unsubscribed")
    run("import", everyone)
    for words in (("--dry-run",), ()):
        shown = run("imports", "undo", 1, *words)
        assert "removed 1, restored 0, kept 1, unsubscribed kept 1," in shown
        assert "Stay unsubscribed: 2." in shown
    assert client.counts() == (2, 1, 1)
