"""A client of a running service that uses every interface, about people of its own. Only the judge is told of
it.
"""

import contextlib
import http.client
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random
from typing import Any
from urllib.parse import urlencode

from audience.access.audit_log import Actor
from audience.access.sites import Site
from audience.bulk import actions as bulk_actions
from audience.bulk.actions import TAG, UNSUBSCRIBE, NewAction
from audience.config import Settings
from audience.jobs import MACHINE_FAULTS
from audience.operations.opening import open_database
from storage import database
from storage.access import sites
from tests.stories import accepted, witness
from tests.stories.accepted import Request
from tests.stories.doors import ANSWER
from tests.stories.invariant import Judge

UNANSWERED = (OSError, http.client.HTTPException, ValueError)
EARLIEST, LATEST = (
    1_609_459_200_000,
    4_102_444_800_000,
)  # of any acceptance: 2021, 2100, wherever the clock is set
DATES = ("2015-03-01", "2015-03-01T10:00:00Z", "2015-03-02", "2019-07-01T00:00:00Z")
KNOWN = ("merge", "merge", "fill", "skip")
EXPECTED = frozenset({0, 200, 201, 422, 503})
ACTOR = Actor("operator")
MOST_PEOPLE = 4
OPEN = threading.Lock()

Call = Callable[[str, str, Any], tuple[int, Any]]  # method, path, JSON or a file: status, JSON


@dataclass(frozen=True)
class Stored:
    """A site of a running service, whose database this process opens, too."""

    settings: Settings
    place: int = 0  # of the site among all

    @contextlib.contextmanager
    def opened(self) -> Iterator[None]:
        """Opens the database during the block, for one thread after another."""
        with OPEN:
            open_database(self.settings)
            try:
                yield
            finally:
                database.close()

    def begin(self, new: NewAction) -> int | None:
        """Begins a bulk action. Returns its id; None if the machine is at fault."""
        with contextlib.suppress(*MACHINE_FAULTS), self.opened():
            return bulk_actions.begin(self._site(), new, ACTOR).id
        return None

    def is_at_rest(self) -> bool:
        """Whether no bulk action waits."""
        with contextlib.suppress(*MACHINE_FAULTS), self.opened():
            return not any(act.is_open for act in bulk_actions.newest(self._site()))
        return False

    def _site(self) -> Site:
        with database.session():
            site: Site = sites.list_all()[self.place]
        return site


