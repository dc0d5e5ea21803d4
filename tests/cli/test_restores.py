"""What outlives `audience restore`: erasures, revoked keys and operators of the present instance."""

import json

import pytest

from audience import clock
from audience.access import keys, operators, sign_in, site_keys, sites
from audience.access.audit_log import COMMAND_LINE
from audience.changes.changes import Change, Consent
from audience.config import Settings
from audience.erasures import erasures
from audience.erasures import log as erasure_log
from audience.errors import Refused
from audience.imports import imports
from audience.links import links
from audience.links.links import UNSUBSCRIBE, Links, Standing
from audience.mail.results import REFUSED
from audience.operations import backups, first_site, restore_carryover, site_lane
from audience.privacy import pepper
from audience.sign_ups import confirming
from audience.sign_ups.confirming import ConfirmOutcome
from audience.subscribers import stats, subscribers
from audience.webhooks import webhooks
from storage import database
from storage.imports import imports as stored_imports
from tests.cli.restored import reopen, run_on
from tests.client import FakeQueue
from tests.receiver import receiving
from tests.sign_up_steps import FakeRelay, ask, confirm, make_form, make_sender, read, row, send, token
from tests.storage import instance_before as before
from tests.stored_people import found
from tests.two_factor import code_of, turn_on, waiting
from tests.webhook_steps import send_all


def erase(settings, client, email):
    erasures.erase(client.site, settings.instance, email)


def test_subscribers_erased_since_the_backup_stay_erased(backup, settings, client):
    erase(settings, client, "ann@example.com")
    result = run_on(settings, "restore", str(backup), "--yes", "--json")
    assert json.loads(result.stdout)["erased"] == 1
    assert client.find("ann@example.com") is None
    assert client.counts() == (1, 1, 0)
    assert stats.recount(client.site) == stats.Counts(1, 0)
    refused = client.post("/fetch/subscribers", {"subscriber": {"email": "ann@example.com"}})
    assert refused.status_code == 422


def test_whoever_was_erased_under_a_newer_address_than_the_backups_stays_erased(backup, settings, client):
    moved = {"command": "change_email", "email": "ann@example.com", "query": "new@example.com"}
    assert client.post("/fetch/commands", {"command": moved}).json["failed"] == 0
    erase(settings, client, "new@example.com")
    result = run_on(settings, "restore", str(backup), "--yes", "--json")
    assert json.loads(result.stdout)["erased"] == 1
    assert client.find("ann@example.com") is None
    assert client.counts() == (1, 1, 0)
    assert stats.recount(client.site) == stats.Counts(1, 0)


def test_no_place_in_the_record_outlives_a_restore(backup, settings, client):
    client.create("cy@example.com")
    place = client.get("/fetch/changes").json["meta"]["newest"]
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    for after in (place, "2", "0"):
        assert client.get("/fetch/changes", query={"after": after}).status_code == 422
    meta = client.get("/fetch/changes").json["meta"]
    assert meta["oldest"] == meta["newest"]
    answer = client.get("/fetch/changes", query={"after": int(meta["oldest"]) - 1}).json
    [reset] = [each["attributes"] for each in answer["data"]]
    assert (reset["kind"], reset["source"]) == ("reset", {"type": "restore", "id": None})
    client.create("dy@example.com")
    [entry] = client.get("/fetch/changes", query={"after": meta["newest"]}).json["data"]
    assert entry["attributes"]["email"] == "dy@example.com"
    assert int(entry["id"]) < 2**53


def test_webhooks_are_paused_until_somebody_resumes_them(settings, client, tmp_path):
    """However they were before; then they begin with a reset."""
    with receiving() as receiver:
        for paused in (False, True):
            webhooks.create(client.site, {"url": receiver.url, "paused": paused})
        client.create("ann@example.com")
        backups.create(settings, tmp_path / "b.tar", lambda *_: None)
        result = run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes")
        assert "1 webhooks are paused" in result.stdout
        assert [each.paused for each in webhooks.list_all(client.site)] == ["restored", "operator"]
        client.create("bob@example.com")
        send_all()
        assert receiver.received == []
        webhooks.replace(client.site, 1, {"url": receiver.url, "paused": False})
        assert "at most 1 changes wait to be delivered to one" in run_on(settings, "doctor").stdout
        send_all()
        client.create("eve@example.com")
        send_all()
        kinds = [each["attributes"]["kind"] for request in receiver.received for each in request.data]
        assert kinds == ["reset", "created"]


