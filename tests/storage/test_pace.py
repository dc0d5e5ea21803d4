"""The size of the transactions of long work."""

import pytest

from storage import database
from storage.engines import chosen, postgresql, sqlite
from storage.pace import Pace


@pytest.fixture(autouse=True)
def in_a_file(monkeypatch):
    monkeypatch.setitem(vars(chosen.engine), "TURN_SECONDS", sqlite.TURN_SECONDS)


def test_on_a_server_where_only_writers_of_the_site_wait_it_may_take_longer(monkeypatch):
    monkeypatch.setitem(vars(chosen.engine), "TURN_SECONDS", postgresql.TURN_SECONDS)
    pace = Pace()
    for _ in range(30):
        pace.learn(pace.rows, pace.rows * 200e-6 + 0.02)
    assert pace.rows == pytest.approx(300, rel=0.1)


@pytest.mark.parametrize(("per_row", "per_transaction", "rows"), [
    (50e-6, 0, 240), (50e-6, 0.002, 200), (200e-6, 0.002, 50), (1e-6, 0, 2_000), (0.01, 0, 20),
])  # fmt: skip
def test_a_transaction_has_as_many_rows_as_fit(per_row, per_transaction, rows):
    pace = Pace()
    for _ in range(30):
        pace.learn(pace.rows, pace.rows * per_row + per_transaction)
    assert pace.rows == pytest.approx(rows, rel=0.1)


def test_it_grows_step_by_step():
    pace = Pace()
    for rows in (100, 200, 400):
        assert pace.rows == rows
        pace.learn(rows, rows / 1e6)


def test_one_that_waited_for_a_core_does_not_count_but_many_slow_ones_do():
    pace = Pace()
    pace.learn(100, 0.012)
    for _ in range(7):
        pace.learn(100, 0.15)
        assert pace.rows == 100
    pace.learn(100, 0.048)
    assert pace.rows == 25


def test_a_transaction_without_rows_teaches_nothing():
    pace = Pace()
    pace.learn(0, 0.5)
    assert pace.rows == 100


def test_a_small_transaction_teaches_only_that_less_fits():
    pace = Pace()
    pace.learn(2, 0.004)
    assert pace.rows == 100
    pace.learn(50, 0.024)
    assert pace.rows == 25


def test_it_measures_what_it_writes(tmp_path):
    database.open(f"sqlite:///{tmp_path / 'audience.db'}")
    database.migrate()
    pace = Pace(first=50, least=10, most=60)
    with pace.write() as chunk:
        database.execute("UPDATE schema_migration SET name = name")
        chunk.rows = 1_000_000
    assert pace.rows == 60
    with pytest.raises(ZeroDivisionError), pace.write():
        raise ZeroDivisionError
    assert pace.rows == 60
    database.close()
