"""POST /v1/batch/imports and its errors.csv: files, read at the edge and applied through the queue."""

import csv
import io
import json

import pytest

from app import create_app
from audience import clock, files, imports
from audience.config import Settings
from storage import database
from tests.door import Fit, Patient, Rung, basic, open_door

CSV = "text/csv"
LINES = "application/x-ndjson"


def send(door, text, content_type=CSV, **options):
    data = text if isinstance(text, bytes) else text.encode()
    return door.call("POST", "/batch/imports", data=data, content_type=content_type, **options)


def import_file(door, text, content_type=CSV):
    """The import as it is once it is applied."""
    response = send(door, text, content_type)
    assert response.status_code == 200, response.text
    imports.drain(door.site.id, 30)
    return door.get(f"/batch/imports/{response.json['data']['id']}").json["data"]["attributes"]


def errors(door, number=1):
    response = door.get(f"/batch/imports/{number}/errors.csv")
    assert response.status_code == 200
    assert response.content_type == "text/csv; charset=utf-8"
    return list(csv.DictReader(io.StringIO(response.text)))


def test_a_csv_file_goes_through_the_queue(door):
    response = send(door, 'email,first_name,tags,plan,age\nann@example.com,Ann,"vip, new",pro,42\n')
    assert response.status_code == 200
    assert response.json["data"]["type"] == "imports"
    assert response.json["data"]["attributes"] | {"created_at": None} == {
        "status": "queued", "total": 1, "processed": 0, "created": 0, "updated": 0, "unchanged": 0,
        "failed": 0, "suppressed": 0, "created_at": None, "started_at": None, "finished_at": None,
    }  # fmt: skip
    assert response.json["meta"] == {"format": "csv", "encoding": "utf-8", "delimiter": ","}
    assert imports.waiting_sites() == [door.site.id]
    imports.drain(door.site.id, 5)
    person = door.find("ann@example.com")["attributes"]
    assert person["fields"] == {"plan": "pro", "age": 42, "first_name": "Ann"}
    assert len(person["cached_tag_ids"]) == 2
    assert door.get("/batch/imports/1").json["data"]["attributes"]["status"] == "finished"


@pytest.mark.parametrize(
    "text",
    [
        "E-Mail;email;plan\nx;ann@example.com;pro",
        "EMAIL\tplan\r\nann@example.com\tpro\r\n",
        "\ufeffemail,plan\nann@example.com,pro\n",
        "plan,email\rpro,ann@example.com\r",
        'plan,"email"\n"pro","ann@example.com"',
        "email,plan,,\nann@example.com,pro,,,,\n",
    ],
)
def test_every_dialect_of_csv_is_found_out(door, text):
    assert import_file(door, text)["created"] == 1
    assert door.find("ann@example.com")["attributes"]["fields"]["plan"] == "pro"


def test_latin_1_is_detected_and_said(door):
    response = send(door, "email,first_name\nann@example.com,Zoë\n".encode("latin-1"))
    assert response.json["meta"]["encoding"] == "latin-1"
    imports.drain(door.site.id, 5)
    assert door.find("ann@example.com")["attributes"]["first_name"] == "Zoë"


def test_windows_own_latin_1_is_read_too(door):
    import_file(door, b"email,first_name\nann@example.com,O\x92Neil\x81\n")
    assert door.find("ann@example.com")["attributes"]["first_name"] == "O’Neil\x81"


def test_a_quoted_line_break_stays_in_its_cell(door):
    import_file(door, 'email,note\nann@example.com,"two\r\nlines, and ""quotes"""\n')
    assert door.find("ann@example.com")["attributes"]["fields"] == {"note": 'two\r\nlines, and "quotes"'}


def test_json_lines(door):
    lines = [{"email": "ann@example.com", "tags": ["a,b"], "fields": {"n": {"m": None}}}, {"email": "no"}]
    outcome = import_file(door, "\n\n".join(map(json.dumps, lines)), LINES)
    assert (outcome["created"], outcome["failed"], outcome["total"]) == (1, 1, 2)
    assert door.find("ann@example.com")["attributes"]["fields"] == {"n": {"m": None}}
    assert errors(door)[0]["error_code"] == "invalid_email"


def test_a_file_with_column_names_alone_finishes(door):
    assert import_file(door, "email,plan\n") | {"created_at": 0, "started_at": 0, "finished_at": 0} == {
        "status": "finished", "total": 0, "processed": 0, "created": 0, "updated": 0, "unchanged": 0,
        "failed": 0, "suppressed": 0, "created_at": 0, "started_at": 0, "finished_at": 0,
    }  # fmt: skip


def test_a_long_file_is_cut_into_batches_and_applied_in_order(door):
    rows = "".join(f"person{each % 1500}@example.com,{each}\n" for each in range(2600))
    outcome = import_file(door, "email,n\n" + rows)
    assert (outcome["created"], outcome["updated"], outcome["total"]) == (1500, 1100, 2600)
    assert door.find("person0@example.com")["attributes"]["fields"] == {"n": 1500}
    assert door.counts() == (1500, 1500, 0)
    with database.session():
        assert database.rows("SELECT * FROM import_batches") == []