def test_sign_ups_wait_for_an_operator_and_links_that_were_sent_confirm_nothing(settings, client, tmp_path):
    """Whoever confirmed since the backup, and left then, must not be subscribed by the link of before."""
    make_sender(client.site)
    form, relay = make_form(client.site), FakeRelay()
    sent = ask(client.site, form, "sent@example.com")
    send(client.site, relay)
    waiting = ask(client.site, form, "waiting@example.com")
    held = ask(client.site, form, "held@example.com", is_held=True, reason="trapped")
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    send(client.site, relay)
    erase(settings, client, "held@example.com")
    tokens = [token(client.site, one) for one in (sent, waiting)]
    assert confirm(client.site, waiting) is ConfirmOutcome.CONFIRMED
    client.post("/fetch/commands", {"command": {"command": "unsubscribe", "email": "waiting@example.com"}})
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    assert [read(one).status for one in tokens] == ["ended", "gone"]
    assert (row(client.site, waiting).status, row(client.site, waiting).reason) == ("held", "restored")
    assert row(client.site, held) is None
    send(client.site, relay)
    assert [mail.recipient for mail in relay.mails] == ["sent@example.com", "waiting@example.com"]


@pytest.mark.parametrize("status", ["held", "failed"])
def test_who_declined_since_the_backup_is_not_subscribed_by_the_link_of_before(
    settings, client, tmp_path, status
):
    make_sender(client.site)
    relay = FakeRelay()
    relay.script = [(REFUSED, "550 5.1.1 no such user")]
    sign_up = ask(client.site, make_form(client.site), is_held=status == "held")
    send(client.site, relay)
    assert row(client.site, sign_up).status == status
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    before = token(client.site, sign_up)
    assert confirming.decline(before)
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    assert confirming.confirm(before, "click", 1, "", "") is ConfirmOutcome.TOO_OLD
    assert row(client.site, sign_up).status == status


def test_subscribers_erased_since_the_backup_are_erased_from_waiting_imports(settings, client, tmp_path):
    """Alternately, and with a tag."""
    client.create("ann@example.com", tags="vip")
    waiting = [(0, {"email": "Ann@example.com", "first_name": "Ann"}), (1, {"email": "bob@example.com"})]
    accepted = imports.accept(client.site, waiting, [], FakeQueue(), 0)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    erase(settings, client, "ann@example.com")
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    with database.session():
        assert ["Ann" in payload for _, payload in stored_imports.waiting_batches(client.site.id)] == [False]
    site_lane.drain(client.site.id, 5)
    assert imports.progress(client.site, accepted.id).suppressed == 1
    assert client.counts() == (1, 1, 0)
    for file in settings.instance.glob("audience.db*"):
        assert b"ann@example.com" not in file.read_bytes().lower()


def test_who_asked_to_come_back_before_the_backup_does_when_it_is_applied(settings, client, tmp_path):
    """Erased, then named with `subscribe` in an import that still waited in the backup, and waits now."""
    client.create("ann@example.com")
    erase(settings, client, "ann@example.com")
    item = {"email": "ann@example.com", "command": "subscribe"}
    imports.accept(client.site, [(0, item)], [], FakeQueue(), 0)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    site_lane.drain(client.site.id, 5)
    assert client.counts() == (1, 1, 0)


def test_the_erasure_log_is_enough_if_the_database_is_lost(backup, settings, client):
    erase(settings, client, "ann@example.com")
    database.close()
    (settings.instance / "audience.db").write_bytes(b"not a database at all" * 1000)
    result = run_on(settings, "restore", str(backup), "--yes", "--json")
    assert json.loads(result.stdout)["erased"] == 1
    assert json.loads(result.stdout)["damaged"] is True
    assert client.find("ann@example.com") is None
    assert client.find("bob@example.com") is not None


def test_a_truncated_last_log_line_is_ignored_but_a_broken_line_is_refused(backup, settings, client):
    erase(settings, client, "ann@example.com")
    log = settings.instance / erasure_log.LOG
    complete_log = log.read_text()
    log.write_text(complete_log + complete_log[:20])
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    log.write_text(complete_log[:20] + "\n" + complete_log)
    (settings.instance / "audience.db").unlink()
    assert "line 1" in str(run_on(settings, "restore", str(backup), "--yes").exception)


