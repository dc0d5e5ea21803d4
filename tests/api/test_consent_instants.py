"""The consent event of the latest instant counts, however fast the worker is (docs/contract.md, Consent)."""

import pytest

from audience import clock
from audience.access import sites
from audience.access.audit_log import Actor
from audience.bulk import actions as bulk_actions
from audience.bulk.actions import TAG, UNSUBSCRIBE, NewAction
from audience.subscribers import subscribers
from audience.undo import undos
from schemas.values import write_date
from storage import database
from tests.api import sent_files
from tests.api.test_consent import ADA, MINUTE, command, consent, event, import_one, move, queue
from tests.api.test_consent_order import DAY, HOUR, drain
from tests.api.test_consent_order import step as step
from tests.jobs import run_bulk_actions

OTHER = "other@example.com"
MORNING = 1_796_119_200_000  # 2026-12-01T10:00:00Z


def send(client, *events):
    return client.post("/batch/events", {"events": list(events)}).json


def dated(type_, date, email=ADA):
    return {"email": email, "type": type_, "date": date}


def file(client, *lines, said="subscribed"):
    """Imports a file."""
    answer = sent_files.send(client, "\n".join(lines), query={"consent": said})
    assert answer.status_code == 200, answer.text
    drain(client)
    return answer.json["data"]["id"]


def stored(client, email=ADA):
    found = subscribers.find(client.site, email)
    assert found is not None
    return found


def act(client, kind, *emails, tag=""):
    ids = [stored(client, email).id for email in emails]
    new = NewAction(kind=kind, ids=ids, seen=bulk_actions.fingerprint(ids), tag=tag)
    return bulk_actions.begin(client.site, new, Actor("operator")).id


@pytest.fixture
def morning(step):
    """Stops the clock at ten in the morning; gives what moves it on."""
    step(MORNING - clock.now_ms())
    return step


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "slow"])
@pytest.mark.parametrize("leave", [
    lambda client: queue(client, command="unsubscribe"),
    lambda client: act(client, UNSUBSCRIBE, ADA),
], ids=["batch", "bulk action"])  # fmt: skip
def test_an_old_subscribe_loses_to_an_unsubscribe_that_still_waits(client, tmp_path, leave, quick):
    client.create(ADA)
    leave(client)
    work = [lambda: drain(client), lambda: run_bulk_actions(tmp_path)]
    if quick:
        [each() for each in work]
    answer = send(client, dated("$subscribe", "2019-03-01T10:00:00Z"))
    [each() for each in work]
    assert consent(client)
    assert answer.get("subscribes_ignored", 0) == quick


def test_who_subscribes_after_a_bulk_unsubscribe_stays_subscribed(client, tmp_path, morning):
    client.create(ADA)
    act(client, UNSUBSCRIBE, ADA)
    morning(MINUTE)
    command(client, "subscribe")
    morning(MINUTE)
    run_bulk_actions(tmp_path)
    assert consent(client) is None


def test_an_unsubscribe_dated_with_the_day_counts_over_a_subscribe_of_that_day(client, morning):
    command(client, "subscribe")
    morning(HOUR)
    assert "unsubscribes_ignored" not in send(client, dated("$unsubscribe", "2026-12-01"))
    assert consent(client) == "2026-12-01T00:00:00.000Z"


def test_a_subscribe_dated_with_the_day_loses_to_an_unsubscribe_of_that_day(client, morning):
    command(client, "unsubscribe")
    morning(HOUR)
    assert send(client, dated("$subscribe", "2026-12-01"))["subscribes_ignored"] == 1
    assert consent(client)


@pytest.mark.parametrize(("time_zone", "left"), [("America/New_York", True), ("UTC", False)])
def test_the_day_ends_in_the_time_zone_of_the_site(client, morning, time_zone, left):
    sites.set_time_zone(client.site, time_zone)
    morning(-7 * HOUR)  # 2026-12-01T03:00:00Z, in New York still the day before
    command(client, "subscribe")
    morning(DAY)
    assert send(client, dated("$unsubscribe", "2026-11-30")).get("unsubscribes_ignored", 0) == (not left)
    assert bool(consent(client)) == left