def test_refused_rows_are_kept_in_their_columns_without_addresses(door):
    text = (
        "email,plan,backup,created_at\n"
        "ann@example,pro,,\n"
        "ann@example.com,=1+1,bob@example.com,yesterday\n"
        "cy@example.com,a,b,,too much\n"
        ",,x,\n"
        "ok@example.com,,,\n"
    )
    outcome = import_file(door, text)
    assert (outcome["created"], outcome["failed"]) == (1, 4)
    found = errors(door)
    assert [(row["row_number"], row["error_code"]) for row in found] == [
        ("2", "invalid_email"), ("3", "invalid_created_at"), ("4", "ragged_row"), ("5", "missing_email"),
    ]  # fmt: skip
    assert list(found[0])[:7] == [
        "email", "plan", "backup", "created_at", "row_number", "error_code", "error_message",
    ]  # fmt: skip
    assert (found[0]["plan"], found[1]["plan"], found[1]["created_at"]) == ("pro", "'=1+1", "yesterday")
    assert found[1]["email"].startswith("sha256:")
    assert found[1]["backup"].startswith("sha256:")
    assert found[2][None] == ["too much"]
    assert "@" not in door.get("/batch/imports/1/errors.csv").text.replace("name@example.com", "").replace(
        "one @", ""
    ).replace("before the @", "")


def test_refused_rows_are_forgotten_after_thirty_days(door, monkeypatch):
    import_file(door, "email\nnobody\n")
    assert len(errors(door)) == 1
    files.sweep()
    assert len(errors(door)) == 1
    later = clock.now() + files.KEPT + 1
    monkeypatch.setattr(clock, "now", lambda: later)
    files.sweep()
    assert errors(door) == []


DATES = {
    "created_at": "2020-01-02T03:04:05.678Z",
    "updated_at": "2021-01-02T03:04:05.678Z",
    "last_event_at": "2022-01-02T03:04:05.678Z",
    "unsubscribed_at": "2023-01-02T03:04:05.678Z",
}


def test_a_file_sets_the_dates_of_people_whom_it_creates(door):
    import_file(door, f"email,{','.join(DATES)}\nann@example.com,{','.join(DATES.values())}\n")
    person = door.find("ann@example.com")["attributes"]
    assert {name: person[name] for name in DATES} == DATES
    assert door.counts() == (1, 0, 1)


def test_of_those_who_exist_a_file_ends_the_subscription_and_nothing_else(door):
    before = door.create("ann@example.com")["attributes"]
    import_file(door, f"email,{','.join(DATES)}\nann@example.com,{','.join(DATES.values())}\n")
    after = door.find("ann@example.com")["attributes"]
    assert after["unsubscribed_at"] == DATES["unsubscribed_at"]
    assert after["created_at"] == before["created_at"]
    assert after["last_event_at"] is None
    assert after["updated_at"] > DATES["updated_at"]
    import_file(door, "email,unsubscribed_at\nann@example.com,\n")
    assert door.find("ann@example.com")["attributes"]["unsubscribed_at"] == DATES["unsubscribed_at"]
    assert door.counts() == (1, 0, 1)


def test_an_older_end_of_subscription_loses_to_a_later_return(door):
    door.create("ann@example.com")
    for command in ("unsubscribe", "subscribe"):
        door.post("/fetch/commands", {"command": {"command": command, "email": "ann@example.com"}})
    import_file(door, "email,unsubscribed_at\nann@example.com,2020-01-01\n")
    assert door.find("ann@example.com")["attributes"]["unsubscribed_at"] is None


def test_the_second_row_of_somebody_new_moves_updated_at(door):
    import_file(door, "email,updated_at,plan\nann@example.com,2020-01-01,a\nann@example.com,2020-01-01,b\n")
    assert door.find("ann@example.com")["attributes"]["updated_at"] > "2025"


def test_json_imports_do_not_read_dates(door):
    door.post("/batch/subscribers", {"subscribers": [{"email": "ann@example.com"} | DATES]})
    person = door.find("ann@example.com")["attributes"]
    assert person["unsubscribed_at"] is None
    assert person["created_at"] > "2025"


