"""One thing in several spellings, each as clients write it (docs/contract.md, Every request, Subscribers)."""

import io

import pytest

from audience.operations import site_lane
from tests import response_assertions
from tests.api.endpoints import ENDPOINTS, ask, prepare

AGREED = {"consent": "subscribed"}

GETS = [endpoint for endpoint in ENDPOINTS if endpoint.method == "GET"]
JSON, CSV = ({"Content-Type": kind} for kind in ("application/json", "text/csv"))
ASKED = {
    "validation": {"email": "ann@firm.org"},
    "strict_ruleset": {"email": "ann@firm.org", "block_free_providers": "true"},
    "content_moderation": {"content": "Hello"},
    "gender": {"name": "Ann"},
    "blacklist": {"domain": "firm.org"},
}


def fields(client, email):
    return client.find(email)["attributes"]["fields"]


def shown(client):
    """The address of the only subscriber, as the API shows it."""
    [subscriber] = client.get("/fetch/search").json["data"]
    return subscriber["attributes"]["email"]


@pytest.mark.parametrize("endpoint", GETS, ids=str)
def test_a_get_may_say_that_its_body_is_json_and_have_none(client, endpoint):
    prepare(client)
    plain = response_assertions.answer(ask(client, endpoint))
    assert response_assertions.answer(ask(client, endpoint, headers=JSON)) == plain


@pytest.mark.parametrize("body", [b"", b"null", b"{}", b"[]"])
@pytest.mark.parametrize("name", ASKED)
def test_an_empty_body_leaves_everything_to_the_query(client, name, body):
    headers = JSON | {"Content-Length": str(len(body))}
    path = f"/experimental/{name}"
    asked = client.post(path, query=ASKED[name], headers=headers, input_stream=io.BytesIO(body))
    assert response_assertions.answer(asked) == client.post(path, ASKED[name]).json


def test_an_empty_array_is_an_empty_object_in_every_place(client):
    event = {"email": "ada@example.com", "type": "visit", "details": [], "fields": []}
    assert client.post("/batch/events", event).json["results"] == 1
    report = {"name": "All", "report_type": "Reporting::Reports::VisitorCountReport", "settings": []}
    saved = response_assertions.answer(client.post("/fetch/reports", {"report": report}), 201)["data"]
    assert saved["attributes"]["settings"] == {}
    result = response_assertions.answer(client.post("/fetch/search", {"created_at": []}))
    assert (len(result["data"]), result["meta"]["query"]) == (1, {})


def test_a_number_or_a_boolean_is_read_as_its_text(client):
    attributes = client.create("ada@example.com", first_name=5, last_name=True, tags=[7, False])["attributes"]
    assert (attributes["first_name"], attributes["last_name"]) == ("5", "true")
    client.post("/fetch/tags", {"tag": {"name": 1.5}})
    tags = client.get("/fetch/tags").json["data"]
    assert {tag["attributes"]["name"] for tag in tags} == {"7", "false", "1.5"}
    field = response_assertions.answer(client.post("/fetch/fields", {"field": {"key": 12}}), 201)["data"]
    assert field["attributes"]["key"] == "12"
    assert client.post("/batch/events", {"email": "ada@example.com", "type": 404}).json["results"] == 1


def test_only_create_and_change_email_change_how_an_address_is_shown(client):
    client.create(" Ada@Example.com ")
    client.post("/batch/subscribers", {"subscribers": [{"email": "ADA@example.com", "city": "Oslo"}]})
    client.post("/batch/events", {"email": "ADA@example.com", "type": "visit"})
    client.post(
        "/fetch/commands", {"command": {"command": "add_tag", "email": "ADA@example.com", "query": "x"}}
    )
    client.send_file("/batch/imports", b"email,plan\nADA@EXAMPLE.COM,pro\n", query=AGREED, headers=CSV)
    site_lane.drain(client.site.id, 30)
    assert (shown(client), fields(client, "ada@example.com")) == (
        "Ada@Example.com",
        {"city": "Oslo", "plan": "pro"},
    )
    change = {"command": "change_email", "email": "ada@example.com", "query": " ADA@example.com "}
    client.post("/fetch/commands", {"command": change})
    assert shown(client) == "ADA@example.com"
    client.create("ada@example.COM")
    assert shown(client) == "ada@example.COM"


@pytest.mark.parametrize("spell", [str, str.upper, lambda uuid: uuid.replace("-", "")])
def test_a_uuid_in_every_place(client, spell):
    subscriber = client.create("ada@example.com")
    uuid = spell(subscriber["attributes"]["uuid"])
    assert client.get("/fetch/subscribers", query={"uuid": uuid}).json["data"] == subscriber
    command = {"command": "add_tag_via_event", "uuid": uuid, "query": "vip"}
    assert client.post("/fetch/commands", {"command": command}).json["results"] == 1
    assert len(client.get(f"/fetch/subscribers/{uuid}/events").json["data"]) == 1
    assert client.delete("/fetch/subscribers", query={"uuid": uuid}).status_code == 200
    assert client.find("ada@example.com") is None


def test_a_tag_that_is_given_and_taken_is_taken(client):
    assert (
        len(client.create("ada@example.com", tags="x,y", remove_tags="X")["attributes"]["cached_tag_ids"])
        == 1
    )
    item = {"email": "ada@example.com", "tags": ["z", "Y"], "remove_tags": ["y"]}
    client.post("/batch/subscribers", {"subscribers": [item]})
    tags = {tag["id"]: tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]}
    [left] = client.find("ada@example.com")["attributes"]["cached_tag_ids"]
    assert tags[left] == "z"


@pytest.mark.parametrize("columns", [("created_at", "Signup Date"), ("Signup Date", "created_at")])
def test_of_two_columns_of_one_date_the_exact_name_wins(client, columns):
    days = {"created_at": "2020-01-01", "Signup Date": "2021-01-01"}
    text = f"email,{','.join(columns)}\nada@example.com,{','.join(days[name] for name in columns)}\n"
    answer = response_assertions.answer(
        client.send_file("/batch/imports", text.encode(), query=AGREED, headers=CSV)
    )
    meanings = {column["name"]: (column["meaning"], column["reason"]) for column in answer["meta"]["columns"]}
    assert meanings["created_at"][0] == "created_at"
    assert meanings["Signup Date"] == (
        "field:Signup_Date",
        "Another column already means created_at, so this one becomes a custom field.",
    )
    site_lane.drain(client.site.id, 30)
    attributes = client.find("ada@example.com")["attributes"]
    assert attributes["created_at"].startswith("2020-01-01")
    assert attributes["fields"] == {"Signup_Date": "2021-01-01"}
