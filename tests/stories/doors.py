"""Every interface by which a subscriber is changed, for random histories. The worker is stopped between any
two steps.
"""

import contextlib
import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from flask.testing import FlaskClient
from hypothesis import strategies as st
from werkzeug.test import TestResponse

from audience import clock, jobs
from audience.access import keys, sites
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.bulk import chunks as bulk_chunks
from audience.bulk.actions import TAG, UNSUBSCRIBE, UNTAG, NewAction
from audience.imports import imports
from audience.operations import site_lane
from audience.undo import undos
from audience.undo import work as undo_work
from schemas.values import write_date
from storage import database, leases
from storage.pace import Chunk, Pace
from tests.client import ApiClient
from tests.depth import examples
from tests.jobs import run_bulk_actions
from tests.stories import accepted, witness
from tests.stories.invariant import Found, Judge

FIRST = 1_800_000_000_000
SECOND, HOUR, DAY = 1_000, 3_600_000, 86_400_000
ZONES = ("UTC", "Pacific/Kiritimati", "America/Los_Angeles")
ACTOR = Actor("operator")
OUT_OF_REACH = 10**6  # of steps

ADDRESSES = st.sampled_from([f"{name}@example.com" for name in "abc"])
EVENTS = st.sampled_from(["subscribe", "unsubscribe"])
AGES = st.sampled_from([-2 * DAY, -1, 0, 1, HOUR, DAY, 3 * DAY, 1_000 * DAY])
DATES = st.none() | st.tuples(st.booleans(), AGES)  # whether the time is left out, and how long ago
NAMES, PLANS, TAGS = (
    st.sampled_from(["", "A", "B"]),
    st.sampled_from(["", "pro", "free"]),
    st.sampled_from("xyz"),
)
ROWS = st.fixed_dictionaries(
    {"email": ADDRESSES},
    optional={"first_name": NAMES, "plan": PLANS, "tags": TAGS, "remove_tags": TAGS, "command": EVENTS},
)
ANSWER = {"consent_column": "status", "subscribed": ["subscribed", ""],
          "unsubscribed": "unsubscribed", "unconfirmed": "unconfirmed"}  # fmt: skip
STATUSES = ("", "", "subscribed", "unsubscribed")


def file_steps(
    rows: st.SearchStrategy[Any], *known: str, statuses: Sequence[str] = (*STATUSES, "unconfirmed")
) -> st.SearchStrategy[Any]:
    query = st.fixed_dictionaries({"known": st.sampled_from(known)}, optional={"tag": TAGS})
    written = st.lists(st.tuples(rows, st.sampled_from(statuses), DATES), min_size=1, max_size=4)
    return st.tuples(st.just("file"), written, query)


def clock_steps(*more: int) -> st.SearchStrategy[Any]:
    return st.tuples(st.just("clock"), st.sampled_from([-SECOND, 1, HOUR, DAY, *more]))


def often(*steps: st.SearchStrategy[Any], times: int = 3) -> list[st.SearchStrategy[Any]]:
    """Repeats each strategy in a list, since `one_of` counts the same strategy only once."""
    return [step.map(tuple) for step in steps for _ in range(times)]


def accepted_steps(rows: st.SearchStrategy[Any]) -> tuple[st.SearchStrategy[Any], ...]:
    return (
        st.tuples(st.just("create"), rows),
        st.tuples(st.just("command"), ADDRESSES, EVENTS),
        st.tuples(st.just("event"), ADDRESSES, EVENTS, DATES),
        st.tuples(st.just("batch"), st.lists(rows, min_size=1, max_size=4)),
    )


WORK = st.tuples(st.just("work"), st.integers(0, 3), st.integers(0, 2))
BULK_ACTIONS = st.tuples(
    st.just("act"), st.sampled_from([UNSUBSCRIBE, UNSUBSCRIBE, TAG, UNTAG]),
    st.lists(ADDRESSES, min_size=1, max_size=3, unique=True), TAGS,
)  # fmt: skip
UNDOS = (st.tuples(st.just("undo"), st.integers(0, 3)), st.tuples(st.just("undo_act"), st.integers(0, 3)))
STEPS = st.one_of(
    clock_steps(-HOUR, -DAY), *often(*accepted_steps(ROWS), file_steps(ROWS, "merge"), WORK, times=2),
    file_steps(ROWS, "fill", "skip"),
    st.tuples(st.just("set_value"), ADDRESSES, PLANS),
    st.tuples(st.just("erase"), ADDRESSES),
    st.tuples(st.just("change_email"), ADDRESSES, ADDRESSES),
    BULK_ACTIONS,
    st.tuples(st.just("delete_tag"), TAGS),
    st.tuples(st.just("lose"), st.sampled_from(["request", "answer"])),
    *UNDOS,
    st.tuples(st.just("drain")),
)  # fmt: skip


