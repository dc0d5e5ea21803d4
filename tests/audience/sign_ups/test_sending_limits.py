"""The limits of confirmations: of mailbox, domain and site; what is held, released, a test or expired."""

import pytest

from audience import clock, jobs
from audience.access import operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.mail.results import LATER, REFUSED, SENT
from audience.sign_ups import holds, mailboxes, sending, sign_ups
from audience.sign_ups.confirming import ConfirmOutcome
from audience.subscribers import subscribers
from storage import database
from tests import depth
from tests.sign_up_steps import (
    ZOE,
    ask,
    confirm,
    counted,
    job_left,
    make_form,
    make_sender,
    row,
    send,
)


def test_a_mailbox_has_one_in_ten_minutes_three_a_day_and_six_in_a_month(site, form, relay, tick):
    instants: list[int] = []
    start = clock.now_ms()
    for minutes in range(0, 60 * 24 * 16, 5 if depth.whole else 10):
        tick(start + minutes * MINUTE_MS - clock.now_ms())
        if ask(site, form, f"z.o.e+{minutes}@gmail.com"):
            send(site, relay)
            if len(relay.mails) > len(instants):
                instants.append(minutes)
    day = 60 * 24
    assert instants[:6] == [0, 10, 20, day, day + 10, day + 20]
    assert instants[6:] == [8 * day + 20, 15 * day + 20]


def test_a_mailbox_has_six_a_day_over_all_sites(site, relay, tick):
    others = [site, sites.create("Second"), sites.create("Third")]
    for other in others:
        make_sender(other)
        other_form = make_form(other)
        for _ in range(4):
            tick(11 * MINUTE_MS)
            ask(other, other_form)
            send(other, relay)
    assert len(relay.mails) == 6


def test_what_waits_over_the_cap_of_its_mailbox_goes_without_a_mail(site, form, relay):
    first, second = ask(site, form), ask(site, form, "zoe+two@example.com")
    send(site, relay)
    send(site, relay)
    assert len(relay.mails) == 1
    assert (row(site, first).status, row(site, second)) == ("sent", None)
    assert ask(site, form, "ZOE+three@example.com".lower()) is None
    assert counted(site) == {"asked": 2, "sent": 1, "capped": 2}


def test_a_domain_has_twenty_an_hour_but_not_that_of_everybody_or_of_the_site(site, relay):
    make_sender(site)
    form = make_form(site, origins=["https://www.harbour.example"])
    for number in range(21):
        for domain in ("small.example", "gmail.com", "harbour.example"):
            ask(site, form, f"p{number}@{domain}")
    send(site, relay)
    by_domain = [mail.recipient.partition("@")[2] for mail in relay.mails]
    assert {domain: by_domain.count(domain) for domain in by_domain} == {
        "small.example": 20, "gmail.com": 21, "harbour.example": 21,
    }  # fmt: skip
    [held] = sign_ups.list_page(site, "held")
    assert held.reason == "domain"


def test_a_site_has_so_many_an_hour_and_the_rest_is_held(site, form, relay, tick):
    for number in range(5):
        ask(site, form, f"p{number}@gmail.com")
    send(site, relay, per_hour=3)
    assert len(relay.mails) == 3
    assert [held.reason for held in sign_ups.list_page(site, "held")] == ["hour", "hour"]
    assert holds.release(site, COMMAND_LINE) == 2
    send(site, relay, per_hour=3)
    assert len(relay.mails) == 3
    tick(HOUR_MS + 10 * MINUTE_MS)
    send(site, relay, per_hour=3)
    assert len(relay.mails) == 5


def test_of_held_ones_those_are_released_or_discarded_that_are_chosen(site, form, relay):
    held = [ask(site, form, f"p{n}@gmail.com", is_held=True, reason="trapped") for n in range(3)]
    assert holds.release(site, COMMAND_LINE, ids=[held[0].id, 99]) == 1
    assert holds.discard(site, COMMAND_LINE, before=held[1].requested_at) == 0
    assert holds.discard(site, COMMAND_LINE) == 2
    send(site, relay)
    assert [mail.recipient for mail in relay.mails] == ["p0@gmail.com"]
    assert [row(site, one) and row(site, one).status for one in held] == ["sent", None, None]


def test_of_a_test_the_mail_goes_to_the_owners_and_nothing_is_counted(site, relay):
    make_sender(site)
    operators.add("owner@harbour.example", False, {site: "owner"}, COMMAND_LINE)
    sign_ups_of_test = [ask(site, make_form(site, is_test=True), f"p{n}@example.com") for n in range(21)]
    send(site, relay)
    assert [mail.recipient for mail in relay.mails] == ["owner@harbour.example"] * 20
    first = sign_ups_of_test[0]
    assert (row(site, first).status, row(site, first).sent_at) == ("sent", None)
    assert confirm(site, first) is ConfirmOutcome.CONFIRMED
    assert (row(site, first).status, row(site, first).email) == ("confirmed", "")
    assert subscribers.find(site, "p0@example.com") is None
    assert counted(site) == {}


