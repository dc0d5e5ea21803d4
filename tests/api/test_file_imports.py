"""POST /v1/batch/imports and its errors.csv: read on receipt, applied through the queue."""

import io
import json

import pytest

from app import create_app
from audience import clock, jobs
from audience.config import Settings
from audience.errors import ServiceUnavailable
from audience.imports import file_imports, imports
from audience.operations import site_lane
from schemas.formats import encodings
from storage import database, leases
from tests.api.sent_files import CSV, LINES, errors, import_file, send
from tests.client import FakeLimiter, FakeProcesses, FakeQueue, basic, open_client

AGREED = {"consent": "subscribed"}


def test_a_csv_file_goes_through_the_queue(client):
    response = send(client, 'email,first_name,tags,plan,age\nann@example.com,Ann,"vip, new",pro,42\n')
    assert response.status_code == 200
    assert response.json["data"]["type"] == "imports"
    assert response.json["data"]["attributes"] | {"created_at": None} == {
        "status": "queued", "total": 1, "processed": 0, "created": 0, "updated": 0, "unchanged": 0,
        "failed": 0, "suppressed": 0, "unsubscribed": 0, "stay_unsubscribed": 0,
        "created_at": None, "started_at": None, "finished_at": None,
    }  # fmt: skip
    meta = response.json["meta"]
    assert (meta["format"], meta["encoding"], meta["delimiter"]) == ("csv", "utf-8", ",")
    assert [(column["name"], column["meaning"]) for column in meta["columns"]] == [
        ("email", "email"), ("first_name", "first_name"), ("tags", "tags"), ("plan", "field:plan"),
        ("age", "field:age"),
    ]  # fmt: skip
    assert jobs.due_sites() == [client.site.id]
    site_lane.drain(client.site.id, 5)
    subscriber = client.find("ann@example.com")["attributes"]
    assert subscriber["fields"] == {"plan": "pro", "age": 42, "first_name": "Ann"}
    assert len(subscriber["cached_tag_ids"]) == 2
    assert client.get("/batch/imports/1").json["data"]["attributes"]["status"] == "finished"


@pytest.mark.parametrize(
    "text",
    [
        "E-Mail;email;plan\nx;ann@example.com;pro",
        "EMAIL\tplan\r\nann@example.com\tpro\r\n",
        "\ufeffemail,plan\nann@example.com,pro\n",
        "plan,email\rpro,ann@example.com\r",
        'plan,"email"\n"pro","ann@example.com"',
        "email,plan,,\nann@example.com,pro,,,,\n",
        "email|plan\nann@example.com|pro\n",
        "\ufeffsep=;\r\nemail;plan\r\nann@example.com;pro\r\n",
        "\n\nemail,plan\n\nann@example.com,pro\n",
    ],
)
def test_every_csv_dialect_is_detected(client, text):
    assert import_file(client, text)["created"] == 1
    assert client.find("ann@example.com")["attributes"]["fields"]["plan"] == "pro"


@pytest.mark.parametrize(("said", "name"), [("latin-1", "Zoë"), ("windows-1252", "Zoë"), ("cp1250", "Zoë")])
def test_an_encoding_is_read_as_it_is_said_and_reported(client, said, name):
    data = "email,first_name\nann@example.com,Zoë\n".encode("latin-1")
    response = send(client, data, query={"encoding": said})
    assert response.json["meta"]["encoding"] == encodings.find_encoding(said)
    site_lane.drain(client.site.id, 5)
    assert client.find("ann@example.com")["attributes"]["first_name"] == name


def test_a_quoted_line_break_belongs_to_its_cell(client):
    import_file(client, 'email,note\nann@example.com,"two\r\nlines, and ""quotes"""\n')
    assert client.find("ann@example.com")["attributes"]["fields"] == {"note": 'two\r\nlines, and "quotes"'}


def test_json_lines(client):
    lines = [{"email": "ann@example.com", "tags": ["a,b"], "fields": {"n": {"m": None}}}, {"email": "no"}]
    outcome = import_file(client, "\n\n".join(map(json.dumps, lines)), LINES)
    assert (outcome["created"], outcome["failed"], outcome["total"]) == (1, 1, 2)
    assert client.find("ann@example.com")["attributes"]["fields"] == {"n": {"m": None}}
    assert errors(client)[0]["error_code"] == "invalid_email"


