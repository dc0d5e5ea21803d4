"""The log of unsubscribes, by which a restore keeps people unsubscribed though the database is lost."""

import json
from pathlib import Path

import pytest

from audience import clock
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.bulk.actions import ERASE, UNSUBSCRIBE, NewAction, fingerprint
from audience.clock import DAY_MS
from audience.erasures import erasures
from audience.erasures import log as erasure_log
from audience.imports import imports
from audience.links import links, unsubscribing
from audience.links.unsubscribing import LinkOutcome
from audience.operations import backups, site_lane
from audience.subscribers import subscribers
from audience.undo import undos
from storage import database
from storage.erasures import log as stored_log
from storage.erasures.log import LogLine
from storage.errors import DiskFault
from tests.cli.restored import reopen, run_on
from tests.client import FakeQueue
from tests.jobs import run_bulk_actions

ANN, BOB, NEW = "ann@example.com", "bob@example.com", "new@example.com"


def say(client, command, email=ANN, **query):
    answer = client.post("/fetch/commands", {"command": {"command": command, "email": email, **query}})
    assert answer.json["failed"] == 0


def left_at(client, email=ANN):
    return client.find(email)["attributes"]["unsubscribed_at"]


def import_(client, *items):
    id_ = imports.accept(client.site, list(enumerate(items)), [], FakeQueue(), 0).id
    site_lane.drain(client.site.id, 5)
    return id_


def lose(settings):
    database.close()
    for file in settings.instance.glob("audience.db*"):
        file.unlink()


def restore(settings, file, *options):
    result = run_on(settings, "restore", str(file), "--yes", "--json", *options)
    assert result.exit_code == 0, result.exception
    return json.loads(result.stdout)


@pytest.fixture
def begun(settings, client):
    """An instance whose log has begun, as each that was started once."""
    client.create(ANN)
    client.create(BOB)
    reopen(settings)
    return settings


@pytest.fixture
def file(begun, tmp_path):
    """A backup of it."""
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    return tmp_path / "b.tar"


def test_who_unsubscribed_since_the_backup_stays_so_though_the_database_is_lost(begun, file, client):
    say(client, "unsubscribe")
    before = left_at(client)
    lose(begun)
    assert restore(begun, file)["left"] == 1
    assert left_at(client) == before
    assert client.counts() == (2, 1, 1)
    assert left_at(client, BOB) is None
    import_(client, {"email": ANN})
    assert left_at(client) == before


def test_it_holds_by_every_way_to_unsubscribe(begun, file, client):
    event = {"email": ANN, "type": "$unsubscribe"}
    assert client.post("/batch/events", {"events": [event]}).json["failed"] == 0
    import_(client, {"email": NEW, "unsubscribed_at": 1_577_836_800_000}, {"email": "c@example.com"})
    person = subscribers.find(client.site, BOB)
    assert person is not None
    new = NewAction(kind=UNSUBSCRIBE, ids=[person.id], seen=fingerprint([person.id]))
    bulk_actions.begin(client.site, new, Actor("operator"))
    run_bulk_actions(begun.instance)
    before = left_at(client, NEW)
    lose(begun)
    assert restore(begun, file)["left"] == 2
    assert left_at(client, ANN)
    assert left_at(client, BOB)
    import_(client, {"email": NEW})
    assert left_at(client, NEW) == before == "2020-01-01T00:00:00.000Z"


def test_who_subscribed_again_since_is_as_of_the_backup(begun, file, client, tmp_path):
    say(client, "unsubscribe")
    backups.create(begun, tmp_path / "later.tar", lambda *_: None)
    say(client, "subscribe")
    lose(begun)
    assert restore(begun, file)["left"] == 0
    assert left_at(client) is None
    restore(begun, tmp_path / "later.tar")
    assert left_at(client)
    lose(begun)
    assert restore(begun, file)["left"] == 1, "the restore left them unsubscribed"
    assert left_at(client)
    say(client, "subscribe")
    assert left_at(client) is None