def test_an_item_of_a_day_counts_likewise_and_keeps_its_date(client, morning):
    command(client, "subscribe")
    morning(HOUR)
    import_id = file(client, "email,unsubscribed_at", f"{ADA},2026-12-01")
    assert consent(client) == "2026-12-01T00:00:00.000Z"
    assert "unsubscribes_ignored" not in client.get(f"/batch/imports/{import_id}").json["data"]["attributes"]


def test_what_a_clock_that_was_ahead_kept_is_compared_as_now_for_an_unsubscribe(client, morning):
    morning(HOUR)
    command(client, "subscribe")
    morning(-HOUR)
    event(client, "$unsubscribe", write_date(clock.now_ms()))
    assert consent(client) == write_date(MORNING)
    morning(1)
    assert send(client, dated("$subscribe", write_date(clock.now_ms()))).get("subscribes_ignored", 0) == 0


def test_a_clock_that_was_ahead_gives_a_subscribe_nothing(client, morning):
    morning(HOUR)
    command(client, "unsubscribe")
    morning(-HOUR)
    assert send(client, dated("$subscribe", write_date(clock.now_ms())))["subscribes_ignored"] == 1
    assert consent(client)
    command(client, "subscribe")
    assert consent(client) is None


def test_the_right_file_counts_over_a_wrong_one_that_brought_people_in_subscribed(client):
    file(client, "email", ADA)
    assert consent(client) is None
    file(client, "email,unsubscribed_at", f"{ADA},2024-05-06")
    assert consent(client) == "2024-05-06T00:00:00.000Z"


@pytest.mark.parametrize("come_in", [
    lambda client: client.create(ADA),
    lambda client: import_one(client),
    lambda client: event(client, "seen"),
], ids=["create", "item", "event"])  # fmt: skip
def test_coming_in_subscribed_is_no_consent_event(client, come_in):
    come_in(client)
    event(client, "$unsubscribe", "2001-01-01")
    assert consent(client) == "2001-01-01T00:00:00.000Z"


def test_what_did_not_count_is_told(client):
    command(client, "subscribe")
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": OTHER}})
    old = "2019-01-01T00:00:00Z"
    answer = send(client, dated("$unsubscribe", old), dated("$subscribe", old, OTHER))
    assert (answer["results"], answer["failed"], answer["errors"]) == (2, 0, [])
    assert (answer["unsubscribes_ignored"], answer["subscribes_ignored"]) == (1, 1)
    import_id = file(client, "email,unsubscribed_at", f"{ADA},2019-01-01")
    counts = client.get(f"/batch/imports/{import_id}").json["data"]["attributes"]
    assert counts["unsubscribes_ignored"] == 1
    assert "subscribes_ignored" not in counts
    body = {"subscribers": [{"email": ADA, "unsubscribed_at": "2019-01-01"}]}
    assert client.post("/batch/subscribers", body).json.get("unsubscribes_ignored", 0) == 0


def test_repeating_an_unsubscribe_with_an_earlier_date_is_nothing_to_tell(client):
    command(client, "unsubscribe")
    assert "unsubscribes_ignored" not in send(client, dated("$unsubscribe", "2019-01-01"))


@pytest.mark.parametrize(("kind", "tag"), [(UNSUBSCRIBE, ""), (TAG, "vip")])
def test_whom_a_waiting_bulk_action_chose_is_kept_by_an_undo_and_by_the_corrected_file(
    client, tmp_path, kind, tag
):
    wrong = file(client, "email,city", f"{ADA},Oslo", f"{OTHER},Rome")
    act(client, kind, ADA, tag=tag)
    undos.undo_import(client.site, int(wrong), 30)
    drain(client)
    assert client.find(OTHER) is None
    assert client.find(ADA)
    file(client, "email,city", f"{ADA},Bergen")
    run_bulk_actions(tmp_path)
    assert bool(consent(client)) == (kind == UNSUBSCRIBE)
    assert client.find(ADA)["attributes"]["cached_tag_ids"] == ([] if kind == UNSUBSCRIBE else ["1"])


