"""Random histories by every door in this process, some of them restored, for the judge of `invariant.py`."""

from random import Random
from typing import Any

import hypothesis
import pytest
from flask import Flask
from hypothesis import strategies as st

from audience.config import Settings
from audience.erasures import log as erasure_log
from audience.operations import backups, restore_carryover
from audience.operations.openers import Openers
from audience.operations.opening import open_database, open_process
from storage import database
from tests.postgresql import name_of
from tests.stories.doors import ZONES, Doors
from tests.stories.invariant import Judge, assert_holds
from tests.torture import stores

KEPT = "kept"  # the database that a server's backup is
COPIES = (st.tuples(st.just("back_up")), st.tuples(st.just("restore")), st.tuples(st.just("lose_database")))


class Backup:
    """A backup of an instance in SQLite. A restore repeats the erasures and unsubscribes since.

    If the database is lost, the restore does not know what waited there.
    """

    reads_waiting = True

    def __init__(self, settings: Settings) -> None:
        self.settings, self._file = settings, settings.instance / "kept.tar"

    def make(self) -> None:
        self._file.unlink(missing_ok=True)
        backups.create(self.settings, self._file, quietly)

    def restore(self, is_lost: bool = False) -> None:
        database.close()
        for file in self.settings.instance.glob("audience.db*") if is_lost else ():
            file.unlink()
        backups.restore(self.settings, self._file, quietly, Openers(open_process, open_database))


class ServerCopy(Backup):
    """A copy of a database on a server. A restore uses the exported log, without what waits."""

    reads_waiting = False

    def make(self) -> None:
        self._copy(name_of(self.settings.database_url), KEPT)

    def restore(self, is_lost: bool = False) -> None:
        instance = self.settings.instance
        exported = instance / "exported.jsonl"
        erasure_log.write(exported, erasure_log.list_all(instance))
        self._copy(KEPT, name_of(self.settings.database_url))
        restore_carryover.apply_log(instance, exported)

    def _copy(self, name: str, to: str) -> None:
        database.close()
        stores.copy(name, to)
        open_process(self.settings)


def quietly(step: str, done: int, total: int) -> None:
    return


def backup_of(settings: Settings) -> Backup:
    return (ServerCopy if settings.database_url else Backup)(settings)


class RestoredDoors(Doors):
    """A site with backups. A restore drops all that came since, except for erasures and unsubscribes."""

    def __init__(self, app: Flask, settings: Settings, patch: pytest.MonkeyPatch, zone: str) -> None:
        super().__init__(app.test_client(), patch, settings.instance, zone)
        self._backup = backup_of(settings)
        self._kept: tuple[Judge, list[str], list[int]] | None = None

    def back_up(self) -> None:
        self._backup.make()
        self._kept = self.judge.keep(), [*self.imports], [*self.acts]

    def restore(self, is_lost: bool = False) -> None:
        if self._kept:
            self._backup.restore(is_lost)
            judge, imports, acts = self._kept
            self.client.judge = self.judge.restored(judge)
            self.imports, self.acts = [*imports], [*acts]

    def lose_database(self) -> None:
        """Restores after the database was lost, while the log is there."""
        self.restore(is_lost=True)


def live(app: Flask, settings: Settings, chance: Random, steps: Any, number: int = 2) -> None:
    """Runs `number` histories of random steps."""

    @hypothesis.seed(int(chance.random() * 2**32))
    @hypothesis.settings(max_examples=number, deadline=None, database=None,
                         suppress_health_check=[*hypothesis.HealthCheck])  # fmt: skip
    @hypothesis.given(st.lists(steps, min_size=10, max_size=30), st.sampled_from(ZONES))
    def holds(history: list[Any], zone: str) -> None:
        with pytest.MonkeyPatch.context() as patch:
            doors = RestoredDoors(app, settings, patch, zone)
            doors.live(history)
            assert_holds(doors.judge, doors.found(), history)

    holds()
