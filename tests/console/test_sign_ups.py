"""Sign-ups on the pages of a site's operators: what holds them, sent again, deleted, released, discarded."""

import html
import re

import pytest

from audience import clock
from audience.access.audit_log import page
from audience.clock import DAY_MS
from audience.console.confirmations import SENTENCES
from audience.console.sign_ups import ON_HOLD, TYPE_NUMBER
from audience.sign_ups import alarms
from storage import database
from storage.sign_ups import alarms as stored_alarms
from storage.sign_ups import counts
from tests.console.browser import alert, signed_in
from tests.sign_up_steps import FakeRelay, ask, counted, make_form, make_sender, row, send

ADA, BOB, EVE = "ada@example.com", "bob@example.com", "eve@example.com"


@pytest.fixture
def path(site):
    return f"/sites/{site.uuid}/sign-ups"


@pytest.fixture
def form(site):
    make_sender(site)
    return make_form(site, name="Podcast page", origins=["https://a.example"])


def hold(site, form, email, reason="trapped"):
    return ask(site, form, email, is_held=True, reason=reason, network="198.51.100.0/24")


def raise_alarm(site, at):
    with database.write(site.id):
        stored_alarms.put(site.id, stored_alarms.get(site.id)._replace(held_at=at))


def said(answer):
    """What the page has in it, as it is read."""
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2])).split())


def drawn(browser, path):
    """When the page was drawn, as its forms send it."""
    return re.findall(r'name="before" value="([^"]+)"', browser.get(path).text)[0]


def status(site, sign_up):
    found = row(site, sign_up)
    return found.status if found else None


def acts(site):
    return [(entry.actor, entry.act, entry.subjects) for entry in page(site)]


def test_it_is_a_tab_beside_the_forms_with_how_many_are_open(site, manager, form, path):
    for email in (ADA, BOB):
        ask(site, form, email)
    for shown in (manager.get(f"/sites/{site.uuid}/forms"), manager.get(path)):
        assert "Forms Sign-ups 2 " in said(shown)
    assert f'href="/console{path}" aria-current="page"' in manager.get(path).text


def test_the_overview_has_those_of_today_and_what_is_to_be_looked_at(site, manager, form, path):
    root = f"/sites/{site.uuid}"
    assert "Sign-ups today 0 signed up 0 emails sent 0 confirmed All sign-ups" in said(manager.get(root))
    relay = FakeRelay()
    relay.script = [("sent", "250 OK"), ("refused", "550 5.1.1 no such user")]
    for email in (ADA, BOB):
        ask(site, form, email)
    send(site, relay)
    hold(site, form, EVE)
    shown = manager.get(root)
    assert "Sign-ups today 3 signed up 1 email sent 0 confirmed 1 on hold 1 failed All sign-ups" in said(
        shown
    )
    for address in (path, f"{path}?status=held", f"{path}?status=failed"):
        assert f'href="/console{address}"' in shown.text


def test_the_overview_of_a_site_without_forms_says_nothing_of_sign_ups(site, manager):
    assert "Sign-ups today" not in said(manager.get(f"/sites/{site.uuid}"))


def test_the_open_ones_stand_with_what_holds_them_and_what_the_mail_server_said(site, manager, form, path):
    relay = FakeRelay()
    relay.script = [("sent", "250 2.0.0 OK"), ("refused", "550 5.1.1 <no> such user"), ("later", "451 wait")]
    for email in (ADA, BOB, EVE):
        ask(site, form, email, origin="https://a.example")
        send(site, relay)
    hold(site, form, "mal@example.com")
    first = said(manager.get(path))
    assert "1 email on hold. Its sign-up is kept" in first
    assert "mal@example.com Podcast page 198.51.100.0/24 no page named" in first
    assert "a field that people cannot see was filled in ; kept until" in first
    for state, parts in (
        ("sent", (f"{ADA} Podcast page a.example", "250 2.0.0 OK ; the link works until")),
        ("failed", (f"{BOB} Podcast page", "550 5.1.1 <no> such user ; kept until")),
        ("waiting", (f"{EVE} Podcast page", "451 wait ; next try")),
    ):
        shown = said(manager.get(f"{path}?status={state}"))
        assert all(part in shown for part in (*parts, "On hold 1 Waiting 1 Failed 1 Sent 1")), shown
        assert "mal@example.com" not in shown


def test_more_than_a_page_goes_on_from_its_last(site, manager, form, path, monkeypatch):
    monkeypatch.setattr("audience.console.sign_ups.PAGE_ROWS", 2)
    for email in (ADA, BOB, EVE):
        ask(site, form, email)
    shown = manager.get(path).text
    assert (ADA in shown, EVE in shown) == (True, False)
    [onward] = re.findall(r'href="/console([^"]+)" rel="next"', shown)
    rest = manager.get(html.unescape(onward)).text
    assert (EVE in rest, ADA in rest, 'rel="next"' in rest) == (True, False, False)


def test_an_address_is_found_and_stands_in_no_url(site, manager, form, path):
    for email in (ADA, BOB):
        ask(site, form, email)
    found = manager.post(path, email=" ADA@example.com ")
    assert (found.status_code, ADA in said(found), BOB in said(found)) == (200, True, False)
    assert not re.search(r'(?:href|action)="[^"]*ada', found.text)
    assert "Nobody has signed up with this address lately." in said(manager.post(path, email=EVE))
    assert manager.post(path, email=" ").status_code == 303