def test_who_moved_is_known_under_both_addresses(begun, file, client):
    say(client, "unsubscribe")
    say(client, "change_email", query=NEW)
    lose(begun)
    restore(begun, file)
    assert left_at(client)
    import_(client, {"email": NEW})
    assert left_at(client, NEW)


def test_who_moved_and_subscribed_is_subscribed_as_in_the_backup(begun, file, client):
    for email, moved in ((ANN, NEW), (BOB, "c@example.com")):
        say(client, "unsubscribe", email)
        say(client, "change_email", email, query=moved)
    say(client, "subscribe", NEW)
    lose(begun)
    assert restore(begun, file)["left"] == 1
    assert [bool(left_at(client, email)) for email in (ANN, BOB)] == [False, True]


def test_an_address_that_somebody_else_has_left_since_stays_away(begun, file, client):
    say(client, "unsubscribe")
    say(client, "change_email", query=NEW)
    import_(client, {"email": ANN})
    say(client, "subscribe")
    say(client, "unsubscribe")
    say(client, "subscribe", NEW)
    lose(begun)
    assert restore(begun, file)["left"] == 1
    assert left_at(client)


def test_an_undo_logs_again_who_is_unsubscribed_anew_under_the_old_number(begun, client, tmp_path):
    say(client, "unsubscribe")
    wrong = import_(client, {"email": ANN, "command": "subscribe"}, {"email": "c@example.com"})
    assert left_at(client) is None
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    undos.undo_import(client.site, wrong, 30)
    site_lane.drain(client.site.id, 5)
    assert left_at(client)
    lose(begun)
    assert restore(begun, tmp_path / "b.tar")["left"] == 1
    assert left_at(client)


def test_whom_an_undo_resubscribed_is_not_unsubscribed_by_a_restore(begun, file, client):
    items = [{"email": ANN, "command": "unsubscribe"}, {"email": BOB, "command": "unsubscribe"}]
    wrong = import_(client, *items)
    undos.undo_import(client.site, wrong, 30, resubscribe=True)
    site_lane.drain(client.site.id, 5)
    assert left_at(client) is None
    lose(begun)
    assert restore(begun, file)["left"] == 0
    assert left_at(client) is None


def test_an_address_that_an_undo_has_freed_is_free_after_a_restore(begun, file, client):
    wrong = import_(client, {"email": NEW, "command": "unsubscribe"})
    undos.undo_import(client.site, wrong, 30, resubscribe=True)
    site_lane.drain(client.site.id, 5)
    assert client.find(NEW) is None
    lose(begun)
    restore(begun, file)
    import_(client, {"email": NEW})
    assert left_at(client, NEW) is None


def test_who_leaves_by_a_link_when_their_row_is_gone_stays_away(begun, client, tmp_path):
    wrong = import_(client, {"email": NEW})
    backups.create(begun, tmp_path / "b.tar", lambda *_: None)
    person = subscribers.find(client.site, NEW)
    assert person is not None
    url = links.Links(client.site, "https://a.example").urls(person.uuid, NEW)[links.UNSUBSCRIBE]
    link = links.read(links.UNSUBSCRIBE, url.rpartition("/")[2])
    assert link is not None
    undos.undo_import(client.site, wrong, 30)
    site_lane.drain(client.site.id, 5)
    assert unsubscribing.unsubscribe(link).outcome is LinkOutcome.SUPPRESSED
    lose(begun)
    assert restore(begun, tmp_path / "b.tar")["left"] == 1
    assert left_at(client, NEW)


