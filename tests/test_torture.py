"""Runs of attacks: which rows CI begins, and that an interrupted one goes on with all that it had."""

import json
from contextlib import contextmanager
from types import SimpleNamespace

import pytest

from tests.torture import __main__ as torture


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
    monkeypatch.setattr(torture, "commit", lambda: "abc1234")
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
