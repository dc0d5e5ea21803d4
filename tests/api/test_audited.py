"""What a key does that an owner would look for is in the audit log, by the key's name."""

import pytest

from audience.access import audit_log, keys, site_keys
from audience.access.audit_log import page
from audience.operations import site_lane
from storage import database
from tests.api.endpoints import ENDPOINTS, REPORT, SEGMENT, SUBSCRIBER, WEBHOOK, ask, make_tags, open_form
from tests.client import ApiClient

TOLD_BY_THE_RECORD = {  # of changes, or of imports and deliveries, and by nothing but ordinary data
    "POST /fetch/fields", "POST /fetch/subscribers", "POST /fetch/tags", "POST /fetch/commands",
    "POST /batch/subscribers", "POST /batch/events", "POST /batch/imports", "POST /fetch/webhooks/2/test",
    "GET /fetch/sign_ups",
}  # fmt: skip
FILES_OF_PEOPLE = {"GET /fetch/export", "GET /batch/imports/1/errors.csv"}
SAID = {
    "DELETE /fetch/subscribers": "subscriber erased", "DELETE /fetch/tags/1": "tag deleted",
    "DELETE /fetch/fields/1": "custom field deleted, started: first",
    "PATCH /fetch/tags/2": "tag renamed: renamed", "POST /fetch/tags/3/merge": "tag merged: fourth",
    "POST /batch/imports/1/undo": "import, undo requested",
    "POST /fetch/segments": "segment made", "PUT /fetch/segments/1": "segment changed",
    "PATCH /fetch/segments/1": "segment changed", "DELETE /fetch/segments/1": "segment deleted",
    "POST /fetch/webhooks": "webhook made", "PUT /fetch/webhooks/1": "webhook changed",
    "PATCH /fetch/webhooks/1": "webhook changed", "POST /fetch/webhooks/1/rotate": "webhook secret renewed",
    "POST /fetch/webhooks/1/replay": "webhook changes sent again",
    "DELETE /fetch/webhooks/1": "webhook deleted",
    "POST /fetch/forms": "form made", "PUT /fetch/forms/1": "form changed",
    "PATCH /fetch/forms/1": "form changed",
    "POST /fetch/sign_ups/1/send": "sign-up sent again", "DELETE /fetch/sign_ups/1": "sign-up deleted",
    "POST /batch/sign_ups/release": "held sign-ups released",
    "POST /batch/sign_ups/discard": "held sign-ups discarded",
    "POST /fetch/reports": "report saved", "PUT /fetch/reports/1": "report changed",
    "PATCH /fetch/reports/1": "report changed",
    "DELETE /fetch/reports/1": "report deleted",
}  # fmt: skip
OTHER = {
    "PUT /fetch/forms/1": {"form": {"name": "New"}},
    "PUT /fetch/segments/1": {"segment": {"name": "New", "rules": {"tag": "x"}}},
    "PUT /fetch/reports/1": {"report": REPORT["report"] | {"name": "New"}},
}


@pytest.fixture
def shop(client):
    """A client with a named key, and a site with one of everything."""
    named = ApiClient(client.http, client.site, keys.create([client.site], name="Shop"))
    client.create(SUBSCRIBER["email"], tags="first")
    make_tags(client)
    client.post("/fetch/fields", {"field": {"key": "first"}})
    client.post("/batch/subscribers", {"subscribers": [{"email": "zoe@example.com"}]})
    site_lane.drain(client.site.id, 30)
    client.post("/fetch/segments", SEGMENT)
    open_form(client.site)
    for _ in range(2):
        client.post("/fetch/webhooks", WEBHOOK)
    return named


def new_entries(site, before):
    return [each for each in page(site) if each.id > before]


def newest(site):
    return max([each.id for each in page(site)], default=0)


