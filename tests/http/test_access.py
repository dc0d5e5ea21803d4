"""Access: keys, sites, scopes, throttling (docs/contract.md, Every request)."""

import base64
import re
from dataclasses import replace
from itertools import pairwise

import pytest
from werkzeug.routing import Rule

from app import create_app, create_routes
from audience import clock
from audience.access import keys
from audience.access.keys import NewKey
from audience.config import Settings
from audience.http.access import PUBLIC, check_scopes, last_untrusted, throttled_network
from audience.setting_values import networks
from storage import database
from storage.access import keys as stored_keys
from storage.access.keys import KeyModel
from tests import response_assertions
from tests.api.endpoints import ENDPOINTS, ask
from tests.client import ApiClient, FakeLimiter, FakeProcesses, FakeQueue, basic, open_client
from tests.depth import crossed

SCOPES = {
    "full": {"full", "mailer", "read", "signup", "stats", "utility"},
    "mailer": {"mailer", "read", "stats"},
    "read": {"read", "stats"},
    "signup": {"signup", "utility"},
    "stats": {"stats"},
    "utility": {"utility"},
}


def raw(client, authorization, **query):
    headers = {} if authorization is None else {"Authorization": authorization}
    return client.http.get("/api/v1/stats/site", query_string=query, headers=headers)


def with_key(client, **changes):
    return replace(client, key=replace(client.key, **changes))


def opened(tmp_path, **changes):
    app = create_app(Settings(instance=tmp_path, **changes), FakeQueue(), FakeLimiter(), FakeProcesses())
    database.migrate()
    return open_client(app.test_client())


def later(monkeypatch, ms):
    uptime = clock.uptime_ms()
    monkeypatch.setattr(clock, "uptime_ms", lambda: uptime + ms)


@pytest.mark.parametrize(
    ("column", "value"),
    [("revoked_at", 1), ("expires_at", 1), ("secret_hash", "another"), ("scope", "utility")],
)
def test_what_another_process_does_to_a_key_counts_within_a_second(client, monkeypatch, column, value):
    assert client.get("/stats/site").status_code == 200
    with database.write():
        changed = KeyModel.update({column: value}).where(
            KeyModel.publishable_key == client.key.publishable_key
        )
        assert changed.execute() == 1
    later(monkeypatch, 999)
    assert client.get("/stats/site").status_code in (401, 403)


def test_what_another_process_does_to_a_site_counts_within_a_second(client, monkeypatch):
    assert client.get("/stats/site").status_code == 200
    with database.write():
        database.execute("DELETE FROM key_sites WHERE site_id = ?", [client.site.id])
    later(monkeypatch, 999)
    assert client.get("/stats/site").status_code == 401


def test_a_key_is_known_for_half_a_second_and_its_secret_checked_each_time(client, monkeypatch):
    assert client.get("/stats/site").status_code == 200
    later(monkeypatch, -10_000)  # so that no slow machine ends the half second
    asked: list[str] = []
    monkeypatch.setattr(stored_keys, "get", lambda publishable_key: asked.append(publishable_key))
    assert client.get("/stats/site").status_code == 200
    assert asked == []
    assert with_key(client, secret_key="sk_wrong").get("/stats/site").status_code == 401
    assert asked == [client.key.publishable_key]


def test_a_key_whose_time_is_over_is_not_known_any_more(client, monkeypatch):
    with database.write():
        stored_keys.expire(client.key.publishable_key, clock.now_ms() + 60_000)
    assert client.get("/stats/site").status_code == 200
    over = clock.now_ms() + 60_000
    monkeypatch.setattr(clock, "now_ms", lambda: over)
    assert client.get("/stats/site").status_code == 401


