"""What a file may change of existing subscribers (docs/files.md): everything, what is blank, or nothing."""

import json

import pytest

from tests import response_assertions
from tests.api.sent_files import LINES, import_file, send

ANN, BOB = "ann@example.com", "bob@example.com"
FILE = f"email,first_name,last_name,plan,town,tags,remove_tags\n{ANN},Anna,Lee,pro,Oslo,new,old\n"
FILE += f"{BOB},Bob,,free,,new,\n"


@pytest.fixture
def ann(client):
    client.create(ANN, first_name="Ann", tags="old", fields={"plan": "basic", "town": ""})


def found(client, email=ANN):
    return client.get("/fetch/subscribers", query={"email": email}).json["data"]["attributes"]


def tags(client, email=ANN):
    names = {tag["id"]: tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    return [names[each] for each in found(client, email)["cached_tag_ids"]]


@pytest.mark.parametrize(("known", "fields", "tagged", "counts"), [
    ("merge", {"first_name": "Anna", "last_name": "Lee", "plan": "pro", "town": "Oslo"}, ["new"], (1, 1, 0)),
    ("fill", {"first_name": "Ann", "last_name": "Lee", "plan": "basic", "town": "Oslo"}, ["old", "new"],
     (1, 1, 0)),
    ("skip", {"first_name": "Ann", "plan": "basic", "town": ""}, ["old"], (1, 0, 1)),
])  # fmt: skip
def test_somebody_known_takes_all_or_what_was_blank_or_nothing(client, ann, known, fields, tagged, counts):
    dry = response_assertions.answer(send(client, FILE, query={"known": known, "dry_run": "1"}))["dry_run"]
    assert (dry["created"], dry["updated"], dry["unchanged"]) == counts
    assert found(client)["fields"] == {"first_name": "Ann", "plan": "basic", "town": ""}
    done = import_file(client, FILE, query={"known": known})
    assert (done["created"], done["updated"], done["unchanged"]) == counts
    assert found(client)["fields"] == fields
    assert tags(client) == tagged
    assert found(client, BOB)["fields"] == {"first_name": "Bob", "plan": "free"}
    assert tags(client, BOB) == ["new"]


@pytest.mark.parametrize("known", ["merge", "fill", "skip"])
def test_who_left_in_the_file_leaves(client, ann, known):
    query = {"known": known, "consent": "unsubscribed"}
    import_file(client, f"email,plan\n{ANN},x\n", query=query)
    assert found(client)["unsubscribed_at"]
    client.create(BOB)
    import_file(client, f"email,unsubscribed_at\n{BOB},2039-01-01\n", query={"known": known})
    assert found(client, BOB)["unsubscribed_at"]


@pytest.mark.parametrize(("known", "subscribed"), [("merge", True), ("fill", False), ("skip", False)])
def test_nobody_known_is_subscribed_again(client, ann, known, subscribed):
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": ANN}})
    client.create(BOB, command="unsubscribe")
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": BOB}})
    move = {"command": "change_email", "email": BOB, "query": "moved@example.com"}
    client.post("/fetch/commands", {"command": move})
    client.create("gone@example.com")
    client.delete("/fetch/subscribers", query={"email": "gone@example.com"})
    rows = [
        {"email": email, "command": "subscribe"}
        for email in (ANN, BOB, "gone@example.com", "new@example.com")
    ]
    done = import_file(client, "\n".join(map(json.dumps, rows)), LINES, query={"known": known})
    assert (found(client)["unsubscribed_at"] is None) is subscribed
    assert (found(client, BOB)["unsubscribed_at"] is None) is subscribed
    assert done["suppressed"] == (0 if subscribed else 1)
    assert found(client, "new@example.com")["unsubscribed_at"] is None


@pytest.mark.parametrize(("known", "fields", "tagged"), [
    ("fill", {"plan": "one", "town": "Rome"}, ["a", "b"]),
    ("skip", {"plan": "one"}, ["a"]),
])  # fmt: skip
def test_a_second_row_meets_whom_the_first_has_brought(client, known, fields, tagged):
    text = f"email,plan,town,tags\n{ANN},one,,a\n{ANN.upper()},two,Rome,b\n"
    import_file(client, text, query={"known": known})
    assert found(client)["fields"] == fields
    assert tags(client) == tagged


def test_a_tag_that_nobody_may_get_is_not_made(client, ann):
    import_file(client, f"email,tags\n{ANN},unused\n", query={"known": "skip"})
    assert [tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]] == ["old"]


def test_another_word_is_refused(client):
    response_assertions.error(send(client, FILE, query={"known": "none"}), 422)
    assert client.get("/batch/imports").json["data"] == []


@pytest.mark.parametrize("known", ["fill", "skip"])
def test_dates_and_tags_for_all_of_a_file_keep_to_it_too(client, ann, known):
    client.post("/batch/events", {"events": {"email": ANN, "type": "visit"}})
    before = found(client)
    text = (
        f"email,created_at,last_event_at,unsubscribed_at\n{ANN},2020-01-01,2039-01-01,\n{BOB},2020-01-01,,\n"
    )
    import_file(client, text, query={"known": known, "tag": "list"})
    after = found(client)
    assert tags(client) == (["old", "list"] if known == "fill" else ["old"])
    assert {**after, "cached_tag_ids": [], "updated_at": ""} == {
        **before,
        "cached_tag_ids": [],
        "updated_at": "",
    }
    assert (after == before) is (known == "skip")
    assert (found(client, BOB)["created_at"][:4], tags(client, BOB)) == ("2020", ["list"])


@pytest.mark.parametrize("known", ["merge", "fill", "skip"])
def test_a_dry_run_counts_who_would_leave_and_changes_nobody(client, ann, known):
    text = "".join(json.dumps({"email": each, "command": "unsubscribe"}) + "\n" for each in (ANN, BOB))
    dry = response_assertions.answer(send(client, text, LINES, query={"known": known, "dry_run": "1"}))[
        "dry_run"
    ]
    assert (dry["created"], dry["updated"], dry["unsubscribed"]) == (1, 1, 2)
    assert found(client)["unsubscribed_at"] is None
    done = import_file(client, text, LINES, query={"known": known})
    assert (done["created"], done["updated"], done["unsubscribed"]) == (1, 1, 2)