def test_erasures_from_before_the_backup_that_were_lifted_stay_lifted(settings, client, type_, tmp_path):
    long_ago = clock.now_ms() - 2 * restore_carryover.CLOCK_SKEW_MS
    client.create("ann@example.com")
    line = {
        "site_uuid": client.site.uuid,
        "address_hash": site_keys.address_hash(client.site.id, "ann@example.com"),
        "at": long_ago,
    }
    (settings.instance / erasure_log.LOG).write_text(json.dumps(line) + "\n")
    type_("backup", str(tmp_path / "b.tar"))
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    assert client.find("ann@example.com") is not None


def test_erasures_that_cannot_be_matched_prevent_restoring(backup, settings, client):
    erase(settings, client, "ann@example.com")
    log = settings.instance / erasure_log.LOG
    log.write_text(log.read_text().replace(pepper.check_value(), pepper.check_value(b"x" * 32)))
    with database.write():
        database.execute("UPDATE pepper SET check_value = ?", (pepper.check_value(b"x" * 32),))
    database.close()
    (settings.instance / "pepper").write_bytes(b"x" * 32)
    assert "cannot be matched" in str(run_on(settings, "restore", str(backup), "--yes").exception)
    assert run_on(settings, "restore", str(backup), "--yes", "--ignore-erasures").exit_code == 0
    assert client.find("ann@example.com") is not None


def test_keys_revoked_since_the_backup_stay_revoked(backup, settings, client, type_):
    keys.revoke(client.key.publishable_key, settings.instance)
    assert "1 keys" in run_on(settings, "restore", str(backup), "--yes").stdout
    assert keys.authenticate(client.key.publishable_key, client.key.secret_key) is None


def test_keys_about_to_expire_still_expire(backup, settings, client):
    keys.rotate(client.key.publishable_key, settings.instance, overlap_ms=1)
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    assert keys.authenticate(client.key.publishable_key, client.key.secret_key) is None


def test_the_first_sites_file_is_deleted_if_its_key_is_not_in_the_backup(
    backup, settings, app, tmp_path_factory
):
    other = Settings(instance=tmp_path_factory.mktemp("other"))
    reopen(other)
    first_site.ensure(other)
    assert run_on(other, "restore", str(backup), "--yes").exit_code == 0
    assert not (other.instance / "first-site.json").exists()


def test_the_erasure_log_alone_in_a_new_folder_is_enough(backup, settings, client, tmp_path_factory):
    erase(settings, client, "ann@example.com")
    other = Settings(instance=tmp_path_factory.mktemp("other"))
    (other.instance / erasure_log.LOG).write_bytes((settings.instance / erasure_log.LOG).read_bytes())
    assert json.loads(run_on(other, "restore", str(backup), "--yes", "--json").stdout)["erased"] == 1
    assert subscribers.find(client.site, email="ann@example.com") is None


def test_a_backup_of_before_the_first_migration_is_taken_over(settings, tmp_path):
    """It is made while the database is as it was."""
    before.load(settings)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    database.close()
    refused = run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes")
    assert "run `audience migrate` first" in str(refused.exception)
    assert run_on(settings, "migrate").exit_code == 0
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    assert database.pending_migrations() == []
    [site] = sites.list_all()
    assert subscribers.find(site, email="ann@example.com")


@pytest.mark.parametrize("is_lost", [False, True])
def test_who_left_or_was_erased_after_an_upgrade_stays_out_of_a_backup_of_before(settings, tmp_path, is_lost):
    """A site of before has the same key in the backup, once migrated."""
    before.load(settings)
    backups.create(settings, tmp_path / "b.tar", lambda *_: None)
    reopen(settings)
    [site] = sites.list_all()
    erasures.erase(site, settings.instance, email="p5@example.org")
    with database.write(site.id):
        change = Change("ann@example.com", "ann@example.com", consent=Consent.UNSUBSCRIBE, creates=False)
        subscribers.write(site.id, [change], subscribers.accept_now(site.id))
    database.close()
    if is_lost:
        for file in settings.instance.glob("audience.db*"):
            file.unlink()
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    assert subscribers.find(site, email="p5@example.org") is None
    with pytest.raises(Refused):
        subscribers.create(site, {"email": "p5@example.org"})
    ann = subscribers.find(site, email="ann@example.com")
    assert ann
    assert ann.unsubscribed_at