def test_a_file_with_only_column_names_finishes(client):
    assert import_file(client, "email,plan\n") | {"created_at": 0, "started_at": 0, "finished_at": 0} == {
        "status": "finished", "total": 0, "processed": 0, "created": 0, "updated": 0, "unchanged": 0,
        "failed": 0, "suppressed": 0, "unsubscribed": 0, "stay_unsubscribed": 0,
        "created_at": 0, "started_at": 0, "finished_at": 0,
    }  # fmt: skip


def test_a_long_file_is_split_into_batches_and_applied_in_order(client):
    rows = "".join(f"subscriber{each % 1500}@example.com,{each}\n" for each in range(2600))
    outcome = import_file(client, "email,n\n" + rows)
    assert (outcome["created"], outcome["updated"], outcome["total"]) == (1500, 1100, 2600)
    assert client.find("subscriber0@example.com")["attributes"]["fields"] == {"n": 1500}
    assert client.counts() == (1500, 1500, 0)
    with database.session():
        assert database.rows("SELECT * FROM import_batches") == []


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "empty"),
        ("name,plan\nann,pro\n", "No column holds addresses"),
        ("email,Email\na@b.co,b@b.co\n", "Two columns"),
        ("email,a b,a*b\nann@example.com,1,2\n", "Two columns"),
        (f"email,{'x' * 101}\n", "cannot be the name"),
        ('email,note\na@example.com,ok\nb@example.com,"open\nc@example.com,\n', "line 3"),
        ('email,note\na@example.com,ok\nb@example.com,"' + "x" * 2**20 + '"\n', "1,048,576"),
        ("email\n" + "x" * (2**20 + 1), "1,048,576"),
    ],
)
def test_an_unreadable_file_is_refused_and_leaves_nothing(client, text, sentence):
    response = send(client, text)
    assert response.status_code == 422
    assert sentence in response.json["errors"][0]["message"]
    assert_nothing(client)


def assert_nothing(client):
    assert client.get("/batch/imports").json == {"data": []}
    with database.session():
        assert database.rows("SELECT 1 FROM import_batches UNION ALL SELECT 1 FROM refused_rows") == []


@pytest.mark.parametrize("content_type", ["application/xml", "text/plain", "multipart/form-data", ""])
def test_other_types_are_refused(client, content_type):
    assert send(client, "email\na@b.co\n", content_type).status_code == 415


def test_a_file_that_curl_sent_as_a_form_is_answered_with_the_way_to_send_it(client):
    response = send(client, "emailann@example.com", "application/x-www-form-urlencoded")
    assert response.status_code == 415
    assert "--data-binary" in response.json["error"]


def test_a_file_without_its_type_is_not_said_to_have_lost_its_line_ends(client):
    response = send(client, "email\nann@example.com\n", "application/x-www-form-urlencoded")
    assert "it has lost" not in response.json["error"]
    assert "without one, curl says that it is a form" in response.json["error"]


@pytest.mark.parametrize("query", [{}, {"dry_run": "1"}])
def test_a_file_that_has_lost_its_line_ends_is_refused(client, query):
    response = send(client, "email,nameann@example.com,Annbob@example.com,Bob", query=query)
    assert response.status_code == 422
    assert "--data-binary" in response.json["errors"][0]["message"]
    assert_nothing(client)


@pytest.fixture
def small(tmp_path):
    """A client of an instance with a file limit of 4 KiB."""
    application = create_app(
        Settings(instance=tmp_path, import_max_bytes=4096), FakeQueue(), FakeLimiter(), FakeProcesses()
    )
    database.migrate()
    yield open_client(application.test_client())
    database.close()


def test_a_file_that_is_too_large_is_refused(small):
    assert send(small, b"email\n" + b"ann@example.com\n" * 1000).status_code == 413
    assert_nothing(small)


class Unread(io.BytesIO):
    def read(self, *_):
        raise AssertionError("the body was read")


