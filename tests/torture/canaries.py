"""Markers in every value, header and key, of good, broken and unauthorized requests.

They are in no log line, metric, Redis file or error; and those of a person are in no file at all once the
person is erased: on PostgreSQL, in none of its tables and indexes once they are rewritten, nor in its log.
Nor is the id of an erased person in a set of who has a value, or in a change of one.
"""

import json
import re
import urllib.request
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from storage import database
from storage.subscribers import field_values, value_changes
from tests.api.endpoints import ENDPOINTS
from tests.audience.privacy.test_redaction import ATS, TWICE
from tests.client import basic
from tests.stories.test_observed import CANARY, DATABASE, raw, send_hostile_requests, send_ordinary_requests
from tests.torture import stores
from tests.torture.console import Operator, workbook
from tests.torture.leases import opened_database
from tests.torture.world import World, eventually, opened_world

SHORT = LONG = 1
UNIT = "rounds"
PEOPLE = 20
ENTRIES = "SELECT entries FROM change_log"
PERSON = "personmark"  # in every value of those who are erased
HEADERS = {"User-Agent": CANARY, "Referer": CANARY, "X-Request-Id": CANARY, f"X-{CANARY}": CANARY}


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_world() as world:
        operator = Operator(world)

        def attack(number: int, chance: Random) -> None:
            answers = refused(world)
            send_ordinary_requests(world.service)
            send_hostile_requests(world.service)
            people = bring_in(world)
            send_refused(world, people)
            metrics = raw_text(world, "/metrics")
            found = {name for name in holders(world, CANARY, PERSON) if not DATABASE.fullmatch(name)}
            found |= {each for each in answers if CANARY in each.lower()}
            assert not found, found
            assert CANARY not in metrics, "the metrics"
            pages = send_files(operator, people)
            for email in people:
                assert world.call("DELETE", f"/fetch/subscribers?email={quote(email)}") == (
                    200,
                    {"data": None},
                )
            assert not ids_of_nobody(world), ids_of_nobody(world)
            eventually(lambda: not any(PERSON in operator.get(page) for page in pages))
            eventually(lambda: not holders(world, PERSON))
            eventually(lambda: PERSON.encode() not in record(world))
            files = stores.rewritten_files(world.url)
            left = {str(file) for file in files if PERSON.encode() in read(file).lower()}
            assert not left, left

        yield attack


def refused(world: World) -> list[str]:
    """The errors of every operation with the marker in place of every text."""
    errors = []
    for endpoint in ENDPOINTS:
        path = re.sub(r"/1$", f"/{CANARY}", endpoint.path)
        query = "&".join(f"{name}={CANARY}" for name in (endpoint.query or {"page": ""}))
        body = json.dumps(marked(endpoint.body)) if endpoint.body else None
        for headers in (owner(world), {"Authorization": basic(CANARY, CANARY)}):
            raw(world.service, endpoint.method, f"/api/v1{path}?{query}", body, headers | HEADERS)
            errors.append(
                error_of(world, endpoint.method, f"{path}?{query}", endpoint.body and marked(endpoint.body))
            )
    return errors


def owner(world: World) -> dict[str, str]:
    first = world.service.first
    return {"Authorization": basic(first["publishable_key"], first["secret_key"])}


def error_of(world: World, method: str, path: str, body: Any) -> str:
    """The sentences of an error, without the keys that may say what was found (docs/contract.md, Errors)."""
    status, answer = world.call(method, path, body)
    return json.dumps([answer["error"], answer.get("errors")]) if status >= 400 else ""


def marked(value: Any) -> Any:
    """A value with the marker in place of every text."""
    if isinstance(value, dict):
        return {name: marked(each) for name, each in value.items()}
    return [marked(each) for each in value] if isinstance(value, list) else CANARY


