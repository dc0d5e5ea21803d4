"""Routes, schemas, responses and the OpenAPI document agree, both ways."""

import re
from pathlib import Path

import pytest
from flask import Blueprint
from openapi_spec_validator import validate

from app import create_app
from audience.api.endpoint import endpoint
from audience.config import Settings
from audience.http.errors import MEANING, STATUS
from schemas.responses import Error
from storage import database
from tests.answers.geo_tables import write_mmdb
from tests.api.endpoints import ENDPOINTS, ask, prepare
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, open_client

PAGE = (Path(__file__).parents[2] / "docs" / "endpoints.md").read_text("utf-8")
METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture
def document(app):
    response = app.test_client().get("/api/openapi.json")
    assert response.status_code == 200
    assert response.mimetype == "application/json"
    return response.json


def operations(document):
    return {
        (method.upper(), path): item[method]
        for path, item in document["paths"].items()
        for method in METHODS & item.keys()
    }


def routes(app):
    """Views of the routes that need a key, by `(method, path in the document)`."""
    return {
        (method, re.sub(r"<(?:[^<>]*:)?(\w+)>", r"{\1}", rule.rule.removeprefix("/api"))): view
        for rule in app.url_map.iter_rules()
        for view in [app.view_functions[rule.endpoint]]
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if getattr(view, "scope", "public") != "public"
    }


def test_the_document_is_openapi_3_1(document):
    assert document["openapi"].startswith("3.1.")
    validate(document)


def test_routes_and_document_agree_both_ways(app, document):
    assert operations(document).keys() == routes(app).keys()
    for key, operation in operations(document).items():
        assert operation["x-scope"] == routes(app)[key].scope


def test_every_route_is_described_with_its_responses(app):
    """If this fails: add a docstring to the view, or `gives=` to its `endpoint`."""
    views = routes(app)
    assert [key for key, view in views.items() if not view.__doc__] == []
    assert [key for key, view in views.items() if view.declared.gives is None] == []


def test_every_operation_names_the_keys_the_site_and_the_errors(document):
    assert document["security"] == [{"keys": []}]
    assert document["components"]["securitySchemes"]["keys"]["scheme"] == "basic"
    for operation in operations(document).values():
        assert {"$ref": "#/components/parameters/site_uuid"} in operation["parameters"]
        assert {"400", "401", "403", "413", "415", "429", "503"} < operation["responses"].keys()
        assert ("requestBody" in operation) <= ("422" in operation["responses"])


def test_every_error_is_described(document):
    assert set(STATUS.values()) | {405, 500} == set(MEANING)
    assert document["components"]["responses"].keys() == {str(status) for status in MEANING}
    table = PAGE.partition("| Status | Means |")[2].partition("\n\n")[0]
    assert {int(status) for status in re.findall(r"^\| (\d+) \|", table, re.MULTILINE)} == set(MEANING)


def test_a_get_reads_its_values_from_the_query_or_a_body(document):
    search = operations(document)["GET", "/v1/fetch/search"]
    assert search["requestBody"]["content"]["application/json"]["schema"] == {
        "$ref": "#/components/schemas/SearchSubscribers"
    }
    parameters = {each.get("name"): each for each in search["parameters"]}
    assert parameters["page"]["schema"]["type"] == "integer"
    assert parameters["created_at"]["style"] == "deepObject"
    assert not any(each.get("required") for each in search["parameters"])


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_responses_match_the_document(app, client, endpoint):
    prepare(client)
    answer = ask(client, endpoint)
    rule, _ = app.url_map.bind("").match(f"/api/v1{endpoint.path}", endpoint.method)
    declared = app.view_functions[rule].declared
    assert answer.status_code == declared.status == endpoint.status
    assert declared.gives().validate(answer.json) == {}


def test_a_file_is_described_by_its_media_type(app):
    files = ("text/csv", "application/x-ndjson")
    extra = Blueprint("extra", __name__, url_prefix="/api/v1")

    @extra.post("/extra/<int:extra_id>")
    @endpoint(scope="full", family="batch", accepts=files, gives=("text/csv",))
    def turn(site, extra_id):
        """Turn a file

        Into another.
        """

    app.register_blueprint(extra)
    document = app.test_client().get("/api/openapi.json").json
    validate(document)
    operation = document["paths"]["/v1/extra/{extra_id}"]["post"]
    assert (operation["summary"], operation["description"]) == ("Turn a file", "Into another.")
    assert tuple(operation["requestBody"]["content"]) == files
    assert tuple(operation["responses"]["200"]["content"]) == ("text/csv",)
    assert {"404", "422"} <= operation["responses"].keys()


def test_refusals_match_the_document(client):
    for answer in (client.get("/nowhere"), client.post("/fetch/subscribers", {"subscriber": {}})):
        assert answer.status_code in (404, 422)
        assert Error().validate(answer.json) == {}


@pytest.fixture
def offline(tmp_path):
    """An application without a DNS server, and with a small geolocation table."""
    world = write_mmdb(tmp_path / "small.mmdb", "8.8.8.0/24", {"country": {"iso_code": "DE"}})
    settings = {"dns_servers": ("127.0.0.1:1",), "dns_timeout": 0.1, "geo_database": str(world)}
    application = create_app(
        Settings(instance=tmp_path, **settings), FakeQueue(), FakeLimiter(), FakeProcesses()
    )
    database.migrate()
    yield application
    database.close()


def test_every_example_is_accepted_and_answered_as_described(offline):
    document = offline.test_client().get("/api/openapi.json").json
    shown = set()
    for (method, path), operation in operations(document).items():
        for example in examples(document, operation):
            shown.add(path)
            client = open_client(offline.test_client())
            answer = client.call(method, with_ids(client, path), example)
            assert answer.status_code in (200, 201), (method, path, answer.text)
            assert not answer.json.get("failed")
            assert routes(offline)[method, path].declared.gives().validate(answer.json) == {}
    assert len(shown) >= 15


def with_ids(client, path):
    """A path with the ids of existing resources."""
    segment = client.post("/fetch/segments", {"segment": {"name": "All", "rules": {"all": []}}}).json["data"][
        "id"
    ]
    report = client.get("/fetch/reports").json["data"][0]["id"]
    names = {"{name}": "strict", "{segment_id}": segment, "{report_id}": report}
    return re.sub(r"{\w+}", lambda part: names[part[0]], path.removeprefix("/v1"))


def examples(document, operation):
    body = operation.get("requestBody", {}).get("content", {}).get("application/json")
    if not body:
        return []
    return document["components"]["schemas"][body["schema"]["$ref"].rpartition("/")[2]].get("examples", [])


def test_every_required_body_has_an_example(document):
    for key, operation in operations(document).items():
        body = operation.get("requestBody", {})
        has_files = any("example" in content for content in body.get("content", {}).values())
        assert examples(document, operation) or has_files or not body.get("required"), key


def test_the_server_is_below_the_public_url(tmp_path):
    settings = Settings(instance=tmp_path, public_url="https://people.example/audience/")
    app = create_app(settings, FakeQueue(), FakeLimiter(), FakeProcesses())
    document = app.test_client().get("/api/openapi.json").json
    database.close()
    assert document["servers"] == [{"url": "/audience/api"}]