@pytest.mark.parametrize(
    ("scope", "headers", "query", "status"),
    [
        ("full", {"Authorization": basic("pk_no", "sk_no")}, {}, 401),
        ("full", {}, {"site_uuid": "00000000-0000-0000-0000-000000000000"}, 401),
        ("read", {}, {}, 403),
    ],
)
def test_no_file_is_read_before_the_request_is_checked(app, scope, headers, query, status):
    client = open_client(app.test_client(), scope)
    body = {"wsgi.input": Unread(), "CONTENT_LENGTH": "10"}
    response = client.call(
        "POST", "/batch/imports", content_type=CSV, environ_overrides=body, headers=headers, query=query
    )
    assert response.status_code == status


def test_an_import_is_receiving_until_its_file_is_complete(client, other_client):
    seen: list[str] = []

    class Slow(io.BytesIO):
        def read(self, *_):
            piece = super().read(10)
            seen.extend(each.status for each in imports.newest(client.site))
            assert jobs.due_sites() == []
            return piece

    body = {"wsgi.input": Slow(b"email\nann@example.com\n"), "CONTENT_LENGTH": "22"}
    response = client.call("POST", "/batch/imports", content_type=CSV, environ_overrides=body, query=AGREED)
    assert response.status_code == 200
    assert set(seen) == {"receiving"}
    assert response.json["data"]["attributes"]["status"] == "queued"


def test_an_abandoned_upload_is_deleted(client, monkeypatch):
    reception = file_imports.receiving(client.site)
    abandoned = reception.__enter__()
    file_imports.sweep()
    assert [each.status for each in imports.newest(client.site)] == ["receiving"]
    later = clock.now_ms() + file_imports.LEASE_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    monkeypatch.setattr(leases, "now", lambda own: own)
    file_imports.sweep()
    assert imports.newest(client.site) == []
    with pytest.raises(ServiceUnavailable):
        abandoned.accept([])


def test_imports_run_in_the_order_of_acceptance_not_of_upload_start(client):
    body = "email,plan\nann@example.com,file\n"
    batch = {"subscribers": [{"email": "ann@example.com", "plan": "batch"}, {"email": "bob@example.com"}]}

    class Interrupted(io.BytesIO):
        def read(self, *_):
            piece = super().read(100)
            if piece:
                assert client.post("/batch/subscribers", batch).json["result"] == 2
            return piece

    environ = {"wsgi.input": Interrupted(body.encode()), "CONTENT_LENGTH": str(len(body))}
    assert (
        client.call(
            "POST", "/batch/imports", content_type=CSV, environ_overrides=environ, query=AGREED
        ).status_code
        == 200
    )
    site_lane.drain(client.site.id, 5)
    assert client.find("ann@example.com")["attributes"]["fields"] == {"plan": "file"}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
def test_utf_16_is_read(client, encoding):
    import_file(client, "email\tplan\r\nann@example.com\tgroß\r\n".encode(encoding))
    assert client.find("ann@example.com")["attributes"]["fields"] == {"plan": "groß"}


@pytest.mark.parametrize(
    "start", [b"\x1f\x8b\x08", b"PK\x03\x04", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"], ids=["gzip", "zip", "xls"]
)
def test_a_binary_file_is_refused_by_its_beginning(client, start):
    response = send(client, start + b"e\0m\0")
    assert response.status_code == 422
    assert "CSV" in response.json["errors"][0]["message"]


def test_only_the_row_with_nul_is_refused(client):
    outcome = import_file(client, "email,id\nann@example.com,a\0b\nbob@example.com,c\n")
    assert (outcome["created"], outcome["failed"]) == (1, 1)
    assert [(row["row_number"], row["error_code"]) for row in errors(client)] == [("2", "invalid_text")]


def test_a_misspelt_parameter_is_named(client):
    for dry_run in ("0", "1"):
        query = {"consents": "unsubscribed", "tagg": "x", "tag": "vip", "dry_run": dry_run}
        response = send(client, "email\nann@example.com\n", query=query)
        assert response.json["meta"]["ignored"] == ["consents", "tagg"]


def test_a_misspelt_parameter_refuses_the_file_on_request(client):
    text, query, strict = "email\nann@example.com\n", {"map[email]": "email"}, {"Prefer": "handling=strict"}
    response = send(client, text, query=query | {"tagg": "x"}, headers=strict)
    assert (response.status_code, response.json["did_you_mean"]) == (422, ["tag"]), response.text
    assert_nothing(client)
    assert send(client, text, query=query, headers=strict).status_code == 200
