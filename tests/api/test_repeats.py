"""A request with an Idempotency-Key is carried out once, however often it is sent, and answered each time."""

import json

import pytest

from audience import clock
from audience.access import keys
from audience.clock import DAY_MS
from audience.imports import file_imports
from audience.operations import site_lane
from audience.repeats import repeats
from storage import database, leases
from storage.errors import Unavailable
from storage.instance import site_tables
from storage.repeats import idempotency_keys
from tests.api.endpoints import ENDPOINTS, FILES, FORM, REPORT, SEGMENT, SIGN_UP, SUBSCRIBER, WEBHOOK, ask
from tests.api.test_concurrency import at_once
from tests.client import ApiClient

KEY = {"Idempotency-Key": "6d2ba5c7-0001_x"}
OTHER_KEY = {"Idempotency-Key": "6d2ba5c7-0002_x"}
CANARY = "Canaria"
NOT_REPEATED = {
    "POST /fetch/webhooks/2/test": "it writes nothing of the site, and a second test is harmless",
}
READS = {"POST /fetch/search", "POST /fetch/segments/preview", "POST /fetch/segments/1/match"}
CSV = b"email,first_name\nann@example.com,Ann\nbob@example.com,Bob\n"
CONSENT = {"consent": "subscribed"}


def rows():
    with database.session():
        return database.rows("SELECT * FROM idempotency_keys")


def is_repeated(answer):
    return answer.headers.get("Idempotency-Replayed") == "true"


def twice(client, path, body, method="POST", **options):
    """The answers to the same request with a key, sent twice."""
    return [client.call(method, path, body, headers=KEY, **options) for _ in range(2)]


WRITING = [
    each
    for each in ENDPOINTS
    if each.method != "GET" and each.scope in ("full", "signup") and str(each) not in READS
]


@pytest.mark.parametrize("endpoint", WRITING, ids=str)
def test_every_endpoint_that_writes_takes_a_key_or_is_listed_with_its_reason(prepared_client, endpoint):
    if str(endpoint) == "POST /fetch/sign_ups":  # of a mailbox that had no email yet
        endpoint = endpoint._replace(body={"sign_up": SIGN_UP["sign_up"] | {"email": "new@example.com"}})
    first, second = (ask(prepared_client, endpoint, headers=KEY) for _ in range(2))
    assert first.status_code == second.status_code == endpoint.status, (first.text, second.text)
    assert not is_repeated(first)
    assert is_repeated(second) is (str(endpoint) not in NOT_REPEATED)
    assert len(rows()) == (str(endpoint) not in NOT_REPEATED)
    if endpoint.method != "DELETE" and "secret" not in first.text and is_repeated(second):
        assert second.json == first.json


def test_the_document_says_which_take_a_key(client):
    paths = client.http.get("/api/openapi.json").json["paths"]
    with_key = {
        f"{method.upper()} {path.removeprefix('/v1')}"
        for path, item in paths.items()
        for method, operation in item.items()
        if method != "parameters"
        and {"$ref": "#/components/parameters/Idempotency-Key"} in operation.get("parameters", [])
    }
    assert len(with_key) == len(WRITING) - len(NOT_REPEATED) + len(FILES["/batch/imports"])
    assert "POST /batch/imports" in with_key
    assert not {each for each in with_key if "search" in each or "preview" in each or "match" in each}


def test_an_event_a_segment_a_webhook_and_an_import_are_made_once(client):
    visit = {"events": [{"type": "visit", "email": "ann@example.com"}]}
    for path, body in (
        ("/batch/events", visit),
        ("/fetch/segments", SEGMENT),
        ("/fetch/webhooks", WEBHOOK),
        ("/batch/subscribers", {"subscribers": [SUBSCRIBER]}),
        ("/fetch/reports", REPORT),
        ("/fetch/forms", FORM),
    ):
        first, second = twice(client, path, body)
        assert (first.status_code, is_repeated(first)) == (second.status_code, False), first.text
        assert is_repeated(second)
    with database.session():
        counts = [
            database.value(query, (), 0)
            for query in (
                "SELECT count(*) FROM events",
                "SELECT count(*) FROM segments",
                "SELECT count(*) FROM webhooks",
                "SELECT count(*) FROM imports",
                "SELECT count(*) FROM forms",
            )
        ]
    assert counts == [1, 1, 1, 1, 1]
    assert len(client.get("/fetch/reports").json["data"]) == 10