def test_an_unsubscribe_refused_as_erased_keeps_an_earlier_subscribe_from_bringing_back(client):
    client.create(ADA)
    client.delete("/fetch/subscribers", query={"email": ADA})
    queue(client, command="subscribe")
    answer = client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": ADA}}).json
    assert answer["failed"] == 1
    drain(client)
    assert client.find(ADA) is None
    command(client, "subscribe")
    assert consent(client) is None


def test_a_subscribe_for_the_new_address_from_before_a_move_brings_nobody_back(client):
    command(client, "unsubscribe")
    rows = [{"email": "new@example.com", "command": "subscribe"}, {"email": OTHER}]
    client.post("/batch/subscribers", {"subscribers": rows})
    move(client, ADA, "new@example.com")
    drain(client)
    assert client.find("new@example.com")["attributes"]["unsubscribed_at"]


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "slow"])
def test_an_unsubscribe_that_waits_follows_whoever_moves_meanwhile(client, quick):
    client.create(ADA)
    queue(client, command="unsubscribe")
    if quick:
        drain(client)
    move(client, ADA, "new@example.com")
    move(client, "new@example.com", "newer@example.com")
    drain(client)
    assert client.find("newer@example.com")["attributes"]["unsubscribed_at"]
    assert client.find("new@example.com") is None
    with database.session():
        assert database.rows("SELECT 1 FROM moved_addresses WHERE site_id = ?", (client.site.id,)) == []


def test_whom_a_bulk_action_unsubscribed_and_who_moved_since_stays_unsubscribed_by_its_undo(client, tmp_path):
    """A subscription that waits for the new address is not theirs."""
    client.create(ADA)
    action_id = act(client, UNSUBSCRIBE, ADA)
    run_bulk_actions(tmp_path)
    move(client, ADA, "new@example.com")
    undos.undo_bulk_action(client.site, action_id, 30, Actor("operator"))
    drain(client)
    assert client.find("new@example.com")["attributes"]["unsubscribed_at"]


def test_acceptance_never_goes_back_within_a_site(client, morning):
    command(client, "unsubscribe")
    morning(-DAY)
    command(client, "subscribe")
    assert consent(client) is None
    assert stored(client).consent_at == MORNING


def test_not_yet_has_no_unsubscribe_until_there_is_one(client):
    file(client, "email", ADA, said="unconfirmed")
    assert stored(client).unsubscribe_number is None
    assert consent(client)
    event(client, "$unsubscribe", "2001-01-01")
    assert stored(client).unsubscribe_number


NEW = "new@example.com"


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "slow"])
def test_a_row_that_waits_is_of_whoever_had_the_address(client, quick):
    uuid = client.create(ADA)["attributes"]["uuid"]
    queue(client, first_name="Ada")
    if quick:
        drain(client)
    move(client, ADA, NEW)
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": NEW}})
    drain(client)
    assert client.find(ADA) is None
    found = client.find(NEW)["attributes"]
    assert (found["uuid"], found["first_name"]) == (uuid, "Ada")
    assert found["unsubscribed_at"]


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "slow"])
def test_who_moved_and_was_erased_does_not_come_back_by_a_row_that_waits(client, quick):
    client.create(ADA)
    queue(client, first_name="Ada")
    if quick:
        drain(client)
    move(client, ADA, NEW)
    client.delete("/fetch/subscribers", query={"email": NEW})
    drain(client)
    assert client.find(ADA) is None
    assert client.find(NEW) is None


