"""The door a user takes: an instance of its own, a client of its API, and what a site's owner holds."""

import base64
import json
from dataclasses import dataclass, field
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from audience import sites
from audience.sites import NewKey, Site


@dataclass
class Rung:
    """A doorbell that remembers who rang."""

    sites: list[int] = field(default_factory=list)

    def ring(self, site_id: int) -> None:
        self.sites.append(site_id)


@dataclass
class Patient:
    """A limiter that counts, and never lets time pass."""

    counts: dict[tuple[str, ...], int] = field(default_factory=dict)

    def hit(self, limit: str, *key: str) -> int:
        self.counts[key] = self.counts.get(key, 0) + 1
        return 60 if self.counts[key] > int(limit.split("/")[0]) else 0


@dataclass
class Fit:
    """Redis and a worker in good health, until told otherwise."""

    redis: bool = True
    worker: float | None = 0.5

    def redis_answers(self) -> bool:
        return self.redis

    def worker_age(self) -> float | None:
        return self.worker


def basic(publishable_key: str, secret_key: str) -> str:
    return "Basic " + base64.b64encode(f"{publishable_key}:{secret_key}".encode()).decode()


@dataclass
class Door:
    """Calls the API as the holder of a key, naming a site."""

    client: FlaskClient
    site: Site
    key: NewKey

    def call(self, method: str, path: str, body: Any = None, **options: Any) -> TestResponse:
        query = {"site_uuid": self.site.uuid} | options.pop("query", {})
        headers = {"Authorization": basic(self.key.publishable_key, self.key.secret_key)}
        data = {} if body is None else {"data": json.dumps(body), "content_type": "application/json"}
        return self.client.open(
            f"/api/v1{path}",
            method=method,
            query_string={name: value for name, value in query.items() if value is not None},
            headers=headers | options.pop("headers", {}),
            **data,
            **options,
        )

    def get(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self.call("GET", path, body, **options)

    def post(self, path: str, body: Any = None, **options: Any) -> TestResponse:
        return self.call("POST", path, body, **options)

    def delete(self, path: str, **options: Any) -> TestResponse:
        return self.call("DELETE", path, **options)

    def create(self, email: str, **values: Any) -> dict[str, Any]:
        response = self.post("/fetch/subscribers", {"subscriber": {"email": email, **values}})
        assert response.status_code == 201, response.text
        return response.json["data"]

    def find(self, email: str) -> dict[str, Any] | None:
        response = self.get("/fetch/subscribers", query={"email": email})
        assert response.status_code == 200, response.text
        return response.json["data"]

    def counts(self) -> tuple[int, int, int]:
        stats = self.get("/stats/site").json
        return stats["user_count"], stats["subscriber_count"], stats["unsubscriber_count"]


def open_door(client: FlaskClient, scope: str = "full", *more: Site) -> Door:
    site = sites.create("Example")
    return Door(client, site, sites.create_key([site, *more], scope))
