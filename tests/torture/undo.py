"""Random histories of imports, acts on many, undos, later changes, erasures and clock steps against a model.

Nobody who left is subscribed again, nothing that was said later is lost, and the counts are the model's.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest

from tests.audience.test_undo_histories import live
from tests.torture.application import opened_application

SHORT, LONG, UNIT = 10, 200, "tens of histories"


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_application() as (_, settings):

        def attack(number: int, chance: Random) -> None:
            for _ in range(10):
                with pytest.MonkeyPatch.context() as patch:
                    live(chance, patch, settings.instance)

        yield attack