class LostError(Exception):
    """A request or its answer is lost: the sender does not know which."""


class JudgedClient(ApiClient):
    """A client that tells the judge of each request that was accepted, or may have been."""

    judge: Judge
    loses = ""  # of the next request that writes: "request", "answer" or nothing

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> TestResponse:
        now = clock.now_ms()
        request = self.judge.send(now, now, now)
        lost, self.loses = (self.loses, "") if method != "GET" else ("", self.loses)
        answer = None if lost == "request" else super().call(method, path, body, **options)
        known = None if lost else answer
        if known is None or known.status_code in (200, 201):
            sent, query = options.get("data") if body is None else body, options.get("query", {})
            witness.observe(self.judge, request, method, path, query, sent, known and known.json)
        if known is None:
            raise LostError
        return known


def open_judged(http: FlaskClient, zone: str = "UTC") -> JudgedClient:
    site = sites.create("Example", zone)
    client = JudgedClient(http, site, keys.create([site], "full"))
    client.judge = Judge(zone)
    return client


def histories(most: int) -> Any:
    """Settings of random histories, without hypothesis's explanation of a failure, which takes minutes."""
    return hypothesis.settings(
        max_examples=examples(most),
        phases=[phase for phase in hypothesis.Phase if phase is not hypothesis.Phase.explain],
        suppress_health_check=[*hypothesis.HealthCheck],
    )


class StoppedError(BaseException):
    """A worker is killed between two transactions."""


class Steps(Pace):
    """Allows a worker `left` transactions, of `rows` rows each, and then stops it."""

    left = OUT_OF_REACH

    @contextlib.contextmanager
    def write(self, site_id: int | None = None) -> Iterator[Chunk]:
        if not self.left:
            raise StoppedError
        self.left -= 1
        with database.write(site_id):
            yield Chunk()


