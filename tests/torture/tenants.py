"""Every operation by fifteen kinds of credentials, for the own, another, an unknown and no site, with both
sites' ids; and every page of the console by every role.

Nobody sees or changes anything of another site, and whoever may not come in gets one and the same 401.
"""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from audience.access import keys, passwords, sites
from audience.access.keys import NewKey
from audience.access.operators import ROLES
from audience.access.sites import Site
from audience.imports import imports
from audience.webhooks import webhooks
from tests.api.endpoints import ENDPOINTS, Endpoint
from tests.client import ApiClient, basic
from tests.console.browser import open_browser, signed_in
from tests.console.screens import fill
from tests.console.test_pages import filled, pages, send
from tests.torture.application import opened_application

MARKS = ("ownmark", "othermark")
PEOPLE, SEGMENTS, REPORTS = "/fetch/search", "/fetch/segments", "/fetch/reports"
LISTS = ("/fetch/tags", SEGMENTS, REPORTS, "/batch/imports", "/fetch/webhooks")
UNKNOWN = "00000000-0000-4000-8000-000000000000"
VISITORS = ("nobody", *ROLES)  # of the console
SHORT = LONG = len(ENDPOINTS) + len(VISITORS)
UNIT = "operations and roles"
SKIPPED = ("/console/sign-out", "/console/<path:rest>", "/console/link", "/console/first")


@dataclass
class Sites:
    """Two sites, each with its mark in every value, and the headers of fifteen kinds of credentials."""

    http: FlaskClient
    own: Site
    other: Site
    key: NewKey
    other_client: ApiClient

    def __post_init__(self) -> None:
        self.untouched = self.export()
        self.refusals: set[tuple[bytes, str]] = set()

    def export(self) -> bytes:
        """All that the other site shows of itself."""
        ask = self.other_client.get
        undo = f"/batch/imports/{imports.newest(self.other)[0].id}/undo"
        paths = ("/fetch/export", "/fetch/fields", "/fetch/changes", "/stats/site", undo, *LISTS)
        return b"".join(ask(path).data for path in paths)

    def credentials(self) -> dict[str, str | None]:
        """The header `Authorization` by kind of credentials; kinds that begin with `own` are good keys of the
        own site.
        """
        made = {scope: keys.create([self.own], scope) for scope in ("read", "stats", "utility")}
        revoked, expired, old = (keys.create([self.own]) for _ in range(3))
        keys.revoke(revoked.publishable_key, instance_of(self.http))
        new = keys.rotate(old.publishable_key, instance_of(self.http))
        keys.rotate(expired.publishable_key, instance_of(self.http), overlap_ms=-1)
        own, other = self.key, self.other_client.key
        return {
            "own": pair(own.publishable_key, own.secret_key),
            **{f"own {scope}": pair(key.publishable_key, key.secret_key) for scope, key in made.items()},
            "own rotated": pair(new.publishable_key, new.secret_key),
            "revoked": pair(revoked.publishable_key, revoked.secret_key),
            "expired": pair(expired.publishable_key, expired.secret_key),
            "replaced": pair(old.publishable_key, old.secret_key),
            "wrong secret": pair(own.publishable_key, other.secret_key),
            "wrong name": pair(other.publishable_key, own.secret_key),
            "swapped": pair(own.secret_key, own.publishable_key),
            "unknown": pair("pk_" + "x" * 28, "sk_" + "x" * 28),
            "empty": pair("", ""),
            "no Basic": f"Bearer {own.secret_key}",
            "none": None,
        }


def pair(name: str, secret: str) -> str:
    return basic(name, secret)


def instance_of(http: FlaskClient) -> Any:
    return http.application.extensions["audience"].settings.instance


