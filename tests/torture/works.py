"""Long work that is under way when something happens: an undo, a bulk action, and a file of the console.

Each is done whole afterwards: `World.check` then finds nobody whom the undo took back, everybody of the file,
and nobody subscribed whom the action unsubscribed. A file that was being sent meanwhile is sent again.
"""

import contextlib
import threading
from collections.abc import Iterator
from functools import partial

from audience.bulk import actions as bulk_actions
from audience.bulk.actions import UNSUBSCRIBE, NewAction
from storage import database
from tests.torture import leases
from tests.torture.console import Operator
from tests.torture.doors import UNANSWERED
from tests.torture.world import World, eventually

PEOPLE = 1_500
EVERY = 6  # attacks
TRIED, IMPORTED = f"Import {PEOPLE:,} rows", "Undo, until"


def at_times(world: World, number: int) -> contextlib.AbstractContextManager[None]:
    """`under_way` in some attacks of a row, chosen by their number; otherwise nothing."""
    return under_way(world, f"w{number}") if number % EVERY == 1 else contextlib.nullcontext()


@contextlib.contextmanager
def under_way(world: World, name: str) -> Iterator[None]:
    """Has an undo, a bulk action and a file under way during the block, each with people of its own."""
    operator = Operator(world)
    wrong, acted = (_import(world, f"{name}-{part}") for part in ("wrong", "acted"))
    for import_id in (wrong, acted):
        eventually(partial(_is_finished, world, f"/batch/imports/{import_id}"))
    page = operator.send_file(f"{name}.csv", _csv(f"{name}-file"))
    operator.look(page, consent="subscribed")
    eventually(lambda: TRIED in operator.get(page))
    _unsubscribe(world, _people(f"{name}-acted"))
    assert world.call("POST", f"/batch/imports/{wrong}/undo")[0] == 200
    operator.look(page, consent="subscribed", start="1")
    for part, left in (("acted", True), ("file", False)):
        world.ledger.left.update(dict.fromkeys(_people(f"{name}-{part}"), left))
    sent = threading.Thread(target=_send_in_vain, args=(operator, _csv(f"{name}-again")))
    sent.start()
    yield
    sent.join()
    leases.end_of_file(world)
    eventually(partial(_is_finished, world, f"/batch/imports/{wrong}/undo"))
    operator = Operator(world)  # the service may be at another port now
    eventually(lambda: IMPORTED in operator.get(page))
    again = operator.send_file("again.csv", _csv(f"{name}-again"))
    operator.look(again, consent="subscribed")
    eventually(lambda: TRIED in operator.get(again))
    eventually(world.stored.is_at_rest)


def _people(name: str) -> list[str]:
    return [f"{name}-{each}@example.com" for each in range(PEOPLE)]


def _csv(name: str) -> bytes:
    return "\n".join(["email", *_people(name), ""]).encode()


def _import(world: World, name: str) -> str:
    status, answer = world.call("POST", "/batch/imports?consent=subscribed", _csv(name))
    assert status == 200, answer
    return str(answer["data"]["id"])


def _is_finished(world: World, path: str) -> bool:
    status, answer = world.call("GET", path)
    return status == 200 and answer["data"]["attributes"]["status"] == "finished"


def _unsubscribe(world: World, people: list[str]) -> None:
    """Begins a bulk action that unsubscribes these people, as the console does."""
    with world.stored.opened(), database.session():
        keys = database.rows("SELECT id, email FROM subscribers")
        ids = [id_ for id_, email in keys if email in people]
    new = NewAction(kind=UNSUBSCRIBE, ids=ids, seen=bulk_actions.fingerprint(ids))
    assert world.stored.begin(new)


def _send_in_vain(operator: Operator, content: bytes) -> None:
    """Sends a file. It may go unanswered, since it is sent again later."""
    with contextlib.suppress(*UNANSWERED):
        operator.send_file("vain.csv", content)
