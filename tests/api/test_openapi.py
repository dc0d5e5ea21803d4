"""Routes, schemas, responses and the OpenAPI document agree, both ways."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from flask import Blueprint
from openapi_spec_validator import validate

from app import create_app
from audience.api.endpoint import endpoint
from audience.api.openapi import documentation
from audience.api.openapi_texts import TEXTS
from audience.config import Settings
from audience.http.errors import MEANING, STATUS
from audience.operations import site_lane
from audience.webhooks import deliveries as webhook_deliveries
from schemas.codes import REQUEST_CODES, Code
from schemas.responses import Error
from storage import database
from tests import described
from tests.api.endpoints import ENDPOINTS, ask
from tests.client import FakeLimiter, FakeProcesses, FakeQueue
from tests.described import operations, path_in_document, validator
from tests.webhook_steps import make, send_all

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "endpoints.md").read_text("utf-8")


@pytest.fixture
def document(app):
    return described.document(app)


def routes(app):
    """Views of the routes that need a key, by `(method, path in the document)`."""
    return {
        (method, path_in_document(rule.rule)): view
        for rule in app.url_map.iter_rules()
        for view in [app.view_functions[rule.endpoint]]
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if getattr(view, "scope", "public") != "public"
    }


def test_the_document_is_openapi_3_1(app):
    response = app.test_client().get("/api/openapi.json")
    assert (response.status_code, response.mimetype) == (200, "application/json")
    document = response.json
    assert document["openapi"].startswith("3.1.")
    validate(document)


def test_routes_and_document_agree_both_ways(app, document):
    assert operations(document).keys() == routes(app).keys()
    for key, operation in operations(document).items():
        assert operation["x-scope"] == routes(app)[key].scope


def test_every_route_is_described_with_its_responses(app):
    """If this fails: a view lacks its docstring (a line, a text, "Returns ..."), or `gives=`."""
    views = routes(app)
    assert [key for key, view in views.items() if not all(documentation(view))] == []
    assert [key for key, view in views.items() if view.declared.gives is None] == []


def test_every_operation_has_a_text_of_its_own_and_one_of_its_answer(document):
    listed = operations(document).values()
    for operation in listed:
        [success] = operation["responses"].keys() & {"200", "201"}
        for text in (operation["description"], operation["responses"][success]["description"]):
            assert text.endswith("."), operation["operationId"]
            assert "\n" not in text
    assert len({operation["summary"] for operation in listed}) >= len(listed) - 5  # one view has four routes


def test_every_tag_has_a_text(document):
    tags = {tag["name"]: tag["description"] for tag in document["tags"]}
    assert tags.keys() == {tag for operation in operations(document).values() for tag in operation["tags"]}
    assert all(text.endswith(".") for text in tags.values())


def test_every_operation_names_the_keys_the_site_and_the_errors(document):
    assert document["security"] == [{"keys": []}]
    assert document["components"]["securitySchemes"]["keys"]["scheme"] == "basic"
    for operation in operations(document).values():
        assert {"$ref": "#/components/parameters/site_uuid"} in operation["parameters"]
        always = {"400", "401", "403", "408", "413", "415", "422", "429", "500", "503"}
        assert always < operation["responses"].keys()


@pytest.mark.parametrize(("method", "path", "has_id"), [
    ("POST", "/v1/fetch/reports", True),
    ("GET", "/v1/fetch/export", True),
    ("GET", "/v1/fetch/search", True),
    ("GET", "/v1/fetch/subscribers/{uuid}/events", True),
    ("POST", "/v1/fetch/segments", False),
    ("GET", "/v1/fetch/subscribers", False),
])  # fmt: skip
def test_only_what_names_a_record_may_not_find_it(document, method, path, has_id):
    assert ("404" in operations(document)[method, path]["responses"]) == has_id


def test_every_error_is_described(document):
    assert set(STATUS.values()) | {405, 500} == set(MEANING)
    assert document["components"]["responses"].keys() == {str(status) for status in MEANING}


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_what_refuses_unknown_parameters_on_request_declares_the_header(prepared_client, endpoint):
    app, query = prepared_client.http.application, (endpoint.query or {}) | {"zzz": "1"}
    rule, _ = app.url_map.bind("").match(f"/api/v1{endpoint.path}", endpoint.method, return_rule=True)
    operation = described.document(app)["paths"][path_in_document(rule.rule)][endpoint.method.lower()]
    is_declared = {"$ref": "#/components/parameters/Prefer"} in operation["parameters"]
    assert is_declared or endpoint.method != "GET"
    answer = ask(prepared_client, endpoint, query=query, headers={"Prefer": "handling=strict"})
    assert answer.status_code == (422 if is_declared else endpoint.status), answer.text
    assert not is_declared or answer.json["unknown"] == ["zzz"]


def test_search_alone_declares_a_body_of_a_get(document):
    with_body = [path for (method, path), each in operations(document).items()
                 if method == "GET" and "requestBody" in each]  # fmt: skip
    assert with_body == ["/v1/fetch/search"]


def test_operations_have_names(document):
    names = [operation["operationId"] for operation in operations(document).values()]
    assert [name for name in names if not re.fullmatch(r"[a-z]+([A-Z][a-z]+)*", name)] == []
    assert len(names) == len({*names})
    assert {"findSubscriber", "eraseSubscriber", "importFile"} < {*names}


def undescribed(node, at=""):
    """The places of what has no description, and of `properties` beside typed others."""
    if isinstance(node, list):
        for inner in node:
            yield from undescribed(inner, at)
    elif isinstance(node, dict):
        properties = node.get("properties", {})
        yield from (f"{at}.{name}" for name, schema in properties.items() if not schema.get("description"))
        if isinstance(node.get("in"), str) and not node.get("description"):
            yield f"{at}?{node['name']}"
        others = node.get("additionalProperties")
        if properties and isinstance(others, dict) and others.keys() & {"type", "$ref", "anyOf"}:
            yield f"{at}: typed"
        for name, inner in node.items():
            if name not in ("examples", "example"):
                yield from undescribed(inner, f"{at}/{name}")


def test_everything_is_described_and_each_error_has_an_example(document):
    assert [*undescribed(document["components"])] == []
    assert [*undescribed(document["paths"])] == []
    for status, response in document["components"]["responses"].items():
        example = response["content"]["application/json"]["example"]
        assert REQUEST_CODES[example["code"]][0] == int(status)


def test_no_description_is_left_over(document):
    used = json.dumps(document)
    assert [name for name, text in TEXTS.items() if json.dumps(text)[1:-1] not in used] == []


def test_reasons_and_codes_are_open(app, document):
    for name in ("Validation", "StrictValidation", "Moderation"):
        reasons = validator(app, {"$ref": f"#/components/schemas/{name}/properties/reasons"})
        assert reasons.is_valid(["of_a_later_version"])
    error = document["components"]["schemas"]["Error"]["properties"]["code"]
    assert error["anyOf"][0]["enum"] == [*Code]


def test_a_get_reads_its_values_from_the_query_or_a_body(document):
    search = operations(document)["GET", "/v1/fetch/search"]
    assert search["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/SearchSubscribers"
    }
    parameters = {each.get("name"): each for each in search["parameters"]}
    assert parameters["page"]["schema"]["type"] == "integer"
    assert parameters["created_at[gt]"]["schema"]["type"] == "string"
    assert "maxLength" not in parameters["tags"]["schema"]
    assert not any(each.get("required") for each in search["parameters"])


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_responses_match_the_document(prepared_client, endpoint):
    app, answer = prepared_client.http.application, ask(prepared_client, endpoint)
    rule, _ = app.url_map.bind("").match(f"/api/v1{endpoint.path}", endpoint.method)
    declared = app.view_functions[rule].declared
    assert answer.status_code == declared.status == endpoint.status
    assert declared.gives().validate(answer.json) == {}


def test_custom_values_are_typed_and_null_is_said_where_it_is_answered(app, document):
    schemas = document["components"]["schemas"]
    assert schemas["SubscriberAttributes"]["properties"]["fields"]["additionalProperties"] == {
        "$ref": "#/components/schemas/CustomValue"
    }
    fields = validator(app, {"$ref": "#/components/schemas/SubscriberAttributes/properties/fields"})
    assert fields.is_valid({"plan": "pro", "seats": 3, "tall": True, "places": ["Oslo"], "more": {"a": None}})
    assert not fields.is_valid({"plan": None})
    attributes = schemas["ReportAttributes"]["properties"]
    assert attributes["segment_id"]["type"] == ["string", "null"]
    assert attributes["name"]["type"] == "string"


def test_every_operation_has_a_valid_request(app, document):
    """Those that take or answer a file, or need a uuid, have theirs in tests of their own."""
    adapter = app.url_map.bind("")
    rules = [
        (each.method, adapter.match(f"/api/v1{each.path}", each.method, return_rule=True))
        for each in ENDPOINTS
    ]
    assert operations(document).keys() - {
        (method, path_in_document(rule.rule)) for method, (rule, _) in rules
    } == {
        ("GET", "/v1/fetch/subscribers/{uuid}/events"),
        ("GET", "/v1/fetch/subscribers/{uuid}/consent"),
        ("POST", "/v1/batch/imports"),
        ("GET", "/v1/batch/imports/{import_id}/errors.csv"),
        ("GET", "/v1/fetch/export"),
    }


def test_a_file_is_described_by_its_media_type(settings, monkeypatch):
    monkeypatch.setitem(TEXTS, "extra_id", "The id.")
    app = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    files = ("text/csv", "application/x-ndjson")
    extra = Blueprint("extra", __name__, url_prefix="/api/v1")

    @extra.post("/extra/<int:extra_id>")
    @endpoint(scope="full", family="batch", accepts=files, gives=("text/csv",))
    def turn_file(site, extra_id):
        """Turn a file

        Into another.

        Returns the other.
        """

    app.register_blueprint(extra)
    document: Any = app.test_client().get("/api/openapi.json").json
    database.close()
    validate(document)
    operation = document["paths"]["/v1/extra/{extra_id}"]["post"]
    assert operation["operationId"] == "turnFile"
    assert (operation["summary"], operation["description"]) == ("Turn a file", "Into another.")
    assert operation["responses"]["200"]["description"] == "The other."
    assert tuple(operation["requestBody"]["content"]) == files
    assert tuple(operation["responses"]["200"]["content"]) == ("text/csv",)
    assert {"404", "422"} <= operation["responses"].keys()


def test_what_a_receiver_is_sent_is_the_webhook_of_the_document(app, client, document, receiver):
    webhook = make(client.site, receiver)
    message = document["webhooks"]["message"]["post"]
    people = [{"email": f"p{number}@example.com", "tags": "a", "fields": {"n": [1]}} for number in range(3)]
    client.post("/batch/subscribers", {"subscribers": people})
    site_lane.drain(client.site.id, 30)
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "p1@example.com"}})
    client.delete("/fetch/subscribers", query={"email": "p2@example.com"})
    send_all()
    webhook_deliveries.send_test(client.site, webhook.id, private_addresses=True)
    schema = validator(app, message["requestBody"]["content"]["application/json"]["schema"])
    assert {json.loads(each.body)["type"] for each in receiver.received} == {"changes", "test"}
    for each in receiver.received:
        assert [error.message for error in schema.iter_errors(json.loads(each.body))] == []
        assert {header["name"] for header in message["parameters"]} <= each.headers.keys()
    assert list(schema.iter_errors({"type": "changes", "data": []})) != []


def test_refusals_match_the_document(client):
    for answer in (client.get("/nowhere"), client.post("/fetch/subscribers", {"subscriber": {}})):
        assert answer.status_code in (404, 422)
        assert Error().validate(answer.json) == {}


def test_the_server_is_below_the_public_url(tmp_path):
    settings = Settings(instance=tmp_path, public_url="https://people.example/audience/")
    app = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    document: Any = app.test_client().get("/api/openapi.json").json
    database.close()
    assert document["servers"] == [{"url": "https://people.example/audience/api"}]