class Doors:
    """A site whose interfaces are used, with a judge that is told of it. Methods are steps of a history."""

    def __init__(
        self, http: FlaskClient, patch: pytest.MonkeyPatch, instance: Path, zone: str = "UTC"
    ) -> None:
        self.now, self.uptime, self.instance = FIRST, DAY, instance
        self.steps = Steps(1, 1, 1)
        patch.setattr(clock, "now_ms", lambda: self.now)
        patch.setattr(leases, "now", lambda _: self.uptime)
        patch.setattr(imports, "WAIT_SECONDS", 0)
        patch.setattr(imports, "_pace", self.steps)
        patch.setattr(undo_work, "_pace", self.steps)
        patch.setattr(bulk_actions, "CHUNK_ROWS", 1)
        self.client = open_judged(http, zone)
        self.imports: list[str] = []
        self.acts: list[int] = []

    @property
    def judge(self) -> Judge:
        return self.client.judge

    def live(self, steps: list[Any], drains: bool = True) -> None:
        for name, *values in steps:
            self.now += SECOND
            with contextlib.suppress(LostError):
                getattr(self, name)(*values)
        if drains:
            self.drain()

    def clock(self, by: int) -> None:
        """Moves the clock. After a second back, the next step has the same instant as the last."""
        self.now += by - SECOND if by == -SECOND else by

    def date(self, when: tuple[bool, int]) -> str:
        is_day, age = when
        at = datetime.fromtimestamp((self.now - age) / 1000, UTC)
        return f"{at:%Y-%m-%d}" if is_day else str(write_date(self.now - age))

    def lose(self, what: str) -> None:
        """Loses the next request that writes, or its answer."""
        self.client.loses = what

    def create(self, row: dict[str, Any]) -> None:
        item = {name: value for name, value in row.items() if name != "command"}
        self.client.post("/fetch/subscribers", {"subscriber": item})

    def command(self, email: str, kind: str) -> None:
        self.client.post("/fetch/commands", {"command": {"command": kind, "email": email}})

    def set_value(self, email: str, plan: str) -> None:
        name, query = ("add_field", {"key": "plan", "value": plan}) if plan else ("remove_field", "plan")
        self.client.post("/fetch/commands", {"command": {"command": name, "email": email, "query": query}})

    def event(self, email: str, kind: str, when: tuple[bool, int] | None) -> None:
        dated = {} if when is None else {"date": self.date(when)}
        self.client.post("/batch/events", {"events": [{"email": email, "type": f"${kind}", **dated}]})

    def batch(self, rows: list[dict[str, Any]]) -> None:
        answer = self.client.post("/batch/subscribers", {"subscribers": rows})
        self.imports.append(answer.json["import_id"])  # type: ignore[index]

    def file(self, rows: list[tuple[dict[str, Any], str, Any]], query: dict[str, str]) -> None:
        columns = (
            "email",
            "first_name",
            "plan",
            "tags",
            "remove_tags",
            "command",
            "status",
            "unsubscribed_at",
        )
        lines = [
            ",".join(
                (row | {"status": status, "unsubscribed_at": when and self.date(when)}).get(name) or ""
                for name in columns
            )
            for row, status, when in rows
        ]
        text = "\n".join([",".join(columns), *lines]) + "\n"
        answer = self.client.call(
            "POST",
            "/batch/imports",
            headers={"Content-Type": "text/csv"},
            data=text.encode(),
            query=ANSWER | query,
        )
        assert answer.status_code == 200, answer.text
        self.imports.append(answer.json["data"]["id"])  # type: ignore[index]

    def erase(self, email: str) -> None:
        self.client.delete("/fetch/subscribers", query={"email": email})

    def change_email(self, email: str, new: str) -> None:
        self.client.post(
            "/fetch/commands", {"command": {"command": "change_email", "email": email, "query": new}}
        )

    def act(self, kind: str, emails: list[str], tag: str) -> None:
        """Begins a bulk action, which then waits."""
        found = {email: each["id"] for email in emails if (each := self.client.find(email))}
        if not found:
            return
        ids = [int(each) for each in found.values()]
        request = self.judge.send(self.now, self.now, self.now)
        new = NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag=tag)
        act = bulk_actions.begin(self.client.site, new, ACTOR)
        self.judge.answer(request, f"act {act.id}", f"act {act.id}")
        self.acts.append(act.id)
        for email in found:
            if kind != UNTAG:
                self.judge.mention(request, email)
            if kind == UNSUBSCRIBE:
                self.judge.consent(request, email, accepted.UNSUBSCRIBE)
            else:
                self.judge.write(request, email, {("tag", tag): True if kind == TAG else accepted.ABSENT})

    def delete_tag(self, name: str) -> None:
        answer: Any = self.client.get("/fetch/tags").json
        for tag in answer["data"]:
            if tag["attributes"]["name"] == name:
                self.client.delete(f"/fetch/tags/{tag['id']}")

    def undo(self, place: int) -> None:
        """Undoes the import that is `place` imports before the newest."""
        if place < len(self.imports):
            self.client.post(f"/batch/imports/{self.imports[-1 - place]}/undo")

    def undo_act(self, place: int) -> None:
        if place >= len(self.acts):
            return
        act = self.acts[-1 - place]
        if undos.may_be_undone(bulk_actions.get(self.client.site, act)):
            request = self.judge.send(self.now, self.now, self.now)
            undos.undo_bulk_action(self.client.site, act, 30, ACTOR)
            self.judge.answer(request, witness.SITE_QUEUE, f"undo of act {act}")
            self.judge.undo(request, f"act {act}")

    def work(self, transactions: int, pieces: int) -> None:
        """Lets the worker do so many transactions and is then killed; then does so many steps of bulk
        actions.
        """
        self.steps.left = transactions
        with contextlib.suppress(StoppedError):
            site_lane.drain(self.client.site.id, 60)
        self.steps.left = OUT_OF_REACH
        self.uptime += DAY
        acts = [bulk_chunks.kind(self.instance)]
        for _ in range(pieces):
            if job := jobs.claim(acts, self.client.site.id):
                jobs.step(acts, job, 0)

    def drain(self) -> None:
        site_lane.drain(self.client.site.id, 60)
        run_bulk_actions(self.instance)
        self.judge.empty()

    def subscribed(self) -> dict[str, bool]:
        return {row["email"]: row["unsubscribed_at"] is None for row in exported(self.client)}

    def found(self) -> Found:
        self.client.loses = ""
        return found(self.client, self.imports)


def found(client: ApiClient, imports: Sequence[str] = ()) -> Found:
    """What a site says of its subscribers, of the number with each tag, and of these imports."""
    tags: Any = client.get("/fetch/tags").json
    names = [each["attributes"]["name"] for each in tags["data"]]
    states: dict[str, Any] = {each: client.get(f"/batch/imports/{each}").json for each in imports}
    return witness.found_of(
        exported(client),
        client.get("/stats/site").json,
        tags={name.casefold(): count(client, name) for name in names},
        imports={each: applied(state["data"]["attributes"]) for each, state in states.items()},
    )


def exported(client: ApiClient) -> list[dict[str, Any]]:
    rows = client.get("/fetch/export", query={"format": "jsonl"}).data.splitlines()
    return [json.loads(row) for row in rows]


def count(client: ApiClient, tag: str) -> int:
    body = {"segment": {"name": "x", "rules": {"tag": tag}}}
    answer: Any = client.post("/fetch/segments/preview", body).json
    return int(answer["user_count"])


def applied(state: dict[str, Any]) -> int:
    return sum(state[name] for name in ("created", "updated", "unchanged", "suppressed"))
