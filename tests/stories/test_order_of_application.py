"""A story: whatever the worker has applied when, the same accepted requests end alike.

Each history is accepted twice: once the worker is done before the next request, once it is at any step.
Left out is what goes by who exists when a row is applied (who is unconfirmed, a command where only blanks
are filled). After a clock was set back, an unsubscribe is compared with the clock of when it is applied: one
that waits may count in place of a later subscribe, and none the other way round.
"""

from pathlib import Path
from random import Random
from typing import Any

import hypothesis
import pytest
from flask.testing import FlaskClient
from hypothesis import strategies as st

from tests.stories.accepted import UNSUBSCRIBE
from tests.stories.doors import (
    ADDRESSES,
    DAY,
    EVENTS,
    STATUSES,
    TAGS,
    ZONES,
    Doors,
    accepted_steps,
    clock_steps,
    file_steps,
    histories,
)  # fmt: skip

ANN = "a@example.com"
SILENT_ROWS = st.fixed_dictionaries({"email": ADDRESSES})
ROWS = SILENT_ROWS | st.fixed_dictionaries({"email": ADDRESSES, "command": EVENTS})
STEPS = st.one_of(
    clock_steps(), *accepted_steps(ROWS), file_steps(ROWS, "merge", statuses=STATUSES),
    file_steps(SILENT_ROWS, "fill", "skip", statuses=STATUSES),
    st.tuples(st.just("erase"), ADDRESSES),
    st.tuples(st.just("act"), st.just(UNSUBSCRIBE), st.lists(ADDRESSES, min_size=1, max_size=3, unique=True),
              TAGS),
)  # fmt: skip
HISTORIES = st.lists(STEPS, min_size=3, max_size=15)


def with_the_same_choice(steps: list[Any]) -> list[Any]:
    """Bulk actions choose whom a direct request has brought in, and nobody erased: the same each time."""
    known, erased = set[str](), set[str]()
    chosen = []
    for name, *values in steps:
        if name == "act":
            values[1] = sorted((known - erased) & {*values[1]})
        elif name == "erase":
            erased.add(values[0])
        elif name in ("create", "command", "event"):
            known.add(values[0]["email"] if name == "create" else values[0])
        chosen.append((name, *values))
    return chosen


def ends(
    http: FlaskClient, instance: Path, steps: list[Any], zone: str, chance: Random | None, most: int = 5
) -> dict[str, bool]:
    """Whether they are subscribed, of all who are there; who was erased counts only if they are."""
    with pytest.MonkeyPatch.context() as patch:
        doors = Doors(http, patch, instance, zone)
        for step in steps:
            doors.live([step], drains=chance is None)
            if chance:
                doors.work(*[max(0, chance.randint(-most, most)) for _ in range(2)])
        doors.drain()
        subscribed = doors.subscribed()
        erased = {step[1] for step in steps if step[0] == "erase"}
        return {key: yes for key, yes in subscribed.items() if yes or key not in erased}


def holds(http: FlaskClient, instance: Path, steps: list[Any], zone: str, chance: Random) -> None:
    steps = with_the_same_choice(steps)
    at_once = ends(http, instance, steps, zone, None)
    in_any_order = ends(http, instance, steps, zone, chance, most=chance.choice([0, 1, 5]))
    story = "\n".join(map(repr, steps))
    if any(name == "clock" and values[0] < 0 for name, *values in steps):
        assert {key for key, yes in in_any_order.items() if yes and not at_once.get(key)} == set(), story
    else:
        assert in_any_order == at_once, story


@pytest.mark.parametrize("steps", [
    [("create", {"email": ANN}), ("act", UNSUBSCRIBE, [ANN], ""), ("command", ANN, "subscribe")],
    [("create", {"email": ANN}), ("act", UNSUBSCRIBE, [ANN], ""), ("event", ANN, "subscribe", (False, DAY))],
    [("file", [({"email": ANN}, "unsubscribed", None)], {"known": "merge"}), ("command", ANN, "subscribe")],
])  # fmt: skip
def test_what_waits_has_the_instant_of_its_acceptance(app, tmp_path, steps):
    http = app.test_client()
    late = ends(http, tmp_path, steps, "UTC", Random(0), most=0)
    assert late == ends(http, tmp_path, steps, "UTC", None)


@histories(1_000)
@hypothesis.given(HISTORIES, st.sampled_from(ZONES), st.integers(0, 2**32))
def test_a_history_ends_alike_in_any_order_of_application(app, tmp_path, steps, zone, seed):
    holds(app.test_client(), tmp_path, steps, zone, Random(seed))