def test_without_the_header_there_is_no_row_and_each_request_counts(client):
    for _ in range(2):
        assert not is_repeated(client.post("/fetch/segments", SEGMENT))
    assert len(client.get("/fetch/segments").json["data"]) == 2
    assert rows() == []


def test_an_answer_is_made_anew(client):
    client.post("/fetch/segments", SEGMENT, headers=KEY)
    client.call("PATCH", "/fetch/segments/1", {"segment": {"name": "Best"}})
    again = client.post("/fetch/segments", SEGMENT, headers=KEY)
    assert (again.status_code, again.json["data"]["attributes"]["name"]) == (201, "Best")
    client.delete("/fetch/segments/1")
    assert client.post("/fetch/segments", SEGMENT, headers=KEY).json == {"data": None}


def test_a_secret_is_not_shown_again(client):
    first, second = twice(client, "/fetch/webhooks", WEBHOOK)
    assert first.json["data"]["attributes"]["secret"].startswith("whsec_")
    assert second.json["data"]["attributes"].pop("secret") is None
    rotated, again = twice(client, "/fetch/webhooks/1/rotate", None)
    assert again.json["data"]["attributes"]["secret"] is None
    assert rotated.json["data"]["attributes"]["secret"].startswith("whsec_")


def test_nobody_is_in_the_row_and_of_somebody_erased_nothing_is_answered(client):
    person = {"email": "canaria@example.com", "first_name": CANARY, "tags": CANARY}
    created, _ = twice(client, "/fetch/subscribers", {"subscriber": person})
    command = {"command": [{"command": "add_tag", "query": CANARY, "email": "canaria@example.com"}]}
    ran, ran_again = twice(client, "/fetch/commands", command)
    assert ran_again.json == ran.json
    event = {"type": "visit", "details": {"name": CANARY}, "email": "canaria@example.com"}
    twice(client, "/batch/events", {"events": [event, event | {"email": "canaria@"}]})
    twice(client, "/batch/subscribers", {"subscribers": [person, person | {"email": "canaria@"}]})
    uuid = created.json["data"]["attributes"]["uuid"]
    assert len(rows()) == 4
    assert not [word for word in ("anaria", uuid) if word in str(rows())]
    client.delete("/fetch/subscribers", query={"email": "canaria@example.com"})
    again = client.post("/fetch/subscribers", {"subscriber": person}, headers=KEY)
    assert (again.status_code, again.json, is_repeated(again)) == (201, {"data": None}, True)
    again = client.post("/fetch/commands", command, headers=KEY)
    assert again.json["data"] is None
    assert again.json["results"] == 1


def test_what_was_refused_of_a_batch_is_told_again(client):
    client.create("gone@example.com")
    client.delete("/fetch/subscribers", query={"email": "gone@example.com"})
    people = ["ann@example.com", "gone@example.com", "no address", 7]
    events = {"events": [{"type": "visit", "email": email} for email in people]}
    first, second = twice(client, "/batch/events", events)
    assert (first.json["results"], first.json["failed"]) == (1, 3)
    assert second.json == first.json
    imported = {"subscribers": [{"email": email} for email in people[1:]]}  # one, which is applied at once
    first, second = twice(client, "/batch/subscribers", imported)
    assert (first.json["results"], first.json["failed"]) == (0, 3)
    assert second.json == first.json
    commands = {"command": [{"command": "add_tag", "query": "a", "email": email} for email in people[:3]]}
    first, second = twice(client, "/fetch/commands", commands)
    assert (first.json["results"], first.json["failed"]) == (1, 2)
    assert second.json == first.json


def test_a_uuid_that_contradicts_only_since_then_is_not_refused_again(client):
    uuid = client.create("ann@example.com")["attributes"]["uuid"]
    body = {"subscribers": [{"email": "new@example.com", "uuid": uuid}]}
    first, second = twice(client, "/batch/subscribers", body)
    assert first.json["results"] == 1
    assert second.json == first.json


