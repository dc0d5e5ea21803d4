"""A file that was kept while its questions were open, in place of the body; how many are kept."""

import pytest

from audience import clock
from audience.access import keys
from audience.imports import file_uploads
from audience.operations import site_lane
from storage import database
from tests.api.sent_files import CSV, ask, left, people
from tests.client import ApiClient
from tests.file_jobs import do_files
from tests.response_assertions import error, error_fields

IN = "subscribed"


def kept(client, text, query=None):
    """The id under which a file is kept that was asked about."""
    response = ask(client, text, query=query)
    error(response, 422)
    return response.json["upload"]


def go_on(client, upload, **query):
    return client.call("POST", "/batch/imports", query={"upload": upload, **query})


@pytest.mark.parametrize("query", [{"upload": ""}, {"upload": "", "dry_run": "1"}])
def test_an_upload_that_is_blank_asks_for_one(client, query):
    answer = client.call("POST", "/batch/imports", query={"consent": IN, **query})
    assert error_fields(answer) == ["upload"]
    assert "Send upload exactly as you got it" in answer.text


def test_a_body_beside_an_upload_is_refused_and_the_upload_still_waits(client):
    upload = kept(client, people("x", "a"))
    for more in ({}, {"dry_run": "1"}):
        answer = ask(client, people("x", "b"), CSV, {"upload": upload, "consent": IN, **more})
        assert error_fields(answer) == ["upload"]
    assert client.get("/batch/imports").json == {"data": []}
    assert go_on(client, upload, consent=IN).status_code == 200


def test_of_the_files_that_a_key_keeps_waiting_the_oldest_go(client, monkeypatch):
    other_key = ApiClient(client.http, client.site, keys.create([client.site], name="Other"))
    monkeypatch.setattr(file_uploads, "MOST_ASKED", 2)
    others = kept(other_key, people("x", "z"))
    uploads = [kept(client, people("x", value)) for value in "abc"]
    error(go_on(client, uploads[0], consent=IN), 404)
    for upload in uploads[1:]:
        assert go_on(client, upload, consent=IN).status_code == 200
    assert go_on(other_key, others, consent=IN).status_code == 200


def test_a_file_is_kept_until_its_questions_are_answered(client):
    upload = kept(client, people("x", "a", "b"))
    response = go_on(client, upload, consent_column="x", subscribed="a")
    error(response, 422)
    assert response.json["upload"] == upload
    told = {"consent_column": "x", "subscribed": "a", "unsubscribed": "b"}
    assert go_on(client, upload, dry_run="1", **told).json["dry_run"]["created"] == 2
    assert go_on(client, upload, **told).status_code == 200
    site_lane.drain(client.site.id, 30)
    assert left(client, 2) == {1}
    error(go_on(client, upload, **told), 404)


def test_of_a_file_of_which_only_the_beginning_was_read_nothing_is_kept(client):
    response = ask(client, people("x", *["a"] * 20_000))
    assert "upload" not in response.json
    assert kept(client, people("x", *["a"] * 20_000, "b"), query={"consent_column": "x", "subscribed": "a"})


def test_a_kept_file_is_only_for_who_sent_it_and_for_an_hour(client, other_client, monkeypatch, settings):
    upload = kept(client, people("x", "a"))
    error(go_on(other_client, upload, consent=IN), 404)
    other_key = ApiClient(client.http, client.site, keys.create([client.site], name="Other"))
    error(go_on(other_key, upload, consent=IN), 404)
    later = clock.now_ms() + file_uploads.ASKED_MS + 1
    monkeypatch.setattr(clock, "now_ms", lambda: later)
    error(go_on(client, upload, consent=IN), 404)
    file_uploads.sweep(settings.instance)
    assert list((settings.instance / file_uploads.FOLDER).glob("*")) == []
    with database.session():
        assert database.row("SELECT count(*) FROM file_pieces") == (0,)
    assert file_uploads.list_waiting(client.site) == []


def test_an_erasure_deletes_a_file_that_waits_for_its_answers_and_has_the_person(client, settings):
    client.create("p0@example.com")
    client.create("other@example.com")
    upload = kept(client, people("x", "a", "b"))
    client.delete("/fetch/subscribers", query={"email": "other@example.com"})
    do_files(settings.instance)
    assert go_on(client, upload, consent=IN, dry_run="1").json["dry_run"]["created"] == 1
    client.delete("/fetch/subscribers", query={"email": "p0@example.com"})
    do_files(settings.instance)
    gone = go_on(client, upload, consent=IN)
    error(gone, 404)
    assert "somebody in the file was erased" in gone.text
    assert file_uploads.list_waiting(client.site) == []
