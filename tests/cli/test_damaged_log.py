"""A log that is cut off or damaged: what a restore reads of it, and what is appended to it."""

import json
from dataclasses import replace

import pytest

from audience.erasures import log as erasure_log
from storage.erasures import log as stored_log
from tests.cli.restored import reopen, run_on
from tests.cli.test_consent_log import ANN, BOB, begun, file, left_at, lose, restore, say

__all__ = ["begun", "file"]


def elsewhere(settings, tmp_path, octets=None):
    """Another machine, whose folder has a copy of the log or nothing."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    if octets is not None:
        (folder / erasure_log.LOG).write_bytes(octets)
    return replace(settings, instance=folder)


def test_a_copy_that_is_cut_off_is_named_with_what_that_means(begun, file, client, tmp_path):
    say(client, "unsubscribe")
    say(client, "unsubscribe", BOB)
    octets = (begun.instance / erasure_log.LOG).read_bytes()
    there = elsewhere(begun, tmp_path, octets[:-50])
    cut_off = len(octets.splitlines(keepends=True)[-1]) - 50
    result = run_on(there, "restore", str(file), "--yes")
    assert f"The last line of the log is cut off after {cut_off} bytes" in result.stdout
    assert "copy it again" in result.stdout
    assert [bool(left_at(client, email)) for email in (ANN, BOB)] == [True, False]
    (there.instance / erasure_log.LOG).write_bytes(octets)
    again = restore(there, file)
    assert (again["left"], again["cut_off_bytes"]) == (2, 0)


def test_lines_that_are_cut_off_are_named_when_a_log_is_applied(begun, client, tmp_path):
    copy = tmp_path / "copy.jsonl"
    assert run_on(begun, "erasures", "export", str(copy)).exit_code == 0
    copy.write_bytes(copy.read_bytes() + b'{"site')
    assert "is cut off after 6 bytes" in run_on(begun, "erasures", "apply", str(copy)).stdout


@pytest.mark.parametrize("damage", [b"\xff\x00 damaged\n", b'{"at": 1}\n', b'{"site_uuid": "\\u0022"}\n'])
def test_a_line_that_cannot_be_read_is_left_out_only_when_asked_for(begun, file, client, damage):
    for email in (ANN, BOB):
        say(client, "unsubscribe", email)
    log = begun.instance / erasure_log.LOG
    first, _, last = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(first + damage + last)
    lose(begun)
    refused = run_on(begun, "restore", str(file), "--yes")
    assert "cannot be read at line 2: put the latest copy of the file back." in str(refused.exception)
    assert "--unsubscribes-lost" in str(refused.exception)
    assert log.read_bytes() == first + damage + last
    answer = restore(begun, file, "--unsubscribes-lost")
    assert (answer["unreadable_lines"], answer["left"]) == (1, 1)
    assert [bool(left_at(client, email)) for email in (ANN, BOB)] == [False, True]
    reopen(begun)
    kinds = [change.kind for change in erasure_log.list_all(begun.instance)]
    assert kinds[0] == stored_log.BEGINNING
    assert set(kinds[1:]) == {stored_log.UNSUBSCRIBED}


@pytest.mark.parametrize("name", ["address_hash", "at", "kind", "number", "check"])
def test_a_line_that_was_altered_cannot_be_read(begun, file, client, name):
    say(client, "unsubscribe")
    log = begun.instance / erasure_log.LOG
    octets = log.read_bytes()
    place = octets.rindex(f'"{name}":'.encode()) + len(name) + 5
    log.write_bytes(octets[:place] + bytes([octets[place] ^ 1]) + octets[place + 1 :])
    lose(begun)
    refused = run_on(begun, "restore", str(file), "--yes")
    assert "cannot be read at line 2: put the latest copy of the file back." in str(refused.exception)
    assert restore(begun, file, "--unsubscribes-lost")["unreadable_lines"] == 1


def test_an_empty_line_is_told(begun, file, client):
    say(client, "unsubscribe")
    log = begun.instance / erasure_log.LOG
    log.write_bytes(log.read_bytes() + b"\n")
    lose(begun)
    assert "cannot be read at line 3" in str(run_on(begun, "restore", str(file), "--yes").exception)


def test_lines_of_an_older_audience_have_no_check_value(begun, file, client):
    say(client, "unsubscribe")
    log = begun.instance / erasure_log.LOG
    older = [line.partition(stored_log.CHECK)[0] + "}\n" for line in log.read_text().splitlines()]
    log.write_text("".join(older))
    lose(begun)
    assert restore(begun, file)["left"] == 1


def test_a_line_that_cannot_be_read_is_made_up_for_by_the_database(begun, file, client):
    say(client, "unsubscribe")
    log = begun.instance / erasure_log.LOG
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[0] + b"damaged\n")
    answer = restore(begun, file)
    assert (answer["unreadable_lines"], answer["left"]) == (0, 1)
    assert left_at(client)


def test_a_new_folder_without_a_log_says_whom_that_may_bring_back(begun, file, client, tmp_path):
    say(client, "unsubscribe")
    there = elsewhere(begun, tmp_path)
    asked = run_on(there, "restore", str(file), input="n\n")
    assert "has no erasures.log: people who unsubscribed or were erased" in asked.stderr
    assert not list(there.instance.glob("audience.db*"))
    shown = run_on(there, "restore", str(file), "--yes").stdout
    assert "were erased in the 1 day(s) since the backup may be subscribed" in shown


@pytest.mark.parametrize("unfinished", [b"\0" * 4096, b'{"site_uuid":"', b"x" * 70_000])
def test_the_next_line_takes_the_place_of_an_unfinished_one(begun, file, client, unfinished):
    with (begun.instance / erasure_log.LOG).open("ab") as opened:
        opened.write(unfinished)
    assert erasure_log.unfinished_bytes(begun.instance / erasure_log.LOG) == len(unfinished)
    say(client, "unsubscribe")
    lose(begun)
    assert restore(begun, file)["cut_off_bytes"] == 0
    assert left_at(client)


@pytest.mark.parametrize("is_compacted", [False, True])
def test_a_last_line_without_its_newline_is_kept(begun, file, client, is_compacted):
    say(client, "unsubscribe")
    log = begun.instance / erasure_log.LOG
    log.write_bytes(log.read_bytes().rstrip(b"\n"))
    if is_compacted:
        erasure_log.compact(log)
    say(client, "unsubscribe", BOB)
    lose(begun)
    assert restore(begun, file)["left"] == 2


def test_a_full_disk_leaves_a_last_line_without_its_newline(begun, client, monkeypatch):
    say(client, "unsubscribe")
    log = begun.instance / erasure_log.LOG
    log.write_bytes(log.read_bytes().rstrip(b"\n"))
    before = log.read_bytes()
    monkeypatch.setattr(stored_log, "_write", lambda *_: (_ for _ in ()).throw(OSError(28, "full")))
    command = {"command": {"command": "unsubscribe", "email": BOB}}
    assert client.post("/fetch/commands", command).status_code == 503
    assert log.read_bytes() == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("number", "7"), ("shown_at", "x"), ("at", True), ("at", "5"), ("address_hash", None),
        ("address_hash", 5), ("person_hash", 5), ("site_uuid", None), ("kind", None),
    ],
)  # fmt: skip
def test_a_value_of_another_type_makes_a_line_unreadable(begun, file, client, name, value):
    say(client, "unsubscribe")
    log = begun.instance / erasure_log.LOG
    first, line = log.read_text().splitlines()
    log.write_text(f"{first}\n{json.dumps(json.loads(line) | {name: value})}\n")
    lose(begun)
    refused = run_on(begun, "restore", str(file), "--yes")
    assert "cannot be read at line 2" in str(refused.exception)
