"""Sign-ups by key: the same answer whoever has the address, and what an owner sees of them and does."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from audience.access import address_lists, keys
from audience.answers.service import Answers
from audience.errors import Refused
from audience.sign_ups import mailboxes, sign_ups
from storage import database
from tests.api.endpoints import SIGN_UP, open_form
from tests.client import ApiClient
from tests.console.conftest import later
from tests.sign_up_steps import FakeRelay, confirm, make_sender, send

__all__ = ["later"]
BASE = "http://127.0.0.1:8000"


@pytest.fixture
def site(client):
    open_form(client.site)
    make_sender(client.site)
    return client.site


@pytest.fixture
def asker(client, site):
    """A client with a key that may ask for sign-ups."""
    return ApiClient(client.http, site, keys.create([site], "signup"))


def ask(client, **values):
    return client.post("/fetch/sign_ups", {"sign_up": SIGN_UP["sign_up"] | values})


def listed(client, **query):
    return [
        one["attributes"] | {"id": one["id"]}
        for one in client.get("/fetch/sign_ups", query=query).json["data"]
    ]


def test_the_answer_is_the_same_whoever_has_the_address(client, asker):
    client.create("in@example.com")
    client.create("left@example.com")
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "left@example.com"}})
    answers = [ask(asker, email=f"{name}@example.com") for name in ("in", "left", "nobody")]
    assert [answer.status_code for answer in answers] == [201] * 3
    for number, answer in enumerate(answers, 1):
        kept = {"id": str(number), "type": "sign_ups", "attributes": {"status": "waiting"}}
        assert answer.json == {"data": kept}


def test_a_key_for_sign_ups_asks_and_sees_nobody(asker):
    assert ask(asker).status_code == 201
    assert asker.post("/experimental/validation", {"email": "zoe@example.com"}).status_code == 200
    for path in ("/fetch/sign_ups", "/fetch/forms", "/fetch/subscribers", "/stats/site"):
        assert asker.get(path, query={"email": "zoe@example.com"}).status_code == 403
    for path in ("/fetch/sign_ups/1/send", "/batch/sign_ups/release"):
        assert asker.post(path, {"ids": [1]}).status_code == 403


def test_over_the_cap_of_its_mailbox_it_is_told_when_to_ask_again(client, asker, site):
    ask(asker)
    send(site, FakeRelay(), base_url=BASE)
    refused = ask(asker, email="zoe+again@example.com")
    assert refused.status_code == 429
    assert 590 < int(refused.headers["Retry-After"]) <= 600


def test_with_a_key_it_is_counted_too(client, asker, site):
    ask(asker)
    send(site, FakeRelay(), base_url=BASE)
    before = sign_ups.outcomes(site, 1)["capped"]
    for key in ("one", "two"):
        body = {"sign_up": SIGN_UP["sign_up"]}
        refused = asker.post("/fetch/sign_ups", body, headers={"Idempotency-Key": key})
        assert refused.status_code == 429
    assert sign_ups.outcomes(site, 1)["capped"] == before + 2


def test_no_write_waits_while_an_address_is_checked(client, other_client, asker, monkeypatch):
    validate, answers = Answers.validate, []

    def check(*arguments):
        with ThreadPoolExecutor(1) as other:
            body = {"tag": {"name": "meanwhile"}}
            answers.append(other.submit(other_client.post, "/fetch/tags", body).result().status_code)
        return validate(*arguments)

    monkeypatch.setattr(Answers, "validate", check)
    for _ in range(2):
        answer = asker.post("/fetch/sign_ups", SIGN_UP, headers={"Idempotency-Key": "one"})
        assert answer.status_code == 201
    assert answers == [201]


def test_what_is_kept_is_what_the_form_asks_for(client, asker, site):
    fields = [{"key": "first_name", "required": True}]
    origins = ["https://static.example"]
    client.call("PUT", "/fetch/forms/1", {"form": {"fields": fields, "origins": origins, "tags": ["web"]}})
    refused = ask(asker)
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "sign_up.first_name")
    visitor = {"page": "https://static.example/a?b=c", "ip": "192.0.2.7", "user_agent": "Firefox"}
    ask(asker, first_name="Zoë", last_name="Fjord", language="de", **visitor)
    [shown] = listed(client)
    assert (shown["first_name"], shown["last_name"], shown["language"]) == ("Zoë", "", "en")
    assert (shown["origin"], shown["network"], shown["tags"]) == (origins[0], "192.0.2.0/24", ["web"])
    assert shown["asked_by"] == f"key:{asker.key.publishable_key}"
    ask(asker, first_name="Zoë", page="https://elsewhere.example/")
    assert listed(client)[1]["origin"] == ""


@pytest.mark.parametrize(
    ("values", "field"),
    [
        ({"email": "zoe"}, "sign_up.email"),
        ({"email": None}, "sign_up.email"),
        ({"email": "zoe@mailinator.com"}, "sign_up.email"),
        ({"email": "zoe@fjordpost.exampel"}, "sign_up.email"),
        ({"first_name": "Å" * 201}, "sign_up.first_name"),
        ({"form_id": 2}, "sign_up.form_id"),
        ({"form_id": "x"}, "sign_up.form_id"),
        ({"language": "xx"}, "sign_up.language"),
    ],
)
def test_what_is_wrong_is_named(asker, values, field):
    refused = ask(asker, **values)
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, field)


def test_an_address_of_a_denied_domain_is_refused_and_a_denied_address_is_not(asker, site):
    address_lists.add(site, "deny", "denied.example")
    address_lists.add(site, "deny", "bob@example.com")
    refused = ask(asker, email="bob@denied.example").json
    assert refused["code"] == refused["errors"][0]["code"] == "domain_refused"
    assert refused["errors"][0]["message"].startswith("The site accepts no address of this domain")
    assert ask(asker, email="bob@example.com").status_code == 201


def test_the_country_is_that_of_the_ip_that_was_sent(client, asker, monkeypatch):
    def country_of(_, ip):
        if ip != "8.8.8.8":
            raise Refused("None.")
        return "US"

    monkeypatch.setattr(Answers, "_country_of", country_of)
    for ip in ("8.8.8.8", "10.0.0.1", "x", None):
        asked = ask(asker, email=f"p{str(ip).replace('.', '')}@example.com", **({"ip": ip} if ip else {}))
        assert asked.status_code == 201
    assert [one["country"] for one in listed(client)] == ["US", "", "", ""]


def test_a_form_that_is_paused_takes_none(client, asker):
    client.call("PUT", "/fetch/forms/1", {"form": {"state": "paused"}})
    assert ask(asker).json["errors"][0]["field"] == "sign_up.form_id"


def test_an_owner_sees_all_of_an_open_one_and_not_who_a_confirmed_one_was(client, asker, site):
    ask(asker)
    ask(asker, email="other@example.com")
    [zoe, _] = listed(client)
    assert zoe["confirm_url"].startswith(f"{BASE}/confirm/")
    assert listed(client, email="zoe@example.com") == [zoe]
    assert [one["id"] for one in listed(client, after=1)] == ["2"]
    assert listed(client, status="sent") == []
    assert client.get("/fetch/sign_ups").json["meta"] == {"next": "2", "has_more": False}
    relay = FakeRelay()
    send(site, relay, base_url=BASE)
    assert len(relay.mails) == 2
    confirm(site, sign_ups.get(site, 1))
    [confirmed] = listed(client, status="confirmed")
    assert (confirmed["email"], confirmed["confirm_url"]) == ("", None)
    uuid = client.find("zoe@example.com")["attributes"]["uuid"]
    consent = client.get(f"/fetch/subscribers/{uuid}/consent").json["data"]["attributes"]
    [proof] = consent["proofs"]
    assert (proof["form_id"], proof["version"], proof["confirmed_by"]) == ("1", 1, "click")
    assert proof["wording"] == client.get("/fetch/forms/1").json["data"]["attributes"]["wording"]["en"]
    assert consent["created_by"] == {"type": "sign_up", "id": "1"}


def test_an_owner_sends_again_and_deletes(client, asker):
    ask(asker)
    again = client.post("/fetch/sign_ups/1/send")
    assert (again.status_code, again.json["data"]["attributes"]["reason"]) == (200, "released")
    assert client.delete("/fetch/sign_ups/1").json["data"]["id"] == "1"
    for method, path in (("post", "/fetch/sign_ups/1/send"), ("delete", "/fetch/sign_ups/1")):
        assert getattr(client, method)(path).status_code == 404


def test_what_is_held_is_released_or_discarded(client, asker, site):
    for number in range(3):
        ask(asker, email=f"p{number}@gmail.com")
    send(site, FakeRelay(), base_url=BASE, per_hour=0)
    assert len(listed(client, status="held")) == 3
    assert client.post("/batch/sign_ups/release", {"ids": [1, 99]}).json == {"results": 1}
    assert client.post("/batch/sign_ups/discard", {"before": "2999-01-01"}).json == {"results": 2}
    assert [one["status"] for one in listed(client)] == ["waiting"]
    refused = client.post("/batch/sign_ups/release", {})
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "ids")


def test_what_failed_is_sent_again(client, asker, site, later):
    ask(asker)
    relay = FakeRelay()
    relay.script = [("refused", "550 5.1.1 no")]
    send(site, relay, base_url=BASE)
    later(600_001)
    assert client.post("/batch/sign_ups/release", {"before": "2999-01-01"}).json == {"results": 0}
    failed = {"before": "2999-01-01", "status": "failed"}
    assert client.post("/batch/sign_ups/release", failed).json == {"results": 1}
    assert [one["status"] for one in listed(client)] == ["waiting"]
    refused = client.post("/batch/sign_ups/release", failed | {"status": "sent"})
    assert (refused.status_code, refused.json["errors"][0]["field"]) == (422, "status")


def test_the_link_of_a_sign_up_is_no_value_of_anybody(client, asker):
    ask(asker)
    value = f"see {listed(client)[0]['confirm_url']}"
    for item in ({"fields": {"note": value}}, {"first_name": value}):
        refused = client.post("/fetch/subscribers", {"subscriber": {"email": "bob@example.com"} | item})
        assert (refused.status_code, "acts for a subscriber" in refused.text) == (422, True)


def test_no_address_is_kept_of_a_mailbox(client, asker, site):
    ask(asker)
    send(site, FakeRelay(), base_url=BASE)
    with database.session():
        assert mailboxes.next_possible(site, "zoe@example.com")
        assert not any("zoe" in str(one) for one in database.rows("SELECT * FROM mailbox_counts"))


class TestFields:
    """What a form asks for beside the names."""

    @pytest.fixture(autouse=True)
    def town_and_plan(self, client, asker):
        for key in ("town", "plan"):
            client.post("/fetch/fields", {"field": {"key": key}})
        fields = [{"key": "town", "required": True}, {"key": "first_name"}]
        client.call("PUT", "/fetch/forms/1", {"form": {"fields": fields}})

    def test_they_are_kept_and_others_dropped(self, client, asker, site):
        fields = {"town": " Oslo ", "plan": "pro", "last_name": "Fjord", "first_name": "Zoë"}
        assert ask(asker, fields=fields).status_code == 201
        [shown] = listed(client)
        assert (shown["fields"], shown["first_name"], shown["last_name"]) == ({"town": "Oslo"}, "Zoë", "")
        confirm(site, sign_ups.get(site, 1))
        zoe = client.find("zoe@example.com")["attributes"]
        assert (zoe["fields"]["town"], zoe["first_name"], zoe["last_name"]) == ("Oslo", "Zoë", None)
        assert "plan" not in zoe["fields"]
        assert (listed(client)[0]["fields"], listed(client)[0]["first_name"]) == ({}, "")

    @pytest.mark.parametrize(
        ("fields", "field", "meant"),
        [
            ({}, "sign_up.fields.town", None),
            ({"town": " "}, "sign_up.fields.town", None),
            ({"town": "Oslo", "twon": "Oslo"}, "sign_up.fields.twon", ["town"]),
            ({"town": "x" * 201}, "sign_up.fields.town", None),
            ({"town": ["x"]}, "sign_up.fields.town", None),
            ({"town": f"https://a.example/confirm/{'a' * 40}.{'b' * 43}"}, "sign_up.fields.town", None),
            ("Oslo", "sign_up.fields", None),
        ],
    )
    def test_what_is_wrong_is_named(self, asker, fields, field, meant):
        refused = ask(asker, fields=fields)
        assert (refused.status_code, [error["field"] for error in refused.json["errors"]]) == (422, [field])
        assert refused.json.get("did_you_mean") == meant


def test_whoever_confirms_gets_the_tag_as_it_is_called_now(client, asker, site):
    client.call("PATCH", "/fetch/forms/1", {"form": {"tags": ["web", "later"]}})
    tag_id = client.post("/fetch/tags", {"tag": {"name": "web"}}).json["data"]["id"]
    ask(asker)
    client.call("PATCH", f"/fetch/tags/{tag_id}", {"tag": {"name": "Website"}})
    assert client.get("/fetch/forms/1").json["data"]["attributes"]["tags"] == ["Website", "later"]
    send(site, FakeRelay(), base_url=BASE)
    confirm(site, sign_ups.get(site, 1))
    names = [tag["attributes"]["name"] for tag in client.get("/fetch/tags").json["data"]]
    assert sorted(names) == ["Website", "later"]
    assert tag_id in client.find("zoe@example.com")["attributes"]["cached_tag_ids"]