def test_dates_ahead_of_time_are_now(door):
    import_file(door, "email,created_at,last_event_at\nann@example.com,2999-01-01,2999-01-01\n")
    person = door.find("ann@example.com")["attributes"]
    assert person["created_at"] < "2999"
    assert person["last_event_at"] < "2999"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "empty"),
        ("name,plan\nann,pro\n", "named email"),
        ("email,Email\na@b.co,b@b.co\n", "Two columns"),
        ("email,a b,a*b\nann@example.com,1,2\n", "Two columns"),
        (f"email,{'x' * 101}\n", "cannot name"),
        ('email,note\na@example.com,ok\nb@example.com,"open\nc@example.com,\n', "row 3"),
        ('email,note\na@example.com,ok\nb@example.com,"' + "x" * 2**20 + '"\n', "1,048,576"),
        ("email\n" + "x" * (2**20 + 1), "1,048,576"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused_and_nothing_stays(door, text, told):
    response = send(door, text)
    assert response.status_code == 422
    assert told in response.json["errors"][0]["message"]
    assert_nothing(door)


def assert_nothing(door):
    assert door.get("/batch/imports").json == {"data": []}
    with database.session():
        assert database.rows("SELECT 1 FROM import_batches UNION ALL SELECT 1 FROM refused_rows") == []


@pytest.mark.parametrize("content_type", ["application/json", "text/plain", "multipart/form-data", ""])
def test_other_types_are_refused(door, content_type):
    assert send(door, "email\na@b.co\n", content_type).status_code == 415


@pytest.fixture
def small(tmp_path):
    """The owner of a site where a file has 4 KiB at most."""
    application = create_app(Settings(instance=tmp_path, import_max_bytes=4096), Rung(), Patient(), Fit())
    database.migrate()
    yield open_door(application.test_client())
    database.close()


def test_too_large_a_file_is_refused_declared_or_not(small):
    text = b"email\n" + b"ann@example.com\n" * 1000
    assert send(small, text).status_code == 413
    chunked = {"wsgi.input": io.BytesIO(text), "wsgi.input_terminated": True}
    response = small.call("POST", "/batch/imports", content_type=CSV, environ_overrides=chunked)
    assert response.status_code == 413
    assert_nothing(small)


def test_a_file_that_breaks_off_leaves_nothing(door):
    broken = {"wsgi.input": io.BytesIO(b"email\nann@example.com\n"), "CONTENT_LENGTH": "100"}
    response = door.call("POST", "/batch/imports", content_type=CSV, environ_overrides=broken)
    assert response.status_code == 400
    assert_nothing(door)


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
def test_no_file_is_read_before_all_else_is_good(app, scope, headers, query, status):
    door = open_door(app.test_client(), scope)
    body = {"wsgi.input": Unread(), "CONTENT_LENGTH": "10"}
    response = door.call(
        "POST", "/batch/imports", content_type=CSV, environ_overrides=body, headers=headers, query=query
    )
    assert response.status_code == status


def test_an_import_is_receiving_until_its_file_is_whole(door, stranger):
    seen = []

    class Slow(io.BytesIO):
        def read(self, *_):
            piece = super().read(10)
            seen.extend(each.status for each in imports.newest(door.site))
            assert imports.waiting_sites() == []
            return piece

    body = {"wsgi.input": Slow(b"email\nann@example.com\n"), "CONTENT_LENGTH": "22"}
    response = door.call("POST", "/batch/imports", content_type=CSV, environ_overrides=body)
    assert response.status_code == 200
    assert set(seen) == {"receiving"}
    assert response.json["data"]["attributes"]["status"] == "queued"


def test_an_import_that_nobody_receives_any_more_is_forgotten(door, monkeypatch):
    reception = files.receiving(door.site)
    abandoned = reception.__enter__()
    files.sweep()
    assert [each.status for each in imports.newest(door.site)] == ["receiving"]
    later = clock.now() + files.LEASE + 1
    monkeypatch.setattr(clock, "now", lambda: later)
    files.sweep()
    assert imports.newest(door.site) == []
    with pytest.raises(files.Away):
        abandoned.accept([])


def test_turns_follow_acceptance_and_not_the_beginning_of_a_file(door):
    body = "email,plan\nann@example.com,file\n"
    batch = {"subscribers": [{"email": "ann@example.com", "plan": "batch"}, {"email": "bob@example.com"}]}

    class Interrupted(io.BytesIO):
        def read(self, *_):
            piece = super().read(100)
            if piece:
                assert door.post("/batch/subscribers", batch).json["result"] == 2
            return piece

    given = {"wsgi.input": Interrupted(body.encode()), "CONTENT_LENGTH": str(len(body))}
    assert door.call("POST", "/batch/imports", content_type=CSV, environ_overrides=given).status_code == 200
    imports.drain(door.site.id, 5)
    assert door.find("ann@example.com")["attributes"]["fields"] == {"plan": "file"}


def test_the_errors_of_another_site_are_not_found(door, stranger):
    import_file(door, "email\nnobody\n")
    assert stranger.get("/batch/imports/1/errors.csv").status_code == 404
    assert door.get("/batch/imports/2/errors.csv").status_code == 404


@pytest.mark.parametrize(
    "start", [b"\xff\xfe", b"\xfe\xff", b"\x1f\x8b\x08"], ids=["UTF-16", "UTF-16 BE", "gzip"]
)
def test_a_file_that_is_no_plain_text_is_refused_as_what_it_is(door, start):
    response = door.call("POST", "/batch/imports", data=start + b"e\0m\0", content_type="text/csv")
    assert response.status_code == 422
    assert "UTF-8" in response.json["errors"][0]["message"]
