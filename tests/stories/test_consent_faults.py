"""A story: histories in which a rule that goes by the worker's speed, or by luck, brings somebody back.

The judge of `invariant.py` knows nothing of the rule. What must not hold in the end is what it says.
"""

from typing import Any

import pytest

from tests.stories.doors import DAY, HOUR, SECOND, Doors
from tests.stories.invariant import assert_holds

ANN, BOB = "a@example.com", "b@example.com"
SOME_YEARS = 2_000 * DAY
AT_ONCE = ("clock", -SECOND)  # the next step has the instant of the last
MERGE, SKIP = {"known": "merge"}, {"known": "skip"}


def row(email=ANN, status="", when=None, **more):
    return {"email": email} | more, status, when


LEFT_2024 = ("file", [row(when=(False, 500 * DAY))], MERGE)
LEAVES_IN_A_FILE = ("file", [row(status="unsubscribed")], MERGE)
SUBSCRIBED_LONG_AGO = ("event", ANN, "subscribe", (False, SOME_YEARS))
HISTORIES: dict[str, list[Any]] = {
    "a subscription of long ago over an unsubscribe of a file that waits": [
        ("create", {"email": ANN}), LEAVES_IN_A_FILE, SUBSCRIBED_LONG_AGO,
    ],
    "a subscription of long ago over one of a batch that waits": [
        ("create", {"email": ANN}),
        ("batch", [{"email": ANN, "command": "unsubscribe"}, {"email": BOB}]), SUBSCRIBED_LONG_AGO,
    ],
    "a subscription of long ago over one of a bulk action that waits": [
        ("create", {"email": ANN}), ("act", "unsubscribe", [ANN], ""), SUBSCRIBED_LONG_AGO,
    ],
    "a command of before over a bulk action that waits": [
        ("create", {"email": ANN}), ("file", [row(command="subscribe")], MERGE),
        ("act", "unsubscribe", [ANN], ""), ("work", 0, 9), ("drain",),
    ],
    "a subscription over an unsubscribe of the same day": [
        ("create", {"email": ANN}), ("command", ANN, "subscribe"), ("event", ANN, "unsubscribe", (True, 0)),
    ],
    "a subscription over an unsubscribe of the same day in a file": [
        ("create", {"email": ANN}), ("command", ANN, "subscribe"), ("file", [row(when=(True, 0))], MERGE),
    ],
    "a subscription over an unsubscribe of the same instant": [
        ("event", ANN, "subscribe", (False, DAY)), AT_ONCE, ("event", ANN, "unsubscribe", (False, DAY)),
    ],
    "a subscription of the same instant as an unsubscribe of before": [
        ("event", ANN, "unsubscribe", (False, DAY)), AT_ONCE, ("event", ANN, "subscribe", (False, DAY)),
    ],
    "an unsubscribe, while a clock was ahead, under a subscription of then": [
        ("clock", DAY), ("command", ANN, "subscribe"), ("clock", -DAY),
        ("event", ANN, "unsubscribe", (False, 0)),
    ],
    "a subscription over an unsubscribe that was accepted with the clock set back, and waited": [
        ("command", ANN, "subscribe"), ("clock", -DAY), LEAVES_IN_A_FILE, ("clock", DAY),
    ],
    "a wrong file in which all are subscribed over the right one": [
        ("file", [row(status="subscribed")], MERGE), ("drain",), LEFT_2024,
    ],
    "a batch without a word over the right file": [("batch", [{"email": ANN}]), ("drain",), LEFT_2024],
    "an event other than of consent over the right file": [
        ("set_value", ANN, "pro"), ("drain",), LEFT_2024,
    ],
    "undo of an import whose people a waiting bulk action unsubscribes, and the corrected file": [
        ("file", [row(status="subscribed")], MERGE), ("drain",), ("act", "unsubscribe", [ANN], ""),
        ("undo", 0), ("work", 99, 0), ("file", [row(status="subscribed")], MERGE),
    ],
    "undo of an import whose people a waiting bulk action tags": [
        ("file", [row(status="subscribed")], MERGE), ("drain",), ("act", "tag", [ANN], "x"), ("undo", 0),
        ("work", 99, 0),
    ],
    "a subscription that was queued before an unsubscribe of who was erased": [
        ("create", {"email": ANN}), ("erase", ANN), ("file", [row(command="subscribe")], MERGE),
        ("command", ANN, "unsubscribe"),
    ],
    "a subscription that was queued before an event that unsubscribes who was erased": [
        ("create", {"email": ANN}), ("erase", ANN), ("file", [row(command="subscribe")], MERGE),
        ("event", ANN, "unsubscribe", None),
    ],
    "a subscription that was queued for an address before somebody unsubscribed moves onto it": [
        ("create", {"email": BOB}), ("command", BOB, "unsubscribe"),
        ("file", [row(command="subscribe")], MERGE), ("change_email", BOB, ANN),
    ],
    "a new subscriber with the old address of somebody unsubscribed": [
        ("create", {"email": ANN}), ("command", ANN, "unsubscribe"), ("change_email", ANN, BOB),
        ("create", {"email": ANN}),
    ],
    "a file with the old address of somebody whom a bulk action unsubscribed": [
        ("create", {"email": ANN}), ("act", "unsubscribe", [ANN], ""), ("drain",), ("change_email", ANN, BOB),
        ("file", [row(status="subscribed")], MERGE),
    ],
    "a file without a command, of who was erased": [
        ("create", {"email": ANN}), ("erase", ANN), ("file", [row(status="subscribed")], MERGE), ("drain",),
        ("event", ANN, "subscribe", (False, DAY)),
    ],
    "a command that fills blanks, of somebody unsubscribed": [
        ("command", ANN, "unsubscribe"), ("file", [row(command="subscribe")], {"known": "fill"}),
    ],
    "a worker that is killed in the middle of a file, and a subscription of long ago": [
        ("file", [row(BOB), row(status="unsubscribed"), row()], MERGE), ("work", 1, 0), SUBSCRIBED_LONG_AGO,
        ("work", 1, 0),
    ],
    "an undo of the file that subscribed again": [
        ("command", ANN, "unsubscribe"), ("file", [row(command="subscribe")], MERGE), ("drain",), ("undo", 0),
    ],
    "a late unsubscribe of a day before a subscription of that day's end": [
        ("event", ANN, "unsubscribe", (True, 3 * DAY)), ("event", ANN, "subscribe", (False, 3 * DAY)),
    ],
    "a subscription without a time over an unsubscribe of that day": [
        ("event", ANN, "unsubscribe", (False, 3 * DAY)), ("event", ANN, "subscribe", (True, 3 * DAY)),
    ],
    "a subscription of the day after in UTC, but not in the site's zone": [
        ("event", ANN, "unsubscribe", (True, 3 * DAY)),
        ("event", ANN, "subscribe", (False, 3 * DAY - 20 * HOUR)),
    ],
    "who comes in unconfirmed, and an unsubscribe of before": [
        ("file", [row(status="unconfirmed")], MERGE), ("drain",), ("command", ANN, "subscribe"),
        ("clock", 3 * DAY),
        ("event", ANN, "unsubscribe", (True, 0)),
    ],
}  # fmt: skip


@pytest.mark.parametrize("name", HISTORIES)
def test_nobody_is_brought_back_by(app, tmp_path, monkeypatch, name):
    doors = Doors(app.test_client(), monkeypatch, tmp_path, "America/Los_Angeles")
    doors.live(HISTORIES[name])
    assert_holds(doors.judge, doors.found(), HISTORIES[name])