def test_a_test_waits_for_no_limit_of_the_mailbox_that_was_typed(site, form, relay, tick):
    operators.add("owner@harbour.example", False, {site: "owner"}, COMMAND_LINE)
    test_form = make_form(site, is_test=True)
    ask(site, form)
    send(site, relay)
    tests = [ask(site, test_form) for _ in range(20)]
    relay.script = [(REFUSED, "550 no")] * 2
    send(site, relay)
    assert [row(site, test).status for test in tests] == ["failed"] * 2 + ["sent"] * 18
    tick(HOUR_MS)
    ask(site, form, "zoe+again@example.com")
    send(site, relay)
    assert holds.release(site, COMMAND_LINE, status="failed") == 2
    sign_ups.send_again(site, tests[2].id, COMMAND_LINE)
    send(site, relay)
    assert {row(site, test).status for test in tests} == {"sent"}
    assert counted(site) == {"asked": 2, "sent": 2}


def test_a_test_that_is_sent_again_over_the_limit_of_tests_has_failed(site, form, relay):
    operators.add("owner@harbour.example", False, {site: "owner"}, COMMAND_LINE)
    test, *_ = [ask(site, make_form(site, is_test=True)) for _ in range(20)]
    send(site, relay)
    sign_ups.send_again(site, test.id, COMMAND_LINE)
    send(site, relay)
    assert (row(site, test).status, row(site, test).said) == ("failed", sending.OVER_LIMITS)


def test_of_failed_ones_of_one_mailbox_one_is_sent_again_and_none_is_lost(site, form, relay, tick):
    relay.script = [(REFUSED, "550 no")] * 3
    failed = []
    for email in (ZOE, "zoe+two@example.com", "other@gmail.com"):
        failed.append(ask(site, make_form(site, tags=["harbour"]), email))
        send(site, relay)
        tick(11 * MINUTE_MS)
    for expected in (2, 1, 0):
        assert holds.release(site, COMMAND_LINE, status="failed") == expected
        send(site, relay)
        tick(DAY_MS)
    assert [row(site, one).status for one in failed] == ["sent"] * 3
    assert [row(site, one).tags for one in failed] == ['["harbour"]'] * 3
    assert "capped" not in counted(site)


@pytest.mark.parametrize("status", ["failed", "held"])
def test_what_is_released_while_its_mailbox_has_an_email_stays_failed(site, form, relay, tick, status):
    relay.script = [(REFUSED, "550 no")] if status == "failed" else []
    released = ask(site, form, is_held=status == "held", reason="trapped")
    send(site, relay)
    tick(11 * MINUTE_MS)
    ask(site, form, "zoe+two@example.com")
    assert holds.release(site, COMMAND_LINE, status=status) == 1
    send(site, relay)
    send(site, relay)
    kept = row(site, released)
    assert (kept.status, kept.reason, kept.said, kept.email) == ("failed", "capped", sending.OVER_LIMITS, ZOE)
    assert job_left(site) is None
    tick(11 * MINUTE_MS)
    assert holds.release(site, COMMAND_LINE, status="failed") == 1
    send(site, relay)
    assert (row(site, released).status, row(site, released).reason) == ("sent", "")


def test_what_expires_goes_with_all_in_it(site, form, relay, tick):
    sent, waiting = ask(site, form), ask(site, form, "later@example.com")
    held, confirmed = ask(site, form, "held@example.com", is_held=True), ask(site, form, "in@example.com")
    confirm(site, confirmed)
    relay.script = [(SENT, "250"), *[(LATER, "451")] * 9]
    send(site, relay)
    tick(7 * DAY_MS)
    while holds.sweep():
        pass
    assert [row(site, one) is None for one in (sent, waiting, held, confirmed)] == [True, True, False, False]
    send(site, relay)
    tick(7 * DAY_MS)
    while holds.sweep():
        pass
    assert row(site, held) is None
    tick(16 * DAY_MS)
    while holds.sweep():
        pass
    assert row(site, confirmed) is None
    assert counted(site)["expired"] == 3
    with database.session():
        assert not jobs.due_kinds(site.id) & {"confirmation"}


def test_counts_go_after_the_longest_period_that_is_shown(site, form, tick):
    ask(site, form)
    tick(56 * DAY_MS)
    holds.sweep()
    assert sign_ups.figures_by_form(site)[form.id].before.asked == 1
    assert counted(site)["asked"] == 1
    tick(HOUR_MS)
    while holds.sweep():
        pass
    assert "asked" not in counted(site)


def test_what_is_kept_of_mailboxes_goes_after_a_month(site, form, relay, tick):
    ask(site, form)
    send(site, relay)
    tick(31 * DAY_MS + 1)
    mailboxes.sweep()
    with database.session():
        assert database.rows("SELECT * FROM mailbox_counts") == []
