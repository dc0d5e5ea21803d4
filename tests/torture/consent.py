"""Random histories of imports, files, events, commands, erasures, moves, restores and steps of the clock.

Nobody is subscribed whom the model in plain Python (`tests/stories/consent_model.py`) has as unsubscribed.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from audience import clock
from audience.config import Settings
from audience.operations import backups
from audience.operations.openers import Openers
from audience.operations.opening import open_database, open_process
from storage import database
from tests.client import ApiClient, open_client
from tests.stories.consent_model import ConsentModel, Word
from tests.stories.test_consent_histories import STEPS, History
from tests.torture.application import opened_application

SHORT, LONG, UNIT = 10, 1_000, "tens of histories"
STEPS_AND_RESTORES = st.lists(
    st.one_of(STEPS, STEPS, STEPS, st.tuples(st.just("back_up")), st.tuples(st.just("restore"))),
    min_size=5, max_size=30,
)  # fmt: skip


class RestoredHistory(History):
    """Whoever was erased since the backup is erased anew; who is known to have left since stays known."""

    def __init__(self, client: ApiClient, settings: Settings, now: int) -> None:
        super().__init__(client, ConsentModel(), now)
        self._settings, self._backup = settings, settings.instance / "kept.tar"
        self._kept: ConsentModel | None = None
        self._erased: dict[str, Word] = {}

    def back_up(self) -> None:
        self._backup.unlink(missing_ok=True)
        backups.create(self._settings, self._backup, quietly)
        self._kept, self._erased = copy.deepcopy(self.model), {}

    def erase(self, address: str) -> None:
        super().erase(address)
        self._erased[address] = copy.copy(self.model.hashes[address])

    def restore(self) -> None:
        if self._kept is None:
            return
        database.close()
        backups.restore(self._settings, self._backup, quietly, Openers(open_process, open_database))
        lost, self.model = self.model, copy.deepcopy(self._kept)
        self.model.number = lost.number
        number = self.model.accept()
        for address, word in (lost.hashes | self._erased).items():
            if word.number <= self._kept.number:
                continue
            self.model.hashes[address] = Word(number, word.at, left=True, erased=word.erased)
            if word.erased:
                self.model.people.pop(address, None)
                self.model.blank(address)


def quietly(step: str, done: int, total: int) -> None:
    return


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_application() as (app, settings):

        def attack(number: int, chance: Random) -> None:
            @hypothesis.seed(int(chance.random() * 2**32))
            @hypothesis.settings(max_examples=10, deadline=None, database=None,
                                 suppress_health_check=[*hypothesis.HealthCheck])  # fmt: skip
            @hypothesis.given(STEPS_AND_RESTORES)
            def holds(steps: list[Any]) -> None:
                live(RestoredHistory(open_client(app.test_client()), settings, 1_800_000_000_000), steps)

            holds()

        yield attack


def live(history: RestoredHistory, steps: list[Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now_ms", lambda: history.now)
        for name, *values in steps:
            getattr(history, name)(*values)
        history.drain()
        history.check()
