"""A story: random histories through every door, with a worker that is stopped between any two steps.

What the judge of `invariant.py` knows of them holds in the end.
"""

import hypothesis
import pytest
from hypothesis import strategies as st

from tests.stories.doors import STEPS, ZONES, Doors, histories
from tests.stories.invariant import assert_holds


@histories(200)
@hypothesis.given(st.lists(STEPS, min_size=3, max_size=25), st.sampled_from(ZONES))
def test_what_was_accepted_holds(app, tmp_path, steps, zone):
    with pytest.MonkeyPatch.context() as patch:
        doors = Doors(app.test_client(), patch, tmp_path, zone)
        doors.live(steps)
        assert_holds(doors.judge, doors.found(), steps)