def test_what_dies_between_the_line_and_the_commit_counts_as_unsubscribed(begun, file, client, monkeypatch):
    def die(_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        append = stored_log.append
        patch.setattr(stored_log, "append", lambda *args: (append(*args), die(None)))
        with pytest.raises(KeyboardInterrupt):
            say(client, "unsubscribe")
    assert left_at(client) is None
    lose(begun)
    assert restore(begun, file)["left"] == 1
    assert left_at(client)


def test_a_subscribe_whose_line_is_lost_counts_as_unsubscribed(begun, file, client, monkeypatch, caplog):
    say(client, "unsubscribe")
    with monkeypatch.context() as patch:
        patch.setattr(stored_log, "append", lambda *_: (_ for _ in ()).throw(DiskFault("full")))
        say(client, "subscribe")
    assert left_at(client) is None
    assert stored_log.NOT_LOGGED % 1 in caplog.text
    lose(begun)
    assert restore(begun, file)["left"] == 1
    assert left_at(client)


def test_an_unsubscribe_that_cannot_be_logged_is_refused(begun, client, monkeypatch):
    monkeypatch.setattr(stored_log, "append", lambda *_: (_ for _ in ()).throw(DiskFault("full")))
    command = {"command": {"command": "unsubscribe", "email": ANN}}
    assert client.post("/fetch/commands", command).status_code == 503
    assert left_at(client) is None


def test_a_dry_run_logs_nobody(begun, client):
    before = (begun.instance / erasure_log.LOG).read_bytes()
    body = b"email,unsubscribed_at\nann@example.com,2020-01-01\nb@example.com,\n"
    query = {"consent": "subscribed", "dry_run": "1"}
    assert client.post("/batch/imports", data=body, content_type="text/csv", query=query).status_code == 200
    assert (begun.instance / erasure_log.LOG).read_bytes() == before


def test_one_transaction_is_one_append_and_no_line_has_an_address(begun, client, monkeypatch):
    appended: list[list[LogLine]] = []
    append = stored_log.append

    def noted(file, changes):
        appended.append(changes)
        append(file, changes)

    monkeypatch.setattr(stored_log, "append", noted)
    away = [{"email": f"p{n}@example.com", "command": "unsubscribe"} for n in range(40)]
    import_(client, *away, {"email": ANN})
    assert [len(changes) for changes in appended] == [40]
    log = (begun.instance / erasure_log.LOG).read_text()
    assert len(log.splitlines()) == 41
    assert "example" not in log


def test_erasing_somebody_replaces_their_lines(begun, client):
    say(client, "unsubscribe")
    say(client, "subscribe")
    say(client, "unsubscribe", BOB)
    client.delete("/fetch/subscribers", query={"email": ANN})
    _, bob, ann = erasure_log.list_all(begun.instance)
    assert (bob.kind, ann.kind) == (stored_log.UNSUBSCRIBED, stored_log.ERASED)


def test_erasing_them_again_replaces_those_since_the_first_erasure(begun, client):
    client.delete("/fetch/subscribers", query={"email": ANN})
    say(client, "subscribe")
    client.delete("/fetch/subscribers", query={"email": ANN})
    assert {line.kind for line in erasure_log.list_all(begun.instance)[1:]} == {stored_log.ERASED}


def test_erasing_somebody_reads_no_line_but_theirs(begun, client):
    say(client, "unsubscribe", BOB)
    say(client, "unsubscribe")
    log = begun.instance / erasure_log.LOG
    with log.open("a") as file:
        file.write("damaged\n")
    say(client, "subscribe")
    first, bob, _, damaged, _ = log.read_text().splitlines(keepends=True)
    client.delete("/fetch/subscribers", query={"email": ANN})
    assert log.read_text().startswith(first + bob + damaged)
    assert log.read_text().count('"unsubscribed"') == 1
    assert '"subscribed"' not in log.read_text()


def test_erasing_many_at_once_reads_the_log_once_and_leaves_none_of_their_lines(begun, client, monkeypatch):
    monkeypatch.setattr(bulk_actions, "ERASED_ROWS", 12)
    emails = [f"p{n}@example.com" for n in range(30)]
    import_(client, *({"email": email, "command": "unsubscribe"} for email in emails))
    people = [subscribers.find(client.site, email) for email in emails]
    ids = [person.id for person in people if person]
    bulk_actions.begin(client.site, NewAction(kind=ERASE, ids=ids, seen=fingerprint(ids)), Actor("operator"))
    rewritten: list[Path] = []
    compact = erasure_log.compact

    def noted(log):
        rewritten.append(log)
        compact(log)

    monkeypatch.setattr(erasure_log, "compact", noted)
    run_bulk_actions(begun.instance)
    assert len(rewritten) == 1
    assert [change.kind for change in erasure_log.list_all(begun.instance)[1:]] == [stored_log.ERASED] * 30


def test_an_upgraded_instance_begins_its_log_with_all_who_are_unsubscribed(settings, client, backup):
    """The log of an older Audience has erasures alone, and two lines of each."""
    for name in ("c", "gone", "moved"):
        client.create(f"{name}@example.com")
    backups.create(settings, backup.with_name("older.tar"), lambda *_: None)
    say(client, "unsubscribe")
    say(client, "unsubscribe", "moved@example.com")
    say(client, "change_email", "moved@example.com", query=NEW)
    erasures.erase(client.site, settings.instance, "gone@example.com")
    log = settings.instance / erasure_log.LOG
    line = next(change for change in erasure_log.read(log) if change.kind == "erased")
    old = {name: getattr(line, name) for name in line._fields[:5]}
    log.write_text("".join(json.dumps(old | {"address_hash": each}) + "\n" for each in line.hashes))
    reopen(settings)
    say(client, "unsubscribe", BOB)
    lose(settings)
    assert restore(settings, backup.with_name("older.tar"))["erased"] == 1
    assert client.find("gone@example.com") is None
    assert [bool(left_at(client, email)) for email in (ANN, BOB, "c@example.com")] == [True, True, False]
    assert left_at(client, "moved@example.com")


def test_lines_go_after_their_days_but_erasures_never(begun, file, client, monkeypatch):
    say(client, "unsubscribe")
    client.delete("/fetch/subscribers", query={"email": BOB})
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 399 * DAY_MS)
    erasure_log.sweep(begun.instance, 400)
    assert len(erasure_log.list_all(begun.instance)) == 3
    monkeypatch.setattr(clock, "now_ms", lambda: now + 401 * DAY_MS)
    erasure_log.sweep(begun.instance, 400)
    first, erased = erasure_log.list_all(begun.instance)
    assert (first.at, erased.kind) == (now + DAY_MS, stored_log.ERASED)