CREDENTIALS = {  # by their defect
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
def test_all_bad_credentials_get_the_same_401(client, credentials):
    response = raw(client, credentials, site_uuid=client.site.uuid)
    assert response_assertions.error(response, 401) == []
    assert response.headers["WWW-Authenticate"].startswith("Basic ")


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_every_endpoint_refuses_unauthorized_requests(prepared_client, endpoint, settings):
    """No key, a wrong secret, another's site, an unknown site, an ambiguous site: the same response."""
    client, other_client = prepared_client, open_client(prepared_client.http)
    both = ApiClient(client.http, client.site, keys.create([client.site, other_client.site]))
    keys.revoke((revoked := keys.create([client.site])).publishable_key, settings.instance)
    refused = [
        ask(client, endpoint, headers={"Authorization": ""}),
        ask(with_key(client, secret_key=other_client.key.secret_key), endpoint),
        ask(with_key(client, publishable_key=other_client.key.publishable_key), endpoint),
        ask(replace(client, key=revoked), endpoint),
        ask(replace(other_client, site=client.site), endpoint),
        ask(client, endpoint, query={**(endpoint.query or {}), "site_uuid": other_client.site.uuid}),
        ask(client, endpoint, query={"site_uuid": "00000000-0000-4000-8000-000000000000"}),
        ask(client, endpoint, query={"site_uuid": "nonsense\0"}),
    ]
    if endpoint.scope != "utility" and endpoint.path != "/fetch/sites":
        refused.append(ask(both, endpoint, query={**(endpoint.query or {}), "site_uuid": None}))
    for response in refused:
        response_assertions.error(response, 401)
    assert all(one.data == other.data for one, other in pairwise(refused))
    assert client.counts() == (1, 1, 0)


@pytest.mark.parametrize("endpoint", ENDPOINTS, ids=str)
def test_the_site_comes_from_the_query_the_body_or_the_key(prepared_client, endpoint):
    client, other_client = prepared_client, open_client(prepared_client.http)
    both = ApiClient(client.http, client.site, keys.create([other_client.site, client.site]))
    body, query = endpoint.body or {}, endpoint.query or {}
    in_body = {**body, "site_uuid": client.site.uuid}
    no_site = {**query, "site_uuid": None}
    if endpoint.method == "DELETE":
        assert ask(both, endpoint, body=in_body, query=no_site).status_code == 200
        return
    for caller, options in (
        (both, {}),
        (both, {"body": in_body, "query": no_site}),
        (both, {"body": in_body}),
        (client, {"query": no_site}),
    ):
        assert ask(caller, endpoint, **options).status_code == endpoint.status
    assert other_client.counts() == (0, 0, 0)


@pytest.mark.parametrize(("endpoint", "scope"), crossed(ENDPOINTS, SCOPES, of=3), ids=str)
def test_scopes(prepared_client, endpoint, scope):
    caller = replace(prepared_client, key=keys.create([prepared_client.site], scope))
    response = ask(caller, endpoint)
    if endpoint.scope in SCOPES[scope]:
        response_assertions.answer(response, endpoint.status)
    else:
        assert response_assertions.error(response, 403) == []
        assert response.json["error"].endswith(f"with the scope {endpoint.scope}.")


@pytest.mark.parametrize("spelling", [
    lambda text: text,
    lambda text: text.replace("Basic", "basic"),
    lambda text: text.replace("Basic", "BASIC"),
    lambda text: text.rstrip("="),
    lambda text: text.translate(str.maketrans("+/", "-_")),
    lambda text: text.replace("Basic ", "Basic   "),
], ids=["standard", "lower", "upper", "unpadded", "URL-safe", "blanks"])  # fmt: skip
def test_good_credentials_in_every_spelling(client, spelling, monkeypatch):
    """Secrets with both characters in which the two Base64 alphabets differ."""
    monkeypatch.setattr(
        keys, "_random", iter(["~~~???>>>" * 3 + "xxxx", "\u00ff\u00fe???>>>~~~" * 2]).__next__
    )
    key = keys.create([client.site])
    token = basic(key.publishable_key, key.secret_key)
    assert {"+", "/"} & set(token)
    response_assertions.answer(raw(client, spelling(token), site_uuid=client.site.uuid))


def test_keys_and_site_uuids_have_a_length_that_clients_accept(client):
    for text in (client.key.publishable_key, client.key.secret_key, client.site.uuid):
        assert 28 <= len(text) <= 36


def test_a_site_uuid_is_accepted_without_dashes_and_in_capitals(client):
    for spelling in (client.site.uuid.replace("-", ""), client.site.uuid.upper()):
        response_assertions.answer(client.get("/stats/site", query={"site_uuid": spelling}))


def test_a_malformed_site_in_the_body_is_a_401(client):
    for value in (5, True, {"a": 1}, ["x"], "\ud800", "x\0"):
        response_assertions.error(
            client.get("/stats/site", {"site_uuid": value}, query={"site_uuid": None}), 401
        )


def test_failures_are_throttled_per_address_but_valid_keys_are_not(client):
    wrong = with_key(client, secret_key="sk_wrong")
    statuses = [wrong.get("/stats/site").status_code for _ in range(31)]
    assert statuses == [401] * 30 + [429]
    throttled = wrong.get("/stats/site")
    response_assertions.error(throttled, 429)
    assert throttled.headers["Retry-After"] == "60"
    response_assertions.answer(client.get("/stats/site"))
    elsewhere = {"environ_overrides": {"REMOTE_ADDR": "192.0.2.7"}}
    response_assertions.error(wrong.get("/stats/site", **elsewhere), 401)


def test_requests_over_the_limit_add_no_counters(client, app):
    for number in range(40):
        with_key(client, publishable_key=f"pk_{number}").get("/stats/site")
    counted = [key for key in app.extensions["audience"].limiter.counts if len(key) == 3]
    assert len(counted) == 30


def test_a_forwarded_address_is_used_only_from_a_trusted_proxy(client, tmp_path):
    def fails(caller, forwarded):
        wrong = with_key(caller, secret_key="sk_wrong")
        return wrong.get("/stats/site", headers={"X-Forwarded-For": forwarded}).status_code

    assert [fails(client, f"192.0.2.{number}") for number in range(31)][-1] == 429
    behind = opened(tmp_path / "proxied", trusted_proxies=("127.0.0.0/8", "10.0.0.1"))
    assert [fails(behind, f"192.0.2.{number}") for number in range(31)][-1] == 401
    assert [fails(behind, f"192.0.2.{number}, 198.51.100.9, 10.0.0.1") for number in range(31)][-1] == 429
    assert fails(behind, "198.51.100.8") == 401


@pytest.mark.parametrize(
    ("forwarded", "proxy", "proxies", "address"),
    [
        ("192.0.2.7, ::ffff:10.0.0.1", "10.0.0.9", "10.0.0.0/8", "192.0.2.7"),
        ("::FFFF:c000:207", "10.0.0.9", "10.0.0.0/8", "192.0.2.7"),
        ("192.0.2.7", "127.0.0.1", "::ffff:127.0.0.1", "192.0.2.7"),
        ("192.0.2.7", "10.0.0.9", "::ffff:10.0.0.0/104", "192.0.2.7"),
        ("192.0.2.7", "10.0.0.9", "::1, 2001:db8::/32", "10.0.0.9"),
        ("2001:db8::7, no address", "::1", "::1", "no address"),
        ("2001:db8::7, fe80::1%eth0", "::1", "::1, fe80::/10", "2001:db8::7"),
    ],
)
def test_an_address_is_the_same_in_either_form(forwarded, proxy, proxies, address):
    assert last_untrusted(forwarded, proxy, networks(proxies)) == address


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("192.0.2.7", "192.0.2.7"),
        ("no address", "no address"),
        ("", ""),
    ],
)
def test_who_has_a_network_of_ipv6_is_counted_as_one(address, counted):
    assert throttled_network(address) == counted


