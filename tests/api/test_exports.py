"""GET /v1/fetch/export: all subscribers, in a form that a file import accepts."""

import csv
import io
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audience.operations import site_lane
from audience.searches import exports
from audience.subscribers import stats
from schemas.formats.consent_words import is_unsubscribed
from schemas.values import write_date
from tests.client import open_client
from tests.depth import examples

AGREED = {"consent": "subscribed"}

TYPES = {"csv": "text/csv", "jsonl": "application/x-ndjson"}


def export(client, form):
    response = client.get("/fetch/export", query={"format": form})
    assert response.status_code == 200
    assert response.content_type.startswith(TYPES[form])
    return response.data


def import_again(client, data, form):
    response = client.call("POST", "/batch/imports", data=data, content_type=TYPES[form], query=AGREED)
    assert response.status_code == 200, response.text
    site_lane.drain(client.site.id, 60)
    return client.get(f"/batch/imports/{response.json['data']['id']}").json["data"]["attributes"]


def all_subscribers(client):
    """All subscribers with their tag names, without the values that differ between sites."""
    names = {tag["id"]: tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    found, page, more = {}, 1, True
    while more:
        answer = client.get("/fetch/search", {"page": page}).json
        for each in answer["data"]:
            subscriber = each["attributes"]
            tags = [names[tag_id] for tag_id in subscriber.pop("cached_tag_ids")]
            del subscriber["uuid"], subscriber["navigation_url"]
            subscriber["fields"] = dict(sorted(subscriber["fields"].items()))
            found[subscriber["email"]] = json.dumps([subscriber, tags])
        page, more = page + 1, answer["meta"]["has_more"]
    return found


def test_csv_has_a_row_per_subscriber_and_a_column_per_field(client):
    ann = client.create("ann@example.com", first_name="Ann", tags="vip,new", fields={"plan": "pro", "n": 1})
    client.create("=bob@example.com", plan="007", fields={"email": "x", "on": True, "note": "@a"})
    rows = list(csv.DictReader(io.StringIO(export(client, "csv").decode(), newline="")))
    assert rows[0] == {
        "uuid": ann["attributes"]["uuid"], "email": "ann@example.com", "first_name": "Ann", "last_name": "",
        "tags": "vip,new", "created_at": ann["attributes"]["created_at"],
        "updated_at": ann["attributes"]["updated_at"], "last_event_at": "", "unsubscribed_at": "",
        "plan": "pro", "n": "1", "fields.email": "", "on": "", "note": "",
    }  # fmt: skip
    assert rows[1]["email"] == "'=bob@example.com"
    assert (rows[1]["plan"], rows[1]["fields.email"]) == ("007", "x")
    assert (rows[1]["on"], rows[1]["note"]) == ("true", "'@a")


def test_json_lines_have_an_object_per_subscriber(client):
    client.create("ann@example.com", first_name="Ann", tags=["a,b"], fields={"plan": {"x": None}})
    [line] = export(client, "jsonl").splitlines()
    found = json.loads(line)
    assert (found["email"], found["first_name"], found["last_name"]) == ("ann@example.com", "Ann", None)
    assert (found["tags"], found["fields"]) == (["a,b"], {"plan": {"x": None}})
    assert found["created_at"].endswith("Z")
    assert found["unsubscribed_at"] is None


def test_an_empty_site_exports_only_column_names(client):
    assert export(client, "csv").decode() == (
        "uuid,email,first_name,last_name,tags,created_at,updated_at,last_event_at,unsubscribed_at\r\n"
    )
    assert export(client, "jsonl") == b""


def test_pages_have_every_subscriber_once_and_none_of_another_site(client, other_client, monkeypatch):
    monkeypatch.setattr(exports, "PAGE_SIZE", 7)
    for number in range(30):
        client.create(f"subscriber{number}@example.com")
        other_client.create(f"other{number}@example.com")
    lines = export(client, "jsonl").splitlines()
    assert [json.loads(line)["email"] for line in lines] == [
        f"subscriber{each}@example.com" for each in range(30)
    ]


def test_an_export_is_limited_to_a_segment(client, monkeypatch):
    monkeypatch.setattr(exports, "PAGE_SIZE", 2)
    for number in range(9):
        client.create(f"subscriber{number}@example.com", tags="odd" if number % 2 else "even")
    body = {"segment": {"name": "Odd", "rules": {"tag": "ODD"}}}
    segment = client.post("/fetch/segments", body).json["data"]["id"]
    lines = client.get("/fetch/export", query={"format": "jsonl", "segment_id": segment}).data.splitlines()
    assert [json.loads(line)["email"] for line in lines] == [
        f"subscriber{each}@example.com" for each in (1, 3, 5, 7)
    ]


def test_an_unknown_segment_and_an_unknown_format_are_refused(client):
    response = client.get("/fetch/export", query={"segment_id": "1"})
    assert (response.status_code, response.json["error"][:17]) == (404, "Segment not found")
    response = client.get("/fetch/export", query={"format": "xlsx"})
    assert (response.status_code, response.json["errors"][0]["field"]) == (422, "format")


@pytest.mark.parametrize(("scope", "status"), [("read", 200), ("stats", 403), ("utility", 403)])
def test_export_requires_the_read_scope(app, scope, status):
    assert open_client(app.test_client(), scope).get("/fetch/export").status_code == status


text = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12).filter(
    lambda drawn: not is_unsubscribed(drawn)  # a column with such a text is asked about
)
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
subscribers = st.fixed_dictionaries({
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
def test_an_export_can_be_imported_again(app, form):
    http = app.test_client()

    @settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(st.lists(subscribers, max_size=20))
    def round_trip(records):
        one, other = open_client(http), open_client(http)
        lines = [
            {name: write_date(value) if name.endswith("_at") else value for name, value in subscriber.items()}
            for subscriber in records
        ]
        import_again(one, "".join(json.dumps(line) + "\n" for line in lines).encode(), "jsonl")
        outcome = import_again(other, export(one, form), form)
        assert outcome["failed"] == 0
        assert all_subscribers(other) == all_subscribers(one)
        assert stats.for_site(other.site) == stats.recount(other.site) == stats.for_site(one.site)
        again = import_again(one, export(one, form), form)
        assert again["unchanged"] == again["total"] == len(all_subscribers(one))

    round_trip()
