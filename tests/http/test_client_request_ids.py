"""A client's own id of a request comes back, and is logged by a setting alone; what is left of a limit."""

import logging
from dataclasses import replace

import pytest

from tests.client import basic


def ask(client, sent):
    keys = basic(client.key.publishable_key, client.key.secret_key)
    headers = {"Authorization": keys, "X-Request-Id": sent}
    return client.http.get("/api/v1/stats/site", headers=headers)


def change(app, monkeypatch, **options):
    services = app.extensions["audience"]
    monkeypatch.setitem(
        app.extensions, "audience", replace(services, settings=replace(services.settings, **options))
    )


@pytest.mark.parametrize("sent", ["a", "order-7_B", "x" * 64])
def test_an_id_comes_back(client, sent):
    answer = ask(client, sent)
    assert answer.headers["X-Client-Request-Id"] == sent
    assert answer.headers["X-Request-Id"] != sent


@pytest.mark.parametrize("sent", ["", "x" * 65, "ann@example.com", "a b", "a.b", "é"])
def test_another_text_does_not(client, sent):
    assert "X-Client-Request-Id" not in ask(client, sent).headers


@pytest.mark.parametrize("is_logged", [False, True])
def test_it_is_logged_where_the_setting_says_so(client, app, caplog, monkeypatch, is_logged):
    caplog.set_level(logging.INFO)
    change(app, monkeypatch, log_client_request_ids=is_logged)
    ask(client, "order-7")
    [record] = [record for record in caplog.records if record.getMessage() == "request"]
    assert record.fields.get("client_request_id") == ("order-7" if is_logged else None)
    assert ("client_request_id" in record.fields) == is_logged


def test_what_is_left_of_a_limit_is_told(client, app, monkeypatch):
    assert not [name for name, _ in ask(client, "").headers if name.startswith("RateLimit")]
    change(app, monkeypatch, rate_limit_stats="2/minute")
    told = [ask(client, "") for _ in range(3)]
    assert [answer.status_code for answer in told] == [200, 200, 429]
    assert [answer.headers["RateLimit-Remaining"] for answer in told] == ["1", "0", "0"]
    assert {answer.headers["RateLimit-Limit"] for answer in told} == {"2"}
    assert {answer.headers["RateLimit-Reset"] for answer in told} == {"60"}
    assert told[-1].headers["Retry-After"] == "60"