def test_failures_are_throttled_per_network_of_ipv6(client):
    wrong = with_key(client, secret_key="sk_wrong")

    def fails(address):
        return wrong.get("/stats/site", environ_overrides={"REMOTE_ADDR": address}).status_code

    assert [fails(f"2001:db8::{number:x}") for number in range(31)] == [401] * 30 + [429]
    assert fails("2001:db8:0:1::1") == 401


def test_a_route_without_a_scope_does_not_start():
    app = create_routes()
    app.view_functions["bare"] = lambda: ""
    app.url_map.add(Rule("/api/v1/bare", endpoint="bare"))
    with pytest.raises(RuntimeError, match="/api/v1/bare declares no scope"):
        check_scopes(app)


def test_only_public_routes_work_without_a_key(app):
    """Also routes that are missing from the table of endpoints."""
    http = app.test_client()
    for rule in app.url_map.iter_rules():
        if getattr(app.view_functions[rule.endpoint], "scope", PUBLIC) != PUBLIC:
            path = re.sub("<[^>]*>", "1", rule.rule)
            app.extensions["audience"].limiter.counts.clear()
            for method in rule.methods - {"HEAD"}:
                assert http.open(path, method=method).status_code in (401, 404), rule


def test_a_key_works_only_with_its_own_secret(client):
    other = keys.create([client.site])
    mixed = NewKey(client.key.publishable_key, other.secret_key, "full")
    response_assertions.error(replace(client, key=mixed).get("/stats/site"), 401)
    response_assertions.answer(replace(client, key=other).get("/stats/site"))


def test_secrets_are_stored_as_hashes_only(client):
    with database.session():
        dump = repr(database.rows("SELECT * FROM keys"))
    assert client.key.publishable_key in dump
    assert client.key.secret_key not in dump