def test_a_restore_keeps_the_operators_and_ends_every_session(type_, client, settings, tmp_path):
    operators.add("old@example.com", True, {client.site: "viewer"}, COMMAND_LINE)
    operators.add("gone@example.com", True, {client.site: "owner"}, COMMAND_LINE)
    token = sign_in.with_link(sign_in.console_link("gone@example.com")[1], "")
    link = sign_in.console_link("gone@example.com")[1]
    file = tmp_path / "backup.tar"
    assert type_("backup", str(file)).exit_code == 0
    operators.set_role("old@example.com", client.site, "owner", COMMAND_LINE)
    operators.remove("gone@example.com", COMMAND_LINE)
    result = run_on(settings, "restore", str(file), "--yes")
    assert result.exit_code == 0, result.output
    reopen(settings)
    found = [(each.email, roles) for each, roles in operators.list_all()]
    assert found == [("old@example.com", {client.site.id: "owner"})]
    assert operators.signed_in(token) is None
    with pytest.raises(Refused):
        sign_in.with_link(link, "")


@pytest.mark.parametrize("is_on_in_backup", [True, False])
def test_a_restore_keeps_two_factor_sign_in_and_the_codes_that_counted(
    type_, client, settings, tmp_path, is_on_in_backup
):
    operators.add("ann@example.com", True, {client.site: "owner"}, COMMAND_LINE)
    if is_on_in_backup:
        secret, codes = turn_on("ann@example.com")
    assert type_("backup", str(tmp_path / "b.tar")).exit_code == 0
    if not is_on_in_backup:
        secret, codes = turn_on("ann@example.com")
    app_code = code_of(secret, 1)
    for code in (codes[0], app_code):
        assert sign_in.with_code(waiting("ann@example.com"), code, False, "")
    assert run_on(settings, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    reopen(settings)
    for code, counts in ((codes[0], False), (app_code, False), (codes[1], True)):
        session = sign_in.with_code(waiting("ann@example.com"), code, False, "")
        assert bool(session) is counts


def test_a_restore_elsewhere_has_two_factor_sign_in_as_in_the_backup(
    type_, client, tmp_path, tmp_path_factory
):
    operators.add("ann@example.com", True, {client.site: "owner"}, COMMAND_LINE)
    secret, _ = turn_on("ann@example.com")
    assert type_("backup", str(tmp_path / "b.tar")).exit_code == 0
    other = Settings(instance=tmp_path_factory.mktemp("other") / "new")
    assert run_on(other, "restore", str(tmp_path / "b.tar"), "--yes").exit_code == 0
    assert sign_in.with_code(waiting("ann@example.com"), code_of(secret, 1), False, "")


def test_a_restore_elsewhere_has_the_operators_of_the_backup_but_nobody_signed_in(
    type_, client, tmp_path, tmp_path_factory
):
    operators.add("ann@example.com", True, {client.site: "owner"}, COMMAND_LINE)
    token = sign_in.with_link(sign_in.console_link("ann@example.com")[1], "")
    file = tmp_path / "backup.tar"
    assert type_("backup", str(file)).exit_code == 0
    other = Settings(instance=tmp_path_factory.mktemp("other") / "new")
    assert run_on(other, "restore", str(file), "--yes").exit_code == 0
    assert [each.email for each, _ in operators.list_all()] == ["ann@example.com"]
    assert operators.signed_in(token) is None


@pytest.mark.parametrize("is_lost", [False, True])
def test_no_link_that_was_revoked_since_the_backup_is_good_again(backup, settings, client, is_lost):
    person = found(client.site, "ann@example.com")

    def token():
        url = Links(client.site, "https://a.example").urls(person.uuid, person.email_key)[UNSUBSCRIBE]
        return url.rpartition("/")[2]

    revoked = token()
    rotate = "site", "links", "rotate", client.site.uuid
    assert run_on(settings, *rotate).exit_code == 0
    assert run_on(settings, *rotate, "--revoke", "--yes").exit_code == 0
    good = token()
    if is_lost:
        (settings.instance / "audience.db").unlink()
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    assert standing(revoked) == Standing.REVOKED
    assert standing(good) == (None if is_lost else Standing.CURRENT)
    assert (token() == good) != is_lost
    assert standing(token()) == Standing.CURRENT
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    assert standing(revoked) == Standing.REVOKED


def standing(token):
    link = links.read(UNSUBSCRIBE, token)
    return link and link.standing


def test_links_that_were_rotated_away_stay_old_though_the_database_is_lost(backup, settings, client):
    person = found(client.site, "ann@example.com")
    url = Links(client.site, "https://a.example").urls(person.uuid, person.email_key)[UNSUBSCRIBE]
    assert run_on(settings, "site", "links", "rotate", client.site.uuid).exit_code == 0
    (settings.instance / "audience.db").unlink()
    assert run_on(settings, "restore", str(backup), "--yes").exit_code == 0
    assert standing(url.rpartition("/")[2]) == Standing.OLD
