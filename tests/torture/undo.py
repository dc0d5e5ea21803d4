"""Random histories of imports, bulk actions, undos, later changes, erasures and clock steps against a model.

Nobody who left is subscribed again, nothing that was said later is lost, and the counts are the model's. Of
histories by every door, many of them undone, the judge of `tests/stories/invariant.py` finds nothing wrong.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random

import pytest
from hypothesis import strategies as st

from tests.audience.undo.test_undo_histories import live
from tests.stories import doors
from tests.torture import judged
from tests.torture.application import opened_application

SHORT, LONG, UNIT = 10, 200, "tens of histories"
STEPS = st.one_of(doors.STEPS, *doors.often(doors.BULK_ACTIONS, *doors.UNDOS))


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_application() as (app, settings):

        def attack(number: int, chance: Random) -> None:
            for _ in range(10):
                with pytest.MonkeyPatch.context() as patch:
                    live(chance, patch, settings.instance)
            judged.live(app, settings, chance, STEPS)

        yield attack
