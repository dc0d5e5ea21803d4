"""Random histories of imports, files, events, commands, erasures, moves, restores and steps of the clock.

Nobody is subscribed whom the model in plain Python (`tests/stories/consent_model.py`) has as unsubscribed.
The judge that knows less (`tests/stories/invariant.py`) finds nothing wrong, nor in histories by every door.
"""

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from audience import clock
from audience.config import Settings
from tests.stories import doors
from tests.stories.consent_model import UNSUBSCRIBE, ConsentModel, Word
from tests.stories.doors import JudgedClient, often, open_judged
from tests.stories.invariant import Judge
from tests.stories.test_consent_histories import STEPS, History
from tests.torture import judged
from tests.torture.application import opened_application
from tests.torture.judged import COPIES, backup_of

SHORT, LONG, UNIT = 10, 1_000, "tens of histories"
STEPS_AND_RESTORES = st.lists(st.one_of(*often(STEPS), *COPIES), min_size=5, max_size=30)
EVERY_DOOR = st.one_of(doors.STEPS, *often(*COPIES, times=4))


class RestoredHistory(History):
    """A history with backups and restores. A restore repeats later erasures and unsubscribes."""

    def __init__(self, client: JudgedClient, settings: Settings, now: int) -> None:
        super().__init__(client, ConsentModel(), now)
        self._backup = backup_of(settings)
        self._judge: Judge | None = None
        self._kept: ConsentModel | None = None
        self._erased: dict[str, Word] = {}
        self._kept_as: dict[str, str] = {}  # address now: that of the same person in the backup
        self._erased_as: set[str] = set()  # the addresses in the backup of who was erased since

    def back_up(self) -> None:
        self._backup.make()
        self._judge = self.client.judge.keep()
        self._kept, self._erased, self._erased_as = copy.deepcopy(self.model), {}, set()
        self._kept_as = {address: address for address in self.model.people}

    def erase(self, address: str) -> None:
        super().erase(address)
        self._erased[address] = copy.copy(self.model.hashes[address])
        if address in self._kept_as:
            self._erased_as.add(self._kept_as.pop(address))

    def change_email(self, address: str, new: str) -> None:
        person = self.model.people.get(address)
        super().change_email(address, new)
        if address != new and person and self.model.people.get(new) is person:
            self._kept_as.pop(new, None)
            if address in self._kept_as:
                self._kept_as[new] = self._kept_as.pop(address)

    def lose_database(self) -> None:
        """Restores after the database was lost, while the log is there."""
        self.restore(is_lost=True)

    def restore(self, is_lost: bool = False) -> None:
        if self._kept is None or self._judge is None:
            return
        self._backup.restore(is_lost)
        self.client.judge = self.client.judge.restored(self._judge)
        left = [each for each in self.model.people.items() if each[1].left]
        if self._backup.reads_waiting and not is_lost:
            self.model.drain(self.now)  # what waits unsubscribes, too
            left += [each for each in self.model.people.items() if each[1].left]
        kept_as = self._kept_as
        self._take_back(self.model.hashes)
        for address, word in left:
            for known in {address, kept_as.get(address, address)}:
                self._leave(known, word)

    def _leave(self, address: str, word: Word) -> None:
        """Unsubscribes this address in the model, unless the event was before the backup."""
        if self._kept is None or word.number <= self._kept.number:
            return
        if address in self.model.people:
            accepted = self.model.number, self.model.accepted_at
            self.model.say(address, UNSUBSCRIBE, accepted, self.model.accepted_at if word.rank else None)
            return
        known = self.model.hashes.get(address) or Word()
        last = max(word, known, key=lambda each: (each.at or 0, each.rank)) if known.erased else word
        self.model.hashes[address] = replace(last, number=self.model.number, erased=known.erased)

    def _take_back(self, left: dict[str, Word]) -> None:
        """Restores the kept model, and unsubscribes or erases those in `left` and those erased since."""
        assert self._kept is not None
        last_number, self.model = self.model.number, copy.deepcopy(self._kept)
        self.model.number = last_number
        number, at = self.model.accept(self.now)
        for address, word in (left | self._erased).items():
            if word.number <= self._kept.number:
                continue
            at_most = min(word.at or at, at)
            self.model.hashes[address] = Word(number, at_most, left=True, erased=word.erased, rank=word.rank)
            if word.erased:
                self.model.people.pop(address, None)
                self.model.blank(address)
        for address in self._erased_as:
            self.model.people.pop(address, None)
        self._kept_as = {address: address for address in self.model.people}


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_application() as (app, settings):

        def attack(number: int, chance: Random) -> None:
            @hypothesis.seed(int(chance.random() * 2**32))
            @hypothesis.settings(max_examples=10, deadline=None, database=None,
                                 suppress_health_check=[*hypothesis.HealthCheck])  # fmt: skip
            @hypothesis.given(STEPS_AND_RESTORES)
            def holds(steps: list[Any]) -> None:
                live(RestoredHistory(open_judged(app.test_client()), settings, 1_800_000_000_000), steps)

            holds()
            judged.live(app, settings, chance, EVERY_DOOR)

        yield attack


def live(history: RestoredHistory, steps: list[Any]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(clock, "now_ms", lambda: history.now)
        for name, *values in steps:
            getattr(history, name)(*values)
        history.drain()
        history.check()
