"""The alarm: what mails to strangers are held after, what is no alarm, and how a site opens again."""

import random

import pytest

from audience import clock
from audience.access import operators, sites
from audience.access.audit_log import COMMAND_LINE
from audience.access.operators import OWNER
from audience.clock import DAY_MS, HOUR_MS, MINUTE_MS
from audience.mail.results import LATER, REFUSED
from audience.sign_ups import alarms, holds, sign_ups
from tests.sign_up_steps import FakeRelay, ask, confirm, make_form, make_sender, read, row, send, tell, token


def stranger(number):
    """Each of another mailbox and network."""
    return {"email": f"p{number}@gmail.com", "network": f"10.{number // 256}.{number % 256}.0/24"}


def attack(site, form, relay, tick, count, start=0):
    """Some of 300 a day, of which none is confirmed."""
    for number in range(start, start + count):
        ask(site, form, **stranger(number))
        send(site, relay)
        tick(DAY_MS // 300)


def test_a_slow_attack_is_held_after_some_55(site, form, relay, tick):
    attack(site, form, relay, tick, 100)
    assert 50 <= len(relay.mails) <= 60
    assert alarms.held_since(site)
    assert {held.reason for held in sign_ups.list_page(site, "held")} == {"alarm"}
    assert len(sign_ups.list_page(site, "held")) == 100 - len(relay.mails)


def test_a_launch_is_no_alarm(site, form, relay, tick):
    """250 in an hour, of whom a third confirms, most of them within twenty minutes."""
    dice, due, per_minute = random.Random(250), [], 250 / 60
    asked = 0
    for minute in range(180):
        while asked < min(250, (minute + 1) * per_minute):
            sign_up = ask(site, form, **stranger(asked))
            asked += 1
            if dice.random() < 1 / 3:
                due.append((minute + (dice.randint(1, 20) if dice.random() < 0.8 else 90), sign_up))
        send(site, relay)
        for at, sign_up in due:
            if at == minute:
                confirm(site, sign_up)
        tick(MINUTE_MS)
        assert not alarms.held_since(site)
    assert len(relay.mails) == 250


def test_while_it_is_on_a_trickle_goes_to_networks_seen_once(site, form, relay, tick):
    attack(site, form, relay, tick, 60)
    sent = len(relay.mails)
    for number in range(30):
        ask(site, form, f"q{number}@gmail.com", network="192.0.2.0/24")
    for number in range(100, 130):
        ask(site, form, **stranger(number))
    send(site, relay)
    assert len(relay.mails) == sent
    for _ in range(2):
        holds.sweep()
        send(site, relay)
    assert len(relay.mails) == sent + 10
    tick(HOUR_MS)
    holds.sweep()
    send(site, relay)
    assert len(relay.mails) == sent + 20
    assert not any(mail.recipient.startswith("q") for mail in relay.mails)


def test_the_trickle_has_those_whose_network_nobody_told(site, form, relay, tick):
    """As a server that asks by its key and sends no `ip`."""
    for number in range(70):
        ask(site, form, f"p{number}@gmail.com", asked_by="key:pk_1")
        send(site, relay)
        tick(DAY_MS // 300)
    before = len(relay.mails)
    assert alarms.held_since(site)
    holds.sweep()
    send(site, relay)
    assert len(relay.mails) == before + 10


def test_a_site_that_was_held_by_strangers_opens_by_itself(site, form, relay, tick):
    attack(site, form, relay, tick, 70)
    number, hours = 1_000, 0
    while alarms.held_since(site) and hours < 48:
        for _ in range(10):
            ask(site, form, **stranger(number))
            number += 1
        send(site, relay)
        holds.sweep()
        before = len(relay.mails)
        send(site, relay)
        for sign_up in sign_ups.list_page(site, "sent", limit=10_000):
            if sign_up.email in {mail.recipient for mail in relay.mails[before:]} and sign_up.id % 2:
                confirm(site, sign_up)
        tick(HOUR_MS)
        hours += 1
    assert 3 <= hours <= 10
    ask(site, form, **stranger(5_000))
    send(site, relay)
    assert relay.mails[-1].recipient == "p5000@gmail.com"


class Strict(FakeRelay):
    """Refuses those who are made up, once it knows them."""

    def send(self, message, sender, recipient, is_wanted=lambda: True):
        if self.knows and recipient.startswith("p"):
            self.script = [(REFUSED, "550 5.1.1 no such user")]
        return super().send(message, sender, recipient, is_wanted)

    knows = False


def live_on(site, form, relay, tick, per_day, days):
    """So many real people a day, half of whom confirm. Returns after how many days the alarm was off."""
    for hour in range(24 * days):
        for number in range(per_day * hour // 24, per_day * (hour + 1) // 24):
            ask(site, form, f"real{number}@gmail.com", network=f"172.16.{number % 256}.0/24")
        send(site, relay)
        holds.sweep()
        send(site, relay)
        for sign_up in sign_ups.list_page(site, "sent", limit=10_000):
            if sign_up.email.startswith("real") and int(sign_up.email[4:].partition("@")[0]) % 2:
                confirm(site, sign_up)
        tick(HOUR_MS)
        if not alarms.held_since(site):
            return hour / 24
    return None


@pytest.mark.parametrize("knows", [True, False])
def test_a_site_that_is_held_by_made_up_addresses_opens_by_itself(site, form, tick, knows):
    """Hundreds of them, which the mail server may refuse by then."""
    relay = Strict()
    attack(site, form, relay, tick, 200)
    relay.knows = knows
    assert 0.5 < live_on(site, form, relay, tick, per_day=24, days=4) < 3


def test_a_site_of_one_sign_up_a_day_opens_too(site, form, relay, tick):
    """Which has fewer than thirty in the days that are looked back on."""
    attack(site, form, relay, tick, 60)
    assert 6 < live_on(site, form, relay, tick, per_day=1, days=10) < 8


def test_it_stays_on_while_nobody_confirms(site, form, relay, tick):
    """However few mails went in the days that are looked back on."""
    attack(site, form, relay, tick, 60)
    for number in range(5_000, 5_000 + 4 * 9):
        ask(site, form, **stranger(number))
        holds.sweep()
        send(site, relay)
        tick(6 * HOUR_MS)
    assert alarms.held_since(site)


def test_a_letter_to_the_staff_of_a_company_is_not_held(site, relay, tick):
    """All at once, from one network, at the domain of the form's website."""
    make_sender(site)
    form = make_form(site, origins=["https://www.harbour.example"])
    asked = []
    for number in range(120):
        asked.append(ask(site, form, f"staff{number}@harbour.example", network="192.0.2.0/24"))
        send(site, relay)
        tick(HOUR_MS // 120)
        if number > 20:
            confirm(site, asked[number - 20])
    tick(HOUR_MS)
    ask(site, form, "late@harbour.example", network="192.0.2.0/24")
    send(site, relay)
    assert (len(relay.mails), sign_ups.list_page(site, "held")) == (121, [])
    assert not alarms.held_since(site)


def test_an_operator_ends_it_by_a_release(site, form, relay, tick):
    attack(site, form, relay, tick, 60)
    held = sign_ups.list_page(site, "held")
    assert holds.release(site, COMMAND_LINE, ids=[held[0].id]) == 1
    send(site, relay)
    assert alarms.held_since(site)
    assert holds.release(site, COMMAND_LINE, before=clock.now_ms() + 1) == len(held) - 1
    assert not alarms.held_since(site)
    send(site, relay)
    assert {row(site, one).status for one in held} == {"sent"}
    attack(site, form, relay, tick, 20, start=2_000)
    assert not alarms.held_since(site)


def test_while_it_is_on_a_link_waits_for_the_button(site, form, relay, tick):
    sign_up = ask(site, form)
    send(site, relay)
    assert not read(token(site, sign_up)).needs_click
    attack(site, form, relay, tick, 60)
    assert read(token(site, sign_up)).needs_click


def test_the_owners_are_told_once_a_day(site, form, relay, tick):
    for email, role in (("owner@harbour.example", OWNER), ("manager@harbour.example", "manager")):
        operators.add(email, False, {site: role}, COMMAND_LINE)
    tell(site, relay)
    attack(site, form, relay, tick, 60)
    told = FakeRelay()
    told.script = [(LATER, "451 later")]
    tell(site, told)
    tick(10 * MINUTE_MS)
    tell(site, told)
    assert [mail.recipient for mail in told.mails] == ["owner@harbour.example"] * 2
    assert "gmail" not in told.mails[1].text
    alarms_off_and_on(site, form, relay, tick)
    tell(site, told)
    assert len(told.mails) == 2


def alarms_off_and_on(site, form, relay, tick):
    holds.release(site, COMMAND_LINE)
    tick(31 * MINUTE_MS)
    for number in range(3_000, 3_060):
        ask(site, form, **stranger(number))
    send(site, relay)
    tick(31 * MINUTE_MS)
    ask(site, form, **stranger(3_100))
    send(site, relay)
    assert alarms.held_since(site)


def test_500_spellings_of_one_mailbox_get_six_mails_a_day(site, relay, tick):
    """Over three sites from 40 networks, spread over a day; and in one minute of the next."""
    others = [site, sites.create("Second"), sites.create("Third")]
    open_forms = []
    for other in others:
        make_sender(other)
        open_forms.append(make_form(other))
    dice = random.Random(500)

    def one(number):
        at = number % 3
        local = "".join(letter + "." * dice.randint(0, 1) for letter in "harbourletters").strip(".")
        ask(others[at], open_forms[at], f"{local}+{number}@gmail.com", network=f"192.0.{number % 40}.0/24")
        send(others[at], relay)

    for number in range(500):
        one(number)
        tick(DAY_MS // 500)
    assert len(relay.mails) == 6
    tick(DAY_MS)
    for number in range(500, 600):
        one(number)
    assert len(relay.mails) <= 9
