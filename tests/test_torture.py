"""Runs of attacks: which CI begins, which go on, which have failed, and what the clients of one know."""

import json
from contextlib import contextmanager
from random import Random
from types import SimpleNamespace
from typing import Any

import pytest

from tests.torture import __main__ as torture
from tests.torture.world import Client, World


@pytest.fixture
def row(monkeypatch, tmp_path):
    """Three attacks, the second of which somebody interrupts."""
    tried = []

    @contextmanager
    def opened(short):
        def attack(number, chance):
            tried.append(number)
            if tried == [0, 1]:
                raise KeyboardInterrupt
            return {"longest ms": 7.0}

        yield attack

    fake = SimpleNamespace(SHORT=1, LONG=3, UNIT="steps", opened=opened, tried=tried)
    monkeypatch.setattr(torture, "resolve_name", lambda _: fake)
    monkeypatch.setattr(torture, "STATE", tmp_path)
    monkeypatch.setattr(torture, "commit", lambda: ("abc1234", True))
    monkeypatch.setattr(torture, "NOTED_SECONDS", 0.0)
    return fake


def test_all_short_rows_run_on_sqlite_and_some_on_postgresql(row, capsys):
    torture.main(["--short", "--within", "-1"])
    _, *lines = capsys.readouterr().out.splitlines()
    skipped = [line.split(" | ")[0].strip("| ") for line in lines]
    assert skipped == [*torture.ROWS, *torture.SHORT_ON_SERVER]
    assert all("skipped: -1 s are over" in line for line in lines)


def test_an_interrupted_row_goes_on_where_it_was(row, capsys, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        torture.main(["kill"])
    noted = json.loads((tmp_path / "kill-sqlite.json").read_text())
    assert (noted["done"], noted["seconds"] > 0) == (1, True)
    assert torture.main(["kill"]) == 0
    assert row.tried == [0, 1, 1, 2]
    line = capsys.readouterr().out.splitlines()[-1]
    assert line.startswith("| kill | SQLite | 3 of 3 steps | none | longest ms 7 | ")


def test_a_failure_is_told_with_what_repeats_it_and_the_rest_is_tried(row, capsys):
    row.tried.append("before")
    opened = row.opened

    @contextmanager
    def failing(short):
        with opened(short) as attack:
            yield lambda number, chance: 1 / 0 if number == 1 else attack(number, chance)

    row.opened = failing
    assert torture.main(["kill", "--seed", "4"]) == 1
    said = capsys.readouterr().out
    assert "make torture ROW=kill ENGINE=sqlite SEED=4 ONLY=1" in said
    assert "| 3 of 3 steps | 1 | longest ms 7 |" in said


def test_a_finished_row_says_when_it_was(row, capsys, monkeypatch):
    row.tried.append("before")
    monkeypatch.setattr(torture, "today", lambda: "2026-11-01")
    assert torture.main(["kill"]) == 0
    monkeypatch.setattr(torture, "today", lambda: "2026-11-26")
    assert torture.main(["kill"]) == 0
    assert row.tried == ["before", 0, 1, 2]
    first, again = [line for line in capsys.readouterr().out.splitlines() if line.startswith("|")]
    assert again == first
    assert "| 2026-11-01 | abc1234 |" in first


@pytest.mark.parametrize("name", ["kill", "soak"])
def test_nothing_goes_on_after_a_change_nor_what_measures_one_service(row, monkeypatch, name):
    monkeypatch.setattr(torture, "commit", lambda: ("abc1234 and changes", name != "kill"))
    row.tried.append("before")
    assert [torture.main([name]), torture.main([name])] == [0, 0]
    assert row.tried == ["before", 0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize(
    ("name", "changed", "told"),
    [
        ("abc1234", "", ("abc1234", True)),
        ("abc1234", "?? new.py", ("abc1234 and changes", False)),
        ("", "", ("no commit", False)),
    ],
)
def test_a_commit_is_what_it_was_until_something_is_changed(monkeypatch, name, changed, told):
    monkeypatch.setattr(torture, "git", lambda *words: {"rev-parse": name, "status": changed}[words[0]])
    assert torture.commit() == told


def test_a_row_that_does_not_open_has_failed_and_tried_nothing(row, capsys):
    def closed(short):
        raise AssertionError("the service does not start")

    row.opened = closed
    assert torture.main(["kill"]) == 1
    said = capsys.readouterr().out
    assert "| 0 of 3 steps | 1 |" in said
    assert "ONLY=0" in said


def test_a_skip_does_not_hide_a_failure(row, capsys):
    @contextmanager
    def failing_once(short):
        if row.tried:
            pytest.skip("needs what is gone")
        row.tried.append("before")
        yield None

    row.opened = failing_once
    assert torture.main(["kill"]) == 1
    assert "| 1 of 3 steps | 1 |" in capsys.readouterr().out


def test_however_late_it_is_a_row_tries_something(row):
    row.tried.append("before")
    assert torture.main(["kill", "--seconds", "1e-9"]) == 0
    assert row.tried == ["before", 0]


def test_what_was_unsure_stays_so_until_a_later_answer(monkeypatch, tmp_path):
    world = World(tmp_path)
    counts = {"user_count": 2, "subscriber_count": 1, "unsubscriber_count": 1}
    monkeypatch.setattr(world, "call", lambda *_: (200, counts))
    world.ledger.left["ann@example.com"] = False
    world.ledger.unsure |= {"ann@example.com", "bob@example.com", "cy@example.com"}
    found = [("ann@example.com", True), ("bob@example.com", False)]
    world._check_people(found)
    world._check_people(found)
    assert world.ledger.left == {"ann@example.com": False}  # what is found is not taken for the truth
    monkeypatch.setattr(world, "ask", lambda *_, **__: (200, {}))
    Client(world, "a", Random(1))._told(["ann@example.com"], "/fetch/commands", {}, left=False)
    with pytest.raises(AssertionError, match="consent lost"):
        world._check_people(found)
    world.ledger.left["ann@example.com"] = True
    world._check_people(found)
    with pytest.raises(AssertionError, match="from nowhere"):
        world._check_people([("ann@example.com", True), ("dan@example.com", False)])


def test_the_judge_is_told_of_each_request_and_looks_at_each_check(monkeypatch, tmp_path):
    world = World(tmp_path)
    counts = {"user_count": 1, "subscriber_count": 1, "unsubscriber_count": 0}
    answers = {"results": 1, "failed": 0, "errors": []}
    monkeypatch.setattr(world, "_request", lambda *_: (200, 0, counts | answers))
    row: dict[str, Any] = {"email": "ann@example.com", "tags": [], "fields": {}}
    row |= {"first_name": None, "last_name": None}
    for command in ("subscribe", "unsubscribe"):
        world.ask("POST", "/fetch/commands", {"command": {"command": command, "email": row["email"]}})
        with pytest.raises(AssertionError, match="is missing"):
            world._check_judged([])
    with pytest.raises(AssertionError, match="is subscribed despite"):
        world._check_judged([row | {"unsubscribed_at": None}])