def test_a_line_of_while_the_clock_was_set_back_stays(begun, file, client, monkeypatch):
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now - 500 * DAY_MS)
    say(client, "unsubscribe")
    monkeypatch.setattr(clock, "now_ms", lambda: now + 2 * DAY_MS)
    erasure_log.sweep(begun.instance, 400)
    lose(begun)
    restore(begun, file)
    assert left_at(client)


def test_a_backup_that_is_older_than_the_log_is_refused_but_when_asked_for(begun, file, client, monkeypatch):
    say(client, "unsubscribe")
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 401 * DAY_MS)
    erasure_log.sweep(begun.instance, 400)
    lose(begun)
    refused = run_on(begun, "restore", str(file), "--yes")
    assert "lacks 2 day(s) after this backup" in str(refused.exception)
    assert restore(begun, file, "--unsubscribes-lost")["missing_days"] == 2
    assert left_at(client) is None


def test_such_a_backup_is_restored_while_the_database_can_be_read(begun, file, client, monkeypatch):
    say(client, "unsubscribe")
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + 401 * DAY_MS)
    erasure_log.sweep(begun.instance, 400)
    assert restore(begun, file)["left"] == 1
    assert left_at(client)


def test_without_log_and_database_a_backup_is_refused_but_when_asked_for(begun, file, client):
    say(client, "unsubscribe")
    (begun.instance / erasure_log.LOG).unlink()
    lose(begun)
    refused = run_on(begun, "restore", str(file), "--yes")
    assert "lacks 1 day(s) after this backup" in str(refused.exception)
    assert restore(begun, file, "--unsubscribes-lost")["missing_days"] == 1


@pytest.mark.parametrize("is_empty", [True, False])
def test_a_lost_log_is_made_up_for_by_the_database(begun, file, client, is_empty):
    say(client, "unsubscribe")
    client.delete("/fetch/subscribers", query={"email": BOB})
    (begun.instance / erasure_log.LOG).unlink()
    if is_empty:
        (begun.instance / erasure_log.LOG).touch()
    answer = restore(begun, file)
    assert (answer["left"], answer["erased"]) == (1, 1)
    assert left_at(client)
    assert client.find(BOB) is None
