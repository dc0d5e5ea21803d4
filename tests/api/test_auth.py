"""Who may call: keys, sites, scopes, throttles (contract section 1)."""

import base64
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from werkzeug.routing import Rule

from app import create_app
from audience import sites
from audience.api.endpoint import PUBLIC, check_scopes
from audience.config import Settings
from audience.sites import NewKey
from storage import database
from tests import shapes
from tests.api.endpoints import ENDPOINTS, ask, prepare
from tests.door import Door, Fit, Patient, Rung, basic, open_door

SCOPES = {
    "full": {"full", "read", "stats", "utility"},
    "read": {"read", "stats"},
    "stats": {"stats"},
    "utility": {"utility"},
}


def raw(door, authorization, **query):
    headers = {} if authorization is None else {"Authorization": authorization}
    return door.client.get("/api/v1/stats/site", query_string=query, headers=headers)


def with_key(door, **changes):
    return replace(door, key=replace(door.key, **changes))


def opened(tmp_path, **changes):
    app = create_app(Settings(instance=tmp_path, **changes), Rung(), Patient(), Fit())
    database.migrate()
    return open_door(app.test_client())


CREDENTIALS = {  # what is wrong with each
    "none": None,
    "empty": "",
    "no token": "Basic",
    "no token but a blank": "Basic ",
    "another scheme": "Bearer abc",
    "not Base64": "Basic !!!!",
    "not ASCII": "Basic \xff",
    "not UTF-8": "Basic /w==",
    "no colon": "Basic " + base64.b64encode(b"name").decode(),
    "nothing but a colon": "Basic Og==",
    "NUL": basic("pk\0", "sk\0"),
    "made up": basic("pk_none", "sk_none"),
    "very long": basic("p" * 100_000, "s"),
    "one octet of Base64": "Basic A",
}


@pytest.mark.parametrize("credentials", CREDENTIALS.values(), ids=CREDENTIALS.keys())
def test_bad_credentials_are_one_401(door, credentials):
    response = raw(door, credentials, site_uuid=door.site.uuid)
    assert shapes.error(response, 401) == []
    assert response.headers["WWW-Authenticate"].startswith("Basic ")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_every_endpoint_refuses_who_has_no_right(door, stranger, endpoint):
    """No key, a wrong secret, another's site, an unknown site, none of several: the same answer."""
    prepare(door)
    both = Door(door.client, door.site, sites.create_key([door.site, stranger.site]))
    sites.revoke_key((revoked := sites.create_key([door.site])).publishable_key)
    refused = [
        ask(door, endpoint, headers={"Authorization": ""}),
        ask(with_key(door, secret_key=stranger.key.secret_key), endpoint),
        ask(with_key(door, publishable_key=stranger.key.publishable_key), endpoint),
        ask(replace(door, key=revoked), endpoint),
        ask(replace(stranger, site=door.site), endpoint),
        ask(door, endpoint, query={**(endpoint.query or {}), "site_uuid": stranger.site.uuid}),
        ask(door, endpoint, query={"site_uuid": "00000000-0000-4000-8000-000000000000"}),
        ask(door, endpoint, query={"site_uuid": "nonsense\0"}),
    ]
    if endpoint.scope != "utility":
        refused.append(ask(both, endpoint, query={**(endpoint.query or {}), "site_uuid": None}))
    for response in refused:
        shapes.error(response, 401)
    assert all(one.data == other.data for one, other in pairwise(refused))
    assert door.counts() == (1, 1, 0)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_site_in_the_query_or_in_the_body_or_the_keys_only_one(door, stranger, endpoint):
    prepare(door)
    both = Door(door.client, door.site, sites.create_key([stranger.site, door.site]))
    body, query = endpoint.body or {}, endpoint.query or {}
    in_body = {**body, "site_uuid": door.site.uuid}
    no_site = {**query, "site_uuid": None}
    if endpoint.method == "DELETE":
        assert ask(both, endpoint, body=in_body, query=no_site).status_code == 200
        return
    for caller, given in (
        (both, {}),
        (both, {"body": in_body, "query": no_site}),
        (both, {"body": in_body}),
        (door, {"query": no_site}),
    ):
        assert ask(caller, endpoint, **given).status_code == endpoint.status
    assert stranger.counts() == (0, 0, 0)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
@pytest.mark.parametrize("scope", SCOPES)
def test_scopes(door, endpoint, scope):
    prepare(door)
    caller = replace(door, key=sites.create_key([door.site], scope))
    response = ask(caller, endpoint)
    if endpoint.scope in SCOPES[scope]:
        shapes.answer(response, endpoint.status)
    else:
        assert shapes.error(response, 403) == []


@pytest.mark.parametrize("spelling", [
    lambda text: text,
    lambda text: text.replace("Basic", "basic"),
    lambda text: text.replace("Basic", "BASIC"),
    lambda text: text.rstrip("="),
    lambda text: text.translate(str.maketrans("+/", "-_")),
    lambda text: text.replace("Basic ", "Basic   "),
], ids=["standard", "lower", "upper", "unpadded", "URL-safe", "blanks"])  # fmt: skip
def test_good_credentials_in_every_spelling(door, spelling, monkeypatch):
    """Secrets that hit both letters in which the two alphabets differ."""
    monkeypatch.setattr(
        sites, "_random", iter(["~~~???>>>" * 3 + "xxxx", "\u00ff\u00fe???>>>~~~" * 2]).__next__
    )
    key = sites.create_key([door.site])
    token = basic(key.publishable_key, key.secret_key)
    assert {"+", "/"} & set(token)
    shapes.answer(raw(door, spelling(token), site_uuid=door.site.uuid))