def test_another_body_query_or_method_is_refused(client):
    client.post("/fetch/segments", SEGMENT, headers=KEY)
    other = {"segment": SEGMENT["segment"] | {"name": "Other"}}
    refused = client.post("/fetch/segments", other, headers=KEY)
    assert (refused.status_code, refused.json["error"]) == (
        422, f"{repeats.OTHER.removesuffix('.')}; nothing was written.",
    )  # fmt: skip
    assert client.call("PUT", "/fetch/segments/1", SEGMENT, headers=KEY).status_code == 200
    assert client.delete("/fetch/segments/1", headers=KEY).status_code == 422
    assert client.get("/fetch/segments/1").status_code == 200


def test_a_body_is_the_same_in_another_order_and_with_the_site_elsewhere(client):
    name, rules = SEGMENT["segment"]["name"], SEGMENT["segment"]["rules"]
    client.post("/fetch/segments", {"segment": {"name": name, "rules": rules}}, headers=KEY)
    body = {"site_uuid": client.site.uuid, "segment": {"rules": rules, "name": name}}
    assert is_repeated(client.post("/fetch/segments", body, headers=KEY, query={"site_uuid": None}))


def test_the_same_key_of_another_site_api_key_or_path_is_another(client, other_client):
    colleague = ApiClient(client.http, client.site, keys.create([client.site], name="Other"))
    for each in (client, other_client, colleague):
        assert not is_repeated(each.post("/fetch/segments", SEGMENT, headers=KEY))
    assert not is_repeated(client.post("/fetch/reports", REPORT, headers=KEY))
    assert len(rows()) == 4
    assert len({row[1] for row in rows()}) == 4


@pytest.mark.parametrize("key", ["", "x" * 129, "with blank", "ü", "a,b"])
def test_a_malformed_key_is_refused(client, key):
    refused = client.post("/fetch/segments", SEGMENT, headers={"Idempotency-Key": key})
    assert refused.status_code == 422
    assert refused.json["error"].startswith("Idempotency-Key: send 1 to 128 letters")
    assert client.get("/fetch/segments").json["data"] == []


def test_twins_at_the_same_moment_make_one(client):
    def send(own, _):
        answer = own.post("/batch/events", {"events": [{"type": "visit", **SUBSCRIBER}]}, headers=KEY)
        assert (answer.status_code, answer.json["results"]) == (200, 1), answer.text
        return is_repeated(answer)

    assert sorted(at_once(client, send)) == [False] + [True] * 5
    with database.session():
        assert database.value("SELECT count(*) FROM events", (), 0) == 1


def test_a_twin_that_another_overtakes_after_its_first_look_is_not_carried_out(client, monkeypatch):
    body, find, first_look = {"events": [{"type": "visit", **SUBSCRIBER}]}, repeats.find, [None]
    client.post("/batch/events", body, headers=KEY)
    monkeypatch.setattr(repeats, "find", lambda sent: first_look.pop() if first_look else find(sent))
    assert is_repeated(client.post("/batch/events", body, headers=KEY))
    with database.session():
        assert database.value("SELECT count(*) FROM events", (), 0) == 1


def test_what_was_refused_or_failed_is_not_kept(client, monkeypatch):
    wrong = {"segment": {"name": "VIP", "rules": {"tag": 7, "is": "no"}}}
    assert client.post("/fetch/segments", wrong, headers=KEY).status_code == 422
    with monkeypatch.context() as patch:
        patch.setattr(idempotency_keys, "put", lambda *_: unavailable())
        assert client.post("/fetch/segments", SEGMENT, headers=KEY).status_code == 503
    assert client.get("/fetch/segments").json["data"] == []
    assert rows() == []
    assert not is_repeated(client.post("/fetch/segments", SEGMENT, headers=KEY))


def unavailable():
    raise Unavailable("gone")


def test_a_day_later_the_key_is_new_and_the_row_is_swept(client, monkeypatch):
    client.post("/fetch/segments", SEGMENT, headers=KEY)
    client.post("/fetch/segments", SEGMENT, headers=OTHER_KEY)
    assert not repeats.sweep()
    now = clock.now_ms()
    monkeypatch.setattr(clock, "now_ms", lambda: now + DAY_MS + 1)
    assert not is_repeated(client.post("/fetch/segments", SEGMENT, headers=KEY))
    assert repeats.sweep()
    assert not repeats.sweep()
    assert len(rows()) == 1


