"""Refused rows of a file: kept for thirty days, without addresses, and erased with their person."""

import json

import pytest

from audience import clock
from audience.access import site_keys
from audience.access.site_keys import SECOND
from audience.erasures import erasures
from audience.imports import file_imports
from tests.api.sent_files import LINES, errors, import_file


def test_refused_rows_are_stored_with_their_columns_but_without_addresses(client):
    text = (
        "email,plan,backup,created_at\n"
        "ann@example,pro,,\n"
        "ann@example,=1+1,bob@example.com,yesterday\n"
        "cy@example.com,a,b,,too much\n"
        ",,x,\n"
        "ok@example.com,,,\n"
    )
    outcome = import_file(client, text, query={"unread_dates": "ignore"})
    assert (outcome["created"], outcome["failed"]) == (1, 4)
    refused = errors(client)
    assert [(row["row_number"], row["error_code"]) for row in refused] == [
        ("2", "invalid_email"), ("3", "invalid_email"), ("4", "ragged_row"), ("5", "missing_email"),
    ]  # fmt: skip
    assert list(refused[0])[:7] == [
        "email", "plan", "backup", "created_at", "row_number", "error_code", "error_message",
    ]  # fmt: skip
    assert (refused[0]["plan"], refused[1]["plan"], refused[1]["created_at"]) == ("pro", "'=1+1", "yesterday")
    assert refused[1]["email"].startswith("sha256:")
    assert refused[1]["backup"].startswith("sha256:")
    assert refused[2][None] == ["too much"]
    assert "@" not in client.get("/batch/imports/1/errors.csv").text.replace("name@example.com", "").replace(
        "before the @", ""
    )


@pytest.mark.parametrize("address", ["ann@example", "Ann@@example.com", "ann"])
def test_the_refused_row_of_a_malformed_address_is_erased_with_it(client, settings, address):
    import_file(client, f"email,note\n{address},a\nbob@,b\n")
    erasures.erase(client.site, settings.instance, address.upper())
    assert [row["note"] for row in errors(client)] == ["b"]


def test_addresses_are_hidden_in_any_text_of_a_refused_row(client):
    note = "write to <ann@example.com>, bob\uff20example.com or cy@example.com; not to x"
    import_file(client, f'email,note\nnobody,"{note}"\n')
    hidden = errors(client)[0]["note"]
    assert "example" not in hidden
    assert hidden.count("sha256:") == 3
    assert hidden.endswith("; not to x")


CODES = ["%40", "%2540", "&#64;", "&#x40;", "&commat;", "&amp;#64;", "=40", "=3D40", "\\u0040", "\\\\u0040"]


@pytest.mark.parametrize("code", [*CODES, *map(str.upper, CODES)])
def test_an_address_in_an_encoding_is_hidden_and_its_row_erased(client, settings, code):
    code = code.replace("&AMP", "&amp").replace("U", "u")
    encoded = f"Ann{code}Example.com"
    import_file(client, f'email,note\n"{encoded}",a\nbob,"see {encoded}, or Bob"\n')
    rows = errors(client)
    assert "xample" not in json.dumps([[row["email"], row["note"]] for row in rows])
    hashes = {site_keys.sent_address_hash(client.site.id, each) for each in ("ann@example.com", "bob")}
    assert {row["email"] for row in rows} == {f"sha256:{each.removeprefix(SECOND)}" for each in hashes}
    assert rows[1]["note"] == f"see {rows[0]['email']}, or Bob"
    erasures.erase(client.site, settings.instance, "ann@example.com")
    assert [row["note"] for row in errors(client)] == [rows[1]["note"]]


def test_a_refused_line_of_many_addresses_keeps_none(client):
    outcome = import_file(client, "a@b " * 10_000, LINES)
    assert outcome["failed"] == 1
    words = errors(client)[0]["line"].split()
    assert len(words) == 10_000
    assert all(word.startswith("sha256:") for word in words)
    assert sum(word != "sha256:" for word in words) == 100


def test_refused_objects_that_all_have_other_keys_do_not_make_thousands_of_columns(client):
    rows = [{"email": "nobody", f"key{number}": number} for number in range(150)]
    import_file(client, "\n".join(map(json.dumps, rows)), LINES)
    refused = errors(client)
    assert [refused[0]["key0"], refused[98]["key98"]] == ["0", "98"]
    assert json.loads(refused[149]["line"])["key149"] == 149
    assert len(refused[0]) == len({"row_number", "error_code", "error_message", "code", "line"}) + 100


def test_a_long_line_without_an_address_is_kept(client):
    line = "a" * 1_000_000
    assert import_file(client, f"{line}\n", LINES)["failed"] == 1
    assert client.get("/batch/imports/1/errors.csv").text.count(line) == 1


def test_refused_rows_are_deleted_after_thirty_days(client, monkeypatch):
    import_file(client, "email\nnobody\n")
    assert len(errors(client)) == 1
    file_imports.forget_refused()
    assert len(errors(client)) == 1
    later = clock.now_ms() + file_imports.RETENTION_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    file_imports.forget_refused()
    assert errors(client) == []


def test_the_errors_of_another_site_are_not_found(client, other_client):
    import_file(client, "email\nnobody\n")
    assert other_client.get("/batch/imports/1/errors.csv").status_code == 404
    assert client.get("/batch/imports/2/errors.csv").status_code == 404


def test_an_object_whose_equal_keys_name_two_is_refused_alone(client, settings):
    client.create("eve@example.com")
    rows = [
        '{"email": "ann@example.com", "email": "bob@example.com", "plan": "a"}',
        '{"email": "eve@example.com", "command": "unsubscribe", "command": "subscribe"}',
        '{"email": "cy@example.com", "email": " CY@example.com", "plan": "b", "plan": "b"}',
        '{"email": "di@example.com", "fields": {"email": "x", "email": "y"}}',
    ]
    outcome = import_file(client, "\n".join(rows), LINES)
    assert (outcome["created"], outcome["failed"]) == (1, 3)
    assert [row["error_code"] for row in errors(client)] == ["invalid_json"] * 3
    assert "several times" in errors(client)[0]["error_message"]
    assert client.find("cy@example.com")["attributes"]["fields"] == {"plan": "b"}
    assert client.counts() == (2, 2, 0)
    erasures.erase(client.site, settings.instance, "bob@example.com")
    assert [row["row_number"] for row in errors(client)] == ["2", "4"]