def judged(judge: Judge, call: Call, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """Calls `call`, and tells the judge. The status is 0 if no answer came."""
    request = judge.send(EARLIEST, LATEST)
    try:
        status, answer = call(method, path, body)
    except UNANSWERED:
        status, answer = 0, None
    tell(judge, request, (method, path, body), status, answer)
    return status, answer


def tell(judge: Judge, request: Request, sent: tuple[str, str, Any], status: int, answer: Any) -> None:
    """Tells the judge of a request. Without an answer, or with a 503, it may have been accepted."""
    method, path, body = sent
    if status in (200, 201):
        witness.observe(judge, request, method, path, {}, body, answer)
    elif status in (0, 503):
        witness.observe(judge, request, method, path, {}, body, None)


class DoorClient:
    """Sends one request after another, as the other clients do."""

    def __init__(self, judge: Judge, call: Call, stored: Stored, name: str, chance: Random) -> None:
        self._judge, self._stored, self._name, self._chance = judge, stored, name, chance
        self._ask = partial(judged, judge, call)
        self._people: list[str] = []
        self._imports: list[str] = []

    def step(self) -> None:
        doors = (self.create, self.command, self.event, self.event, self.batch, self.file, self.file,
                 self.erase, self.move, self.delete_tag, self.undo, self.bulk_action)  # fmt: skip
        self._chance.choice(doors)()

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        """The answer to a request that was accepted, otherwise None."""
        status, answer = self._ask(method, path, body)
        assert status in EXPECTED, (status, method, path, answer)
        return answer if status in (200, 201) else None

    def _person(self) -> str:
        if len(self._people) < MOST_PEOPLE:
            self._people.append(f"{self._name}-{len(self._people)}@example.com")
        return self._chance.choice(self._people)

    def _row(self) -> dict[str, Any]:
        chance = self._chance
        row = {"email": self._person(), "plan": chance.choice(["pro", "free"])}
        more = {"tags": self._name, "first_name": "A", "command": chance.choice(["subscribe", "unsubscribe"])}
        return row | dict(chance.sample([*more.items()], chance.randint(0, 2)))

    def create(self) -> None:
        row = {name: value for name, value in self._row().items() if name != "command"}
        self._send("POST", "/fetch/subscribers", {"subscriber": row})

    def command(self) -> None:
        command = {"command": self._chance.choice(["subscribe", "unsubscribe"]), "email": self._person()}
        self._send("POST", "/fetch/commands", {"command": command})

    def event(self) -> None:
        """Records an event: undated, dated, or with a date without a time."""
        kind, date = self._chance.choice([*witness.EVENTS]), self._chance.choice([None, *DATES])
        event = {"email": self._person(), "type": kind} | ({"date": date} if date else {})
        self._send("POST", "/batch/events", {"events": [event]})

    def batch(self) -> None:
        rows = [self._row() for _ in range(self._chance.randint(1, 5))]
        self._note(self._send("POST", "/batch/subscribers", {"subscribers": rows}), "import_id")

    def file(self) -> None:
        columns = ("email", "plan", "tags", "first_name", "command", "status", "unsubscribed_at")
        lines = [",".join(columns)]
        for _ in range(self._chance.randint(1, 5)):
            status, date = (
                self._chance.choice(["", "unsubscribed", "unconfirmed"]),
                self._chance.choice(["", *DATES]),
            )
            row = self._row() | {"status": status, "unsubscribed_at": date}
            lines.append(",".join(row.get(name, "") for name in columns))
        path = f"/batch/imports?known={self._chance.choice(KNOWN)}&{urlencode(ANSWER, doseq=True)}"
        answer = self._send("POST", path, ("\n".join(lines) + "\n").encode())
        self._note(answer and answer["data"], "id")

    def _note(self, answer: Any, name: str) -> None:
        if answer:
            self._imports.append(answer[name])

    def erase(self) -> None:
        if self._chance.random() < 0.3:
            self._send("DELETE", f"/fetch/subscribers?email={self._person()}")

    def move(self) -> None:
        command = {"command": "change_email", "email": self._person(), "query": self._person()}
        self._send("POST", "/fetch/commands", {"command": command})

    def delete_tag(self) -> None:
        listed = self._send("GET", "/fetch/tags")
        for tag in listed["data"] if listed else ():
            if tag["attributes"]["name"] == self._name:
                self._send("DELETE", f"/fetch/tags/{tag['id']}")

    def undo(self) -> None:
        if self._imports and self._chance.random() < 0.5:
            self._send("POST", f"/batch/imports/{self._chance.choice(self._imports)}/undo")

    def bulk_action(self) -> None:
        """Begins a bulk action as the console does, and leaves it to the worker."""
        people = {self._person() for _ in range(3)}
        found = {
            email: each["data"]
            for email in people
            if (each := self._send("GET", f"/fetch/subscribers?email={email}"))
        }
        ids = [int(data["id"]) for data in found.values() if data]
        if not ids:
            return
        kind = self._chance.choice([UNSUBSCRIBE, TAG])
        request = self._judge.send(EARLIEST, LATEST)
        act = self._stored.begin(
            NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag=self._name)
        )
        source = f"act {act}"
        self._judge.answer(request, source, source, certain=act is not None)
        for email in [email for email, data in found.items() if data]:
            self._judge.mention(request, email)
            if kind == UNSUBSCRIBE:
                self._judge.consent(request, email, accepted.UNSUBSCRIBE)
            else:
                self._judge.write(request, email, {("tag", self._name): True})
