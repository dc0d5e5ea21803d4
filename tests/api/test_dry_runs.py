"""What a dry run says of a file is what its import does, also where rows of one person are far apart."""

import pytest

from audience.bulk import tag_deletions
from audience.imports import dry_runs
from tests import response_assertions
from tests.api.sent_files import import_file, send

ANN, LEFT, MOVED, GONE = "ann@example.com", "left@example.com", "moved@example.com", "gone@example.com"
COUNTS = ("created", "updated", "unchanged", "failed", "suppressed", "unsubscribed", "stay_unsubscribed")


def command(client, name, email, **more):
    client.post("/fetch/commands", {"command": {"command": name, "email": email, **more}})


@pytest.fixture
def people(client):
    client.create(ANN, tags="old", fields={"plan": "basic", "town": ""})
    for email in (LEFT, MOVED):
        client.create(email)
        command(client, "unsubscribe", email)
    command(client, "change_email", MOVED, query="new@example.com")
    client.create(GONE)
    client.delete("/fetch/subscribers", query={"email": GONE})


def judged(client, text, **query):
    dry = response_assertions.answer(send(client, text, query=query | {"dry_run": "1"}))["dry_run"]
    return {name: dry[name] for name in COUNTS}


def test_who_has_left_is_counted(client, people):
    text = (
        f"email,plan,status\n{ANN},,unsubscribed\nnew1@example.com,,bounced\nnew2@example.com,,active\n"
        f"{LEFT},pro,active\n{MOVED},,active\n{GONE},,active\nnobody,,active\n{ANN},,active\n"
    )
    query = {"consent_column": "status", "subscribed": "active", "unsubscribed": ["unsubscribed", "bounced"]}
    counts = judged(client, text, **query)
    assert (counts["unsubscribed"], counts["stay_unsubscribed"]) == (3, 3)
    done = import_file(client, text, query=query)
    assert {name: done[name] for name in COUNTS} == counts


STATUS = {"consent_column": "status", "unsubscribed": "out", "unconfirmed": "pending", "subscribed": ""}
FAR_APART = {
    "the same twice": ("plan", [f"{ANN},pro", f"{ANN},pro"], {}),
    "another value": ("plan", ["new1@example.com,a", "new1@example.com,b"], {}),
    "back again": ("plan", [f"{ANN},pro", f"{ANN},basic", f"{ANN},basic"], {}),
    "one fills the blank": ("town,last_name", [f"{ANN},Oslo,Lee", f"{ANN},Rome,Ray"], {"known": "fill"}),
    "one brings, the other skips": ("town", ["new1@example.com,a", "new1@example.com,b"], {"known": "skip"}),
    "one takes what one gave": ("tags,remove_tags", [f"{ANN},new,old", f"{ANN},new,", f"{ANN},,new"], {}),
    "one leaves": ("status", [f"{ANN},out", f"{ANN},", f"{ANN},out"], STATUS),
    "one left before": ("plan", [f"{LEFT},a", f"{LEFT},a"], {}),
    "one comes back": ("command", [f"{LEFT},subscribe", f"{LEFT},", f"{LEFT},unsubscribe"], {}),
    "an erased one comes back": ("command", [f"{GONE},", f"{GONE},subscribe", f"{GONE},"], {}),
    "who moved came in as left": ("command", [f"{MOVED},", f"{MOVED},subscribe"], {}),
    "a date of leaving": ("unsubscribed_at", [f"{ANN},2039-01-01", f"{ANN},2020-01-01"], {}),
    "one to confirm": ("status", ["new1@example.com,pending", "new1@example.com,"], STATUS),
}  # fmt: skip


@pytest.mark.parametrize(("columns", "rows", "query"), FAR_APART.values(), ids=FAR_APART)
def test_rows_of_one_person_far_apart_count_as_they_will(client, people, monkeypatch, columns, rows, query):
    monkeypatch.setattr(dry_runs, "BATCH_ROWS", 2)
    others = (f"other{number}@example.com" + "," * len(columns.split(",")) for number in range(99))
    lines = [line for row in rows for line in (row, *(next(others) for _ in range(3)))]
    text = "\n".join([f"email,{columns}", *lines])
    counts = judged(client, text, **query)
    done = import_file(client, text, query=query)
    assert {name: done[name] for name in COUNTS} == counts


def test_a_tag_that_is_being_taken_off_is_no_hindrance(client, people, monkeypatch):
    monkeypatch.setattr(dry_runs, "BATCH_ROWS", 1)
    monkeypatch.setattr(tag_deletions, "_strip", lambda *_: None)
    client.delete("/fetch/tags/1")
    text = f"email,tags\n{ANN},new\n{ANN},new\n"
    dry = response_assertions.answer(send(client, text, query={"dry_run": "1"}))["dry_run"]
    assert (dry["updated"], dry["unchanged"]) == (1, 1)
    assert [row["tags"] for row in dry["rows"]] == [["new"], ["new"]]
