"""What is found out of a request before its body is sent is not asked for again with it."""

import pytest
from werkzeug.test import EnvironBuilder, run_wsgi_app

from audience.access import keys
from audience.http.admission import Admission
from audience.protocols import REFUSAL
from tests.client import basic


def tag_request(publishable_key, secret_key):
    credentials = [("Authorization", basic(publishable_key, secret_key))]
    return EnvironBuilder(
        "/api/v1/fetch/tags", method="POST", json={"tag": {"name": "vip"}}, headers=credentials
    ).get_environ()


@pytest.mark.parametrize(
    ("secret", "status", "failures"), [(None, "201 CREATED", 0), ("sk_no", "401 UNAUTHORIZED", 1)]
)
def test_a_secret_is_checked_once_and_a_failure_counted_once(
    app, client, monkeypatch, secret, status, failures
):
    environ = tag_request(client.key.publishable_key, secret or client.key.secret_key)
    real, checked = keys.authenticate, list[str]()

    def counted(publishable_key, secret_key):
        checked.append(secret_key)
        return real(publishable_key, secret_key)

    monkeypatch.setattr(keys, "authenticate", counted)
    max_bytes = Admission(app)(environ)
    assert (max_bytes is None) == (REFUSAL in environ) == bool(failures)
    assert run_wsgi_app(app, environ, buffered=True)[1] == status
    assert len(checked) == 1
    counts = app.extensions["audience"].limiter.counts
    assert [count for (kind, *_), count in counts.items() if kind == "auth"] == [1, 1] * failures