@pytest.mark.parametrize("quick", [True, False], ids=["quick", "slow"])
@pytest.mark.parametrize("leave", [
    lambda client: queue(client, command="unsubscribe"),
    lambda client: act(client, UNSUBSCRIBE, ADA),
], ids=["batch", "bulk action"])  # fmt: skip
def test_a_subscribe_for_the_new_address_from_before_a_move_subscribes_nobody(client, tmp_path, leave, quick):
    command(client, "subscribe")
    leave(client)
    rows = [{"email": NEW, "command": "subscribe"}, {"email": OTHER}]
    work = [lambda: drain(client), lambda: run_bulk_actions(tmp_path)]
    if quick:
        [each() for each in work]
    client.post("/batch/subscribers", {"subscribers": rows})
    move(client, ADA, NEW)
    [each() for each in work]
    assert client.find(NEW)["attributes"]["unsubscribed_at"]


def test_who_came_to_an_address_later_is_not_unsubscribed_for_who_had_it(client):
    client.create(ADA)
    client.create(OTHER)
    queue(client, command="unsubscribe")
    move(client, ADA, NEW)
    move(client, OTHER, ADA)
    move(client, ADA, "bob@example.com")
    drain(client)
    assert client.find(NEW)["attributes"]["unsubscribed_at"]
    assert client.find("bob@example.com")["attributes"]["unsubscribed_at"] is None


@pytest.mark.parametrize("date", ["9999-12-31", "0001-01-01"])
def test_the_ends_of_the_calendar_are_dates(client, date):
    client.create(ADA)
    assert send(client, dated("$unsubscribe", date))["results"] == 1
    assert consent(client)


def test_a_row_that_says_so_unsubscribes_whatever_its_date(client):
    command(client, "subscribe")
    import_id = file(client, "email,command,unsubscribed_at", f"{ADA},unsubscribe,2024-05-06")
    assert consent(client) == "2024-05-06T00:00:00.000Z"
    assert "unsubscribes_ignored" not in client.get(f"/batch/imports/{import_id}").json["data"]["attributes"]


def test_who_unsubscribed_after_coming_in_unconfirmed_is_not_unconfirmed_at_their_old_address(client):
    file(client, "email,status", f"{ADA},pending")
    event(client, "$unsubscribe", "2019-01-01")
    move(client, ADA, NEW)
    client.create(ADA)
    assert stored(client).unsubscribe_number


def test_a_command_tells_that_it_did_not_count(client, morning):
    file(client, "email,unsubscribed_at", f"{ADA},2026-12-01")
    morning(-HOUR)
    answer = client.post("/fetch/commands", {"command": {"command": "subscribe", "email": ADA}}).json
    assert (answer["results"], answer["failed"], answer["subscribes_ignored"]) == (1, 0, 1)
    assert consent(client)


def test_a_unique_key_that_somebody_else_has_used_swallows_no_unsubscribe(client):
    client.create(ADA)
    key = {"details": {"unique": {"key": "campaign"}}}
    event_of = {"type": "$unsubscribe", **key}
    send(client, {"email": OTHER, **event_of})
    assert send(client, {"email": ADA, **event_of})["results"] == 1
    assert consent(client)


def test_an_unsubscribe_that_is_sent_again_is_told_where_it_does_not_count(client):
    sent = {"email": ADA, "type": "$unsubscribe", "details": {"unique": {"key": "click"}}}
    assert "unsubscribes_ignored" not in send(client, sent)
    command(client, "subscribe")
    assert send(client, sent)["unsubscribes_ignored"] == 1
    assert consent(client) is None


def test_a_dated_unsubscribe_stays_dated_after_a_move(client, morning):
    """A subscribe of the same instant does not count over it."""
    client.create(ADA)
    send(client, dated("$unsubscribe", "2026-12-01"))
    move(client, ADA, OTHER)
    body = {"command": {"command": "subscribe", "email": OTHER}}
    assert client.post("/fetch/commands", body).json["failed"] == 0
    assert stored(client, OTHER).unsubscribed_at is not None
