"""A story: random histories with a clock that steps.

Who is subscribed agrees with a model in plain Python, and a judge that knows less finds nothing wrong.
"""

from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from audience import clock
from audience.operations import site_lane
from schemas.values import write_date
from tests.depth import examples
from tests.stories.consent_model import SUBSCRIBE, UNSUBSCRIBE, ConsentModel
from tests.stories.doors import JudgedClient, found, open_judged
from tests.stories.invariant import assert_holds

HOUR, DAY = 3_600_000, 86_400_000
ADDRESSES = st.sampled_from([f"{name}@example.com" for name in "abc"])
WORDS = st.sampled_from([SUBSCRIBE, UNSUBSCRIBE])
AGES = st.sampled_from([-DAY, 0, 1, HOUR, 2 * HOUR, DAY, 3 * DAY])
ROWS = st.tuples(ADDRESSES, st.sampled_from(["", SUBSCRIBE, UNSUBSCRIBE]))
STEPS = st.one_of(
    st.tuples(st.just("clock"), st.sampled_from([1, 1000, -HOUR, HOUR, -DAY, DAY])),
    st.tuples(st.just("command"), ADDRESSES, WORDS),
    st.tuples(st.just("create"), ADDRESSES),
    st.tuples(st.just("event"), ADDRESSES, WORDS, st.none() | AGES),
    st.tuples(st.just("import_one"), ADDRESSES, WORDS),
    st.tuples(st.just("import_"), st.lists(ROWS, min_size=2, max_size=4)),
    st.tuples(st.just("file"), st.lists(st.tuples(ADDRESSES, st.none() | AGES), min_size=1, max_size=3)),
    st.tuples(st.just("erase"), ADDRESSES),
    st.tuples(st.just("change_email"), ADDRESSES, ADDRESSES),
    st.tuples(st.just("drain")),
)


class History:
    """Does each step both to a site and to the model."""

    def __init__(self, client: JudgedClient, model: ConsentModel, now: int) -> None:
        self.client, self.model, self.now = client, model, now

    def clock(self, by: int) -> None:
        self.now += by

    def command(self, address: str, word: str) -> None:
        self.client.post("/fetch/commands", {"command": {"command": word, "email": address}})
        self.model.say(address, word, self.model.accept(self.now))

    def create(self, address: str) -> None:
        answer = self.client.post("/fetch/subscribers", {"subscriber": {"email": address}})
        if answer.status_code == 422:  # nothing was accepted
            return
        self.model.say(address, "", self.model.accept(self.now))

    def event(self, address: str, word: str, age: int | None) -> None:
        at = self.now - (age or 0)
        item = {"email": address, "type": f"${word}"} | ({} if age is None else {"date": write_date(at)})
        self.client.post("/batch/events", {"events": [item]})
        self.model.say(address, word, self.model.accept(self.now), None if age is None else at)

    def import_one(self, address: str, word: str) -> None:
        if self.model.waiting:  # it would be waited for
            self.drain()
        self.client.post("/batch/subscribers", {"subscribers": [{"email": address, "command": word}]})
        self.model.import_(self.now, [(address, word, None)])
        self.model.drain(self.now)

    def import_(self, rows: list[tuple[str, str]]) -> None:
        items: list[dict[str, Any]] = [{"email": address, "command": word or None} for address, word in rows]
        self.client.post("/batch/subscribers", {"subscribers": items})
        self.model.import_(self.now, [(*row, None) for row in rows])

    def file(self, rows: list[tuple[str, int | None]]) -> None:
        left = [(address, None if age is None else self.now - age) for address, age in rows]
        lines = [f"{address},{'' if at is None else write_date(at)}" for address, at in left]
        text = "\n".join(["email,unsubscribed_at", *lines]) + "\n"
        answer = self.client.call(
            "POST",
            "/batch/imports",
            query={"consent": "subscribed"},
            headers={"Content-Type": "text/csv"},
            data=text.encode(),
        )
        assert answer.status_code == 200, answer.text
        self.model.import_(self.now, [(address, "", at) for address, at in left])

    def erase(self, address: str) -> None:
        self.client.delete("/fetch/subscribers", query={"email": address})
        self.model.erase(address, self.now)

    def change_email(self, address: str, new: str) -> None:
        if address != new:
            command = {"command": "change_email", "email": address, "query": new}
            self.client.post("/fetch/commands", {"command": command})
            self.model.change_email(address, new, self.now)

    def drain(self) -> None:
        site_lane.drain(self.client.site.id, 30)
        self.client.judge.empty()
        self.model.drain(self.now)

    def check(self) -> None:
        for name in "abc":
            address = f"{name}@example.com"
            row, expected = self.client.find(address), self.model.people.get(address)
            left = None if row is None else row["attributes"]["unsubscribed_at"] is not None
            assert left == (None if expected is None else expected.left), address
        assert_holds(self.client.judge, found(self.client))


@hypothesis.settings(
    suppress_health_check=[hypothesis.HealthCheck.function_scoped_fixture], max_examples=examples(100)
)
@hypothesis.given(st.lists(STEPS, min_size=5, max_size=30))
def test_nobody_is_resubscribed(app, monkeypatch: pytest.MonkeyPatch, steps):
    history = History(open_judged(app.test_client()), ConsentModel(), 1_800_000_000_000)
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now_ms", lambda: history.now)
        for name, *values in steps:
            getattr(history, name)(*values)
        history.drain()
        history.check()
