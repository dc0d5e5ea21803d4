"""A client of the API with a key of one site, and fakes of the services around the web application."""

import base64
import contextlib
import json
import tempfile
from dataclasses import dataclass, field
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from audience.access import keys, sites
from audience.access.keys import NewKey
from audience.access.sites import Site
from audience.protocols import QueueHealth, RateWindow
from tests import described


@dataclass
class FakeQueue:
    """An import queue that records which sites it was notified of."""

    sites: list[int] = field(default_factory=list)

    def notify(self, site_id: int) -> None:
        self.sites.append(site_id)


@dataclass
class FakeLimiter:
    """A limiter whose windows never expire."""

    counts: dict[tuple[str, ...], int] = field(default_factory=dict)

    def hit(self, limit: str, *key: str) -> int:
        self.counts[key] = self.counts.get(key, 0) + 1
        return 60 if self.counts[key] > int(limit.split("/")[0]) else 0

    def is_spent(self, limit: str, *key: str) -> bool:
        return self.counts.get(key, 0) >= int(limit.split("/")[0])

    def window(self, limit: str, *key: str) -> RateWindow:
        amount = int(limit.split("/")[0])
        return RateWindow(amount, max(0, amount - self.counts.get(key, 0)), 60)


@dataclass
class FakeProcesses:
    """A service, healthy by default; `worker` is the age of the heartbeat in seconds."""

    redis: bool = True
    worker: float | None = 0.5
    is_serving: bool = True
    eviction_policy: str = "noeviction"

    def stopped(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()

    def serving(self) -> bool:
        return self.is_serving

    def worker_age(self) -> float | None:
        return self.worker

    def queue(self) -> QueueHealth:
        if not self.redis:
            return QueueHealth(error="ConnectionError")
        return QueueHealth("Valkey 9.1", "append-only file, last write ok", self.eviction_policy)


def basic(publishable_key: str, secret_key: str) -> str:
    return "Basic " + base64.b64encode(f"{publishable_key}:{secret_key}".encode()).decode()


@dataclass
class ApiClient:
    """Calls the API with a key and a site."""

    http: FlaskClient
    site: Site
    key: NewKey

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> TestResponse:
        """Sends a request with the key and, unless `options` say otherwise, the site. `body` is JSON."""
        query = {"site_uuid": self.site.uuid} | options.pop("query", {})
        headers = {"Authorization": basic(self.key.publishable_key, self.key.secret_key)}
        data: dict[str, Any] = (
            {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        )
        answer = self.http.open(
            f"/api/v1{path}",
            method=method,
            query_string={name: value for name, value in query.items() if value is not None},
            headers=headers | options.pop("headers", {}),
            **data,
            **options,
        )
        described.check(self.http.application, answer)
        return answer

    def send_file(self, path: str, data: bytes, **options: Any) -> TestResponse:
        """Sends a file. The body is a real file, as the web server passes it on."""
        with tempfile.TemporaryFile() as body:
            body.write(data)
            body.seek(0)
            headers = {"Content-Length": str(len(data))} | options.pop("headers", {})
            return self.call("POST", path, input_stream=body, headers=headers, **options)

    def get(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self.call("GET", path, body, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self.call("POST", path, body, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        return self.call("DELETE", path, **options)

    def create(self, email: str, **values: Any) -> dict[str, Any]:
        response = self.post("/fetch/subscribers", {"subscriber": {"email": email, **values}})
        assert response.status_code == 201, response.text
        created: dict[str, Any] = json.loads(response.text)["data"]
        return created

    def find(self, email: str) -> dict[str, Any] | None:
        response = self.get("/fetch/subscribers", query={"email": email})
        assert response.status_code == 200, response.text
        found: dict[str, Any] | None = json.loads(response.text)["data"]
        return found

    def counts(self) -> tuple[int, int, int]:
        stats: Any = self.get("/stats/site").json
        return stats["user_count"], stats["subscriber_count"], stats["unsubscriber_count"]


def open_client(http: FlaskClient, scope: str = "full", *more: Site) -> ApiClient:
    site = sites.create("Example")
    return ApiClient(http, site, keys.create([site, *more], scope))