def test_while_the_alarm_is_on_a_bar_says_since_when(site, manager, form, path, later):
    raise_alarm(site, 1_790_000_000_000)
    hold(site, form, ADA, "alarm")
    shown = said(manager.get(path))
    assert "Emails on hold since" in shown
    assert "Release all 1…" in shown
    done = manager.post(f"{path}/release", before=drawn(manager, path), typed="1")
    assert (done.status_code, alarms.held_since(site)) == (303, 0)
    assert SENTENCES["released"] in said(manager.get(f"{path}?done=released"))
    assert "Emails on hold" not in said(manager.get(path))


@pytest.mark.parametrize(("act", "noun"), [("release", "released"), ("discard", "discarded")])
def test_those_on_hold_go_or_are_deleted_once_their_number_is_typed(
    site, manager, form, path, later, act, noun
):
    held = [hold(site, form, email) for email in (ADA, BOB)]
    before = drawn(manager, path)
    later(1_000)
    newer = hold(site, form, EVE)
    for typed in ("", "3", "1"):
        refused = manager.post(f"{path}/{act}", before=before, typed=typed)
        assert (refused.status_code, alert(refused)) == (422, TYPE_NUMBER)
    assert manager.post(f"{path}/{act}", before="soon", typed="2").status_code == 422
    assert {status(site, each) for each in held} == {"held"}
    assert manager.post(f"{path}/{act}", before=before, typed="2").status_code == 303
    assert {status(site, each) for each in held} == {"waiting" if act == "release" else None}
    assert status(site, newer) == "held"
    assert acts(site)[0] == ("meg@example.com", f"held sign-ups {noun}", 2)


def test_those_that_failed_go_again_once_their_number_is_typed(site, manager, form, path, later):
    relay = FakeRelay()
    relay.script = [("refused", "550 5.1.1 no"), ("refused", "550 5.1.1 no")]
    raise_alarm(site, 1)
    failed = [hold(site, form, email) for email in (ADA, BOB)]
    manager.post(f"{path}/release", before=drawn(manager, path), typed="2")
    raise_alarm(site, 1)
    send(site, relay)
    shown = said(manager.get(f"{path}?status=failed"))
    assert "Send all 2 again…" in shown
    later(600_001)
    before, held = drawn(manager, f"{path}?status=failed"), hold(site, form, EVE)
    refused = manager.post(f"{path}/release", before=before, typed="1", status="failed")
    assert (refused.status_code, alert(refused)) == (422, TYPE_NUMBER)
    done = manager.post(f"{path}/release", before=before, typed="2", status="failed")
    assert (done.status_code, "done=failed-sent-again" in done.headers["Location"]) == (303, True)
    assert [status(site, each) for each in (*failed, held)] == ["waiting", "waiting", "held"]
    assert alarms.held_since(site) == 1
    assert acts(site)[0] == ("meg@example.com", "failed sign-ups sent again", 2)
    assert "again…" not in said(manager.get(f"{path}?status=failed"))


def test_one_is_sent_again_and_not_before_its_mailbox_may_have_another(site, app, form, path, later):
    support, relay = signed_in(app, "sue@example.com", {site: "support"}), FakeRelay()
    sign_up = ask(site, form, ADA)
    send(site, relay)
    refused = support.post(f"{path}/{sign_up.id}/send")
    assert (refused.status_code, "Try again in 10 minutes." in alert(refused)) == (429, True)
    later(600_001)
    assert support.post(f"{path}/{sign_up.id}/send").status_code == 303
    send(site, relay)
    assert [mail.recipient for mail in relay.mails] == [ADA, ADA]
    assert acts(site)[0][:2] == ("sue@example.com", "sign-up sent again")


def test_one_is_deleted(site, app, form, path):
    support = signed_in(app, "sue@example.com", {site: "support"})
    sign_up = ask(site, form, ADA)
    assert support.post(f"{path}/{sign_up.id}/delete").status_code == 303
    assert row(site, sign_up) is None
    gone = support.post(f"{path}/{sign_up.id}/delete")
    assert (gone.status_code, alert(gone)) == (404, "Sign-up not found.")
    assert acts(site)[0][:2] == ("sue@example.com", "sign-up deleted")


def test_support_lets_none_go_that_is_on_hold_and_a_viewer_does_nothing(site, app, manager, form, path):
    held, sent = hold(site, form, ADA), ask(site, form, BOB)
    before = drawn(manager, path)
    for role in ("support", "viewer"):
        browser = signed_in(app, f"{role}@example.com", {site: role})
        shown = browser.get(path)
        assert (shown.status_code, ADA in shown.text, f"{path}/" in shown.text) == (200, True, False)
        for act in ("release", "discard"):
            assert browser.post(f"{path}/{act}", before=before, typed="1").status_code == 404
        for act in ("send", "delete"):
            refused = browser.post(f"{path}/{held.id}/{act}")
            assert refused.status_code == (422 if role == "support" else 404)
            assert (ON_HOLD in refused.text) == (role == "support")
    assert browser.post(f"{path}/{sent.id}/delete").status_code == 404
    assert (status(site, held), status(site, sent)) == ("held", "waiting")
    assert manager.post(f"{path}/{held.id}/send").status_code == 303
    assert status(site, held) == "waiting"


def test_it_counts_what_became_of_all_in_a_month(site, manager, form, path):
    now = clock.now_ms()
    with database.write(site.id):
        for outcome, number, days in (
            ("asked", 633, 2),
            ("confirmed", 281, 1),
            ("expired", 242, 0),
            ("asked", 9, 32),
        ):
            counts.add(site.id, form.id, outcome, now - days * DAY_MS, number)
    shown = said(manager.get(path))
    for part in ("30 days", "who asked to subscribe 633", "they are subscribers now 281", "deleted 242"):
        assert part in shown
    assert counted(site)["asked"] == 642