def test_every_endpoint_that_writes_is_told_by_the_log_or_by_the_record(app, shop):
    site = shop.site
    walked = set()
    for endpoint in ENDPOINTS:
        before = newest(site)
        body = OTHER.get(str(endpoint), endpoint.body)
        assert ask(shop, endpoint, body=body).status_code == endpoint.status, endpoint
        found = [(each.actor, each.act) for each in new_entries(site, before)]
        said = SAID.get(str(endpoint))
        assert found == ([("key Shop", said)] if said else []), endpoint
        walked.add(str(endpoint))
        if endpoint.scope == "full":
            assert (said is None) is (str(endpoint) in TOLD_BY_THE_RECORD), endpoint
    assert walked >= SAID.keys()


def test_every_route_that_needs_the_full_scope_is_in_the_walk(app):
    full = {
        (method, rule.rule.count("/"))
        for rule in app.url_map.iter_rules()
        for method in rule.methods - {"HEAD", "OPTIONS"}
        if getattr(app.view_functions[rule.endpoint], "scope", "") == "full"
    }
    walked = [each.rpartition(" ") for each in (*SAID, *TOLD_BY_THE_RECORD)]
    assert full == {(method, f"/api/v1{path}".count("/")) for method, _, path in walked}


def test_the_key_is_named_as_it_was_and_stays_when_it_is_revoked(shop, settings):
    shop.post("/fetch/segments", SEGMENT)
    keys.revoke(shop.key.publishable_key, settings.instance)
    [entry] = [each for each in page(shop.site) if each.act == "segment made" and "Shop" in each.actor]
    assert (entry.actor, entry.client_network, entry.subject) == ("key Shop", "127.0.0.0/24", "VIP")


def test_a_key_without_a_name_is_named_by_its_public_half(client):
    client.post("/fetch/webhooks", WEBHOOK)
    assert page(client.site)[0].actor == f"key {client.key.publishable_key}"


def test_who_is_erased_is_a_keyed_hash_in_the_log(shop):
    shop.delete("/fetch/subscribers", query=SUBSCRIBER)
    entry = page(shop.site)[0]
    hash_ = site_keys.address_hash(shop.site.id, SUBSCRIBER["email"])
    assert (entry.act, entry.subject) == ("subscriber erased", hash_)


def test_what_is_refused_leaves_no_entry(shop):
    before = newest(shop.site)
    shop.delete("/fetch/segments/99")
    shop.post("/fetch/segments", {"segment": {"name": "x", "rules": {"nothing": 1}}})
    shop.delete("/fetch/webhooks/99")
    shop.delete("/fetch/tags/99")
    shop.delete("/fetch/subscribers", query={"uuid": "0" * 32})
    assert new_entries(shop.site, before) == []


def test_an_entry_is_written_with_its_change_or_not_at_all(shop, monkeypatch):
    def broken(*_args, **_kwargs):
        raise KeyError

    monkeypatch.setattr(audit_log, "record", broken)
    for method, path in (("POST", "/fetch/segments"), ("DELETE", "/fetch/tags/1")):
        assert shop.call(method, path, SEGMENT if method == "POST" else None).status_code == 500
    assert [len(shop.get(f"/fetch/{noun}").json["data"]) for noun in ("segments", "tags")] == [1, 4]


@pytest.mark.parametrize(("query", "said", "people"), [
    ({}, ("subscribers exported", ""), 2), ({"segment_id": "1"}, ("segment exported", "VIP"), 0),
])  # fmt: skip
def test_an_export_says_how_many_were_sent(shop, query, said, people):
    assert shop.get("/fetch/export", query=query).data
    entry = page(shop.site)[0]
    assert (entry.actor, (entry.act, entry.subject), entry.subjects) == ("key Shop", said, people)


def test_an_export_that_is_broken_off_says_so(shop):
    answer = shop.get("/fetch/export", buffered=False)
    next(answer.iter_encoded())
    next(answer.iter_encoded())
    answer.close()
    assert page(shop.site)[0].act == "subscribers exported, interrupted"


def test_reading_writes_nothing_in_the_log(shop):
    before = newest(shop.site)
    for path in ("/fetch/search", "/fetch/segments", "/stats/site", "/batch/imports"):
        shop.get(path)
    assert new_entries(shop.site, before) == []
    with database.session():
        assert database.rows("SELECT count(*) FROM audit_log WHERE actor = 'key Shop'") == [(0,)]