def test_a_dry_run_keeps_nothing(client):
    client.post("/batch/subscribers", {"subscribers": [SUBSCRIBER]})
    site_lane.drain(client.site.id, 30)
    for _ in range(2):
        tried = client.post("/batch/imports/1/undo", {"dry_run": 1}, headers=KEY)
        assert (tried.status_code, is_repeated(tried)) == (200, False)
    judged = client.send_file(
        "/batch/imports", CSV, query=CONSENT | {"dry_run": "1"}, content_type="text/csv", headers=KEY
    )
    assert (judged.status_code, rows()) == (200, [])


def test_erasing_again_with_the_key_erases_nobody_who_came_back(client):
    client.create("ann@example.com")
    assert client.delete("/fetch/subscribers", query=SUBSCRIBER | {"email": "ann@example.com"}, headers=KEY)
    client.post("/fetch/commands", {"command": [{"command": "subscribe", "email": "ann@example.com"}]})
    again = client.delete("/fetch/subscribers", query={"email": "ann@example.com"}, headers=KEY)
    assert (again.json, is_repeated(again)) == ({"data": None}, True)
    assert client.find("ann@example.com") is not None


def send_csv(client, data=CSV, **query):
    return client.send_file(
        "/batch/imports", data, query=CONSENT | query, content_type="text/csv", headers=KEY
    )


def test_a_file_is_imported_once(client):
    first, second = send_csv(client), send_csv(client)
    assert (first.status_code, is_repeated(first), second.status_code) == (200, False, 200), first.text
    assert is_repeated(second)
    assert second.json["data"]["id"] == first.json["data"]["id"]
    assert second.json["meta"] is None
    assert len(client.get("/batch/imports").json["data"]) == 1
    assert send_csv(client, CSV + b"cat@example.com,Cat\n").status_code == 422
    assert send_csv(client, tag="new").status_code == 422


def test_a_file_with_open_questions_keeps_no_key(client):
    asked = client.send_file("/batch/imports", CSV, content_type="text/csv", headers=KEY)
    assert (asked.status_code, rows()) == (422, [])
    assert send_csv(client).status_code == 200


def test_an_upload_under_way_is_a_conflict_until_its_lease_has_passed(client, monkeypatch):
    answers = []

    def store(upload, file_rows):
        answers.append(send_csv(client))
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(file_imports.Upload, "store", store)
        patch.setattr(repeats.Claim, "release", lambda _: None)  # as if the process were gone
        with pytest.raises(Killed):
            send_csv(client)
    [answer] = answers
    assert (answer.status_code, answer.headers["Retry-After"]) == (409, "1"), answer.text
    now = clock.now_ms()
    for after, wait in ((40, "40"), (100, "20"), (-3_600, "1")):
        with monkeypatch.context() as patch:
            patch.setattr(clock, "now_ms", lambda after=after: now + after * 1000)
            patch.setattr(leases, "now", lambda own_ms: max(own_ms, now))
            conflict = send_csv(client)
        assert conflict.status_code == 409
        assert abs(int(conflict.headers["Retry-After"]) - int(wait)) <= 1
    with database.write(client.site.id):
        database.execute("UPDATE idempotency_keys SET lease = 0 WHERE site_id = ?", (client.site.id,))
    assert not is_repeated(send_csv(client))
    assert is_repeated(send_csv(client))


class Killed(BaseException):
    pass


def test_an_upload_that_lost_its_claim_imports_nothing(client, monkeypatch):
    store, twins = file_imports.Upload.store, []

    def slow(upload, file_rows):
        monkeypatch.setattr(file_imports.Upload, "store", store)
        with database.write(client.site.id):
            database.execute("UPDATE idempotency_keys SET lease = 0 WHERE site_id = ?", (client.site.id,))
        twins.append(send_csv(client))
        store(upload, file_rows)

    monkeypatch.setattr(file_imports.Upload, "store", slow)
    lost, [twin] = send_csv(client), twins
    assert (lost.status_code, twin.status_code) == (503, 200), lost.text
    assert [each["id"] for each in client.get("/batch/imports").json["data"]] == [twin.json["data"]["id"]]
    assert is_repeated(send_csv(client))


def test_rows_go_with_their_site(client):
    client.post("/fetch/segments", SEGMENT, headers=KEY)
    assert "idempotency_keys" in site_tables.tables_to_empty()
    assert json.loads(rows()[0][4]) == {"id": "1"}
