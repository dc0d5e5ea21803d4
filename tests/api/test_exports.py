"""GET /v1/fetch/export: everyone, in a form that a file import takes in again."""

import csv
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audience import exports, imports, stats
from schemas.wire import date
from tests.door import open_door

TYPES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}


def export(door, form):
    response = door.get("/fetch/export", query={"format": form})
    assert response.status_code == 200
    assert response.content_type.startswith(TYPES[form])
    return response.data


def import_again(door, data, form):
    response = door.call("POST", "/batch/imports", data=data, content_type=TYPES[form])
    assert response.status_code == 200, response.text
    imports.drain(door.site.id, 60)
    return door.get(f"/batch/imports/{response.json['data']['id']}").json["data"]["attributes"]


def people(door):
    """Everyone, with the names of their tags, and without what a site decides."""
    names = {tag["id"]: tag["attributes"]["name"] for tag in door.get("/fetch/tags").json["data"]}
    found, page, more = {}, 1, True
    while more:
        answer = door.get("/fetch/search", {"page": page}).json
        for each in answer["data"]:
            person = each["attributes"]
            tags = [names[tag_id] for tag_id in person.pop("cached_tag_ids")]
            del person["uuid"], person["navigation_url"]
            person["fields"] = dict(sorted(person["fields"].items()))
            found[person["email"]] = json.dumps([person, tags])
        page, more = page + 1, answer["meta"]["has_more"]
    return found


def test_csv_has_a_row_for_each_person_and_a_column_for_each_field(door):
    ann = door.create("ann@example.com", first_name="Ann", tags="vip,new", fields={"plan": "pro", "n": 1})
    door.create("=bob@example.com", plan="007", fields={"email": "x", "on": True, "note": "@a"})
    rows = list(csv.DictReader(io.StringIO(export(door, "csv").decode(), newline="")))
    assert rows[0] == {
        "uuid": ann["attributes"]["uuid"], "email": "ann@example.com", "first_name": "Ann", "last_name": "",
        "tags": "vip,new", "created_at": ann["attributes"]["created_at"],
        "updated_at": ann["attributes"]["updated_at"], "last_event_at": "", "unsubscribed_at": "",
        "plan": "pro", "n": "1", "fields.email": "", "on": "", "note": "",
    }  # fmt: skip
    assert rows[1]["email"] == "'=bob@example.com"
    assert (rows[1]["plan"], rows[1]["fields.email"]) == ("007", "x")
    assert (rows[1]["on"], rows[1]["note"]) == ("true", "'@a")


def test_json_lines_have_an_object_for_each_person(door):
    door.create("ann@example.com", first_name="Ann", tags=["a,b"], fields={"plan": {"x": None}})
    [line] = export(door, "jsonl").splitlines()
    found = json.loads(line)
    assert (found["email"], found["first_name"], found["last_name"]) == ("ann@example.com", "Ann", None)
    assert (found["tags"], found["fields"]) == (["a,b"], {"plan": {"x": None}})
    assert found["created_at"].endswith("Z")
    assert found["unsubscribed_at"] is None


def test_an_empty_site_has_column_names_alone(door):
    assert export(door, "csv").decode() == (
        "uuid,email,first_name,last_name,tags,created_at,updated_at,last_event_at,unsubscribed_at\r\n"
    )
    assert export(door, "jsonl") == b""


def test_pages_have_everyone_once_and_nobody_of_another_site(door, stranger, monkeypatch):
    monkeypatch.setattr(exports, "PAGE", 7)
    for number in range(30):
        door.create(f"person{number}@example.com")
        stranger.create(f"other{number}@example.com")
    lines = export(door, "jsonl").splitlines()
    assert [json.loads(line)["email"] for line in lines] == [
        f"person{each}@example.com" for each in range(30)
    ]


def test_a_segment_narrows_an_export(door, monkeypatch):
    monkeypatch.setattr(exports, "PAGE", 2)
    for number in range(9):
        door.create(f"person{number}@example.com", tags="odd" if number % 2 else "even")
    body = {"segment": {"name": "Odd", "rules": {"tag": "ODD"}}}
    segment = door.post("/fetch/segments", body).json["data"]["id"]
    lines = door.get("/fetch/export", query={"format": "jsonl", "segment_id": segment}).data.splitlines()
    assert [json.loads(line)["email"] for line in lines] == [
        f"person{each}@example.com" for each in (1, 3, 5, 7)
    ]


def test_a_segment_that_is_not_there_and_a_format_that_is_none(door):
    response = door.get("/fetch/export", query={"segment_id": "1"})
    assert (response.status_code, response.json["error"][:17]) == (404, "Segment not found")
    response = door.get("/fetch/export", query={"format": "xlsx"})
    assert (response.status_code, response.json["errors"][0]["field"]) == (422, "format")


@pytest.mark.parametrize(("scope", "status"), [("read", 200), ("stats", 403), ("utility", 403)])
def test_export_needs_the_scope_read(app, scope, status):
    assert open_door(app.test_client(), scope).get("/fetch/export").status_code == status


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12)
hostile = st.text("'=+-@\t\r\n\"[]{}0123456789.etruefals, ;\\", max_size=8)
scalars = (
    st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False, allow_infinity=False) | text
)
values = hostile | st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(text, inner, max_size=3),
    max_leaves=5,
)
keys = st.sampled_from(
    ["plan", "Plan", "email", "E-Mail", "tags", "id", "fields", "fields.x", "-a", "first-name", "error_code"]
) | st.text("abcé_-.$1", min_size=1, max_size=5)
dates = st.none() | st.integers(-(2**40), 1_700_000_000_000)
persons = st.fixed_dictionaries({
    "email": st.builds("{}@example.com".format, st.text("abc=+-'\"{}", min_size=1, max_size=4)),
    "first_name": text | hostile,
    "last_name": text | hostile,
    "tags": st.lists(text | hostile, max_size=3),
    "fields": st.dictionaries(keys, values, max_size=4),
    "created_at": dates,
    "updated_at": dates,
    "last_event_at": dates,
    "unsubscribed_at": dates,
})  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_what_comes_out_goes_in_again(app, form):
    client = app.test_client()

    @settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(persons, max_size=20))
    def round_trip(everyone):
        one, other = open_door(client), open_door(client)
        lines = [
            {name: date(value) if name.endswith("_at") else value for name, value in person.items()}
            for person in everyone
        ]
        import_again(one, "".join(json.dumps(line) + "\n" for line in lines).encode(), "jsonl")
        outcome = import_again(other, export(one, form), form)
        assert outcome["failed"] == 0
        assert people(other) == people(one)
        assert stats.site(other.site) == stats.recount(other.site) == stats.site(one.site)
        again = import_again(one, export(one, form), form)
        assert again["unchanged"] == again["total"] == len(people(one))

    round_trip()