def test_keys_and_site_uuids_have_a_length_that_clients_take(door):
    for text in (door.key.publishable_key, door.key.secret_key, door.site.uuid):
        assert 28 <= len(text) <= 36


def test_a_site_uuid_is_taken_without_dashes_and_in_capitals(door):
    for spelling in (door.site.uuid.replace("-", ""), door.site.uuid.upper()):
        shapes.answer(door.get("/stats/site", query={"site_uuid": spelling}))


def test_a_malformed_site_in_the_body_is_a_401(door):
    for value in (5, True, {"a": 1}, ["x"], "\ud800", "x\0"):
        shapes.error(door.get("/stats/site", {"site_uuid": value}, query={"site_uuid": None}), 401)


def test_failures_are_throttled_per_address_but_never_a_right_secret(door):
    wrong = with_key(door, secret_key="sk_wrong")
    statuses = [wrong.get("/stats/site").status_code for _ in range(31)]
    assert statuses == [401] * 30 + [429]
    throttled = wrong.get("/stats/site")
    shapes.error(throttled, 429)
    assert throttled.headers["Retry-After"] == "60"
    shapes.answer(door.get("/stats/site"))
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "192.0.2.7"}}
    shapes.error(wrong.get("/stats/site", **elsewhere), 401)


def test_who_is_over_the_limit_adds_nothing_to_what_is_counted(door, app):
    for number in range(40):
        with_key(door, publishable_key=f"pk_{number}").get("/stats/site")
    counted = [key for key in app.extensions["audience"].limiter.counts if len(key) == 3]
    assert len(counted) == 30


def test_a_forwarded_address_counts_only_from_a_trusted_proxy(door, tmp_path):
    def fails(caller, forwarded):
        wrong = with_key(caller, secret_key="sk_wrong")
        return wrong.get("/stats/site", headers={"X-Forwarded-For": forwarded}).status_code

    assert [fails(door, f"192.0.2.{number}") for number in range(31)][-1] == 429
    behind = opened(tmp_path / "proxied", trusted_proxies=("127.0.0.0/8", "10.0.0.1"))
    assert [fails(behind, f"192.0.2.{number}") for number in range(31)][-1] == 401
    assert [fails(behind, f"192.0.2.{number}, 198.51.100.9, 10.0.0.1") for number in range(31)][-1] == 429
    assert fails(behind, "198.51.100.8") == 401


FAMILIES = {
    "fetch": "/fetch/fields",
    "batch": "/batch/imports",
    "stats": "/stats/site",
    "experimental": "/experimental/blacklist",
}


@pytest.mark.parametrize("family", FAMILIES)
def test_rate_limits_are_per_key_and_family(tmp_path, family):
    def get(caller, name):
        return caller.get(FAMILIES[name], query={"ip_address": "10.0.0.1"})

    door = opened(tmp_path, **{f"rate_limit_{family}": "2/minute"})
    other = replace(door, key=sites.create_key([door.site]))
    assert [get(door, family).status_code for _ in range(3)] == [200, 200, 429]
    refused = get(door, family)
    shapes.error(refused, 429)
    assert refused.headers["Retry-After"] == "60"
    shapes.answer(get(other, family))
    for free in FAMILIES.keys() - {family}:
        shapes.answer(get(door, free))


def test_a_rate_limit_stands_after_the_scope_and_before_the_form(tmp_path):
    door = opened(tmp_path, rate_limit_fetch="1/minute")
    reader = replace(door, key=sites.create_key([door.site], "read"))
    shapes.error(door.post("/fetch/fields", {}), 422)
    shapes.error(door.post("/fetch/fields", {}), 429)
    shapes.error(door.call("POST", "/fetch/fields", data=b"{"), 400)
    shapes.answer(reader.get("/fetch/fields"))
    shapes.error(reader.post("/fetch/fields", {}), 403)
    shapes.error(reader.get("/fetch/fields"), 429)


def test_a_route_without_a_scope_does_not_start(app):
    app.view_functions["bare"] = lambda: ""
    app.url_map.add(Rule("/api/v1/bare", endpoint="bare"))
    with pytest.raises(RuntimeError, match="/api/v1/bare declares no scope"):
        check_scopes(app)


def test_no_route_but_the_public_ones_answers_without_a_key(app):
    """Also of the nouns that have no line in the table of endpoints."""
    client = app.test_client()
    for rule in app.url_map.iter_rules():
        if app.view_functions[rule.endpoint].scope != PUBLIC:
            path = re.sub("<[^>]*>", "1", rule.rule)
            app.extensions["audience"].limiter.counts.clear()
            for method in rule.methods - {"HEAD"}:
                assert client.open(path, method=method).status_code in (401, 404), rule


def test_a_key_answers_to_its_own_secret_alone(door):
    other = sites.create_key([door.site])
    mixed = NewKey(door.key.publishable_key, other.secret_key, "full")
    shapes.error(replace(door, key=mixed).get("/stats/site"), 401)
    shapes.answer(replace(door, key=other).get("/stats/site"))


def test_secrets_are_stored_as_hashes_only(door):
    with database.session():
        dump = repr(database.rows("SELECT * FROM keys"))
    assert door.key.publishable_key in dump
    assert door.key.secret_key not in dump