@contextmanager
def opened(short: bool) -> Iterator[object]:
    with opened_application(auth_failures="100000000/minute") as (app, _):
        own, other = sites.create(MARKS[0]), sites.create(MARKS[1])
        for site, mark in ((own, MARKS[0]), (other, MARKS[1])):
            marked = {"url": f"https://{mark}.example/hook", "paused": True}
            webhooks.create(site, marked)
            fill(site, names=(mark, f"{mark}2", f"{mark}3"))
        http = app.test_client()
        both = Sites(http, own, other, keys.create([own]), ApiClient(http, other, keys.create([other])))
        credentials = both.credentials()
        assert len(credentials) == 15

        def attack(number: int, chance: Random) -> None:
            if number < len(ENDPOINTS):
                operate(both, ENDPOINTS[number], credentials)
                assert len(both.refusals) == 1, f"several kinds of 401: {both.refusals}"
            else:
                look(both, VISITORS[number - len(ENDPOINTS)])
            assert both.export() == both.untouched, "the other site has changed"

        yield attack


def operate(both: Sites, endpoint: Endpoint, credentials: dict[str, str | None]) -> None:
    ids = own_and_other_ids(both, endpoint)
    for kind, authorization in credentials.items():
        for site in (both.own.uuid, both.other.uuid, UNKNOWN, None):
            for changed in ids:
                answer = ask(both, changed, authorization, site)
                judge(both, answer, kind, endpoint, site)


def judge(both: Sites, answer: TestResponse, kind: str, endpoint: Endpoint, site: str | None) -> None:
    case = (str(endpoint), kind, site, answer.status_code)
    assert MARKS[1] not in answer.text, case
    assert answer.status_code < 500, case
    if not kind.startswith("own"):
        assert answer.status_code == 401, case
        assert MARKS[0] not in answer.text, case
    elif site not in (both.own.uuid, None) and not endpoint.path.startswith("/fetch/sites"):
        assert answer.status_code in (401, 403), case
    if answer.status_code == 401:
        both.refusals.add((answer.data, answer.headers["WWW-Authenticate"]))


def own_and_other_ids(both: Sites, endpoint: Endpoint) -> list[Endpoint]:
    """The valid request, and the same with each id replaced by one of the other site."""
    texts = (endpoint.path, json.dumps(endpoint.body), json.dumps(endpoint.query))
    if not any("1" in text for text in texts) and "email" not in "".join(texts):
        return [endpoint]
    first = {path: both.other_client.get(path).json["data"][0] for path in (*LISTS, PEOPLE)}  # type: ignore[index]
    ids = {path: first[path]["id"] for path in LISTS}
    others = [endpoint._replace(path=endpoint.path.replace("/1", f"/{each}")) for each in ids.values()]
    person = first[PEOPLE]["attributes"]
    named = {"segment_id": ids[SEGMENTS], "report_id": ids[REPORTS], "uuid": person["uuid"]}
    query = {name: named.get(name, value) for name, value in (endpoint.query or {}).items()}
    return [endpoint, *others, endpoint._replace(query=query | {"uuid": person["uuid"]})]


def ask(both: Sites, endpoint: Endpoint, authorization: str | None, site: str | None) -> TestResponse:
    return both.http.open(
        f"/api/v1{endpoint.path}",
        method=endpoint.method,
        query_string=(endpoint.query or {}) | ({"site_uuid": site} if site else {}),
        headers={"Authorization": authorization} if authorization else {},
        json=endpoint.body,
    )


def look(both: Sites, role: str) -> None:
    """Requests every page of the other site, and every page of the own site with ids of the other."""
    app, cost = both.http.application, passwords.COST
    passwords.COST = 2
    try:
        visitor = (
            signed_in(app, f"{role}@example.com", {both.own: role}) if role in ROLES else open_browser(app)
        )
    finally:
        passwords.COST = cost
    for method, rule, needed in pages(app):
        if rule in SKIPPED or "static" in rule:
            continue
        path = filled(rule, both.other)
        answer = send(visitor, method, path)
        assert MARKS[1] not in answer.text, (method, rule, role)
        assert answer.status_code < 500, (method, rule, role)
        if "_id>" in rule:
            crossed = send(visitor, method, path.replace(both.other.uuid, both.own.uuid))
            assert MARKS[1] not in crossed.text, (method, rule, role)
            assert crossed.status_code in (303, 400, 403, 404), (method, rule, role, crossed.status_code)
        if needed not in ("anyone", "operator") and "<site_uuid>" in rule:
            assert answer.status_code in (303, 403, 404), (method, rule, role, answer.status_code)