def bring_in(world: World) -> list[str]:
    """Adds subscribers with the mark in every value, by every way there is. Returns their addresses."""
    people = [f"{PERSON}{each}@{PERSON}.example" for each in range(PEOPLE)]
    items = [
        {"email": email, "first_name": PERSON, "last_name": PERSON, "fields": {"plan": [PERSON]}}
        for email in people
    ]
    assert world.call("POST", "/batch/subscribers", {"subscribers": items})[0] == 200
    eventually(world.is_drained)
    for email in people:
        event = {"email": email, "type": "seen", "details": {"page": PERSON}, "fields": {"city": PERSON}}
        assert world.call("POST", "/batch/events", {"events": [event]})[0] == 200
        world.call("POST", "/fetch/subscribers", {"subscriber": {"email": email, "last_name": f"{PERSON}2"}})
    moved = {"command": "change_email", "email": people[0], "query": f"moved.{people[0]}"}
    assert world.call("POST", "/fetch/commands", {"command": moved})[1]["failed"] == 0
    return [f"moved.{people[0]}", *people[1:]]


def send_refused(world: World, people: list[str]) -> None:
    """Sends a file by the API. Its rows, all refused, are of these people or name them in encodings."""
    rows = [f"{email},{PERSON},,too,much\n" for email in people]
    for number, code in enumerate((*ATS, *TWICE)):
        encoded = people[number % len(people)].replace("@", code)
        rows += [
            f"other{number}@else.example,Other,see {encoded}; or not,too,much\n",
            f"{encoded},{PERSON},,too,much\n",
        ]
    headers = owner(world) | {"Content-Type": "text/csv"}
    text = "email,first_name,note,plan\n" + "".join(rows)
    raw(world.service, "POST", "/api/v1/batch/imports?consent=subscribed", text.encode(), headers)
    newest = world.call("GET", "/batch/imports")[1]["data"][0]["attributes"]
    assert newest["failed"] == len(rows), newest


def send_files(operator: Operator, people: list[str]) -> list[str]:
    """Sends files with the mark in every value, which wait to be imported. Returns their pages."""
    rows = [["email", "first_name", "note"], *([email, PERSON, PERSON] for email in people)]
    lines = "".join(f"{','.join(row)}\n" for row in rows).encode()
    pages = [operator.send_file("people.csv", lines), operator.send_file("people.xlsx", workbook(rows))]
    for page in pages:
        operator.look(page, consent="subscribed")
    eventually(lambda: all(f"<b>{len(people)}</b> change" in operator.get(page) for page in pages))
    return pages


def raw_text(world: World, path: str) -> str:
    with urllib.request.urlopen(f"http://127.0.0.1:{world.service.port}{path}", timeout=30) as answer:
        text: str = answer.read().decode()
    return text


def holders(world: World, *marks: str) -> set[str]:
    """The paths of the files in the instance's folder that have a mark, and `log` if the log has one."""
    files = [file for file in world.instance.rglob("*") if file.is_file() and not file.name.startswith("geo")]
    found = set()
    for file in (*files, world.instance.parent / "log"):
        if any(mark.encode() in read(file).lower() for mark in marks):
            found.add(file.name if file.name == "log" else str(file.relative_to(world.instance)))
    return found


def record(world: World) -> bytes:
    """All entries of the record of changes, unpacked."""
    with opened_database(world), database.session():
        return b"".join(zlib.decompress(packed) for (packed,) in database.rows(ENTRIES)).lower()


def ids_of_nobody(world: World) -> set[int]:
    """The ids, in sets of who has a value and in changes of these, that no subscriber has."""
    ids: set[int] = set()
    with opened_database(world), database.snapshot():
        for site_id in database.column("SELECT id FROM sites"):
            ids.update(*(members for _, members in field_values.all_sets(site_id)))
            for change in value_changes.of_site(site_id):
                ids.update(*(lists.ids for lists in change[1:]))
        return ids.difference(database.column("SELECT id FROM subscribers"))


def read(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return b""
