"""The size of the transactions of long work."""

import pytest

from storage import database
from storage.pace import Pace


def paced(seconds_per_row, commit_seconds, seconds_per_commit_row=0.0, times=30):
    """The rows per transaction, and the seconds that the last one held the turn."""
    pace, held = Pace(), 0.0
    for _ in range(times):
        rows = pace.rows
        writing, committing = rows * seconds_per_row, commit_seconds + rows * seconds_per_commit_row
        held = writing + committing
        pace.learn(rows, writing, committing)
    return pace.rows, held


@pytest.mark.parametrize(("per_row", "commit", "per_row_commit", "rows"), [
    (50e-6, 0.001, 0, 300), (50e-6, 0.001, 25e-6, 200), (200e-6, 0.001, 0, 75), (1e-6, 0.001, 0, 2_000),
    (0.01, 0.001, 0, 20),
    (50e-6, 0.05, 0, 300),  # a slow disk: the commit is not paid for with fewer rows
])  # fmt: skip
def test_a_transaction_has_as_many_rows_as_fit(per_row, commit, per_row_commit, rows):
    found, held = paced(per_row, commit, per_row_commit)
    assert found == pytest.approx(rows, rel=0.2)
    if 20 < found < 2_000:
        assert held - commit == pytest.approx(0.015, rel=0.2)


def test_it_grows_step_by_step_and_shrinks_at_once():
    pace = Pace()
    pace.learn(100, 0.0001, 0.001)
    assert pace.rows == 200
    pace.learn(200, 0.1, 0.001)
    assert pace.rows == 30


def test_a_transaction_without_rows_teaches_nothing():
    pace = Pace()
    pace.learn(0, 0.5, 0.5)
    assert pace.rows == 100


def test_a_small_transaction_teaches_only_that_less_fits():
    pace = Pace()
    pace.learn(2, 0.004, 0.001)
    assert pace.rows == 100
    pace.learn(30, 0.02, 0.001)
    assert pace.rows == 22


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
