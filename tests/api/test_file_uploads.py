"""A file that was kept while its questions were open, in place of the body; how many are kept."""

import pytest

from audience import file_uploads, keys
from tests.api.sent_files import CSV, ask, people
from tests.client import ApiClient
from tests.response_assertions import error, error_fields

IN = "subscribed"


def kept(client, text):
    response = ask(client, text)
    assert response.status_code == 422, response.text
    return response.json["upload"]


def go_on(client, upload, **query):
    return client.call("POST", "/batch/imports", query={"upload": upload, **query})


@pytest.mark.parametrize("query", [{"upload": ""}, {"upload": "", "dry_run": "1"}])
def test_an_upload_that_is_blank_asks_for_one(client, query):
    answer = client.call("POST", "/batch/imports", query={"consent": IN, **query})
    assert error_fields(answer) == ["upload"]
    assert "Send upload as the answer" in answer.text


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
