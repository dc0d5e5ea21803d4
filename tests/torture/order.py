"""The same accepted requests end alike, whether the worker applies them at once or at any later step."""

from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import Any

import hypothesis
from hypothesis import strategies as st

from tests.stories.doors import ZONES
from tests.stories.test_order_of_application import HISTORIES, holds
from tests.torture.application import opened_application

SHORT, LONG, UNIT = 2, 100, "tens of histories"


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_application() as (app, settings):

        def attack(number: int, chance: Random) -> None:
            @hypothesis.seed(int(chance.random() * 2**32))
            @hypothesis.settings(max_examples=10, deadline=None, database=None,
                                 suppress_health_check=[*hypothesis.HealthCheck])  # fmt: skip
            @hypothesis.given(HISTORIES, st.sampled_from(ZONES), st.integers(0, 2**32))
            def ends_alike(steps: list[Any], zone: str, seed: int) -> None:
                holds(app.test_client(), settings.instance, steps, zone, Random(seed))

            ends_alike()

        yield attack
